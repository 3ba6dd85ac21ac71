"""Linear support vector machines, one a category (Joachims 1998)."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Bools, Floats, record
from ...errors import SettingError
from .features import Words, checked_features, choose_words


@record
class FittedSvm:
    """A hyperplane a category."""

    words: Words
    weights: Floats
    offsets: Floats
    notes: tuple[str, ...]

    def scores(self, counts: Any) -> Floats:
        """w·x + b."""
        return np.asarray(self.words.weighted(counts) @ self.weights.T + self.offsets, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Svm:
    """Hinge loss with soft margin; `cost` is C.

    C = 3 on vectors of length 1: five-fold cross-validation inside Reuters' training set gives much the same micro F1
    from 2 to 5, and less outside (docs/categorization.md).
    """

    features: int = 10_000
    selection: str = "chi2"
    cost: float = 3.0

    name: ClassVar[str] = "svm"
    cut: ClassVar[float | None] = 0.0  # the hyperplane itself

    def __post_init__(self) -> None:
        checked_features(self.features, self.selection)
        if not self.cost > 0:
            raise SettingError(f"A cost of {self.cost:g}: choose one above 0.")

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedSvm:
        """The seed sets the order in which the solver visits documents."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        words = choose_words(counts, labels, features=self.features, selection=self.selection)
        # The solver's own type: converted once, not once a category.
        vectors = words.weighted(counts).astype(np.float64)
        weights = np.zeros((labels.shape[1], vectors.shape[1]))
        offsets = np.zeros(labels.shape[1])
        unfinished = 0
        for category in range(labels.shape[1]):
            members = labels[:, category]
            if members.all() or not members.any():
                offsets[category] = 1.0 if members.all() else -1.0
                continue
            machine = LinearSVC(C=self.cost, loss="hinge", random_state=seed, max_iter=3_000)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # said in the notes instead
                machine.fit(vectors, members)
            weights[category], offsets[category] = machine.coef_[0], machine.intercept_[0]
            unfinished += int(machine.n_iter_ >= machine.max_iter)
        notes = (f"{unfinished} of {len(offsets)} hyperplanes were stopped before they came to rest.",)
        return FittedSvm(words, weights, offsets, notes if unfinished else ())
