"""Where vectors and models' answers are kept on disk.

On a host every visitor has stores of their own: in a common one, what is found at once would tell that somebody else has
the same text. What everybody has is kept once for all.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from core.demo import RESULTS
from core.evaluation import ResultStore, missing_runs
from core.splits import Folds
from core.topics import Setup
from core.vectors import VectorStore
from pages.shared import session
from pages.shared.limits import hosted, limit
from pages.shared.public import computed_once

PROJECT = "project"  # in the session's state, and a folder of its visitor; see pages/shared/project.py
Store = TypeVar("Store", VectorStore, ResultStore)


def vector_store(*, public: bool) -> VectorStore:
    """Return the vectors that this session may find."""
    return _bounded(VectorStore(_folder(public)), public)


def result_store(*, public: bool) -> ResultStore:
    """Return the models' answers that this session may find, and those that ship with the bundled corpus."""
    return _bounded(ResultStore(_folder(public), shipped=RESULTS, project=_project(public)), public)


def ship(job: tuple[Setup, Folds], models: Sequence[str], **choices: Any) -> bool:
    """Return whether the answers of these models to all of a job ship with the bundled corpus."""
    setup, folds = job
    sides = hashlib.sha256(b"|".join(fold.test.tobytes() for fold in folds)).hexdigest()
    return _ship(setup, sides, tuple(models), tuple(sorted(choices.items())), folds)


@computed_once(most=64)
def _ship(
    setup: Setup, sides: str, models: tuple[str, ...], choices: tuple[tuple[str, Any], ...], _folds: Folds
) -> bool:
    """Asked once: to find the keys of runs all of their texts are read."""
    store = result_store(public=True)
    return not missing_runs(setup.corpus, _folds, models=list(models), results=store, **dict(choices))


def _project(public: bool) -> Path | None:
    """Answers of an open project; on a host they never serve a corpus that everybody has."""
    held = st.session_state.get(PROJECT) is not None
    return session.folder() / PROJECT if held and not (hosted() and public) else None


def _folder(public: bool) -> Path | None:
    """Return the visitor's own folder on a host, or None for the common one."""
    return session.folder() if hosted() and not public else None


def _bounded(store: Store, public: bool) -> Store:
    """Limit a visitor's store to half of the size that vectors and answers share."""
    if not public:
        store.limit = min(store.limit, limit("STORE_SIZE") * 10**6 // 2)
    return store
