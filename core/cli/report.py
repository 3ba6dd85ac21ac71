"""`report`: the answers about a corpus in one HTML file that opens anywhere and prints."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from ..errors import SettingError, unknown
from ..render import Answer, report_html
from ..report import ON_REQUEST, asked_by, make_report, page_names
from ..splits import check_k
from ..study import kept_only
from .options import add_corpus_options, add_encoder_options
from .questions import study_of
from .screen import progress
from .target import checked_target, write_file

ALL = "all"


def add_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, its vectors, which pages, and where the report goes."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--out", required=True, metavar="R.html", help="the file to write")
    about = (
        f"pages to report, with commas between them: {', '.join(_known())}; their models are run if needed. {ALL}: every page but "
        f"{' and '.join(ON_REQUEST)} (default: every page that needs no model run)"
    )
    command.add_argument("--pages", default=None, metavar="NAMES", help=about)
    command.add_argument("--k", type=int, default=None, metavar="K", help="folds of topics (default: 6)")
    command.add_argument(
        "--m", type=int, default=None, metavar="M", help="topics HITS keeps (default: the most without near twins)"
    )


def run(options: argparse.Namespace) -> Answer:
    """Write verdict, settings, figures, tables, warnings and methods of a corpus into one HTML file."""
    pages = _pages(options.pages)
    target = Path(options.out)
    if target.suffix.lower() not in (".html", ".htm"):
        raise SettingError(f"{target}: a report is an HTML file; end its name in .html.")
    checked_target(options.out)
    if options.k is not None:
        check_k(options.k)
    study = study_of(options)
    if options.pages is None:
        study.work = kept_only  # no model is run unasked
    given = {"overview": {"k": options.k}, "design": {"k": options.k}, "hits": {"m": options.m}}
    asked = asked_by(study, [page for page in pages if page not in ON_REQUEST], given)
    more = [ON_REQUEST[page]() for page in pages if page in ON_REQUEST]
    report = make_report(study, asked, more=more, progress=progress)
    content = report_html(report, when=datetime.now(UTC)).encode("utf-8", "replace")
    write_file(target, content)
    figures = sum(len(answer.figures) for answer in report.answers)
    names = {question: page for page, question in page_names().items()}
    return Answer(
        "report",
        "Report",
        "neutral",
        f"{target} holds {len(report.answers)} answers with {figures} figures ({len(content) / 1e6:.1f} MB).",
        tuple(f"Left out: {label}. {reason}" for label, reason in report.left_out[:3]),
        make_data=lambda: {
            "answers": {names.get(answer.name, answer.name): answer.headline for answer in report.answers},
            "figures": figures,
            "left_out": dict(report.left_out),
            "bytes": len(content),
            "out": str(target),
        },
    )


def _known() -> list[str]:
    return [*page_names(), *ON_REQUEST]


def _pages(named: str | None) -> list[str]:
    if named is None:
        return list(page_names())
    names = [name.strip() for name in named.split(",") if name.strip()]
    if not names:
        raise SettingError(f"--pages names no page. Choose from {', '.join(_known())}, or {ALL}.")
    for name in names:
        if name not in (ALL, *_known()):
            raise unknown("page", name, _known())
    return [name for name in _known() if name in names or (ALL in names and name not in ON_REQUEST)]
