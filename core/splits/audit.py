"""A corpus's own split into training and test, judged as it stands."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import record
from ..corpora import Corpus
from ..errors import SettingError
from ..progress import Progress
from ..topics import TopicSpace, hits_path, twin_threshold
from .folds import Fold, own_split
from .near_documents import Crossing, NearDuplicates, crossing, near_duplicates

Row = dict[str, str | int | float | bool | None]

MOST_TESTED = 10_000  # test documents compared with all others; more are sampled
DEALS = 20  # random deals of HITS's topics into training and test, averaged


@dataclass(frozen=True, slots=True)
class TestTopic:
    """A topic of the test side: its documents there, whether training has it too (`shared`), the nearest *other*
    training topic, whether that is a near twin, its documents' mean crossing and near duplicates in training."""

    __test__ = False  # a record, whatever pytest makes of its name

    name: str
    documents: int
    shared: bool
    nearest: str | None
    similarity: float
    twin: bool
    crossing: float
    duplicates: int


@dataclass(frozen=True, slots=True)
class HitsInstead:
    """The topics HITS keeps without near twins, and a topic split of them: mean and max similarity of its training and
    test topics over random deals, and the crossing of its documents relative to chance in the first deal."""

    topics: tuple[str, ...]
    documents: int
    test_topics: int
    mean: float
    max: float
    crossing_ratio: float


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
    crossing: Crossing
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
    def table(self) -> list[Row]:
        """A row a test topic."""
        return [
            {
                "test topic": topic.name,
                "documents": topic.documents,
                "also in training": topic.shared,
                "nearest other training topic": topic.nearest,
                "similarity": topic.similarity,
                "near twin": topic.twin,
                "crossing": topic.crossing,
                "near duplicates": topic.duplicates,
            }
            for topic in self.topics
        ]


def audit_split(
    corpus: Corpus,
    vectors: NDArray[np.floating],
    space: TopicSpace,
    *,
    fold: Fold | None = None,
    neighbours: int = 10,
    duplicate: float = 0.5,
    seed: int = 0,
    progress: Progress | None = None,
) -> SplitAudit:
    """Near twins among topics and documents across a split (the corpus's own, or any `fold`), and HITS beside it."""
    if space.names != corpus.topic_names or len(vectors) != len(corpus):
        raise SettingError("Vectors and similarities are of other documents; compute both from this corpus.")
    fold = own_split(corpus).folds[0] if fold is None else fold
    # In order of id, so that ties and draws do not hang on the order of the file.
    train, test = (np.array(sorted(side.tolist(), key=corpus.ids.__getitem__)) for side in (fold.train, fold.test))
    notes, asked = [], test
    if len(test) > MOST_TESTED:
        asked = test[np.sort(np.random.default_rng(seed).choice(len(test), MOST_TESTED, replace=False))]
        notes.append(f"{MOST_TESTED:,} of {len(test):,} test documents, drawn at random, are compared with all others.")
    crossed = crossing(vectors, corpus.topic_codes, train, test, asked=asked, neighbours=neighbours, progress=progress)
    copies = near_duplicates(corpus.texts, train, asked, threshold=duplicate, seed=seed, progress=progress)
    if copies.short:
        notes.append(f"{copies.short:,} test documents are too short to be compared word for word.")
    threshold = twin_threshold(space.similarity)
    block = space.similarity[np.ix_(fold.test_topics, fold.train_topics)]
    different = block[fold.test_topics[:, None] != fold.train_topics[None, :]]
    hits = _hits_instead(corpus, vectors, space, fold, threshold, neighbours=neighbours, seed=seed, progress=progress)
    if hits is None:
        notes.append("HITS finds no two topics that are not near twins, so there is no topic split to compare with.")
    return SplitAudit(
        len(train),
        len(test),
        threshold,
        float(different.mean()) if different.size else float("nan"),
        float(different.max()) if different.size else float("nan"),
        _test_topics(corpus, space, fold, threshold, crossed, copies),
        copies,
        crossed,
        hits,
        tuple(notes),
    )


def _test_topics(
    corpus: Corpus, space: TopicSpace, fold: Fold, threshold: float, crossed: Crossing, copies: NearDuplicates
) -> tuple[TestTopic, ...]:
    count = len(space)
    sizes = np.bincount(corpus.topic_codes[fold.test], minlength=count)
    asked = np.bincount(corpus.topic_codes[crossed.rows], minlength=count)
    sums = np.bincount(corpus.topic_codes[crossed.rows], crossed.share, minlength=count)
    copied = np.bincount(corpus.topic_codes[copies.test], minlength=count)
    topics = []
    for topic in fold.test_topics.tolist():
        others = fold.train_topics[fold.train_topics != topic]
        similarity = space.similarity[topic, others]
        closest = int(similarity.argmax()) if len(others) else None
        value = float("nan") if closest is None else float(similarity[closest])
        topics.append(
            TestTopic(
                space.names[topic],
                int(sizes[topic]),
                len(others) < len(fold.train_topics),
                None if closest is None else space.names[others[closest]],
                value,
                value >= threshold,
                float(sums[topic] / asked[topic]) if asked[topic] else float("nan"),
                int(copied[topic]),
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
    neighbours: int,
    seed: int,
    progress: Progress | None,
) -> HitsInstead | None:
    """As many test topics as the split has; where that leaves none to train on, as large a share of the topics as the
    split's share of test documents."""
    path = hits_path(space.similarity)
    kept = np.sort(path.order[: 1 + int((path.max[1:] < threshold).sum())])
    if len(kept) < 2:
        return None
    tested = len(fold.test_topics)
    if tested >= len(kept):
        tested = round(len(kept) * len(fold.test) / (len(fold.train) + len(fold.test)))
    tested = min(max(tested, 1), len(kept) - 1)
    means, maxima = [], []
    for deal in range(DEALS):
        dealt = np.random.default_rng(seed + deal).permutation(kept)
        block = space.similarity[np.ix_(dealt[:tested], dealt[tested:])]
        means.append(block.mean())
        maxima.append(block.max())
    dealt = np.random.default_rng(seed).permutation(kept)
    test, train = (np.flatnonzero(np.isin(corpus.topic_codes, part)) for part in (dealt[:tested], dealt[tested:]))
    asked = np.random.default_rng(seed).permutation(test)[:MOST_TESTED]
    crossed = crossing(vectors, corpus.topic_codes, train, test, asked=asked, neighbours=neighbours, progress=progress)
    return HitsInstead(
        tuple(space.names[topic] for topic in kept),
        len(train) + len(test),
        tested,
        float(np.mean(means)),
        float(np.mean(maxima)),
        crossed.ratio,
    )
