"""Topics for texts that have none: clusters of their vectors, named by their words, and whether they are really there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ..arrays import Floats, Ints, blocks, record, text_digest, unit_rows
from ..corpora import Corpus, take
from ..errors import SettingError, unknown
from ..formats import choose
from ..progress import Pace, Progress
from .layout import term_weights

FEWEST = 10  # points
MOST_FITTED = 2_500  # points on which k centres are fitted; the others join the nearest
MOST_FOUND = MOST_FITTED // 2  # topics
MOST_BY_DENSITY = 20_000  # points, of which none can join later
MOST_COMPARED = 2_000  # points of which the silhouette is the mean
RANGE = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 50, 60, 80, 100)
STARTS = 3  # of k-means, the best of which counts
RESAMPLES, SHARE = 10, 0.8  # draws of this share of the points
DRAWS_OF_NONE, MARGIN = 10, 4.0  # standard deviations of the draws: k was chosen among many

Fit = Callable[[Floats], Ints]

TOO_UNSTABLE, STABLE_FROM = 0.3, 0.7  # stability
WORDS, SEPARATOR = 3, " · "  # of a name; no file has several topics in a cell by that separator


@dataclass(frozen=True, slots=True)
class Method:
    """A way to find clusters, on this many main axes of the points; `takes_k`: it is told how many clusters."""

    label: str
    about: str
    axes: int
    takes_k: bool


METHODS: dict[str, Method] = {
    "k-means": Method("k-means", "Every document joins the nearest of k centres; k by stability.", 50, True),
    "hdbscan": Method("HDBSCAN", "Dense regions are topics; documents between them have none.", 15, False),
}


@record
class Tried:
    """One number of clusters: their silhouette, and the adjusted Rand index between them and the clusters of each draw of 80%
    of the points."""

    k: int
    silhouette: float
    agreements: Floats

    @property
    def stability(self) -> float:
        """Return the mean over the draws."""
        return float(self.agreements.mean())


@record
class Clusters:
    """`labels[i]` is point i's cluster, −1 where it has none.

    `silhouette` is that of these clusters, `by_chance` the highest that directions drawn from one normal distribution of the
    same mean and variances are likely to reach; `tried` holds every k that was compared. `stability` is the mean adjusted Rand
    index between these clusters and those of draws of 80% of the points.
    """

    labels: Ints
    silhouette: float
    by_chance: float
    tried: tuple[Tried, ...]
    stability: float


def find_clusters(
    vectors: NDArray[np.floating], *, method: str, k: int | None, seed: int, progress: Progress | None = None
) -> Clusters:
    """Cluster vectors by direction; the order of random input does not matter."""
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    chosen = METHODS[method]
    _check(chosen, k, len(vectors))
    axes = _main_axes(vectors, chosen.axes, seed)
    points = axes.of(vectors)
    fitted = points[:MOST_FITTED] if chosen.takes_k else points
    to_try = [0] if not chosen.takes_k else [k] if k else [each for each in RANGE if each <= len(fitted) // 4] or [2]
    tick = _fit_counter(progress, len(to_try) * (1 + RESAMPLES) + DRAWS_OF_NONE)
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(len(fitted), int(SHARE * len(fitted)), replace=False) for _ in range(RESAMPLES)]
    tried = []
    for each in to_try:
        fit = _fit_of(each, seed)
        labels = fit(fitted)
        if labels.max() < 1:
            raise SettingError(
                f"{chosen.label} finds fewer than 2 clusters here; choose k-means, or give more documents."
            )
        silhouette = _silhouette(fitted, labels, tick)
        tried.append(
            Tried(
                each,
                silhouette,
                np.array([_agreement_of_clusterings(fit(fitted[rows]), labels[rows], tick) for rows in drawn]),
            )
        )
    best = most_stable(tried)
    fit = _fit_of(best.k, seed)
    nothing = (axes.without_clusters(rng.normal(size=fitted.shape) * fitted.std(axis=0)) for _ in range(DRAWS_OF_NONE))
    by_chance = [_silhouette(none, fit(none), tick) for none in nothing]
    return Clusters(
        _joined(points, fitted, fit(fitted)),
        silhouette=best.silhouette,
        by_chance=float(np.mean(by_chance) + MARGIN * np.std(by_chance)),
        tried=tuple(tried) if chosen.takes_k else (),
        stability=best.stability,
    )


def most_stable(tried: Sequence[Tried]) -> Tried:
    """Return the largest k whose stability is not below the highest by more than its standard error over the draws.

    The silhouette of high-dimensional points rises with k, to clusters of a few documents. Stability falls where k splits what
    belongs together, but two halves of a corpus can be as stable as its topics, so the largest of equals counts.
    """
    best = max(tried, key=lambda each: each.stability)
    least = best.stability - float(best.agreements.std(ddof=1)) / len(best.agreements) ** 0.5
    return max((each for each in tried if each.stability >= least), key=lambda each: each.k)


def agreement(first: Sequence[int] | Ints, second: Sequence[int] | Ints) -> float:
    """Return the adjusted Rand index (Hubert & Arabie 1985): 1 for the same groups, 0 on average for groups by chance."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(first, second))


