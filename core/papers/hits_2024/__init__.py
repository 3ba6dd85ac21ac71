"""Sawatphol et al. (2024): the experiments of the HITS paper, and its benchmark RAVEN from any corpus."""

from .experiments import (
    AVERAGE,
    EXPERIMENTS,
    ClosestAcross,
    EncoderComparison,
    FoldPlan,
    Inputs,
    Panel,
    PolicyComparison,
    SimilarityAgainstM,
    SimilarityCurve,
    StabilityAgainstM,
    closest_across,
    compare_encoders,
    compare_policies,
    compared_encoders,
    run_experiment,
    similarity_against_m,
    stability_against_m,
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
