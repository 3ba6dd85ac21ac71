"""t-tests, weighted and of equivalence: worked values, scipy and statsmodels as oracles, no evidence without spread."""

import math
import warnings
from importlib import import_module
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import t
from statsmodels.stats.weightstats import ttost_paired

from core.errors import SettingError
from core.statistics import (
    TESTS,
    bootstrap_mean,
    corrected_t,
    equivalence,
    macro_rank_t,
    macro_t,
    mean_effect,
    weighted_summary,
    weighted_t,
)
from core.statistics.significance import ROUNDING
from core.statistics.t_tests import EQUIVALENCE, paired_t, paired_t_rows, student, unpaired_t, unpaired_t_rows

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
    assert t.effect_name == "mean difference over the categories that differ"
    assert ranked.effect_name == "mean difference of ranks over the categories that differ"
    assert (paired_t(A, B).effect, paired_t(A, B).n) == (pytest.approx(0.0625), 8)
    assert unpaired_t([0.8, 0.6], [0.5, 0.4, 0.3]).effect == pytest.approx(0.3)


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
    assert "values vary" in unpaired_t([0.5, 0.5], [0.4, 0.4]).problem
    assert "each system needs two" in unpaired_t([0.5], [0.4, 0.3]).problem
    assert "each system needs two" in unpaired_t([0.5, 0.4], [0.4]).problem
    assert "two or more" in macro_t([0.5, 0.1], [0.4, 0.1]).problem
    assert (macro_t(A, A).n, paired_t(A, A).n) == (0, 8)
    assert unpaired_t([0.5, 0.5], [0.4, 0.3]).p is not None
    assert (paired_t([0.5], [0.4, 0.3]).n, macro_t([0.5], [0.4, 0.3]).n) == (0, 0)


def test_a_spread_or_a_difference_of_a_trillionth_of_the_largest_value_is_none():
    """Beside 10¹² a 1 is rounding and a 2 is not."""
    trillion = 1e12
    assert "needs some variation" in paired_t([trillion, 5.0], [trillion - 7, -1.0]).problem  # differences of 7 and 6
    assert paired_t([trillion, 6.0], [trillion - 7, 1.0]).p is not None  # of 7 and 5
    for second, winner in ((-4.0, 0), (-2.0, 1)):  # the mean of 6 and −4 is 1, that of 6 and −2 is 2
        assert paired_t([trillion, second], [trillion - 6, 0.0]).direction == winner
    assert "values vary" in unpaired_t([trillion, trillion + 1], [5.0, 5.0]).problem
    assert "values vary" in unpaired_t([5.0, 5.0], [trillion, trillion + 1]).problem
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


SCALE = 13.0


def test_equal_weights_are_the_paired_t_test():
    one, two = weighted_t(A, B, weights=[7] * 8), paired_t(A, B)
    assert (one.n, one.direction, one.verdict) == (two.n, two.direction, two.verdict)
    assert (one.statistic, one.p, one.effect) == pytest.approx((two.statistic, two.p, two.effect))
    assert one.interval == pytest.approx(two.interval)


def test_the_worked_values():
    """x = .9 .8 .5 with 100, 50, 50 documents: mean .775, standard error .126984 (METHODS, worked example)."""
    found = weighted_t([0.9, 0.8, 0.5], [0, 0, 0], weights=[100, 50, 50])
    assert found.effect == pytest.approx(0.775)
    assert found.statistic == pytest.approx(0.775 / 0.126984, rel=1e-5)
    assert found.n == 3
    from scipy.stats import t

    assert found.p == pytest.approx(2 * t.sf(0.775 / 0.126984, 2), rel=1e-4)
    summary = weighted_summary([0.9, 0.8, 0.5], [100, 50, 50])
    assert found.interval == pytest.approx((0.775 - t.ppf(0.975, 2) * summary.se, 0.775 + t.ppf(0.975, 2) * summary.se))


def test_it_is_the_regression_on_a_constant_with_these_weights():
    """Least squares with weights w has the same mean; its variance is σ̂²/Σw, ours σ²·V2: they meet where w is equal."""
    import statsmodels.api as sm

    d = np.subtract(A, B)
    fitted = sm.WLS(d, np.ones(8), weights=[3, 9, 1, 4, 4, 2, 8, 5]).fit()
    assert weighted_t(A, B, weights=[3, 9, 1, 4, 4, 2, 8, 5]).effect == pytest.approx(fitted.params[0])


def test_scale_order_and_sides_do_not_matter():
    weights = np.array([3, 9, 1, 4, 4, 2, 8, 5])
    found = weighted_t(A, B, weights=weights)
    again = weighted_t(A[::-1], B[::-1], weights=10 * weights[::-1])
    assert (again.p, again.statistic) == pytest.approx((found.p, found.statistic))
    mirrored = weighted_t(B, A, weights=weights)
    assert (mirrored.p, mirrored.effect, mirrored.direction) == pytest.approx(
        (found.p, -found.effect, -found.direction)
    )


