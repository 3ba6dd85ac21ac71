"""The smallest change that mends a given split: what to move or drop so that nothing alike is on both sides."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, Ints, record
from ..corpora import Corpus, take
from ..errors import SettingError
from ..progress import Progress
from ..topics import TopicSpace, check_documents, topic_space, twin_line
from .components import components
from .folds import own_split
from .near_documents import near_duplicates

ROUNDS = 6  # documents that leave a topic move its centroid, so that another pair may pass the line
KEPT = 0.5
MOST_NODES = 500  # of the integer program's search tree
SIDES = ("train", "test")


@dataclass(frozen=True, slots=True)
class TopicChange:
    """Documents of one topic that leave a side: for the other one (`moved`), or altogether."""

    topic: str
    side: str
    documents: int
    moved: bool


@record
class Mended:
    """The split without its leaks: the corpus with its new train and test labels, the changes by topic, the ids of test
    documents dropped as near duplicates of training ones, what still crosses, and whether it is proven that no change of
    fewer documents would part the topics."""

    corpus: Corpus
    changes: tuple[TopicChange, ...]
    duplicates: tuple[str, ...]
    remaining: tuple[str, ...]
    smallest: bool

    @property
    def moved(self) -> int:
        """Documents on the other side now."""
        return sum(change.documents for change in self.changes if change.moved)

    @property
    def dropped(self) -> int:
        """Documents that are gone."""
        return sum(change.documents for change in self.changes if not change.moved) + len(self.duplicates)

    @property
    def sentence(self) -> str:
        """What would be changed, and what is left of the leaks."""
        still = f" What still crosses: {'; '.join(self.remaining)}." if self.remaining else ""
        if not self.moved and not self.dropped:
            return f"Nothing {'could be' if still else 'needs to be'} changed.{still}"
        train = sum(label == "train" for label in self.corpus.splits or ())
        fewest = " Fewer changes would not part the topics." if self.smallest and self.changes else ""
        copies = f", {len(self.duplicates):,} of them near duplicates" if self.duplicates else ""
        return (
            f"Move {self.moved:,} documents and drop {self.dropped:,}{copies}; "
            f"{train:,} training and {len(self.corpus) - train:,} test documents are left.{fewest}{still}"
        )


def mend_split(
    corpus: Corpus,
    vectors: NDArray[np.floating],
    space: TopicSpace,
    *,
    kept: float = KEPT,
    seed: int = 0,
    progress: Progress | None = None,
) -> Mended:
    """The fewest documents to change so that no training topic is a test topic too, or its near twin, and no test
    document a near duplicate of a training one.

    Of two alike topics on either side one must leave its side: a least cover of such pairs, by documents, that leaves at
    least the share `kept` of either side where it is. What leaves goes to the other side where nothing alike stays
    behind, and is dropped otherwise. Where no cover leaves so much, as when every topic is on both sides, families of alike
    topics are put on one side whole (`_whole_families`). Then test documents with a near duplicate in training are dropped. All is measured
    anew after every round, as the audit of the mended split will be.
    """
    check_documents(corpus, space, vectors)
    if not 0 < kept < 1:
        raise SettingError(f"A share of {kept:g} kept on either side; choose one between 0 and 1.")
    tested = np.zeros(len(corpus), dtype=np.bool_)
    tested[own_split(corpus).folds[0].test] = True
    rows = np.arange(len(corpus))
    changes: list[TopicChange] = []
    copies: list[str] = []
    proven: list[bool] = []
    for turn in range(ROUNDS):
        part, here = (corpus, space) if turn == 0 else _measured_anew(corpus, vectors, rows, space.kind)
        side, topic, sizes = tested[rows].astype(int), part.topic_codes, _sizes(part, tested[rows])
        leaving, moving, remaining, best = _parted(here, sizes, kept)
        if remaining:
            proven.append(best)
        if leaving is not None:
            changes += _changes(here, sizes, leaving, moving)
            tested[rows] ^= moving[side, topic]
            rows = rows[~(leaving & ~moving)[side, topic]]
        train, test = rows[~tested[rows]], rows[tested[rows]]
        found = near_duplicates(corpus.texts, train, test, seed=seed, progress=progress).test
        if len(found) == len(test) > 0:  # nothing would be left to test on
            remaining = (*remaining, f"all {len(found):,} test documents have a near duplicate in training")
            found = found[:0]
        copies += [corpus.ids[row] for row in found]
        rows = np.setdiff1d(rows, found)
        if leaving is None and not len(found):
            break
    labels = tuple(SIDES[int(tested[row])] for row in rows)
    made = replace(take(corpus, rows), splits=labels)
    return Mended(made, tuple(changes), tuple(copies), remaining, proven == [True])


def _measured_anew(corpus: Corpus, vectors: NDArray[np.floating], rows: Ints, kind: str) -> tuple[Corpus, TopicSpace]:
    """These documents, and how alike their topics are without the others."""
    part = take(corpus, rows)
    return part, topic_space(vectors[rows], part.topic_codes, part.topic_names, similarity=kind)


def _parted(space: TopicSpace, sizes: Ints, kept: float) -> tuple[Bools | None, Bools, tuple[str, ...], bool]:
    """Which topics leave which side (None: none can, or none need to), which of these move to the other one, what leaks now,
    and whether fewer documents are proven not to do."""
    alike = _alike(space)
    leaks, nobody = _named(space, alike, sizes), np.zeros(sizes.shape, dtype=np.bool_)
    if not leaks:
        return None, nobody, (), True
    leaving, proven = _least_cover(alike, sizes, kept)
    if leaving is None:
        leaving = _whole_families(alike, sizes, kept)
    return leaving, nobody if leaving is None else _movable(alike, sizes, leaving), leaks, proven


def _sizes(part: Corpus, tested: Bools) -> Ints:
    """Documents of each topic (columns) in training and in test (rows)."""
    count = len(part.topic_names)
    return np.stack([np.bincount(part.topic_codes[tested == side], minlength=count) for side in (False, True)])


def _alike(space: TopicSpace) -> Bools:
    """Topic × topic: the same, or near twins."""
    alike: Bools = space.similarity >= twin_line(space.similarity, kind=space.kind)
    np.fill_diagonal(alike, True)
    return alike


def _leaks(alike: Bools, sizes: Ints) -> Ints:
    """Pairs of a training topic and a test topic that are alike."""
    return np.argwhere(alike & (sizes[0] > 0)[:, None] & (sizes[1] > 0)[None, :])


def _named(space: TopicSpace, alike: Bools, sizes: Ints, most: int = 5) -> tuple[str, ...]:
    leaks = _leaks(alike, sizes)
    named = [
        f"'{space.names[one]}' on both sides"
        if one == two
        else f"'{space.names[one]}' and its near twin '{space.names[two]}'"
        for one, two in leaks[:most].tolist()
    ]
    return (*named, f"{len(leaks) - most:,} more pairs") if len(leaks) > most else tuple(named)


def _least_cover(alike: Bools, sizes: Ints, kept: float) -> tuple[Bools | None, bool]:
    """Which topics leave which side (rows), the fewest documents in all; None where either side would lose too much."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, vstack

    leaks, count = _leaks(alike, sizes), sizes.shape[1]
    pair = np.arange(len(leaks)).repeat(2)
    column = (leaks + np.array([0, count])).ravel()
    covered = csr_array((np.ones(len(pair)), (pair, column)), shape=(len(leaks), 2 * count))
    of_side = csr_array((sizes.ravel().astype(float), (np.arange(2).repeat(count), np.arange(2 * count))))
    low = np.concatenate([np.ones(len(leaks)), np.zeros(2)])
    high = np.concatenate([np.full(len(leaks), 2.0), (1 - kept) * sizes.sum(axis=1)])
    answer = milp(
        sizes.ravel().astype(float),
        integrality=np.ones(2 * count),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(vstack([covered, of_side]), low, high),
        options={"node_limit": MOST_NODES},
    )
    if answer.x is None:
        return None, False
    leaving = (answer.x > 0.5).reshape(2, count) & (sizes > 0)
    return leaving, answer.status == 0


