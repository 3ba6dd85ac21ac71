"""What a set of folds leaks: how alike training and test topics are, per fold, per test topic and per pair."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints, known_max, known_mean, record
from ..errors import SettingError
from ..formats import counted
from ..topics import TopicSpace
from .folds import Folds


@record
class Exposure:
    """One test topic in one fold: its mean similarity to the training topics, and the nearest of them in falling order."""

    fold: int
    topic: int
    mean: float
    nearest: Ints
    similarity: Floats


@dataclass(frozen=True, slots=True)
class LeakingPair:
    """A training topic and a test topic, how alike they are, and the first fold in which they meet."""

    train: int
    test: int
    similarity: float
    fold: int


@record
class Leakage:
    """Mean and max cosine over all (train topic, test topic) pairs of each fold; `shared[i]` of fold i's test topics
    are training topics too. Topics are codes into `topic_names`."""

    topic_names: tuple[str, ...]
    mean: Floats
    max: Floats
    shared: Ints
    exposures: tuple[Exposure, ...]
    worst: tuple[LeakingPair, ...]
    notes: tuple[str, ...]

    @property
    def average_mean(self) -> float:
        """The mean over folds of their mean similarity (HITS, table 7)."""
        return float(known_mean(self.mean))

    @property
    def average_max(self) -> float:
        """The mean over folds of their maximum similarity (HITS, table 7)."""
        return float(known_mean(self.max))

    @property
    def highest(self) -> float:
        """The highest similarity of a training and a test topic in any fold."""
        return float(known_max(self.max))

    @property
    def sentence(self) -> str:
        """How close training comes to test, and by which pair."""
        folds = f"{counted(len(self.mean), 'fold')} of {counted(len(self.topic_names), 'topic')}"
        if not self.worst:
            return f"{folds}: no test topic can be compared with a training topic."
        if both := int(self.shared.sum()):
            return f"{folds}: {both:,} of {counted(len(self.exposures), 'time')} a topic that is tested is in training too."
        pair = self.worst[0]
        train, test = self.topic_names[pair.train], self.topic_names[pair.test]
        return (
            f"{folds}: the closest training topic of a fold's test topics has a similarity of {self.average_max:.2f} on "
            f"average, and {pair.similarity:.2f} at most (tested on {test}, trained on {train})."
        )


def fold_leakage(folds: Folds, space: TopicSpace, *, nearest: int = 3, worst: int = 20) -> Leakage:
    """Cosine of centroids between every training and every test topic of each fold (HITS §5.1, tables 6 and 7).

    A topic on both sides counts with its similarity to itself, 1: that is what ordinary k-fold leaks. A topic that cannot
    be placed has no similarity and, as a test topic, no nearest training topic (−1).
    """
    if folds.topic_names != space.names:
        raise SettingError(
            f"The folds are over {len(folds.topic_names):,} topics and the similarities over {len(space):,} others; "
            "compute both from the same documents."
        )
    if nearest < 1:
        raise SettingError(f"{nearest} nearest topics asked for; ask for 1 or more.")
    mean, maximum, shared = np.empty(len(folds)), np.empty(len(folds)), np.zeros(len(folds), dtype=np.int64)
    exposures: list[Exposure] = []
    for number, fold in enumerate(folds):
        block = space.similarity[np.ix_(fold.test_topics, fold.train_topics)]
        block[fold.test_topics[:, None] == fold.train_topics] = 1.0
        mean[number], maximum[number] = known_mean(block), known_max(block)
        shared[number] = len(np.intersect1d(fold.test_topics, fold.train_topics, assume_unique=True))
        means = known_mean(block, axis=1)
        columns = _highest(block, min(nearest, block.shape[1]))
        values = np.take_along_axis(block, columns, axis=1)
        closest = np.where(np.isnan(values), -1, fold.train_topics[columns])
        exposures += [
            Exposure(number, int(topic), float(means[row]), closest[row], values[row])
            for row, topic in enumerate(fold.test_topics)
        ]
    notes = []
    if folds.folds and not space.placed.all():
        notes.append(
            f"{len(space.unplaced)} of {len(space)} topics cannot be placed, so nothing is known of what they leak."
        )
    if shared.any():
        both = np.unique(np.concatenate([np.intersect1d(fold.test_topics, fold.train_topics) for fold in folds]))
        notes.append(
            f"{len(both):,} of {counted(len(space), 'topic')} {'is' if len(both) == 1 else 'are'} in training and test of one fold; "
            "a topic against itself counts with a similarity of 1."
        )
    return Leakage(
        space.names, mean, maximum, shared, tuple(exposures), _worst(folds, space.similarity, worst), tuple(notes)
    )


def _highest(block: Floats, most: int) -> Ints:
    """The `most` highest columns of each row in falling order; ties go to the topic whose name sorts first."""
    left = np.nan_to_num(block, nan=-np.inf)
    columns = np.empty((len(block), most), dtype=np.int64)
    for step in range(most):
        columns[:, step] = left.argmax(axis=1)
        left[np.arange(len(block)), columns[:, step]] = -np.inf
    return columns


def _worst(folds: Folds, similarity: Floats, most: int) -> tuple[LeakingPair, ...]:
    """The most similar pairs that some fold sets against each other; a pair that meets both ways round is named once."""
    met = np.zeros(similarity.shape, dtype=bool)  # [train, test]
    for fold in folds:
        met[np.ix_(fold.train_topics, fold.test_topics)] = True
    first, second = np.nonzero(np.triu(met | met.T))
    known = ~np.isnan(similarity[first, second])
    first, second = first[known], second[known]
    values = similarity[first, second]
    candidates = np.arange(len(values))
    if most < len(values):
        # Everything as high as the last one wanted, so that the order of names decides a tie there too.
        candidates = np.flatnonzero(values >= np.partition(values, -most)[-most])
    order = candidates[np.argsort(-values[candidates], kind="stable")][:most]
    sides = [(set(fold.train_topics.tolist()), set(fold.test_topics.tolist())) for fold in folds]
    pairs = []
    for one, two, value in zip(first[order].tolist(), second[order].tolist(), values[order].tolist(), strict=True):
        meetings = (
            LeakingPair(train, test, value, number)
            for number, (training, testing) in enumerate(sides)
            for train, test in ((one, two), (two, one))
            if train in training and test in testing
        )
        pairs.append(next(meetings))
    return tuple(pairs)
