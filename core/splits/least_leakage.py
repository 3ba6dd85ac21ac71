"""Least-leakage folds: every document kept, alike topics in one fold, as even as asked, with a proof or a bound."""

import numpy as np

from ..arrays import Bools, Floats, Ints, known_max, known_mean, record
from ..corpora import Corpus
from ..errors import unknown
from ..formats import first_few
from ..topics import TopicSpace, check_documents, twin_line
from .components import MOST_NAMED, components, hanging_together, spanning_tree
from .folds import Folds, folds_of_topics
from .least_nearest import least_nearest, nearest_training
from .packing import Packing, holds, pack, seen_share, topic_authors
from .wishes import Wishes, check_wishes, fold_room, possible_balance, refusal

GOALS = {
    "max": "The most similar training and test topics as little alike as can be.",
    "nearest": "The nearest training topic of a test topic as little alike as can be, on average.",
}
MOST_CLUSTERED = 400  # topics of which clusters are a second start
_UNKNOWN, _ALWAYS = -2.0, 2.0  # below and above every similarity: never, and always, in one fold


@record
class LeastLeakage:
    """Folds, the fold of each topic, and what they leak: the highest similarity of a training and a test topic (`max`;
    no folds that keep to the wishes have one below `max_bound`, and `proven` says that the two are one), the mean over
    such pairs, the mean over topics of the nearest training topic's, and the share of documents by seen authors. NaN
    where nothing is known."""

    folds: Folds
    fold_of: Ints
    goal: str
    max: float
    max_bound: float
    proven: bool
    mean: float
    nearest_mean: float
    seen_authors: float
    largest: int
    smallest: int

    @property
    def sentence(self) -> str:
        """What the folds keep and leak, and whether less is possible."""
        kept = f"All documents in {len(self.folds)} folds of {self.smallest:,} to {self.largest:,}"
        if np.isnan(self.max):
            return f"{kept}; nothing is known of how alike training and test topics are."
        most = f"no training topic is more like a test topic than {self.max:.2f}"
        if self.proven:
            return f"{kept}; {most}, and no folds so even do better."
        return (
            f"{kept}; {most}. Folds so even with less than {self.max_bound:.2f} are impossible; in between is unknown."
        )


def least_leakage(
    corpus: Corpus, space: TopicSpace, *, k: int, goal: str = "max", wishes: Wishes | None = None
) -> LeastLeakage:
    """min over folds of the maximum similarity of a training and a test topic, all documents kept.

    At a threshold t every pair above t shares a fold, so the connected components of {similarity > t} are whole: t is
    possible when they pack into k folds of at most (1 + balance)·N/k documents. By bisection over the edges of the
    maximum spanning tree, at which alone components change. Then components move while that lowers the mean nearest
    similarity; for the goal `nearest` single topics do, whatever the maximum. A topic that cannot be placed is a
    component of its own, and fills where there is room.
    """
    if goal not in GOALS:
        raise unknown("goal of folds", goal, GOALS)
    check_documents(corpus, space)
    wishes = Wishes(possible_balance(corpus.topic_sizes, k)) if wishes is None else wishes
    search = _FoldSearch(corpus, space, k, wishes)
    low, high, groups, packed = search.least_step()
    task = search.task(groups)
    fold_of = _lowered(space, groups, packed, task)
    if goal == "nearest":
        alone = search.groups(len(search.steps) - 1)
        task = search.task(alone)
        starts = [np.array([fold_of[np.argmax(alone == group)] for group in range(alone.max() + 1)])]
        if not wishes.together and (clustered := _clustered(space.similarity, search)) is not None:
            starts.append(clustered)
        tried = [_lowered(space, alone, start, task) for start in starts]
        fold_of = min(tried, key=lambda found: float(known_mean(nearest_training(space.similarity, found))))
    proven = low + 1 == high and goal == "max"
    return _measured(corpus, space, fold_of, search, goal=goal, bound=float(search.steps[low + 1]), proven=proven)


def least_leakage_kfold(corpus: Corpus, *, k: int, seed: int, space: TopicSpace, wishes: Wishes | None = None) -> Folds:
    """The folds alone, for the registry of schemes; nothing is drawn, so the seed changes nothing."""
    return least_leakage(corpus, space, k=k, wishes=wishes).folds


