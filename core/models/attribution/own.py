"""Any scikit-learn estimator as a classifier: cloned for every fit, and given training texts and class names alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np

from ...arrays import Ints, canonical, record
from ...errors import SettingError, in_short
from ..contract import Documents


@record
class FittedEstimator:
    """An estimator that has seen its training texts."""

    name: str
    fitted: Any
    known: dict[str, int]  # the code of each class it was fitted on
    notes: tuple[str, ...] = ()

    def predict(self, documents: Documents) -> Ints:
        """Return the code of each document's most likely class."""
        try:
            given = np.asarray(self.fitted.predict(list(documents.texts)))
        except Exception as problem:  # whatever a user's own code raises; the fold is skipped and the sentence shown
            raise SettingError(f"{self.name} failed while it predicted. {_error_text(problem)}") from problem
        if given.shape == (len(documents), 1):  # as CatBoost answers
            given = given[:, 0]
        if given.shape != (len(documents),):
            raise SettingError(
                f"{self.name} answered with an array of shape {given.shape} for {len(documents):,} texts. Return one class per text."
            )
        named = given.tolist()
        strange = [each for each in named if not isinstance(each, str) or each not in self.known]
        if strange:
            raise SettingError(
                f"{self.name} predicted {strange[0]!r}. Return one of the class names that fit was given."
            )
        return np.array([self.known[each] for each in named], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class OwnEstimator:
    """A user's estimator under a name; `token` keeps its answers apart from those of any other estimator."""

    name: str
    estimator: Any
    token: str

    def key(self) -> str:
        return canonical(self.name, 1, token=self.token)

    def fit(self, documents: Documents, authors: Ints, *, seed: int) -> FittedEstimator:
        """Fit a clone on the names of the classes; the estimator sets its own random state."""
        from sklearn.base import clone

        names = np.array(documents.classes)
        try:
            fitted = clone(self.estimator).fit(list(documents.texts), names[authors])
        except Exception as problem:  # as in `predict`
            raise SettingError(f"{self.name} could not be fitted on texts. {_error_text(problem)}") from problem
        return FittedEstimator(self.name, fitted, {str(names[code]): int(code) for code in np.unique(authors)})


def _error_text(problem: Exception) -> str:
    return f"It raised {type(problem).__name__}: {in_short(problem)}"


def own_estimators(given: Mapping[str, Any]) -> dict[str, OwnEstimator]:
    """Return classifiers of these estimators, after checking that each can be cloned and sent to other processes."""
    from joblib import wrap_non_picklable_objects
    from sklearn.base import clone

    found = {}
    for name, estimator in given.items():
        if not isinstance(name, str) or not name.strip():
            raise SettingError(f"A model is called {name!r}. Give it a name in letters, such as 'mine'.")
        if not (callable(getattr(estimator, "fit", None)) and callable(getattr(estimator, "predict", None))):
            raise SettingError(f"{name} has no fit and predict. Give a scikit-learn classifier or pipeline.")
        try:
            clone(estimator)
        except Exception as problem:
            raise SettingError(f"{name} cannot be cloned. {_error_text(problem)}") from problem
        # A class defined in a notebook is unknown to other processes; the wrapper takes its definition along.
        found[name] = OwnEstimator(name, wrap_non_picklable_objects(estimator, keep_wrapper=False), uuid4().hex)
    return found
