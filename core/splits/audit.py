"""A given split judged (shared topics, near twins, near duplicates, HITS instead), and the smallest change that fixes it."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, Ints, known_max, known_mean, record
from ..corpora import Corpus, take
from ..errors import SettingError
from ..notes import Note
from ..progress import Progress
from ..topics import (
    Bootstrap,
    TopicSpace,
    bootstrap_topics,
    check_documents,
    clear_twins,
    hits_path,
    largest_without_twins,
    topic_space,
    twin_threshold,
)
from .duplicates import NearDuplicates, NeighbourLeakage, near_duplicates, neighbour_leakage
from .folds import Fold, own_split
from .least_leakage import components

MOST_TESTED = 10_000  # test documents compared with all others; more are sampled
RANDOM_SPLITS = 20  # random splits of HITS's topics into training and test, averaged


@dataclass(frozen=True, slots=True)
class HitsInstead:
    """The topics HITS keeps without near twins, and what a topic split of them leaks."""

    topics: tuple[str, ...]
    documents: int
    test_topics: int
    mean: float  # similarity of training and test topics, over random splits
    max: float  # the highest, over random splits
    neighbour_leakage_ratio: float  # relative to chance, in the first split


def hits_instead(
    corpus: Corpus,
    vectors: NDArray[np.floating],
    space: TopicSpace,
    fold: Fold,
    threshold: float,
    *,
    seed: int,
    progress: Progress | None,
) -> HitsInstead | None:
    """Return as many test topics as the split has; where that leaves none to train on, as large a share of the topics as the
    split's share of test documents."""
    path = hits_path(space.similarity)
    selected = np.sort(path.order[: largest_without_twins(path, threshold)])
    if len(selected) < 2:
        return None
    held_out = len(fold.test_topics)
    if held_out >= len(selected):
        held_out = round(len(selected) * len(fold.test) / (len(fold.train) + len(fold.test)))
    held_out = min(max(held_out, 1), len(selected) - 1)
    orders = [np.random.default_rng(seed + index).permutation(selected) for index in range(RANDOM_SPLITS)]
    blocks = [space.similarity[np.ix_(order[:held_out], order[held_out:])] for order in orders]
    sides = orders[0][:held_out], orders[0][held_out:]
    test, train = (np.flatnonzero(np.isin(corpus.topic_codes, side)) for side in sides)
    tested = np.random.default_rng(seed).permutation(test)[:MOST_TESTED]
    leakage = neighbour_leakage(vectors, corpus.topic_codes, train, test, tested=tested, progress=progress)
    return HitsInstead(
        topics=tuple(space.names[topic] for topic in selected),
        documents=len(train) + len(test),
        test_topics=held_out,
        mean=float(np.mean([block.mean() for block in blocks])),
        max=float(np.mean([block.max() for block in blocks])),
        neighbour_leakage_ratio=leakage.ratio,
    )


@dataclass(frozen=True, slots=True)
class TestTopic:
    """A topic of the test side."""

    __test__ = False  # a record, whatever pytest makes of its name

    name: str
    documents: int  # on the test side
    shared: bool  # training has it, too
    nearest: str | None  # the nearest other training topic
    similarity: float
    twin: bool  # clearly a near twin
    doubtful: bool  # above the threshold, but not clearly
    neighbour_leakage: float  # mean over its documents
    duplicates: int  # documents with a near duplicate in training


@record
class SplitAudit:
    """What a split leaks, by topics and by documents."""

    train: int  # documents
    test: int  # documents
    threshold: float  # from which topics are near twins
    mean: float  # over pairs of a training topic and a different test topic; NaN where there is none
    max: float  # over the same pairs
    topics: tuple[TestTopic, ...]
    duplicates: NearDuplicates
    neighbour_leakage: NeighbourLeakage
    hits: HitsInstead | None
    notes: tuple[Note, ...]

    @property
    def shared(self) -> int:
        """Test topics that training has too."""
        return sum(topic.shared for topic in self.topics)

    @property
    def twins(self) -> int:
        """Test topics with a near twin, other than themselves, in training."""
        return sum(topic.twin for topic in self.topics)

    @property
    def doubtful(self) -> int:
        """Test topics whose nearest other training topic lies above the threshold, but not clearly."""
        return sum(topic.doubtful for topic in self.topics)

    @property
    def unknown(self) -> int:
        """Test topics that cannot be compared with any other training topic."""
        return sum(bool(np.isnan(topic.similarity)) for topic in self.topics)


