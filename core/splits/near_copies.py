"""Near duplicates anywhere in a corpus, whatever its split."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..progress import Progress
from .near_documents import EVERY, NearDuplicates, WordingIndex, jaccard, shingled, worded


def near_copies(
    texts: Sequence[str], *, threshold: float = 0.5, seed: int = 0, progress: Progress | None = None
) -> NearDuplicates:
    """Every text with an earlier one that shares so much of its three words in a row, and the most alike of these.

    As in `near_duplicates`, with all texts before a text as its training side.
    """
    index = WordingIndex(threshold=threshold, seed=seed)
    shingles_of = lru_cache(maxsize=4_096)(lambda row: shingled(worded(texts[row])))
    found: list[tuple[int, int, float]] = []
    short = 0
    for row, text in enumerate(texts):
        if progress is not None and row % EVERY == 0:
            progress(row, len(texts), "near duplicates", None)
        wording = worded(text)
        shingles = shingled(wording)
        short += not shingles
        if wording in index.first_row:
            found.append((row, index.first_row[wording], 1.0))
            continue
        near = [(jaccard(shingles, shingles_of(other)), -other) for _, other in index.candidates(shingles) if shingles]
        value, other = max(near, default=(0.0, 0))
        if value >= threshold:
            found.append((row, -other, value))
        index.add(row, wording, shingles)
    rows, earlier, values = zip(*found, strict=True) if found else ((), (), ())
    return NearDuplicates(
        threshold, np.array(rows, np.int64), np.array(earlier, np.int64), np.array(values, float), short
    )
