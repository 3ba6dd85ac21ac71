"""A linear support vector machine on character n-grams, the usual strong baseline of attribution (Stamatatos 2013)."""

from dataclasses import dataclass
from typing import ClassVar

from ...arrays import Ints, canonical
from ...errors import SettingError
from ..contract import Documents
from .linear import FittedLinear, fitted_linear


@dataclass(frozen=True, slots=True)
class CharSvm:
    """One hyperplane an author over TF-IDF of the most frequent n-grams of `shortest` to `longest` characters."""

    shortest: int = 3
    longest: int = 4
    features: int = 20_000

    name: ClassVar[str] = "char_svm"

    def __post_init__(self) -> None:
        if not 1 <= self.shortest <= self.longest:
            raise SettingError(
                f"n-grams of {self.shortest} to {self.longest} characters: choose 1 ≤ shortest ≤ longest."
            )
        if self.features < 1:
            raise SettingError(f"A support vector machine on {self.features} features: choose 1 or more.")

    def key(self) -> str:
        return canonical(self.name, 1, shortest=self.shortest, longest=self.longest, features=self.features)

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedLinear:
        """The seed sets the order in which the solver visits documents."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.svm import LinearSVC

        return fitted_linear(
            documents,
            authors,
            vectorizer=TfidfVectorizer(
                analyzer="char",
                ngram_range=(self.shortest, self.longest),
                lowercase=False,  # capitals are a habit of writing
                sublinear_tf=True,
                max_features=self.features,
            ),
            model=LinearSVC(random_state=seed),
            feature=f"character n-grams of {self.shortest} to {self.longest}",
        )
