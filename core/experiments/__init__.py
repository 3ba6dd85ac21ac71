"""The experiments of the HITS paper's §7 on any corpus: number of topics, topics left out, encoders."""

from core.experiments.encoders import EncoderComparison, chance_jaccard, compare_encoders
from core.experiments.policies import THRESHOLDS, PolicyComparison, compare_policies
from core.experiments.similarity import ClosestAcross, SimilarityAgainstM, closest_across, similarity_against_m
from core.experiments.stability import AVERAGE, Panel, StabilityAgainstM, stability_against_m
from core.experiments.suggestion import Suggestion, suggest_m

__all__ = [
    "AVERAGE",
    "THRESHOLDS",
    "ClosestAcross",
    "EncoderComparison",
    "Panel",
    "PolicyComparison",
    "SimilarityAgainstM",
    "StabilityAgainstM",
    "Suggestion",
    "chance_jaccard",
    "closest_across",
    "compare_encoders",
    "compare_policies",
    "similarity_against_m",
    "stability_against_m",
    "suggest_m",
]
