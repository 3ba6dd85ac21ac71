"""Topics as points: a centroid each, and the cosine similarity of every pair."""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, record, unit_rows
from ..errors import SettingError


@record
class TopicSpace:
    """Topics in sorted order of name, their centroids, and `similarity[i, j]` = cos(t_i, t_j)."""

    names: tuple[str, ...]
    sizes: Ints
    centroids: Floats
    similarity: Floats

    def __len__(self) -> int:
        return len(self.names)


@record
class TopicLeakage:
    """What each topic shares with all the others: mean, maximum, their product, and the nearest topic."""

    mean: Floats
    max: Floats
    score: Floats
    nearest: Ints


def topic_space(vectors: NDArray[np.floating], topic_codes: Ints, names: tuple[str, ...]) -> TopicSpace:
    """Centroid t_i = mean of the topic's L2-normalised document vectors (HITS, equation 1)."""
    if len(vectors) != len(topic_codes):
        raise SettingError(f"{len(vectors):,} vectors for {len(topic_codes):,} documents; one each is needed.")
    order = np.argsort(topic_codes, kind="stable")
    sizes = np.bincount(topic_codes, minlength=len(names))
    centroids = np.zeros((len(names), vectors.shape[1]))
    # Topic by topic, so that a large corpus is never held a second time in double precision.
    for code, rows in enumerate(np.split(order, np.cumsum(sizes)[:-1])):
        if len(rows):
            centroids[code] = unit_rows(vectors[rows].astype(np.float64)).mean(axis=0)
    return _with_similarity(names, sizes, centroids)


def merged_space(space: TopicSpace, assigned: Ints) -> TopicSpace:
    """The space after each topic i joined topic `assigned[i]`; topics assigned to −1 are dropped."""
    left = np.unique(assigned[assigned >= 0])
    if len(left) == 0:
        raise SettingError("No topic is left; keep at least one.")
    members = [np.flatnonzero(assigned == topic) for topic in left]
    sizes = np.array([space.sizes[rows].sum() for rows in members], dtype=np.int64)
    centroids = np.stack([np.average(space.centroids[rows], axis=0, weights=space.sizes[rows]) for rows in members])
    return _with_similarity(tuple(space.names[topic] for topic in left), sizes, centroids)


def topic_leakage(similarity: Floats) -> TopicLeakage:
    """Leakage of a topic against all others: l_i = mean(S_i) · max(S_i) (HITS, equation 3)."""
    others = np.array(similarity, dtype=np.float64)
    np.fill_diagonal(others, -np.inf)
    nearest = others.argmax(axis=1)
    maximum = others.max(axis=1)
    mean = (similarity.sum(axis=1) - np.diag(similarity)) / (len(similarity) - 1)
    return TopicLeakage(mean, maximum, mean * maximum, nearest)


def pair_similarities(similarity: Floats) -> Floats:
    """The similarity of every unordered pair of different topics, as one flat array."""
    return similarity[np.triu_indices(len(similarity), k=1)]


def pair_histogram(similarity: Floats, *, bins: int = 40) -> tuple[Floats, Ints]:
    """Edges and counts of the similarities of all pairs, so that millions of pairs draw as quickly as ten."""
    values = pair_similarities(similarity)
    counts, edges = np.histogram(values, bins=bins, range=(min(0.0, float(values.min())), 1.0))
    return edges, counts.astype(np.int64)


def closest_pairs(similarity: Floats, *, most: int) -> list[tuple[int, int, float]]:
    """The most similar pairs of different topics, the closest first."""
    first, second = np.triu_indices(len(similarity), k=1)
    values = similarity[first, second]
    order = np.argsort(-values, kind="stable")[:most]
    return [(int(first[i]), int(second[i]), float(values[i])) for i in order]


def cluster_order(similarity: Floats) -> Ints:
    """Topics ordered so that alike ones are neighbours: average linkage on 1 − similarity."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(similarity) < 3:
        return np.arange(len(similarity))
    distance = np.clip(1.0 - similarity, 0.0, None)
    np.fill_diagonal(distance, 0.0)
    # The best flip of every branch costs the cube of the topics; past 400 the plain order has to do.
    tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=len(similarity) <= 400)
    return np.asarray(leaves_list(tree), dtype=np.int64)


def _with_similarity(names: tuple[str, ...], sizes: Ints, centroids: Floats) -> TopicSpace:
    """cos(t_i, t_j) of every pair (HITS, equation 2); a topic is like itself even where its centroid is zero."""
    directions = unit_rows(centroids)
    similarity = np.clip(directions @ directions.T, -1.0, 1.0)
    np.fill_diagonal(similarity, 1.0)
    return TopicSpace(names, sizes, centroids, similarity)
