"""`report`: the answers about a corpus in one HTML file that opens anywhere and prints, or as a data card."""

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import InputError, SettingError, unknown
from ..evaluation import answer_files, read_fold_answers
from ..formats import listed
from ..questions import RunSettings, hits, sample_and_folds, verdict
from ..render import ON_CARD, Answer, croissant_card, report_html
from ..report import ON_REQUEST, asked_by, make_report, page_names
from ..splits import check_k
from ..study import kept_only
from . import progress
from .options import add_corpus_options, add_encoder_options, checked_target, write_file
from .questions import add_settings, study_of

ALL = "all"
CARD_STEP = "Add its licence, creators and address before you publish it."
MOST_BYTES = 50_000_000  # of an earlier card


def add_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, its vectors, which pages, and where the report goes."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--out", default=None, metavar="R.html", help="the HTML file to write")
    about = "write verdict and split as a Croissant data card; a card that is there keeps its other fields"
    command.add_argument("--croissant", default=None, metavar="C.json", help=about)
    about = (
        f"pages to report, with commas between them: {', '.join(_known_pages())}; their models are run if needed. {ALL}: every page but "
        f"{' and '.join(ON_REQUEST)} (default: every page that needs no model run)"
    )
    command.add_argument("--pages", default=None, metavar="NAMES", help=about)
    add_settings(command, verdict.Settings, only=("k",))
    add_settings(command, hits.Settings, only=("m",))
    about = "answers of your own models to the folds of `folds --k 6 --out`, for accuracy, significance and trust"
    command.add_argument("--answers", nargs="+", default=(), metavar="FILE", help=about)


def run(options: argparse.Namespace) -> Answer:
    """Write verdict, settings, figures, tables, warnings and methods of a corpus into one HTML file."""
    if options.out is None and options.croissant is None:
        raise SettingError("Nothing is to be written. Name an HTML file with --out, or a data card with --croissant.")
    pages = _pages(options.pages, card_only=options.out is None)
    if options.out is not None and Path(options.out).suffix.lower() not in (".html", ".htm"):
        raise SettingError(f"{options.out}: a report is an HTML file; end its name in .html.")
    for target in filter(None, (options.out, options.croissant)):
        checked_target(target)
    before = None if options.croissant is None else _earlier_card(Path(options.croissant))
    if options.k is not None:
        check_k(options.k)
    study = study_of(options)
    if options.answers:
        setup, folds = sample_and_folds(study, RunSettings.resolve(study))
        study = study.with_answers(
            read_fold_answers(answer_files(options.answers), {setup.name: (setup.corpus, folds)})
        )
    if options.pages is None:
        study.work = kept_only  # no model is run unasked
    given = {"overview": {"k": options.k}, "design": {"k": options.k}, "hits": {"m": options.m}}
    asked = asked_by(study, [page for page in pages if page not in ON_REQUEST], given)
    more = [ON_REQUEST[page]() for page in pages if page in ON_REQUEST]
    report = make_report(study, asked, more=more, progress=progress)
    found: list[str] = []
    data: dict[str, Any] = {}
    if options.out is not None:
        content = report_html(report, when=datetime.now(UTC)).encode("utf-8", "replace")
        write_file(options.out, content)
        figures = sum(len(answer.figures) for answer in report.answers)
        size = f"{len(content) / 1e6:.1f} MB"
        found.append(f"{options.out} holds {len(report.answers)} answers with {figures} figures ({size}).")
        data |= {"figures": figures, "bytes": len(content), "out": options.out}
    if options.croissant is not None:
        card = croissant_card(report, before)
        write_file(options.croissant, (json.dumps(card, indent=2, ensure_ascii=False) + "\n").encode())
        filled = [name for name in card if name.startswith("rai:")]
        found.append(f"{options.croissant} is a Croissant data card with {listed(filled)}.")
        data |= {"croissant": options.croissant, "fields": filled}
    names = {question: page for page, question in page_names().items()}
    return Answer(
        "report",
        "Report",
        "neutral",
        found[0],
        (*found[1:], *(f"Left out: {label}. {reason}" for label, reason in report.left_out[:2])),
        make_data=lambda: {
            "answers": {names.get(answer.name, answer.name): answer.headline for answer in report.answers},
            "left_out": dict(report.left_out),
            **data,
        },
        next_steps=(CARD_STEP,) if options.croissant is not None and before is None else (),
    )


def _earlier_card(file: Path) -> dict[str, Any] | None:
    """Return the card that is there, or None."""
    if not file.exists():
        return None
    try:
        content = json.loads(file.read_text(encoding="utf-8")) if file.stat().st_size <= MOST_BYTES else None
    except (OSError, ValueError):
        content = None
    if not isinstance(content, dict) or str(content.get("@type")).split(":")[-1].split("/")[-1] != "Dataset":
        raise InputError(f"{file}: not a Croissant card of a dataset. Choose another name for --croissant.")
    return content


def _known_pages() -> list[str]:
    return [*page_names(), *ON_REQUEST]


def _pages(named: str | None, *, card_only: bool) -> list[str]:
    if named is None:
        return [page for page, question in page_names().items() if not card_only or question in ON_CARD]
    names = [name.strip() for name in named.split(",") if name.strip()]
    if not names:
        raise SettingError(f"--pages names no page. Choose from {', '.join(_known_pages())}, or {ALL}.")
    for name in names:
        if name not in (ALL, *_known_pages()):
            raise unknown("page", name, _known_pages())
    return [name for name in _known_pages() if name in names or (ALL in names and name not in ON_REQUEST)]
