"""Models × folds → answers → scores."""

from .baselines import (
    Baselines,
    SkippedFold,
    chance_level,
    fold_baselines,
    mean_baselines,
    skipped_folds,
    topic_intervals,
)
from .estimate import (
    Estimate,
    NoRoom,
    Proposal,
    allowed_memory,
    estimate_runs,
    has_room,
    need_authors,
    need_topics,
    no_room,
    quickest_run,
)
from .exposure import (
    ExposedTopic,
    ExposureMatrix,
    adjusted_p,
    adjusted_slopes,
    exposed_topics,
    exposure_matrix,
    relations,
    similarity_answer,
    similarity_cautions,
)
from .keys import cached_runs, missing_runs
from .reliability import Reliability, ReliabilityBin, reliability, reliability_of
from .run import Evaluation, NamedVectors, evaluate, right_answers, wrong_answers
from .scores import Score, fold_scores, metric_labels, score_table, summarise, topic_scores
from .sources import (
    STEP_NAMES,
    STEPS,
    Sources,
    difference_sources,
    source_folds,
    sources_of,
    sources_sentence,
)
from .store import Answers, ResultStore, read_runs, runs_from_json, runs_to_json, versions, write_runs
from .swap import (
    NO_TWINS,
    SIGNIFICANT,
    SwapEffect,
    dose_effects,
    dose_sentence,
    effects_of,
    sign_tests,
    swap_effects,
    swap_sentence,
    swap_sentences,
    twins_note,
)
from .tasks import HELD_OUT, TASKS, Task, usual_models
from .two_models import (
    ClusteredErrors,
    ComparedModels,
    clustered_errors,
    compared_models,
    error_rates,
    standing_sentence,
)
