"""Classifiers by author: maximum entropy and support vector machines on words or character n-grams, Burrows's Delta, vectors."""

import re
import warnings
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats, Ints, record, unit_rows
from ...errors import InputError, SettingError
from ...formats import counted
from ..contract import Documents, Settings
from ..vocabulary import (
    CharacterNgrams,
    FrequentShares,
    FrequentTfidf,
    Occurrences,
    Vocabulary,
    checked_k,
    fit_masking,
    words,
)

NO_FEATURE = "The training documents hold no feature: all are empty or too short; check which column is the text."
DELETED = re.compile(r"[^\w\s]|_")  # all that is neither a letter, a digit nor white space


@record
class FittedLinear:
    """A vocabulary and a linear model over it, both from the training documents alone."""

    vectorizer: Vocabulary
    model: Any  # sklearn's, typed loosely because sklearn is imported only when used
    notes: tuple[str, ...]

    def predict(self, documents: Documents) -> Ints:
        """Return the author with the highest linear score; a text without a known feature goes to the largest intercept."""
        if len(documents) == 0:
            return np.empty(0, dtype=np.int64)
        return np.asarray(self.model.predict(self.vectorizer.transform(documents.texts)), dtype=np.int64)


def fitted_linear(
    documents: Documents,
    authors: Ints,
    *,
    vectorizer: Vocabulary,
    model: Any,
    feature: str,
    notes: tuple[str, ...] = (),
) -> FittedLinear:
    """Fit vocabulary and model, and say how many features there are and whether the fit came to rest."""
    from sklearn.exceptions import ConvergenceWarning

    checked_authors(documents, authors)
    features = vectorizer.fit_transform(documents.texts)
    if features.shape[1] == 0:
        raise SettingError(NO_FEATURE)
    # One thread: the vectors are too short to share out (on busy cores it took 40 times as long), and sums taken in
    # another order would make the result depend on the machine.
    with warnings.catch_warnings(), _libraries().limit(limits=1, user_api="blas"):
        warnings.simplefilter("ignore", ConvergenceWarning)  # said in the notes instead
        warnings.filterwarnings("ignore", "The number of unique classes")  # authors of a text each are authors still
        model.fit(features, authors)
    size = f"{features.shape[1]:,} {feature}, {len(model.classes_):,} authors, {len(documents):,} training documents."
    iterations = int(np.max(model.n_iter_))
    unfinished = f"The fit was stopped after {iterations:,} iterations, before it came to rest."
    return FittedLinear(vectorizer, model, (*notes, size, *([unfinished] if iterations >= model.max_iter else [])))


