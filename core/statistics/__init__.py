"""Statistics on plain arrays: tests of two systems, weights, power, ranks, clusters."""

from .adjusted import AdjustedSlope, adjusted_slope, signed_points, slope_sentence, worth_said
from .clusters import ClusteredComparison, chance_phi, clustered_comparison, simulated_type1, true_rate
from .compare import TESTS, Comparison, adjusted_pairs, compare, compare_all, holm
from .conclusions import (
    Conclusion,
    comparison_conclusion,
    decisions_caution,
    decisions_conclusion,
    error_conclusion,
    ranking_conclusion,
)
from .equivalence import equivalence
from .power import WeightedSummary, power, reliable_difference, smallest_difference, topics_needed, weighted_summary
from .ranks import (
    Lead,
    Ranking,
    Relation,
    lead,
    rank_correlation,
    rank_models,
    rank_relation,
    stability,
    stability_interval,
)
from .setups import RankAmong, SetupComparison, compare_setups, placebo_counts, placebo_rate, rank_among
from .significance import SIGNS_SAY, Significance
from .signs import macro_sign, micro_sign, proportions, wilson
from .t_tests import corrected_t, macro_rank_t, macro_t
from .variance import correlated_variance, observed_variance, overlap_sentence, variance_shortfall
from .weighted import weighted_t
