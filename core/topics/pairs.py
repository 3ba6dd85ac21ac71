"""What a matrix of similarities says: of each topic among the others, of all pairs, and in which order to show them."""

import numpy as np

from ..arrays import Floats, Ints, record


@record
class TopicLeakage:
    """What each topic shares with all the others: mean, maximum, their product, and the nearest topic (NaN and −1 for a
    topic that cannot be placed)."""

    mean: Floats
    max: Floats
    score: Floats
    nearest: Ints


def topic_leakage(similarity: Floats) -> TopicLeakage:
    """Leakage of a topic against all others: l_i = mean(S_i) · max(S_i) (HITS, equation 3)."""
    others = np.array(similarity, dtype=np.float64)
    np.fill_diagonal(others, np.nan)
    known = ~np.isnan(others)
    count = known.sum(axis=1)
    filled = np.where(known, others, -np.inf)
    mean = np.divide(np.where(known, others, 0.0).sum(axis=1), count, out=np.full(len(others), np.nan), where=count > 0)
    maximum = np.where(count > 0, filled.max(axis=1), np.nan)
    return TopicLeakage(mean, maximum, mean * maximum, np.where(count > 0, filled.argmax(axis=1), -1))


def pair_similarities(similarity: Floats, *, every: int = 1) -> Floats:
    """The similarity of every unordered pair of different topics that can be placed, as one flat array; or of the pairs of
    which every so many-th topic is the first by name."""
    values = _above_diagonal(similarity, every)
    known = ~np.isnan(values)
    pairs: Floats = values if known.all() else values[known]
    return pairs


def _above_diagonal(similarity: Floats, every: int = 1) -> Floats:
    """Row by row: indices of millions of pairs would be twice as large as the pairs themselves."""
    rows = [similarity[row, row + 1 :] for row in range(0, len(similarity), every)]
    return np.concatenate(rows) if rows else np.empty(0)


def pair_histogram(similarity: Floats, *, bins: int = 40, line: float = 1.0) -> tuple[Floats, Ints]:
    """Edges and counts of the similarities of all pairs, so that millions of pairs draw as quickly as ten.

    Bins are 1/`bins` of the way from the lowest similarity (or 0) to 1, and one begins at the line: none lies on both
    sides of it.
    """
    values = pair_similarities(similarity)
    lowest = float(values.min(initial=0.0))
    width = (1.0 - lowest) / bins
    below, above = (int(np.ceil(reach / width - 1e-9)) for reach in (line - lowest, 1.0 - line))
    edges = np.asarray(line + width * np.arange(-below, above + 1), dtype=np.float64)
    edges[0], edges[-1] = min(edges[0], lowest), max(edges[-1], 1.0)
    # All bins but the ends are equally wide, and of millions of pairs to divide is ten times quicker than to search.
    places = np.floor((values - line) / width).astype(np.int64) + below
    counts = np.bincount(np.clip(places, 0, len(edges) - 2), minlength=len(edges) - 1)
    return edges, counts.astype(np.int64)


def closest_pairs(similarity: Floats, *, most: int) -> list[tuple[int, int, float]]:
    """The most similar pairs of different topics, the closest first."""
    values = _above_diagonal(similarity)
    values[np.isnan(values)] = -np.inf
    least = np.partition(values, -most)[-most] if len(values) > most else -np.inf
    near = np.flatnonzero((values >= least) & (values > -np.inf))
    order = near[np.argsort(-values[near], kind="stable")][:most]
    begins = np.concatenate([[0], np.cumsum(np.arange(len(similarity) - 1, 0, -1))])  # of every row, among the values
    first = np.searchsorted(begins, order, side="right") - 1
    second = order - begins[first] + first + 1
    return [(int(one), int(two), float(value)) for one, two, value in zip(first, second, values[order], strict=True)]


def cluster_order(similarity: Floats) -> Ints:
    """Topics ordered so that alike ones are neighbours: average linkage on 1 − similarity (unknown: unlike all)."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(similarity) < 3:
        return np.arange(len(similarity))
    distance = np.nan_to_num(np.clip(1.0 - similarity, 0.0, None), nan=2.0)
    # The best flip of every branch costs the cube of the topics; past 400 the plain order has to do.
    tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=len(similarity) <= 400)
    return np.asarray(leaves_list(tree), dtype=np.int64)
