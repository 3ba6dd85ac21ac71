"""Bootstrap of every topic's documents, and whether labels mean anything: shuffles of the labels."""

from collections.abc import Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, blocks, record, unit_rows
from .hits import hits_path
from .space import CORRECTED, pair_similarities, points_of_sums, similarity_of_points

BOOTSTRAP_SAMPLES = 200
FEWEST_DRAWN = 4  # documents of a topic whose draws differ enough for an interval
SHUFFLES = 99
MOST_HELD = 300  # topics up to which all draws of every pair are held at once, and their quantiles taken
FEWER_SAMPLES = 39  # past that: another draw lies between the lowest and the highest of 39 in 95% of all cases
ENOUGH_ROWS = 500  # of a draw's similarities, for their median
MOST_COMPARED = 500  # topics whose pairs are looked at in every shuffle; of more, this many at random


@record
class Bootstrap:
    """Topics with their documents drawn again: 95% intervals of every pair's similarity, and each draw's HITS path.

    `steps[draw, topic]` is when the path of that draw takes the topic, from 0; a topic that a draw cannot place counts
    as taken after all others. `low` and `high` are NaN for pairs of topics that cannot be compared or have too few documents for
    an interval, and None where nobody asked for them. `paths_max[draw, m − 1]` and `medians[draw]` give every draw's near-twin threshold and its largest m without twins.
    """

    low: NDArray[np.floating] | None
    high: NDArray[np.floating] | None
    steps: Ints
    paths_max: Floats
    medians: Floats

    @property
    def comparable(self) -> Ints:
        """Return how many topics each draw can place."""
        return np.asarray((self.steps < self.steps.shape[1]).sum(axis=1))

    def selected_share(self, m: int) -> Floats:
        """Return for each topic the share of draws in which HITS selects it among m."""
        if not len(self.steps):
            return np.full(self.steps.shape[1], np.nan)
        return np.asarray((self.steps < m).mean(axis=0), dtype=np.float64)


@record
class LabelCheck:
    """Whether labels mean anything: the median and the mean similarity of pairs of topics, and those of shuffled labels, over
    the pairs of the `compared` topics. `checked` is False where every topic has one document: shuffled, they are the same."""

    median: float
    shuffled: Floats
    compared: int = MOST_COMPARED
    mean: float = np.nan
    shuffled_means: Floats = field(default_factory=lambda: np.array([]))
    checked: bool = True

    @property
    def meaningful(self) -> bool:
        """Return whether some topics are less similar than random groups of their sizes, or that cannot be checked."""
        return self._apart or self.partly or not self.checked

    @property
    def partly(self) -> bool:
        """Return whether the typical pair is as similar as random groups, but some pairs are not: only the mean is below
        every shuffle."""
        return not self._apart and bool(len(self.shuffled_means) and (self.mean < self.shuffled_means).all())

    @property
    def _apart(self) -> bool:
        return bool((self.median < self.shuffled).all())


def no_bootstrap(topics: int) -> Bootstrap:
    """Return a bootstrap without samples, where there are no documents to draw."""
    return Bootstrap(None, None, np.empty((0, topics), dtype=np.int64), np.empty((0, topics)), np.empty(0))


