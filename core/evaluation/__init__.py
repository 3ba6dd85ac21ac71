"""Models × folds → answers → scores."""

from .run import HELD_OUT, TASKS, Evaluation, evaluate, missing_runs
from .scores import Score, TestedTopic, fold_scores, metric_labels, relations, summarise, tested_topics, topic_scores
from .store import Answers, ResultStore, write_answers

__all__ = [
    "HELD_OUT",
    "TASKS",
    "Answers",
    "Evaluation",
    "ResultStore",
    "Score",
    "TestedTopic",
    "evaluate",
    "fold_scores",
    "metric_labels",
    "missing_runs",
    "relations",
    "summarise",
    "tested_topics",
    "topic_scores",
    "write_answers",
]
