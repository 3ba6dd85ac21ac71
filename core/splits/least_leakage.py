"""Least-leakage folds: all documents stay, and similar topics share a fold."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..arrays import Bools, Floats, Ints, known_max, known_mean, record
from ..corpora import Corpus
from ..errors import unknown
from ..notes import Note
from ..topics import TopicSpace, check_documents, twin_threshold
from .folds import Folds, folds_of_topics
from .packing import (
    Constraints,
    Packing,
    check_constraints,
    fold_room,
    holds,
    pack,
    possible_balance,
    refusal,
    seen_share,
    topic_authors,
)

MOST_LOOKED = 100_000_000  # pairs of topics looked at while topics of a component are taken out in turn

MOST_WORK = 700_000_000  # similarities looked at in all; a count, so that the answer is the same on every machine
TRIAL = 50_000  # what a trial costs besides, in similarities
SWAPS = 6  # groups that a group is exchanged with where the other fold has no room

GOALS = {
    "max": "The lowest possible highest similarity of training and test topics.",
    "nearest": "The lowest possible mean similarity of a test topic's nearest training topic.",
}
MOST_CLUSTERED = 400  # topics of which clusters are a second start
_UNKNOWN, _ALWAYS = -2.0, 2.0  # below and above every similarity: never, and always, in one fold


def large_cluster(space: TopicSpace, threshold: float, room: int, k: int) -> Note | None:
    """Return why near twins are separated: the largest component of topics above the threshold that no fold has room for."""
    similar: Bools = space.similarity >= threshold
    np.fill_diagonal(similar, False)
    label = components(similar)
    sizes = np.bincount(label, weights=space.sizes)
    if sizes.max() <= room:
        return None
    topics = np.flatnonzero(label == np.argmax(sizes))
    share, most = sizes.max() / space.sizes.sum(), room / space.sizes.sum()
    without = space.names[_cut(similar, topics, space.sizes)] if len(topics) > 1 else ""
    return Note("large cluster", (_names_at(space, topics), float(share), float(most), k, int(label.max()), without))


def _cut(similar: Bools, topics: Ints, sizes: Ints) -> int:
    """Return the topic without which the largest part left of the component has the fewest documents; of very many topics, one
    of those with most near twins."""
    tried = max(1, MOST_LOOKED // len(topics) ** 2)
    linked = np.argsort(-similar[topics].sum(axis=1), kind="stable")[:tried]
    left = []
    for topic in topics[linked].tolist():
        rest = topics[topics != topic]
        parts = np.bincount(components(similar[np.ix_(rest, rest)]), weights=sizes[rest])
        left.append((parts.max(), topic))
    return int(min(left)[1])


def components(similar: Any) -> Ints:
    """Return the component of each topic, numbered by their first topics; `similar` is a matrix of links, sparse or not."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    return np.asarray(connected_components(csr_array(similar), directed=False)[1], dtype=np.int64)


def spanning_tree(similarity: Floats) -> Floats:
    """Return the maximum spanning tree's edges: two topics and their similarity (Prim 1957); ties go to the first name."""
    count = len(similarity)
    edges = np.empty((count - 1, 3))
    outside = np.ones(count, dtype=np.bool_)
    outside[0] = False
    best, near = similarity[0].copy(), np.zeros(count, dtype=np.int64)
    for step in range(count - 1):
        topic = int(np.argmax(np.where(outside, best, -np.inf)))
        edges[step] = near[topic], topic, best[topic]
        outside[topic] = False
        closer = similarity[topic] > best
        best[closer], near[closer] = similarity[topic][closer], topic
    return edges


def nearest_training(similarity: Floats, fold_of: Ints) -> Floats:
    """Return each topic's highest similarity to a topic of another fold; NaN where none is known."""
    nearest = np.full(len(fold_of), np.nan)
    for fold in np.unique(fold_of):
        inside = fold_of == fold
        block = np.nan_to_num(similarity[np.ix_(inside, ~inside)], nan=-np.inf)
        nearest[inside] = block.max(axis=1, initial=-np.inf)
    return np.where(np.isneginf(nearest), np.nan, nearest)


