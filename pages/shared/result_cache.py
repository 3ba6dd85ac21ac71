"""Results that are there already: held kind by kind, the oldest dropped first, or come with the project in hand."""

from collections.abc import Hashable
from typing import Any

import streamlit as st

from core.engine import Call, Refusal, carry_out
from core.report import fitted
from pages.shared import session
from pages.shared.limits import hosted

# Results of each kind that a scope holds; the oldest go first.
MOST_CACHED = {
    "vectors": 4,
    "maps": 4,
    "views": 4,
    "runs": 16,
    "experiments": 32,
    "split audits": 1,
    "designs": 4,
    "optima": 4,
    "swaps": 16,
    "sources": 4,
    "places": 8,
    "mended splits": 2,
    "categorizations": 1,
    "benchmarks": 1,
    "newsgroups": 1,
    "models": 4,
    "topics": 4,
    "files": 4,
    "uploads": 1,
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
    "tables": 2,
}
FOR_ALL = 4  # times as many are held of what everybody may see
BROUGHT = "brought"  # in the session's state: results of the project in hand that nobody has asked for yet


def cached(kind: str, key: Hashable, *, public: bool = False) -> bool:
    """Whether this result is there, or came with the project in hand."""
    brought = (kind, key) in st.session_state.get(BROUGHT, ()) and not (public and hosted())
    return brought or key in cache("" if public else session.scope(), kind)


def at_hand(kind: str, key: Hashable, *, public: bool = False) -> Any:
    """This result where it is there, else None; nothing is asked for."""
    found = cache("" if public else session.scope(), kind).get(key)
    return None if isinstance(found, Refusal) else found


def of_a_file(kind: str, key: Hashable) -> Any:
    """What was made of a file that is not loaded any more, where it is there or came with the project in hand, else None."""
    found = at_hand(kind, key)
    return take_brought(kind, key, Call(carry_out), public=False) if found is None else found


def take_brought(kind: str, key: Hashable, call: Call, *, public: bool) -> Any:
    """A result of the project in hand, where it fits the call that it is said to be of: it may come from anybody.

    On a host no file gives results of what everybody has.
    """
    waiting: dict[Any, Any] = st.session_state.get(BROUGHT, {})
    if (kind, key) not in waiting or (public and hosted()):
        return None
    found = fitted(kind, waiting.pop((kind, key)), call.arguments, call.keywords)
    if found is None:
        st.warning(
            "A result in the project is not of this corpus and these settings, so it is computed here.",
            icon=":material/rule:",
        )
    return found


def hold(kind: str, key: Hashable, found: object, *, public: bool = False) -> None:
    """Keep what was had in another way, for whoever of this scope asks next."""
    scope = "" if public else session.scope()
    store(cache(scope, kind), most_of(scope, kind), key, found, {key})


def drop(kind: str, key: Hashable) -> None:
    """Let go of a result."""
    cache(session.scope(), kind).pop(key, None)


@st.cache_resource(show_spinner=False)
def caches() -> dict[tuple[str, str], dict[Any, Any]]:
    """By scope and kind, the results by key."""
    return {}


def cache(scope: str, kind: str) -> dict[Any, Any]:
    """What a scope holds of one kind; "" is the scope of what everybody may see."""
    return caches().setdefault((scope, kind), {})


def most_of(scope: str, kind: str) -> int:
    """How many results of this kind the scope may hold."""
    return MOST_CACHED[kind] * (1 if scope else FOR_ALL)


def store(cache: dict[Any, Any], most: int, key: Hashable, found: object, wanted: set[Any]) -> None:
    """Put a result into a cache of at most so many; the oldest that are not `wanted` now make room."""
    for old in [old for old in list(cache) if old not in wanted][: max(0, len(cache) + 1 - most)]:
        cache.pop(old, None)
    cache[key] = found
