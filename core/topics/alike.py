"""Which topics are alike: in a sentence, and as a matrix of blocks where there are too many for a cell a pair."""

import numpy as np

from ..arrays import Floats, Ints, record
from .pairs import closest_pairs
from .space import TopicSpace
from .uncertainty import Resampled
from .verdict import Verdict

BLOCKS = 60  # of topics in a row of the matrix


def alike_sentence(space: TopicSpace, verdict: Verdict, resampled: Resampled | None = None) -> str:
    """The closest pair with its interval, and how many topics have a near twin; no pair where labels mean nothing.

    It is called the closest where it can be told from the next one, and otherwise one of the closest.
    """
    closest = closest_pairs(space.similarity, most=2)
    if not closest:
        return "No two topics can be compared: fewer than two have documents enough to be placed."
    if verdict.level == "meaningless":
        return (
            "No pair stands out: the topics are as alike as groups of these texts drawn at random, and which two are closest "
            "is chance."
        )
    first, second, value = closest[0]
    sure = ""
    if resampled is not None and resampled.low is not None and resampled.high is not None:
        sure = f", 95 %: {resampled.low[first, second]:.2f} to {resampled.high[first, second]:.2f}"
    lead = "Closest are" if _told_apart(closest, resampled) else "Among the closest are"
    pair = f"{lead} {space.names[first]} and {space.names[second]} (similarity {value:.2f}{sure})"
    if not verdict.twin_pairs:
        return f"{pair}; no two topics are near twins (similarity {verdict.line:.2f} or more)."
    with_twin = int((verdict.twins > 0).sum())
    doubt = "" if verdict.sure_pairs == verdict.twin_pairs else f", {verdict.sure_pairs:,} of them beyond doubt"
    pairs = "one pair is" if verdict.twin_pairs == 1 else f"{verdict.twin_pairs:,} pairs are"
    return (
        f"{pair}; {pairs} near twins (similarity {verdict.line:.2f} or more{doubt}), and {with_twin:,} of the "
        f"{verdict.topics:,} topics have at least one."
    )


def _told_apart(closest: list[tuple[int, int, float]], resampled: Resampled | None) -> bool:
    """Whether the first pair is closer than the second: their intervals, or without any their values as written, differ."""
    if len(closest) < 2:
        return True
    (one, two, value), (three, four, next_value) = closest
    if resampled is None or resampled.low is None or resampled.high is None:
        return f"{value:.2f}" != f"{next_value:.2f}"
    return bool(resampled.low[one, two] > resampled.high[three, four])


@record
class MatrixBlocks:
    """A matrix of similarities in blocks of neighbouring topics: the mean over pairs of different topics in each block (NaN
    where none is known), the closest of these pairs, and its similarity. Block b holds `order[edges[b]:edges[b + 1]]`."""

    order: Ints
    edges: Ints
    mean: Floats
    closest: Ints  # block × block × 2: two topics, −1 where none is known
    highest: Floats


def matrix_blocks(similarity: Floats, order: Ints, *, most: int = BLOCKS) -> MatrixBlocks:
    """Topics in this order, cut into at most `most` blocks of nearly equal size."""
    edges = np.linspace(0, len(order), min(most, len(order)) + 1).round().astype(np.int64)
    count = len(edges) - 1
    ordered = np.array(similarity[np.ix_(order, order)], dtype=np.float64)
    np.fill_diagonal(ordered, np.nan)
    known = ~np.isnan(ordered)
    sums, pairs = np.where(known, ordered, 0.0), known.astype(np.float64)
    for axis in (0, 1):
        sums, pairs = (np.add.reduceat(each, edges[:-1], axis=axis) for each in (sums, pairs))
    mean = np.divide(sums, pairs, out=np.full((count, count), np.nan), where=pairs > 0)
    ordered[~known] = -np.inf
    closest, highest = np.full((count, count, 2), -1, dtype=np.int64), np.full((count, count), np.nan)
    for row, column in zip(*np.nonzero(pairs), strict=True):
        block = ordered[edges[row] : edges[row + 1], edges[column] : edges[column + 1]]
        one, two = np.unravel_index(int(block.argmax()), block.shape)
        closest[row, column] = order[edges[row] + one], order[edges[column] + two]
        highest[row, column] = block[one, two]
    return MatrixBlocks(order, edges, mean, closest, highest)
