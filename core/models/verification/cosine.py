"""Verifiers that compare two vectors, one made for each document: from the cosines of held-out pairs come two thresholds,
between which a verifier declines to answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints, record, unit_rows
from ...errors import EncoderError, SettingError
from ...splits import Pairs
from ..contract import Documents, Settings
from ..metrics import UNANSWERED, checked_answers
from ..vocabulary import CharacterNgrams, FrequentTfidf, TermCounts, checked_k, fit_masking, words

TOO_SHORT = "The training documents are too short to compare: none holds a feature; check which column is the text."
# How documents become vectors of length one (or zero), a row each, dense or sparse.
DocumentVectors: TypeAlias = Callable[[Documents, Ints], Any]
BLOCK = 4_096  # pairs multiplied at a time: bounds memory at a few tens of megabytes

GRID = np.arange(1, 99) / 100
# Overalls this close are one overall: they are sums of the same fractions, and the first thresholds must win the tie.
ROUNDING = 1e-12
# With these two the transform changes no score outside the band: 0.49·s/0.49 = s and 0.51 + 0.49·(s − 0.51)/0.49 = s.
NEUTRAL = (0.49, 0.51)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where scores start and stop to mean two authors."""

    p1: float  # scores up to here mean two authors
    p2: float  # from here on one
    overall: float  # what they reach on the pairs they were chosen on; NaN where nothing could be chosen
    note: str = ""  # why nothing could be chosen


