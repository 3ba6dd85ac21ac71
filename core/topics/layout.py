"""Where documents and centroids are drawn on the topic map, and which names fit there. For the eye only: no score depends on it."""

import re
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, record, unit_rows
from ..errors import unknown
from ..extras import installed
from ..progress import Progress, heard_by, tell
from .space import TopicSpace

LAYOUTS = {"umap": "UMAP", "pca": "PCA"}
MOST_DRAWN = 5_000  # points; more hide one another, and UMAP takes minutes instead of seconds
FEWEST_FOR_UMAP = 15

# numba's `workqueue`, the threads it falls back on where libgomp is missing, ends the whole process when two threads run
# parallel code at once. UMAP is the only parallel code of numba's here (PPM's kernel is compiled without), so one lock
# round it serves the process; two maps at once would only share the same cores.
ONE_AT_A_TIME = Lock()

MOST_LABELS = 40
MOST_TRIED = 400  # topics: the rest are the least important
NARROW, WIDE = 300.0, 660.0  # pixels of the map's width on a telephone, and on a laptop beside the sidebar
LETTER, HEIGHT, APART = 7.2, 17.0, 14.0  # pixels: a letter's width, a line's height, and from dot to line
LONGEST = 24  # letters
ROOM = 0.06  # of the map, round what is drawn

Anchor = Literal["left", "center", "right"]
Box = tuple[float, float, float, float]


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
    progress: Progress | None = None,
) -> Layout:
    """Two coordinates for at most 5,000 documents, every topic in proportion, and for all centroids.

    Centroids are laid out together with the documents, as points of their own.
    """
    if method not in LAYOUTS:
        raise unknown("layout", method, LAYOUTS)
    rows = _drawn_rows(topic_codes, len(space), seed=seed)
    points = np.vstack([unit_rows(vectors[rows].astype(np.float64)), unit_rows(space.centroids)])
    if method == "umap" and installed("sbert") and len(points) >= FEWEST_FOR_UMAP:
        with heard_by(progress):
            flat = _umap(points, neighbours=neighbours, seed=seed)
    else:
        method, flat = "pca", _pca(points, seed=seed)
    flat = (flat - flat.mean(axis=0)) / max(flat.std(), 1e-12)
    return Layout(method, rows, flat[: len(rows)], flat[len(rows) :])


def warm_layout() -> None:
    """Compile UMAP by maps of 60 made points, so that the first map someone waits for is a quick one.

    Twice, because from 4,096 points on it looks for neighbours by other code.
    """
    if not installed("sbert"):
        return
    points = np.random.default_rng(0).normal(size=(60, 8))
    for approximate in (False, True):
        _umap(points, neighbours=15, seed=0, approximate=approximate)


class _Stages:
    """Hear what UMAP prints of its stages and its epochs, and tell it as progress."""

    def write(self, text: str) -> int:
        if "Nearest Neighbors" in text:
            tell(20, 100, "UMAP: finding neighbours")
        elif "Construct embedding" in text:
            tell(40, 100, "UMAP: placing points")
        elif found := re.search(r"(\d+)%\|", text):
            tell(40 + int(found[1]) * 6 // 10, 100, "UMAP: placing points")
        return len(text)

    def flush(self) -> None:
        """Do nothing: there is nothing that waits."""


def _umap(points: Floats, *, neighbours: int, seed: int, approximate: bool = False) -> Floats:
    import warnings

    tell(5, 100, "UMAP: loading and compiling")
    heard: Any = _Stages()
    with ONE_AT_A_TIME, warnings.catch_warnings(), redirect_stdout(heard):
        warnings.simplefilter("ignore")  # it warns that a seed means one thread; that is what we ask for
        from umap import UMAP

        tell(10, 100, "UMAP: finding neighbours")

        mapper = UMAP(
            n_neighbors=min(neighbours, len(points) - 1),
            min_dist=0.5,
            spread=1.5,
            metric="cosine",
            random_state=seed,
            n_jobs=1,
            force_approximation_algorithm=approximate,
            verbose=True,
            tqdm_kwds={"file": heard, "mininterval": 0.5, "bar_format": "{percentage:.0f}%|"},
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


@dataclass(frozen=True, slots=True)
class MapLabel:
    """A topic's name above or below its centroid, beginning, centred or ending there; `narrow` where it has room on a
    telephone too, which leaves out the others."""

    topic: int
    above: bool
    anchor: Anchor
    narrow: bool = False


def map_labels(
    layout: Layout, names: Sequence[str], importance: Floats, *, height: float, always: Sequence[int] = ()
) -> tuple[MapLabel, ...]:
    """Names in order of importance (NaN last), `always` before all, each where no other name and no edge is in its way.

    Those that fit on a narrow map come first: what does not touch there does not on a wide one.
    """
    low, high = map_range(layout)
    share = (layout.centroids - low) / np.maximum(high - low, 1e-12)
    ranked = np.argsort(-np.nan_to_num(importance, nan=-np.inf), kind="stable")
    wanted = list(dict.fromkeys([*always, *ranked.tolist()]))[:MOST_TRIED]
    comparable: dict[int, MapLabel] = {}
    for width in (NARROW, WIDE):
        size = np.array([width, height])
        taken = [label_box(label, names, share * size) for label in comparable.values()]
        for topic in wanted:
            if len(comparable) < MOST_LABELS and topic not in comparable:
                label = _fitting(topic, names, share * size, taken, size)
                if label is not None:
                    comparable[topic] = replace(label, narrow=width == NARROW)
                    taken.append(label_box(label, names, share * size))
    return tuple(comparable.values())


def map_range(layout: Layout) -> tuple[Floats, Floats]:
    """The lower left and upper right corner of the map: everything drawn, and some room for names."""
    points = np.vstack([layout.documents, layout.centroids])
    low, high = points.min(axis=0), points.max(axis=0)
    return low - ROOM * (high - low), high + ROOM * (high - low)


def label_box(label: MapLabel, names: Sequence[str], positions: Floats) -> Box:
    """Left, bottom, right and top of a name, in the pixels of the positions."""
    x, y = positions[label.topic].tolist()
    length = LETTER * min(len(names[label.topic]), LONGEST)
    left = x - {"left": 0.0, "center": length / 2, "right": length}[label.anchor]
    bottom = y + (APART if label.above else -APART) - HEIGHT / 2
    return left, bottom, left + length, bottom + HEIGHT


def _fitting(topic: int, names: Sequence[str], positions: Floats, taken: list[Box], size: Floats) -> MapLabel | None:
    """The name where it is free, on the side of the middle first; None where it is nowhere."""
    low = bool(positions[topic, 1] <= size[1] / 2)
    anchors: tuple[Anchor, ...] = ("center", "left", "right")
    for label in (MapLabel(topic, above, anchor) for anchor in anchors for above in (low, not low)):
        left, bottom, right, top = label_box(label, names, positions)
        inside = left >= 0 and bottom >= 0 and right <= size[0] and top <= size[1]
        if inside and not any(left < x1 and x0 < right and bottom < y1 and y0 < top for x0, y0, x1, y1 in taken):
            return label
    return None
