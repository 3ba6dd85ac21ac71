"""Ranks, who leads, stability with its interval, and rank relation: SciPy as an oracle, laws, silence where too little is known."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import linregress, norm, permutation_test, rankdata, sem, spearmanr, t, wilcoxon
from statsmodels.stats.multitest import multipletests

from core.errors import SettingError
from core.statistics import (
    common_folds,
    detectable_rho,
    lead,
    rank_correlation,
    rank_models,
    rank_relation,
    stability,
    stability_interval,
)


def a_table(seed: int, models: int, folds: int, digits: int = 1):
    return np.round(np.random.default_rng(seed).random((models, folds)), digits)


tables = st.builds(a_table, st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 8))


def test_ranks_count_from_the_best_and_ties_share():
    ranking = rank_models([[0.9, 0.5], [0.7, 0.5], [0.8, 0.6]])
    assert ranking.ranks.tolist() == [[1, 2.5], [3, 2.5], [2, 1]]
    assert ranking.mean.tolist() == [1.75, 2.75, 1.5]
    np.testing.assert_allclose(ranking.sd, np.std(ranking.ranks, axis=1, ddof=1))


@given(tables)
@settings(max_examples=40, deadline=None)
def test_ranks_of_a_fold_add_up_and_follow_the_scores(table):
    models = len(table)
    ranking = rank_models(table)
    np.testing.assert_allclose(ranking.ranks.sum(axis=0), models * (models + 1) / 2)
    np.testing.assert_allclose(ranking.mean.mean(), (models + 1) / 2)
    for fold, ranks in zip(table.T, ranking.ranks.T, strict=True):
        assert ((fold[:, None] > fold[None, :]) == (ranks[:, None] < ranks[None, :])).all()


def test_undefined_scores_have_no_rank():
    nan = float("nan")
    ranking = rank_models([[nan, 0.2, nan], [0.4, 0.3, nan], [0.5, 0.1, nan]])
    np.testing.assert_equal(ranking.ranks, [[nan, 2, nan], [nan, 1, nan], [nan, 3, nan]])
    np.testing.assert_equal(ranking.mean, [2, 1, 3])
    assert np.isnan(ranking.sd).all()
    nobody = rank_models([[nan, nan], [0.4, 0.3], [0.5, 0.1]])
    np.testing.assert_equal(nobody.ranks, [[nan, nan], [2, 1], [1, 2]])
    assert nobody.sd[1] == pytest.approx(math.sqrt(0.5))
    assert np.isnan(rank_models([[nan], [nan]]).mean).all()


@given(tables)
@settings(max_examples=40, deadline=None)
def test_stability_is_the_mean_of_scipys_rho_over_pairs_of_folds(table):
    flat = (table == table[0]).all(axis=0)
    assume((~flat).sum() > 1)
    rhos = [spearmanr(table[:, a], table[:, b]).statistic for a, b in combinations(np.flatnonzero(~flat), 2)]
    assert stability(table) == pytest.approx(np.mean(rhos), abs=1e-12)
    undefined = np.column_stack([table, np.full(len(table), np.nan)])
    undefined[1:, -1] = table[1:, 0]
    assert stability(undefined) == pytest.approx(np.mean(rhos), abs=1e-12)


@given(tables, st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_stability_depends_on_order_of_scores_alone(table, seed):
    rng = np.random.default_rng(seed)
    shuffled = table[rng.permutation(len(table))][:, rng.permutation(table.shape[1])]
    np.testing.assert_allclose(stability(shuffled**3 * 5 + 1), stability(table), atol=1e-12)


def test_agreeing_and_reversed_folds_are_the_extremes():
    table = np.array([[0.9, 0.6], [0.8, 0.5], [0.1, 0.4]])
    assert stability(table) == pytest.approx(1)
    assert stability(np.column_stack([table[:, 0], -table[:, 0]])) == pytest.approx(-1)


def test_folds_that_rank_nothing_are_left_out():
    nan = float("nan")
    assert stability([[0.9, 0.5, 0.8, nan], [0.7, 0.5, 0.6, 0.3]]) == 1
    assert math.isnan(stability([[0.9, 0.5], [0.7, 0.5]]))  # one fold left: no pair
    assert math.isnan(stability([[0.9, 0.5, 0.1]]))  # one model: nothing to rank
    assert math.isnan(stability([[0.5, 0.5], [0.5, 0.5]]))  # no fold left


@given(tables)
@settings(max_examples=40, deadline=None)
def test_the_interval_of_stability_is_the_jackknife_over_folds(table):
    ranking = np.flatnonzero(~(table == table[0]).all(axis=0))
    folds = len(ranking)
    mean, low, high = stability_interval(table)
    np.testing.assert_equal(mean, stability(table))
    if folds < 3:
        assert math.isnan(low) and math.isnan(high)
        return
    whole = stability(table)
    pseudo = [folds * whole - (folds - 1) * stability(np.delete(table, fold, axis=1)) for fold in ranking]
    half = t.ppf(0.975, folds - 1) * np.std(pseudo, ddof=1) / math.sqrt(folds)
    assert (low, high) == pytest.approx((max(whole - half, -1), min(whole + half, 1)), abs=1e-9)
    assert -1 <= low <= mean <= high <= 1
    undefined = np.column_stack([table, np.full(len(table), np.nan)])
    assert stability_interval(undefined) == pytest.approx((mean, low, high))


@given(st.integers(0, 1_000))
@settings(max_examples=20, deadline=None)
def test_a_stack_of_tables_has_the_mean_of_their_stabilities(seed):
    rng = np.random.default_rng(seed)
    stack = rng.random((3, 5, 6))
    mean, low, high = stability_interval(stack)
    assert mean == pytest.approx(np.mean([stability(table) for table in stack]))
    left_out = [np.mean([stability(np.delete(table, fold, axis=1)) for table in stack]) for fold in range(6)]
    half = t.ppf(0.975, 5) * math.sqrt(5 * np.var(left_out))
    assert (low, high) == pytest.approx((max(mean - half, -1), min(mean + half, 1)))


def test_the_interval_of_stability_covers_the_truth():
    """Models of known merit, ten folds with noise: the long-run stability is in the interval about 95% of the time."""
    rng = np.random.default_rng(0)
    merit = np.linspace(0, 1, 6)[:, None]
    truth = np.mean([stability(merit + rng.normal(0, 0.5, (6, 60))) for _ in range(40)])
    found = [stability_interval(merit + rng.normal(0, 0.5, (6, 10))) for _ in range(300)]
    assert 0.88 <= np.mean([low <= truth <= high for _, low, high in found]) <= 0.99
    chance = [stability_interval(rng.random((6, 10))) for _ in range(300)]
    assert np.mean([low > 0 for _, low, _ in chance]) <= 0.07, "random rankings are not called stable"


def test_a_table_is_needed():
    for scores in ([0.1, 0.2], np.zeros((0, 3))):
        with pytest.raises(SettingError, match="a row per model and a column per fold"):
            stability(scores)


points = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=4, max_size=30).map(
    lambda pairs: np.array(pairs, dtype=np.float64).T
)


def silent(relation) -> bool:
    return all(math.isnan(value) for value in (relation.rho, relation.low, relation.high, relation.p))


@settings(max_examples=60, deadline=None)
@given(points)
def test_rho_is_that_of_scipy(xy):
    x, y = xy
    found = rank_relation(x, y, resamples=200)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert silent(found)
        return
    assert found.n == len(x)
    assert found.rho == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    assert -1 <= found.low <= found.high <= 1 + 1e-12
    assert 0 < found.p <= 1
    mirrored = rank_relation(x, -y, resamples=200)
    assert mirrored.rho == pytest.approx(-found.rho)
    assert mirrored.p == pytest.approx(found.p)


@settings(max_examples=12, deadline=None)
@given(st.integers(4, 6), st.integers(0, 1_000), st.booleans())
def test_few_points_are_tested_over_all_their_orders(n, seed, ties):
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(0, 3, n) if ties else rng.random(n) for _ in range(2))
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    expected = permutation_test(
        (x,),
        lambda shuffled: spearmanr(shuffled, y).statistic,
        permutation_type="pairings",
        n_resamples=np.inf,
        alternative=("two-sided"),
    )
    # SciPy doubles the smaller tail; ours counts |ρ| on both sides.
    orders = np.abs(expected.null_distribution) >= abs(expected.statistic) - 1e-9
    assert rank_relation(x, y).p == pytest.approx(orders.mean())
    if not ties:
        assert rank_relation(x, y).p == pytest.approx(expected.pvalue)


def test_many_points_come_close_to_the_permutation_test_of_scipy():
    rng = np.random.default_rng(3)
    x = rng.random(20)
    y = x + rng.normal(size=20)
    expected = permutation_test(
        (x,), lambda s: spearmanr(s, y).statistic, permutation_type="pairings", n_resamples=4_000, rng=1
    ).pvalue
    assert rank_relation(x, y, shuffles=4_000).p == pytest.approx(expected, abs=0.02)


@settings(max_examples=30, deadline=None)
@given(points)
def test_monotone_transforms_change_nothing(xy):
    x, y = xy
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    plain = rank_relation(x, y, resamples=200)
    bent = rank_relation(np.exp(x / 5), y**3 + 7, resamples=200)
    assert (plain.n, plain.rho, plain.low, plain.high, plain.p) == (bent.n, bent.rho, bent.low, bent.high, bent.p)


def test_undefined_points_are_left_out():
    rng = np.random.default_rng(0)
    x, y = rng.random(12), rng.random(12)
    holes_x, holes_y = x.copy(), y.copy()
    holes_x[[1, 4]], holes_y[[4, 7]] = np.nan, np.inf
    known = [row for row in range(12) if row not in (1, 4, 7)]
    assert rank_relation(holes_x, holes_y) == rank_relation(x[known], y[known])
    assert rank_relation(holes_x, holes_y).n == 9


def test_too_few_points_or_no_variation_say_nothing():
    for n in range(4):
        found = rank_relation(np.arange(n), np.arange(n))
        assert found.n == n and silent(found)
    assert silent(rank_relation(np.arange(9.0), np.ones(9)))
    assert silent(rank_relation(np.full(9, np.nan), np.arange(9.0)))
    assert rank_relation(np.arange(4.0), np.arange(4.0)).p == pytest.approx(2 / 24)


def test_the_seed_decides_the_interval():
    rng = np.random.default_rng(1)
    x = rng.random(15)
    y = 2 * x + 1 + rng.normal(scale=0.1, size=15)
    assert rank_relation(x, y, seed=4) == rank_relation(x, y, seed=4)
    assert rank_relation(x, y, seed=4).low != rank_relation(x, y, seed=5).low


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=4, max_size=30))
def test_the_line_never_runs_against_rho(points):
    x, y = np.array(points, dtype=float).T
    found = rank_relation(x, y, resamples=24)
    if np.isnan(found.rho):
        assert not found.line
        return
    across, up = np.array(found.line).T
    assert across.tolist() == sorted(set(x))
    assert (np.diff(up) * np.sign(found.rho) >= -1e-9).all()
    assert y.min() <= up.min() and up.max() <= y.max()
    if abs(found.rho) > 0.3 and len(set(y)) > 1:
        assert (up[-1] - up[0]) * found.rho > 0


def test_the_line_is_the_regression_of_ranks():
    rng = np.random.default_rng(7)
    x = rng.permutation(12).astype(float)
    y = x + rng.normal(scale=4, size=12)
    fitted = linregress(x, rankdata(y))
    assert fitted.slope == pytest.approx(rank_relation(x, y).rho)  # ranks 0 to 11 on either side
    expected = np.interp(fitted.intercept + fitted.slope * np.arange(12), np.arange(1, 13), np.sort(y))
    assert [up for _, up in rank_relation(x, y).line] == pytest.approx(expected.tolist())


def test_least_squares_may_fall_where_the_line_rises():
    x, y = np.array([1.0, 2, 3, 4, 5, 100]), np.array([1.0, 2, 3, 4, 5, -90])
    assert np.polyfit(x, y, 1)[0] < 0
    found = rank_relation(x, y)
    assert found.rho > 0 and found.line[-1][1] > found.line[0][1]


def test_a_strong_relation_is_found_and_chance_is_not():
    x = np.arange(24.0)
    assert rank_relation(x, x).p < 0.001
    assert rank_relation(x, x).low > 0.9
    rng = np.random.default_rng(0)
    found = [rank_relation(x, rng.random(24), resamples=300, seed=draw) for draw in range(120)]
    assert np.mean([one.p <= 0.05 for one in found]) == pytest.approx(0.05, abs=0.06)
    assert np.mean([one.low <= 0 <= one.high for one in found]) > 0.85


def test_both_lists_must_be_of_one_length():
    with pytest.raises(SettingError, match="5 and 4 values"):
        rank_relation(np.arange(5.0), np.arange(4.0))


def test_the_observed_order_is_one_of_the_shuffles():
    """p = (1 + as extreme)/(1 + shuffles): no number of shuffles makes it 0 (Davison & Hinkley 1997, §4.2)."""
    x = np.arange(30.0)
    assert rank_relation(x, x, shuffles=200).p == pytest.approx(1 / 201, abs=1e-12)
    # The same shuffles, counted by hand.
    rng = np.random.default_rng(5)
    y = rng.random(12)
    drawn = np.random.default_rng(0)
    drawn.integers(0, 12, size=(100, 12))  # the bootstrap's draws come first
    orders = drawn.permuted(np.tile(rankdata(y), (100, 1)), axis=1)
    rhos = [abs(spearmanr(x[:12], order).statistic) for order in orders]
    extreme = sum(rho >= abs(spearmanr(x[:12], y).statistic) - 1e-12 for rho in rhos)
    assert rank_relation(x[:12], y, resamples=100, shuffles=100).p == pytest.approx((1 + extreme) / 101, abs=1e-12)


def test_all_orders_are_tried_up_to_this_many_shuffles():
    x, y = np.arange(5.0), np.array([1.0, 0.0, 2.0, 4.0, 3.0])
    every = rank_relation(x, y, shuffles=120)  # 5! orders
    assert every.p * 120 == pytest.approx(round(every.p * 120))
    assert every.p == rank_relation(x, y, shuffles=500, seed=9).p
    fewer = rank_relation(x, y, shuffles=119)
    assert fewer.p * 120 == pytest.approx(round(fewer.p * 120)) and fewer.p * 120 >= 1
    assert {rank_relation(x, y, shuffles=119, seed=seed).p for seed in range(5)} != {every.p}


def test_p_is_stable_to_two_digits_and_many_points_fit_in_memory():
    rng = np.random.default_rng(3)
    x = rng.random(24)
    y = x + rng.normal(0, 0.6, 24)
    found = [rank_relation(x, y, seed=seed).p for seed in range(6)]
    assert 0.005 < np.mean(found) < 0.6 and np.ptp(found) < 0.012, found
    many = rng.random(3_000)
    assert rank_relation(many, rng.random(3_000), resamples=50, shuffles=2_500).p > 0.01


def test_the_interval_holds_the_middle_95_percent_of_resamples():
    rng = np.random.default_rng(2)
    x = rng.random(10)
    y = x + rng.normal(scale=0.5, size=10)
    drawn = np.random.default_rng(0).integers(0, 10, size=(400, 10))
    again = [spearmanr(x[rows], y[rows]).statistic for rows in drawn]
    found = rank_relation(x, y, resamples=400)
    assert (found.low, found.high) == pytest.approx(tuple(np.nanquantile(again, [0.025, 0.975])))


def test_a_winner_is_named_where_every_fold_agrees_and_folds_are_enough():
    agreed = np.array([[0.9] * 6, [0.8] * 6, [0.1] * 6])
    found = lead(agreed)
    assert found.winner == 0 and found.models == (0,)
    assert found.low.tolist() == found.high.tolist() == [1, 2, 3]
    few = lead(agreed[:, :5])
    assert few.winner is None and few.models == (0, 1, 2)


def test_intervals_of_mean_ranks_are_students():
    scores = np.random.default_rng(3).random((3, 9))
    ranking, found = rank_models(scores), lead(scores)
    for model in range(3):
        expected = t.interval(0.95, 8, ranking.mean[model], sem(ranking.ranks[model]))
        assert (found.low[model], found.high[model]) == pytest.approx(tuple(np.clip(expected, 1, 3)))


def test_models_too_close_to_call_are_all_named_the_best_first():
    scores = np.array([[0.2] * 10, [0.9, 0.8] * 5, [0.8, 0.9] * 5])
    scores[1, 1] = 0.95
    assert lead(scores).models == (1, 2)
    assert lead(np.full((3, 2), np.nan)).models == ()


@pytest.mark.parametrize(("models", "folds"), [(2, 3), (2, 6), (2, 8), (3, 6), (5, 10)])
def test_equal_models_seldom_have_a_winner(models, folds):
    rng = np.random.default_rng(models * folds)
    named = [lead(rng.random((models, folds))).winner is not None for _ in range(600)]
    assert np.mean(named) <= 0.07


def test_a_model_that_could_not_be_run_leads_nothing():
    scores = np.array([[np.nan] * 8, [0.9] * 8, [0.5] * 8])
    assert lead(scores).winner == 1
    apart = np.array([[0.9, 0.8, 0.9] + [np.nan] * 3, [np.nan] * 3 + [0.5, 0.5, 0.6]])
    assert lead(apart).models == (0, 1)


def test_a_rank_correlation_is_scipys_and_undefined_for_three_points_or_no_spread():
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 5, 30).astype(float), rng.normal(size=30)
    assert rank_correlation(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    assert rank_correlation(np.arange(4.0), np.arange(4.0) ** 3) == 1
    assert np.isnan([rank_correlation(x[:3], y[:3]), rank_correlation(np.ones(9), y[:9])]).all()


@pytest.mark.parametrize(
    ("differences", "called"),
    [
        ([0.1] * 6, True),  # p .031
        ([0.1] * 5, False),  # p .062
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, -0.05], True),  # the one loss is the smallest: p .016
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, -0.7], False),  # and here the largest: p .297
        ([0.1] * 6 + [0.0] * 4, True),  # folds in which both are equal say nothing
    ],
)
def test_two_models_are_told_apart_as_scipys_wilcoxon_does(differences, called):
    behind = np.linspace(0.1, 0.3, len(differences))
    found = lead([behind + differences, behind])
    d = np.round(np.array(differences), 9)
    assert (wilcoxon(d[d != 0]).pvalue <= 0.05) == called
    assert found.models == ((0,) if called else (0, 1))


def test_every_other_model_must_be_behind_for_one_to_be_named():
    base = np.array([0.6, 0.7, 0.8, 0.9, 0.65, 0.75])
    both = lead([base, base - 0.1, base - 0.2])  # p .031 each
    assert both.models == (0,)
    # With one model too close to call, p .031 is .062 after Holm's correction over the two others.
    assert lead([base, base - 0.1, base + [0.01, -0.01] * 3]).models == (0, 2, 1)


def test_a_clear_winner_is_named_and_chance_names_none():
    rng, ahead = np.random.default_rng(0), np.array([2.0, 0, 0, 0, 0])[:, None]
    found = [lead(rng.normal(size=(5, 10)) + ahead).winner for _ in range(150)]
    assert np.mean([winner == 0 for winner in found]) > 0.8
    assert np.mean([lead(rng.normal(size=(5, 10))).winner is not None for _ in range(150)]) <= 0.03


def test_models_are_ranked_on_the_folds_that_all_of_them_have():
    nan = math.nan
    table = [[0.9, 0.2, 0.3], [0.5, nan, nan], [0.4, 0.9, 0.9]]
    assert common_folds(table).tolist() == [True, False, False]
    assert rank_models(table).mean.tolist() == [1, 2, 3]
    assert lead(table).models[0] == 0, "its wins elsewhere do not count for the third"
    assert common_folds([[nan, nan], [0.1, 0.2]]).tolist() == [True, True], "a model without scores holds nobody up"


def test_models_that_never_meet_cannot_be_told_apart():
    nan = math.nan
    found = lead([[0.9, 0.9, 0.9, nan, nan, nan], [nan, nan, nan, 0.1, 0.1, 0.1], [0.5] * 6])
    assert sorted(found.models) == [0, 1, 2] and found.winner is None


def test_six_folds_just_do_at_a_level_of_one_in_32():
    agreed = np.array([[0.9] * 6, [0.1] * 6])
    assert lead(agreed, alpha=2 / 2**6).winner == 0
    assert lead(agreed, alpha=0.031).winner is None


def test_two_folds_have_an_interval_and_one_has_none():
    two = lead([[0.9, 0.1], [0.5, 0.5]])
    assert (two.low.tolist(), two.high.tolist()) == ([1, 1], [2, 2])  # 1.5 ± 6.4, cut to the ranks there are
    one = lead([[0.9], [0.5]])
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


def test_the_rho_that_is_found_has_the_power_it_promises():
    # By Fisher's z: the share of studies above the threshold of a two-sided test at .05.
    for n, power in ((4, 0.8), (12, 0.8), (12, 0.9), (60, 0.5)):
        shift = np.arctanh(detectable_rho(n, power=power)) / math.sqrt(1.06 / (n - 3))
        assert norm.sf(norm.isf(0.025) - shift) == pytest.approx(power)
    assert detectable_rho(12) == detectable_rho(12, power=0.8)
    assert math.isnan(detectable_rho(3)) and not math.isnan(detectable_rho(4))


@given(tables)
@settings(max_examples=60, deadline=None)
def test_those_too_close_to_the_leader_are_those_of_scipys_wilcoxon(table):
    found, ranking = lead(table, alpha=0.3), rank_models(table)
    best = int(np.argsort(ranking.mean, kind="stable")[0])
    others = [int(model) for model in np.argsort(ranking.mean, kind="stable")[1:]]
    values = []
    for other in others:
        d = np.round(table[best] - table[other], 9)
        kept = d[d != 0]
        ranks = rankdata(np.abs(kept))
        ahead = ranks[kept > 0].sum() > ranks[kept < 0].sum()
        assume(len(kept) == 0 or len(set(np.abs(kept))) == len(kept))  # scipy is exact without ties alone
        values.append(float(wilcoxon(kept, method="exact").pvalue) if ahead else 1.0)
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(1, np.maximum.accumulate([(len(values) - i) * values[j] for i, j in enumerate(order)]))
    alone = all(value <= 0.3 for value in values)
    close = [] if alone else [other for other, p in zip(others, adjusted, strict=True) if p > 0.3]
    assert found.models == (best, *close)


def test_a_model_without_scores_leads_nothing_and_one_alone_leads():
    nan = math.nan
    assert lead([[nan, nan], [0.1, 0.2]]).models == (1,)
    assert lead([[0.2, 0.3], [0.2, 0.3]]).models == (0, 1)


@pytest.mark.parametrize("alpha", [0.25, 0.9])
def test_who_leads_follows_scipys_signed_ranks_and_holm(alpha):
    rng = np.random.default_rng(int(100 * alpha))
    sizes = set()
    for _ in range(6):
        table = rng.normal(size=(4, 8)) + np.array([1.0, 0.8, 0.4, 0.0])[:, None] * rng.random()
        table[rng.integers(0, 4), 5] = np.nan  # this fold counts for nobody
        rows = np.delete(table, 5, axis=1)
        means = rankdata(-rows, axis=0).mean(axis=1)
        first, *others = np.argsort(means, kind="stable").tolist()
        p = []
        for other in others:
            d = rows[first] - rows[other]
            ahead = rankdata(np.abs(d))[d > 0].sum() > 7 * 8 / 4
            p.append(wilcoxon(d, method="exact").pvalue if ahead else 1.0)
        found = lead(table, alpha=alpha).models
        if max(p) <= alpha:
            assert found == (first,)
        else:
            close = multipletests(p, method="holm")[1] > alpha
            assert found == (first, *(other for other, near in zip(others, close, strict=True) if near))
        sizes.add(len(found))
    assert len(sizes) > 1, "both a winner and a tie were seen"


def test_a_p_at_alpha_is_significant_alone_and_after_holm():
    base = np.arange(6) / 10
    tied = base + [0.01, -0.01] * 3
    assert lead([base, base - 0.1, tied], alpha=4 / 2**6).models == (0, 2), "twice 2/2⁶ is no more than alpha"
    assert lead([base, base - 0.1, tied], alpha=3.9 / 2**6).models == (0, 2, 1)
    assert lead([base, base - 0.1, base - 0.2], alpha=2 / 2**6).winner == 0, "one claim on all needs no correction"


def test_the_best_mean_rank_does_not_lead_a_model_that_beats_it():
    # B is ahead of A in seven folds of eight, but far behind everybody else in the eighth, by little.
    others = [np.r_[np.full(7, 0.1 - 0.001 * each), 0.5] for each in range(8)]
    a, b = np.r_[np.full(7, 0.6), 0.51], np.r_[0.7 + np.arange(7) / 100, 0.499]
    assert lead([a, b, *others]).models[:2] == (0, 1)


@pytest.mark.parametrize(("won", "leads"), [((8, 7, 2), (0, 1)), ((8, 7, 4), (0,))])
def test_ahead_is_more_than_half_of_the_sum_of_ranks(won, leads):
    # A is first or just behind B, and where A is first B is last of all: 17 or 19 of the 36 ranks are A's.
    size = np.arange(1, 9) / 100
    d = np.where(np.isin(np.arange(1, 9), won), size, -size)
    b = np.full(8, 0.5)
    between = [np.where(d > 0, d * each / 9, -0.1) for each in range(1, 9)]
    assert lead([b + d, b, *(b + each for each in between)], alpha=0.96).models == leads


def test_a_fold_that_one_model_lacks_is_in_no_deviation():
    nan = float("nan")
    whole = [[0.9, 0.2, 0.7, 0.4], [0.1, 0.3, 0.2, 0.8]]
    missing = [[*row[:2], cell, *row[2:]] for row, cell in zip(whole, (0.5, nan), strict=True)]
    assert rank_models(missing).sd.tolist() == rank_models(whole).sd.tolist()
    assert rank_models(missing).sd[0] == np.std([1, 2, 1, 2], ddof=1)