def bootstrap_topics(
    vectors: NDArray[np.floating],
    topic_codes: Ints,
    topics: int,
    *,
    kind: str,
    samples: int | None = None,
    seed: int = 0,
) -> Bootstrap:
    """Bootstrap every topic's documents, with similarity and HITS path computed for each sample (Efron 1979).

    Two copies of one document are no two documents: pairs of a document with itself are left out of a topic's own
    coherence in every draw. An interval holds 95% of the draws; past 300 topics it is the range of 39, in single precision.
    Corrected for size, pairs with a topic of two or three documents have none: draws of so few are too similar, and their
    intervals hold the true similarity in 23% and 86% of cases.
    """
    many = topics > MOST_HELD
    samples = samples or (FEWER_SAMPLES if many else BOOTSTRAP_SAMPLES)
    units, codes = _usable_documents(vectors, topic_codes)
    sizes = np.bincount(codes, minlength=topics)
    starts = np.cumsum(sizes) - sizes
    rng = np.random.default_rng(seed)
    found = np.full((2 if many else samples, topics, topics), np.nan, dtype=np.float32)
    steps, highest, medians = (
        np.empty((samples, topics), dtype=np.int64),
        np.empty((samples, topics)),
        np.empty(samples),
    )
    for draw in range(samples):
        rows = starts[codes] + (rng.random(len(codes)) * sizes[codes]).astype(np.int64)
        points = _drawn_points(units, codes, np.bincount(rows, minlength=len(codes)), topics, kind)
        similarity = similarity_of_points(points.astype(np.float32) if many else points)
        path = hits_path(similarity)
        steps[draw, path.order] = np.arange(topics)
        steps[draw, np.isnan(np.diag(similarity))] = topics
        highest[draw], medians[draw] = path.max, _median(similarity, every=max(1, topics // ENOUGH_ROWS))
        if many:
            np.fmin(found[0], similarity, out=found[0])
            np.fmax(found[1], similarity, out=found[1])
        else:
            found[draw] = similarity
    low, high = found if many else known_quantiles(found, (0.025, 0.975))
    if kind == CORRECTED:
        few = sizes < FEWEST_DRAWN
        unknown = few[:, None] | few[None, :]
        np.fill_diagonal(unknown, False)
        low[unknown] = high[unknown] = np.nan
    return Bootstrap(low, high, steps, highest, medians)


def check_labels(
    vectors: NDArray[np.floating], topic_codes: Ints, topics: int, *, kind: str, shuffles: int = SHUFFLES, seed: int = 0
) -> LabelCheck:
    """Return the median pair's similarity, and the mean, beside those of labels shuffled over the documents, sizes kept.

    Random groups of one population have a corrected similarity of 1: labels that do not lie below all shuffles do not
    separate the texts, and every split by them is a random split. One topic cut in ten beside another has a median like
    that, and a mean below it. Past 500 topics those compared are drawn at random from
    those with two documents or more, once for all shuffles: a shuffle changes no topic's size, so nothing is favoured.
    """
    units, codes = _usable_documents(vectors, topic_codes)
    rng = np.random.default_rng(seed)
    lot = np.random.default_rng(seed).permutation(topics)
    lone = np.bincount(codes, minlength=topics)[lot] < 2
    compared = np.sort(lot[np.argsort(lone, kind="stable")][:MOST_COMPARED])
    index = np.full(topics, -1)
    index[compared] = np.arange(len(compared))

    def averages(labels: Ints) -> tuple[float, float]:
        rows = np.flatnonzero(index[labels] >= 0)
        once = np.ones(len(rows), dtype=np.int64)
        points = _drawn_points(units[rows], index[labels[rows]], once, len(compared), kind)
        pairs = pair_similarities(similarity_of_points(points))
        return (float(np.median(pairs)), float(pairs.mean())) if len(pairs) else (np.nan, np.nan)

    # A shuffle that leaves no pair to compare is as similar as can be.
    medians, means = np.nan_to_num([averages(rng.permutation(codes)) for _ in range(shuffles)], nan=1.0).T
    median, mean = averages(codes)
    return LabelCheck(median, medians, len(compared), mean, means, not lone.all())


def known_quantiles(draws: NDArray[np.floating], shares: Sequence[float]) -> list[Floats]:
    """Return quantiles over the first axis of the values that are known; NaN where none is.

    numpy's nanquantile gives the same cell by cell, some sixty times slower, and warns where nothing is known.
    """
    ranked = np.sort(draws, axis=0)  # NaN comes last
    last = (~np.isnan(ranked)).sum(axis=0) - 1
    found = []
    for share in shares:
        at = share * np.maximum(last, 0)
        below = np.floor(at).astype(np.int64)
        low, high = (
            np.take_along_axis(ranked, each[None], axis=0)[0].astype(np.float64)
            for each in (below, np.minimum(below + 1, np.maximum(last, 0)))
        )
        found.append(low + (at - below) * (high - low))
    return found


def _usable_documents(vectors: NDArray[np.floating], topic_codes: Ints) -> tuple[NDArray[np.float32], Ints]:
    """Return documents that have a vector, at length one, sorted by topic."""
    order = np.argsort(topic_codes, kind="stable")
    known = [np.any(vectors[rows], axis=1) for rows in blocks(*vectors.shape)]
    order = order[np.concatenate(known)[order]]
    units = np.empty((len(order), vectors.shape[1]), dtype=np.float32)
    for rows in blocks(*units.shape):
        units[rows] = unit_rows(np.asarray(vectors[order[rows]], dtype=np.float64))
    return units, topic_codes[order]


def _drawn_points(units: NDArray[np.float32], codes: Ints, times: Ints, topics: int, kind: str) -> Floats:
    """Return a point a topic, whose products are the similarities, with each document counted this many times."""
    from scipy.sparse import csr_array

    rows = np.flatnonzero(times)
    weights = csr_array((times[rows].astype(np.float32), (codes[rows], rows)), shape=(topics, len(codes)))
    sums = np.asarray(weights @ units, dtype=np.float64)
    counts = np.bincount(codes, weights=times, minlength=topics)
    squares = np.bincount(codes, weights=times**2, minlength=topics)
    return points_of_sums(sums, counts, squares, kind=kind)[0]


def _median(similarity: Floats, *, every: int) -> float:
    pairs = pair_similarities(similarity, every=every)
    return float(np.median(pairs)) if len(pairs) else float("nan")
