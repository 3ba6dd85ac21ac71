"""Logistic regression on the documents' vectors: what most people would try first today."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Ints, record, unit_rows
from ...errors import InputError
from ..contract import Documents, Settings
from .linear import checked_authors


@record
class FittedVectors:
    """A linear model over vectors."""

    model: Any
    notes: tuple[str, ...] = ()

    def predict(self, documents: Documents) -> Ints:
        """Return the most likely class of each document."""
        return np.asarray(self.model.predict(_rows(documents)), dtype=np.int64)


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
        return FittedVectors(model.fit(_rows(documents), authors))


def _rows(documents: Documents) -> Any:
    if documents.vectors is None:
        raise InputError("This model needs the documents' vectors. Run it with the encoder it names.")
    return unit_rows(documents.vectors.astype(np.float64))
