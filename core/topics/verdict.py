"""Does a cross-topic split of this corpus leak? Near twins, the verdict, two views compared, and how many topics to keep."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, Floats, Ints, record, seeded
from ..corpora import Corpus
from ..engine import one_thread
from ..errors import SettingError
from ..formats import choose
from .bootstrap import Bootstrap, LabelCheck
from .hits import TopicPath
from .sampling import EveryM, make_sample, pair_summary
from .space import CORRECTED, TopicSpace, closest_pairs, pair_similarities

LeakLevel = Literal["clear", "some", "leaks", "meaningless"]

LEAKING_SHARE = 0.25  # of the topics, from which a split leaks and no longer leaks a little
HIGHEST_THRESHOLD = 0.95  # random groups of one population have a corrected similarity of 1: all of them lie above
ALL_SIMILAR = 0.8  # typical corrected similarity from which no pair can stand out: every topic is like every other
FEW_TOPICS = 3  # of which the line is drawn from the very pairs it judges
NEIGHBOURS = 10  # of a document, for mixing
MIXED = 0.4  # mixing from which topics overlap; half of every topic on one subject gives about 0.5
CLOSE = 0.7  # similarity of the nearest topic from which a topic is close to another, whatever the typical pair
MOST_ASKED, MOST_SEARCHED = 1_000, 20_000  # documents whose neighbours are looked for, and among which
ASKED_AT_ONCE = 250

MOST_TWINS = 2_000  # pairs that are listed; all are counted
MOST_OTHERS = 1_500  # pairs that are no near twins: enough to see how the two views agree


@record
class Verdict:
    """Whether random topic folds leak, and what that follows from."""

    level: LeakLevel
    k: int  # folds
    topics: int
    typical: float  # median similarity of all pairs
    threshold: float  # from which two topics are near twins
    twins: Ints  # of each topic
    twin_pairs: int
    leaking_topics: float  # expected test topics with a near twin in training, over random topic folds
    clear_pairs: int  # pairs that are clearly near twins (`clear_twins`)
    clearly_leaking: float  # the same for clear pairs; only these make a corpus leak
    keep: int  # largest m of HITS without near twins
    keep_interval: tuple[int, int] | None  # 95%, over bootstrap samples; None without a bootstrap
    keep_documents: int  # of the topics kept
    documents: int
    labels: LabelCheck | None
    very_similar: bool  # the typical pair is very similar
    all_similar: bool  # so similar that no pair stands out
    weak_topics: int  # centroids that are more noise than signal
    few_topics: bool  # the threshold depends on the pairs it judges
    mixing: float  # share of nearest neighbours in other topics, relative to chance (`neighbour_mixing`)
    close_topics: float  # share of topics whose nearest is at .7 or more
    overlap: bool  # mixing or close topics are high, so the corpus is not clear even without near twins


def twin_threshold(similarity: Floats, *, kind: str = CORRECTED) -> float:
    """Return min((1 + median pair similarity) / 2, 0.95): above it, two topics are closer to one topic than to a
    typical pair.

    Half-way, because similarity itself has no fixed scale: it depends on the encoder and on the genre; and never above
    0.95, where random groups of one population lie. Plain similarity has no such point, and its threshold no such bound.
    """
    return _threshold_of(_median_or_nan(pair_similarities(similarity)), kind)


def _median_or_nan(pairs: Floats) -> float:
    return float(np.median(pairs)) if len(pairs) else float("nan")


def _threshold_of(typical: float, kind: str) -> float:
    half_way = 1.0 if np.isnan(typical) else (1.0 + typical) / 2.0
    return min(half_way, HIGHEST_THRESHOLD) if kind == CORRECTED else half_way


def largest_without_twins(path: TopicPath, threshold: float) -> int:
    """Return the largest m whose topics hold no pair above the threshold; the maximum never falls along the path."""
    return 1 + int((path.max[1 : path.comparable] < threshold).sum())


def judge(
    space: TopicSpace,
    path: TopicPath,
    *,
    k: int,
    threshold: float | None = None,
    labels: LabelCheck | None = None,
    bootstrap: Bootstrap | None = None,
    mixing: float = float("nan"),
) -> Verdict:
    """Judge k-fold cross-validation over all topics; whether the labels mean anything comes first."""
    typical = _median_or_nan(pair_similarities(space.similarity))
    threshold = _threshold_of(typical, space.kind) if threshold is None else threshold
    twins, clear = (
        similar.sum(axis=1)
        for similar in (_above_threshold(space, threshold), clear_twins(space, threshold, bootstrap))
    )
    leaking, clearly = (expected_leaking_topics(each, k=k) for each in (twins, clear))
    level: LeakLevel = "clear" if leaking < 1 else "leaks" if clearly / len(twins) >= LEAKING_SHARE else "some"
    very_similar = space.kind == CORRECTED and typical >= ALL_SIMILAR
    all_similar = level == "clear" and very_similar
    close = _close_topics(space)
    overlap = mixing >= MIXED or (space.kind == CORRECTED and close >= LEAKING_SHARE)
    level = "some" if all_similar or (level == "clear" and overlap) else level
    if np.isnan(typical) or (labels is not None and not labels.meaningful):
        level = "meaningless"
    keep = largest_without_twins(path, threshold)
    kept = int(space.sizes[path.order[:keep]].sum())
    return Verdict(
        level=level,
        k=k,
        topics=len(space),
        typical=typical,
        threshold=threshold,
        twins=twins,
        twin_pairs=int(twins.sum()) // 2,
        leaking_topics=leaking,
        clear_pairs=int(clear.sum()) // 2,
        clearly_leaking=clearly,
        keep=keep,
        keep_interval=None
        if bootstrap is None or not len(bootstrap.steps)
        else keep_interval(bootstrap, kind=space.kind, keep=keep),
        keep_documents=kept,
        documents=int(space.sizes.sum()),
        labels=labels,
        very_similar=very_similar,
        all_similar=all_similar,
        weak_topics=int(space.noisy[space.comparable].sum()),
        few_topics=int(space.comparable.sum()) <= FEW_TOPICS,
        mixing=mixing,
        close_topics=close,
        overlap=overlap,
    )


def neighbour_mixing(vectors: NDArray[np.floating], topic_codes: Ints, *, seed: int = 0) -> float:
    """Return the share of a document's nearest neighbours in other topics, over that of random neighbours.

    0 where topics are apart, 1 where labels are shuffled. A document has ten neighbours, or one fewer than its topic has
    documents. At most 1,000 documents are asked, among at most 20,000; NaN where nothing can be compared.
    """
    rows = np.sort(seeded(seed, "mixing").permutation(len(vectors))[:MOST_SEARCHED])
    units = vectors[rows].astype(np.float32)
    lengths = np.linalg.norm(units, axis=1, keepdims=True)
    units /= np.where(lengths > 0, lengths, 1.0)
    codes = topic_codes[rows]
    sizes = np.bincount(codes, weights=lengths.ravel() > 0).astype(np.int64)
    asked = np.flatnonzero((lengths.ravel() > 0) & (sizes[codes] > 1))
    asked = asked[:: max(1, len(asked) // MOST_ASKED)]
    known = int(sizes.sum())
    chance = (known - sizes[codes[asked]]) / max(1, known - 1)
    if not chance.any():
        return float("nan")
    looked_at = np.minimum(NEIGHBOURS, sizes[codes[asked]] - 1)
    most, elsewhere = int(looked_at.max()), np.empty(len(asked))
    for start in range(0, len(asked), ASKED_AT_ONCE):
        own, here = asked[start : start + ASKED_AT_ONCE], slice(start, start + ASKED_AT_ONCE)
        with one_thread:  # threads that wait for each other take longer than these products
            cosine = units[own] @ units.T
        cosine[:, lengths.ravel() == 0] = -np.inf
        cosine[np.arange(len(own)), own] = -np.inf
        nearest = np.argpartition(-cosine, most - 1, axis=1)[:, :most]
        order = np.argsort(-np.take_along_axis(cosine, nearest, axis=1), axis=1, kind="stable")
        other = codes[np.take_along_axis(nearest, order, axis=1)] != codes[own][:, None]
        counted = np.arange(most) < looked_at[here, None]
        elsewhere[here] = (other & counted).sum(axis=1) / looked_at[here]
    return float(elsewhere.mean() / chance.mean())


def _close_topics(space: TopicSpace) -> float:
    """Return the share of comparable topics whose nearest topic is at .7 or more."""
    comparable = np.flatnonzero(space.comparable)
    close = 0
    for topic in comparable.tolist():  # row by row: the matrix may be large
        row = space.similarity[topic]
        close += bool((np.delete(row, topic) >= CLOSE).any())
    return close / len(comparable) if len(comparable) else 0.0


def keep_interval(bootstrap: Bootstrap, *, kind: str = CORRECTED, keep: int | None = None) -> tuple[int, int]:
    """Return the 95% interval of the largest m without near twins; each bootstrap sample has its own threshold.

    It is wide enough to hold `keep`, which small topics can put outside: drawn again, they are less similar.
    """
    lines = (1.0 + bootstrap.medians) / 2.0
    lines = np.minimum(lines, HIGHEST_THRESHOLD) if kind == CORRECTED else lines
    steps = np.arange(1, bootstrap.paths_max.shape[1])
    clear = (bootstrap.paths_max[:, 1:] < lines[:, None]) & (steps < bootstrap.comparable[:, None])
    keeps = 1 + clear.sum(axis=1)
    low, high = np.quantile(keeps, [0.025, 0.975])
    ends = int(np.floor(low)), int(np.ceil(high))
    return ends if keep is None else (min(ends[0], keep), max(ends[1], keep))


def clear_twins(space: TopicSpace, threshold: float, bootstrap: Bootstrap | None = None) -> Bools:
    """Return a topic × topic mask of the pairs above the threshold that are clear.

    Both centroids are more signal than noise, and the lower end of the pair's interval, where it is known, lies at or
    above the threshold as well. Of few documents chance makes many pairs look similar: docs/methods.md, "Near twins and the verdict".
    """
    weak = space.noisy
    clear = _above_threshold(space, threshold) & ~weak[:, None] & ~weak[None, :]
    return clear if bootstrap is None or bootstrap.low is None else clear & (bootstrap.low >= threshold)


def _above_threshold(space: TopicSpace, threshold: float) -> Bools:
    """Return a topic × topic mask of the pairs above the threshold."""
    similar: Bools = space.similarity >= threshold  # NaN is not
    np.fill_diagonal(similar, False)
    return similar


def near_twins(
    space: TopicSpace, threshold: float, bootstrap: Bootstrap | None = None, *, most: int = 100
) -> list[tuple[int, int, float]]:
    """Return the pairs above the threshold, the closest first: by the lower end of their intervals, if these are given."""
    similar = _above_threshold(space, threshold)
    pairs = replace(space, similarity=np.where(similar, space.similarity, np.nan))
    return most_similar_pairs(pairs, bootstrap, most=most)


def expected_leaking_topics(twins: Ints, *, k: int) -> float:
    """Return the expected number of topics with a twin in training, over all random splits into k folds.

    A topic with w twins is safe only when all w share its fold of f topics, which happens with probability
    C(n − 1 − w, f − 1 − w) / C(n − 1, f − 1); folds of both sizes count by the topics they hold.
    """
    count = len(twins)
    k = min(k, count)
    small, larger = divmod(count, k)
    expected = 0.0
    for size, folds in ((small, k - larger), (small + 1, larger)):
        if folds:
            # The quotient as a product of w fractions: of a thousand topics the coefficients themselves pass every number.
            earlier = np.arange(size - 1)
            safe = np.concatenate([[1.0], np.cumprod((size - 1 - earlier) / (count - 1 - earlier)), [0.0]])
            expected += float((1.0 - safe[np.minimum(twins, size)]).sum()) * size * folds / count
    return expected


def most_similar_pairs(space: TopicSpace, bootstrap: Bootstrap | None, *, most: int) -> list[tuple[int, int, float]]:
    """Return the pairs that are clearly most similar: by the lower end of the interval, noisy centroids last.

    Similarity is cut at 1, which small topics reach by noise; pairs without an interval come after those with one.
    """
    if bootstrap is None or bootstrap.low is None:
        return closest_pairs(space.similarity, most=most)
    weak = space.noisy
    low = np.where(np.isnan(bootstrap.low), -1.0, bootstrap.low)
    return closest_pairs(space.similarity, most=most, low=low - 2.0 * (weak[:, None] | weak[None, :]))


def may_be_twins(space: TopicSpace, threshold: float, bootstrap: Bootstrap | None) -> Bools:
    """Return a topic × topic mask of the pairs whose interval reaches the near-twin threshold, or whose similarity does."""
    reaches: Bools = space.similarity >= threshold  # NaN is not
    if bootstrap is not None and bootstrap.high is not None:
        reaches = reaches | (~(bootstrap.high < threshold) & ~np.isnan(space.similarity))  # without an interval it may
    np.fill_diagonal(reaches, False)
    return reaches


def may_be_one_topic(space: TopicSpace, bootstrap: Bootstrap | None) -> Bools:
    """Return a topic × topic mask of the pairs that may be one topic cut in two at random.

    Such halves have a corrected similarity of 1, and lie above .95 but for chance: the pair's interval reaches .95, or a
    centroid is more noise than signal and tells nothing. By how much this errs: docs/methods.md, "The best split possible".
    """
    if bootstrap is None or bootstrap.high is None:
        return np.zeros(space.similarity.shape, dtype=np.bool_)
    weak = space.noisy
    one: Bools = ~(_corrected(bootstrap.high, space) < HIGHEST_THRESHOLD) | weak[:, None] | weak[None, :]
    one &= ~np.isnan(space.similarity)
    np.fill_diagonal(one, False)
    return one


def _corrected(high: NDArray[np.floating], space: TopicSpace) -> NDArray[np.floating]:
    """Return the upper ends as they would be of corrected similarity.

    A plain cosine is the corrected one times √(r_i r_j), r the share of signal in a centroid; and a centroid of documents drawn
    again holds the noise twice, so that its cosines are lower again, by √((2 − r_i)(2 − r_j)).
    """
    if space.kind == CORRECTED:
        return high
    loss = space.reliability / (2.0 - space.reliability)
    return high / np.sqrt(np.outer(loss, loss))


@record
class TopicView:
    """The topics of one corpus by one encoder, and what a verdict on them needs."""

    space: TopicSpace
    path: TopicPath
    labels: LabelCheck | None = None
    bootstrap: Bootstrap | None = None


@dataclass(frozen=True, slots=True)
class SeenTwins:
    """A pair of topics at or past the near-twin threshold of either view; `clear`: the two views' answers leave no doubt."""

    topics: tuple[str, str]
    similarity: tuple[float, float]
    seen: tuple[bool, bool]
    clear: bool


