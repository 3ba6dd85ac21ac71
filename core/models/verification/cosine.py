"""Verifiers that compare two vectors: cosines of pairs, a vector made once a document, calibrated on held-out pairs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ...arrays import Floats, Ints, record, unit_rows
from ...errors import EncoderError, SettingError
from ...splits import Pairs
from ..calibration import Thresholds, apply_thresholds, choose_thresholds
from ..contract import Documents, Settings, fit_vocabulary
from ..masking import checked_k, fit_masking, unmasked_words

TOO_SHORT = "The training documents are too short to compare: none holds a feature; check which column is the text."
# How documents become vectors of length one (or zero), a row each, dense or sparse.
DocumentVectors: TypeAlias = Callable[[Documents, Ints], Any]
BLOCK = 4_096  # pairs multiplied at a time: bounds memory at a few tens of megabytes


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
    p1, p2, pairs = thresholds.p1, thresholds.p2, len(held.first)
    chosen = f"Thresholds p1 = {p1:.2f} and p2 = {p2:.2f}, from {pairs:,} held-out pairs."
    return FittedCosine(vectors, thresholds, (*notes, thresholds.note or chosen))


def tfidf_vectors(
    texts: Sequence[str], *, features: int, analyzer: str | Callable[[str], list[str]], n: int = 1
) -> TfidfVectors:
    """TF-IDF of the `features` most frequent n-grams of these texts."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer=analyzer, ngram_range=(n, n), max_features=features)
    fit_vocabulary(vectorizer.fit, texts, empty=TOO_SHORT)
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


@dataclass(frozen=True, slots=True)
class CharNGram(Settings):
    """TF-IDF of the `features` most frequent n-grams of lower-cased characters (PAN's baseline; HITS §5.2)."""

    features: int = 3_000
    n: int = 4

    name: ClassVar[str] = "char_ngram"

    def __post_init__(self) -> None:
        if self.features < 1 or self.n < 1:
            raise SettingError("CharNGram needs 1 or more features, of 1 or more characters each.")

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedCosine:
        """Vocabulary and weights from the texts in `pairs`, thresholds from `held`; nothing is random."""
        vectors = tfidf_vectors(documents.texts_of(pairs.rows), features=self.features, analyzer="char", n=self.n)
        note = f"{len(vectors.vectorizer.vocabulary_):,} character {self.n}-grams."
        return fitted_cosine(vectors, documents, held, (note,))


@dataclass(frozen=True, slots=True)
class TopicFit(Settings):
    """The topic control: TF-IDF of the `features` most frequent words outside the k most frequent (HITS §5.2).

    These are masked on both sides; without k, they are 3·√V of the V distinct words of the training texts.
    """

    k: int | None = None
    features: int = 3_000

    name: ClassVar[str] = "topic_fit"

    def __post_init__(self) -> None:
        checked_k(self.k)
        if self.features < 1:
            raise SettingError(f"TopicFit on {self.features} features: choose 1 or more.")

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedCosine:
        """Masked words, vocabulary and weights from the texts in `pairs`, thresholds from `held`; nothing is random."""
        texts = documents.texts_of(pairs.rows)
        masking = fit_masking(texts, k=self.k)
        vectors = tfidf_vectors(texts, features=self.features, analyzer=partial(unmasked_words, masking=masking))
        note = f"{len(vectors.vectorizer.vocabulary_):,} of the words left are compared."
        return fitted_cosine(vectors, documents, held, (masking.note, note))


@dataclass(frozen=True, slots=True)
class SbertCosine(Settings):
    """Of the documents' own sentence vectors (Reimers & Gurevych 2019): what meaning alone says about authors."""

    name: ClassVar[str] = "sbert_cosine"

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedCosine:
        """Nothing is learned but the thresholds, from `held`; nothing is random."""
        return fitted_cosine(own_vectors, documents, held, ())


def own_vectors(documents: Documents, rows: Ints) -> Any:
    """The documents' vectors at length one; a zero vector stays zero."""
    if documents.vectors is None:
        raise EncoderError("The SBERT cosine compares vectors, and these documents have none; embed them with 'sbert'.")
    return unit_rows(documents.vectors[rows].astype(np.float64))
