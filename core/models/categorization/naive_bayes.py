"""Multinomial naive Bayes over all categories (McCallum & Nigam 1998)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Bools, Floats, record
from ...errors import SettingError
from .features import Words, checked_features, choose_words


@record
class FittedNaiveBayes:
    """Log probability of each word in each category, and of each category."""

    words: Words
    of_words: Floats
    of_categories: Floats
    notes: tuple[str, ...] = ()

    def scores(self, counts: Any) -> Floats:
        """P(c|x) over all categories; with plain counts, for the model is of words drawn one by one."""
        joint = np.asarray(self.words.counted(counts) @ self.of_words.T + self.of_categories)
        likelihood = np.exp(joint - joint.max(axis=1, keepdims=True))
        shares: Floats = likelihood / likelihood.sum(axis=1, keepdims=True)
        return shares


@dataclass(frozen=True, slots=True)
class NaiveBayes:
    """P(w|c) = (n_wc + `smoothing`)/(n_c + `smoothing`·V); a document of several categories counts in each."""

    features: int = 2_000
    selection: str = "chi2"
    smoothing: float = 1.0

    name: ClassVar[str] = "nb"
    cut: ClassVar[float | None] = None

    def __post_init__(self) -> None:
        checked_features(self.features, self.selection)
        if not self.smoothing > 0:
            raise SettingError(f"Smoothing by {self.smoothing:g}: choose a number above 0.")

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedNaiveBayes:
        """Nothing is random."""
        words = choose_words(counts, labels, features=self.features, selection=self.selection)
        totals = np.asarray(labels.astype(np.float64).T @ words.counted(counts).astype(np.float64)) + self.smoothing
        members = labels.sum(axis=0)
        # A category without members is never the most likely one; half a document keeps its logarithm finite.
        priors = np.log(np.maximum(members, 0.5 * (members > 0) + 1e-9) / max(int(members.sum()), 1))
        return FittedNaiveBayes(words, np.log(totals / totals.sum(axis=1, keepdims=True)), priors)
