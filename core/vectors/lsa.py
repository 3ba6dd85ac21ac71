"""LSA: TF-IDF with sublinear counts, then a truncated singular value decomposition (Deerwester et al. 1990)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import canonical
from ..errors import SettingError
from .encoder import Batch
from .words import WordCounts, count_words, notes


@dataclass(frozen=True, slots=True)
class Lsa:
    """Left singular vectors times singular values, U·S, of the TF-IDF matrix."""

    components: int = 100
    seed: int = 0

    name: ClassVar[str] = "lsa"
    per_document: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.components < 2:
            raise SettingError(f"LSA with {self.components} component(s): choose 2 or more.")

    def key(self) -> str:
        return canonical(self.name, 1, components=self.components, seed=self.seed)

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.utils.extmath import randomized_svd

        counts = _counts(texts)
        weights = TfidfTransformer(sublinear_tf=True).fit_transform(counts.matrix.astype(np.float32))
        left, scale, _ = randomized_svd(weights, min(self.components, *weights.shape), random_state=self.seed)
        yield counts.order, (left * scale).astype(np.float32)

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        return notes(_counts(texts))


def _counts(texts: Sequence[str]) -> WordCounts:
    return count_words(texts, most_terms=50_000)
