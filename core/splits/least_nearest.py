"""Folds changed group by group so that test topics meet less alike topics in training."""

from collections.abc import Callable

import numpy as np

from ..arrays import Bools, Floats, Ints

MOST_WORK = 700_000_000  # similarities looked at in all; a count, so that the answer is the same on every machine
TRIAL = 50_000  # what a trial costs besides, in similarities
SWAPS = 6  # groups that a group is exchanged with where the other fold has no room


def nearest_training(similarity: Floats, fold_of: Ints) -> Floats:
    """Each topic's highest similarity to a topic of another fold; NaN where none is known."""
    nearest = np.full(len(fold_of), np.nan)
    for fold in np.unique(fold_of):
        inside = fold_of == fold
        block = np.nan_to_num(similarity[np.ix_(inside, ~inside)], nan=-np.inf)
        nearest[inside] = block.max(axis=1, initial=-np.inf)
    return np.where(np.isneginf(nearest), np.nan, nearest)


def least_nearest(
    similarity: Floats, group_of: Ints, fold_of: Ints, sizes: Ints, *, k: int, allowed: Callable[[Ints], bool]
) -> Ints:
    """Groups moved to another fold, or exchanged, while that lowers the mean nearest similarity and is `allowed`.

    `fold_of` gives the fold of each group, `sizes` its documents. The groups whose topics meet the most alike topics come first, and go first
    where those are; no change of one group, or two, that was tried lowers the mean of the answer.
    """
    known = np.nan_to_num(similarity, nan=-np.inf)
    np.fill_diagonal(known, -np.inf)
    members = [np.flatnonzero(group_of == group) for group in range(len(fold_of))]
    fold_of = np.array(fold_of)
    to_fold = np.stack([_to_fold(known, fold_of[group_of] == fold) for fold in range(k)])
    best = _mean(to_fold, fold_of[group_of])
    left, changed = MOST_WORK, True
    while changed and left > 0:
        changed = False
        nearest = _nearest(to_fold, fold_of[group_of])
        exposed = np.array([nearest[topics].max() for topics in members])
        for group in np.argsort(-exposed, kind="stable").tolist():
            wished = np.argsort(-to_fold[:, members[group]].max(axis=1), kind="stable")
            for fold in wished[wished != fold_of[group]].tolist():
                for change in _changes(fold_of, sizes, group, fold):
                    if left <= 0:
                        break
                    if not allowed(change):
                        continue
                    two = (fold_of[group], fold)
                    topics = change[group_of]
                    trial = to_fold.copy()
                    for each in two:
                        inside = topics == each
                        trial[each] = _to_fold(known, inside)
                        left -= len(topics) * int(np.count_nonzero(inside))
                    left -= TRIAL
                    value = _mean(trial, topics)
                    if value < best - 1e-12:
                        fold_of, to_fold, best, changed = change, trial, value, True
                        break
                else:
                    continue
                break
    return fold_of


def _changes(fold_of: Ints, sizes: Ints, group: int, fold: int) -> list[Ints]:
    """The group moved into the fold, and exchanged with groups there, those of about its size first."""
    moved = fold_of.copy()
    moved[group] = fold
    changes = [moved]
    there = np.flatnonzero(fold_of == fold)
    for other in there[np.argsort(np.abs(sizes[there] - sizes[group]), kind="stable")[:SWAPS]].tolist():
        exchanged = moved.copy()
        exchanged[other] = fold_of[group]
        changes.append(exchanged)
    return changes


def _to_fold(known: Floats, inside: Bools) -> Floats:
    return np.asarray(known[inside].max(axis=0, initial=-np.inf))  # symmetric, and rows lie together


def _nearest(to_fold: Floats, topics: Ints) -> Floats:
    other = to_fold.copy()
    other[topics, np.arange(len(topics))] = -np.inf
    return np.asarray(other.max(axis=0))


def _mean(to_fold: Floats, topics: Ints) -> float:
    nearest = _nearest(to_fold, topics)
    met = nearest > -np.inf
    return float(nearest[met].mean()) if met.any() else float("nan")