@cache
def _libraries() -> Any:
    """Return the libraries of linear algebra that are loaded, looked for once: the search takes as long as a small fit."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    import_module("scipy.linalg")  # has its own
    return ThreadpoolController()


def checked_authors(documents: Documents, authors: Ints) -> None:
    """Refuse what no attribution can be learned from."""
    if len(authors) != len(documents):
        raise SettingError(f"{len(authors):,} authors for {len(documents):,} documents; one each is needed.")
    known = len(np.unique(authors))
    if known < 2:
        fact = f"{counted(len(documents), 'training document')} by {counted(known, 'author')}: attribution needs two or more"
        raise SettingError(f"{fact}; choose another author column, or, if the corpus has more authors, fewer folds.")


@dataclass(frozen=True, slots=True)
class MaxEnt(Settings):
    """P(author | x) ∝ exp(w_author·x + b_author): multinomial logistic regression on words (Schein et al. 2010).

    x says which words occur, as the indicator features of Berger et al. 1996 do, or with `counts` how often each does.
    """

    counts: bool = False
    iterations: int = 1_000

    name: ClassVar[str] = "max_ent"

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise SettingError(f"Maximum entropy with {self.iterations} iterations: choose 1 or more.")

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedLinear:
        """Fit by L-BFGS; the problem is convex, so nothing is random."""
        from sklearn.linear_model import LogisticRegression

        vectorizer = Occurrences(documents.counted(plain_words), counts=self.counts)
        model = LogisticRegression(max_iter=self.iterations, random_state=seed)
        return fitted_linear(documents, authors, vectorizer=vectorizer, model=model, feature="distinct words")


def plain_words(text: str) -> list[str]:
    """Delete every non-alphanumeric character, lower-case, split on white space: "don't" becomes "dont" (Schein §4.1)."""
    return DELETED.sub("", text).lower().split()


@dataclass(frozen=True, slots=True)
class CharSvm(Settings):
    """One hyperplane an author over TF-IDF of the most frequent n-grams of `shortest` to `longest` characters.

    The usual strong baseline of attribution (Stamatatos 2013).
    """

    shortest: int = 3
    longest: int = 4
    features: int = 20_000

    name: ClassVar[str] = "char_svm"
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if not 1 <= self.shortest <= self.longest:
            lengths = f"{self.shortest} to {self.longest} characters"
            raise SettingError(f"n-grams of {lengths}: choose 1 ≤ shortest ≤ longest.")
        if self.features < 1:
            raise SettingError(f"A support vector machine on {self.features} features: choose 1 or more.")

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedLinear:
        """Fit; the seed sets the order in which the solver visits documents."""
        from sklearn.svm import LinearSVC

        feature = f"character n-grams of {self.shortest} to {self.longest}"
        # Not lower-cased: capitals are a habit of writing.
        terms = documents.counted(CharacterNgrams(self.shortest, self.longest, lower=False))
        vectorizer = FrequentTfidf(terms, most=self.features, sublinear=True)
        machine = LinearSVC(random_state=seed)
        return fitted_linear(documents, authors, vectorizer=vectorizer, model=machine, feature=feature)


@dataclass(frozen=True, slots=True)
class TopicFitSvm(Settings):
    """A linear support vector machine on TF-IDF of the words outside the k most frequent, which are masked.

    What it knows an author by is mostly topic; rare words of their own are left too. Without k, 3·√V of V distinct words
    are masked.
    """

    k: int | None = None

    name: ClassVar[str] = "topic_fit"

    def __post_init__(self) -> None:
        checked_k(self.k)

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedLinear:
        """Fit; the seed sets the order in which the solver visits documents."""
        from sklearn.svm import LinearSVC

        checked_authors(documents, authors)
        counted = documents.counted(words)
        masking = fit_masking(documents.texts, k=self.k, counted=counted)
        vectorizer = FrequentTfidf(counted, without=masking.words)
        machine, feature, notes = LinearSVC(random_state=seed), "distinct words left", (masking.note,)
        return fitted_linear(documents, authors, vectorizer=vectorizer, model=machine, feature=feature, notes=notes)


FREQUENT = 150  # words: about as many as a list of English function words has


@dataclass(frozen=True, slots=True)
class WordSvm(Settings):
    """A linear support vector machine on TF-IDF of words, each counted as 1 + log of its occurrences."""

    most: int | None = None  # of the most frequent in training
    only: tuple[str, ...] | None = None  # of these
    without: tuple[str, ...] | None = None  # of none of these

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
        """Fit means and spreads; nothing is random."""
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


@record
class FittedVectors:
    """A linear model over vectors."""

    model: Any
    notes: tuple[str, ...] = ()

    def predict(self, documents: Documents) -> Ints:
        """Return the most likely class of each document."""
        return np.asarray(self.model.predict(_unit_vectors(documents)), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class VectorMaxEnt(Settings):
    """Multinomial logistic regression on vectors of length 1; `encoder` names what made them, where no run does."""

    encoder: str = ""

    name: ClassVar[str] = "vector_max_ent"

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedVectors:
        """Fit the weights; the solver has no randomness."""
        from sklearn.linear_model import LogisticRegression

        checked_authors(documents, authors)
        model = LogisticRegression(C=10.0, max_iter=1_000)
        return FittedVectors(model.fit(_unit_vectors(documents), authors))


def _unit_vectors(documents: Documents) -> Any:
    if documents.vectors is None or not documents.vectors.shape[1]:  # with similarities of topics alone, of no length
        raise InputError(
            "This model needs the documents' vectors. Run it with an encoder, or with vectors of your own."
        )
    return unit_rows(documents.vectors.astype(np.float64))
