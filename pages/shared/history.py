"""What was looked at in this session: the pages with their controls, and the runs of models they showed.

A report and a project are made of it. Streamlit forgets the controls of a page that is left, so they are noted here.
"""

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.corpora import Corpus
from core.splits import Folds
from core.topics import Setup
from core.vectors import ENCODERS, Vectors

# In the session's state: pages, sections of a report, runs of models, results, vectors of what the corpus was set beside.
PAGES, SECTIONS, RUNS, RESULTS, BESIDE, OF = (
    "seen",
    "seen_sections",
    "seen_runs",
    "seen_results",
    "seen_beside",
    "seen_of",
)
MOST_RUNS, MOST_RESULTS, MOST_BESIDE = 64, 4_000, 2
START = "overview"
# Of the sidebar, and so of every page.
_OF_ENCODERS = tuple(setting for kind in ENCODERS.values() for setting in kind.settings)
_FILTERS = ("min_docs", "cap", "author_docs", "most_authors")
SHARED = frozenset(("file", "print", "cleaned", "corpus", "encoder", "similarity", *_OF_ENCODERS, *_FILTERS))

_RUN = {name: name for name in ("task", "scheme", "k", "sampler", "m", "pairs", "seed", "calibration")}
_TWO = {"a": "model_a", "b": "model_b"}


def _own(page: str, names: Mapping[str, str]) -> dict[str, str]:
    return {name: f"{page}_{key}" for name, key in names.items()}


# Of every page the settings of its section in a report, and the control that holds each; {} stands for the task.
CONTROLS: dict[str, dict[str, str]] = {
    "overview": {"k": "k"},
    "corpus": {},
    "topic_map": {"first": "a", "second": "b"},
    "hits": {"m": "m", "policy": "policy", "threshold": "threshold"},
    "design": _own("design", {name: name for name in ("k", "wishes", "choice")}),
    "split": {},
    "accuracy": _own("accuracy", {**_RUN, "models": "models_{}", "metric": "metric_{}"}),
    "ranking": {
        **_own("ranking", {"task": "task", "m": "m", "k": "k", "pairs": "pairs", "models": "models_{}"}),
        "samples": "samples",
        "metric": "rank_{}",
    },
    "shortcut": {
        "metric": "metric",
        "margin": "lean_margin",
        "pairs": "shortcut_pairs",
        "m": "shortcut_m",
        "k": "shortcut_k",
        "samples": "shortcut_samples",
        "models": "shortcut_models_verification",
    },
    "significance": {
        **_own("significance", {**_RUN, **_TWO, "models": "models_{}", "metric": "metric_{}"}),
        "margin": "margin",
    },
    "trust": _own("trust", {**_RUN, **_TWO, "models": "models_{}", "metric": "metric_{}"}),
    "swap": _own(
        "accuracy",
        {name: name for name in ("task", "pairs", "calibration", "nearest", "tested", "draws", "seed")}
        | {"models": "models_{}"},
    ),
    "together": _own("accuracy", {**_RUN, "models": "models_{}", "metric": "metric_{}"}),
    "groups": {name: name for name in ("error", "correlation", "instances", "groups", "trials", "resamples", "fixed")}
    | {"test": "trust_test"},
    "networks": {},
}
# Views of a page that are sections of their own, by the control that chooses them; those with none are not reported.
VIEWS: dict[str, tuple[str, dict[str, str | None]]] = {
    "accuracy": ("accuracy_view", {"twin swapped out": "swap", "all together": "together"}),
    "trust": ("view", {"simulated groups": "groups", "networks": "networks", "three theorems": None}),
    "shortcut": ("systems", {"answers of your own": None}),
    "significance": ("significance_compare", {"a table of your own": None, "text categorization": None}),
}


@dataclass(frozen=True, slots=True)
class SeenSection:
    """A section of a report as it was last seen: its settings, and what was drawn where no run of models tells that."""

    settings: dict[str, Any]
    drawn: Any = None


@dataclass(frozen=True, eq=False, slots=True)
class SeenRun:
    """Runs of models that a page showed: on which samples and folds, and with which choices; `whole`: they are what the page
    is about, and not a part of something measured."""

    page: str
    jobs: tuple[tuple[Setup, Folds], ...]
    choices: dict[str, Any]
    whole: bool


def begin(corpus: Corpus | None) -> None:
    """What was seen of another corpus is forgotten: its topics are not this one's."""
    state, now = st.session_state, None if corpus is None else corpus.fingerprint
    if state.get(OF) != now:
        state[OF] = now
        for name in (PAGES, SECTIONS, RUNS, RESULTS, BESIDE):
            state[name] = {}


