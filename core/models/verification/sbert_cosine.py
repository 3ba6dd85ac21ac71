"""Cosine of the documents' own sentence vectors (Reimers & Gurevych 2019): what meaning alone says about authors."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Ints, canonical, unit_rows
from ...errors import EncoderError
from ...splits import Pairs
from ..contract import Documents
from .cosine import FittedCosine, fitted_cosine


@dataclass(frozen=True, slots=True)
class SbertCosine:
    """Nothing is learned but the thresholds; cosines below 0 count as 0."""

    name: ClassVar[str] = "sbert_cosine"

    def key(self) -> str:
        return canonical(self.name, 1)

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> FittedCosine:
        """Thresholds from `held`; nothing is random."""
        return fitted_cosine(own_vectors, documents, held, ())


def own_vectors(documents: Documents, rows: Ints) -> Any:
    """The documents' vectors at length one; a zero vector stays zero."""
    if documents.vectors is None:
        raise EncoderError("The SBERT cosine compares vectors, and these documents have none; embed them with 'sbert'.")
    return unit_rows(documents.vectors[rows].astype(np.float64))
