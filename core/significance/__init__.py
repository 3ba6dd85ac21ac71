"""Statistics of scores, on plain arrays: every test of two systems, weighted means, power."""

from core.significance.many import KINDS, Comparison, adjusted_pairs, compare, compare_all, holm
from core.significance.means import corrected_t, macro_rank_t, macro_t, paired_t, unpaired_t, wilcoxon
from core.significance.power import (
    Detectable,
    detectable,
    power,
    reliable_difference,
    smallest_difference,
    topics_needed,
)
from core.significance.result import TESTS, Significance, Test, verdict_sign
from core.significance.signs import macro_sign, micro_sign, proportions, sign_test
from core.significance.summary import WeightedSummary, weighted_summary

__all__ = [
    "KINDS",
    "TESTS",
    "Comparison",
    "Detectable",
    "Significance",
    "Test",
    "WeightedSummary",
    "adjusted_pairs",
    "compare",
    "compare_all",
    "corrected_t",
    "detectable",
    "holm",
    "macro_rank_t",
    "macro_sign",
    "macro_t",
    "micro_sign",
    "paired_t",
    "power",
    "proportions",
    "reliable_difference",
    "sign_test",
    "smallest_difference",
    "topics_needed",
    "unpaired_t",
    "verdict_sign",
    "weighted_summary",
    "wilcoxon",
]