def _clustered(similarity: Floats, search: "_FoldSearch") -> Ints | None:
    """A second start for the least mean nearest: the fewest average-linkage clusters that pack into the folds."""
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

    def __init__(self, corpus: Corpus, space: TopicSpace, k: int, wishes: Wishes) -> None:
        check_wishes(corpus, k, wishes)
        self._corpus, self._k, self._wishes, self._sizes = corpus, k, wishes, corpus.topic_sizes
        self._topics = {name: topic for topic, name in enumerate(corpus.topic_names)}
        self._authors = topic_authors(corpus)
        self._tree = spanning_tree(self._bound(space.similarity))
        inside = self._tree[:, 2][np.abs(self._tree[:, 2]) < _ALWAYS]
        self.steps = np.concatenate([[-np.inf], np.unique(inside)])
        self._alone = self.groups(len(self.steps) - 1)

    def room(self, wishes: Wishes | None = None) -> int:
        """The documents that a fold may hold."""
        return fold_room(self._sizes, self._k, (self._wishes if wishes is None else wishes).balance)

    def least_step(self) -> tuple[int, int, Ints, Ints]:
        """The highest step proven to be impossible, the lowest that packs, its groups, and their folds."""
        low, failed, high = -1, -1, len(self.steps) - 1
        groups = self.groups(high)
        packed = pack(self.task(groups)).fold_of
        if packed is None:
            raise refusal(self._corpus, groups, self._k, self._wishes, lambda wishes: self.task(groups, wishes))
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
        """The component of each topic at a step, numbered by their first topics."""
        from scipy.sparse import csr_array

        count = len(self._sizes)
        held = self._tree[self._tree[:, 2] > max(self.steps[step], _UNKNOWN)]
        ends = held[:, :2].astype(np.int64)
        return components(csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count)))

    def task(self, groups: Ints, wishes: Wishes | None = None) -> Packing:
        """What must be packed, of these groups."""
        from scipy.sparse import csr_array

        wishes = self._wishes if wishes is None else wishes
        count, topics = int(groups.max()) + 1, np.arange(len(groups))
        room = self.room(wishes)
        sizes = np.bincount(groups, weights=self._sizes).astype(np.int64)
        sizes = np.where(_within(groups, self._alone), np.minimum(sizes, room), sizes)
        apart = np.array([[groups[self._topics[name]] for name in pair] for pair in wishes.apart], dtype=np.int64)
        joined = csr_array((np.ones(len(groups)), (groups, topics)), shape=(count, len(groups)))
        authors = None if self._authors is None else csr_array(joined @ self._authors)
        return Packing(sizes, self._k, room, apart.reshape(-1, 2), authors, wishes.seen_authors)

    def _bound(self, similarity: Floats) -> Floats:
        """Similarities with the user's word above them; what is unknown lies below all."""
        known = np.nan_to_num(similarity, nan=_UNKNOWN)
        for names in self._wishes.together:
            topics = [self._topics[name] for name in names]
            known[np.ix_(topics, topics)] = _ALWAYS
        return known


def _measured(
    corpus: Corpus, space: TopicSpace, fold_of: Ints, search: _FoldSearch, *, goal: str, bound: float, proven: bool
) -> LeastLeakage:
    across = np.where(fold_of[:, None] != fold_of, space.similarity, np.nan)
    filled = np.bincount(fold_of, weights=corpus.topic_sizes).astype(int)
    highest = float(known_max(across))
    notes = _notes(space, highest, search.room(), len(filled), proven=proven, goal=goal)
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


def _notes(space: TopicSpace, highest: float, room: int, k: int, *, proven: bool, goal: str) -> tuple[str, ...]:
    notes = []
    if not proven and goal == "max":
        notes.append("Whether folds as even leak less is not proven: the search ended at its limit.")
    if (large := np.flatnonzero(space.sizes > room)).size:
        names = first_few([f"'{space.names[topic]}'" for topic in large], MOST_NAMED)
        notes.append(
            f"More than the {room:,} documents that a fold may hold: {names}; {'it' if large.size == 1 else 'each'} is a fold of its own."
        )
    line = twin_line(space.similarity, kind=space.kind)
    if highest >= line and (hanging := hanging_together(space, line, room, k)) is not None:
        notes.append(hanging)
    if unplaced := [f"'{space.names[each.topic]}'" for each in space.unplaced]:
        names = first_few(unplaced, MOST_NAMED)
        notes.append(f"How alike others are to {names} is not known; each is put where there is room.")
    return tuple(notes)


def _within(groups: Ints, alone: Ints) -> Bools:
    """Which groups hold one topic, or topics kept together, and nothing else: such a group cannot be made smaller."""
    pairs = np.unique(np.stack([groups, alone]), axis=1)
    return np.asarray(np.bincount(pairs[0]) == 1)
