"""The topics of the corpus in hand: similarity, HITS, what chance gives, how sure it is, and the verdict.

Each is computed once per corpus, encoder and similarity.
"""

from collections.abc import Callable
from functools import wraps
from typing import Literal, Protocol, TypeVar

import streamlit as st

from core.arrays import Ints
from core.corpora import Corpus
from core.errors import LeakscopeError
from core.topics import (
    CORRECTED,
    LabelCheck,
    RandomBand,
    Resampled,
    TopicPath,
    TopicSpace,
    Verdict,
    check_labels,
    cluster_order,
    hits_path,
    judge,
    random_band,
    resample_topics,
    topic_space,
)
from core.vectors import Vectors
from pages.shared.public import computed_once
from pages.shared.show import refuse

Found = TypeVar("Found", covariant=True)


def similarity_in_hand() -> str:
    """The similarity of topics chosen in the sidebar."""
    return str(st.session_state.get("similarity", CORRECTED))


class OfTopics(Protocol[Found]):
    """Something computed from topics by the similarity in hand, unless another is named."""

    def __call__(self, corpus: Corpus, vectors: Vectors, kind: str | None = None) -> Found: ...


def of_topics(
    *, wait: str | Literal[False] = False
) -> Callable[[Callable[[Corpus, Vectors, str], Found]], OfTopics[Found]]:
    """Compute once per corpus, encoder and similarity: in the session, or for all users where the corpus is everybody's."""

    def cached(compute: Callable[[Corpus, Vectors, str], Found]) -> OfTopics[Found]:
        once = computed_once(most=8, wait=wait)(compute)

        @wraps(compute)
        def found(corpus: Corpus, vectors: Vectors, kind: str | None = None) -> Found:
            try:
                result: Found = once(corpus, vectors, kind or similarity_in_hand())
            except LeakscopeError as problem:  # more topics than a matrix of all pairs can hold
                refuse(problem)
                st.stop()
            return result

        return found

    return cached


@of_topics()
def space_of(corpus: Corpus, vectors: Vectors, kind: str) -> TopicSpace:
    """Centroids and similarities of the corpus's topics."""
    return topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names, similarity=kind)


@of_topics()
def path_of(corpus: Corpus, vectors: Vectors, kind: str) -> TopicPath:
    """The HITS path, once for every m."""
    return hits_path(space_of(corpus, vectors, kind).similarity)


@of_topics()
def order_of(corpus: Corpus, vectors: Vectors, kind: str) -> Ints:
    """Topics in cluster order."""
    return cluster_order(space_of(corpus, vectors, kind).similarity)


@of_topics(wait="Drawing topics at random …")
def band_of(corpus: Corpus, vectors: Vectors, kind: str) -> RandomBand:
    """What random samples give at every m; fewer draws where each one is large."""
    space, path = space_of(corpus, vectors, kind), path_of(corpus, vectors, kind)
    return random_band(space.similarity, path, samples=999 if len(space) <= 200 else 40)


@of_topics(wait="Drawing documents anew, to see how sure this is …")
def resampled_of(corpus: Corpus, vectors: Vectors, kind: str) -> Resampled:
    """The topics with their documents drawn anew: how sure every similarity and every choice of HITS is."""
    return resample_topics(vectors.matrix, corpus.topic_codes, len(corpus.topic_names), kind=kind)


@of_topics(wait="Shuffling labels, to see whether they mean anything …")
def labels_of(corpus: Corpus, vectors: Vectors, kind: str) -> LabelCheck:
    """The topics beside groups drawn at random."""
    return check_labels(vectors.matrix, corpus.topic_codes, len(corpus.topic_names), kind=kind)


def verdict_of(corpus: Corpus, vectors: Vectors, *, k: int) -> Verdict:
    """Whether labels mean anything, and what k folds of topics leak."""
    space, path = space_of(corpus, vectors), path_of(corpus, vectors)
    return judge(
        space,
        path,
        k=k,
        labels=labels_of(corpus, vectors),
        resampled=resampled_of(corpus, vectors),
        found=corpus.found,
    )
