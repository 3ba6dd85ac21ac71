"""Splits of a corpus: folds, what they leak, pairs inside them, and a given split judged."""

from .audit import SplitAudit, TestTopic, audit_split
from .folds import Fold, Folds, topic_kfold
from .held_out import held_out
from .leakage import Leakage, fold_leakage
from .near_documents import NeighbourLeakage
from .pair_topics import topic_gap, topic_oracle_auc
from .pairs import PAIRINGS, Pairs, make_pairs
from .schemes import FOLD_SCHEMES, FoldScheme, make_folds
