"""Linear support vector machines, one hyperplane an author: on character n-grams, and on topic words as a control."""

from dataclasses import dataclass
from typing import ClassVar

from ...arrays import Ints
from ...errors import SettingError
from ..contract import Documents, Settings
from ..vocabulary import CharacterNgrams, FrequentTfidf, checked_k, fit_masking, words
from .linear import FittedLinear, checked_authors, fitted_linear


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
        """The seed sets the order in which the solver visits documents."""
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
        """The seed sets the order in which the solver visits documents."""
        from sklearn.svm import LinearSVC

        checked_authors(documents, authors)
        counted = documents.counted(words)
        masking = fit_masking(documents.texts, k=self.k, counted=counted)
        vectorizer = FrequentTfidf(counted, without=masking.words)
        machine, feature, notes = LinearSVC(random_state=seed), "distinct words left", (masking.note,)
        return fitted_linear(documents, authors, vectorizer=vectorizer, model=machine, feature=feature, notes=notes)
