"""Folds of topics for scikit-learn: splitters that know how similar topics are."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection import BaseCrossValidator

from ..arrays import Ints
from ..corpora import Corpus, make_corpus, take
from ..errors import SettingError
from ..formats import counted, first_few
from ..topics import CORRECTED, SAMPLERS, TopicSpace, checked_m, given_space, read_similarity, topic_space
from .folds import Folds, topic_kfold
from .least_leakage import least_leakage
from .packing import BALANCE, Constraints

MOST_NAMED = 10  # topics in a warning


class _TopicSplitter(BaseCrossValidator, BaseEstimator):  # type: ignore[misc]
    """Folds of the topics in `groups`, their similarity taken from `similarity_matrix`, topic × topic in order of name, from
    `vectors`, a row a document, or else from X."""

    # Under scikit-learn's metadata routing topics are asked for without further ado, as its own splitters by group do.
    __metadata_request__split = {"groups": True}  # noqa: RUF012

    def __init__(
        self, n_splits: int, *, similarity: str, vectors: ArrayLike | None, similarity_matrix: ArrayLike | None
    ) -> None:
        self.n_splits = n_splits
        self.similarity = similarity
        self.vectors = vectors
        self.similarity_matrix = similarity_matrix

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """Yield training and test rows of each fold."""
        corpus, space = self._topics(X, groups)
        rows, folds = self._folds(corpus, space)
        for fold in folds:
            yield rows[fold.train], rows[fold.test]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def _folds(self, corpus: Corpus, space: TopicSpace) -> tuple[Ints, Folds]:
        raise NotImplementedError

    def _topics(self, X: Any, groups: Any) -> tuple[Corpus, TopicSpace]:
        if groups is None:
            raise SettingError("The topics are missing; give each document's as groups.")
        named = np.asarray(groups, dtype=object)
        missing = np.flatnonzero(pd.isna(named))
        if len(missing):
            raise SettingError(
                f"Row {missing[0]} of the groups (the first is 0) has no topic. Fill it in, or leave the document out."
            )
        topics = [str(topic) for topic in named]
        corpus = make_corpus([""] * len(topics), topics)
        if self.similarity_matrix is not None:
            given = read_similarity(np.asarray(self.similarity_matrix), corpus.topic_names)
            return corpus, given_space(corpus, given)
        vectors = _dense_vectors(X if self.vectors is None else self.vectors, len(topics))
        space = topic_space(vectors, corpus.topic_codes, corpus.topic_names, similarity=self.similarity)
        _warn_incomparable(space)
        return corpus, space


def _dense_vectors(vectors: Any, documents: int) -> NDArray[np.floating]:
    from scipy.sparse import issparse

    dense = vectors.toarray() if issparse(vectors) else np.asarray(vectors)
    if dense.ndim != 2 or dense.dtype.kind not in "fiub" or len(dense) != documents:
        raise SettingError(
            f"Topics are compared by vectors, a row for each of {documents:,} documents; X is no such table, so give one "
            "as vectors=."
        )
    numbers = np.asarray(dense, dtype=np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers).all(axis=1))[0])
        raise SettingError(
            f"Row {row} of the vectors (the first is 0) holds NaN or an infinite number, so topics cannot be compared. "
            "Fill it in, or leave the document out."
        )
    return numbers


def _warn_incomparable(space: TopicSpace) -> None:
    """Warn that topics with too few documents are assigned as if nothing were similar; a splitter has no page."""
    incomparable = [space.names[each.topic] for each in space.incomparable]
    if int(space.comparable.sum()) < 2:
        warnings.warn(
            f"No two of {counted(len(space), 'topic')} can be compared, so the folds are no better than others.",
            stacklevel=4,
        )
    elif incomparable:
        warnings.warn(
            f"{counted(len(incomparable), 'topic')} with too few documents to compare; similarity to "
            f"{'it' if len(incomparable) == 1 else 'them'} is unknown: {first_few(incomparable, MOST_NAMED)}.",
            stacklevel=4,
        )


class _SampledKFold(_TopicSplitter):
    """m topics chosen, and split into folds; documents of other topics are on neither side.

    So the folds are no partition of the documents: `cross_val_score` works and `cross_val_predict` refuses.
    """

    sampler = ""

    def __init__(
        self,
        n_splits: int = 5,
        *,
        m: int | None = None,
        random_state: int = 0,
        similarity: str = CORRECTED,
        vectors: ArrayLike | None = None,
        similarity_matrix: ArrayLike | None = None,
    ) -> None:
        super().__init__(n_splits, similarity=similarity, vectors=vectors, similarity_matrix=similarity_matrix)
        self.m = m
        self.random_state = random_state

    def _folds(self, corpus: Corpus, space: TopicSpace) -> tuple[Ints, Folds]:
        m = checked_m(max(len(space) // 2, 2) if self.m is None else self.m, len(space))
        selected = SAMPLERS[self.sampler].selected(space.similarity, m)
        rows = np.flatnonzero(np.isin(corpus.topic_codes, selected))
        return rows, topic_kfold(take(corpus, rows), k=self.n_splits, seed=self.random_state)


class HitsTopicKFold(_SampledKFold):
    """K folds over the m topics that HITS keeps (half of them unless told), unlike each other on average.

    The folds are no partition: documents of other topics are in no fold, so `cross_val_predict` refuses it.

    >>> cross_val_score(model, X, y, groups=topics, cv=HitsTopicKFold(5, m=20))
    """

    sampler = "hits"


class MinimaxTopicKFold(_SampledKFold):
    """K folds over the m topics whose most similar pair is least similar.

    The folds are no partition: documents of other topics are in no fold, so `cross_val_predict` refuses it.

    >>> cross_val_score(model, X, y, groups=topics, cv=MinimaxTopicKFold(5, m=20))
    """

    sampler = "minimax"


class LeastLeakageKFold(_TopicSplitter):
    """K folds of all documents, similar topics in the same fold: `goal` is least `max` similarity of training and test
    topics, or least mean `nearest`; no fold holds more than `balance` above the mean.

    >>> cross_val_score(pipeline, texts, y, groups=topics, cv=LeastLeakageKFold(5, vectors=vectors))
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        balance: float = BALANCE,
        goal: str = "max",
        similarity: str = CORRECTED,
        vectors: ArrayLike | None = None,
        similarity_matrix: ArrayLike | None = None,
    ) -> None:
        super().__init__(n_splits, similarity=similarity, vectors=vectors, similarity_matrix=similarity_matrix)
        self.balance = balance
        self.goal = goal

    def _folds(self, corpus: Corpus, space: TopicSpace) -> tuple[Ints, Folds]:
        found = least_leakage(
            corpus, space, k=self.n_splits, goal=self.goal, constraints=Constraints(balance=self.balance)
        )
        return np.arange(len(corpus)), found.folds