def least_nearest(
    similarity: Floats, group_of: Ints, fold_of: Ints, sizes: Ints, *, k: int, allowed: Callable[[Ints], bool]
) -> Ints:
    """Move or exchange groups while that lowers the mean nearest similarity and is `allowed`.

    `fold_of` gives the fold of each group, `sizes` its documents. The groups whose topics meet the most similar topics come first, and go first
    where those are; no change of one group, or two, that was tried lowers the mean of the answer.
    """
    known = np.nan_to_num(similarity, nan=-np.inf)
    np.fill_diagonal(known, -np.inf)
    members = [np.flatnonzero(group_of == group) for group in range(len(fold_of))]
    fold_of = np.array(fold_of)
    to_fold = np.stack([_to_fold(known, fold_of[group_of] == fold) for fold in range(k)])
    best = _mean_nearest(to_fold, fold_of[group_of])
    left, changed = MOST_WORK, True
    while changed and left > 0:
        changed = False
        nearest = _nearest(to_fold, fold_of[group_of])
        exposed = np.array([nearest[topics].max() for topics in members])
        for group in np.argsort(-exposed, kind="stable").tolist():
            preferred = np.argsort(-to_fold[:, members[group]].max(axis=1), kind="stable")
            for fold in preferred[preferred != fold_of[group]].tolist():
                for change in _moves_of_group(fold_of, sizes, group, fold):
                    if left <= 0:
                        break
                    if not allowed(change):
                        continue
                    two = (fold_of[group], fold)
                    topics = change[group_of]
                    trial = to_fold.copy()
                    for each in two:
                        inside = topics == each
                        trial[each] = _to_fold(known, inside)
                        left -= len(topics) * int(np.count_nonzero(inside))
                    left -= TRIAL
                    value = _mean_nearest(trial, topics)
                    if value < best - 1e-12:
                        fold_of, to_fold, best, changed = change, trial, value, True
                        break
                else:
                    continue
                break
    return fold_of


def _moves_of_group(fold_of: Ints, sizes: Ints, group: int, fold: int) -> list[Ints]:
    """Return the folds with the group moved into the fold, or exchanged with groups there of about its size."""
    moved = fold_of.copy()
    moved[group] = fold
    changes = [moved]
    there = np.flatnonzero(fold_of == fold)
    for other in there[np.argsort(np.abs(sizes[there] - sizes[group]), kind="stable")[:SWAPS]].tolist():
        exchanged = moved.copy()
        exchanged[other] = fold_of[group]
        changes.append(exchanged)
    return changes


def _to_fold(known: Floats, inside: Bools) -> Floats:
    return np.asarray(known[inside].max(axis=0, initial=-np.inf))  # symmetric, and rows lie together


def _nearest(to_fold: Floats, topics: Ints) -> Floats:
    other = to_fold.copy()
    other[topics, np.arange(len(topics))] = -np.inf
    return np.asarray(other.max(axis=0))


def _mean_nearest(to_fold: Floats, topics: Ints) -> float:
    nearest = _nearest(to_fold, topics)
    met = nearest > -np.inf
    return float(nearest[met].mean()) if met.any() else float("nan")


@record
class LeastLeakage:
    """Folds and what they leak; NaN where nothing is known."""

    folds: Folds
    fold_of: Ints  # of each topic
    goal: str
    max: float  # similarity of a training and a test topic
    max_bound: float  # no folds within the constraints have a lower maximum
    proven: bool  # maximum and bound are equal
    mean: float  # over pairs of a training and a test topic
    nearest_mean: float  # over topics, of the nearest training topic
    seen_authors: float  # share of documents whose author is in training, too
    largest: int  # fold, in documents
    smallest: int  # fold, in documents


