"""Where documents and centroids are drawn on the topic map, and which names fit there. For the eye only: no score depends on it."""

import re
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, largest, record, unit_rows
from ..corpora import Corpus, word_options
from ..errors import unknown
from ..extras import installed
from ..progress import Progress, heard_by, tell
from ..vectors import small_words
from .space import TopicSpace

if TYPE_CHECKING:
    from scipy import sparse

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
    """Return two coordinates for at most 5,000 documents, every topic in proportion, and for all centroids.

    UMAP lays centroids out together with the documents, as points of their own. Under PCA, which is linear, a topic's centroid
    is the mean of its drawn documents: a unit vector would lie outside its own cloud.
    """
    if method not in LAYOUTS:
        raise unknown("layout", method, LAYOUTS)
    rows = _drawn_rows(topic_codes, len(space), seed=seed)
    points = np.vstack([unit_rows(vectors[rows].astype(np.float64)), unit_rows(space.centroids)])
    if method == "umap" and installed("sbert") and len(points) >= FEWEST_FOR_UMAP:
        with heard_by(progress):
            flat = _umap(points, neighbours=neighbours, seed=seed)
    else:
        method, flat = "pca", _pca(points[: len(rows)], seed=seed)
        codes = topic_codes[rows]
        own = np.zeros((len(space), len(rows)))
        own[codes, np.arange(len(rows))] = 1 / np.bincount(codes, minlength=len(space))[codes]
        flat = np.vstack([flat, own @ flat])
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
    """Where a topic's name stands beside its centroid."""

    topic: int
    above: bool  # the centroid; else below
    anchor: Anchor  # what of the name stands there: its start, middle or end
    narrow: bool = False  # there is room on a telephone too, which leaves out the others