def test_topics_without_documents_or_scores_do_not_count():
    found = weighted_t(A, B, weights=[5] * 8)
    more = weighted_t([*A, 0.9, math.nan], [*B, 0.1, 0.2], weights=[5] * 8 + [0, 50])
    assert (more.n, more.p) == (8, pytest.approx(found.p))


@pytest.mark.parametrize(
    ("a", "b", "weights", "n", "sentence"),
    [
        (A, A, [1] * 8, 8, "equal in all 8"),
        (A, B, [1] * 7, 0, "7 weights for 8 rows; give each row"),
        (A, B, [-1] * 8, 0, "weights are numbers of documents"),
        (A, B, [-1] + [1] * 7, 0, "weights are numbers of documents"),
        (A, B, [1] + [0] * 7, 1, "Only one row"),
        (A, B, [0] * 8, 0, "No row with a value for both has documents"),
        ([0.5, 0.6], [0.4, 0.5], [1, 3], 2, "needs some variation"),
        ([], [], [], 0, "No row has a value"),
    ],
)
def test_what_cannot_be_judged_says_why(a, b, weights, n, sentence):
    found = weighted_t(a, b, weights=weights)
    assert sentence in found.problem and found.p is None and found.n == n


def test_rounding_is_neither_spread_nor_difference_and_grows_with_the_scores():
    assert "needs some variation" in weighted_t([1000, 1000 + 5e-10], [999, 999], weights=[1, 3]).problem
    found = weighted_t([1001 + 6e-10, 1000], [1000, 1001], weights=[1, 1])
    assert (found.effect, found.direction, found.p) == (0, 0, 1)
    # Exactly as large as rounding may be: the last row, which does not count, sets the scale.
    least = ROUNDING * SCALE
    assert least + 2 * least == 3 * least and 3 * least - 2 * least == least
    assert "needs some variation" in weighted_t([2 * least, 3 * least, SCALE], [0, 0, SCALE], weights=[1, 1, 0]).problem
    found = weighted_t([4 * least, 0, SCALE], [0, 2 * least, SCALE], weights=[1, 1, 0])
    assert (found.effect, found.direction) == (0, 0)


def test_it_stands_among_the_tests():
    assert TESTS["weighted_t"].sides == 2
    assert TESTS["weighted_t"].needs_weights and TESTS["weighted_t"].error_rate == "nominal"


D = np.array([0.01, -0.02, 0.00, 0.03, -0.01, 0.02])


def test_worked_example():
    found = equivalence(0.7 + D, np.full(6, 0.7), names=("SVM", "kNN"))
    assert found.p == pytest.approx(0.001001, abs=5e-7)
    assert (found.verdict, found.n, found.claim) == ("=", 6, "equality")
    assert found.effect == pytest.approx(0.005)
    assert found.interval_90 == pytest.approx((-0.01039, 0.02039), abs=5e-6)
    assert equivalence(0.7 + D, np.full(6, 0.7), margin=0.01).verdict == "~"


@given(st.integers(0, 10_000), st.integers(2, 40), st.floats(-0.2, 0.2), st.floats(0.001, 0.3))
@settings(deadline=None, max_examples=60)
def test_statsmodels_agrees(seed, n, shift, margin):
    rng = np.random.default_rng(seed)
    a = rng.random(n)
    b = a + shift + rng.normal(0, 0.05, n)
    found = equivalence(a, b, margin=margin)
    p, *_ = ttost_paired(a, b, -margin, margin)
    assert found.p == pytest.approx(p, abs=1e-9)
    assert found.verdict == ("=" if p <= 0.05 else "~")
    assert equivalence(a, b, margin=2 * margin).p <= found.p + 1e-12, "a wider margin is easier to keep within"


def test_equality_is_rarely_claimed_of_systems_that_differ_by_the_margin():
    rng = np.random.default_rng(0)
    base = np.full(24, 0.7)
    claims = [equivalence(base + rng.normal(0.05, 0.08, 24), base).verdict == "=" for _ in range(1_000)]
    assert np.mean(claims) <= 0.07
    close = [equivalence(base + rng.normal(0.0, 0.08, 24), base).verdict == "=" for _ in range(1_000)]
    assert np.mean(close) > 0.8


def test_what_cannot_be_judged():
    assert "All 3 differences are 0.1" in equivalence([0.5, 0.6, 0.7], [0.4, 0.5, 0.6]).problem
    assert "Only one row" in equivalence([0.5], [0.4]).problem
    assert "equal in all 2" in equivalence([0.5, 0.1], [0.5, 0.1]).problem
    two = equivalence([0.5, 0.6], [0.4, 0.5])
    assert "All 2 differences are 0.1" in two.problem and two.n == 2
    other = equivalence([0.5, 0.6, 0.7], [0.4])
    assert "cannot be matched" in other.problem and (other.n, other.p) == (0, None)
    for margin in (0, -0.1, float("nan"), float("inf")):
        with pytest.raises(SettingError, match="margin"):
            equivalence([0.5, 0.6], [0.4, 0.6], margin=margin)


