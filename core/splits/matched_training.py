"""Two sets of folds made to train on equally much: on equally many documents, or on equally many of every author."""

from dataclasses import replace

import numpy as np

from ..arrays import Bools, Ints, seeded
from ..corpora import Corpus
from ..errors import SettingError
from .folds import Fold, Folds, order_by_id


def folds_in_whole(corpus: Corpus, part: Corpus, folds: Folds) -> Folds:
    """Folds of a part of a corpus as folds of the whole: the same documents, by id."""
    row_of = {id: row for row, id in enumerate(corpus.ids)}
    rows = np.array([row_of[id] for id in part.ids], dtype=np.int64)
    made = (_fold(corpus, np.sort(rows[fold.train]), np.sort(rows[fold.test])) for fold in folds)
    return Folds(folds.scheme, corpus.topic_names, tuple(made), folds.notes)


def match_training(corpus: Corpus, one: Folds, two: Folds, *, by_author: bool, seed: int) -> tuple[Folds, Folds]:
    """Both sets, fold by fold, with the richer training side cut by lot to what the poorer has: in all, or of every
    author (which makes them equal in all too). Tests stay as they are."""
    if len(one) != len(two):
        raise SettingError(f"{len(one)} folds cannot be matched with {len(two)}; use the same k for both.")
    order, pairs = order_by_id(corpus), []
    for number, sides in enumerate(zip(one, two, strict=True)):
        groups = corpus.author_codes if by_author else np.zeros(len(corpus), dtype=np.int64)
        assert groups is not None
        kept = [order[np.isin(order, fold.train)] for fold in sides]
        counts = np.minimum(*(np.bincount(groups[rows], minlength=groups.max() + 1) for rows in kept))
        cut = (rows[_first_of_each(groups[rows], counts, seed, number)] for rows in kept)
        pairs.append([_fold(corpus, np.sort(rows), fold.test) for rows, fold in zip(cut, sides, strict=True)])
    first, second = zip(*pairs, strict=True)
    return replace(one, folds=first), replace(two, folds=second)


def _first_of_each(groups: Ints, counts: Ints, seed: int, number: int) -> Bools:
    """Which rows are kept: of every group so many, by lot."""
    shuffled = seeded(seed, f"fold {number}").permutation(len(groups))
    by_group = shuffled[np.argsort(groups[shuffled], kind="stable")]
    sizes = np.bincount(groups, minlength=len(counts))
    within = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kept = np.zeros(len(groups), dtype=np.bool_)
    kept[by_group[within < counts[groups[by_group]]]] = True
    return kept


def _fold(corpus: Corpus, train: Ints, test: Ints) -> Fold:
    return Fold(train, test, *(np.unique(corpus.topic_codes[rows]) for rows in (train, test)))
