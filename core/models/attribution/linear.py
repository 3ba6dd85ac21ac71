"""What every classifier offers, and the linear model on counted features that ours have in common."""

import warnings
from typing import Any, ClassVar, Protocol

import numpy as np

from ...arrays import Ints, record
from ...errors import SettingError
from ..contract import Documents, fit_vocabulary

NO_FEATURE = (
    "The training documents hold no feature to learn from: all are empty or too short; check which column is the text."
)


class FittedClassifier(Protocol):
    """A classifier that has seen its training documents; predicting changes nothing in it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What fitting chose, a sentence each."""
        ...

    def predict(self, documents: Documents) -> Ints:
        """The code of each document's most likely author, always one of those seen in training."""
        ...


class Classifier(Protocol):
    """A frozen record of settings that learns who wrote what."""

    name: ClassVar[str]

    def key(self) -> str:
        """Everything that determines a prediction besides documents, authors and seed, as canonical JSON."""
        ...

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedClassifier:
        """Learn from the documents and the code of each one's author."""
        ...


@record
class FittedLinear:
    """A vocabulary and a linear model over it, both from the training documents alone."""

    vectorizer: Any  # sklearn's, typed loosely because sklearn is imported only when used
    model: Any
    notes: tuple[str, ...]

    def predict(self, documents: Documents) -> Ints:
        """The author with the highest linear score; a text without a known feature goes to the largest intercept."""
        if len(documents) == 0:
            return np.empty(0, dtype=np.int64)
        return np.asarray(self.model.predict(self.vectorizer.transform(documents.texts)), dtype=np.int64)


def fitted_linear(
    documents: Documents, authors: Ints, *, vectorizer: Any, model: Any, feature: str, notes: tuple[str, ...] = ()
) -> FittedLinear:
    """Fit vocabulary and model, and say how many features there are and whether the fit came to rest."""
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    checked_authors(documents, authors)
    features = fit_vocabulary(vectorizer.fit_transform, documents.texts, empty=NO_FEATURE)
    # One thread: the vectors are too short to share out (on busy cores it took 40 times as long), and sums taken in
    # another order would make the result depend on the machine.
    with warnings.catch_warnings(), threadpool_limits(1, user_api="blas"):
        warnings.simplefilter("ignore", ConvergenceWarning)  # said in the notes instead
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
        raise SettingError(
            f"{len(documents):,} training documents by {known} author(s): attribution needs two or more; "
            "use fewer folds, or choose another author column."
        )