def least_leakage(
    corpus: Corpus, space: TopicSpace, *, k: int, goal: str = "max", constraints: Constraints | None = None
) -> LeastLeakage:
    """Minimise the highest similarity of a training and a test topic over folds, with all documents kept.

    At a threshold t every pair above t shares a fold, so the connected components of {similarity > t} are whole: t is
    possible when they pack into k folds of at most (1 + balance)·N/k documents. By bisection over the edges of the
    maximum spanning tree, at which alone components change. Then components move while that lowers the mean nearest
    similarity; for the goal `nearest` single topics do, whatever the maximum. A topic that cannot be compared is a
    component of its own, and fills where there is room.
    """
    if goal not in GOALS:
        raise unknown("goal of folds", goal, GOALS)
    check_documents(corpus, space)
    constraints = Constraints(possible_balance(corpus.topic_sizes, k)) if constraints is None else constraints
    search = _FoldSearch(corpus, space, k, constraints)
    low, high, groups, packed = search.least_step()
    task = search.task(groups)
    fold_of = _lowered(space, groups, packed, task)
    if goal == "nearest":
        alone = search.groups(len(search.steps) - 1)
        task = search.task(alone)
        starts = [np.array([fold_of[np.argmax(alone == group)] for group in range(alone.max() + 1)])]
        if not constraints.together and (clustered := _cluster_start(space.similarity, search)) is not None:
            starts.append(clustered)
        tried = [_lowered(space, alone, start, task) for start in starts]
        fold_of = min(tried, key=lambda found: float(known_mean(nearest_training(space.similarity, found))))
    proven = low + 1 == high and goal == "max"
    return _measured(corpus, space, fold_of, search, goal=goal, bound=float(search.steps[low + 1]), proven=proven)


def least_leakage_kfold(
    corpus: Corpus, *, k: int, seed: int, space: TopicSpace, constraints: Constraints | None = None
) -> Folds:
    """Return the folds alone, for the registry of schemes; nothing is drawn, so the seed changes nothing."""
    return least_leakage(corpus, space, k=k, constraints=constraints).folds


def _cluster_start(similarity: Floats, search: "_FoldSearch") -> Ints | None:
    """Return a second start for the least mean nearest: the fewest average-linkage clusters that pack into the folds."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if not 2 < len(similarity) <= MOST_CLUSTERED:
        return None
    distance = np.nan_to_num(1.0 - similarity, nan=2.0).clip(0.0)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), "average")
    for count in range(2, len(similarity) + 1):
        label = np.asarray(fcluster(tree, count, "maxclust") - 1, dtype=np.int64)
        packed = pack(search.task(label)).fold_of
        if packed is not None:
            return np.asarray(packed[label])
    return None


def _lowered(space: TopicSpace, groups: Ints, packed: Ints, task: Packing) -> Ints:
    found = least_nearest(
        space.similarity, groups, packed, task.sizes, k=task.k, allowed=lambda change: holds(task, change)
    )
    # Folds in the order of their first topic's name, so that no solver's numbering is seen.
    _, first = np.unique(found[groups], return_index=True)
    return np.argsort(np.argsort(first))[found[groups]]


class _FoldSearch:
    """Thresholds in rising order, the groups of topics that each leaves whole, and whether they pack into folds."""

    def __init__(self, corpus: Corpus, space: TopicSpace, k: int, constraints: Constraints) -> None:
        check_constraints(corpus, k, constraints)
        self._corpus, self._k, self._constraints, self._sizes = corpus, k, constraints, corpus.topic_sizes
        self._topics = {name: topic for topic, name in enumerate(corpus.topic_names)}
        self._authors = topic_authors(corpus)
        self._tree = spanning_tree(self._bound(space.similarity))
        inside = self._tree[:, 2][np.abs(self._tree[:, 2]) < _ALWAYS]
        self.steps = np.concatenate([[-np.inf], np.unique(inside)])
        self._alone = self.groups(len(self.steps) - 1)

    def room(self, constraints: Constraints | None = None) -> int:
        """Return the documents that a fold may hold."""
        return fold_room(self._sizes, self._k, (self._constraints if constraints is None else constraints).balance)

    def least_step(self) -> tuple[int, int, Ints, Ints]:
        """Return the highest step proven to be impossible, the lowest that packs, its groups, and their folds."""
        low, failed, high = -1, -1, len(self.steps) - 1
        groups = self.groups(high)
        packed = pack(self.task(groups)).fold_of
        if packed is None:
            raise refusal(
                self._corpus, groups, self._k, self._constraints, lambda constraints: self.task(groups, constraints)
            )
        while failed + 1 < high:
            middle = (failed + high) // 2
            trial = self.groups(middle)
            found = pack(self.task(trial))
            if found.fold_of is None:
                failed, low = middle, middle if found.impossible else low
            else:
                high, groups, packed = middle, trial, found.fold_of
        untold = failed
        while low + 1 < untold:  # only where packing was left undecided: the bound may be higher yet
            middle = (low + untold) // 2
            low, untold = (middle, untold) if pack(self.task(self.groups(middle))).impossible else (low, middle)
        return low, high, groups, packed

    def groups(self, step: int) -> Ints:
        """Return the component of each topic at a step, numbered by their first topics."""
        from scipy.sparse import csr_array

        count = len(self._sizes)
        held = self._tree[self._tree[:, 2] > max(self.steps[step], _UNKNOWN)]
        ends = held[:, :2].astype(np.int64)
        return components(csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count)))

    def task(self, groups: Ints, constraints: Constraints | None = None) -> Packing:
        """Return what must be packed, of these groups."""
        from scipy.sparse import csr_array

        constraints = self._constraints if constraints is None else constraints
        count, topics = int(groups.max()) + 1, np.arange(len(groups))
        room = self.room(constraints)
        sizes = np.bincount(groups, weights=self._sizes).astype(np.int64)
        sizes = np.where(_cannot_shrink(groups, self._alone), np.minimum(sizes, room), sizes)
        apart = np.array([[groups[self._topics[name]] for name in pair] for pair in constraints.apart], dtype=np.int64)
        joined = csr_array((np.ones(len(groups)), (groups, topics)), shape=(count, len(groups)))
        authors = None if self._authors is None else csr_array(joined @ self._authors)
        return Packing(sizes, self._k, room, apart.reshape(-1, 2), authors, constraints.seen_authors)

    def _bound(self, similarity: Floats) -> Floats:
        """Return similarities with the user's word above them; what is unknown lies below all."""
        known = np.nan_to_num(similarity, nan=_UNKNOWN)
        for names in self._constraints.together:
            topics = [self._topics[name] for name in names]
            known[np.ix_(topics, topics)] = _ALWAYS
        return known


