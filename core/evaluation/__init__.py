"""Models × folds → answers → scores."""

from .answers import (
    AnswerLine,
    AnswersFile,
    KnownIds,
    SystemScores,
    first_ids,
    pan_scores,
    read_system_answers,
    read_truth,
    system_names,
)
from .comparison_table import ComparisonTable, read_comparison_table
from .curve import (
    CONTROLS,
    DRAWS,
    LEFT_OUT,
    LEVELS,
    READINGS,
    CurvePlan,
    CurveRun,
    CurveSummary,
    ModelCurve,
    author_labels,
    control_models,
    curve_estimate,
    curve_plan,
    plan_lines,
    quick_cost,
    quick_models,
    quick_plan,
    read_answer_files,
    read_answers,
    run_curve,
    summarise_curve,
)
from .estimate import (
    FEW_AUTHORS,
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
    exposed_topics,
    exposure_matrix,
    relations,
)
from .forecast import (
    CONFIDENCE,
    FEWEST_FAMILIES,
    FOLDS,
    Forecast,
    ForecastPlan,
    ForecastRun,
    ForecastSummary,
    family_intervals,
    forecast,
    forecast_estimate,
    forecast_plan,
    run_forecast,
    target_similarity,
    topic_families,
)
from .keys import cached_runs, missing_runs
from .run import Evaluation, NamedVectors, evaluate, right_answers, wrong_answers
from .scores import (
    Baselines,
    Reliability,
    ReliabilityBin,
    Score,
    SkippedFold,
    chance_level,
    fold_baselines,
    fold_scores,
    mean_baselines,
    metric_labels,
    reliability,
    reliability_of,
    score_table,
    skipped_folds,
    summarise,
    topic_intervals,
    topic_scores,
)
from .shortcut import (
    MARGIN,
    PAIR_KINDS,
    SETUP_GROUPS,
    SIMILARITY_DECIMALS,
    Reliance,
    ShortcutTest,
    SystemAnswers,
    SystemResult,
    TestPairs,
    pair_similarity,
    pairs_and_answers,
    shortcut_test,
    topical_reliance,
)
from .store import Answers, ResultStore, read_runs, runs_from_json, runs_to_json, versions, write_runs
from .tasks import HELD_OUT, TASKS, Task, tasks_of, usual_models
from .two_models import (
    ClusteredErrors,
    ComparedModels,
    clustered_errors,
    compared_models,
    error_rates,
)
