"""What was looked at in this session: the pages with their controls, and the runs of models they showed.

A report and a project are made of it. Streamlit forgets the controls of a page that is left, so they are noted here.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.corpora import Corpus
from core.splits import Folds
from core.topics import Setup

PAGES, RUNS, OF = "seen", "seen_runs", "seen_of"  # in the session's state
MOST_RUNS = 64
START = "overview"
# Of the sidebar, and so of every page.
_FILTERS = ("min_docs", "cap", "author_docs", "most_authors")
SHARED = frozenset(("file", "print", "cleaned", "corpus", "encoder", "similarity", "window", "model", *_FILTERS))

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
    },
    "significance": {
        **_own("significance", {**_RUN, **_TWO, "models": "models_{}", "metric": "metric_{}"}),
        "margin": "margin",
    },
    "trust": _own("trust", {**_RUN, **_TWO, "models": "models_{}", "metric": "metric_{}"}),
}


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page as it was last seen: its settings in a report, and its own part of the address."""

    settings: dict[str, Any]
    address: dict[str, list[str]]


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
        state[OF], state[PAGES], state[RUNS] = now, {}, {}


def note_page(name: str) -> None:
    """At the end of a page: its controls as they stand."""
    name = name or START
    address = {each: st.query_params.get_all(each) for each in st.query_params if each not in SHARED}
    pages: dict[str, SeenPage] = st.session_state.setdefault(PAGES, {})
    pages[name] = SeenPage(_settings(name), address)


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
    runs: dict[Hashable, SeenRun] = st.session_state.setdefault(RUNS, {})
    runs.pop((page, key), None)
    kept = {name: value for name, value in choices.items() if name != "results"}
    runs[page, key] = SeenRun(page, tuple(jobs), kept, whole)
    while len(runs) > MOST_RUNS:
        del runs[next(iter(runs))]


def pages() -> dict[str, SeenPage]:
    """The pages that were seen of the corpus in hand."""
    found: dict[str, SeenPage] = st.session_state.get(PAGES, {})
    return found


def runs() -> list[SeenRun]:
    """The runs that were seen of the corpus in hand."""
    found: dict[Hashable, SeenRun] = st.session_state.get(RUNS, {})
    return list(found.values())
