"""LSA: TF-IDF with sublinear counts, then a truncated singular value decomposition (Deerwester et al. 1990)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import SettingError
from .encoder import Batch
from .words import WordEncoder


@dataclass(frozen=True, slots=True)
class Lsa(WordEncoder):
    """Left singular vectors times singular values, U·S, of the TF-IDF matrix."""

    components: int = 100
    seed: int = 0

    name: ClassVar[str] = "lsa"
    vocabulary: ClassVar[Mapping[str, Any]] = {"most_terms": 50_000}

    def __post_init__(self) -> None:
        if self.components < 2:
            raise SettingError(f"LSA with {self.components} component(s): choose 2 or more.")

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.utils.extmath import randomized_svd

        counts = self.counts(texts)
        weights = TfidfTransformer(sublinear_tf=True).fit_transform(counts.matrix.astype(np.float32))
        left, scale, _ = randomized_svd(weights, min(self.components, *weights.shape), random_state=self.seed)
        yield counts.order, (left * scale).astype(np.float32)
