"""Who leads a ranking: behind is only who loses by intervals and by signs; and what the jackknife leaves out."""

import math

import numpy as np
import pytest
from scipy.stats import t

from core.statistics import lead, rank_models, rank_relation, stability, stability_interval
from core.statistics.ranks import Ranking


def ranking_of(*ranks: list[float]) -> Ranking:
    """A ranking with these ranks, a row a model."""
    table = np.array(ranks, dtype=np.float64)
    folds = (~np.isnan(table)).sum(axis=1)
    mean = np.nansum(table, axis=1) / folds
    sd = np.sqrt(np.nansum((table - mean[:, None]) ** 2, axis=1) / (folds - 1))
    return Ranking(table, mean, sd)


def field(best: list[float], other: list[float]) -> Ranking:
    """Ten models, of which eight are in the middle: wide apart is the best from the other one."""
    return ranking_of(best, other, *([5.0 + number / 10] * len(best) for number in range(8)))


@pytest.mark.parametrize(
    ("best", "other", "called"),
    [
        ([1] * 7 + [2], [10] * 7 + [1], False),  # 7 of 8 signs: p .070
        ([1] * 9 + [2], [10] * 9 + [1], True),  # 9 of 10: p .021
        ([1] * 6 + [1.5] * 2, [10] * 6 + [1.5] * 2, True),  # ties are no signs: 6 of 6, p .031
        ([1] * 5 + [1.5] * 3, [10] * 5 + [1.5] * 3, False),  # 5 of 5: p .062
    ],
)
def test_a_model_far_behind_is_called_so_only_if_its_signs_agree(best, other, called):
    ranking = field(best, other)
    found = lead(ranking)
    assert found.low[1] > found.high[0], "by their intervals alone the two are apart"
    assert (1 in found.models) == (not called) and found.models[0] == 0


def test_a_model_always_just_behind_is_not_called_so_where_intervals_overlap():
    first, second = [1, 3, 5, 1, 3, 5], [2, 4, 6, 2, 4, 6]  # six signs of six
    found = lead(ranking_of(first, second, [4.5, 3.5] * 3))
    assert found.low[1] < found.high[0]
    assert 1 in found.models


def test_models_that_never_meet_cannot_be_told_apart():
    nan = math.nan
    found = lead(ranking_of([1, 1, 1, nan, nan, nan], [nan, nan, nan, 3, 3, 3], [2] * 6))
    assert found.low[1] > found.high[0]
    assert found.models[0] == 0 and 1 in found.models


def test_six_folds_just_do_at_a_level_of_one_in_32():
    agreed = rank_models(np.array([[0.9] * 6, [0.1] * 6]))
    assert lead(agreed, alpha=2 / 2**6).winner == 0
    assert lead(agreed, alpha=0.031).winner is None


def test_two_folds_have_an_interval_and_one_has_none():
    two = lead(rank_models([[0.9, 0.1], [0.5, 0.5]]))
    assert (two.low.tolist(), two.high.tolist()) == ([1, 1], [2, 2])  # 1.5 ± 6.4, cut to the ranks there are
    one = lead(rank_models([[0.9], [0.5]]))
    assert np.isnan([one.low, one.high]).all()


def test_a_fold_that_ranks_something_in_one_table_counts():
    rng = np.random.default_rng(0)
    stack = rng.random((2, 5, 6))
    stack[0, :, 0] = 0.5  # ranks nothing by the first metric
    mean, low, high = stability_interval(stack)
    left_out = [np.mean([stability(np.delete(table, fold, axis=1)) for table in stack]) for fold in range(6)]
    half = t.ppf(0.975, 5) * math.sqrt(5 * np.var(left_out))
    assert (low, high) == pytest.approx((max(mean - half, -1), min(mean + half, 1)))


def test_twenty_thousand_shuffles_unless_asked_otherwise():
    x = np.arange(30.0)
    assert rank_relation(x, x).p == pytest.approx(1 / 20_001, abs=1e-12)


def test_every_shuffle_counts_once_whatever_their_number():
    """No order lies below ρ = 0, so that p is 1 exactly: also where the last block of shuffles is a part of one."""
    x, y = np.arange(8.0), np.array([0.0, 1, 1, 0, 0, 1, 1, 0])
    assert rank_relation(x, y, shuffles=3_000).p == 1.0


def test_many_points_are_shuffled_less_often():
    x = np.arange(400.0)
    assert rank_relation(x, x, resamples=50).p == pytest.approx(1 / 10_001, abs=1e-12)
