"""Answers to scores: every metric of every model, per fold and per test topic, and their weighted summary."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays import record
from ..corpora import UNKNOWN, Corpus, audit
from ..models import METRICS, accuracy, macro_f1, precision_recall, verification_scores
from ..splits import Leakage
from ..statistics import Relation, WeightedSummary, rank_relation, weighted_summary
from .run import Evaluation, Run, Trial

ATTRIBUTION_METRICS = {"accuracy": "accuracy", "macro_f1": "macro F1"}
TWO_AUTHOR_METRICS = {"precision": "precision", "recall": "recall", "f1": "F1"}


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
    """The metrics of a task, by key; two known authors add precision, recall and F of the first by name."""
    if evaluation.task == "verification":
        return {key: metric.label for key, metric in METRICS.items()}
    return ATTRIBUTION_METRICS | (TWO_AUTHOR_METRICS if _first_of_two(corpus) is not None else {})


def fold_scores(evaluation: Evaluation, corpus: Corpus) -> list[Score]:
    """Every model's scores on every fold."""
    labels, first = metric_labels(evaluation, corpus), _first_of_two(corpus)
    scores = []
    for run in evaluation.runs:
        fold, trial = evaluation.folds.folds[run.fold], evaluation.trials[run.fold]
        everything = np.ones(len(trial.truth), dtype=bool)
        topics = tuple(int(topic) for topic in fold.test_topics)
        scores.append(_score(run, trial, everything, topics, len(fold.test), labels, first))
    return scores


def topic_scores(evaluation: Evaluation, corpus: Corpus) -> list[Score]:
    """Every model's scores on every test topic of every fold; a pair counts under the topic of its first text."""
    labels, first = metric_labels(evaluation, corpus), _first_of_two(corpus)
    scores = []
    for run in evaluation.runs:
        fold, trial = evaluation.folds.folds[run.fold], evaluation.trials[run.fold]
        sizes = np.bincount(corpus.topic_codes[fold.test], minlength=len(corpus.topic_names))
        for topic in fold.test_topics:
            here = corpus.topic_codes[trial.lead] == topic
            scores.append(_score(run, trial, here, (int(topic),), int(sizes[topic]), labels, first))
    return scores


def summarise(scores: Sequence[Score], metric: str) -> dict[str, WeightedSummary]:
    """Per model the mean over folds or topics weighted by documents, with its unbiased deviation and standard error."""
    models = dict.fromkeys(score.model for score in scores)
    return {
        model: weighted_summary(
            np.array([score.values[metric] for score in scores if score.model == model]),
            np.array([score.documents for score in scores if score.model == model], dtype=np.float64),
        )
        for model in models
    }


def _score(
    run: Run,
    trial: Trial,
    here: NDArray[np.bool_],
    topics: tuple[int, ...],
    documents: int,
    labels: dict[str, str],
    first: int | None,
) -> Score:
    values = dict.fromkeys(labels, float("nan"))
    problem = run.problem
    if problem is None and not here.any():
        problem = "No question was asked about this topic: none of its texts can lead a pair, or none names its author."
    if problem is not None:
        return Score(run.model, run.fold, topics, documents, 0, values, problem)
    truth, answers = trial.truth[here], run.answers[here]
    values |= _verified(truth, answers) if trial.other is not None else _attributed(truth, answers, first)
    return Score(run.model, run.fold, topics, documents, int(here.sum()), values)


def _verified(truth: NDArray[np.int64], answers: NDArray[np.float64]) -> dict[str, float]:
    return verification_scores(truth.astype(bool), answers).named()


def _attributed(truth: NDArray[np.int64], answers: NDArray[np.float64], first: int | None) -> dict[str, float]:
    right, predicted = truth.tolist(), answers.astype(np.int64).tolist()
    values = {"accuracy": accuracy(right, predicted), "macro_f1": macro_f1(right, predicted)}
    if first is not None:
        found = precision_recall(right, predicted, positive=first)
        values |= {"precision": found.precision, "recall": found.recall, "f1": found.f1}
    return values


def _first_of_two(corpus: Corpus) -> int | None:
    """The code of the first of two known authors; None where there are fewer or more."""
    known = [code for code, name in enumerate(corpus.author_names or ()) if name != UNKNOWN]
    return known[0] if len(known) == 2 else None


@record
class TestedTopic:
    """A test topic of one fold: its nearest training topics, its largest author, and each model's score on it."""

    fold: int
    topic: int
    documents: int
    nearest: tuple[int, ...]
    similarity: tuple[float, ...]
    largest_author_share: float
    values: dict[str, float]

    @property
    def nearest_similarity(self) -> float:
        """How alike the nearest training topic is."""
        return self.similarity[0]


def tested_topics(corpus: Corpus, leakage: Leakage, scores: Sequence[Score], *, metric: str) -> tuple[TestedTopic, ...]:
    """Every test topic of every fold, the most similar to its training topics first."""
    shares = audit(corpus).largest_author_share
    values: dict[tuple[int, int], dict[str, float]] = {}
    documents: dict[tuple[int, int], int] = {}
    for score in scores:
        place = score.fold, score.topics[0]
        values.setdefault(place, {})[score.model] = score.values[metric]
        documents[place] = score.documents
    rows = [
        TestedTopic(
            exposure.fold,
            exposure.topic,
            documents[exposure.fold, exposure.topic],
            tuple(int(topic) for topic in exposure.nearest),
            tuple(float(value) for value in exposure.similarity),
            float(shares[exposure.topic]),
            values[exposure.fold, exposure.topic],
        )
        for exposure in leakage.exposures
    ]
    return tuple(sorted(rows, key=lambda row: (-row.nearest_similarity, corpus.topic_names[row.topic], row.fold)))


def relations(rows: Sequence[TestedTopic], *, seed: int = 0) -> dict[str, Relation]:
    """Per model, how its score on a test topic goes with the similarity of the nearest training topic."""
    models = dict.fromkeys(model for row in rows for model in row.values)
    similarity = np.array([row.nearest_similarity for row in rows])
    return {
        model: rank_relation(similarity, np.array([row.values[model] for row in rows]), seed=seed) for model in models
    }
