"""What a score must be held against: how far one gets without reading a text, how sure a score on one topic is, folds not in the mean."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..arrays import Interval, Ints
from ..corpora import Corpus
from ..models import UNANSWERED
from ..splits import Fold, Pairs, topic_gap, topic_oracle_auc
from ..statistics import wilson
from .run import Evaluation
from .tasks import TASKS, Questions

COUNTED = ("accuracy", "c@1")  # metrics that are counts of right answers
DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class Baselines:
    """What is known of a fold's questions before any model answers; NaN where undefined.

    `majority` is what one gets who always gives the commonest answer: the share of the larger class among pairs, or
    among test documents that of the author who wrote most of training. `seen_authors` is the share of test documents,
    of those that name an author, whose author is in training. `gap` and `topic_oracle_auc` say what topics alone tell
    about the pairs (docs/methods.md, Folds, models and scores); `left_out` pairs could not be made.
    """

    majority: float
    seen_authors: float
    gap: float
    topic_oracle_auc: float
    questions: int
    left_out: int


@dataclass(frozen=True, slots=True)
class SkippedFold:
    """A fold that these models could not be run on, and why; it is in no mean of theirs."""

    fold: int
    models: tuple[str, ...]
    reason: str


def fold_baselines(evaluation: Evaluation, corpus: Corpus) -> tuple[Baselines, ...]:
    """The baselines of every fold."""
    return tuple(
        _baselines(corpus, fold, questions, pairs=TASKS[evaluation.task].asks_pairs, kind=evaluation.pairing)
        for fold, questions in zip(evaluation.folds, evaluation.questions, strict=True)
    )


def mean_baselines(evaluation: Evaluation, corpus: Corpus) -> Baselines:
    """Means over the folds on which some model was run, weighted by documents as scores are; counts are sums.

    So `majority` is the mean that a model would have that always gives the commonest answer.
    """
    ran = {run.fold for run in evaluation.runs if run.problem is None}
    each = [found for number, found in enumerate(fold_baselines(evaluation, corpus)) if number in ran]
    weights = np.array([len(fold.test) for number, fold in enumerate(evaluation.folds) if number in ran], dtype=float)

    def mean(name: str) -> float:
        values = np.array([getattr(found, name) for found in each])
        known = ~np.isnan(values)
        return float(np.average(values[known], weights=weights[known])) if known.any() else float("nan")

    return Baselines(
        majority=mean("majority"),
        seen_authors=mean("seen_authors"),
        gap=mean("gap"),
        topic_oracle_auc=mean("topic_oracle_auc"),
        questions=sum(found.questions for found in each),
        left_out=sum(found.left_out for found in each),
    )


def skipped_folds(evaluation: Evaluation) -> tuple[SkippedFold, ...]:
    """Every fold that could not be run, once for each reason, with the models it concerns."""
    found: dict[tuple[int, str], list[str]] = {}
    for run in evaluation.runs:
        if run.problem is not None:
            found.setdefault((run.fold, run.problem), []).append(run.model)
    in_order = sorted(found.items(), key=lambda item: item[0][0])
    return tuple(SkippedFold(fold, tuple(models), reason) for (fold, reason), models in in_order)


def _baselines(corpus: Corpus, fold: Fold, questions: Questions, *, pairs: bool, kind: str) -> Baselines:
    gap = oracle = float("nan")
    train, test = _named(corpus, fold.train), _named(corpus, fold.test)
    if pairs:
        asked = _pairs(corpus, questions, kind)
        gap, oracle = topic_gap(asked, corpus.topic_codes), topic_oracle_auc(asked, corpus.topic_codes)
        same = _share(questions.truth == 1)
        majority = max(same, 1 - same)
    else:
        majority = _share(questions.truth == np.bincount(train).argmax()) if len(train) else float("nan")
    seen = _share(np.isin(test, train))
    return Baselines(majority, seen, gap, oracle, len(questions.truth), questions.left_out)


def _pairs(corpus: Corpus, questions: Questions, kind: str) -> Pairs:
    assert questions.other is not None and corpus.author_codes is not None
    first, second = questions.lead, questions.other
    authors, topics = corpus.author_codes, corpus.topic_codes
    return Pairs(
        first, second, questions.truth == 1, authors[first], authors[second], topics[first], topics[second], kind
    )


def _named(corpus: Corpus, rows: Ints) -> Ints:
    """The authors' codes of those rows that name one."""
    assert corpus.author_codes is not None
    authors = corpus.author_codes[rows]
    return authors[corpus.known_authors[authors]]


def _share(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def topic_intervals(evaluation: Evaluation, corpus: Corpus, *, metric: str) -> dict[tuple[str, int, int], Interval]:
    """A 95 % interval for every model, fold and test topic, as if a topic's questions were independent.

    Wilson's, of right answers; where some were left open, c@1 is resampled. Other metrics have none.
    """
    found: dict[tuple[str, int, int], Interval] = {}
    if metric not in COUNTED:
        return found
    for run, asked, right in evaluation.answered():
        topics = corpus.topic_codes[asked.lead]
        given = topics[right], topics[run.answers == UNANSWERED], topics
        counts = np.stack([np.bincount(each, minlength=len(corpus.topic_names)) for each in given], axis=1)
        for topic in np.unique(topics).tolist():
            found[run.model, run.fold, topic] = share_interval(*counts[topic].tolist())
    return found


@lru_cache(maxsize=100_000)
def share_interval(right: int, unanswered: int, asked: int) -> Interval:
    """Of accuracy, `right` of `asked`; of c@1 where some are unanswered."""
    if not unanswered:
        return wilson(right, asked)
    shares = np.array([right, unanswered, asked - right - unanswered]) / asked
    drawn = np.random.default_rng(0).multinomial(asked, shares, size=DRAWS)
    low, high = np.quantile(drawn[:, 0] / asked * (1 + drawn[:, 1] / asked), (0.025, 0.975))
    return float(low), float(high)


def chance_level(evaluation: Evaluation, corpus: Corpus, *, metric: str) -> float:
    """What one scores without reading: the majority's share for counts of right answers, ½ for AUC, else NaN."""
    if metric in COUNTED:
        return mean_baselines(evaluation, corpus).majority
    return 0.5 if metric == "auc" else float("nan")
