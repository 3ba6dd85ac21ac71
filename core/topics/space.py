"""Topics as points: centroids, the similarity of every pair, and what a matrix of similarities shows."""

from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, Floats, Ints, blocks, record, unit_rows
from ..corpora import Corpus
from ..errors import InputError, SettingError, unknown
from ..formats import first_few

SIMILARITIES = {
    "corrected": "corrected for topic size",
    "plain": "plain, as in the paper",
}
CORRECTED = "corrected"
GIVEN = "given"  # similarities of the user's own, without documents
MOST_IN_MATRIX = 8_000  # topics: the matrix of all pairs grows with the square, and so do those made from it
UNRELIABLE = 0.5  # share of signal in a centroid below which it is mostly noise
NEEDS_DOCUMENTS = (
    "{} needs the documents' vectors, and only similarities of topics are given. Use an encoder or --vectors."
)
ROUNDING = 1e-6  # of similarities in a file
NO_COHERENCE = 1e-9  # mean cosine of a topic's own documents below which they have nothing in common


WhyIncomparable = Literal["no vector", "one document", "nothing shared"]


@dataclass(frozen=True, slots=True)
class Incomparable:
    """A topic that cannot be compared, and why."""

    topic: int
    why: WhyIncomparable


@record
class TopicSpace:
    """Topics in sorted order of name, their centroids, and how similar each pair is; `kind` says by which similarity.

    `counted[i]` documents of topic i have a vector, and `coherence[i]` is the mean cosine of two different ones of them
    (NaN for fewer than two). A topic that cannot be compared has NaN in its row and column, the diagonal included.
    """

    names: tuple[str, ...]
    sizes: Ints
    centroids: Floats
    similarity: Floats
    counted: Ints | None = None
    coherence: Floats | None = None
    kind: str = CORRECTED

    def __len__(self) -> int:
        return len(self.names)

    @property
    def comparable(self) -> Bools:
        """Return a mask of the topics that can be compared."""
        return np.asarray(~np.isnan(np.diag(self.similarity)))

    @property
    def incomparable(self) -> tuple[Incomparable, ...]:
        """Return the topics that cannot be compared, in order of name."""
        return incomparable_topics(self.comparable, self.sizes if self.counted is None else self.counted)

    @property
    def reliability(self) -> Floats:
        """Return r = n·û²/(1 + (n − 1)·û²): the share of a topic's centroid that is signal; NaN where it is unknown."""
        if self.coherence is None or self.counted is None:
            return np.full(len(self), np.nan)
        spread = np.where(self.coherence > NO_COHERENCE, self.coherence, np.nan)
        share: Floats = self.counted * spread / (1 + (self.counted - 1) * spread)
        return share

    @property
    def noisy(self) -> Bools:
        """Return a mask of the topics whose centroid is more noise than signal; where that is unknown it is not."""
        return np.asarray(self.reliability < UNRELIABLE)

    @property
    def nobodys_nearest(self) -> Bools:
        """Return a mask of the noisy topics: corrected for size, noise alone makes them similar to any other, up to 1. Plain
        similarity is only lowered by noise, so there all topics count."""
        return self.noisy if self.kind == CORRECTED else np.zeros(len(self), dtype=np.bool_)


def check_documents(corpus: Corpus, space: TopicSpace, vectors: NDArray[np.floating] | None = None) -> None:
    """Refuse similarities, or vectors, that are of other documents than the corpus's."""
    if vectors is None and space.names != corpus.topic_names:
        raise SettingError("The similarities are of other documents; compute them from this corpus.")
    if vectors is not None and (space.names != corpus.topic_names or len(vectors) != len(corpus)):
        raise SettingError("Vectors and similarities are of other documents; compute both from this corpus.")


