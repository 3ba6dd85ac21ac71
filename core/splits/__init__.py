"""Splits of a corpus: folds, what they leak, pairs inside them, and a given split judged.

To add a fold scheme: a file here with its function, and a line in FOLD_SCHEMES.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..corpora import Corpus
from ..errors import unknown
from .audit import SplitAudit, TestTopic, audit_split
from .folds import Fold, Folds, capped, leave_one_topic_out, own_split, stratified_kfold, topic_kfold
from .held_out import held_out
from .leakage import Leakage, fold_leakage
from .near_documents import NeighbourLeakage
from .pair_topics import topic_gap, topic_oracle_auc
from .pairs import PAIRINGS, Pairs, make_pairs


@dataclass(frozen=True, slots=True)
class FoldScheme:
    """One way to make folds, as a page or the command line offers it: `takes_k` says whether it takes k and a seed,
    `needs_split` whether only a corpus with train and test labels can be folded so."""

    label: str
    about: str
    make: Callable[..., Folds]
    takes_k: bool = True
    needs_split: bool = False


FOLD_SCHEMES: dict[str, FoldScheme] = {
    "topic-kfold": FoldScheme("Topic k-fold", "Topics dealt into k parts; no topic is on both sides.", topic_kfold),
    "leave-one-topic-out": FoldScheme(
        "Leave one topic out", "One fold a topic: train on all others, test on it.", leave_one_topic_out, takes_k=False
    ),
    "kfold": FoldScheme(
        "Ordinary k-fold", "Documents dealt into k parts by author; every topic is on both sides.", stratified_kfold
    ),
    "own-split": FoldScheme(
        "The corpus's own split", "Train and test as the file labels them.", own_split, takes_k=False, needs_split=True
    ),
}


def make_folds(corpus: Corpus, *, scheme: str, k: int, seed: int, at_most: int | None = None) -> Folds:
    """The folds of the scheme of that name, with at most so many documents per topic on each side."""
    if scheme not in FOLD_SCHEMES:
        raise unknown("fold scheme", scheme, FOLD_SCHEMES)
    chosen = FOLD_SCHEMES[scheme]
    folds = chosen.make(corpus, k=k, seed=seed) if chosen.takes_k else chosen.make(corpus)
    return folds if at_most is None else capped(corpus, folds, at_most=at_most, seed=seed)
