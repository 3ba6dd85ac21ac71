"""Ranks and their stability: scipy as an oracle, and what happens to folds that rank nothing."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr, ttest_ind

from core.errors import SettingError
from core.statistics import compare_setups, rank_models, stability


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
    np.testing.assert_equal(ranking.ranks, [[nan, 2, nan], [2, 1, nan], [1, 3, nan]])
    np.testing.assert_equal(ranking.mean, [2, 1.5, 2])
    assert math.isnan(ranking.sd[0])
    assert ranking.sd[1] == pytest.approx(math.sqrt(0.5))
    assert np.isnan(rank_models([[nan], [nan]]).mean).all()


@given(tables)
@settings(max_examples=40, deadline=None)
def test_stability_is_the_mean_of_scipys_rho_over_pairs_of_folds(table):
    flat = (table == table[0]).all(axis=0)
    assume((~flat).sum() > 1)
    found = stability(table)
    rhos = [spearmanr(table[:, a], table[:, b]).statistic for a, b in combinations(np.flatnonzero(~flat), 2)]
    assert found.mean == pytest.approx(np.mean(rhos), abs=1e-12)
    assert found.excluded == flat.sum()
    assert found.folds == (~flat).sum()
    assert ("do not rank the models" in found.note) == flat.any()
    assert np.isnan(found.rho[flat]).all()


@given(tables, st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_stability_depends_on_order_of_scores_alone(table, seed):
    rng = np.random.default_rng(seed)
    shuffled = table[rng.permutation(len(table))][:, rng.permutation(table.shape[1])]
    np.testing.assert_allclose(stability(shuffled**3 * 5 + 1).mean, stability(table).mean, atol=1e-12)


def test_agreeing_and_reversed_folds_are_the_extremes():
    table = np.array([[0.9, 0.6], [0.8, 0.5], [0.1, 0.4]])
    assert stability(table).mean == pytest.approx(1)
    assert stability(np.column_stack([table[:, 0], -table[:, 0]])).mean == pytest.approx(-1)


def test_folds_that_rank_nothing_are_left_out_and_counted():
    nan = float("nan")
    found = stability([[0.9, 0.5, 0.8, nan], [0.7, 0.5, 0.6, 0.3]])
    assert (found.mean, found.folds, found.excluded) == (1, 2, 2)
    assert found.note.startswith("2 of 4 folds")
    assert math.isnan(stability([[0.9, 0.5], [0.7, 0.5]]).mean)  # one fold left: no pair
    assert math.isnan(stability([[0.9, 0.5, 0.1]]).mean)  # one model: nothing to rank


@given(st.integers(0, 1_000), st.integers(2, 12), st.integers(2, 12))
@settings(max_examples=40, deadline=None)
def test_setups_are_compared_by_scipys_unpaired_t(seed, folds_a, folds_b):
    rng = np.random.default_rng(seed)
    a, b = rng.random(folds_a), rng.random(folds_b)
    found = compare_setups({"auc": a, "only here": a}, {"auc": [*b, float("nan")]})
    assert list(found) == ["auc"]
    expected = ttest_ind(a, b)
    assert found["auc"].statistic == pytest.approx(expected.statistic)
    assert found["auc"].p == pytest.approx(expected.pvalue)
    assert found["auc"].difference == pytest.approx(a.mean() - b.mean())
    assert (found["auc"].folds_a, found["auc"].folds_b) == (folds_a, folds_b)


@pytest.mark.parametrize(("a", "b"), [([0.5], [0.4, 0.3]), ([0.3, 0.1 + 0.2], [0.4, 0.4]), ([], [0.1, 0.2])])
def test_setups_without_spread_or_folds_have_no_test(a, b):
    found = compare_setups({"F1": a}, {"F1": b})["F1"]
    assert math.isnan(found.statistic) and math.isnan(found.p)


def test_a_table_is_needed():
    for scores in ([0.1, 0.2], np.zeros((0, 3))):
        with pytest.raises(SettingError, match="a row a model and a column a fold"):
            stability(scores)
