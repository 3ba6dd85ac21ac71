"""Folds of documents and topics, and how similar their training and test topics are."""

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats, Ints, known_max, known_mean, record, seeded
from ..corpora import Corpus
from ..errors import InputError, SettingError
from ..formats import choose, counted
from ..notes import Note
from ..topics import TopicSpace

MOST_ROWS = 50_000_000  # row numbers held by all folds together: 400 MB


@record
class Fold:
    """Corpus rows on either side, sorted, and the topics they belong to (codes, sorted)."""

    train: Ints
    test: Ints
    train_topics: Ints
    test_topics: Ints


@record
class Folds:
    """A scheme's folds; topic codes index `topic_names`, and `notes` says what the user should know."""

    scheme: str
    topic_names: tuple[str, ...]
    folds: tuple[Fold, ...]
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.folds)

    def __iter__(self) -> Iterator[Fold]:
        return iter(self.folds)

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the scheme and of both sides of every fold: a short key, however many documents."""
        found = hashlib.sha256(self.scheme.encode())
        for rows in (side for fold in self.folds for side in (fold.train, fold.test)):
            found.update(f"|{len(rows)}:".encode() + np.ascontiguousarray(rows, dtype="<i8").tobytes())
        return found.hexdigest()


def topic_kfold(corpus: Corpus, *, k: int, seed: int) -> Folds:
    """Return a seeded shuffle of the sorted topic names in k nearly equal parts, each the test topics once (HITS §5.1)."""
    count = len(corpus.topic_names)
    check_topics_per_fold(k, count)
    shuffled = np.random.default_rng(seed).permutation(count)
    return _over_topics(corpus, "topic-kfold", np.array_split(shuffled, k))


def check_topics_per_fold(k: int, count: int) -> None:
    """Refuse more folds than there are topics to deal."""
    check_k(k)
    if k > count:
        raise SettingError(
            f"k = {k}, but there {'is' if count == 1 else 'are'} {counted(count, 'topic')} to split; {_fewer(count)}."
        )


def given_folds(corpus: Corpus, splits: Iterable[tuple[ArrayLike, ArrayLike]]) -> Folds:
    """Return folds of one's own: training and test rows of the corpus, from 0, or masks of them."""
    made = []
    for number, pair in enumerate(splits, start=1):
        try:
            train, test = (_given_rows(corpus, side) for side in pair)
        except (TypeError, ValueError, OverflowError):
            raise SettingError(
                f"Fold {number} is no pair of training and test rows. Give two arrays of row numbers."
            ) from None
        for side, rows in (("training", train), ("test", test)):
            if not len(rows):
                raise SettingError(f"Fold {number} has no {side} rows. Leave the fold out.")
            if rows[0] < 0 or rows[-1] >= len(corpus):
                raise SettingError(
                    f"Fold {number} has {side} rows outside 0 to {len(corpus) - 1:,}. Count the rows from 0."
                )
        if both := len(np.intersect1d(train, test)):
            raise SettingError(f"Fold {number} has {counted(both, 'document')} on both sides. Keep each on one side.")
        topics = (np.unique(corpus.topic_codes[rows]) for rows in (train, test))
        made.append(Fold(train, test, *topics))
    if not made:
        raise SettingError("There are no folds. Give one or more pairs of training and test rows.")
    return Folds("given", corpus.topic_names, tuple(made))


def _given_rows(corpus: Corpus, side: ArrayLike) -> Ints:
    rows = np.asarray(side)
    if rows.dtype == np.bool_ and rows.shape == (len(corpus),):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or (len(rows) and rows.dtype.kind not in "iu"):
        raise TypeError
    return np.unique(rows).astype(np.int64)


def leave_one_topic_out(corpus: Corpus) -> Folds:
    """Return one fold a topic, in order of name: train on all other topics, test on this one (Schein et al. 2010)."""
    return _over_topics(corpus, "leave-one-topic-out", np.arange(len(corpus.topic_names))[:, None])


