"""Least maximum: the m topics whose most similar pair is as little alike as can be, with a proof or a bound; and at every m."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Bools, Floats, Ints, record
from ..errors import SettingError
from ..formats import choose, counted
from ..progress import Pace, Progress
from .hits import ROUNDING, TopicPath, hits_path
from .independent import Independent, independent_topics

MOST_SWAPS = 2_000
MOST_SIZES = 40  # values of m that are searched, where there are more topics than EVERY_SIZE
EVERY_SIZE = 160  # topics up to which every m is searched


@record
class Optimum:
    """m topics whose highest similarity is `max`; no m topics have one below `max_bound`, and `proven` says that
    the two are one. `topics` are in the order in which HITS takes them; `mean` is over their pairs, as low as swapping
    topics brings it without a higher maximum. Both are NaN for one topic."""

    topics: Ints
    max: float
    mean: float
    max_bound: float
    proven: bool


def optimum(similarity: Floats, m: int) -> Optimum:
    """The least possible maximum of m topics."""
    return optima(similarity, [m])[0]


def least_maximum(similarity: Floats, m: int) -> Ints:
    """The topics of the optimum; those that cannot be placed come last, when m is larger than the others' number."""
    placed = ~np.isnan(np.diag(similarity))
    topics = optimum(similarity, min(m, int(placed.sum()))).topics if placed.any() else np.empty(0, dtype=np.int64)
    return np.concatenate([topics, np.flatnonzero(~placed)[: m - len(topics)]])


def optima(similarity: Floats, sizes: Sequence[int], *, progress: Progress | None = None) -> tuple[Optimum, ...]:
    """The least possible maximum of m topics for every m in `sizes`, topics that cannot be placed left out.

    min t such that {similarity > t} leaves m topics without a conflict (`independent_topics`), by bisection over the
    similarities that occur; what is learned at one t, how many topics it allows, narrows the search for every m.
    """
    placed = np.flatnonzero(~np.isnan(np.diag(similarity)))
    for m in sizes:
        if not 1 <= m <= len(placed):
            most = choose("m", 1, len(placed)) if len(placed) else "add documents to them"
            raise SettingError(f"m = {m}, but {counted(len(placed), 'topic')} can be placed; {most}.")
    search = _Search(similarity[np.ix_(placed, placed)])
    found, pace = [], Pace()
    for done, m in enumerate(sizes):
        if progress is not None:
            progress(done, len(sizes), "sizes", pace.left(done, len(sizes) - done))
        found.append(search.answer(m, placed))
    return tuple(found)


class _Search:
    """What is known of every threshold so far. Thresholds are steps: step i allows pairs up to `values[i]`."""

    def __init__(self, similarity: Floats) -> None:
        self._similarity = similarity
        self._path: TopicPath = hits_path(similarity)
        self._values = np.unique(similarity[np.triu_indices(len(similarity), k=1)])
        self._known: dict[int, Independent] = {}

    def answer(self, m: int, placed: Ints) -> Optimum:
        if m == 1:
            return Optimum(placed[self._path.order[:1]], np.nan, np.nan, np.nan, True)
        start = lowered_maximum(self._similarity, self._path.order[:m])
        low, high, topics = self._least_step(m, start)
        limit = self._values[high]
        # From here on only m and the limit count, not what other sizes were searched before: a sample must be the same
        # beside others as alone.
        at_limit = self._at(high).topics
        if len(at_limit) >= m:
            topics = _without_closest(self._similarity, at_limit, m)
        starts = [topics] + [start] * bool(_highest(self._similarity, start) <= limit)
        means = [lowered_mean(self._similarity, each, limit) for each in starts]
        topics, mean = min(means, key=lambda found: found[1])
        order = hits_path(self._similarity[np.ix_(topics, topics)]).order
        bound = float(self._values[low + 1])
        return Optimum(placed[topics[order]], float(limit), mean, bound, low + 1 == high)

    def _least_step(self, m: int, start: Ints) -> tuple[int, int, Ints]:
        """The highest step proven to hold no m topics, the lowest at which they were found, and these."""
        topics, high = start, self._step_of(start)
        for found in self._known.values():
            if len(found.topics) >= m:
                fewer = _without_closest(self._similarity, found.topics, m)
                if (step := self._step_of(fewer)) < high:
                    topics, high = fewer, step
        low = max((step for step, found in self._known.items() if found.at_most < m), default=-1)
        failed = low
        while failed + 1 < high:
            middle = (failed + high) // 2
            found = self._at(middle)
            if len(found.topics) >= m:
                topics = _without_closest(self._similarity, found.topics, m)
                high = min(middle, self._step_of(topics))
            else:
                failed = middle
                low = middle if found.at_most < m else low
        untold = high
        while low + 1 < untold:  # only where the solver left a gap
            middle = (low + untold) // 2
            low, untold = (middle, untold) if self._at(middle).at_most < m else (low, middle)
        return low, high, topics

    def _at(self, step: int) -> Independent:
        if step not in self._known:
            conflict = self._similarity > self._values[step]
            np.fill_diagonal(conflict, False)
            self._known[step] = independent_topics(conflict)
        return self._known[step]

    def _step_of(self, topics: Ints) -> int:
        return int(np.searchsorted(self._values, _highest(self._similarity, topics)))


