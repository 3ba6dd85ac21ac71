"""Statistics on plain arrays: tests of two systems, weights, power, ranks, clusters."""

from .clusters import bridge, simulated_type1
from .compare import Comparison, adjusted_pairs, compare, compare_all
from .power import WeightedSummary, detectable, power, topics_needed, weighted_summary
from .ranks import Ranking, Relation, compare_setups, rank_models, rank_relation, stability
from .record import TESTS, Significance
from .signs import macro_sign, micro_sign, proportions
from .t_tests import corrected_t, macro_rank_t, macro_t

__all__ = [
    "TESTS",
    "Comparison",
    "Ranking",
    "Relation",
    "Significance",
    "WeightedSummary",
    "adjusted_pairs",
    "bridge",
    "compare",
    "compare_all",
    "compare_setups",
    "corrected_t",
    "detectable",
    "macro_rank_t",
    "macro_sign",
    "macro_t",
    "micro_sign",
    "power",
    "proportions",
    "rank_models",
    "rank_relation",
    "simulated_type1",
    "stability",
    "topics_needed",
    "weighted_summary",
]
