"""Splits of a corpus: folds, what they leak, pairs inside them, and a given split judged.

To add a fold scheme: a file here with its function, and a line in FOLD_SCHEMES.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..corpora import Corpus
from ..errors import SettingError, unknown
from ..topics import TopicSpace
from .audit import FixedSplit, SplitAudit, TestTopic, TopicChange, audit_split, fix_split
from .design import COLUMNS as FOLD_COLUMNS
from .design import (
    Design,
    Option,
    design_options,
    folds_table,
    merging_threshold,
    option_folds,
    option_label,
    policy_threshold,
    random_is_clear,
    recommended,
    references,
    split_kind,
    split_kinds,
    split_settings,
)
from .duplicates import NearDuplicates, NeighbourLeakage, near_copies, near_duplicates
from .folds import (
    Fold,
    Folds,
    Leakage,
    capped,
    check_k,
    check_topics_per_fold,
    fold_leakage,
    given_folds,
    leave_one_topic_out,
    own_split,
    stratified_kfold,
    topic_kfold,
)
from .least_leakage import least_leakage, least_leakage_kfold
from .packing import Constraints, possible_balance
from .pairs import PAIRINGS, Pairs, held_out, make_pairs, most_texts, topic_gap, topic_oracle_auc


@dataclass(frozen=True, slots=True)
class FoldScheme:
    """One way to make folds, as a page or the command line offers it."""

    label: str
    about: str
    make: Callable[..., Folds]
    takes_k: bool = True  # and a seed
    needs_split: bool = False  # only for a corpus with train and test labels
    needs_space: bool = False  # uses similarities of topics, and constraints
    splits_topics: bool = False


FOLD_SCHEMES: dict[str, FoldScheme] = {
    "topic-kfold": FoldScheme(
        "Topic k-fold",
        "Topics split at random into k parts; no topic is on both sides.",
        topic_kfold,
        splits_topics=True,
    ),
    "least-leakage": FoldScheme(
        "Least leakage",
        "Similar topics are in the same of k parts, so that training and test differ as much as possible.",
        least_leakage_kfold,
        needs_space=True,
        splits_topics=True,
    ),
    "leave-one-topic-out": FoldScheme(
        "Leave one topic out",
        "One fold per topic: train on all others, test on it.",
        leave_one_topic_out,
        takes_k=False,
    ),
    "kfold": FoldScheme(
        "Ordinary k-fold", "Documents split into k parts by author; every topic is on both sides.", stratified_kfold
    ),
    "own-split": FoldScheme(
        "The corpus's own split", "Train and test as the file labels them.", own_split, takes_k=False, needs_split=True
    ),
}


def make_folds(
    corpus: Corpus,
    *,
    scheme: str,
    k: int,
    seed: int,
    at_most: int | None = None,
    space: TopicSpace | None = None,
    constraints: Constraints | None = None,
) -> Folds:
    """Return the folds of the scheme of that name, with at most this many documents per topic on each side; `space` holds the
    similarities of the corpus's topics, for schemes that look at them, and `constraints` what their folds must keep to."""
    if scheme not in FOLD_SCHEMES:
        raise unknown("fold scheme", scheme, FOLD_SCHEMES)
    chosen = FOLD_SCHEMES[scheme]
    if chosen.needs_space and space is None:
        raise SettingError(f"'{scheme}' compares topics; give make_folds their space.")
    settings: dict[str, object] = {"k": k, "seed": seed} if chosen.takes_k else {}
    folds = chosen.make(
        corpus, **settings | ({"space": space, "constraints": constraints} if chosen.needs_space else {})
    )
    return folds if at_most is None else capped(corpus, folds, at_most=at_most, seed=seed)
