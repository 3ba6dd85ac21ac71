"""Scores of a run: every metric per fold and topic, the baselines, how well answers are calibrated; similarity beside accuracy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import isnan, nan

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats, Interval, Ints, record
from ..corpora import Corpus, largest_author_shares
from ..models import UNANSWERED, checked_answers
from ..splits import Fold, Folds, Leakage, Pairs, topic_gap, topic_oracle_auc
from ..statistics import Relation, WeightedSummary, holm, rank_relation, weighted_summary, wilson
from ..topics import TopicSpace
from .run import Evaluation, Run
from .tasks import TASKS, Questions

COUNTED = ("accuracy", "c@1")  # metrics that are counts of right answers
INTERVAL_DRAWS = 2_000
BINS = 10
TRUTH_DRAWS, MANY = 1_000, 20_000  # draws of the truth; from this many pairs on a fifth of them will do


@record
class Score:
    """One model on one fold, or on one test topic of it; values are NaN where undefined, never 0.

    `problem` says why there is nothing to score.
    """

    model: str
    fold: int
    topics: tuple[int, ...]
    documents: int
    questions: int
    values: dict[str, float]
    problem: str | None = None


def metric_labels(evaluation: Evaluation, corpus: Corpus) -> dict[str, str]:
    """Return the metrics of the evaluation's task, by key; they may depend on the number of authors."""
    return TASKS[evaluation.task].metrics(corpus)


def fold_scores(evaluation: Evaluation, corpus: Corpus) -> list[Score]:
    """Return every model's scores on every fold."""
    scores = []
    for run in evaluation.runs:
        fold = evaluation.folds.folds[run.fold]
        everything = np.ones(len(evaluation.questions[run.fold].truth), dtype=bool)
        topics = tuple(fold.test_topics.tolist())
        scores.append(_score_of_run(evaluation, corpus, run, everything, topics=topics, documents=len(fold.test)))
    return scores


def topic_scores(evaluation: Evaluation, corpus: Corpus) -> list[Score]:
    """Return every model's scores on every test topic of every fold; a pair counts under the topic of its first text."""
    scores = []
    for run in evaluation.runs:
        fold = evaluation.folds.folds[run.fold]
        asked = corpus.topic_codes[evaluation.questions[run.fold].lead]
        sizes = np.bincount(corpus.topic_codes[fold.test], minlength=len(corpus.topic_names)).tolist()
        scores += [
            _score_of_run(evaluation, corpus, run, asked == topic, topics=(topic,), documents=sizes[topic])
            for topic in fold.test_topics.tolist()
        ]
    return scores


def score_table(scores: Sequence[Score], metric: str) -> Floats:
    """Return scores as models × folds (or topics), both in their given order."""
    models = dict.fromkeys(score.model for score in scores)
    return np.array([[score.values[metric] for score in scores if score.model == model] for model in models])


def summarise(scores: Sequence[Score], metric: str) -> dict[str, WeightedSummary]:
    """Return each model's mean over folds or topics weighted by documents, with unbiased deviation and standard error."""
    summaries = {}
    for model in dict.fromkeys(score.model for score in scores):
        own = [score for score in scores if score.model == model]
        documents = np.array([score.documents for score in own], dtype=np.float64)
        summaries[model] = weighted_summary(np.array([score.values[metric] for score in own]), documents)
    return summaries


def _score_of_run(
    evaluation: Evaluation, corpus: Corpus, run: Run, here: Bools, *, topics: tuple[int, ...], documents: int
) -> Score:
    task, questions = TASKS[evaluation.task], evaluation.questions[run.fold]
    problem = run.problem
    if problem is None and not here.any():
        problem = "No question was asked about this topic: none of its texts can lead a pair, or none names its author."
    if problem is not None:
        undefined = dict.fromkeys(task.metrics(corpus), float("nan"))
        return Score(run.model, run.fold, topics, documents, 0, undefined, problem)
    values = task.score(questions.truth[here], run.answers[here], corpus)
    return Score(run.model, run.fold, topics, documents, int(here.sum()), values)


# Baselines


