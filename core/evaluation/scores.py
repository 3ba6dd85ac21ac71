"""Answers to scores: every metric of every model, per fold and per test topic, and their weighted summary."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Bools, Floats, record
from ..corpora import Corpus
from ..statistics import WeightedSummary, weighted_summary
from .run import Evaluation, Run
from .tasks import TASKS


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
    """The metrics of the evaluation's task, by key; they may hang on the number of authors."""
    return TASKS[evaluation.task].metrics(corpus)


def fold_scores(evaluation: Evaluation, corpus: Corpus) -> list[Score]:
    """Every model's scores on every fold."""
    scores = []
    for run in evaluation.runs:
        fold = evaluation.folds.folds[run.fold]
        everything = np.ones(len(evaluation.questions[run.fold].truth), dtype=bool)
        topics = tuple(fold.test_topics.tolist())
        scores.append(_score(evaluation, corpus, run, everything, topics=topics, documents=len(fold.test)))
    return scores


def topic_scores(evaluation: Evaluation, corpus: Corpus) -> list[Score]:
    """Every model's scores on every test topic of every fold; a pair counts under the topic of its first text."""
    scores = []
    for run in evaluation.runs:
        fold = evaluation.folds.folds[run.fold]
        asked = corpus.topic_codes[evaluation.questions[run.fold].lead]
        sizes = np.bincount(corpus.topic_codes[fold.test], minlength=len(corpus.topic_names)).tolist()
        scores += [
            _score(evaluation, corpus, run, asked == topic, topics=(topic,), documents=sizes[topic])
            for topic in fold.test_topics.tolist()
        ]
    return scores


def score_table(scores: Sequence[Score], metric: str) -> Floats:
    """Models × folds (or topics), in the order in which both come."""
    models = dict.fromkeys(score.model for score in scores)
    return np.array([[score.values[metric] for score in scores if score.model == model] for model in models])


def summarise(scores: Sequence[Score], metric: str) -> dict[str, WeightedSummary]:
    """Per model the mean over folds or topics weighted by documents, with its unbiased deviation and standard error."""
    summaries = {}
    for model in dict.fromkeys(score.model for score in scores):
        own = [score for score in scores if score.model == model]
        documents = np.array([score.documents for score in own], dtype=np.float64)
        summaries[model] = weighted_summary(np.array([score.values[metric] for score in own]), documents)
    return summaries


def _score(
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
