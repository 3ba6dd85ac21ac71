"""Models on words: a linear support vector machine on all words or some, on function words alone, and Burrows's Delta."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...arrays import Floats, Ints, record
from ...errors import SettingError
from ..contract import Documents, Settings
from ..vocabulary import FrequentShares, FrequentTfidf, words
from .linear import NO_FEATURE, FittedLinear, checked_authors, fitted_linear

FREQUENT = 150  # words: about as many as a list of English function words has


@dataclass(frozen=True, slots=True)
class WordSvm(Settings):
    """A linear support vector machine on TF-IDF of words, each counted as 1 + log of its occurrences.

    Of all words, of the `most` frequent in training, of `only` these, or of none of `without`.
    """

    most: int | None = None
    only: tuple[str, ...] | None = None
    without: tuple[str, ...] | None = None

    name: ClassVar[str] = "word_svm"

    def __post_init__(self) -> None:
        _check_most(self.most)

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedLinear:
        """Fit the model; the seed sets the order in which the solver visits documents."""
        from sklearn.svm import LinearSVC

        vectorizer = FrequentTfidf(
            documents.counted(words),
            most=self.most,
            without=frozenset(self.without or ()),
            only=None if self.only is None else frozenset(self.only),
            sublinear=True,
        )
        machine = LinearSVC(random_state=seed)
        return fitted_linear(documents, authors, vectorizer=vectorizer, model=machine, feature="distinct words")


@dataclass(frozen=True, slots=True)
class FunctionWords(WordSvm):
    """The word model on the most frequent words of training alone, which hold little of the topic."""

    most: int | None = FREQUENT

    name: ClassVar[str] = "function_words"


@dataclass(frozen=True, slots=True)
class BurrowsDelta(Settings):
    """Δ(text, author) = mean over the `most` frequent words of |z_text − z_author|; the author of the smallest Δ wins.

    z is a word's share of a text, standardised over the training texts; an author's z is the mean of theirs (Burrows 2002).
    """

    most: int = FREQUENT

    name: ClassVar[str] = "delta"

    def __post_init__(self) -> None:
        _check_most(self.most)

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedLinear:
        """Means and spreads: nothing is random."""
        checked_authors(documents, authors)
        vectorizer = FrequentShares(documents.counted(words), most=self.most)
        shares = vectorizer.fit_transform(documents.texts)
        if not vectorizer.terms:
            raise SettingError(NO_FEATURE)
        spread = shares.std(axis=0)
        mean, scale = shares.mean(axis=0), np.where(spread > 0, spread, 1.0)
        known, codes = np.unique(authors, return_inverse=True)
        z, profiles = (shares - mean) / scale, np.zeros((len(known), shares.shape[1]))
        np.add.at(profiles, codes, z)
        profiles /= np.bincount(codes)[:, None]
        note = f"The {len(vectorizer.terms):,} most frequent words, {len(known):,} authors, {len(documents):,} training documents."
        return FittedLinear(vectorizer, _NearestProfile(known, profiles, mean, scale), (note,))


@record
class _NearestProfile:
    """Authors' codes and their profiles (`coef_`), and the mean and scale that make z-scores of shares."""

    classes_: Ints
    coef_: Floats
    mean: Floats
    scale: Floats

    def predict(self, shares: Floats) -> Ints:
        """Return the author whose profile has the smallest mean absolute difference; of equal ones the first."""
        z = (shares - self.mean) / self.scale
        delta = np.stack([np.abs(z - profile).mean(axis=1) for profile in self.coef_], axis=1)
        return np.asarray(self.classes_[delta.argmin(axis=1)])


def _check_most(most: int | None) -> None:
    if most is not None and most < 1:
        raise SettingError(f"The {most} most frequent words: choose 1 or more.")
