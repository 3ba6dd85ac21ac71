"""Models × folds → answers → scores."""

from .baselines import Baselines, SkippedFold, fold_baselines, mean_baselines, skipped_folds
from .estimate import Estimate, estimate_runs
from .exposure import ExposedTopic, adjusted_slopes, exposed_topics, relations
from .keys import missing_runs
from .run import Evaluation, NamedVectors, evaluate, right_answers, wrong_answers
from .scores import Score, fold_scores, metric_labels, score_table, summarise, topic_scores
from .store import Answers, ResultStore, write_runs
from .tasks import HELD_OUT, TASKS, Task
