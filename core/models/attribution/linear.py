"""The linear model on counted features that our classifiers have in common, and maximum entropy on words."""

import re
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Ints, record
from ...errors import SettingError
from ...formats import counted
from ..contract import Documents, Settings
from ..vocabulary import Occurrences, Vocabulary

NO_FEATURE = "The training documents hold no feature: all are empty or too short; check which column is the text."
DELETED = re.compile(r"[^\w\s]|_")  # all that is neither a letter, a digit nor white space


@record
class FittedLinear:
    """A vocabulary and a linear model over it, both from the training documents alone."""

    vectorizer: Vocabulary
    model: Any  # sklearn's, typed loosely because sklearn is imported only when used
    notes: tuple[str, ...]

    def predict(self, documents: Documents) -> Ints:
        """The author with the highest linear score; a text without a known feature goes to the largest intercept."""
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
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    checked_authors(documents, authors)
    features = vectorizer.fit_transform(documents.texts)
    if features.shape[1] == 0:
        raise SettingError(NO_FEATURE)
    # One thread: the vectors are too short to share out (on busy cores it took 40 times as long), and sums taken in
    # another order would make the result depend on the machine.
    with warnings.catch_warnings(), threadpool_limits(1, user_api="blas"):
        warnings.simplefilter("ignore", ConvergenceWarning)  # said in the notes instead
        warnings.filterwarnings("ignore", "The number of unique classes")  # authors of a text each are authors still
        model.fit(features, authors)
    size = f"{features.shape[1]:,} {feature}, {len(model.classes_):,} authors, {len(documents):,} training documents."
    iterations = int(np.max(model.n_iter_))
    unfinished = f"The fit was stopped after {iterations:,} iterations, before it came to rest."
    return FittedLinear(vectorizer, model, (*notes, size, *([unfinished] if iterations >= model.max_iter else [])))


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
        """A convex problem solved by L-BFGS: nothing is random."""
        from sklearn.linear_model import LogisticRegression

        vectorizer = Occurrences(documents.counted(plain_words), counts=self.counts)
        model = LogisticRegression(max_iter=self.iterations, random_state=seed)
        return fitted_linear(documents, authors, vectorizer=vectorizer, model=model, feature="distinct words")


def plain_words(text: str) -> list[str]:
    """Delete every non-alphanumeric character, lower-case, split on white space: "don't" becomes "dont" (Schein §4.1)."""
    return DELETED.sub("", text).lower().split()