def _measured(
    corpus: Corpus, space: TopicSpace, fold_of: Ints, search: _FoldSearch, *, goal: str, bound: float, proven: bool
) -> LeastLeakage:
    across = np.where(fold_of[:, None] != fold_of, space.similarity, np.nan)
    filled = np.bincount(fold_of, weights=corpus.topic_sizes).astype(int)
    highest = float(known_max(across))
    notes = _fold_notes(space, highest, search.room(), len(filled), proven=proven, goal=goal)
    authors = topic_authors(corpus)
    return LeastLeakage(
        folds=folds_of_topics(corpus, "least-leakage", fold_of, notes=notes),
        fold_of=fold_of,
        goal=goal,
        max=highest,
        max_bound=highest if proven else bound if np.isfinite(bound) else float("nan"),
        proven=proven,
        mean=float(known_mean(across)),
        nearest_mean=float(known_mean(nearest_training(space.similarity, fold_of))),
        seen_authors=float("nan") if authors is None else seen_share(authors, fold_of, len(filled)),
        largest=int(filled.max()),
        smallest=int(filled.min()),
    )


def _fold_notes(space: TopicSpace, highest: float, room: int, k: int, *, proven: bool, goal: str) -> tuple[Note, ...]:
    notes = []
    if not proven and goal == "max":
        notes.append(Note("not proven"))
    if (large := np.flatnonzero(space.sizes > room)).size:
        notes.append(Note("large topics", (_names_at(space, large), room)))
    threshold = twin_threshold(space.similarity, kind=space.kind)
    if highest >= threshold and (cluster := large_cluster(space, threshold, room, k)) is not None:
        notes.append(cluster)
    if space.incomparable:
        notes.append(Note("placed anywhere", (_names_at(space, [each.topic for each in space.incomparable]),)))
    return tuple(notes)


def _names_at(space: TopicSpace, topics: Iterable[int]) -> tuple[str, ...]:
    return tuple(space.names[topic] for topic in topics)


def _cannot_shrink(groups: Ints, alone: Ints) -> Bools:
    """Return which groups hold one topic, or topics kept together, and nothing else: such a group cannot be made smaller."""
    pairs = np.unique(np.stack([groups, alone]), axis=1)
    return np.asarray(np.bincount(pairs[0]) == 1)
