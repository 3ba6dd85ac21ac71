"""Answers to scores: every metric of every model, per fold and per test topic, and their weighted summary."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.audit import UNKNOWN
from core.corpus import Corpus
from core.evaluate import Evaluation, Run, Trial
from core.metrics import METRICS, accuracy, macro_f1, precision_recall, verification_scores
from core.significance import WeightedSummary, weighted_summary

ATTRIBUTION_METRICS = {"accuracy": "accuracy", "macro_f1": "macro F1"}
TWO_AUTHOR_METRICS = {"precision": "precision", "recall": "recall", "f1": "F1"}


@dataclass(frozen=True, eq=False, slots=True)
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