def map_labels(
    layout: Layout, names: Sequence[str], importance: Floats, *, height: float, always: Sequence[int] = ()
) -> tuple[MapLabel, ...]:
    """Place names by importance (NaN last, `always` first), each where no other name or edge is in the way.

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
    """Return the lower left and upper right corner of the map: everything drawn, and some room for names."""
    points = np.vstack([layout.documents, layout.centroids])
    low, high = points.min(axis=0), points.max(axis=0)
    return low - ROOM * (high - low), high + ROOM * (high - low)


def label_box(label: MapLabel, names: Sequence[str], positions: Floats) -> Box:
    """Return left, bottom, right and top of a name, in the pixels of the positions."""
    x, y = positions[label.topic].tolist()
    length = LETTER * min(len(names[label.topic]), LONGEST)
    left = x - {"left": 0.0, "center": length / 2, "right": length}[label.anchor]
    bottom = y + (APART if label.above else -APART) - HEIGHT / 2
    return left, bottom, left + length, bottom + HEIGHT


def _fitting(topic: int, names: Sequence[str], positions: Floats, taken: list[Box], size: Floats) -> MapLabel | None:
    """Return the name where there is room, towards the middle first, or None if there is none."""
    low = bool(positions[topic, 1] <= size[1] / 2)
    anchors: tuple[Anchor, ...] = ("center", "left", "right")
    for label in (MapLabel(topic, above, anchor) for anchor in anchors for above in (low, not low)):
        left, bottom, right, top = label_box(label, names, positions)
        inside = left >= 0 and bottom >= 0 and right <= size[0] and top <= size[1]
        if inside and not any(left < x1 and x0 < right and bottom < y1 and y0 < top for x0, y0, x1, y1 in taken):
            return label
    return None


# Words of three letters or more, so that markup, numbers and initials do not pass for subject matter.
WORD = r"(?u)\b[^\W\d_]{3,}\b"
MOST_TERMS = 20_000
COMMON = 0.8  # share of the documents above which a word tells no topic from another, in any language
BLOCK = 2_000  # documents of one topic compared at a time: bounds memory at a few tens of megabytes
BLOCKS = 60  # of topics in a row of the matrix


@record
class TermWeights:
    """`weights[i, t]`: how distinctive term t is of topic i (c-TF-IDF)."""

    terms: tuple[str, ...]
    weights: "sparse.csr_array"


@record
class SharedTerms:
    """Terms distinctive of both topics, the strongest bond first, with their weight in each."""

    terms: tuple[str, ...]
    first: Floats
    second: Floats


@record
class ClosestDocuments:
    """Pairs of corpus rows, one from each topic, the most similar first."""

    first: Ints
    second: Ints
    similarity: Floats


def term_weights(corpus: Corpus) -> TermWeights:
    """Return c-TF-IDF: W_{t,c} = tf_{t,c} · ln(1 + A / f_t), tf as a share of the topic's words, f_t the term's count
    in all topics, A the mean number of words per topic (Grootendorst 2022)."""
    from scipy import sparse
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    counter = CountVectorizer(
        stop_words=sorted(ENGLISH_STOP_WORDS | small_words(corpus.texts)),
        min_df=2 if len(corpus) > 50 else 1,
        max_df=COMMON if len(corpus) > 50 else 1.0,
        **word_options(corpus.texts, WORD),
    )
    try:
        counts = counter.fit_transform(corpus.texts)
    except ValueError:  # no word at all: stop words and numbers only
        return TermWeights((), sparse.csr_array((len(corpus.topic_names), 0)))
    kept = largest(np.asarray(counts.sum(axis=0)).ravel(), MOST_TERMS)
    counts = counts[:, kept]
    belongs = sparse.csr_array(
        (np.ones(len(corpus)), (corpus.topic_codes, np.arange(len(corpus)))),
        shape=(len(corpus.topic_names), len(corpus)),
    )
    per_topic = sparse.csr_array(belongs @ counts, dtype=np.float64)
    words = per_topic.sum(axis=1)
    frequency = per_topic.sum(axis=0)
    shares = sparse.diags_array(np.divide(1.0, words, out=np.zeros_like(words), where=words > 0)) @ per_topic
    weights = shares @ sparse.diags_array(np.log1p(words.mean() / frequency))
    return TermWeights(tuple(counter.get_feature_names_out()[kept]), sparse.csr_array(weights))


def shared_terms(weights: TermWeights, first: int, second: int, *, most: int = 15) -> SharedTerms:
    """Return terms by the geometric mean of their two weights: high only where the term is distinctive of both topics."""
    one, two = weights.weights[[first]].toarray()[0], weights.weights[[second]].toarray()[0]
    bond = np.sqrt(one * two)
    order = np.argsort(-bond, kind="stable")[:most]
    order = order[bond[order] > 0]
    return SharedTerms(tuple(weights.terms[i] for i in order), one[order], two[order])


def closest_documents(
    vectors: NDArray[np.floating], topic_codes: Ints, first: int, second: int, *, most: int = 5
) -> ClosestDocuments:
    """Return the most similar documents across two topics; each document appears once, so one odd text cannot fill the list."""
    ours, theirs = np.flatnonzero(topic_codes == first), np.flatnonzero(topic_codes == second)
    units = unit_rows(vectors[theirs].astype(np.float64))
    candidates: list[tuple[float, int, int]] = []
    for start in range(0, len(ours), BLOCK):
        rows = ours[start : start + BLOCK]
        cosine = unit_rows(vectors[rows].astype(np.float64)) @ units.T
        # A document can be ruled out by at most `most` better pairs on either side, so this many per block suffice.
        enough = min(cosine.size, most * (most + max(cosine.shape)))
        flat = np.argpartition(-cosine, enough - 1, axis=None)[:enough]
        row, column = np.unravel_index(flat, cosine.shape)
        near = cosine[row, column], rows[row], theirs[column]
        candidates += zip(*(each.tolist() for each in near), strict=True)
    candidates.sort(key=lambda pair: (-pair[0], pair[1], pair[2]))
    used: set[int] = set()
    chosen: list[tuple[float, int, int]] = []
    for cosine_value, one, two in candidates:
        if len(chosen) == most:
            break
        if one not in used and two not in used:
            used |= {one, two}
            chosen.append((cosine_value, one, two))
    pairs = np.array([pair for _, *pair in chosen], dtype=np.int64).reshape(-1, 2)
    return ClosestDocuments(pairs[:, 0], pairs[:, 1], np.array([value for value, *_ in chosen]))


@record
class MatrixBlocks:
    """A matrix of similarities in blocks of neighbouring topics: the mean over pairs of different topics in each block (NaN
    where none is known), the closest of these pairs, and its similarity. Block b holds `order[edges[b]:edges[b + 1]]`."""

    order: Ints
    edges: Ints
    mean: Floats
    closest: Ints  # block × block × 2: two topics, −1 where none is known
    highest: Floats


def matrix_blocks(similarity: Floats, order: Ints, *, most: int = BLOCKS) -> MatrixBlocks:
    """Return topics in this order, cut into at most `most` blocks of nearly equal size."""
    edges = np.linspace(0, len(order), min(most, len(order)) + 1).round().astype(np.int64)
    count = len(edges) - 1
    ordered = np.array(similarity[np.ix_(order, order)], dtype=np.float64)
    np.fill_diagonal(ordered, np.nan)
    known = ~np.isnan(ordered)
    sums, pairs = np.where(known, ordered, 0.0), known.astype(np.float64)
    for axis in (0, 1):
        sums, pairs = (np.add.reduceat(each, edges[:-1], axis=axis) for each in (sums, pairs))
    mean = np.divide(sums, pairs, out=np.full((count, count), np.nan), where=pairs > 0)
    ordered[~known] = -np.inf
    closest, highest = np.full((count, count, 2), -1, dtype=np.int64), np.full((count, count), np.nan)
    for row, column in zip(*np.nonzero(pairs), strict=True):
        block = ordered[edges[row] : edges[row + 1], edges[column] : edges[column + 1]]
        one, two = np.unravel_index(int(block.argmax()), block.shape)
        closest[row, column] = order[edges[row] + one], order[edges[column] + two]
        highest[row, column] = block[one, two]
    return MatrixBlocks(order, edges, mean, closest, highest)