@dataclass(frozen=True, slots=True)
class Baselines:
    """What is known of a fold's questions before any model answers; NaN where undefined."""

    majority: float  # accuracy of always answering the larger class, or the author most frequent in training
    seen_authors: float  # share of test documents with a known author whose author is in training
    gap: float  # what topics tell about the pairs; see docs/methods.md
    topic_oracle_auc: float  # what topics tell at most
    questions: int
    left_out: int  # pairs that could not be made


@dataclass(frozen=True, slots=True)
class SkippedFold:
    """A fold that these models could not be run on, and why; it is in no mean of theirs."""

    fold: int
    models: tuple[str, ...]
    reason: str


def fold_baselines(evaluation: Evaluation, corpus: Corpus) -> tuple[Baselines, ...]:
    """Return the baselines of every fold."""
    return tuple(
        _baselines(corpus, fold, questions, pairs=TASKS[evaluation.task].asks_pairs, kind=evaluation.pairing)
        for fold, questions in zip(evaluation.folds, evaluation.questions, strict=True)
    )


def mean_baselines(evaluation: Evaluation, corpus: Corpus) -> Baselines:
    """Return means over the folds on which some model was run, weighted by documents; counts are sums.

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
    """Return every fold that could not be run, once for each reason, with the models it concerns."""
    found: dict[tuple[int, str], list[str]] = {}
    for run in evaluation.runs:
        if run.problem is not None:
            found.setdefault((run.fold, run.problem), []).append(run.model)
    in_order = sorted(found.items(), key=lambda item: item[0][0])
    return tuple(SkippedFold(fold, tuple(models), reason) for (fold, reason), models in in_order)


def _baselines(corpus: Corpus, fold: Fold, questions: Questions, *, pairs: bool, kind: str) -> Baselines:
    gap = oracle = float("nan")
    train, test = _named_authors(corpus, fold.train), _named_authors(corpus, fold.test)
    if pairs:
        asked = _pairs_of_questions(corpus, questions, kind)
        gap, oracle = topic_gap(asked, corpus.topic_codes), topic_oracle_auc(asked, corpus.topic_codes)
        same = _mean_or_nan(questions.truth == 1)
        majority = max(same, 1 - same)
    else:
        majority = _mean_or_nan(questions.truth == np.bincount(train).argmax()) if len(train) else float("nan")
    seen = _mean_or_nan(np.isin(test, train))
    return Baselines(majority, seen, gap, oracle, len(questions.truth), questions.left_out)


def _pairs_of_questions(corpus: Corpus, questions: Questions, kind: str) -> Pairs:
    assert questions.other is not None and corpus.author_codes is not None
    first, second = questions.lead, questions.other
    authors, topics = corpus.author_codes, corpus.topic_codes
    return Pairs(
        first, second, questions.truth == 1, authors[first], authors[second], topics[first], topics[second], kind
    )


def _named_authors(corpus: Corpus, rows: Ints) -> Ints:
    """Return the authors' codes of those rows that name one."""
    assert corpus.author_codes is not None
    authors = corpus.author_codes[rows]
    return authors[corpus.known_authors[authors]]


