"""A corpus's own split into training and test, judged as it stands."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, known_max, known_mean, record
from ..corpora import Corpus
from ..errors import SettingError
from ..progress import Progress
from ..topics import Resampled, TopicSpace, hits_path, largest_without_twins, sure_twins, twin_line
from .folds import Fold, own_split
from .near_documents import NearDuplicates, NeighbourLeakage, near_duplicates, neighbour_leakage

MOST_TESTED = 10_000  # test documents compared with all others; more are sampled
DEALS = 20  # random deals of HITS's topics into training and test, averaged


@dataclass(frozen=True, slots=True)
class TestTopic:
    """A topic of the test side: its documents there, whether training has it too (`shared`), the nearest *other*
    training topic, whether one is a near twin beyond doubt, or past the line only (`doubtful`), its documents' mean
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


@dataclass(frozen=True, slots=True)
class HitsInstead:
    """The topics HITS keeps without near twins, and a topic split of them: mean and max similarity of its training and
    test topics over random deals, and the neighbour leakage of its documents relative to chance in the first deal."""

    topics: tuple[str, ...]
    documents: int
    test_topics: int
    mean: float
    max: float
    neighbour_leakage_ratio: float


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
        """Test topics whose nearest other training topic lies past the line, but not beyond doubt."""
        return sum(topic.doubtful for topic in self.topics)

    @property
    def unknown(self) -> int:
        """Test topics that cannot be compared with any other training topic."""
        return sum(bool(np.isnan(topic.similarity)) for topic in self.topics)

    def sentence(self, *, meaningful: bool = True) -> str:
        """Whether the split leaks, by documents and, where the labels mean something, by topics; and what crosses it."""
        leakage, count = self.neighbour_leakage, len(self.topics)
        copies = f"{len(self.duplicates):,} of {len(leakage.rows):,} test documents have a near duplicate in training"
        crosses = (
            f"Of the similarity to the nearest documents {leakage.score:.0%} crosses the split; at random {leakage.chance:.0%} "
            "would."
        )
        if not meaningful:
            return f"The labels do not separate these texts, so that topics tell nothing of this split. {copies}. {crosses}"
        found = [f"{self.shared} of {count} test topics are in training themselves"] if self.shared else []
        found += [f"{self.twins} of {count} test topics have a near twin there"] if self.twins else []
        found += [copies] if len(self.duplicates) else []
        answer = f"Yes: {'; '.join(found)}."
        maybe = (
            f"{self.doubtful} of {count} test topics may have a near twin there, which their documents leave in doubt"
        )
        if not found and self.doubtful:
            answer = f"Perhaps: {maybe}; no test document has a near duplicate there."
        elif not found:
            twins = "" if self.unknown == count else "no test topic has a near twin in training, and "
            answer = f"Hardly: {twins}no test document has a near duplicate there."
        elif self.doubtful:
            answer = f"{answer} Another {maybe}."
        untold = f" For {self.unknown} of {count} test topics near twins cannot be told." if self.unknown else ""
        return f"{answer}{untold} {crosses}"


def audit_split(
    corpus: Corpus,
    vectors: NDArray[np.floating],
    space: TopicSpace,
    *,
    fold: Fold | None = None,
    resampled: Resampled | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> SplitAudit:
    """Near twins among topics and documents across a split (the corpus's own, or any `fold`), and HITS beside it."""
    if space.names != corpus.topic_names or len(vectors) != len(corpus):
        raise SettingError("Vectors and similarities are of other documents; compute both from this corpus.")
    fold = own_split(corpus).folds[0] if fold is None else fold
    # In order of id, so that ties and draws do not hang on the order of the file.
    train, test = (np.array(sorted(side.tolist(), key=corpus.ids.__getitem__)) for side in (fold.train, fold.test))
    notes, tested = [], test
    if len(test) > MOST_TESTED:
        tested = test[np.sort(np.random.default_rng(seed).choice(len(test), MOST_TESTED, replace=False))]
        notes.append(f"{MOST_TESTED:,} of {len(test):,} test documents, drawn at random, are compared with all others.")
    leakage = neighbour_leakage(vectors, corpus.topic_codes, train, test, tested=tested, progress=progress)
    copies = near_duplicates(corpus.texts, train, tested, seed=seed, progress=progress)
    if copies.short:
        notes.append(f"{copies.short:,} test documents are too short to be compared word for word.")
    threshold = twin_line(space.similarity, kind=space.kind)
    block = space.similarity[np.ix_(fold.test_topics, fold.train_topics)]
    different = block[fold.test_topics[:, None] != fold.train_topics[None, :]]
    hits = _hits_instead(corpus, vectors, space, fold, threshold, seed=seed, progress=progress)
    if hits is None:
        notes.append("HITS finds no two topics that are not near twins, so there is no topic split to compare with.")
    return SplitAudit(
        train=len(train),
        test=len(test),
        threshold=threshold,
        mean=float(known_mean(different)),
        max=float(known_max(different)),
        topics=_test_topics(corpus, space, fold, threshold, sure_twins(space, threshold, resampled), leakage, copies),
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
    sure: Bools,
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
        twin = bool(sure[topic, others].any())
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


def _hits_instead(
    corpus: Corpus,
    vectors: NDArray[np.floating],
    space: TopicSpace,
    fold: Fold,
    threshold: float,
    *,
    seed: int,
    progress: Progress | None,
) -> HitsInstead | None:
    """As many test topics as the split has; where that leaves none to train on, as large a share of the topics as the
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