@record
class TopicPoints:
    """Topics without the matrix of all pairs: a point each, so that two topics' similarity is the product of their points,
    cut at −1 and 1. A topic that cannot be compared is a row of NaN."""

    names: tuple[str, ...]
    sizes: Ints
    points: Floats
    counted: Ints
    kind: str

    def __len__(self) -> int:
        return len(self.names)

    @property
    def comparable(self) -> Bools:
        """Return a mask of the topics that can be compared."""
        return np.asarray(~np.isnan(self.points[:, 0]))

    @property
    def incomparable(self) -> tuple[Incomparable, ...]:
        """Return the topics that cannot be compared, in order of name."""
        return incomparable_topics(self.comparable, self.counted)


def topic_space(
    vectors: NDArray[np.floating], topic_codes: Ints, names: tuple[str, ...], *, similarity: str = CORRECTED
) -> TopicSpace:
    """Return centroid t_i = mean of the topic's L2-normalised document vectors (HITS, equation 1), and every pair's similarity."""
    if len(names) > MOST_IN_MATRIX:
        fact = f"{len(names):,} topics; the similarities of all pairs are computed for at most {MOST_IN_MATRIX:,}"
        raise SettingError(f"{fact}. Leave out the smallest topics; only HITS takes more.")
    sums, counted = topic_sums(vectors, topic_codes, len(names))
    return _space(names, np.bincount(topic_codes, minlength=len(names)), sums, counted, similarity)


