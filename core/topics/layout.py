"""Where documents and centroids are drawn on the topic map. For the eye only: no score depends on it."""

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, record, unit_rows
from ..errors import unknown
from .space import TopicSpace

LAYOUTS = {"umap": "UMAP", "pca": "PCA"}
MOST_DRAWN = 5_000  # points; more hide one another, and UMAP takes minutes instead of seconds
FEWEST_FOR_UMAP = 15

# numba's `workqueue`, the threads it falls back on where libgomp is missing, ends the whole process when two threads run
# parallel code at once. UMAP is the only parallel code of numba's here (PPM's kernel is compiled without), so one lock
# round it serves the process; two maps at once would only share the same cores.
ONE_AT_A_TIME = Lock()


@record
class Layout:
    """Coordinates of the drawn documents (`rows` of the corpus) and of every topic's centroid."""

    method: str
    rows: Ints
    documents: Floats
    centroids: Floats


def map_layout(
    vectors: NDArray[np.floating],
    topic_codes: Ints,
    space: TopicSpace,
    *,
    method: str = "umap",
    neighbours: int = 15,
    seed: int = 0,
) -> Layout:
    """Two coordinates for at most 5,000 documents, every topic in proportion, and for all centroids.

    Centroids are laid out together with the documents, as points of their own.
    """
    if method not in LAYOUTS:
        raise unknown("layout", method, LAYOUTS)
    rows = _drawn_rows(topic_codes, len(space), seed=seed)
    points = np.vstack([unit_rows(vectors[rows].astype(np.float64)), unit_rows(space.centroids)])
    if method == "umap" and len(points) >= FEWEST_FOR_UMAP:
        flat = _umap(points, neighbours=neighbours, seed=seed)
    else:
        method, flat = "pca", _pca(points, seed=seed)
    flat = (flat - flat.mean(axis=0)) / max(flat.std(), 1e-12)
    return Layout(method, rows, flat[: len(rows)], flat[len(rows) :])


def warm_layout() -> None:
    """Compile UMAP by maps of 60 made points, so that the first map someone waits for is a quick one.

    Twice, because from 4,096 points on it looks for neighbours by other code.
    """
    points = np.random.default_rng(0).normal(size=(60, 8))
    for approximate in (False, True):
        _umap(points, neighbours=15, seed=0, approximate=approximate)


def _umap(points: Floats, *, neighbours: int, seed: int, approximate: bool = False) -> Floats:
    import warnings

    with ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns that a seed means one thread; that is what we ask for
        from umap import UMAP

        mapper = UMAP(
            n_neighbors=min(neighbours, len(points) - 1),
            min_dist=0.5,
            spread=1.5,
            metric="cosine",
            random_state=seed,
            n_jobs=1,
            force_approximation_algorithm=approximate,
        )
        return np.asarray(mapper.fit_transform(points), dtype=np.float64)


def _pca(points: Floats, *, seed: int) -> Floats:
    from sklearn.decomposition import PCA

    flat = PCA(n_components=min(2, *points.shape), random_state=seed).fit_transform(points)
    return np.pad(flat, ((0, 0), (0, 2 - flat.shape[1])))


def _drawn_rows(topic_codes: Ints, topics: int, *, seed: int) -> Ints:
    if len(topic_codes) <= MOST_DRAWN:
        return np.arange(len(topic_codes))
    rng = np.random.default_rng(seed)
    share = MOST_DRAWN / len(topic_codes)
    drawn = []
    sizes = np.bincount(topic_codes, minlength=topics)
    for rows in np.split(np.argsort(topic_codes, kind="stable"), np.cumsum(sizes)[:-1]):
        drawn.append(rng.choice(rows, max(1, round(len(rows) * share)), replace=False))
    return np.sort(np.concatenate(drawn))
