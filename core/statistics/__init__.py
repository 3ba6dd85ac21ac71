"""Statistics on plain arrays: tests of two systems, weights, power, ranks, clusters."""

from .clusters import clustered_comparison, simulated_type1
from .compare import TESTS, Comparison, adjusted_pairs, compare, compare_all
from .power import WeightedSummary, power, reliable_difference, smallest_difference, topics_needed, weighted_summary
from .ranks import Ranking, Relation, compare_setups, rank_models, rank_relation, stability
from .significance import Significance
from .signs import macro_sign, micro_sign, proportions
from .t_tests import corrected_t, macro_rank_t, macro_t
from .variance import correlated_variance, observed_variance, variance_shortfall