def _whole_families(alike: Bools, sizes: Ints, kept: float) -> Bools | None:
    """Which topics leave which side when everything that hangs together goes to one side, the fewest documents in all, so
    that either side ends with at least the share `kept` of the documents it had; None where that cannot be."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    family = components(alike)
    count = int(family.max()) + 1
    held = np.stack([np.bincount(family, weights=side, minlength=count) for side in sizes])
    documents = held.sum(axis=0)
    least = kept * sizes.sum(axis=1)
    # x = 1 where a family is in test: its training documents move, else its test documents do.
    answer = milp(
        held[0] - held[1],
        integrality=np.ones(count),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(documents[None, :], least[1], documents.sum() - least[0]),
        options={"node_limit": MOST_NODES},
    )
    if answer.x is None:
        return None
    in_test = (answer.x > 0.5)[family]
    return np.stack([in_test, ~in_test]) & (sizes > 0)


def _movable(alike: Bools, sizes: Ints, leaving: Bools) -> Bools:
    """Which of those that leave can go to the other side: nothing alike is left behind; the largest go first."""
    present = (sizes > 0) & ~leaving
    moving = np.zeros_like(leaving)
    for flat in np.argsort(-np.where(leaving, sizes, 0).ravel(), kind="stable")[: int(leaving.sum())].tolist():
        side, topic = divmod(flat, sizes.shape[1])
        if not (alike[topic] & present[side]).any():
            moving[side, topic] = present[1 - side, topic] = True
    return moving


def _changes(space: TopicSpace, sizes: Ints, leaving: Bools, moving: Bools) -> list[TopicChange]:
    return [
        TopicChange(space.names[topic], SIDES[side], int(sizes[side, topic]), bool(moving[side, topic]))
        for side, topic in np.argwhere(leaving).tolist()
    ]
