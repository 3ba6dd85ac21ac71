"""What everybody may see: whatever is computed from a corpus that everybody has is computed once, for all users.

The bundled corpus and 20 Newsgroups are such corpora, and so is what the sidebar's filters and samplers take from them.
Everything else stays with its session. Caches are keyed on content fingerprints, because Streamlit samples large arrays
when it hashes them.
"""

import threading
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

import streamlit as st

from core.corpora import Corpus
from core.demo import bundled_corpus
from core.evaluation import Evaluation
from core.topics import Setup
from core.vectors import Vectors

FINGERPRINTS: dict[str | type[Any], Callable[[Any], Any]] = {
    Corpus: lambda corpus: corpus.fingerprint,
    Vectors: lambda vectors: vectors.encoder_key,
    Setup: lambda setup: setup.corpus.fingerprint,
    Evaluation: id,  # see `of_runs`
}
FOR_ALL = 4  # times as many results are held for everybody as for a session
MOST_NOTED = 4_096

Source = TypeVar("Source", bound=Corpus | Setup)
More = ParamSpec("More")
Found = TypeVar("Found")

_public: dict[str, None] = {}
_noting = threading.Lock()


def make_public(corpus: Corpus) -> Corpus:
    """Note that everybody has this corpus; the ones noted first are forgotten first, and computed session by session."""
    with _noting:
        _public.pop(corpus.fingerprint, None)
        _public[corpus.fingerprint] = None
        while len(_public) > MOST_NOTED:
            del _public[next(iter(_public))]
    return corpus


def is_public(corpus: Corpus) -> bool:
    """Return whether everybody has this corpus, name and all: what is computed of it may be seen by all."""
    return corpus.fingerprint == bundled_corpus().fingerprint or corpus.fingerprint in _public


def as_public_as(source: Corpus, drawn: Corpus) -> Corpus:
    """Return the corpus drawn from another: public where that is."""
    return make_public(drawn) if drawn is not source and is_public(source) else drawn


def computed_once(
    *, most: int, wait: str | Literal[False] = False
) -> Callable[[Callable[Concatenate[Source, More], Found]], Callable[Concatenate[Source, More], Found]]:
    """Keep what a function computes of a corpus or a setup: for all users where it is public, else in the session.

    `most` results are held a session; what is drawn while they are computed is named by `wait`.
    """

    def cached(compute: Callable[Concatenate[Source, More], Found]) -> Callable[Concatenate[Source, More], Found]:
        settings: dict[str, Any] = {"show_spinner": wait, "hash_funcs": FINGERPRINTS}
        own = st.cache_resource(scope="session", max_entries=most, **settings)(compute)
        shared = st.cache_resource(max_entries=FOR_ALL * most, **settings)(compute)

        @wraps(compute)
        def found(source: Source, *arguments: More.args, **keywords: More.kwargs) -> Found:
            corpus = source.corpus if isinstance(source, Setup) else source
            return (shared if is_public(corpus) else own)(source, *arguments, **keywords)

        return found  # type: ignore[return-value]  # wraps() names the first parameter, which nobody does

    return cached


RUNS = 32  # results of one's own runs that a session holds


def of_runs(
    corpus: Corpus, evaluations: Sequence[Evaluation], name: str, compute: Callable[[], Found], *choices: Hashable
) -> Found:
    """Return what is computed from runs and these choices, once: for all users where the corpus is public.

    Runs are told apart by which they are, not by what they hold, which would take as long to read: `work` gives all who ask
    for the same the very same ones, and what is kept here keeps them too.
    """
    found: Found = _of_runs(corpus, tuple(evaluations), name, choices, compute)[1]
    return found


@computed_once(most=RUNS)
def _of_runs(
    corpus: Corpus, evaluations: tuple[Evaluation, ...], name: str, choices: tuple[Hashable, ...], _compute: Any
) -> tuple[tuple[Evaluation, ...], Any]:
    return evaluations, _compute()
