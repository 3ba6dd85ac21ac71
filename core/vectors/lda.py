"""LDA on word presence, learned online (Hoffman et al. 2010): 5,000 terms, 50 components, max_df 0.5 (Sawatphol et al. 2024)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import SettingError
from .encoder import Batch
from .words import WordEncoder

CHUNK = 1_024


@dataclass(frozen=True, slots=True)
class Lda(WordEncoder):
    """The expected topic proportions of each document."""

    components: int = 50
    passes: int = 5
    seed: int = 0

    name: ClassVar[str] = "lda"

    def __post_init__(self) -> None:
        if self.components < 2 or self.passes < 1:
            raise SettingError("LDA needs 2 or more components and 1 or more passes.")

    def batches(self, texts: Sequence[str]) -> Iterator[Batch]:
        from sklearn.decomposition import LatentDirichletAllocation

        counts = self.counts(texts)
        present = (counts.matrix > 0).astype(np.float32)
        chunks = [slice(start, start + CHUNK) for start in range(0, present.shape[0], CHUNK)]
        model = LatentDirichletAllocation(
            self.components, learning_offset=50.0, batch_size=256, total_samples=len(texts), random_state=self.seed
        )
        nothing = np.empty(0, dtype=np.int64), np.empty((0, self.components), dtype=np.float32)
        for _ in range(self.passes):
            for chunk in chunks:
                model.partial_fit(present[chunk])
                yield nothing  # so that a long fit can be stopped
        # Without a word the model answers with its prior, which would lie close to every mixed document.
        known = np.ones(len(texts), dtype=np.float32)
        known[counts.wordless] = 0.0
        for chunk in chunks:
            yield counts.order[chunk], model.transform(present[chunk]).astype(np.float32) * known[chunk, None]
