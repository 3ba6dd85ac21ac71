"""What topics alone tell about pairs: the gap, and the best a judge does who knows nothing but the two topics."""

from typing import Protocol

import numpy as np

from ..arrays import Bools, Ints


class Paired(Protocol):
    """Pairs of corpus rows, and whether one author wrote both texts."""

    @property
    def first(self) -> Ints: ...
    @property
    def second(self) -> Ints: ...
    @property
    def same(self) -> Bools: ...


def topic_gap(pairs: Paired, topic_codes: Ints) -> float:
    """P(same topic | same author) − P(same topic | different authors); NaN where one kind of pair is missing.

    0 where topic says nothing about the author, 1 where it says all (docs/methods.md, Folds, models and scores).
    """
    if pairs.same.all() or not pairs.same.any():
        return float("nan")
    one_topic = topic_codes[pairs.first] == topic_codes[pairs.second]
    return float(one_topic[pairs.same].mean() - one_topic[~pairs.same].mean())


def topic_oracle_auc(pairs: Paired, topic_codes: Ints) -> float:
    """AUC of a judge whose score is the share of same-author pairs among those with the same two topics, in any order.

    AUC = Σ_g s_g (Σ_{p_h < p_g} d_h + ½ Σ_{p_h = p_g} d_h) / (S·D), s and d the same- and different-author pairs of a
    pair of topics, p = s/(s + d). The judge has seen the answers to these very pairs, so this is the most that topics
    could give here, and above ½ by chance too where pairs of topics are many; matched pairs leave exactly ½. NaN where
    one kind of pair is missing.
    """
    if pairs.same.all() or not pairs.same.any():
        return float("nan")
    topics = np.sort(np.stack([topic_codes[pairs.first], topic_codes[pairs.second]]), axis=0)
    group = np.unique(topics[0] * (topics.max() + 1) + topics[1], return_inverse=True)[1]
    same, all_pairs = np.bincount(group, weights=pairs.same), np.bincount(group)
    share = np.unique(same / all_pairs, return_inverse=True)[1]
    of_same, of_all = np.bincount(share, weights=same), np.bincount(share, weights=all_pairs)
    different = of_all - of_same
    below = np.cumsum(different) - different
    return float((of_same * (below + different / 2)).sum() / (of_same.sum() * different.sum()))
