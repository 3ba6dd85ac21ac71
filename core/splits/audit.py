"""A given split judged: shared topics, near twins, near duplicates, nearest neighbours, and HITS instead."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, known_max, known_mean, record
from ..corpora import Corpus
from ..progress import Progress
from ..topics import (
    Bootstrap,
    TopicSpace,
    check_documents,
    clear_twins,
    hits_path,
    largest_without_twins,
    twin_threshold,
)
from .duplicates import NearDuplicates, NeighbourLeakage, near_duplicates, neighbour_leakage
from .folds import Fold, own_split

MOST_TESTED = 10_000  # test documents compared with all others; more are sampled
DEALS = 20  # random splits of HITS's topics into training and test, averaged


@dataclass(frozen=True, slots=True)
class HitsInstead:
    """The topics HITS keeps without near twins, and a topic split of them: mean and max similarity of its training and
    test topics over random splits, and the neighbour leakage of its documents relative to chance in the first split."""

    topics: tuple[str, ...]
    documents: int
    test_topics: int
    mean: float
    max: float
    neighbour_leakage_ratio: float


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
    deals = [np.random.default_rng(seed + deal).permutation(selected) for deal in range(DEALS)]
    blocks = [space.similarity[np.ix_(dealt[:held_out], dealt[held_out:])] for dealt in deals]
    sides = deals[0][:held_out], deals[0][held_out:]
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
    """A topic of the test side: its documents there, whether training has it too (`shared`), the nearest *other*
    training topic, whether one is a near twin clearly, or above the threshold only (`doubtful`), its documents' mean
    neighbour leakage and near duplicates in training."""

    __test__ = False  # a record, whatever pytest makes of its name

    name: str
    documents: int
    shared: bool
    nearest: str | None
    similarity: float
    twin: bool
    doubtful: bool
    neighbour_leakage: float
    duplicates: int


@record
class SplitAudit:
    """What a split leaks, by topics and by documents. `mean` and `max` are over pairs of a training topic and a
    *different* test topic (NaN where there is none); topics on both sides are counted in `shared`."""

    train: int
    test: int
    threshold: float
    mean: float
    max: float
    topics: tuple[TestTopic, ...]
    duplicates: NearDuplicates
    neighbour_leakage: NeighbourLeakage
    hits: HitsInstead | None
    notes: tuple[str, ...]

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
    """Near twins among topics and documents across a split (the corpus's own, or any `fold`), and HITS beside it."""
    check_documents(corpus, space, vectors)
    fold = own_split(corpus).folds[0] if fold is None else fold
    # In order of id, so that ties and draws do not depend on the order of the file.
    train, test = (np.array(sorted(side.tolist(), key=corpus.ids.__getitem__)) for side in (fold.train, fold.test))
    notes, tested = [], test
    if len(test) > MOST_TESTED:
        tested = test[np.sort(np.random.default_rng(seed).choice(len(test), MOST_TESTED, replace=False))]
        notes.append(f"{MOST_TESTED:,} of {len(test):,} test documents, drawn at random, are compared with all others.")
    leakage = neighbour_leakage(vectors, corpus.topic_codes, train, test, tested=tested, progress=progress)
    copies = near_duplicates(corpus.texts, train, tested, seed=seed, progress=progress)
    if copies.short:
        notes.append(f"{copies.short:,} test documents are too short to be compared word for word.")
    threshold = twin_threshold(space.similarity, kind=space.kind)
    block = space.similarity[np.ix_(fold.test_topics, fold.train_topics)]
    different = block[fold.test_topics[:, None] != fold.train_topics[None, :]]
    hits = hits_instead(corpus, vectors, space, fold, threshold, seed=seed, progress=progress)
    if hits is None:
        notes.append("HITS finds no two topics that are not near twins, so there is no topic split to compare with.")
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
        closest = None if np.isnan(similarity).all() else int(np.nanargmax(similarity))
        value = float("nan") if closest is None else float(similarity[closest])
        twin = bool(clear[topic, others].any())
        topics.append(
            TestTopic(
                name=space.names[topic],
                documents=int(sizes[topic]),
                shared=len(others) < len(fold.train_topics),
                nearest=None if closest is None else space.names[others[closest]],
                similarity=value,
                twin=twin,
                doubtful=value >= threshold and not twin,
                neighbour_leakage=float(shares[topic] / tested[topic]) if tested[topic] else float("nan"),
                duplicates=int(copied[topic]),
            )
        )
    return tuple(topics)
