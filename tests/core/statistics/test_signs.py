"""Sign tests, the test of two proportions and intervals of a share: worked values, scipy and statsmodels as oracles, exact up to twelve."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint, proportions_ztest

from core.errors import SettingError
from core.statistics import macro_sign, micro_sign, proportions, wilson
from core.statistics.signs import accuracies, exact_share, sign_test

A = [0.80, 0.75, 0.90, 0.60, 0.55, 0.70, 0.85, 0.40]
B = [0.70, 0.75, 0.85, 0.65, 0.40, 0.60, 0.80, 0.30]


def test_worked_sign_tests():
    assert sign_test(38, 60) == pytest.approx((2.065591, 0.019434), abs=1e-6)
    a, b = [1] * 38 + [0] * 22 + [1] * 9, [0] * 38 + [1] * 22 + [1] * 9
    result = micro_sign(a, b)
    assert (result.n, result.symbol, result.verdict) == (60, "Z", ">")
    assert result.p == pytest.approx(0.019434, abs=5e-7)
    macro = macro_sign(A, B)
    assert (macro.n, macro.statistic, macro.symbol, macro.p, macro.verdict) == (7, 6, "k", 0.0625, "~")
    assert macro.effect == pytest.approx(6 / 7)
    assert macro.interval == pytest.approx(tuple(stats.binomtest(6, 7).proportion_ci(0.95, method="exact")))
    assert macro.reading.startswith("A is ahead of B in 6 of the 7 categories in which they differ: ")
    assert result.reading.startswith("A is right where B is wrong in 38 of the 60 decisions in which they differ: ")
    assert macro.effect_name == "share of the differing categories won by A"


def test_the_binomial_law_holds_up_to_twelve_and_the_normal_one_from_thirteen():
    """12 of 12 and 13 of 13: the exact tails are 2⁻¹² and 2⁻¹³, the normal ones .00027 and .00016."""
    assert sign_test(12, 12) == (12.0, pytest.approx(2**-12))
    assert sign_test(9, 12) == (9.0, pytest.approx(299 / 4096))
    z = 6.5 / (0.5 * math.sqrt(13))
    assert sign_test(13, 13) == pytest.approx((z, stats.norm.sf(z)))
    for n, symbol in ((12, "k"), (13, "Z")):
        assert micro_sign([1] * n, [0] * n).symbol == symbol
        assert macro_sign([0.9] * n + [0.5], [0.1] * n + [0.5]).symbol == symbol


@given(st.integers(1, 60), st.data())
def test_p_is_the_tail_toward_the_side_observed(n, data):
    k = data.draw(st.integers(0, n))
    statistic, p = sign_test(k, n)
    assert p == pytest.approx(sign_test(n - k, n)[1])
    if n <= 12:
        tail = stats.binomtest(k, n, alternative="greater" if 2 * k > n else "less").pvalue
        assert (statistic, p) == (k, pytest.approx(tail))
    else:
        assert statistic == pytest.approx((k - n / 2) / math.sqrt(n / 4))
        assert p == pytest.approx(stats.norm.sf(abs(statistic)))


def test_the_side_with_more_wins_is_ahead():
    for wins, direction in ((2, -1), (3, 0), (4, 1)):
        found = micro_sign([1] * wins + [0] * (6 - wins), [0] * wins + [1] * (6 - wins))
        assert (found.direction, found.sides) == (direction, 1)
        assert macro_sign([1] * wins + [0] * (6 - wins), [0.5] * 6).sides == 1


def test_equal_columns_have_nothing_to_judge():
    found = macro_sign(A, A, names=("x", "y"))
    assert (found.n, found.problem) == (0, "x and y do not differ in any of 8 categories.")
    assert micro_sign([1, 0], [1, 0]).problem == "A and B do not differ in any of 2 decisions."
    assert (micro_sign([1], [1, 0]).n, "cannot be matched" in micro_sign([1], [1, 0]).problem) == (0, True)


@pytest.mark.parametrize(("k", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(k, n):
    with pytest.raises(SettingError, match="choose n ≥ 1"):
        sign_test(k, n)


def test_worked_proportions():
    result = proportions(0.86, 3_000, 0.83, 3_000)
    assert result.statistic == pytest.approx(3.210500, abs=5e-7)
    assert result.verdict == "»"
    assert result.interval[0] < 0.03 < result.interval[1]
    assert result.effect == pytest.approx(0.03)
    assert (result.n, result.direction, result.sides, result.effect_name) == (6_000, 1, 1, "difference in share")
    assert result.reading.startswith("Share 0.8600 of 3,000 against 0.8300 of 3,000: ")


@given(st.integers(1, 500), st.integers(1, 500), st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None, max_examples=60)
def test_statsmodels_says_the_same_of_proportions(n_a, n_b, share_a, share_b):
    hits = round(share_a * n_a), round(share_b * n_b)
    mine = proportions(hits[0] / n_a, n_a, hits[1] / n_b, n_b)
    if 0 < sum(hits) < n_a + n_b:
        z = proportions_ztest(hits, (n_a, n_b))[0]
        assert mine.statistic == pytest.approx(z, abs=1e-9)
        n = n_a + n_b
        assert mine.p == pytest.approx(stats.t.sf(abs(z), n - 1) if n <= 40 else stats.norm.sf(abs(z)))
        interval = confint_proportions_2indep(hits[0], n_a, hits[1], n_b, method="newcomb", compare="diff")
        assert mine.interval == pytest.approx(tuple(interval), abs=1e-9)
        assert mine.interval[0] <= mine.effect + 1e-12
        assert mine.effect <= mine.interval[1] + 1e-12
    else:
        assert mine.p is None
        assert mine.problem


def test_forty_trials_are_few_and_forty_one_are_not():
    few, many = proportions(0.75, 20, 0.5, 20), proportions(0.75, 20, 10 / 21, 21)
    assert few.p == pytest.approx(stats.t.sf(few.statistic, 39))
    assert many.p == pytest.approx(stats.norm.sf(many.statistic))


def test_one_hit_or_one_miss_in_all_can_be_judged():
    assert proportions(1 / 50, 50, 0.0, 50).p == pytest.approx(stats.norm.sf(proportions_ztest((1, 0), (50, 50))[0]))
    assert proportions(1.0, 50, 49 / 50, 50).direction == 1
    assert proportions(0.0, 50, 0.0, 50).p is None
    assert proportions(1.0, 50, 1.0, 50).p is None


def test_accuracies_are_the_shares_of_right_decisions():
    found = accuracies([1, 1, 0, 1], [0, 1, 0, 0], names=("x", "y"))
    expected = proportions(0.75, 4, 0.25, 4, names=("x", "y"), measure="accuracy")
    assert found == expected
    assert accuracies([], [1]).problem == "A has no trials, so its accuracy is undefined."
    assert accuracies([1], []).problem == "B has no trials, so its accuracy is undefined."
    assert "nothing to tell them apart by" in accuracies([1], [1]).problem


@pytest.mark.parametrize(
    "choice",
    [(1.1, 5, 0.5, 5), (-0.1, 5, 0.5, 5), (0.5, 5, 1.1, 5), (0.5, 5, -0.1, 5), (0.5, -1, 0.5, 5), (0.5, 5, 0.5, -1)],
)
def test_impossible_shares_are_refused(choice):
    with pytest.raises(SettingError, match=r"shares lie in \[0, 1\]"):
        proportions(*choice)


def test_the_interval_of_a_share_is_exact():
    for n in (1, 5, 30):
        for k in range(n + 1):
            expected = stats.binomtest(k, n).proportion_ci(0.95, method="exact")
            assert exact_share(k, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (3, 10), (47, 1_000), (1, 1)])
def test_intervals_are_wilsons(successes, trials):
    expected = proportion_confint(successes, trials, method="wilson")
    np.testing.assert_allclose(wilson(successes, trials), expected, atol=1e-12)


def test_wilson_without_trials_says_nothing():
    assert wilson(0, 0) == (0.0, 1.0)