def _mean_or_nan(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def topic_intervals(evaluation: Evaluation, corpus: Corpus, *, metric: str) -> dict[tuple[str, int, int], Interval]:
    """Return a 95% interval for every model, fold and test topic, as if a topic's questions were independent.

    Wilson's, of right answers; where some were left open, c@1 is bootstrap. Other metrics have none.
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
    """Return the interval of accuracy, `right` of `asked`; of c@1 where some are unanswered."""
    if not unanswered:
        return wilson(right, asked)
    shares = np.array([right, unanswered, asked - right - unanswered]) / asked
    drawn = np.random.default_rng(0).multinomial(asked, shares, size=INTERVAL_DRAWS)
    low, high = np.quantile(drawn[:, 0] / asked * (1 + drawn[:, 1] / asked), (0.025, 0.975))
    return float(low), float(high)


def chance_level(evaluation: Evaluation, corpus: Corpus, *, metric: str) -> float:
    """Return what one scores without reading: the majority's share for counts of right answers, ½ for AUC, else NaN."""
    if metric in COUNTED:
        return mean_baselines(evaluation, corpus).majority
    return 0.5 if metric == "auc" else float("nan")


# Calibration


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The answers in one range of probabilities."""

    low: float  # where the range starts
    high: float  # and ends
    count: int  # answers
    mean: float  # of the answers
    share: float  # of pairs by one author
    share_low: float  # Wilson's 95% interval of the share
    share_high: float


@record
class Reliability:
    """Every bin that has an answer, and the expected calibration error (Naeini et al. 2015)."""

    bins: tuple[ReliabilityBin, ...]
    ece: float
    chance: float  # mean error of perfectly calibrated answers
    chance_high: float  # exceeded by 1 in 20 of these
    answered: int  # pairs
    unanswered: int  # answers of exactly ½

    @property
    def side(self) -> str:
        """Return which way answers are off on the whole: "one author", "two authors", "too sure" or "not sure"."""
        high = sum(each.count * (each.mean - each.share) for each in self.bins)
        confidence = sum(
            each.count * (each.mean - each.share) * (1 if each.mean > UNANSWERED else -1) for each in self.bins
        )
        if abs(high) >= abs(confidence):
            return "one author" if high > 0 else "two authors"
        return "too sure" if confidence > 0 else "not sure"


def reliability(evaluation: Evaluation, model: str) -> Reliability:
    """Return one model's answers to the pairs of all folds that could be run."""
    truth, answers = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for run, questions, _ in evaluation.answered(model):
        truth.append(questions.truth)
        answers.append(run.answers)
    return reliability_of(np.concatenate(truth), np.concatenate(answers))


def reliability_of(same: ArrayLike, scores: ArrayLike, *, seed: int = 0) -> Reliability:
    """Return ECE = Σ n_b/n · |share_b − mean_b| over bins of equal width; its size by chance from 1,000 draws of the truth.

    The error is never below 0, so it is above 0 by chance, the more the fewer pairs there are: exact answers a to n_b
    pairs are off by about √(2a(1 − a)/(π·n_b)).
    """
    truth, values = checked_answers(same, scores)
    given = values != UNANSWERED
    truth, values = truth[given], values[given]
    where = np.minimum((values * BINS).astype(np.int64), BINS - 1)  # 1 lies in the last
    count = np.bincount(where, minlength=BINS)
    total: Floats = np.bincount(where, weights=values, minlength=BINS).astype(np.float64)
    ones = np.bincount(where, weights=truth, minlength=BINS)
    if not len(values):
        return Reliability((), np.nan, np.nan, np.nan, 0, int((~given).sum()))
    drawn = _errors_by_chance(where, values, total, seed)
    found = [
        ReliabilityBin(
            index / BINS,
            (index + 1) / BINS,
            int(count[index]),
            float(total[index] / count[index]),
            float(ones[index] / count[index]),
            *share_interval(int(ones[index]), 0, int(count[index])),
        )
        for index in np.flatnonzero(count).tolist()
    ]
    ece = float(np.abs(ones - total).sum() / len(values))
    high = float(np.quantile(drawn, 0.95))
    return Reliability(tuple(found), ece, float(drawn.mean()), high, len(values), int((~given).sum()))


def _errors_by_chance(where: Ints, values: Floats, total: Floats, seed: int) -> Floats:
    """Return the error of this many draws of the truth from the answers themselves; a draw at a time, for pairs may be many."""
    rng = np.random.default_rng(seed)
    errors = np.empty(TRUTH_DRAWS if len(values) < MANY else TRUTH_DRAWS // 5)
    for draw in range(len(errors)):
        ones = np.bincount(where[rng.random(len(values)) < values], minlength=len(total))
        errors[draw] = np.abs(ones - total).sum() / len(values)
    return errors


MOST_CELLS = 150  # rows or columns; more are put together


@record
class ExposedTopic:
    """A test topic of one fold: its nearest training topics, its largest author, and each model's score on it, with an
    interval where there is one.

    A topic that cannot be compared has no nearest ones.
    """

    fold: int
    topic: int
    documents: int
    nearest: tuple[int, ...]
    similarity: tuple[float, ...]
    largest_author_share: float
    values: dict[str, float]
    intervals: dict[str, Interval] = field(default_factory=dict)

    @property
    def nearest_similarity(self) -> float:
        """Return how similar the nearest training topic is; NaN for a topic that cannot be compared."""
        return self.similarity[0] if self.similarity else float("nan")


def exposed_topics(
    corpus: Corpus,
    leakage: Leakage,
    scores: Sequence[Score],
    *,
    metric: str,
    intervals: Mapping[tuple[str, int, int], Interval] | None = None,
) -> tuple[ExposedTopic, ...]:
    """Return every test topic of every fold, the most similar to its training topics first, those that cannot be compared last."""
    shares = largest_author_shares(corpus)
    values: dict[tuple[int, int], dict[str, float]] = {}
    documents: dict[tuple[int, int], int] = {}
    bounds: dict[tuple[int, int], dict[str, Interval]] = {}
    for (model, fold, topic), found in (intervals or {}).items():
        bounds.setdefault((fold, topic), {})[model] = found
    for score in scores:
        where = score.fold, score.topics[0]
        values.setdefault(where, {})[score.model] = score.values[metric]
        documents[where] = score.documents
    rows = [
        ExposedTopic(
            exposure.fold,
            exposure.topic,
            documents[exposure.fold, exposure.topic],
            tuple(int(topic) for topic in exposure.nearest if topic >= 0),
            tuple(float(value) for value in exposure.similarity if np.isfinite(value)),
            float(shares[exposure.topic]),
            values[exposure.fold, exposure.topic],
            bounds.get((exposure.fold, exposure.topic), {}),
        )
        for exposure in leakage.exposures
    ]

    def place(row: ExposedTopic) -> tuple[float, str, int]:
        nearest = row.nearest_similarity
        return np.inf if np.isnan(nearest) else -nearest, corpus.topic_names[row.topic], row.fold

    return tuple(sorted(rows, key=place))


def relations(rows: Sequence[ExposedTopic], *, seed: int = 0) -> dict[str, Relation]:
    """Return for each model how its score on a test topic depends on the similarity of the nearest training topic."""
    models = dict.fromkeys(model for row in rows for model in row.values)
    similarity = np.array([row.nearest_similarity for row in rows])
    return {
        model: rank_relation(similarity, np.array([row.values[model] for row in rows]), seed=seed) for model in models
    }


def adjusted_p(found: Mapping[str, Relation]) -> dict[str, float]:
    """Return every model's p of its rank correlation after Holm's correction over the models; NaN where undefined."""
    corrected = holm([None if isnan(relation.p) else relation.p for relation in found.values()])
    return {name: nan if p is None else p for name, p in zip(found, corrected, strict=True)}


@record
class ExposureMatrix:
    """Similarities, NaN where a topic is not in training; `rows` and `columns` hold the topics of each line, several where
    neighbours were put together and a cell is their mean."""

    values: Floats
    rows: tuple[tuple[int, ...], ...]
    columns: tuple[tuple[int, ...], ...]


def exposure_matrix(
    space: TopicSpace, folds: Folds, rows: Sequence[ExposedTopic], columns: Ints, *, most: int = MOST_CELLS
) -> ExposureMatrix:
    """Return `rows` against the training topics among `columns`; above `most` lines neighbours are averaged."""
    trained = np.stack([np.isin(columns, fold.train_topics) for fold in folds])
    topics, numbers = np.array([row.topic for row in rows], dtype=int), np.array([row.fold for row in rows], dtype=int)
    values = space.similarity[np.ix_(topics, columns)]
    values[~trained[numbers]] = np.nan
    known, filled = np.isfinite(values).astype(np.float64), np.nan_to_num(values)
    down, across = _edges(len(rows), most), _edges(len(columns), most)
    sums, counts = (
        np.add.reduceat(np.add.reduceat(each, down[:-1], axis=0), across[:-1], axis=1) for each in (filled, known)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(counts > 0, sums / counts, np.nan)
    return ExposureMatrix(means, _groups_between(topics, down), _groups_between(np.asarray(columns), across))


def _edges(count: int, most: int) -> Ints:
    return np.linspace(0, count, min(count, most) + 1).round().astype(np.int64)


def _groups_between(topics: Ints, edges: Ints) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(topics[start:end].tolist()) for start, end in pairwise(edges))