def note_page(name: str) -> None:
    """Before a page and after it: its address, and its controls as they stand. A page that stops early is not noted after it:
    Streamlit lets nothing be done then."""
    name = name or START
    pages: dict[str, dict[str, list[str]]] = st.session_state.setdefault(PAGES, {})
    pages[name] = {each: st.query_params.get_all(each) for each in st.query_params if each not in SHARED}
    control, views = VIEWS.get(name, ("", {}))
    view = (st.session_state.get(control) or st.query_params.get(control)) if control else None
    section = views.get(str(view), name)
    if section in CONTROLS:
        found = sections()
        found[section] = SeenSection(_settings(section), found[section].drawn if section in found else None)


def note_drawn(section: str, drawn: Any) -> None:
    """What a section of a report is to draw: that of simulations, which are of no run of models."""
    sections()[section] = SeenSection({}, drawn)


def _settings(page: str) -> dict[str, Any]:
    state = st.session_state
    controls = CONTROLS.get(page, {})
    task = state.get(controls.get("task", "task"), "attribution")
    found: dict[str, Any] = {name: state.get(key.format(task)) for name, key in controls.items()}
    for name in found:
        if isinstance(found[name], list):
            found[name] = tuple(found[name])
    return {name: value for name, value in found.items() if value is not None and value != ()}


def note_runs(
    page: str, jobs: Sequence[tuple[Setup, Folds]], choices: Mapping[str, Any], *, key: Hashable, whole: bool
) -> None:
    """Runs that a page shows."""
    kept = {name: value for name, value in choices.items() if name != "results"}
    _note(RUNS, (page, key), SeenRun(page, tuple(jobs), kept, whole), MOST_RUNS)


def note_results(kind: str, keys: Iterable[Hashable], *, public: bool) -> None:
    """Results that a page shows, by kind and key; `public`: of what everybody has."""
    for key in keys:
        _note(RESULTS, (kind, key), public, MOST_RESULTS)


def note_beside(corpus: Corpus, vectors: Vectors) -> None:
    """Vectors of what the corpus in hand was set beside: itself by another encoder, or filtered in another way."""
    _note(BESIDE, (corpus.fingerprint, vectors.encoder_key), (corpus, vectors), MOST_BESIDE)


def _note(what: str, key: Hashable, value: Any, most: int) -> None:
    """The last are kept."""
    noted: dict[Hashable, Any] = st.session_state.setdefault(what, {})
    noted.pop(key, None)
    noted[key] = value
    while len(noted) > most:
        del noted[next(iter(noted))]


def pages() -> dict[str, dict[str, list[str]]]:
    """The addresses of the pages that were seen of the corpus in hand, without the sidebar's part."""
    found: dict[str, dict[str, list[str]]] = st.session_state.get(PAGES, {})
    return found


def sections() -> dict[str, SeenSection]:
    """The sections of a report that were seen of the corpus in hand."""
    found: dict[str, SeenSection] = st.session_state.setdefault(SECTIONS, {})
    return found


def runs() -> list[SeenRun]:
    """The runs that were seen of the corpus in hand."""
    found: dict[Hashable, SeenRun] = st.session_state.get(RUNS, {})
    return list(found.values())


def results() -> dict[tuple[str, Any], bool]:
    """The results that were seen of the corpus in hand, by kind and key; whether each is of what everybody has."""
    found: dict[tuple[str, Any], bool] = st.session_state.get(RESULTS, {})
    return found


def beside() -> list[tuple[Corpus, Vectors]]:
    """The corpora and vectors that the corpus in hand was set beside."""
    found: dict[Hashable, tuple[Corpus, Vectors]] = st.session_state.get(BESIDE, {})
    return list(found.values())


# What was made of files beside the corpus (a table, a network, a corpus with several topics a document) is found by their
# content after the files are gone: Streamlit forgets them as soon as another page is opened.
FILE_KINDS = ("tables", "own networks", "categorizations")
FILES = "files of {}"  # in the session's state, by kind: the names and the digest of what was loaded last


def file_key(kind: str, *uploads: UploadedFile | None) -> tuple[str, str] | None:
    """The content's digest and the names of files that are loaded, or of those that were last; None where there are none."""
    files = [each for each in uploads if each is not None]
    if len(files) == len(uploads):
        content = hashlib.sha256(b"".join(hashlib.sha256(each.getvalue()).digest() for each in files)).hexdigest()
        st.session_state[FILES.format(kind)] = f"{content} {' and '.join(each.name for each in files)}"
    found = str(st.session_state.get(FILES.format(kind), "")).partition(" ")
    return (found[0], found[2]) if found[2] else None
