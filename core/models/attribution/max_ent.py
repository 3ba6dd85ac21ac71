"""Maximum entropy on word unigrams, with the pre-processing of Schein et al. 2010."""

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...arrays import Ints, canonical
from ...errors import SettingError
from ..contract import Documents
from .linear import FittedLinear, fitted_linear

DELETED = re.compile(r"[^\w\s]|_")  # all that is neither a letter, a digit nor white space


@dataclass(frozen=True, slots=True)
class MaxEnt:
    """P(author | x) ∝ exp(w_author·x + b_author): multinomial logistic regression.

    x says which words occur, as the indicator features of Berger et al. 1996 do, or with `counts` how often each does.
    """

    counts: bool = False
    iterations: int = 1_000

    name: ClassVar[str] = "max_ent"

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise SettingError(f"Maximum entropy with {self.iterations} iterations: choose 1 or more.")

    def key(self) -> str:
        return canonical(self.name, 1, counts=self.counts, iterations=self.iterations)

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedLinear:
        """A convex problem solved by L-BFGS: nothing is random."""
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.linear_model import LogisticRegression

        return fitted_linear(
            documents,
            authors,
            vectorizer=CountVectorizer(analyzer=plain_words, binary=not self.counts, dtype=np.float64),
            model=LogisticRegression(max_iter=self.iterations, random_state=seed),
            feature="distinct words",
        )


def plain_words(text: str) -> list[str]:
    """Delete every non-alphanumeric character, lower-case, split on white space: "don't" becomes "dont" (Schein §4.1)."""
    return DELETED.sub("", text).lower().split()
