"""What documents leave in doubt: pairs of topics that may be near twins, and pairs that may be one topic cut in two."""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools
from .space import CORRECTED, TopicSpace
from .uncertainty import Resampled
from .verdict import HIGHEST_LINE, UNRELIABLE


def may_be_twins(space: TopicSpace, line: float, resampled: Resampled | None) -> Bools:
    """Topic × topic: the pairs whose interval reaches the line of near twins, or whose similarity does."""
    reaches: Bools = space.similarity >= line  # NaN is not
    if resampled is not None and resampled.high is not None:
        reaches = reaches | ((resampled.high >= line) & ~np.isnan(space.similarity))
    np.fill_diagonal(reaches, False)
    return reaches


def may_be_one_topic(space: TopicSpace, resampled: Resampled | None) -> Bools:
    """Topic × topic: the pairs that cannot be told from one topic cut in two at random.

    Such halves have a corrected similarity of 1, and lie above .95 but for chance: the pair's interval reaches .95, or a
    centroid is more noise than signal and tells nothing. By how much this errs: docs/methods.md, "The best split possible".
    """
    if resampled is None or resampled.high is None:
        return np.zeros(space.similarity.shape, dtype=np.bool_)
    weak = space.reliability < UNRELIABLE
    one: Bools = (_corrected(resampled.high, space) >= HIGHEST_LINE) | weak[:, None] | weak[None, :]
    one &= ~np.isnan(space.similarity)
    np.fill_diagonal(one, False)
    return one


def _corrected(high: NDArray[np.floating], space: TopicSpace) -> NDArray[np.floating]:
    """The upper ends as they would be of corrected similarity.

    A plain cosine is the corrected one times √(r_i r_j), r the share of signal in a centroid; and a centroid of documents drawn
    anew holds the noise twice, so that its cosines are lower again, by √((2 − r_i)(2 − r_j)).
    """
    if space.kind == CORRECTED:
        return high
    loss = space.reliability / (2.0 - space.reliability)
    return high / np.sqrt(np.outer(loss, loss))
