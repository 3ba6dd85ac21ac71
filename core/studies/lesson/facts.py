"""What the lesson knows of a corpus: its topics as points, near twins, and what happens when topics are dealt at random."""

from collections.abc import Sequence

import numpy as np

from ...arrays import Bools, Floats, Ints, record
from ...corpora import Corpus
from ...errors import SettingError
from ...formats import choose, listed
from ...splits import Folds, fold_leakage, topic_kfold
from ...topics import TermWeights, TopicPath, TopicSpace, Verdict, shared_terms, term_weights

FOLDS = 6  # into which the lesson deals topics, as the pages do at first
DEALS = 300  # by which it shows what chance does


@record
class Lesson:
    """A corpus as the lesson looks at it: `twins[i, j]` says whether topics i and j are near twins; `terms` weighs words."""

    corpus: Corpus
    space: TopicSpace
    path: TopicPath
    verdict: Verdict
    twins: Bools
    terms: TermWeights

    @property
    def names(self) -> tuple[str, ...]:
        return self.space.names

    def code(self, topic: str) -> int:
        """The number of a topic."""
        return self.names.index(topic)

    def alike(self, one: str, other: str) -> float:
        """The similarity of two topics."""
        return float(self.space.similarity[self.code(one), self.code(other)])

    def by_similarity(self, topic: str) -> tuple[str, ...]:
        """All other topics, the most similar first."""
        own = self.code(topic)
        order = np.argsort(-self.space.similarity[own], kind="stable")
        return tuple(self.names[other] for other in order.tolist() if other != own)

    def twins_of(self, topic: str) -> tuple[str, ...]:
        """Its near twins, the closest first."""
        return tuple(other for other in self.by_similarity(topic) if self.twins[self.code(topic), self.code(other)])

    def words(self, one: str, other: str, *, most: int = 4) -> str:
        """Words that both topics lean on, in a sentence."""
        return listed(shared_terms(self.terms, self.code(one), self.code(other), most=most).terms)

    @property
    def with_twins(self) -> int:
        """How many topics have a near twin."""
        return int(self.twins.any(axis=1).sum())


def make_lesson(corpus: Corpus, space: TopicSpace, path: TopicPath, verdict: Verdict) -> Lesson:
    """The corpus with its near twins, by the line of its verdict."""
    twins = np.asarray(space.similarity >= verdict.line)  # unknown is not
    np.fill_diagonal(twins, False)
    return Lesson(corpus, space, path, verdict, twins, term_weights(corpus))


def parted_chance(topics: int, *, k: int) -> float:
    """The probability that two given topics fall into different ones of k nearly equal folds.

    In a fold of f topics each has f − 1 companions among topics − 1: 1 − Σ f (f − 1) / (n (n − 1)).
    """
    if not 2 <= k <= topics:
        raise SettingError(f"k = {k} folds of {topics} topics; {choose('k', 2, topics)}.")
    small, larger = divmod(topics, k)
    together = larger * (small + 1) * small + (k - larger) * small * (small - 1)
    return 1 - together / (topics * (topics - 1))


@record
class Deal:
    """Topics dealt into folds: the fold of each, and which of them are tested while a near twin is in training."""

    fold_of: Ints
    leaking: Bools


def dealt(lesson: Lesson, *, k: int = FOLDS, seed: int) -> Deal:
    """One deal of the topics into k folds, as topic k-fold makes it."""
    return _deal(lesson, topic_kfold(lesson.corpus, k=k, seed=seed))


def _deal(lesson: Lesson, folds: Folds) -> Deal:
    fold_of = np.empty(len(lesson.names), dtype=np.int64)
    for number, fold in enumerate(folds):
        fold_of[fold.test_topics] = number
    apart = fold_of[:, None] != fold_of[None, :]
    return Deal(fold_of, np.asarray((lesson.twins & apart).any(axis=1)))


def leaking_counts(lesson: Lesson, *, k: int = FOLDS, seeds: Sequence[int] = range(DEALS)) -> Ints:
    """Of every deal, how many topics are tested while a near twin is in training.

    Topics are dealt as topic k-fold deals them, without the documents: of many deals these would take most of the time.
    """
    count = len(lesson.names)
    found = []
    for seed in seeds:
        fold_of = np.empty(count, dtype=np.int64)
        for number, part in enumerate(np.array_split(np.random.default_rng(seed).permutation(count), k)):
            fold_of[part] = number
        found.append(int((lesson.twins & (fold_of[:, None] != fold_of[None, :])).any(axis=1).sum()))
    return np.array(found, dtype=np.int64)


def nearest_in_training(lesson: Lesson) -> Floats:
    """Of every topic, how alike the nearest training topic of its fold is, in the folds that pages open with."""
    folds = topic_kfold(lesson.corpus, k=FOLDS, seed=0)
    nearest = {each.topic: float(each.similarity[0]) for each in fold_leakage(folds, lesson.space).exposures}
    return np.array([nearest[topic] for topic in range(len(lesson.names))])


def wins_needed(topics: int) -> int | None:
    """On how many of so many topics one model must be ahead for the exact two-sided sign test to call it better; None
    where not even all of them are enough."""
    return next((wins for wins in range((topics + 1) // 2, topics + 1) if sign_p(wins, topics) <= 0.05), None)


def chances_of_wins(topics: int) -> Floats:
    """The probability of 0, 1, … wins of so many topics, if both models were equally good."""
    from scipy.stats import binom

    return np.asarray(binom.pmf(np.arange(topics + 1), topics, 0.5))


def sign_p(wins: int, topics: int) -> float:
    """The exact two-sided p of that many wins of so many topics, if both models were equally good."""
    from scipy.stats import binomtest

    return float(binomtest(wins, topics).pvalue)
