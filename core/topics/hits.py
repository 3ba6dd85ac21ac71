"""HITS: topics in the order in which they are taken, each as different from those before it as possible."""

from collections.abc import Callable

import numpy as np

from ..arrays import Floats, Ints, record

# Scores this close are one score: sums taken in another order differ by about this much, and the name must decide.
ROUNDING = 1e-12
HITS_PAPER = """@article{sawatphol-etal-2024-addressing,
  title = {Addressing Topic Leakage in Cross-Topic Evaluation for Authorship Verification},
  author = {Sawatphol, Jitkapat and Udomcharoenchaikit, Can and Nutanong, Sarana},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {12},
  pages = {1363--1377},
  year = {2024},
  doi = {10.1162/tacl_a_00709}
}
"""


@record
class TopicPath:
    """Topics in the order they are taken; the first m of them are the sample of size m.

    `leakage[i]` = mean · max of topic `order[i]`'s similarities to those before it (NaN for the first);
    `mean[i]` and `max[i]` are over all pairs among the first i + 1 topics (NaN for one topic). Topics that cannot be
    placed come last, in order of name, without a leakage of their own; only the first `comparable` topics can be chosen from.
    """

    order: Ints
    leakage: Floats
    mean: Floats
    max: Floats
    comparable: int

    def __len__(self) -> int:
        return len(self.order)


def hits_path(similarity: Floats) -> TopicPath:
    """Return every HITS selection at once: the choice never looks at m, so the first m of the path answer any m.

    First the topic with the lowest mean similarity to all others; then always the topic with the
    lowest l_i = mean(S_i) · max(S_i) over the topics taken so far (Sawatphol et al. 2024, §4).
    Topics must be in sorted order of name: ties go to the first.
    """
    return over_comparable(similarity, _hits_path)


def over_comparable(similarity: Floats, path_of: Callable[[Floats], TopicPath]) -> TopicPath:
    """Return a path over the topics whose similarities are known; the others come after them, in order of name."""
    comparable = ~np.isnan(np.diag(similarity))
    if comparable.all():
        return path_of(similarity)
    first, last = np.flatnonzero(comparable), np.flatnonzero(~comparable)
    if not len(first):
        unknown = np.full(len(last), np.nan)
        return TopicPath(last, unknown, unknown, unknown, 0)
    path = path_of(similarity[np.ix_(first, first)])

    def lengthened(values: Floats, with_value: float) -> Floats:
        return np.concatenate([values, np.full(len(last), with_value)])

    return TopicPath(
        np.concatenate([first[path.order], last]),
        lengthened(path.leakage, np.nan),
        lengthened(path.mean, path.mean[-1]),
        lengthened(path.max, path.max[-1]),
        len(first),
    )


def _hits_path(similarity: Floats) -> TopicPath:
    count = len(similarity)
    first = first_lowest((similarity.sum(axis=1) - np.diag(similarity)) / max(count - 1, 1), tolerance=ROUNDING)
    order = np.full(count, first, dtype=np.int64)
    joined_sum, joined_max = np.full(count, np.nan), np.full(count, np.nan)
    running_sum, running_max = similarity[first].copy(), similarity[first].copy()
    taken = np.zeros(count, dtype=similarity.dtype)
    taken[first] = np.inf
    score = np.empty(count, dtype=similarity.dtype)
    for step in range(1, count):
        # Sum for mean: at one step all topics are divided by the same number, so their order is that of the products;
        # the rounding of a sum grows with the step.
        np.multiply(running_sum, running_max, out=score)
        score += taken
        chosen = first_lowest(score, tolerance=ROUNDING * step)
        order[step], joined_sum[step], joined_max[step] = chosen, running_sum[chosen], running_max[chosen]
        taken[chosen] = np.inf
        running_sum += similarity[chosen]
        np.maximum(running_max, similarity[chosen], out=running_max)
    return topic_path(order, joined_sum, joined_max)


def topic_path(order: Ints, joined_sum: Floats, joined_max: Floats) -> TopicPath:
    """Return the path from each topic's sum and maximum of similarities to the topics taken before it (NaN for the first)."""
    earlier = np.arange(len(order))
    pairs = earlier * (earlier + 1) / 2
    mean, maximum = np.full(len(order), np.nan), np.full(len(order), np.nan)
    mean[1:] = np.cumsum(joined_sum[1:]) / pairs[1:]
    maximum[1:] = np.maximum.accumulate(joined_max[1:])
    return TopicPath(order, joined_sum / np.maximum(earlier, 1) * joined_max, mean, maximum, len(order))


def first_lowest(score: Floats, *, tolerance: float) -> int:
    """Return the first topic whose score is the lowest, or no more than rounding above it."""
    return int(np.argmax(score <= score.min() + tolerance))
