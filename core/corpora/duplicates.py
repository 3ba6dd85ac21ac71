"""Equal texts: within a topic they repeat, across topics they leak."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from ..arrays import Ints
from .corpus import Corpus


def equal_texts(corpus: Corpus) -> list[list[int]]:
    """Rows of every text that stands more than once, outer white space and blank texts aside; by their ids."""
    copies: dict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(corpus.texts):
        if stripped := text.strip():
            copies[stripped].append(row)
    return [sorted(rows, key=corpus.ids.__getitem__) for rows in copies.values() if len(rows) > 1]


def repeats(corpus: Corpus, groups: Sequence[Sequence[int]]) -> Ints:
    """Rows whose text stands in the same topic already: of each topic's copies the one whose id sorts first is none."""
    found: list[int] = []
    for rows in groups:
        _, originals = np.unique(corpus.topic_codes[list(rows)], return_index=True)
        found += np.delete(rows, originals).tolist()
    return np.array(sorted(found), dtype=np.int64)


def across_topics(corpus: Corpus, groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """The groups of equal texts that stand in two or more topics."""
    return [list(rows) for rows in groups if len(np.unique(corpus.topic_codes[list(rows)])) > 1]
