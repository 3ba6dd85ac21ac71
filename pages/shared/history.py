"""What was looked at in this session: pages with their addresses, questions with their settings, runs of models.

A report and a project are made of it. Streamlit forgets the controls of a page that is left, so they are noted here.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.corpora import Corpus
from core.questions import QUESTIONS, Settings
from core.render import Answer
from core.study import SampleFolds
from core.vectors import ENCODERS, Vectors

# In the session's state: addresses of pages, settings of questions, runs of models, vectors of what the corpus was compared with.
PAGES, ASKED, DRAWN, RUNS, BESIDE, OF = "seen", "seen_asked", "seen_drawn", "seen_runs", "seen_beside", "seen_of"
MOST_RUNS, MOST_BESIDE = 64, 2
START = "overview"
NOW = "page"  # in the session's state: the page that is drawn
# Controls of the sidebar, and so of every page.
_OF_ENCODERS = tuple(setting for kind in ENCODERS.values() for setting in kind.settings)
_FILTERS = ("min_docs", "cap", "author_docs", "most_authors")
SHARED = frozenset(("file", "print", "cleaned", "corpus", "encoder", "similarity", *_OF_ENCODERS, *_FILTERS))


def begin(corpus: Corpus | None) -> None:
    """Forget what was seen of another corpus: its topics are not this one's."""
    state, now = st.session_state, None if corpus is None else corpus.fingerprint
    if state.get(OF) != now:
        state[OF] = now
        for name in (PAGES, ASKED, DRAWN, RUNS, BESIDE):
            state[name] = {}


def note_page(name: str) -> None:
    """Note a page's address, before it is drawn and after."""
    st.session_state[NOW] = name or START
    pages: dict[str, dict[str, list[str]]] = st.session_state.setdefault(PAGES, {})
    pages[name or START] = {each: st.query_params.get_all(each) for each in st.query_params if each not in SHARED}


def note_asked(question: str, settings: Settings) -> None:
    """Note the settings with which a question was last answered."""
    if question in QUESTIONS:
        st.session_state.setdefault(ASKED, {})[question] = settings


def note_drawn(answer: Answer) -> None:
    """Note an answer that is about no corpus, such as a simulation."""
    st.session_state.setdefault(DRAWN, {})[answer.name] = answer


def note_runs(key: Hashable, jobs: Sequence[SampleFolds], choices: Mapping[str, Any]) -> None:
    """Note runs of models that were shown."""
    kept = {name: value for name, value in choices.items() if name not in ("results", "vectors")}
    _note(RUNS, key, (tuple(jobs), kept), MOST_RUNS)


def note_beside(corpus: Corpus, vectors: Vectors) -> None:
    """Note the vectors of what the corpus was compared with."""
    _note(BESIDE, (corpus.fingerprint, vectors.encoder_key), (corpus, vectors), MOST_BESIDE)


def _note(what: str, key: Hashable, value: Any, most: int) -> None:
    """Keep the last ones."""
    noted: dict[Hashable, Any] = st.session_state.setdefault(what, {})
    noted.pop(key, None)
    noted[key] = value
    while len(noted) > most:
        del noted[next(iter(noted))]


def pages() -> dict[str, dict[str, list[str]]]:
    """Return the addresses of the pages that were seen, without the sidebar's part."""
    found: dict[str, dict[str, list[str]]] = st.session_state.get(PAGES, {})
    return found


def asked() -> dict[str, Settings]:
    """Return the questions that were answered, in the order of a report, with their settings."""
    found: dict[str, Settings] = st.session_state.get(ASKED, {})
    return {name: found[name] for name in QUESTIONS if name in found}


def drawn() -> list[Answer]:
    """Return the answers that are about no corpus."""
    found: dict[str, Answer] = st.session_state.get(DRAWN, {})
    return list(found.values())


def runs() -> list[tuple[tuple[SampleFolds, ...], dict[str, Any]]]:
    """Return the runs that were shown: samples with their folds, and the choices of `evaluate`."""
    found: dict[Hashable, tuple[tuple[SampleFolds, ...], dict[str, Any]]] = st.session_state.get(RUNS, {})
    return list(found.values())


def beside() -> list[tuple[Corpus, Vectors]]:
    """Return the corpora and vectors that the corpus was compared with."""
    found: dict[Hashable, tuple[Corpus, Vectors]] = st.session_state.get(BESIDE, {})
    return list(found.values())


# What is made of files beside the corpus: a table, a network, a corpus with several topics a document.
FILE_KINDS = ("tables", "own networks", "categorizations")
FILES = "files of {}"  # in the session's state, by kind: the names and the digest of what was loaded last
