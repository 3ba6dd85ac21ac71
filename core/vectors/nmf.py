"""NMF of TF-IDF weights: 5,000 terms, 50 components, max_df 0.5 (Sawatphol et al. 2024)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import SettingError
from .encoder import Batch
from .words import WordEncoder


@dataclass(frozen=True, slots=True)
class Nmf(WordEncoder):
    """The non-negative W of X ≈ W·H, X the TF-IDF matrix."""

    components: int = 50
    seed: int = 0

    name: ClassVar[str] = "nmf"

    def __post_init__(self) -> None:
        if self.components < 2:
            raise SettingError(f"NMF with {self.components} component(s): choose 2 or more.")

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        from sklearn.decomposition import NMF
        from sklearn.feature_extraction.text import TfidfTransformer

        counts = self.counts(texts)
        weights = TfidfTransformer().fit_transform(counts.matrix.astype(np.float32))
        size = min(self.components, *weights.shape)
        model = NMF(size, init="nndsvd" if size > 1 else "random", random_state=self.seed, max_iter=200, tol=1e-3)
        with np.errstate(invalid="ignore"):  # a perfect fit has a rounding error below zero, whose root sklearn takes
            parts = model.fit_transform(weights)
        yield counts.order, parts.astype(np.float32)
