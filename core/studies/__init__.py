"""The papers' experiments, RAVEN, the shortcut test, and answers from files."""

from .alternatives import EncoderComparison, PolicyComparison, compare_encoders, compare_policies
from .answers import pan_scores, read_answers, read_truth, system_names
from .categorization import Categorization, as_json, categorize
from .comparison_table import read_comparison_table
from .reliance import KINDS, Reliance, TopicalReliance, topical_reliance
from .shortcut import Asked, Reading, ShortcutTest, System, from_evaluations, shortcut_test
from .similarity import ClosestAcross, SimilarityAgainstM, closest_across, similarity_against_m
from .stability import AVERAGE, Panel, StabilityAgainstM, stability_against_m
from .system_answers import answer_sheet, read_system, read_systems

__all__ = [
    "AVERAGE",
    "KINDS",
    "Asked",
    "Categorization",
    "ClosestAcross",
    "EncoderComparison",
    "Panel",
    "PolicyComparison",
    "Reading",
    "Reliance",
    "ShortcutTest",
    "SimilarityAgainstM",
    "StabilityAgainstM",
    "System",
    "TopicalReliance",
    "answer_sheet",
    "as_json",
    "categorize",
    "closest_across",
    "compare_encoders",
    "compare_policies",
    "from_evaluations",
    "pan_scores",
    "read_answers",
    "read_comparison_table",
    "read_system",
    "read_systems",
    "read_truth",
    "shortcut_test",
    "similarity_against_m",
    "stability_against_m",
    "system_names",
    "topical_reliance",
]
