"""k nearest neighbours with cosine-weighted votes (Yang 1994)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Bools, Floats, record
from ...errors import SettingError
from .features import Words, checked_features, choose_words

_BATCH = 1_000  # documents whose similarities to all training documents are held at once


@record
class FittedKnn:
    """The training documents themselves."""

    words: Words
    vectors: Any
    labels: Any
    k: int
    notes: tuple[str, ...] = ()

    def scores(self, counts: Any) -> Floats:
        """Σ cos(x, d) over those of the k nearest training documents d that are members."""
        from scipy.sparse import csr_array

        given = self.words.weighted(counts)
        parts = []
        for start in range(0, given.shape[0], _BATCH):
            similarity = (given[start : start + _BATCH] @ self.vectors.T).toarray()
            nearest = np.argpartition(-similarity, self.k - 1, axis=1)[:, : self.k]
            votes = np.take_along_axis(similarity, nearest, axis=1)
            ends = np.arange(0, votes.size + 1, self.k)
            parts.append(
                (csr_array((votes.ravel(), nearest.ravel(), ends), shape=similarity.shape) @ self.labels).toarray()
            )
        return np.concatenate(parts).astype(np.float64) if parts else np.zeros((0, self.labels.shape[1]))


@dataclass(frozen=True, slots=True)
class Knn:
    """Votes of the k training documents most like a text."""

    features: int = 2_415
    selection: str = "chi2"
    k: int = 45

    name: ClassVar[str] = "knn"
    cut: ClassVar[float | None] = None

    def __post_init__(self) -> None:
        checked_features(self.features, self.selection)
        if self.k < 1:
            raise SettingError(f"k = {self.k} neighbours: choose 1 or more.")

    def fit(self, counts: Any, labels: Bools, *, seed: int) -> FittedKnn:
        """Nothing is random; the documents are kept."""
        from scipy.sparse import csr_array

        words = choose_words(counts, labels, features=self.features, selection=self.selection)
        members = csr_array(labels.astype(np.float32))
        return FittedKnn(words, words.weighted(counts), members, min(self.k, counts.shape[0]))
