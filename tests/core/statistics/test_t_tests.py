"""t-tests of one pair of systems and row by row: worked values, scipy as the oracle, no evidence without spread."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from core.errors import SettingError
from core.statistics import TESTS, corrected_t, macro_rank_t, macro_t
from core.statistics.t_tests import paired_t, paired_t_rows, student, unpaired_t, unpaired_t_rows

A = [0.80, 0.75, 0.90, 0.60, 0.55, 0.70, 0.85, 0.40]
B = [0.70, 0.75, 0.85, 0.65, 0.40, 0.60, 0.80, 0.30]
grids = st.tuples(st.integers(1, 6), st.integers(2, 60), st.integers(2, 60), st.integers(1, 20), st.integers(0, 999))


def rows(grid):
    """Two tables of scores on a coarse grid, so that equal scores, equal differences and constant rows all occur."""
    trials, columns_a, columns_b, steps, seed = grid
    rng = np.random.default_rng(seed)
    return tuple(rng.integers(0, steps, (trials, columns)) / 10 for columns in (columns_a, columns_b))


@given(grids)
@settings(deadline=None, max_examples=60)
def test_rows_equal_scipys(grid):
    a, b = rows(grid)
    paired = a[:, : b.shape[1]], b[:, : a.shape[1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy's, where one side does not vary
        varies = np.ptp(np.round(paired[0] - paired[1], 9), axis=1) > 0
        t, p = paired_t_rows(*paired)
        expected = stats.ttest_rel(paired[0][varies], paired[1][varies], axis=1)
        np.testing.assert_allclose(t[varies], expected.statistic, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(p[varies], expected.pvalue, rtol=1e-9, atol=1e-9)
        assert np.isnan(p[~varies]).all() and np.isnan(t[~varies]).all()
        varies = (np.ptp(a, axis=1) > 0) | (np.ptp(b, axis=1) > 0)
        t, p = unpaired_t_rows(a, b)
        expected = stats.ttest_ind(a[varies], b[varies], axis=1)
        np.testing.assert_allclose(t[varies], expected.statistic, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(p[varies], expected.pvalue, rtol=1e-9, atol=1e-9)
        assert np.isnan(p[~varies]).all() and np.isnan(t[~varies]).all()


@given(grids)
@settings(deadline=None, max_examples=60)
def test_one_pair_is_one_row(grid):
    a, b = (table[0] for table in rows(grid))
    both = min(len(a), len(b))
    t, p = paired_t_rows(a[None, :both], b[None, :both])
    found = paired_t(a[:both], b[:both])
    assert (found.p is None) == bool(np.isnan(p[0]))
    if found.p is not None:
        assert (found.statistic, found.p) == pytest.approx((t[0], p[0]), abs=1e-9)
        assert found.interval == pytest.approx(
            tuple(stats.ttest_rel(a[:both], b[:both]).confidence_interval()), abs=1e-9
        )
    t, p = unpaired_t_rows(a[None], b[None])
    found = unpaired_t(a, b)
    assert (found.p is None) == bool(np.isnan(p[0]))
    if found.p is not None:
        assert (found.statistic, found.p) == pytest.approx((t[0], p[0]), abs=1e-9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            interval = stats.ttest_ind(a, b).confidence_interval()
        assert found.interval == pytest.approx(tuple(interval), abs=1e-9)
        assert found.n == len(a) + len(b)


def test_scores_that_do_not_vary_have_no_p():
    flat, ones = np.zeros((1, 10)), np.ones((1, 10))
    for test in (paired_t_rows, unpaired_t_rows):
        assert np.isnan(test(flat, flat)).all()
        assert np.isnan(test(flat, ones)).all()  # a constant difference: t would be infinite
    third = np.full((1, 10), 0.1 + 0.2)
    third[0, 0] = 0.3
    assert np.isnan(paired_t_rows(third, np.full((1, 10), 0.3) - 1)).all()
    assert np.isnan(unpaired_t_rows(third, third)).all()


@pytest.mark.parametrize("test", [paired_t_rows, unpaired_t_rows])
def test_rows_are_symmetric_and_shifts_change_nothing(test):
    rng = np.random.default_rng(3)
    a, b = (rng.integers(0, 9, (60, 10)) * 1.0 for _ in range(2))
    np.testing.assert_allclose(test(a, b)[0], -test(b, a)[0])
    np.testing.assert_allclose(test(a, b)[1], test(b, a)[1])
    np.testing.assert_allclose(test(a + 2, b + 2), test(a, b), atol=1e-9)
    np.testing.assert_allclose(test(a / 30, b / 30), test(a, b), atol=1e-9)  # ties survive rates that are not exact


def test_students_law_and_the_normal_one():
    assert student(2.0, 4.0, 5) == (1.0, pytest.approx(2 * stats.t.sf(1, 5)))
    assert student(-2.0, 1.0, math.inf) == (-2.0, pytest.approx(2 * stats.norm.sf(2)))


def test_worked_macro_t_tests():
    t, ranked = macro_t(A, B), macro_rank_t(A, B)
    assert (t.n, t.verdict, ranked.n, ranked.verdict) == (7, ">", 7, ">")
    assert (t.sides, ranked.sides, paired_t(A, B).sides, unpaired_t(A, B).sides) == (1, 1, 2, 2)
    assert (t.statistic, t.p) == pytest.approx((2.970443, 0.012472), abs=5e-7)
    assert (ranked.statistic, ranked.p) == pytest.approx((2.661197, 0.018732), abs=5e-7)
    assert t.reading.startswith("Mean difference over the categories that differ +0.07143 (n = 7): ")
    assert ranked.effect_name == "mean difference of ranks over the categories that differ"
    assert paired_t(A, B).reading.startswith("Mean difference +0.0625 (n = 8): ")
    assert unpaired_t([0.8, 0.6], [0.5, 0.4, 0.3]).reading.startswith("Means 0.7 of 2 values and 0.4 of 3: ")


@pytest.mark.parametrize("n", [2, 39, 40, 41, 60])
def test_macro_tests_take_the_normal_law_above_forty_categories(n):
    rng = np.random.default_rng(n)
    a, b = rng.random(n) + 0.1, rng.random(n)
    found = macro_t([*a, 0.5], [*b, 0.5])
    statistic = stats.ttest_1samp(a - b, 0).statistic
    law = stats.norm() if n > 40 else stats.t(n - 1)
    assert (found.n, found.symbol) == (n, "Z" if n > 40 else "t")
    assert (found.statistic, found.p) == pytest.approx((statistic, law.sf(abs(statistic))))
    half = law.ppf(0.975) * (a - b).std(ddof=1) / math.sqrt(n)
    assert found.interval == pytest.approx(((a - b).mean() - half, (a - b).mean() + half))


def test_ranks_are_over_both_systems_together():
    a, b = np.array([0.9, 0.4, 0.4, 0.8]), np.array([0.1, 0.4, 0.2, 0.9])
    ranks = stats.rankdata(np.concatenate([a, b]))
    d = (ranks[:4] - ranks[4:])[[0, 2, 3]]  # the second row ties
    found = macro_rank_t(a, b)
    assert (found.n, found.statistic) == (3, pytest.approx(stats.ttest_1samp(d, 0).statistic))
    assert found.effect == pytest.approx(d.mean())


def test_the_corrected_test_widens_and_needs_sizes():
    plain, wide = paired_t(A, B), corrected_t(A, B, train=90, test=10)
    d = np.array(A) - np.array(B)
    expected = d.mean() / math.sqrt((1 / 8 + 10 / 90) * d.var(ddof=1))
    assert wide.statistic == pytest.approx(expected)
    assert wide.p == pytest.approx(2 * stats.t.sf(expected, 7))
    assert wide.p > plain.p
    assert wide.sides == 2
    assert wide.interval[0] < plain.interval[0]
    assert corrected_t(A, B, train=0.9, test=0.1).p == pytest.approx(wide.p)  # shares do as well as numbers
    assert [name for name, test in TESTS.items() if test.needs_sizes] == ["corrected_t"]
    for sizes in ({"train": 0, "test": 10}, {"train": 10, "test": 0}):
        with pytest.raises(SettingError, match="both must be above 0"):
            corrected_t(A, B, **sizes)


def test_no_spread_is_no_evidence_for_a_t_test():
    a, b = [0.8, 0.7, 0.6], [0.7, 0.6, 0.5]
    assert "All 3 differences are 0.1" in macro_t(a, b).problem
    assert "All 3 differences are 0.1" in paired_t(a, b).problem
    assert "no spread" in unpaired_t([0.5, 0.5], [0.4, 0.4]).problem
    assert "each system needs two" in unpaired_t([0.5], [0.4, 0.3]).problem
    assert "each system needs two" in unpaired_t([0.5, 0.4], [0.4]).problem
    assert "two or more" in macro_t([0.5, 0.1], [0.4, 0.1]).problem
    assert (macro_t(A, A).n, paired_t(A, A).n) == (0, 8)
    assert unpaired_t([0.5, 0.5], [0.4, 0.3]).p is not None
    assert (paired_t([0.5], [0.4, 0.3]).n, macro_t([0.5], [0.4, 0.3]).n) == (0, 0)


def test_a_spread_or_a_difference_of_a_trillionth_of_the_largest_value_is_none():
    """Beside 10¹² a 1 is rounding and a 2 is not."""
    trillion = 1e12
    assert "without spread" in paired_t([trillion, 5.0], [trillion - 7, -1.0]).problem  # differences of 7 and 6
    assert paired_t([trillion, 6.0], [trillion - 7, 1.0]).p is not None  # of 7 and 5
    for second, winner in ((-4.0, 0), (-2.0, 1)):  # the mean of 6 and −4 is 1, that of 6 and −2 is 2
        assert paired_t([trillion, second], [trillion - 6, 0.0]).direction == winner
    assert "no spread" in unpaired_t([trillion, trillion + 1], [5.0, 5.0]).problem
    assert "no spread" in unpaired_t([5.0, 5.0], [trillion, trillion + 1]).problem
    large, small = [trillion, 1.0, -trillion], [1.0, 0.0, -1.0]  # means of ⅓ and 0
    assert unpaired_t(large, small).direction == unpaired_t(small, large).direction == 0


def test_differences_that_cancel_name_no_winner():
    a, b = [0.1 + 0.2, 0.0], [0.0, 0.3]
    for test in (paired_t, unpaired_t, macro_t):
        found = test(a, b)
        assert (found.direction, found.effect, found.statistic) == (0, 0.0, 0.0)
    assert paired_t(a, b).p == 1.0
    assert macro_t(a, b).p == 0.5


def test_three_categories_are_never_strong_evidence_however_even_their_ranks():
    a, b = np.array([0.9, 0.8, 0.7, 0.5, 0.5]), np.array([0.6, 0.52, 0.41, 0.5, 0.5])
    for found in (macro_t(a, b), macro_rank_t(a, b)):
        assert found.statistic is not None and found.statistic > 3 and found.p == 0.125 and found.verdict == "~"


@pytest.mark.parametrize("n", [3, 6, 7, 12])
def test_of_fewer_than_seven_categories_no_p_is_below_that_of_their_signs(n):
    nearly_equal = 0.1 + 1e-6 * np.arange(n)
    found = macro_t(nearly_equal, np.zeros(n))
    assert found.p == 0.5**n if n < 7 else found.p < 0.5**n / 100
