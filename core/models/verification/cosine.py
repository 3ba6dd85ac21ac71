"""Verifiers that compare two vectors: cosines of pairs, a vector made once a document, calibrated on held-out pairs."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from ...arrays import Floats, Ints, record
from ...splits import Pairs
from ..calibration import Thresholds, apply_thresholds, choose_thresholds
from ..contract import Documents, fit_vocabulary

BLOCK = 4_096  # pairs multiplied at a time: bounds memory at a few tens of megabytes


class DocumentVectors(Protocol):
    """How documents become vectors of length one (or zero), a row each, dense or sparse."""

    def __call__(self, documents: Documents, rows: Ints) -> Any: ...


@record
class FittedCosine:
    """Calibrated cosines of the two texts' vectors."""

    vectors: DocumentVectors
    thresholds: Thresholds
    notes: tuple[str, ...]

    def score(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """s ≤ p1 → 0.49·s/p1; p1 < s < p2 → 0.5; s ≥ p2 → 0.51 + 0.49·(s − p2)/(1 − p2) (HITS §5.2)."""
        return apply_thresholds(pair_cosines(self.vectors, documents, first, second), self.thresholds)


@record
class TfidfVectors:
    """TF-IDF rows of length one over the vocabulary of the training documents."""

    vectorizer: Any  # sklearn's TfidfVectorizer, typed loosely because sklearn is imported only when used

    def __call__(self, documents: Documents, rows: Ints) -> Any:
        return self.vectorizer.transform(documents.texts_of(rows))


def fitted_cosine(vectors: DocumentVectors, documents: Documents, held: Pairs, notes: tuple[str, ...]) -> FittedCosine:
    """Choose p1 and p2 on the held-out pairs."""
    thresholds = choose_thresholds(pair_cosines(vectors, documents, held.first, held.second), held.same)
    chosen = (
        f"Thresholds p1 = {thresholds.p1:.2f} and p2 = {thresholds.p2:.2f}, from {len(held.first):,} held-out pairs."
    )
    return FittedCosine(vectors, thresholds, (*notes, thresholds.note or chosen))


def tfidf_vectors(
    texts: Sequence[str], *, features: int, analyzer: str | Callable[[str], list[str]], n: int = 1
) -> TfidfVectors:
    """TF-IDF of the `features` most frequent n-grams of these texts."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer=analyzer, ngram_range=(n, n), max_features=features)
    empty = (
        "The training documents are too short to compare: none holds a single feature; check which column is the text."
    )
    fit_vocabulary(vectorizer.fit, texts, empty=empty)
    return TfidfVectors(vectorizer)


def pair_cosines(vectors: DocumentVectors, documents: Documents, first: Ints, second: Ints) -> Floats:
    """cos(x, y) of each pair, from 0 to 1: a cosine below 0 counts as 0, and so does that of a zero vector."""
    rows, inverse = np.unique(np.concatenate([first, second]), return_inverse=True)
    left, right = inverse[: len(first)], inverse[len(first) :]
    cosines = np.empty(len(first))
    if len(first) == 0:
        return cosines
    matrix = vectors(documents, rows)
    for start in range(0, len(first), BLOCK):
        block = slice(start, start + BLOCK)
        one, two = matrix[left[block]], matrix[right[block]]
        products = one * two if isinstance(matrix, np.ndarray) else one.multiply(two)
        cosines[block] = np.asarray(products.sum(axis=1)).ravel()
    return np.clip(cosines, 0.0, 1.0)