def stratified_kfold(corpus: Corpus, *, k: int, seed: int) -> Folds:
    """Return k folds over documents with each author's share kept; topics fall on both sides (Schein et al. 2010)."""
    check_k(k)
    _check_room(corpus, k)
    if corpus.author_names is None or corpus.author_codes is None:
        raise SettingError("The corpus names no authors, and ordinary k-fold is stratified by author; use topic folds.")
    if corpus.known_authors.sum() < 2:
        raise SettingError(
            "The corpus has only one known author, so there is nothing to stratify by; choose another author column, "
            "or use topic folds."
        )
    sizes = np.bincount(corpus.author_codes)
    if sizes.max() < k:
        raise SettingError(
            f"k = {k}, but no author has more than {counted(int(sizes.max()), 'document')}; "
            + (f"{choose('k', 2, int(sizes.max()))}." if sizes.max() > 1 else "use topic folds.")
        )
    notes = []
    if rare := int((sizes < k).sum()):
        notes.append(Note("rare authors", (rare, len(sizes), k)))
    if alone := int((sizes == 1).sum()):
        notes.append(Note("lone authors", (alone,)))
    from sklearn.model_selection import StratifiedKFold

    order = order_by_id(corpus)
    splitter = StratifiedKFold(n_splits=k, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # The note above says the same.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        tests = [order[test] for _, test in splitter.split(order, corpus.author_codes[order])]
    return Folds("kfold", corpus.topic_names, tuple(_fold_testing(corpus, test) for test in tests), tuple(notes))


def fixed_split(corpus: Corpus, *, labels: Sequence[str]) -> Folds:
    """Return one fold from the user's own 'train' and 'test' labels; rows in messages count from 1."""
    if len(labels) != len(corpus):
        raise InputError(f"{len(labels):,} split labels for {len(corpus):,} documents; give one label per document.")
    clean = [label.strip().lower() for label in labels]
    for row, label in enumerate(clean):
        if label not in ("train", "test"):
            raise InputError(f"row {row + 1}: split label '{labels[row]}'; write 'train' or 'test'.")
    test = np.array([label == "test" for label in clean])
    if test.all() or not test.any():
        raise InputError(f"Every document is labelled '{clean[0]}'; label some 'train' and some 'test'.")
    return Folds("fixed", corpus.topic_names, (_fold_testing(corpus, np.flatnonzero(test)),))


def own_split(corpus: Corpus) -> Folds:
    """Return one fold: the train and test labels that came with the corpus."""
    if corpus.splits is None:
        raise SettingError("The corpus has no train/test labels; choose a column of them when loading it.")
    return fixed_split(corpus, labels=corpus.splits)


def capped(corpus: Corpus, folds: Folds, *, at_most: int, seed: int) -> Folds:
    """Keep at most `at_most` documents per topic, drawn in train and test separately.

    Each topic has one seeded order of its documents and a side takes the first of it that it holds, so a topic
    shows the same documents in every fold where it is on that side; the order depends on ids, not on the file.
    """
    if at_most < 1:
        raise SettingError(f"A cap of {at_most} documents per topic leaves nothing; it must be 1 or more.")
    rank = np.empty(len(corpus), dtype=np.int64)
    by_id = order_by_id(corpus)
    by_topic = by_id[np.argsort(corpus.topic_codes[by_id], kind="stable")]
    for topic, rows in zip(corpus.topic_names, np.split(by_topic, np.cumsum(corpus.topic_sizes)[:-1]), strict=True):
        rank[rows] = seeded(seed, topic).permutation(len(rows))

    def first(rows: Ints) -> Ints:
        codes = corpus.topic_codes[rows]
        order = np.lexsort((rank[rows], codes))
        sizes = np.bincount(codes)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return np.sort(rows[order[within < at_most]])

    return replace(folds, folds=tuple(replace(fold, train=first(fold.train), test=first(fold.test)) for fold in folds))


def _fewer(topics: int) -> str:
    return choose("k", 2, topics) if topics > 1 else "folds need two topics or more"


def check_k(k: int) -> None:
    """Refuse a number of folds that leaves nothing to train on."""
    if k < 2:
        raise SettingError(f"k = {k}; cross-validation needs at least 2 folds.")


def _check_room(corpus: Corpus, folds: int) -> None:
    if folds * len(corpus) > MOST_ROWS:
        raise SettingError(
            f"{folds:,} folds of {len(corpus):,} documents do not fit in memory; use topic k-fold with "
            f"k of at most {max(2, MOST_ROWS // len(corpus)):,}, or cap the documents per topic first."
        )


def _over_topics(corpus: Corpus, scheme: str, parts: Sequence[Ints] | Ints) -> Folds:
    part_of_topic = np.empty(len(corpus.topic_names), dtype=np.int64)
    for number, part in enumerate(parts):
        part_of_topic[part] = number
    return folds_of_topics(corpus, scheme, part_of_topic)


def folds_of_topics(corpus: Corpus, scheme: str, fold_of: Ints, *, notes: tuple[Note, ...] = ()) -> Folds:
    """Return the folds in which topic i is tested in fold `fold_of[i]`."""
    _check_room(corpus, int(fold_of.max()) + 1)
    part = fold_of[corpus.topic_codes]
    order = np.argsort(part, kind="stable")
    tests = np.split(order, np.cumsum(np.bincount(part))[:-1])
    return Folds(scheme, corpus.topic_names, tuple(_fold_testing(corpus, test) for test in tests), notes)


def _fold_testing(corpus: Corpus, test: Ints) -> Fold:
    """Return the fold that tests these rows and trains on all others."""
    tested = np.zeros(len(corpus), dtype=bool)
    tested[test] = True
    sides = np.flatnonzero(~tested), np.flatnonzero(tested)
    train_topics, test_topics = (np.flatnonzero(np.bincount(corpus.topic_codes[rows])) for rows in sides)
    return Fold(*sides, train_topics, test_topics)


def order_by_id(corpus: Corpus) -> Ints:
    """Return rows in order of their ids, so that a seeded draw depends on these and not on the file."""
    return np.array(sorted(range(len(corpus)), key=corpus.ids.__getitem__), dtype=np.int64)


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
    """A training topic and a test topic, how similar they are, and the first fold in which they meet."""

    train: int
    test: int
    similarity: float
    fold: int


@record
class Leakage:
    """Mean and maximum cosine of all pairs of a training and a test topic, per fold."""

    topic_names: tuple[str, ...]
    mean: Floats  # per fold
    max: Floats  # per fold
    shared: Ints  # test topics that are also in training, per fold
    exposures: tuple[Exposure, ...]
    worst: tuple[LeakingPair, ...]
    notes: tuple[Note, ...]

    @property
    def average_mean(self) -> float:
        """Return the mean over folds of their mean similarity (HITS, table 7)."""
        return float(known_mean(self.mean))

    @property
    def average_max(self) -> float:
        """Return the mean over folds of their maximum similarity (HITS, table 7)."""
        return float(known_mean(self.max))

    @property
    def highest(self) -> float:
        """Return the highest similarity of a training and a test topic in any fold."""
        return float(known_max(self.max))


def fold_leakage(
    folds: Folds, space: TopicSpace, *, nearest: int = 3, worst: int = 20, skip_noisy: bool = False
) -> Leakage:
    """Return cosine of centroids between every training and every test topic of each fold (HITS §5.1, tables 6 and 7).

    A topic on both sides counts with its similarity to itself, 1: that is what ordinary k-fold leaks. A topic that cannot
    be placed has no similarity and, as a test topic, no nearest training topic (−1). With `skip_noisy` a
    training topic whose centroid is mostly noise is no test topic's nearest but its own, and its pairs come last among the worst.
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
    noisy = space.nobodys_nearest if skip_noisy else np.zeros(len(space), dtype=np.bool_)
    for number, fold in enumerate(folds):
        block = space.similarity[np.ix_(fold.test_topics, fold.train_topics)]
        block[fold.test_topics[:, None] == fold.train_topics] = 1.0
        mean[number], maximum[number] = known_mean(block), known_max(block)
        shared[number] = len(np.intersect1d(fold.test_topics, fold.train_topics, assume_unique=True))
        means = known_mean(block, axis=1)
        block[:, noisy[fold.train_topics]] = np.nan
        block[fold.test_topics[:, None] == fold.train_topics] = 1.0
        columns = _highest_columns(block, min(nearest, block.shape[1]))
        values = np.take_along_axis(block, columns, axis=1)
        closest = np.where(np.isnan(values), -1, fold.train_topics[columns])
        exposures += [
            Exposure(number, int(topic), float(means[row]), closest[row], values[row])
            for row, topic in enumerate(fold.test_topics)
        ]
    notes = []
    if folds.folds and not space.comparable.all():
        notes.append(Note("incomparable topics", (len(space.incomparable), len(space))))
    if shared.any():
        both = np.unique(np.concatenate([np.intersect1d(fold.test_topics, fold.train_topics) for fold in folds]))
        notes.append(Note("topics on both sides", (len(both), len(space))))
    return Leakage(
        space.names,
        mean,
        maximum,
        shared,
        tuple(exposures),
        _worst(folds, space.similarity, noisy, worst),
        tuple(notes),
    )


def _highest_columns(block: Floats, most: int) -> Ints:
    """Return the `most` highest columns of each row in falling order; ties go to the topic whose name sorts first."""
    left = np.nan_to_num(block, nan=-np.inf)
    columns = np.empty((len(block), most), dtype=np.int64)
    for step in range(most):
        columns[:, step] = left.argmax(axis=1)
        left[np.arange(len(block)), columns[:, step]] = -np.inf
    return columns


def _worst(folds: Folds, similarity: Floats, noisy: Bools, most: int) -> tuple[LeakingPair, ...]:
    """Return the most similar pairs that some fold sets against each other, noisy centroids last; a pair that meets both ways
    round is named once."""
    met = np.zeros(similarity.shape, dtype=bool)  # [train, test]
    for fold in folds:
        met[np.ix_(fold.train_topics, fold.test_topics)] = True
    first, second = np.nonzero(np.triu(met | met.T))
    known = ~np.isnan(similarity[first, second])
    first, second = first[known], second[known]
    values = similarity[first, second]
    ranked = values - 2.0 * ((noisy[first] | noisy[second]) & (first != second))
    candidates = np.arange(len(values))
    if most < len(values):
        # Everything as high as the last one wanted, so that the order of names decides a tie there too.
        candidates = np.flatnonzero(ranked >= np.partition(ranked, -most)[-most])
    order = candidates[np.argsort(-ranked[candidates], kind="stable")][:most]
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
