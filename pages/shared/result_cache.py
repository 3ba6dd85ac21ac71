"""Results that are there already: held kind by kind, the least recently used dropped first, or come with a project."""

import threading
from collections.abc import Hashable, Iterable
from typing import Any, TypeVar

import streamlit as st
from cachetools import LRUCache

from core.engine import Refusal
from pages.shared import session

Key = TypeVar("Key", bound=Hashable)
_lock = threading.RLock()  # jobs store from threads of their own

# Results of each kind that a scope holds; the least recently used go first.
MOST_CACHED = {
    "vectors": 4,
    "maps": 4,
    "views": 4,
    "runs": 16,
    "curves": 4,
    "curve answers": 2,
    "forecasts": 4,
    "target files": 1,
    "targets": 2,
    "experiments": 32,
    "split audits": 1,
    "designs": 4,
    "optima": 4,
    "costs": 8,
    "fixed splits": 2,
    "categorizations": 1,
    "labelled corpora": 1,
    "benchmarks": 1,
    "benchmark answers": 1,
    "newsgroups": 1,
    "models": 4,
    "topics": 4,
    "files": 4,
    "uploads": 1,
    "given vectors": 1,
    "kept": 1,
    "near copies": 2,
    "reports": 1,
    "projects": 1,
    "opened": 1,
    "simulations": 2_000,
    "networks": 500,
    "own networks": 2,
    "network profiles": 100,
    "own network rates": 200,
    "splits": 4,
    "tables": 2,
}
FOR_ALL = 4  # times as many are held of what everybody may see


def cached(kind: str, key: Hashable, *, public: bool = False) -> bool:
    """Return whether this result is there."""
    return key in cache("" if public else session.scope(), kind)


def at_hand(kind: str, key: Hashable, *, public: bool = False) -> Any:
    """This result where it is there, else None; nothing is asked for."""
    found = held("" if public else session.scope(), kind, [key]).get(key)
    return None if isinstance(found, Refusal) else found


def hold(kind: str, key: Hashable, found: object, *, public: bool = False) -> None:
    """Keep what was had in another way, for whoever of this scope asks next."""
    store("" if public else session.scope(), kind, key, found)


def drop(kind: str, key: Hashable, *, public: bool = False) -> None:
    """Let go of a result."""
    with _lock:
        cache("" if public else session.scope(), kind).pop(key, None)


@st.cache_resource(show_spinner=False)
def caches() -> dict[tuple[str, str], LRUCache[Any, Any]]:
    """Return the results by key, by scope and kind."""
    return {}


def cache(scope: str, kind: str, *, room: int = 1) -> LRUCache[Any, Any]:
    """Return what a scope holds of one kind, with room for this many at least; "" is the scope of what everybody may see."""
    with _lock:
        found = caches().get((scope, kind))
        if found is None or found.maxsize < room:
            larger = LRUCache[Any, Any](max(MOST_CACHED[kind] * (1 if scope else FOR_ALL), room))
            larger.update(found or {})
            found = caches()[scope, kind] = larger
        return found


def held(scope: str, kind: str, keys: Iterable[Key]) -> dict[Key, Any]:
    """Return those of these results that are there, or why they are refused; all of them count as used now."""
    with _lock:
        there = cache(scope, kind)
        return {key: there[key] for key in keys if key in there}


def store(scope: str, kind: str, key: Hashable, found: object, *, room: int = 1) -> None:
    """Keep a result; `room` is how many are wanted at once: none of them may push another out."""
    with _lock:
        cache(scope, kind, room=room)[key] = found


def forget_scope(scope: str) -> None:
    """Drop every result of a scope."""
    with _lock:
        for key in [key for key in caches() if key[0] == scope]:
            del caches()[key]
