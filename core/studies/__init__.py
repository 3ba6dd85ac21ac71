"""The papers' experiments, RAVEN, the shortcut test, and answers from files."""

from .alternatives import EncoderComparison, PolicyComparison, compare_encoders, compare_policies
from .answer_sheet import AnswerSheet, answer_sheet, pan_scores, read_system, read_systems, read_truth, system_names
from .answers import read_system_answers
from .categorization import Categorization, categorize, categorize_file
from .comparison_table import ComparisonTable, read_comparison_table
from .dial_grid import (
    DialGrid,
    DialRow,
    cell_scores,
    dial_scores,
    grid_rows,
    read_dial_grid,
    write_dial_grid,
)
from .dial_place import DialPlace, expectations, place_cautions, place_on_dial, place_sentence
from .experiments import EXPERIMENTS, Inputs, compared_encoders, run_experiment
from .novel_topics import NovelTopics, novel_topics
from .own_network import OwnNetwork, read_network
from .published import PUBLISHED, is_aptemod, published_p_tests
from .reliance import PAIR_KINDS, Reliance, topical_reliance
from .shortcut import SystemAnswers, TestPairs, pairs_and_answers, shortcut_test
from .shortcut_results import NO_LABELS, ShortcutTest, SystemResult, pairs_caution
from .similarity import (
    ClosestAcross,
    FoldPlan,
    SimilarityAgainstM,
    SimilarityCurve,
    closest_across,
    similarity_against_m,
)
from .stability import AVERAGE, Panel, StabilityAgainstM, stability_against_m
