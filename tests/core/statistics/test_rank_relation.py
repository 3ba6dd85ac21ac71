"""Rank relation: SciPy as an oracle, invariance under monotone transforms, and silence where too little is known."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, spearmanr

from core.errors import SettingError
from core.statistics import rank_relation

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
    assert rank_relation(x, y, resamples=4_000).p == pytest.approx(expected, abs=0.02)


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
    kept = [row for row in range(12) if row not in (1, 4, 7)]
    assert rank_relation(holes_x, holes_y) == rank_relation(x[kept], y[kept])
    assert rank_relation(holes_x, holes_y).n == 9


def test_too_few_points_or_no_variation_say_nothing():
    for n in range(4):
        found = rank_relation(np.arange(n), np.arange(n))
        assert found.n == n and silent(found)
    assert silent(rank_relation(np.arange(9.0), np.ones(9)))
    assert silent(rank_relation(np.full(9, np.nan), np.arange(9.0)))
    assert rank_relation(np.arange(4.0), np.arange(4.0)).p == pytest.approx(2 / 24)


def test_the_seed_decides_and_the_straight_line_is_least_squares():
    rng = np.random.default_rng(1)
    x = rng.random(15)
    y = 2 * x + 1 + rng.normal(scale=0.1, size=15)
    assert rank_relation(x, y, seed=4) == rank_relation(x, y, seed=4)
    assert rank_relation(x, y, seed=4).low != rank_relation(x, y, seed=5).low
    found = rank_relation(x, y)
    slope, intercept = np.polyfit(x, y, 1)
    assert found.slope == pytest.approx(slope) and found.intercept == pytest.approx(intercept)


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