def read_similarity(source: str | PathLike[str] | NDArray[np.floating], names: tuple[str, ...]) -> Floats:
    """Read a matrix of topic × topic similarities from a .npy file, or check one; rows and columns are in order of name."""
    name = "The matrix" if isinstance(source, np.ndarray) else str(source)
    matrix: Any = source
    if not isinstance(source, np.ndarray):
        try:
            matrix = np.load(source, allow_pickle=False, mmap_mode="r")
        except OSError as problem:
            raise InputError(f"{name}: cannot be read ({problem.strerror or problem}). Check the path.") from None
        except (ValueError, EOFError):
            raise InputError(f"{name}: this is not a .npy file of plain numbers. Write it with numpy.save.") from None
    if not isinstance(matrix, np.ndarray) or matrix.dtype.kind not in "fiu":
        raise InputError(f"{name}: this is not one array of numbers. Write it with numpy.save.")
    topics = len(names)
    if matrix.shape != (topics, topics):
        shape = " × ".join(map(str, matrix.shape)) or "one number"
        raise InputError(
            f"{name}: {shape} for {topics:,} topics. Give a row and a column per topic, in order of name: "
            f"{first_few(list(names), 3)}."
        )
    found = np.array(matrix, dtype=np.float64)
    problems = {
        "is not a finite number": ~np.isfinite(found),
        "is outside −1 to 1": np.abs(found) > 1 + ROUNDING,
        "differs from its mirror image": np.abs(found - found.T) > ROUNDING,
        "is not 1, though it compares a topic with itself": np.eye(topics, dtype=bool) & (np.abs(found - 1) > ROUNDING),
    }
    for what, where in problems.items():
        if where.any():
            one, two = np.argwhere(where)[0]
            raise InputError(
                f"{name}: the similarity of '{names[one]}' and '{names[two]}' is {found[one, two]:g}, which {what}. Correct it."
            )
    found = np.clip((found + found.T) / 2, -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found


def given_space(corpus: Corpus, similarity: Floats) -> TopicSpace:
    """Return the corpus's topics under similarities of the user's own; they have no centroids."""
    sizes = corpus.topic_sizes
    return TopicSpace(corpus.topic_names, sizes, np.zeros((len(sizes), 0)), similarity, sizes, None, GIVEN)


def topic_points(
    vectors: NDArray[np.floating], topic_codes: Ints, names: tuple[str, ...], *, similarity: str = CORRECTED
) -> TopicPoints:
    """Return the same topics as points, for any number of them."""
    sums, counted = topic_sums(vectors, topic_codes, len(names))
    points, _ = points_of_sums(sums, counted, counted, kind=similarity)
    return TopicPoints(names, np.bincount(topic_codes, minlength=len(names)), points, counted, similarity)


def topic_sums(vectors: NDArray[np.floating], topic_codes: Ints, topics: int) -> tuple[Floats, Ints]:
    """Return the sum of each topic's document vectors at length one, and how many of them are not zero.

    In blocks of documents as they stand in the file, so that a large corpus is never held a second time in double
    precision and a memory-mapped one is read from front to end.
    """
    if len(vectors) != len(topic_codes):
        raise SettingError(f"{len(vectors):,} vectors for {len(topic_codes):,} documents; one each is needed.")
    sums, counted = np.zeros((topics, vectors.shape[1])), np.zeros(topics, dtype=np.int64)
    for rows in blocks(*vectors.shape):
        units = unit_rows(np.asarray(vectors[rows], dtype=np.float64))
        codes = topic_codes[rows]
        order = np.argsort(codes, kind="stable")
        present, starts = np.unique(codes[order], return_index=True)
        sums[present] += np.add.reduceat(units[order], starts, axis=0)
        counted += np.bincount(codes[units.any(axis=1)], minlength=topics)
    return sums, counted


def merged_space(space: TopicSpace, assigned: Ints) -> TopicSpace:
    """Return the space after each topic i joined topic `assigned[i]`; topics assigned to −1 are dropped."""
    if space.kind == GIVEN:
        raise SettingError(NEEDS_DOCUMENTS.format("Merging topics"))
    left = np.unique(assigned[assigned >= 0])
    if len(left) == 0:
        raise SettingError("No topic is left; keep at least one.")
    members = [np.flatnonzero(assigned == topic) for topic in left]
    names = tuple(space.names[topic] for topic in left)
    counted = space.sizes if space.counted is None else space.counted
    sizes, with_vector = (
        np.array([each[rows].sum() for rows in members], dtype=np.int64) for each in (space.sizes, counted)
    )
    sums = np.stack([(space.centroids[rows] * space.sizes[rows, None]).sum(axis=0) for rows in members])
    return _space(names, sizes, sums, with_vector, space.kind)


def part_of_space(space: TopicSpace, topics: Ints) -> TopicSpace:
    """Return the space of some of its topics: no topic's point depends on the topics beside it."""
    return TopicSpace(
        tuple(space.names[topic] for topic in topics),
        space.sizes[topics],
        space.centroids[topics],
        space.similarity[np.ix_(topics, topics)],
        None if space.counted is None else space.counted[topics],
        None if space.coherence is None else space.coherence[topics],
        space.kind,
    )


def similarity_of_sums(
    sums: Floats, counts: Floats | Ints, squares: Floats | Ints, *, kind: str
) -> tuple[Floats, Floats]:
    """Return similarity of every pair of topics and coherence û² of each, from sums of unit document vectors.

    `counts` = Σ w and `squares` = Σ w² over a topic's documents, w being 1 unless documents are resampled.
    û_i² = (‖Σ w v‖² − Σ w²)/((Σ w)² − Σ w²) is exactly the mean cosine of two different documents of topic i, and

        corrected(i, j) = (t_i · t_j)/(û_i·û_j),  plain(i, j) = (t_i · t_j)/(‖t_i‖·‖t_j‖):

    how similar documents of two topics are, relative to how similar they are within each. Few documents make ‖t_i‖ too
    large, because every document is like itself, and so plain similarity too small; û_i leaves those pairs out, does
    not depend on size, and equals ‖t_i‖ as topics grow (docs/methods.md, section 1).
    """
    points, coherence = points_of_sums(sums, counts, squares, kind=kind)
    return similarity_of_points(points), coherence


def points_of_sums(sums: Floats, counts: Floats | Ints, squares: Floats | Ints, *, kind: str) -> tuple[Floats, Floats]:
    """Return a point a topic, t_i/û_i or t_i/‖t_i‖ of `similarity_of_sums` (NaN where û_i is unknown), and each coherence."""
    if kind not in SIMILARITIES:
        raise unknown("similarity", kind, SIMILARITIES)
    pairs = counts**2 - squares
    own = np.einsum("ij,ij->i", sums, sums)
    coherence = np.divide(own - squares, pairs, out=np.full(len(sums), np.nan), where=pairs > 0)
    if kind == "plain":
        return unit_rows(sums), coherence
    spread = np.sqrt(np.where(coherence > NO_COHERENCE, coherence, np.nan)) * counts
    return sums / spread[:, None], coherence


def similarity_of_points(points: Floats) -> Floats:
    """Return every pair's product, cut at −1 and 1; a topic is similar to itself even if its centroid is zero."""
    similarity = points @ points.T
    np.clip(similarity, -1.0, 1.0, out=similarity)
    np.fill_diagonal(similarity, np.where(np.isnan(points).any(axis=1), np.nan, 1.0))
    return similarity


def incomparable_topics(comparable: Bools, counted: Ints) -> tuple[Incomparable, ...]:
    """Return the topics that cannot be compared, each with the reason."""
    reasons: dict[int, WhyIncomparable] = {0: "no vector", 1: "one document"}
    return tuple(
        Incomparable(topic, reasons.get(int(counted[topic]), "nothing shared"))
        for topic in np.flatnonzero(~comparable).tolist()
    )


def _space(names: tuple[str, ...], sizes: Ints, sums: Floats, counted: Ints, kind: str) -> TopicSpace:
    similarity, coherence = similarity_of_sums(sums, counted, counted, kind=kind)
    return TopicSpace(names, sizes, sums / np.maximum(sizes, 1)[:, None], similarity, counted, coherence, kind)


@record
class TopicLeakage:
    """What each topic shares with all the others: mean, maximum, their product, and the nearest topic (NaN and −1 for a
    topic that cannot be compared, or beside which no other can be the nearest)."""

    mean: Floats
    max: Floats
    score: Floats
    nearest: Ints


def nearest_similarity(space: TopicSpace, similarity: Floats) -> Floats:
    """Return the highest of `similarity` (any rows × the space's topics) per row; NaN where nothing is known.

    Noisy topics count only in rows that know no others.
    """
    known = np.where(np.isnan(similarity), -np.inf, similarity)
    certain = np.where(space.nobodys_nearest, -np.inf, known).max(axis=1, initial=-np.inf)
    highest = np.where(np.isneginf(certain), known.max(axis=1, initial=-np.inf), certain)
    return np.where(np.isneginf(highest), np.nan, highest)


def topic_leakage(similarity: Floats, *, nobodys_nearest: Bools | None = None) -> TopicLeakage:
    """Return leakage of a topic against all others: l_i = mean(S_i) · max(S_i) (HITS, equation 3); `nobodys_nearest` are in no
    maximum."""
    others = np.array(similarity, dtype=np.float64)
    np.fill_diagonal(others, np.nan)
    known = ~np.isnan(others)
    count = known.sum(axis=1)
    filled = np.where(known, others, -np.inf)
    if nobodys_nearest is not None:
        filled[:, nobodys_nearest] = -np.inf
    mean = np.divide(np.where(known, others, 0.0).sum(axis=1), count, out=np.full(len(others), np.nan), where=count > 0)
    near = np.isfinite(filled).any(axis=1)
    maximum = np.where(near, filled.max(axis=1), np.nan)
    return TopicLeakage(mean, maximum, mean * maximum, np.where(near, filled.argmax(axis=1), -1))


def pair_similarities(similarity: Floats, *, every: int = 1) -> Floats:
    """Return the similarity of every unordered pair of different topics that can be compared, as one flat array; or of the pairs of
    which every this many-th topic is the first by name."""
    values = _above_diagonal(similarity, every)
    known = ~np.isnan(values)
    pairs: Floats = values if known.all() else values[known]
    return pairs


def _above_diagonal(similarity: Floats, every: int = 1) -> Floats:
    """Collect pairs row by row: indices of millions of pairs would need twice the memory of the pairs."""
    rows = [similarity[row, row + 1 :] for row in range(0, len(similarity), every)]
    return np.concatenate(rows) if rows else np.empty(0)


def pair_histogram(similarity: Floats, *, bins: int = 40, threshold: float = 1.0) -> tuple[Floats, Ints]:
    """Return edges and counts of the similarities of all pairs, so that millions of pairs draw as quickly as ten.

    Bins are 1/`bins` of the way from the lowest similarity (or 0) to 1, and one begins at the threshold: none lies on both
    sides of it.
    """
    values = pair_similarities(similarity)
    lowest = float(values.min(initial=0.0))
    width = (1.0 - lowest) / bins
    below, above = (int(np.ceil(reach / width - 1e-9)) for reach in (threshold - lowest, 1.0 - threshold))
    edges = np.asarray(threshold + width * np.arange(-below, above + 1), dtype=np.float64)
    edges[0], edges[-1] = min(edges[0], lowest), max(edges[-1], 1.0)
    # All bins but the ends are equally wide, and of millions of pairs to divide is ten times quicker than to search.
    places = np.floor((values - threshold) / width).astype(np.int64) + below
    counts = np.bincount(np.clip(places, 0, len(edges) - 2), minlength=len(edges) - 1)
    return edges, counts.astype(np.int64)


def closest_pairs(
    similarity: Floats, *, most: int, low: NDArray[np.floating] | None = None
) -> list[tuple[int, int, float]]:
    """Return the most similar pairs of different topics, the closest first.

    With `low`, the lower ends of the pairs' intervals, these decide: the similarity of small topics is cut at 1, and noise
    alone would put them first.
    """
    known = _above_diagonal(similarity)
    values = known.copy() if low is None else _above_diagonal(low.astype(np.float64))
    values[np.isnan(values) | np.isnan(known)] = -np.inf
    least = np.partition(values, -most)[-most] if len(values) > most else -np.inf
    near = np.flatnonzero((values >= least) & (values > -np.inf))
    order = near[np.lexsort((-known[near], -values[near]))][:most]
    begins = np.concatenate([[0], np.cumsum(np.arange(len(similarity) - 1, 0, -1))])  # of every row, among the values
    first = np.searchsorted(begins, order, side="right") - 1
    second = order - begins[first] + first + 1
    return [(int(one), int(two), float(value)) for one, two, value in zip(first, second, known[order], strict=True)]


def cluster_order(similarity: Floats) -> Ints:
    """Return topics ordered so that similar ones are neighbours: average linkage on 1 − similarity (unknown: unlike all)."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(similarity) < 3:
        return np.arange(len(similarity))
    distance = np.nan_to_num(np.clip(1.0 - similarity, 0.0, None), nan=2.0)
    # The best flip of every branch costs the cube of the topics; past 400 the plain order has to do.
    tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=len(similarity) <= 400)
    return np.asarray(leaves_list(tree), dtype=np.int64)


def similar_groups(similarity: Floats, *, most: int) -> tuple[Ints, Ints]:
    """Return each topic's group, and the most central topic of every group: complete linkage, at most `most` groups.

    Groups come in order of size; a topic that cannot be compared is in none (−1). Complete linkage keeps groups of
    similar width, so that a colour stands for near topics.
    """
    from scipy.cluster.hierarchy import cut_tree, linkage
    from scipy.spatial.distance import squareform

    known = np.flatnonzero((~np.isnan(similarity)).sum(axis=1) > 1)
    codes = np.full(len(similarity), -1, dtype=np.int64)
    if len(known) <= most:
        codes[known] = np.arange(len(known))
        return codes, known
    distance = np.nan_to_num(np.clip(1.0 - similarity[np.ix_(known, known)], 0.0, None), nan=2.0)
    np.fill_diagonal(distance, 0.0)
    found = cut_tree(linkage(squareform(distance, checks=False), "complete"), most).ravel()
    by_size = np.argsort(-np.bincount(found), kind="stable")
    codes[known] = np.argsort(by_size)[found]
    members = [np.flatnonzero(found == group) for group in by_size]
    central = [rows[np.argmin(distance[np.ix_(rows, rows)].sum(axis=1))] for rows in members]
    return codes, known[np.array(central)]
