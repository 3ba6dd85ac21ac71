"""HITS over more topics than a matrix of all pairs can hold: the same path, from one point each.

Choosing a topic changes the score of every other, and multiplying one point with all others is bound by memory. So the path
is first walked some steps ahead among the topics with the lowest leakage; their products are computed in one block; the true
walk uses those that come true.
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import Floats, Ints, Singles
from ..progress import Pace, Progress
from .hits import ROUNDING, TopicPath, first_lowest, hits_path, topic_path
from .space import MOST_IN_MATRIX, TopicPoints, similarity_of_points

FEWEST_AHEAD, MOST_AHEAD = 16, 256  # topics in a block: fewer cost hardly less, more gain hardly anything
MOST_HELD = 256  # rows of products kept because they may still come true
LOOKED_AT = 131_072  # steps ahead times topics that take part in them
ROWS_AT_ONCE = 16  # of exact means, where the first topic is looked for


def hits_path_to(topics: TopicPoints, *, m: int | None = None, progress: Progress | None = None) -> TopicPath:
    """Return the first m steps of HITS (default: all), the same for any number of topics; memory grows with topics, not pairs.

    `progress` counts steps where there are too many topics for a matrix.
    """
    m = len(topics) if m is None else min(m, len(topics))
    if len(topics) <= MOST_IN_MATRIX:
        whole = hits_path(similarity_of_points(topics.points))
        return TopicPath(
            whole.order[:m], whole.leakage[:m], whole.mean[:m], whole.max[:m], comparable=min(whole.comparable, m)
        )
    return path_in_blocks(topics.points, m=m, progress=progress)


def path_in_blocks(points: Floats, *, m: int, progress: Progress | None = None) -> TopicPath:
    """Return the first m steps of HITS over points whose products, held between −1 and 1, are the similarities.

    Topics that cannot be compared (rows of NaN) come after all others, in order of name.
    """
    comparable = ~np.isnan(points[:, 0])
    known, last = np.flatnonzero(comparable), np.flatnonzero(~comparable)
    steps = min(m, len(known))
    if steps:
        path = _Walk(points if len(last) == 0 else points[known]).path(steps, progress)
    else:
        path = topic_path(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))
    if m <= len(known):
        return TopicPath(known[path.order], path.leakage, path.mean, path.max, steps)
    more = np.full(m - len(known), np.nan)
    mean, highest = (path.mean[-1], path.max[-1]) if steps else (np.nan, np.nan)
    return TopicPath(
        np.concatenate([known[path.order], last[: len(more)]]),
        np.concatenate([path.leakage, more]),
        np.concatenate([path.mean, np.full(len(more), mean)]),
        np.concatenate([path.max, np.full(len(more), highest)]),
        steps,
    )


class _Walk:
    """The state of a walk: each topic's sum and maximum of similarities to those taken, and rows computed ahead."""

    def __init__(self, points: Floats) -> None:
        self.points = points
        self.clips = bool(np.einsum("ij,ij->i", points, points).max() > 1 + ROUNDING)
        self.rows: dict[int, Floats] = {}
        self.taken = np.zeros(len(points))
        self.score = np.empty(len(points))
        self.ahead, self.planned, self.met = FEWEST_AHEAD, 0, 0

    def path(self, steps: int, progress: Progress | None) -> TopicPath:
        order = np.full(steps, first_topic(self.points, clips=self.clips), dtype=np.int64)
        joined_sum, joined_max = np.full(steps, np.nan), np.full(steps, np.nan)
        row = self._cut(self._products(order[:1])[0])
        self.sum, self.max = row.copy(), row.copy()
        self.taken[order[0]] = np.inf
        pace = Pace()
        for step in range(1, steps):
            chosen = self._next(step)
            if chosen not in self.rows:
                self._compute_ahead(chosen, steps - step)
                if progress is not None:
                    progress(step, steps, "topics", pace.left(step, steps - step))
            order[step], joined_sum[step], joined_max[step] = chosen, self.sum[chosen], self.max[chosen]
            self._take(chosen)
        if progress is not None:
            progress(steps, steps, "topics", None)
        return topic_path(order, joined_sum, joined_max)

    def _next(self, step: int) -> int:
        """Return the next topic as in `hits_path`, by sums: all means are divided by the same number."""
        np.multiply(self.sum, self.max, out=self.score)
        self.score += self.taken
        return first_lowest(self.score, tolerance=ROUNDING * step)

    def _take(self, chosen: int) -> None:
        row = self._cut(self.rows.pop(chosen))
        self.met += 1
        self.sum += row
        np.maximum(self.max, row, out=self.max)
        self.taken[chosen] = np.inf

    def _compute_ahead(self, chosen: int, left: int) -> None:
        """Compute rows of the chosen topic and of those that are likely to be chosen next."""
        if self.met >= 0.75 * self.planned:
            self.ahead = min(2 * self.ahead, MOST_AHEAD)
        elif self.met < 0.5 * self.planned:
            self.ahead = max(self.ahead // 2, FEWEST_AHEAD)
        expected = [chosen, *self._expected(chosen, min(self.ahead, left) - 1)]
        self.planned, self.met = len(expected), 0
        if len(self.rows) + len(expected) > MOST_HELD:
            self.rows = {topic: row for topic, row in self.rows.items() if topic in expected}
        # A row that is a view keeps its whole block in memory.
        self.rows = {topic: row if row.base is None else row.copy() for topic, row in self.rows.items()}
        missing = [topic for topic in expected if topic not in self.rows]
        self.rows |= dict(zip(missing, self._products(np.array(missing)), strict=True))

    def _expected(self, chosen: int, steps: int) -> Iterator[int]:
        """Yield the topics that HITS would take after the chosen one if there were none but those with the lowest scores.

        In single precision: a wrong guess costs time and changes nothing.
        """
        count = min(LOOKED_AT // self.ahead, len(self.score) - 1)
        lowest = np.argpartition(self.score, count)[: count + 1]
        lowest = np.union1d(lowest[np.isfinite(self.score[lowest])], [chosen])
        points: Singles = self.points[lowest].astype(np.float32)
        total, highest = self.sum[lowest].astype(np.float32), self.max[lowest].astype(np.float32)
        taken = np.zeros(len(lowest), dtype=np.float32)
        at = int(np.searchsorted(lowest, chosen))
        for _ in range(min(steps, len(lowest) - 1)):
            row = np.clip(points @ points[at], -1, 1)
            total += row
            np.maximum(highest, row, out=highest)
            taken[at] = np.inf
            at = int((total * highest + taken).argmin())
            yield int(lowest[at])

    def _products(self, topics: Ints) -> Floats:
        rows: Floats = self.points[topics] @ self.points.T
        return rows

    def _cut(self, row: Floats) -> Floats:
        """Compute row by row, because whole blocks are bound by memory."""
        return np.clip(row, -1, 1, out=row) if self.clips else row


def first_topic(points: Floats, *, clips: bool) -> int:
    """Return the topic with the lowest mean similarity to all others, the first by name of those that tie.

    The mean of products is the product with the mean point, and asks for no matrix. Where products pass 1 and are cut
    there (`clips`), their excess makes it smaller, by no more than Scarf's bound (1958) says: with the mean μ and the
    variance σ² of a topic's products, mean max(0, s − 1) ≤ (√(σ² + (1 − μ)²) − (1 − μ))/2. Exact means are computed in
    order of what they could be at the lowest, until no other topic can be lower.
    """
    others = max(len(points) - 1, 1)
    own = np.einsum("ij,ij->i", points, points)
    mean = (points @ points.sum(axis=0) - own) / others
    if not clips:
        return first_lowest(mean, tolerance=ROUNDING)
    exact = np.full(len(points), np.inf)

    def compute(topics: Ints) -> None:
        rows = np.clip(points[topics] @ points.T, -1, 1)
        rows[np.arange(len(topics)), topics] = 0.0
        exact[topics] = rows.sum(axis=1) / others

    compute(mean.argmin(keepdims=True))
    lowest = _least_means(points, mean, own, below=exact.min() + ROUNDING)
    order = np.argsort(lowest, kind="stable")
    for start in range(0, len(order), ROWS_AT_ONCE):
        if lowest[order[start]] > exact.min() + ROUNDING:
            break
        compute(order[start : start + ROWS_AT_ONCE])
    return first_lowest(exact, tolerance=ROUNDING)


def _least_means(points: Floats, mean: Floats, own: Floats, *, below: float) -> Floats:
    """Return what each topic's mean of cut products is at the least; exactly by Scarf's bound only where that may lie `below`."""
    count = len(points)
    centre = points.mean(axis=0)
    spread = points.T @ points / count - np.outer(centre, centre)
    widest = float(np.linalg.eigvalsh(spread)[-1])

    def bound(topics: Ints, variance: Floats) -> Floats:
        to_one = 1.0 - mean[topics]
        # The variance over the others is at most this much larger than over all, the topic itself among them.
        wider = np.maximum(variance, 0.0) * count / max(count - 1, 1) + ROUNDING
        lowest: Floats = mean[topics] - (np.sqrt(wider + to_one**2) - to_one) / 2 - ROUNDING
        return lowest

    lowest = bound(np.arange(count), widest * own)
    near = np.flatnonzero(lowest <= below)
    lowest[near] = bound(near, np.einsum("ij,ij->i", points[near] @ spread, points[near]))
    return lowest
