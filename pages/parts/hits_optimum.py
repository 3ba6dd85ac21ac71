"""The optimum beside HITS: the least possible maximum at every m, at once for few topics and as a job for many."""

import streamlit as st

from core.corpora import Corpus
from core.topics import OptimumCurve, TopicSpace, optimum_curve
from core.vectors import Vectors
from pages.shared import result_cache, work
from pages.shared.public import is_public

FEW = 60  # topics whose optimum takes no time
MANY = 400  # from here on it takes so long that it is not begun unasked


def optimum_so_far(corpus: Corpus, vectors: Vectors, space: TopicSpace) -> OptimumCurve | None:
    """The curve, where it is there or takes no time."""
    if len(space) > FEW and not result_cache.cached("optima", _key(corpus, vectors, space), public=is_public(corpus)):
        return None
    return _found(corpus, vectors, space, here=True)


def optimum_or_wait(corpus: Corpus, vectors: Vectors, space: TopicSpace) -> None:
    """Ask for the curve of many topics below all that does not need it; the page is drawn anew when it is there."""
    if result_cache.cached("optima", _key(corpus, vectors, space), public=is_public(corpus)):
        return
    question = None
    if len(space) >= MANY:
        sentence = (
            "**How far is HITS from the optimum?** The least possible similarity of *m* topics can be searched for and drawn "
            f"beside it. With {len(space):,} topics that may take an hour or more; it goes on while you look at other pages."
        )
        question = work.Question("Search for it", sentences=(sentence,), primary=False, icon=":material/search:")
    if _found(corpus, vectors, space, here=False, question=question) is not None:
        st.rerun()


def _found(
    corpus: Corpus, vectors: Vectors, space: TopicSpace, *, here: bool, question: work.Question | None = None
) -> OptimumCurve | None:
    return work.result(
        "optima",
        _key(corpus, vectors, space),
        work.step(optimum_curve, space.similarity),
        name="The least possible similarity at every m",
        question=question,
        public=is_public(corpus),
        here=here,
    )


def _key(corpus: Corpus, vectors: Vectors, space: TopicSpace) -> tuple[str, str, str]:
    return corpus.fingerprint, vectors.encoder_key, space.kind
