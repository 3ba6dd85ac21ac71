"""Sawatphol et al. (2024): the experiments of the HITS paper, and its benchmark RAVEN from any corpus."""

from .against_m import (
    AVERAGE,
    ClosestAcross,
    FoldPlan,
    Panel,
    SimilarityAgainstM,
    SimilarityCurve,
    StabilityAgainstM,
    closest_across,
    similarity_against_m,
    stability_against_m,
)
from .experiments import (
    EXPERIMENTS,
    EncoderComparison,
    Inputs,
    PolicyComparison,
    compare_encoders,
    compare_policies,
    compared_encoders,
    run_experiment,
)
from .raven import (
    FOLDS,
    AnswerSheet,
    Benchmark,
    SetupStatistics,
    answer_sheet,
    benchmark_statistics,
    build_benchmark,
    check_setups,
    read_system,
    read_systems,
    workable_size,
)
from .raven_files import (
    BenchmarkAnswers,
    benchmark_zip,
    free_path,
    packed_benchmark,
    read_benchmark,
    read_benchmark_answers,
    write_benchmark,
)
