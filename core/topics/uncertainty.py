"""How sure similarities, samples and labels are: documents drawn anew within every topic, and labels dealt out anew."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, blocks, record, unit_rows
from .hits import hits_path
from .pairs import pair_similarities
from .space import similarity_of_sums

DRAWS = 200
SHUFFLES = 99
MOST_PAIRWISE = 300  # topics up to which every pair gets an interval: their square times the draws is held at once
FEWER_DRAWS = 40  # past that, where a draw's path alone takes long


@record
class Resampled:
    """Topics with their documents drawn anew: 95 % intervals of every pair's similarity, and each draw's HITS path.

    `steps[draw, topic]` is when the path of that draw takes the topic, from 0; a topic that a draw cannot place counts
    as taken after all others. `low` and `high` are NaN for pairs of topics that cannot be placed, and None past 300
    topics. `paths_max[draw, m − 1]` and `medians[draw]` give every draw's near-twin line and its largest m without twins.
    """

    low: Floats | None
    high: Floats | None
    steps: Ints
    paths_max: Floats
    medians: Floats

    @property
    def placed(self) -> Ints:
        """How many topics each draw can place."""
        return np.asarray((self.steps < self.steps.shape[1]).sum(axis=1))

    def selected_share(self, m: int) -> Floats:
        """For each topic the share of draws in which HITS selects it among m."""
        return np.asarray((self.steps < m).mean(axis=0), dtype=np.float64)


@record
class LabelCheck:
    """Whether labels mean anything: the median similarity of pairs of topics, and the medians of shuffled labels."""

    median: float
    shuffled: Floats

    @property
    def meaningful(self) -> bool:
        """Below every shuffle: topics are less alike than random groups of the same sizes."""
        return bool(np.isfinite(self.median) and (self.median < self.shuffled).all())


def resample_topics(
    vectors: NDArray[np.floating], topic_codes: Ints, topics: int, *, kind: str, draws: int | None = None, seed: int = 0
) -> Resampled:
    """Each topic's documents drawn with replacement, similarity and the whole HITS path computed anew (Efron 1979).

    Two copies of one document are no two documents: pairs of a document with itself are left out of a topic's own
    coherence in every draw.
    """
    draws = draws or (DRAWS if topics <= MOST_PAIRWISE else FEWER_DRAWS)
    units, codes = _documents(vectors, topic_codes)
    sizes = np.bincount(codes, minlength=topics)
    starts = np.cumsum(sizes) - sizes
    rng = np.random.default_rng(seed)
    drawn_rows = (starts[codes] + (rng.random(len(codes)) * sizes[codes]).astype(np.int64) for _ in range(draws))
    pairwise = topics <= MOST_PAIRWISE
    found = np.empty((draws if pairwise else 0, topics, topics), dtype=np.float32)
    steps, highest, medians = np.empty((draws, topics), dtype=np.int64), np.empty((draws, topics)), np.empty(draws)
    for draw, rows in enumerate(drawn_rows):
        similarity = _drawn_similarity(units, codes, np.bincount(rows, minlength=len(codes)), topics, kind)
        path = hits_path(similarity)
        steps[draw, path.order] = np.arange(topics)
        steps[draw, np.isnan(np.diag(similarity))] = topics
        highest[draw], medians[draw] = path.max, _median(similarity)
        if pairwise:
            found[draw] = similarity
    low, high = known_quantiles(found, (0.025, 0.975)) if pairwise else (None, None)
    return Resampled(low, high, steps, highest, medians)


def check_labels(
    vectors: NDArray[np.floating], topic_codes: Ints, topics: int, *, kind: str, shuffles: int = SHUFFLES, seed: int = 0
) -> LabelCheck:
    """The median pair's similarity beside that of labels shuffled over the documents, sizes kept.

    Random groups of one population have a corrected similarity of 1: labels that do not lie below all shuffles do not
    separate the texts, and every split by them is a random split.
    """
    units, codes = _documents(vectors, topic_codes)
    once = np.ones(len(codes), dtype=np.int64)
    rng = np.random.default_rng(seed)
    shuffled = [_median(_drawn_similarity(units, rng.permutation(codes), once, topics, kind)) for _ in range(shuffles)]
    # A shuffle that leaves no pair to compare is as alike as can be.
    return LabelCheck(_median(_drawn_similarity(units, codes, once, topics, kind)), np.nan_to_num(shuffled, nan=1.0))


def known_quantiles(draws: NDArray[np.floating], shares: Sequence[float]) -> list[Floats]:
    """Quantiles over the first axis of the values that are known; NaN where none is.

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


def _documents(vectors: NDArray[np.floating], topic_codes: Ints) -> tuple[NDArray[np.float32], Ints]:
    """Documents that have a vector, at length one, sorted by topic."""
    order = np.argsort(topic_codes, kind="stable")
    known = [np.any(vectors[rows], axis=1) for rows in blocks(*vectors.shape)]
    order = order[np.concatenate(known)[order]]
    units = np.empty((len(order), vectors.shape[1]), dtype=np.float32)
    for rows in blocks(*units.shape):
        units[rows] = unit_rows(np.asarray(vectors[order[rows]], dtype=np.float64))
    return units, topic_codes[order]


def _drawn_similarity(units: NDArray[np.float32], codes: Ints, times: Ints, topics: int, kind: str) -> Floats:
    """Topic similarities with each document counted so many times."""
    from scipy.sparse import csr_array

    rows = np.flatnonzero(times)
    weights = csr_array((times[rows].astype(np.float32), (codes[rows], rows)), shape=(topics, len(codes)))
    sums = np.asarray(weights @ units, dtype=np.float64)
    counts = np.bincount(codes, weights=times, minlength=topics)
    squares = np.bincount(codes, weights=times**2, minlength=topics)
    return similarity_of_sums(sums, counts, squares, kind=kind)[0]


def _median(similarity: Floats) -> float:
    pairs = pair_similarities(similarity)
    return float(np.median(pairs)) if len(pairs) else float("nan")
