"""The whole report: who the corpus is, every setting, the sections of the pages, and how all of it was computed."""

import inspect
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .. import __version__
from ..arrays import record
from ..corpora import Corpus, StepEffect
from ..errors import LeakscopeError, SettingError, unknown
from ..topics import SIMILARITIES
from ..vectors import ENCODERS
from . import accuracy, choose, judge, look, simulated, swap, trust
from .account import account, references
from .runs import RunChoices
from .subject import MissingRuns, Section, Subject

LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "torch", "sentence-transformers", "umap-learn", "plotly")
FILTERS = {
    "min_documents_per_topic": "Least documents per topic",
    "max_documents_per_topic": "Most documents per topic",
    "min_documents_per_author": "Least documents per author",
    "max_authors": "Most authors",
}


@dataclass(frozen=True, slots=True)
class ReportPage:
    """A page, or a view of one, that a report can hold: its name, its section's maker, whose keywords are the page's settings,
    and whether it is of no corpus and so only there where it is named."""

    label: str
    make: Callable[..., Section]
    on_request: bool = False


PAGES: dict[str, ReportPage] = {
    "overview": ReportPage("Overview", look.overview),
    "corpus": ReportPage("Corpus", look.corpus),
    "topic_map": ReportPage("Topic map", look.topic_map),
    "hits": ReportPage("HITS", choose.hits),
    "design": ReportPage("Design a split", choose.design),
    "split": ReportPage("Your split", choose.split),
    "accuracy": ReportPage("Folds & accuracy", accuracy.accuracy),
    "swap": ReportPage("Folds & accuracy, twin swapped out", swap.swap),
    "together": ReportPage("Folds & accuracy, all together", accuracy.together),
    "ranking": ReportPage("Ranking", judge.ranking),
    "shortcut": ReportPage("Shortcut test", judge.shortcut),
    "significance": ReportPage("Significance", trust.significance),
    "trust": ReportPage("Trust lab", trust.trust),
    "groups": ReportPage("Trust lab, simulated groups", simulated.groups, on_request=True),
    "networks": ReportPage("Trust lab, networks", simulated.networks, on_request=True),
}


@record
class Report:
    """What goes on paper: facts and settings as (name, value), sections, pages that are not in it with the reason."""

    corpus: str
    identity: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    cleaning: tuple[str, ...]
    sections: tuple[Section, ...]
    left_out: tuple[tuple[str, str], ...]
    computed: tuple[str, ...]
    references: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]


def build_report(
    subject: Subject,
    *,
    pages: Sequence[str] | None = None,
    choices: Mapping[str, Mapping[str, Any]] | None = None,
    filters: Mapping[str, int | None] | None = None,
    cleaning: Iterable[StepEffect] = (),
    compute: bool = True,
) -> Report:
    """The sections of these pages, made with the settings of `choices`, by page; models are run where `compute` says so.

    Without `pages`: every page that nothing has to be run for. A page that cannot be made is left out, with the reason.
    """
    corpus = subject.corpus
    if not corpus.has_topics or len(corpus.topic_names) < 2:
        raise SettingError(
            f"{corpus.name}: a report compares topics, and this corpus has not two; find or name them first."
        )
    for name in (*(pages or ()), *(choices or {})):
        if name not in PAGES:
            raise unknown("page", name, PAGES)
    subject.compute = compute and pages is not None
    sections, left_out = [], []
    wanted = [name for name, page in PAGES.items() if (not page.on_request if pages is None else name in pages)]
    for number, name in enumerate(wanted):
        if subject.progress is not None:
            subject.progress(number, len(wanted), PAGES[name].label, None)
        try:
            sections.append(_section(subject, name, (choices or {}).get(name, {})))
        except MissingRuns as problem:
            left_out.append((PAGES[name].label, f"{problem}; run them on its page, or name it in --pages."))
        except LeakscopeError as problem:
            left_out.append((PAGES[name].label, str(problem)))
    if not sections:
        raise SettingError(
            f"Nothing can be reported. {left_out[0][0]}: {left_out[0][1]}" if left_out else "No page is named."
        )
    names = [section.page for section in sections]
    return Report(
        corpus.name,
        _identity(corpus),
        _settings(subject, filters or {}),
        tuple(effect.sentence for effect in cleaning),
        tuple(sections),
        tuple(left_out),
        account(subject, names),
        references(subject, names),
        _versions(),
    )


def _section(subject: Subject, name: str, choices: Mapping[str, Any]) -> Section:
    """A page's section; what its page does not ask for is refused."""
    make = PAGES[name].make
    parameters = inspect.signature(make).parameters
    taken = set(parameters) - {"subject"}
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
        taken |= {each.name for each in fields(RunChoices)}
    for choice in choices:
        if choice not in taken:
            raise unknown(f"setting of {PAGES[name].label}", choice, taken)
    return make(subject, **{key: value for key, value in choices.items() if value is not None})


def _identity(corpus: Corpus) -> tuple[tuple[str, str], ...]:
    """What tells this corpus from every other."""
    authors = int(corpus.known_authors.sum())
    return (
        ("Name", corpus.name),
        ("Documents", f"{len(corpus):,}"),
        ("Topics", f"{len(corpus.topic_names):,}" + (" (found in the texts, not given)" if corpus.found else "")),
        ("Authors", f"{authors:,}" if authors else "none"),
        ("Split of its own", "none" if corpus.splits is None else "yes"),
        ("Fingerprint of the documents", corpus.content_digest),
    )


def _settings(subject: Subject, filters: Mapping[str, int | None]) -> tuple[tuple[str, str], ...]:
    """The settings that hold for all pages."""
    kind = ENCODERS[subject.vectors.name]
    named = [
        (kind.settings[key].label, kind.settings[key].choices.get(value, value))
        for key, value in subject.encoder.items()
        if key in kind.settings
    ]
    limits = [
        (FILTERS[name], "all" if value is None else f"{value:,}") for name, value in filters.items() if name in FILTERS
    ]
    return (
        ("Encoder", kind.label),
        *named,
        ("Similarity of topics", SIMILARITIES[subject.kind]),
        *limits,
        ("Vectors", subject.vectors.encoder_key),
    )


def _versions() -> tuple[tuple[str, str], ...]:
    """Leakscope, Python and the libraries that numbers may hang on."""
    found = [("Leakscope", __version__), ("Python", platform.python_version())]
    for name in LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(found)