def lowered_maximum(similarity: Floats, topics: Ints) -> Ints:
    """Topics of the most similar pair changed for others while that lowers the maximum; ties go to the first name."""
    topics = np.array(topics)
    inside = np.zeros(len(similarity), dtype=np.bool_)
    inside[topics] = True
    for _ in range(MOST_SWAPS):
        pairs = _pairs(similarity, topics)
        worst = np.unravel_index(int(np.argmax(pairs)), pairs.shape)
        swaps = []
        for index in worst:
            rest = np.delete(topics, index)
            nearest = similarity[:, rest].max(axis=1)
            nearest[inside] = np.inf
            other = int(np.argmin(nearest))
            swaps.append((max(nearest[other], _highest(similarity, rest)), index, other))
        value, index, other = min(swaps)
        if value >= pairs.max():
            break
        inside[topics[index]], inside[other] = False, True
        topics[index] = other
    return topics


def lowered_mean(similarity: Floats, topics: Ints, limit: float) -> tuple[Ints, float]:
    """Topics changed for others, the best change first, while that lowers the mean and no pair passes the limit."""
    topics = np.sort(topics)
    for _ in range(MOST_SWAPS):
        outside = np.setdiff1d(np.arange(len(similarity)), topics)
        block = similarity[np.ix_(outside, topics)]
        over: Bools = block > limit
        allowed = over.sum(axis=1)[:, None] == over  # the only conflict, if any, is with the topic that leaves
        leaving = _pairs(similarity, topics, empty=0.0).sum(axis=0)
        gain = np.where(allowed, leaving[None, :] - (block.sum(axis=1)[:, None] - block), -np.inf)
        if not gain.size or gain.max() <= ROUNDING * len(topics):
            break
        other, index = np.unravel_index(int(np.argmax(gain)), gain.shape)
        topics[index] = outside[other]
        topics = np.sort(topics)
    return topics, float(_pairs(similarity, topics, empty=0.0).sum() / (len(topics) * (len(topics) - 1)))


def _without_closest(similarity: Floats, topics: Ints, m: int) -> Ints:
    """m of the topics: always one of the most similar pair leaves, the one more alike to the others."""
    topics = np.array(topics)
    while len(topics) > m:
        pairs = _pairs(similarity, topics)
        one, two = np.unravel_index(int(np.argmax(pairs)), pairs.shape)
        sums = _pairs(similarity, topics, empty=0.0)[[one, two]].sum(axis=1)
        topics = np.delete(topics, one if sums[0] >= sums[1] else two)
    return topics


def _pairs(similarity: Floats, topics: Ints, *, empty: float = -np.inf) -> Floats:
    block = similarity[np.ix_(topics, topics)]
    np.fill_diagonal(block, empty)
    return block


def _highest(similarity: Floats, topics: Ints) -> float:
    return float(_pairs(similarity, topics).max()) if len(topics) > 1 else -np.inf


@record
class OptimumCurve:
    """Entry m − 1 is of m topics: `max` is the highest similarity of the sample found, `mean` that over its pairs, and no
    sample has a maximum below `bound`; `proven` says where the two are one. NaN for one topic, `mean` also where only
    larger and smaller samples were searched: of these the larger one's maximum holds for every part of it."""

    max: Floats
    mean: Floats
    bound: Floats
    proven: Bools


def optimum_curve(similarity: Floats, *, progress: Progress | None = None) -> OptimumCurve:
    """The least possible maximum of m topics for every m that can be placed; of many topics at some m, and between them
    as it follows from its neighbours, because it never falls as m grows."""
    placed = int((~np.isnan(np.diag(similarity))).sum())
    sizes = searched_sizes(placed)
    found = optima(similarity, sizes, progress=progress)
    highest, mean, bound = np.full((3, placed), np.nan)
    for m, best in zip(sizes, found, strict=True):
        mean[m - 1] = best.mean
    above = np.searchsorted(sizes, np.arange(2, placed + 1))
    below = np.searchsorted(sizes, np.arange(2, placed + 1), side="right") - 1
    highest[1:] = [found[at].max for at in above]
    bound[1:] = [found[at].max_bound for at in below]
    return OptimumCurve(highest, mean, bound, bound >= highest)


def searched_sizes(placed: int) -> list[int]:
    """Every m from 2 on, or some of them, the last one always among them."""
    most = placed if placed <= EVERY_SIZE else MOST_SIZES
    sizes: list[int] = np.unique(np.linspace(2, placed, most).round().astype(int)).tolist() if placed > 1 else []
    return sizes
