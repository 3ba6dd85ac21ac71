"""Where vectors and models' answers are kept on disk.

On a host every visitor has stores of their own: in a common one, what is found at once would tell that somebody else has
the same text. What everybody has is kept once for all.
"""

from pathlib import Path
from typing import TypeVar

import streamlit as st

from core.demo import RESULTS
from core.evaluation import ResultStore
from core.vectors import VectorStore
from pages.shared import session
from pages.shared.limits import hosted, limit

PROJECT = "project"  # in the session's state, and a folder of its visitor; see pages/shared/project.py
Store = TypeVar("Store", VectorStore, ResultStore)


def vector_store(*, public: bool) -> VectorStore:
    """The vectors that this session may find."""
    return _bounded(VectorStore(_folder(public)), public)


def result_store(*, public: bool) -> ResultStore:
    """The models' answers that this session may find, and those that ship with the bundled corpus."""
    return _bounded(ResultStore(_folder(public), shipped=RESULTS, project=_project(public)), public)


def _project(public: bool) -> Path | None:
    """Answers of a project in hand; on a host they never serve a corpus that everybody has."""
    held = st.session_state.get(PROJECT) is not None
    return session.folder() / PROJECT if held and not (hosted() and public) else None


def _folder(public: bool) -> Path | None:
    """None is the common one."""
    return session.folder() if hosted() and not public else None


def _bounded(store: Store, public: bool) -> Store:
    """Vectors and answers share what a visitor has."""
    if not public:
        store.limit = min(store.limit, limit("STORE_SIZE") * 10**6 // 2)
    return store
