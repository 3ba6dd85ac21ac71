"""A corpus's own split into training and test, judged as it stands."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, known_max, known_mean, record
from ..corpora import Corpus
from ..formats import first_few, share
from ..progress import Progress
from ..statistics import Conclusion
from ..topics import Resampled, TopicSpace, check_documents, sure_twins, twin_line
from .folds import Fold, own_split
from .hits_instead import MOST_TESTED, HitsInstead, hits_instead
from .near_documents import NearDuplicates, NeighbourLeakage, near_duplicates, neighbour_leakage

MOST_NAMED = 3  # topics or pairs in a reason


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

    @property
    def near_twin(self) -> str:
        """Whether it has one in training, in a word; none where nothing is known."""
        if np.isnan(self.similarity):
            return ""
        return "yes" if self.twin else "perhaps" if self.doubtful else "no"


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
        return " ".join((self._answer(meaningful), *self._details(meaningful)))

    def conclusion(self, *, meaningful: bool = True) -> Conclusion:
        """The same with its reasons, the answer alone first."""
        return Conclusion(
            self._answer(meaningful), (*self.reasons(meaningful=meaningful), " ".join(self._details(meaningful)))
        )

    def _answer(self, meaningful: bool) -> str:
        count, copied = len(self.topics), len(self.duplicates)
        copies = f"{copied:,} of {len(self.neighbour_leakage.rows):,} test documents have a near duplicate in training"
        if not meaningful:
            return f"The labels do not separate these texts, so that topics tell nothing of this split. {copies}."
        are, have = "is" if self.shared == 1 else "are", "has" if self.twins == 1 else "have"
        found = [f"{self.shared:,} of {count:,} test topics {are} in training too"] if self.shared else []
        found += [f"{self.twins:,} of {count:,} test topics {have} a near twin in training"] if self.twins else []
        found += [copies] if copied else []
        if found:
            return f"Yes: {'; '.join(found)}."
        if self.doubtful:
            return f"Perhaps: {self._maybe}. No test document has a near duplicate in training."
        twins = "" if self.unknown == count else "no test topic has a near twin in training, and "
        return (
            f"Hardly: {twins}no test document has a near duplicate there."
            if twins
            else ("Hardly: no test document has a near duplicate in training.")
        )

    @property
    def _maybe(self) -> str:
        count = f"{self.doubtful:,} of {len(self.topics):,}"
        return f"{count} test topics may have a near twin in training, which their documents leave in doubt"

    def _details(self, meaningful: bool) -> tuple[str, ...]:
        leakage, said = self.neighbour_leakage, []
        if meaningful and self.doubtful and (self.shared or self.twins or len(self.duplicates)):
            said.append(f"Another {self._maybe}.")
        if meaningful and self.unknown:
            said.append(f"For {self.unknown:,} of {len(self.topics):,} test topics near twins cannot be told.")
        crosses = f"{share(leakage.score)} crosses the split; at random {share(leakage.chance)} would"
        return (*said, f"Of the similarity to the nearest documents {crosses}.")

    def reasons(self, *, meaningful: bool = True) -> tuple[str, ...]:
        """Because of what it leaks: the topics on both sides, the nearest twins, the topics with most near duplicates."""
        found = []
        if shared := [topic.name for topic in self.topics if topic.shared]:
            found.append(f"On both sides: {first_few(shared, MOST_NAMED)}.")
        twins = sorted((topic for topic in self.topics if topic.twin), key=lambda topic: -topic.similarity)
        if twins and meaningful:
            # Two topics that are on both sides are each other's nearest, and one pair.
            once = {frozenset((topic.name, topic.nearest)): topic for topic in reversed(twins)}
            pairs = [f"{topic.name} and {topic.nearest} ({topic.similarity:.2f})" for topic in reversed(once.values())]
            found.append(f"Near twins in test and training: {first_few(pairs, MOST_NAMED)}.")
        copied = sorted((topic for topic in self.topics if topic.duplicates), key=lambda topic: -topic.duplicates)
        if copied:
            named = [f"{topic.name} ({topic.duplicates:,})" for topic in copied]
            found.append(f"Near duplicates are in {first_few(named, MOST_NAMED)}.")
        return tuple(found)


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
    check_documents(corpus, space, vectors)
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
    hits = hits_instead(corpus, vectors, space, fold, threshold, seed=seed, progress=progress)
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
