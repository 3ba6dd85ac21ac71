"""Splits of a corpus: folds, what they leak, pairs inside them, and a given split judged."""

from .audit import SplitAudit, TestTopic, audit_split
from .folds import SCHEMES, Fold, Folds, make_folds, topic_kfold
from .leakage import Leakage, fold_leakage
from .pairs import Pairs, held_out, make_pairs

__all__ = [
    "SCHEMES",
    "Fold",
    "Folds",
    "Leakage",
    "Pairs",
    "SplitAudit",
    "TestTopic",
    "audit_split",
    "fold_leakage",
    "held_out",
    "make_folds",
    "make_pairs",
    "topic_kfold",
]
