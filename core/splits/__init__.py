"""Splits of a corpus: folds, what they leak, pairs inside them, and a given split judged."""

from .audit import SplitAudit, TestTopic, audit_split
from .folds import Fold, Folds, topic_kfold
from .leakage import Leakage, fold_leakage
from .near_documents import NeighbourLeakage
from .pairs import Pairs, held_out, make_pairs
from .schemes import FOLD_SCHEMES, FoldScheme, make_folds