def audit_split(
    corpus: Corpus,
    vectors: NDArray[np.floating],
    space: TopicSpace,
    *,
    fold: Fold | None = None,
    bootstrap: Bootstrap | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> SplitAudit:
    """Return near twins among topics and documents across a split (the corpus's own, or any `fold`), and HITS beside it."""
    check_documents(corpus, space, vectors)
    fold = own_split(corpus).folds[0] if fold is None else fold
    # In order of id, so that ties and draws do not depend on the order of the file.
    train, test = (np.array(sorted(side.tolist(), key=corpus.ids.__getitem__)) for side in (fold.train, fold.test))
    notes, tested = [], test
    if len(test) > MOST_TESTED:
        tested = test[np.sort(np.random.default_rng(seed).choice(len(test), MOST_TESTED, replace=False))]
        notes.append(Note("sampled tests", (MOST_TESTED, len(test))))
    leakage = neighbour_leakage(vectors, corpus.topic_codes, train, test, tested=tested, progress=progress)
    copies = near_duplicates(corpus.texts, train, tested, seed=seed, progress=progress)
    if copies.short:
        notes.append(Note("short tests", (copies.short,)))
    threshold = twin_threshold(space.similarity, kind=space.kind)
    block = space.similarity[np.ix_(fold.test_topics, fold.train_topics)]
    different = block[fold.test_topics[:, None] != fold.train_topics[None, :]]
    hits = hits_instead(corpus, vectors, space, fold, threshold, seed=seed, progress=progress)
    if hits is None:
        notes.append(Note("no topic split"))
    return SplitAudit(
        train=len(train),
        test=len(test),
        threshold=threshold,
        mean=float(known_mean(different)),
        max=float(known_max(different)),
        topics=_test_topics(corpus, space, fold, threshold, clear_twins(space, threshold, bootstrap), leakage, copies),
        duplicates=copies,
        neighbour_leakage=leakage,
        hits=hits,
        notes=tuple(notes),
    )


def _test_topics(
    corpus: Corpus,
    space: TopicSpace,
    fold: Fold,
    threshold: float,
    clear: Bools,
    leakage: NeighbourLeakage,
    copies: NearDuplicates,
) -> tuple[TestTopic, ...]:
    count = len(space)
    sizes = np.bincount(corpus.topic_codes[fold.test], minlength=count)
    tested = np.bincount(corpus.topic_codes[leakage.rows], minlength=count)
    shares = np.bincount(corpus.topic_codes[leakage.rows], leakage.share, minlength=count)
    copied = np.bincount(corpus.topic_codes[copies.test], minlength=count)
    topics = []
    for topic in fold.test_topics.tolist():
        others = fold.train_topics[fold.train_topics != topic]
        similarity = space.similarity[topic, others]
        near = np.where(space.nobodys_nearest[others], np.nan, similarity)  # a noisy centroid is nobody's nearest
        closest = None if np.isnan(near).all() else int(np.nanargmax(near))
        value = float("nan") if closest is None else float(near[closest])
        twin = bool(clear[topic, others].any())
        topics.append(
            TestTopic(
                name=space.names[topic],
                documents=int(sizes[topic]),
                shared=len(others) < len(fold.train_topics),
                nearest=None if closest is None else space.names[others[closest]],
                similarity=value,
                twin=twin,
                doubtful=bool((similarity >= threshold).any()) and not twin,
                neighbour_leakage=float(shares[topic] / tested[topic]) if tested[topic] else float("nan"),
                duplicates=int(copied[topic]),
            )
        )
    return tuple(topics)


MOST_NODES = 500  # of the integer program's search tree

ROUNDS = 6  # documents that leave a topic move its centroid, so that another pair may pass the line
KEPT = 0.5
SIDES = ("train", "test")


def leaks(similar: Bools, sizes: Ints) -> Ints:
    """Return pairs of a training topic and a test topic that are similar."""
    return np.argwhere(similar & (sizes[0] > 0)[:, None] & (sizes[1] > 0)[None, :])


def least_cover(similar: Bools, sizes: Ints, kept: float) -> tuple[Bools | None, bool]:
    """Return which topics leave which side (rows), the fewest documents in all; None where either side would lose too much."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, vstack

    leaking, count = leaks(similar, sizes), sizes.shape[1]
    pair = np.arange(len(leaking)).repeat(2)
    column = (leaking + np.array([0, count])).ravel()
    covered = csr_array((np.ones(len(pair)), (pair, column)), shape=(len(leaking), 2 * count))
    of_side = csr_array((sizes.ravel().astype(float), (np.arange(2).repeat(count), np.arange(2 * count))))
    low = np.concatenate([np.ones(len(leaking)), np.zeros(2)])
    high = np.concatenate([np.full(len(leaking), 2.0), (1 - kept) * sizes.sum(axis=1)])
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


def whole_families(similar: Bools, sizes: Ints, kept: float) -> Bools | None:
    """Return which topics leave which side when everything that belongs together goes to one side, the fewest documents in all, so
    that either side ends with at least the share `kept` of the documents it had; None where that cannot be."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    family = components(similar)
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


def movable(similar: Bools, sizes: Ints, leaving: Bools) -> Bools:
    """Return which of those that leave can go to the other side: nothing similar is left behind; the largest go first."""
    present = (sizes > 0) & ~leaving
    moving = np.zeros_like(leaving)
    for flat in np.argsort(-np.where(leaving, sizes, 0).ravel(), kind="stable")[: int(leaving.sum())].tolist():
        side, topic = divmod(flat, sizes.shape[1])
        if not (similar[topic] & present[side]).any():
            moving[side, topic] = present[1 - side, topic] = True
    return moving


@dataclass(frozen=True, slots=True)
class TopicChange:
    """Documents of one topic that leave a side."""

    topic: str
    side: str
    documents: int
    moved: bool  # to the other side; else they are left out


@record
class FixedSplit:
    """The split without its leaks."""

    corpus: Corpus  # with its new train and test labels
    changes: tuple[TopicChange, ...]
    duplicates: tuple[str, ...]  # ids of dropped test documents
    remaining: tuple[Note, ...]  # what still crosses
    smallest: bool  # proven that no smaller change separates the topics
    doubtful: int = 0  # pairs across the split above the threshold, but not clearly: they stay

    @property
    def moved(self) -> int:
        """Return documents on the other side now."""
        return sum(change.documents for change in self.changes if change.moved)

    @property
    def dropped(self) -> int:
        """Return documents that are gone."""
        return sum(change.documents for change in self.changes if not change.moved) + len(self.duplicates)


def fix_split(
    corpus: Corpus,
    vectors: NDArray[np.floating],
    space: TopicSpace,
    *,
    kept: float = KEPT,
    bootstrap: Bootstrap | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> FixedSplit:
    """Return the fewest documents to change so that no training topic is a test topic too, or its near twin, and no test
    document a near duplicate of a training one. Near twins are those clearly, as for the audit of the split, with the
    intervals of `bootstrap` where they are given.

    Of two similar topics on either side one must leave its side: a least cover of such pairs, by documents, that leaves at
    least the share `kept` of either side where it is. What leaves goes to the other side where nothing similar stays
    behind, and is dropped otherwise. Where no cover leaves so much, as when every topic is on both sides, families of similar
    topics are put on one side whole (`whole_families`); where that cannot be either, every topic alone, and near twins
    remain. Then test documents with a near duplicate in training are dropped. All is measured again after every round,
    as the audit of the fixed split will be.
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
        part, here = corpus, space
        if turn:
            part, here, bootstrap = _measured_without(corpus, vectors, rows, space.kind, draw=bootstrap is not None)
        similar, doubtful = _similar_and_unclear(here, bootstrap)
        side, topic, sizes = tested[rows].astype(int), part.topic_codes, _sizes_by_side(part, tested[rows])
        leaving, moving, remaining, best = _topics_to_leave(here, similar, sizes, kept)
        if remaining:
            proven.append(best)
        if leaving is not None:
            changes += _topic_changes(here, sizes, leaving, moving)
            tested[rows] ^= moving[side, topic]
            rows = rows[~(leaving & ~moving)[side, topic]]
        found, all_copied = _copies_of_training(corpus, rows, tested, seed, progress)
        remaining += all_copied
        copies += [corpus.ids[row] for row in found]
        rows = np.setdiff1d(rows, found)
        if leaving is None and not len(found):
            break
    labels = tuple(SIDES[int(tested[row])] for row in rows)
    made = replace(take(corpus, rows), splits=labels)
    return FixedSplit(made, tuple(changes), tuple(copies), remaining, proven == [True], len(leaks(doubtful, sizes)))


def _copies_of_training(
    corpus: Corpus, rows: Ints, tested: Bools, seed: int, progress: Progress | None
) -> tuple[Ints, tuple[Note, ...]]:
    """Return the test documents with a near duplicate in training; or that all have one, and dropping them would leave no test."""
    train, test = rows[~tested[rows]], rows[tested[rows]]
    found = near_duplicates(corpus.texts, train, test, seed=seed, progress=progress).test
    if len(found) == len(test) > 0:
        return found[:0], (Note("copies cross", (len(found),)),)
    return found, ()


def _measured_without(
    corpus: Corpus, vectors: NDArray[np.floating], rows: Ints, kind: str, *, draw: bool
) -> tuple[Corpus, TopicSpace, Bootstrap | None]:
    """Return these documents, how similar their topics are without the others and, where it is asked for, the bootstrap."""
    part = take(corpus, rows)
    space = topic_space(vectors[rows], part.topic_codes, part.topic_names, similarity=kind)
    drawn = bootstrap_topics(vectors[rows], part.topic_codes, len(space), kind=kind) if draw else None
    return part, space, drawn


def _topics_to_leave(
    space: TopicSpace, similar: Bools, sizes: Ints, kept: float
) -> tuple[Bools | None, Bools, tuple[Note, ...], bool]:
    """Return which topics leave which side (None: none can, or none need to), which of these move to the other one, what leaks now,
    and whether fewer documents are proven not to do."""
    leaking, nobody = _crossing_notes(space, similar, sizes), np.zeros(sizes.shape, dtype=np.bool_)
    if not leaking:
        return None, nobody, (), True
    leaving, proven = least_cover(similar, sizes, kept)
    if leaving is None:
        leaving = whole_families(similar, sizes, kept)
    if leaving is None and (sizes > 0).all(axis=0).any():  # at least no topic on both sides
        similar = np.eye(len(space), dtype=np.bool_)
        leaving = whole_families(similar, sizes, kept)
    return leaving, nobody if leaving is None else movable(similar, sizes, leaving), leaking, proven


def _sizes_by_side(part: Corpus, tested: Bools) -> Ints:
    """Return documents of each topic (columns) in training and in test (rows)."""
    count = len(part.topic_names)
    return np.stack([np.bincount(part.topic_codes[tested == side], minlength=count) for side in (False, True)])


def _similar_and_unclear(space: TopicSpace, bootstrap: Bootstrap | None) -> tuple[Bools, Bools]:
    """Return two topic × topic masks: the same or clear near twins, and the unclear pairs above the threshold."""
    threshold = twin_threshold(space.similarity, kind=space.kind)
    similar = clear_twins(space, threshold, bootstrap)
    np.fill_diagonal(similar, True)
    return similar, (space.similarity >= threshold) & ~similar


def _crossing_notes(space: TopicSpace, similar: Bools, sizes: Ints, most: int = 5) -> tuple[Note, ...]:
    leaking = leaks(similar, sizes)
    named = [
        Note("topic crosses", (space.names[one],))
        if one == two
        else Note("twins cross", (space.names[one], space.names[two]))
        for one, two in leaking[:most].tolist()
    ]
    return (*named, Note("more cross", (len(leaking) - most,))) if len(leaking) > most else tuple(named)


def _topic_changes(space: TopicSpace, sizes: Ints, leaving: Bools, moving: Bools) -> list[TopicChange]:
    return [
        TopicChange(space.names[topic], SIDES[side], int(sizes[side, topic]), bool(moving[side, topic]))
        for side, topic in np.argwhere(leaving).tolist()
    ]