@record
class FittedCosine:
    """Calibrated cosines of the two texts' vectors."""

    vectors: DocumentVectors
    thresholds: Thresholds
    notes: tuple[str, ...]

    def score(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """Return the pairs' cosines after `apply_thresholds`."""
        return apply_thresholds(self.raw(documents, first, second), self.thresholds)

    def raw(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """Return the pairs' cosines."""
        return pair_cosines(self.vectors, documents, first, second)

    @property
    def raw_notes(self) -> tuple[str, ...]:
        """Return all notes but the last, which is about the thresholds."""
        return self.notes[:-1]


@record
class TfidfVectors:
    """TF-IDF rows of length one over the vocabulary of the training documents."""

    vectorizer: FrequentTfidf

    def __call__(self, documents: Documents, rows: Ints) -> Any:
        return self.vectorizer.transform(documents.texts_of(rows))


def fitted_cosine(vectors: DocumentVectors, documents: Documents, held: Pairs, notes: tuple[str, ...]) -> FittedCosine:
    """Choose p1 and p2 on the held-out pairs."""
    thresholds = choose_thresholds(pair_cosines(vectors, documents, held.first, held.second), held.same)
    p1, p2, pairs = thresholds.p1, thresholds.p2, len(held.first)
    chosen = f"Thresholds p1 = {p1:.2f} and p2 = {p2:.2f}, from {pairs:,} held-out pairs."
    return FittedCosine(vectors, thresholds, (*notes, thresholds.note or chosen))


def tfidf_vectors(
    texts: Sequence[str], terms: TermCounts, *, features: int, without: frozenset[str] = frozenset()
) -> TfidfVectors:
    """Return TF-IDF vectors of the `features` most frequent terms of these texts."""
    vectorizer = FrequentTfidf(terms, most=features, without=without)
    if vectorizer.fit_transform(texts).shape[1] == 0:
        raise SettingError(TOO_SHORT)
    return TfidfVectors(vectorizer)


def pair_cosines(vectors: DocumentVectors, documents: Documents, first: Ints, second: Ints) -> Floats:
    """Return cos(x, y) of each pair, from 0 to 1: a cosine below 0 counts as 0, and so does that of a zero vector."""
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


def choose_thresholds(scores: ArrayLike, same: ArrayLike) -> Thresholds:
    """Return the p1 < p2 from {0.01, …, 0.98} with the highest Overall after `apply_thresholds`; ties go to the lowest p1, then p2.

    The transform keeps the order of scores outside the band and makes those inside it equal, so all four metrics of
    all 4,753 choices follow from cumulative counts at the 98 thresholds (HITS §5.2 gives the transform).
    """
    truth, values = checked_answers(same, scores)
    if truth.all() or not truth.any():
        why = "The pairs held out are all of one kind, so no thresholds could be chosen; scores stay as they are."
        return Thresholds(*NEUTRAL, float("nan"), why)
    overall = _overall(np.sort(values[truth]), np.sort(values[~truth]))
    first, second = np.triu_indices(len(GRID), k=1)  # row by row: in order of p1, then p2
    reached = overall[first, second]
    best = int(np.argmax(reached >= np.nanmax(reached) - ROUNDING))
    return Thresholds(float(GRID[first[best]]), float(GRID[second[best]]), float(reached[best]))


def apply_thresholds(scores: ArrayLike, thresholds: Thresholds) -> Floats:
    """Map s ≤ p1 → 0.49·s/p1; p1 < s < p2 → 0.5; s ≥ p2 → 0.51 + 0.49·(s − p2)/(1 − p2) (HITS §5.2)."""
    values = np.asarray(scores, dtype=np.float64)
    p1, p2 = thresholds.p1, thresholds.p2
    low, high = 0.49 * values / p1, 0.51 + 0.49 * (values - p2) / (1 - p2)
    return np.where(values <= p1, low, np.where(values >= p2, high, UNANSWERED))


def _overall(positive: Floats, negative: Floats) -> Floats:
    """Compute Overall for p1 = GRID[row] and p2 = GRID[column] from the sorted scores of each kind; valid where p1 < p2."""
    positives, negatives = len(positive), len(negative)
    # How often each positive beats a negative, ties as half, summed up along the sorted positives.
    wins = (negative.searchsorted(positive, "left") + negative.searchsorted(positive, "right")) / 2
    won = np.concatenate([[0.0], np.cumsum(wins)])
    low_positive, low_negative = (kind.searchsorted(GRID, "right")[:, None] for kind in (positive, negative))
    below_positive, below_negative = (kind.searchsorted(GRID, "left")[None, :] for kind in (positive, negative))
    band_positive, band_negative = below_positive - low_positive, below_negative - low_negative
    # Inside the band every win becomes half a win, so take out what the band's positives win there and put the half in.
    won_inside = won[below_positive] - won[low_positive] - band_positive * low_negative
    auc = (won[-1] - won_inside + band_positive * band_negative / 2) / (positives * negatives)

    count = positives + negatives
    hits, misses, alarms = positives - below_positive, low_positive, negatives - below_negative
    right, unanswered = hits + low_negative, band_positive + band_negative
    c_at_1 = (right + unanswered * right / count) / count
    with np.errstate(invalid="ignore"):  # 0/0 where no positive is answered yes or no, nor a negative yes
        f05u = 1.25 * hits / (1.25 * hits + 0.25 * (misses + unanswered) + alarms)
        f1 = np.where(hits == 0, 0.0, 2 * hits / (2 * hits + misses + alarms))  # PAN's rule
    overall: Floats = (auc + c_at_1 + f05u + f1) / 4
    return overall


@dataclass(frozen=True, slots=True)
class CharNGram(Settings):
    """TF-IDF of the `features` most frequent n-grams of lower-cased characters (PAN's baseline; HITS §5.2)."""

    features: int = 3_000
    n: int = 4

    name: ClassVar[str] = "char_ngram"
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if self.features < 1 or self.n < 1:
            raise SettingError("CharNGram needs 1 or more features, of 1 or more characters each.")

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedCosine:
        """Learn vocabulary and weights from the texts in `pairs`, thresholds from `held`; nothing is random."""
        terms = documents.counted(CharacterNgrams(self.n, self.n, lower=True))
        vectors = tfidf_vectors(documents.texts_of(pairs.rows), terms, features=self.features)
        note = f"{len(vectors.vectorizer.terms):,} character {self.n}-grams."
        return fitted_cosine(vectors, documents, held, (note,))


@dataclass(frozen=True, slots=True)
class TopicFit(Settings):
    """The topic control: TF-IDF of the `features` most frequent words outside the k most frequent (HITS §5.2).

    These are masked on both sides; without k, they are 3·√V of the V distinct words of the training texts.
    """

    k: int | None = None
    features: int = 3_000

    name: ClassVar[str] = "topic_fit"
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        checked_k(self.k)
        if self.features < 1:
            raise SettingError(f"TopicFit on {self.features} features: choose 1 or more.")

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedCosine:
        """Learn masked words, vocabulary and weights from the texts in `pairs`, thresholds from `held`; nothing is random."""
        texts, terms = documents.texts_of(pairs.rows), documents.counted(words)
        masking = fit_masking(texts, k=self.k, counted=terms)
        vectors = tfidf_vectors(texts, terms, features=self.features, without=masking.words)
        note = f"{len(vectors.vectorizer.terms):,} of the words left are compared."
        return fitted_cosine(vectors, documents, held, (masking.note, note))


@dataclass(frozen=True, slots=True)
class SbertCosine(Settings):
    """Of the documents' own sentence vectors (Reimers & Gurevych 2019): what meaning alone says about authors."""

    name: ClassVar[str] = "sbert_cosine"

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedCosine:
        """Learn only the thresholds, from `held`; nothing is random."""
        return fitted_cosine(own_vectors, documents, held, ())


def own_vectors(documents: Documents, rows: Ints) -> Any:
    """Return the documents' vectors at length one; a zero vector stays zero."""
    if documents.vectors is None:
        raise EncoderError("The SBERT cosine compares vectors, and these documents have none; embed them with 'sbert'.")
    return unit_rows(documents.vectors[rows].astype(np.float64))