def test_the_interval_is_students_at_95_percent():
    found = equivalence(0.7 + D, np.full(6, 0.7))
    half = t.ppf(0.975, 5) * D.std(ddof=1) / np.sqrt(6)
    assert found.interval == pytest.approx((D.mean() - half, D.mean() + half))
    assert found.statistic == pytest.approx((0.05 - abs(D.mean())) / (D.std(ddof=1) / np.sqrt(6)))
    assert (found.sides, EQUIVALENCE.takes_margin) == (1, True)


def test_the_level_itself_counts(monkeypatch):
    p = equivalence(0.7 + D, np.full(6, 0.7)).p
    for level in (p, np.nextafter(p, 0)):
        for module in ("t_tests", "significance"):
            monkeypatch.setattr(import_module(f"core.statistics.{module}"), "SOME", level)
        assert equivalence(0.7 + D, np.full(6, 0.7)).verdict == ("=" if level == p else "~")


@pytest.mark.parametrize(("shift", "direction"), [(0.01, 1), (-0.01, -1), (0.0, 0)])
def test_the_direction_is_the_sign_of_the_mean(shift, direction):
    even = np.array([0.02, -0.02, 0.01, -0.01])
    assert equivalence(0.5 + even + shift, np.full(4, 0.5)).direction == direction


def test_what_is_rounding_grows_with_the_scores():
    """Of scores of a million a difference of a ten-millionth is rounding, and so is a spread of as much."""
    base = np.full(4, 1e6)
    wide = np.array([0.5, -0.5, 0.25, -0.25])
    assert equivalence(base + wide + 2e-7, base).direction == 0
    assert equivalence(base + wide + 2e-5, base).direction == 1
    assert "needs some variation" in equivalence(base + 0.5 + 1e-7 * np.arange(4), base).problem
    assert equivalence(base + 0.5 + 1e-5 * np.arange(4), base).problem == ""


@pytest.mark.parametrize("n", [8, 12, 24])
def test_the_interval_of_a_mean_covers_it_as_often_as_it_says(n):
    rng = np.random.default_rng(n)
    covered = 0
    for trial in range(400):
        low, high = bootstrap_mean(rng.normal(size=n), seed=trial)
        covered += low <= 0 <= high
    assert 0.92 <= covered / 400 <= 0.98
    assert all(isnan(end) for end in bootstrap_mean(np.linspace(0.1, 0.2, 7)))


def test_the_t_interval_and_p_are_those_of_scipy():
    values = np.array([0.1, nan, 0.3, -0.05, 0.2, 0.0])
    known = values[~np.isnan(values)]
    found, expected = mean_effect(values), stats.ttest_1samp(known, 0.0)
    interval = expected.confidence_interval(0.95)
    assert (found.mean, found.low, found.high, found.p) == pytest.approx(
        (known.mean(), interval.low, interval.high, expected.pvalue)
    )
    assert found.units == 5 and isnan(found.bootstrap_low)


@pytest.mark.parametrize("values", [[], [0.2], [0.1, 0.1, 0.1], [nan, nan]])
def test_too_few_or_equal_values_have_a_mean_and_no_interval(values):
    found = mean_effect(np.array(values))
    assert all(isnan(each) for each in (found.low, found.high, found.p, found.bootstrap_low))
    assert isnan(found.mean) == (np.isnan(values).all() if len(values) else True)


def test_two_values_have_an_interval_and_the_bootstrap_draws_with_seed_0():
    found, expected = mean_effect(np.array([0.1, 0.4])), stats.ttest_1samp([0.1, 0.4], 0.0)
    assert (found.p, found.low) == pytest.approx((expected.pvalue, expected.confidence_interval(0.95).low))
    values = np.array([0.1, 0.7, 0.2, -0.3, 0.5, 0.9, 0.4, 0.0, 1.3])
    ends = [bootstrap_mean(values, seed=seed) for seed in (0, 1)]
    assert bootstrap_mean(values) == ends[0] != ends[1]
    effect = mean_effect(values)
    assert (effect.bootstrap_low, effect.bootstrap_high) == ends[0]


def test_the_bootstrap_interval_is_the_expanded_percentile_interval_of_hesterberg():
    """Of values with the spread of few, its width is that of Student's t over √(1 − 1/n) of the bootstrap's own, but for chance."""
    values = np.array([0.1, 0.7, 0.2, -0.3, 0.5, 0.9, 0.4, 0.0])
    n = len(values)
    rng = np.random.default_rng(99)
    means = rng.choice(values, (200_000, n)).mean(axis=1)
    tail = stats.norm.cdf(-t.ppf(0.975, n - 1) / np.sqrt((n - 1) / n))
    expected = np.quantile(means, [tail, 1 - tail])
    found = np.mean([bootstrap_mean(values, seed=seed) for seed in range(40)], axis=0)
    np.testing.assert_allclose(found, expected, atol=0.006)
