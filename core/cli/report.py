"""`report`: everything on a corpus in one HTML file that opens anywhere and prints."""

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..demo import RESULTS
from ..errors import SettingError, unknown
from ..evaluation import ResultStore
from ..report import PAGES, Subject, build_report, write_html
from ..splits import check_k
from ..vectors import ENCODERS
from .options import (
    Answer,
    add_corpus_options,
    add_encoder_options,
    corpus_of,
    vectors_of,
)
from .screen import progress
from .target import checked_target, write_file

ALL = "all"


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, which pages, and where the report goes."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--out", required=True, metavar="R.html", help="the file to write")
    about = (
        f"pages to report, with commas between them: {', '.join(PAGES)}; their models are run where that is needed. "
        f"{ALL}: every page of the corpus, which groups and networks are not (default: every page that no model has to be run for)"
    )
    command.add_argument("--pages", default=None, metavar="NAMES", help=about)
    command.add_argument("--k", type=int, default=None, metavar="K", help="folds of topics (default: 6)")
    command.add_argument(
        "--m", type=int, default=None, metavar="M", help="topics HITS keeps (default: all but near twins)"
    )


def run(options: argparse.Namespace) -> Answer:
    """Everything on a corpus in one HTML file: verdict, settings, figures, tables, warnings, how it was computed."""
    pages = _pages(options.pages)
    target = Path(options.out)
    if target.suffix.lower() not in (".html", ".htm"):
        raise SettingError(f"{target}: a report is an HTML file; end its name in .html.")
    checked_target(options.out)
    if options.k is not None:
        check_k(options.k)
    corpus = corpus_of(options)
    vectors = vectors_of(corpus, options)
    settings = {
        name: getattr(options, name) for name in ENCODERS[vectors.name].settings if vectors.name == options.encoder
    }
    subject = Subject(
        corpus,
        vectors,
        similarity=options.similarity,
        encoder=settings,
        results=ResultStore(shipped=RESULTS),
        progress=progress,
    )
    filters = {"min_documents_per_topic": options.min_documents, "max_documents_per_topic": options.max_documents}
    choices: dict[str, dict[str, Any]] = {
        "overview": {"k": options.k},
        "design": {"k": options.k},
        "hits": {"m": options.m},
    }
    report = build_report(subject, pages=pages, choices=choices, filters=filters)
    content = write_html(report, when=datetime.now(UTC)).encode("utf-8", "replace")
    write_file(target, content)
    figures = sum(len(section.drawings) for section in report.sections)
    return {
        "sentence": f"{target} holds {len(report.sections)} pages with {figures} figures, {len(content) / 1e6:.1f} MB.",
        "answers": {section.page: section.answer for section in report.sections},
        "figures": figures,
        "left_out": dict(report.left_out),
        "bytes": len(content),
        "out": str(target),
    }


def _pages(named: str | None) -> list[str] | None:
    if named is None:
        return None
    names = [name.strip() for name in named.split(",") if name.strip()]
    if not names:
        raise SettingError(f"--pages names no page; choose of {', '.join(PAGES)}, or {ALL}.")
    for name in names:
        if name not in (ALL, *PAGES):
            raise unknown("page", name, PAGES)
    return [name for name, page in PAGES.items() if name in names or (ALL in names and not page.on_request)]
