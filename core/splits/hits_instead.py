"""Beside a given split: the topics that HITS keeps without near twins, split by topic."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..corpora import Corpus
from ..progress import Progress
from ..topics import TopicSpace, hits_path, largest_without_twins
from .folds import Fold
from .near_documents import neighbour_leakage

MOST_TESTED = 10_000  # test documents compared with all others; more are sampled
DEALS = 20  # random deals of HITS's topics into training and test, averaged


@dataclass(frozen=True, slots=True)
class HitsInstead:
    """The topics HITS keeps without near twins, and a topic split of them: mean and max similarity of its training and
    test topics over random deals, and the neighbour leakage of its documents relative to chance in the first deal."""

    topics: tuple[str, ...]
    documents: int
    test_topics: int
    mean: float
    max: float
    neighbour_leakage_ratio: float


def hits_instead(
    corpus: Corpus,
    vectors: NDArray[np.floating],
    space: TopicSpace,
    fold: Fold,
    threshold: float,
    *,
    seed: int,
    progress: Progress | None,
) -> HitsInstead | None:
    """As many test topics as the split has; where that leaves none to train on, as large a share of the topics as the
    split's share of test documents."""
    path = hits_path(space.similarity)
    selected = np.sort(path.order[: largest_without_twins(path, threshold)])
    if len(selected) < 2:
        return None
    held_out = len(fold.test_topics)
    if held_out >= len(selected):
        held_out = round(len(selected) * len(fold.test) / (len(fold.train) + len(fold.test)))
    held_out = min(max(held_out, 1), len(selected) - 1)
    deals = [np.random.default_rng(seed + deal).permutation(selected) for deal in range(DEALS)]
    blocks = [space.similarity[np.ix_(dealt[:held_out], dealt[held_out:])] for dealt in deals]
    sides = deals[0][:held_out], deals[0][held_out:]
    test, train = (np.flatnonzero(np.isin(corpus.topic_codes, side)) for side in sides)
    tested = np.random.default_rng(seed).permutation(test)[:MOST_TESTED]
    leakage = neighbour_leakage(vectors, corpus.topic_codes, train, test, tested=tested, progress=progress)
    return HitsInstead(
        topics=tuple(space.names[topic] for topic in selected),
        documents=len(train) + len(test),
        test_topics=held_out,
        mean=float(np.mean([block.mean() for block in blocks])),
        max=float(np.mean([block.max() for block in blocks])),
        neighbour_leakage_ratio=leakage.ratio,
    )
