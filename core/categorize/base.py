"""What every categorizer offers: a score for each document and category, and a decision by a threshold."""

from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from core.categorize.features import SELECTIONS
from core.errors import SettingError, unknown

Bools = NDArray[np.bool_]
Scores = NDArray[np.float64]


class FittedCategorizer(Protocol):
    """A categorizer that has seen its training documents."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What fitting met, a sentence each."""
        ...

    def scores(self, counts: Any) -> Scores:
        """A row a document and a column a category; higher means more likely a member."""
        ...


class Categorizer(Protocol):
    """A frozen record of settings that learns which categories a document belongs to."""

    name: ClassVar[str]
    # The score from which a document is a member; None where only held-out documents can tell.
    cut: ClassVar[float | None]

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedCategorizer:
        """Learn from word counts (sparse, a row a document) and a true/false table of documents by categories."""
        ...


def checked_features(features: int, selection: str) -> None:
    """Refuse settings that no words can satisfy."""
    if features < 1:
        raise SettingError(f"{features} features: choose 1 or more.")
    if selection not in SELECTIONS:
        raise unknown("feature selection", selection, SELECTIONS)