@record
class SharedPairs:
    """Pairs of topics that both views place: how many are near twins in both, in the first alone, in the second alone, and
    how many of the last two clearly; the closest near twins; and some others' similarities (pair × view)."""

    both: int
    first: int
    second: int
    clear: int
    twins: tuple[SeenTwins, ...]
    others: Floats


@record
class ViewComparison:
    """Two verdicts, and what lies under them, topics being the same where their names are.

    `topics` can be compared in both views, and `pairs` are of these alone; `elsewhere` counts the near twins of each view that
    hold another topic. `samples` are the first `m` topics of either's HITS path, of which `by_chance` would be common to
    random ones.
    """

    verdicts: tuple[Verdict, Verdict]
    topics: tuple[str, ...]
    pairs: SharedPairs
    elsewhere: tuple[int, int]
    m: int
    samples: tuple[tuple[str, ...], tuple[str, ...]]
    by_chance: float

    @property
    def selected_by_both(self) -> tuple[str, ...]:
        """Return the topics in both samples, in the order of the first."""
        return tuple(name for name in self.samples[0] if name in set(self.samples[1]))


def compare_views(first: TopicView, second: TopicView, *, k: int) -> ViewComparison:
    """Set two views beside each other; k folds of topics are what the verdicts are on."""
    views = first, second
    verdicts = judge_view(first, k=k), judge_view(second, k=k)
    comparable = [
        {name for name, there in zip(view.space.names, view.space.comparable, strict=True) if there} for view in views
    ]
    common = tuple(sorted(comparable[0] & comparable[1]))
    pairs = _shared_pairs(views, verdicts, common)
    m = max(1, min(*(verdict.keep for verdict in verdicts), *(view.path.comparable for view in views)))
    sizes = [max(1, view.path.comparable) for view in views]
    return ViewComparison(
        verdicts=verdicts,
        topics=common,
        pairs=pairs,
        elsewhere=(
            verdicts[0].twin_pairs - pairs.both - pairs.first,
            verdicts[1].twin_pairs - pairs.both - pairs.second,
        ),
        m=m,
        samples=(_first_names(first, m), _first_names(second, m)),
        by_chance=len(common) * m * m / (sizes[0] * sizes[1]),
    )


