"""Models × folds → answers → scores."""

from .baselines import Baselines, SkippedFold, fold_baselines, mean_baselines, skipped_folds
from .estimate import Estimate, estimate_runs
from .exposure import ExposedTopic, adjusted_p, adjusted_slopes, exposed_topics, relations
from .exposure_matrix import ExposureMatrix, exposure_matrix
from .guards import need_authors, need_topics
from .intervals import chance_level, topic_intervals
from .keys import cached_runs, missing_runs
from .proposal import Proposal, quickest_run
from .reliability import Reliability, ReliabilityBin, reliability, reliability_of
from .room import NoRoom, allowed_memory, has_room, no_room
from .run import Evaluation, NamedVectors, evaluate, right_answers, wrong_answers
from .scores import Score, fold_scores, metric_labels, score_table, summarise, topic_scores
from .similarity_answer import similarity_answer, similarity_cautions
from .sources import STEPS, Sources, difference_sources, source_folds, sources_of, sources_sentence
from .standing import standing_sentence
from .store import Answers, ResultStore, read_runs, runs_from_json, runs_to_json, versions, write_runs
from .swap import NO_TWINS, SwapEffect, dose_effects, dose_sentence, effects_of, swap_effects, swap_sentence
from .tasks import HELD_OUT, TASKS, Task, usual_models
from .two_models import ClusteredErrors, ComparedModels, clustered_errors, compared_models, error_rates
