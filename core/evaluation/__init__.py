"""Models × folds → answers → scores."""

from .exposure import ExposedTopic, exposed_topics, relations
from .run import Evaluation, evaluate, missing_runs, right_answers, wrong_answers
from .scores import Score, fold_scores, metric_labels, score_table, summarise, topic_scores
from .store import Answers, ResultStore, write_runs
from .tasks import HELD_OUT, TASKS, Task