def judge_view(view: TopicView, *, k: int) -> Verdict:
    """Return the verdict on one view."""
    return judge(view.space, view.path, k=k, labels=view.labels, bootstrap=view.bootstrap)


def _first_names(view: TopicView, m: int) -> tuple[str, ...]:
    return tuple(view.space.names[topic] for topic in view.path.order[:m])


def _shared_pairs(
    views: tuple[TopicView, TopicView], verdicts: tuple[Verdict, Verdict], common: tuple[str, ...]
) -> SharedPairs:
    """Return every pair of topics that both views have."""
    first, second = np.triu_indices(len(common), k=1)
    similarity, seen, clear, perhaps = [], [], [], []
    for view, verdict in zip(views, verdicts, strict=True):
        position = {name: index for index, name in enumerate(view.space.names)}
        here = np.array([position[name] for name in common], dtype=np.int64)
        pairs = here[first], here[second]
        similarity.append(view.space.similarity[pairs])
        seen.append(similarity[-1] >= verdict.threshold)
        clear.append(clear_twins(view.space, verdict.threshold, view.bootstrap)[pairs])
        perhaps.append(_maybe_above(view, verdict.threshold)[pairs])
    values = np.stack(similarity, axis=1).reshape(-1, 2)
    agreed = clear[0] & clear[1] | clear[0] & ~perhaps[1] | clear[1] & ~perhaps[0]
    either = np.flatnonzero(seen[0] | seen[1])
    either = either[np.argsort(-values[either].max(axis=1, initial=-1), kind="stable")][:MOST_TWINS]
    twins = tuple(
        SeenTwins(
            (common[first[pair]], common[second[pair]]),
            (float(values[pair, 0]), float(values[pair, 1])),
            (bool(seen[0][pair]), bool(seen[1][pair])),
            bool(agreed[pair]),
        )
        for pair in either
    )
    rest = np.flatnonzero(~(seen[0] | seen[1]))
    return SharedPairs(
        both=int((seen[0] & seen[1]).sum()),
        first=int((seen[0] & ~seen[1]).sum()),
        second=int((seen[1] & ~seen[0]).sum()),
        clear=int((agreed & (seen[0] ^ seen[1])).sum()),
        twins=twins,
        others=values[rest[:: max(1, -(-len(rest) // MOST_OTHERS))]],
    )


def _maybe_above(view: TopicView, threshold: float) -> Bools:
    """Return a topic × topic mask of the pairs that may lie above the threshold by their interval; all of them where none is known."""
    if view.bootstrap is None or view.bootstrap.high is None:
        return np.ones_like(view.space.similarity, dtype=bool)
    return np.asarray(~(view.bootstrap.high < threshold))


CLEAR_ELBOW = 0.1  # of the curve's height below its chord: less is a straight line with noise


@record
class Suggestion:
    """How many topics to keep, and why; nothing applies it by itself."""

    m: int
    why: Literal["no twins", "before twins", "elbow", "fewest"]
    threshold: float  # from which two topics are near twins
    free: int  # the most topics without near twins
    closest: float  # the similarity of the closest pair kept
    beyond: float  # the same with one more topic; NaN where there is none
    interval: tuple[int, int] | None  # of `free`, over bootstrap samples
    documents: int  # that stay


def suggest_m(
    path: TopicPath, space: TopicSpace, corpus: Corpus, k: int, bootstrap: Bootstrap | None = None
) -> Suggestion:
    """Return the largest m of HITS whose topics hold no near twins, if that is enough for k folds.

    If it is not, the elbow of the maximum-similarity curve from m = k on: the point furthest below the straight line
    between its ends, after which another topic costs more than the average one.
    """
    count = len(path)
    if len(space) != count or corpus.topic_names != space.names:
        raise SettingError("Path, similarities and corpus are of other topics; compute all from this corpus.")
    if not 2 <= k <= path.comparable:
        which = "topics" if path.comparable == count else "topics that can be compared"
        raise SettingError(f"k = {k}, but the corpus has {path.comparable} {which}; {choose('k', 2, path.comparable)}.")
    threshold = twin_threshold(space.similarity, kind=space.kind)
    free = largest_without_twins(path, threshold)
    why: Literal["no twins", "before twins", "elbow", "fewest"]
    if free == path.comparable:
        m, why = free, "no twins"
    elif free >= k:
        m, why = free, "before twins"
    else:
        elbow = _elbow(path.max[: path.comparable], k)
        m, why = (k, "fewest") if elbow is None else (elbow, "elbow")
    return Suggestion(
        m,
        why,
        threshold,
        free,
        closest=float(path.max[m - 1]),
        beyond=float(path.max[m]) if m < path.comparable else float("nan"),
        interval=None
        if bootstrap is None or not len(bootstrap.steps)
        else keep_interval(bootstrap, kind=space.kind, keep=free),
        documents=int(corpus.topic_sizes[path.order[:m]].sum()),
    )


@dataclass(frozen=True, slots=True)
class MergedTopics:
    """The topics of HITS once those left out are merged into them under a policy."""

    policy: str
    m: int | None  # the most without near twins; 1: none at all, None: too many to try every m
    documents: int  # what these hold
    closest: float  # highest similarity among as many as HITS takes without near twins, before merging


def merged_topics(
    samples: EveryM, verdict: Verdict, space: TopicSpace, path: TopicPath, *, policy: str, threshold: float
) -> MergedTopics | None:
    """Return what merging does to the topics that HITS takes; None where it merges nothing."""
    if not len(samples.moves):
        return None
    most, before = samples.largest_without_twins(verdict.threshold), max(verdict.keep, 2)
    sample = make_sample(space.similarity, path.order[:before], policy=policy, threshold=threshold)
    closest = pair_summary(space, sample)["max"]
    documents = int(samples.documents[(before if most is None or most < 2 else most) - 1])
    return MergedTopics(policy, most, documents, float("nan") if closest is None else closest)


def _elbow(maximum: Floats, k: int) -> int | None:
    """Return the m from k on at which the curve lies furthest below its chord, both axes scaled to 0–1."""
    curve = maximum[k - 1 :]
    height = curve[-1] - curve[0]
    if len(curve) < 3 or height <= 0:
        return None
    below = np.linspace(0.0, 1.0, len(curve)) - (curve - curve[0]) / height
    return k + int(below.argmax()) if below.max() >= CLEAR_ELBOW else None
