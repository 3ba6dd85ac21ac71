"""Linear least squares fit: a regression of categories on words through a truncated SVD (Yang & Chute 1994)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Bools, Floats, Singles, record
from ...errors import SettingError
from .features import Words, checked_features, choose_words


@record
class FittedLlsf:
    """The regression coefficients, words by categories."""

    words: Words
    coefficients: Singles
    notes: tuple[str, ...] = ()

    def scores(self, counts: Any) -> Floats:
        """x·F."""
        return np.asarray(self.words.weighted(counts) @ self.coefficients, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Llsf:
    """F = argmin ‖AF − B‖² = V S⁻¹ Uᵀ B, with A = U S Vᵀ cut to the largest `components` singular values."""

    features: int = 2_415
    selection: str = "chi2"
    components: int = 500

    name: ClassVar[str] = "llsf"
    cut: ClassVar[float | None] = None

    def __post_init__(self) -> None:
        checked_features(self.features, self.selection)
        if self.components < 1:
            raise SettingError(f"{self.components} singular values: choose 1 or more.")

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedLlsf:
        """The seed starts the randomized SVD, whose four passes settle what matters of it."""
        from sklearn.utils.extmath import randomized_svd

        words = choose_words(counts, labels, features=self.features, selection=self.selection)
        vectors = words.weighted(counts)
        rank = min(self.components, *vectors.shape)
        left, values, right = randomized_svd(vectors, rank, n_iter=4, random_state=seed)
        used = values > values[0] * 1e-5  # below, a value is rounding and its inverse noise
        projected = left[:, used].T @ labels.astype(np.float32)
        return FittedLlsf(words, (right[used].T @ (projected / values[used, None])).astype(np.float32))
