"""Statistics on plain arrays: tests of two systems, weights, power, ranks, clusters."""

from .clusters import (
    ClusteredComparison,
    chance_phi,
    clustered_comparison,
    simulated_type1,
    true_rate,
)
from .compare import (
    FEWEST_SIGNS,
    TESTS,
    Comparison,
    HeadToHead,
    SetupComparison,
    adjusted_pairs,
    compare,
    compare_all,
    compare_setups,
    head_to_head,
    holm,
    placebo_counts,
    placebo_rate,
    rank_among,
)
from .power import (
    WeightedSummary,
    correlated_variance,
    naive_type1,
    observed_variance,
    power,
    reliable_difference,
    smallest_difference,
    topics_needed,
    variance_shortfall,
    weighted_summary,
)
from .ranks import (
    Lead,
    Ranking,
    Relation,
    common_folds,
    detectable_rho,
    lead,
    rank_correlation,
    rank_models,
    rank_relation,
    stability,
    stability_interval,
)
from .sign_tests import macro_sign, micro_sign, proportions, wilcoxon_rows, wilson
from .significance import Names, Significance, Test
from .t_tests import (
    MeanEffect,
    bootstrap_mean,
    corrected_t,
    equivalence,
    macro_rank_t,
    macro_t,
    mean_effect,
    paired_t_rows,
    t_interval,
    unpaired_t_rows,
    weighted_t,
)