def _check(method: Method, k: int | None, count: int) -> None:
    if count < FEWEST:
        raise SettingError(f"{count} documents have a vector; topics are found in {FEWEST} or more.")
    if k is not None and not method.takes_k:
        raise SettingError(f"{method.label} finds the number of topics itself; leave k out, or choose k-means.")
    most = min(count // 2, MOST_FOUND)
    if k is not None and not 2 <= k <= most:
        raise SettingError(f"k = {k} for {count:,} documents; {choose('k', 2, most)}.")
    if not method.takes_k and count > MOST_BY_DENSITY:
        raise SettingError(f"{count:,} documents; {method.label} takes at most {MOST_BY_DENSITY:,}. Choose k-means.")


@record
class _Axes:
    """The mean and the main axes of directions, and the mean square of what the axes leave out."""

    mean: Floats
    axes: Floats
    rest: float

    def of(self, vectors: NDArray[np.floating]) -> Floats:
        """Return vectors at length one on the axes: distances are those of cosines, without the axes that are noise."""
        parts = (unit_rows(np.asarray(vectors[rows], dtype=np.float64)) for rows in blocks(*vectors.shape))
        return np.concatenate([(part - self.mean) @ self.axes.T for part in parts])

    def without_clusters(self, drawn: Floats) -> Floats:
        """Return random points scaled to length 1 as documents are: on few axes that alone gives them a shape."""
        whole = self.mean + drawn @ self.axes
        length = np.sqrt((whole**2).sum(axis=1) + self.rest)
        return np.asarray((whole / length[:, None] - self.mean) @ self.axes.T)


def _main_axes(vectors: NDArray[np.floating], axes: int, seed: int) -> _Axes:
    from sklearn.decomposition import PCA

    units = unit_rows(np.asarray(vectors[:MOST_FITTED], dtype=np.float64))
    if not np.ptp(units, axis=0).any():
        raise SettingError("All documents have the same vector; there is nothing to tell them apart by.")
    found = PCA(min(axes, *units.shape), random_state=seed).fit(units)
    rest = ((units - found.mean_) ** 2).sum() - (found.transform(units) ** 2).sum()
    return _Axes(found.mean_, found.components_, max(0.0, float(rest)) / len(units))


def _fit_of(k: int, seed: int) -> Fit:
    """Return clusters of points: of k centres, or with k = 0 dense regions of a hundredth of the points or more."""
    import warnings

    from sklearn.cluster import HDBSCAN, KMeans

    def fit(points: Floats) -> Ints:
        least = max(5, len(points) // 100)
        model = KMeans(k, n_init=STARTS, random_state=seed) if k else HDBSCAN(min_cluster_size=least, copy=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of fewer different points than clusters: then there are fewer
            return np.asarray(model.fit_predict(points), dtype=np.int64)

    return fit


def _silhouette(points: Floats, labels: Ints, tick: Callable[[], None] = lambda: None) -> float:
    """Return the mean silhouette (Rousseeuw 1987); points in no cluster count 0, and so do all without two clusters."""
    from sklearn.metrics import silhouette_score

    tick()
    points, labels = points[:MOST_COMPARED], labels[:MOST_COMPARED]
    inside = labels >= 0
    if not 2 <= len(np.unique(labels[inside])) < inside.sum():
        return 0.0
    return float(silhouette_score(points[inside], labels[inside]) * inside.mean())


def _agreement_of_clusterings(first: Ints, second: Ints, tick: Callable[[], None]) -> float:
    """Return the agreement of two clusterings of the same points, of which those in no cluster are each by themselves."""
    tick()
    alone = -1 - np.arange(len(first))
    return agreement(np.where(first < 0, alone, first), np.where(second < 0, alone, second))


def _joined(points: Floats, fitted: Floats, labels: Ints) -> Ints:
    """Return the labels of the fitted points, and of the others that of the nearest centre."""
    from sklearn.metrics import pairwise_distances_argmin

    if len(points) == len(fitted):
        return labels
    centres = np.stack([fitted[labels == label].mean(axis=0) for label in range(labels.max() + 1)])
    return np.concatenate([labels, pairwise_distances_argmin(points[len(fitted) :], centres)]).astype(np.int64)


def _fit_counter(progress: Progress | None, total: int) -> Callable[[], None]:
    """Return a function that reports progress after each fit."""
    pace, counted = Pace(), iter(range(1, total + 1))

    def tick() -> None:
        done = next(counted)
        if progress is not None:
            progress(done, total, "groupings", pace.left(done, total - done))

    return tick


@record
class FoundTopics:
    """Found topics in sorted order of name; `codes[i]` is that of document i, −1 where it has none; how firm they are; and
    their agreement (adjusted Rand index) with the given topics, None where there are none."""

    method: str
    names: tuple[str, ...]
    codes: Ints
    clusters: Clusters
    agreement: float | None

    @property
    def sizes(self) -> Ints:
        """Return documents per topic, in the order of `names`."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))

    @property
    def without(self) -> int:
        """Return documents that have no topic."""
        return int((self.codes < 0).sum())

    @property
    def level(self) -> str:
        """Return `none`: no clusters beyond chance; `shaky`: other documents would give partly other topics; `stable`."""
        found = self.clusters
        if found.stability < TOO_UNSTABLE or found.silhouette <= found.by_chance:
            return "none"
        return "stable" if found.stability >= STABLE_FROM else "shaky"


def find_topics(
    corpus: Corpus,
    vectors: NDArray[np.floating],
    *,
    method: str = "k-means",
    k: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> FoundTopics:
    """Cluster the documents by their vectors and name each cluster; nothing depends on the order of the file.

    Documents whose vector is zero have no topic.
    """
    usable = np.flatnonzero(np.asarray(vectors).any(axis=1)).tolist()
    order = np.array(sorted(usable, key=lambda row: text_digest(corpus.texts[row])), dtype=np.int64)
    with threadpool_limits(
        1, user_api="openmp"
    ):  # a fit takes milliseconds; on a busy machine its threads wait for each other
        clusters = find_clusters(vectors[order], method=method, k=k, seed=seed, progress=progress)
    codes = np.full(len(corpus), -1, dtype=np.int64)
    codes[order] = clusters.labels
    names, codes = _named_by_terms(corpus, codes)
    given = None
    if corpus.has_topics:
        given = agreement(corpus.topic_codes[codes >= 0], codes[codes >= 0])
    return FoundTopics(method, names, codes, clusters, given)


def with_found_topics(corpus: Corpus, found: FoundTopics) -> Corpus:
    """Return the documents that have a found topic, under it; the corpus says that its topics were found."""
    rows = np.flatnonzero(found.codes >= 0)
    return _with_labels(corpus, rows, found.names, found.codes[rows])


def _with_labels(corpus: Corpus, rows: Ints, names: tuple[str, ...], codes: Ints) -> Corpus:
    return replace(take(corpus, rows), topic_names=names, topic_codes=codes, merged_topics=(), found=True)


def _named_by_terms(corpus: Corpus, codes: Ints) -> tuple[tuple[str, ...], Ints]:
    """Return a name for every cluster, its most distinctive words; sorted, and the codes with them."""
    rows = np.flatnonzero(codes >= 0)
    present, recoded = np.unique(codes[rows], return_inverse=True)
    numbers = tuple(f"topic {number + 1}" for number in range(len(present)))
    weights = term_weights(_with_labels(corpus, rows, numbers, recoded.astype(np.int64)))
    names: list[str] = []
    for cluster, number in enumerate(numbers):
        row = weights.weights[[cluster]].toarray()[0]
        ranked = [weights.terms[term] for term in np.argsort(-row, kind="stable")[: 10 * WORDS] if row[term] > 0]
        name = SEPARATOR.join(_distinct(ranked)) or number
        names.append(name if name not in names else f"{name} ({number})")
    order = sorted(range(len(names)), key=names.__getitem__)
    places = np.empty(len(names), dtype=np.int64)
    places[order] = np.arange(len(names))
    sorted_codes = np.full(len(codes), -1, dtype=np.int64)
    sorted_codes[rows] = places[recoded]
    return tuple(names[cluster] for cluster in order), sorted_codes


def _distinct(words: list[str]) -> list[str]:
    """Return the first words of which none begins like another: 'star' and 'stars' say the same."""
    chosen: list[str] = []
    for word in words:
        if len(chosen) < WORDS and not any(word.startswith(other) or other.startswith(word) for other in chosen):
            chosen.append(word)
    return chosen
