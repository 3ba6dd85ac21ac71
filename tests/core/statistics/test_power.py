"""Weighted means, power, the variance theorems and the design effect: worked values, laws, simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import t
from statsmodels.stats.power import TTestIndPower, TTestPower

from core.errors import SettingError
from core.statistics import (
    correlated_variance,
    observed_variance,
    power,
    reliable_difference,
    smallest_difference,
    topics_needed,
    variance_shortfall,
    weighted_summary,
)
from core.statistics.power import design_effect, naive_type1


def test_the_papers_two_sets():
    assert smallest_difference(0.3388, 4) == pytest.approx(0.4655, abs=5e-5)
    assert smallest_difference(0.1631, 23) == pytest.approx(0.0808, abs=5e-5)
    # Schein et al. say that 7 points suffice for the second set; their own standard error asks for 31 topics.
    assert topics_needed(0.07, 0.1631, target_power=None) == 31
    assert topics_needed(0.0809, 0.1631, target_power=None) == 23


@given(st.floats(0, 3), st.integers(2, 200), st.sampled_from([1, 2]), st.booleans())
@settings(deadline=None, max_examples=60)
def test_statsmodels_says_the_same(effect, n, sides, paired):
    alternative = "larger" if sides == 1 else "two-sided"
    if paired:
        oracle = TTestPower().power(effect, n, 0.05, alternative=alternative)
    else:
        oracle = TTestIndPower().power(effect, n, 0.05, alternative=alternative)
    mine = float(power(effect * 0.2, 0.2, n, sides=sides, paired=paired))
    assert 0 <= mine <= 1
    if not np.isnan(oracle):  # statsmodels gives up where the other tail is too thin
        assert mine == pytest.approx(oracle, abs=1e-6)


def test_a_true_difference_of_the_just_significant_size_is_found_half_the_time():
    for sd, n in ((0.3388, 4), (0.1631, 23), (0.1, 200)):
        assert float(power(smallest_difference(sd, n), sd, n)) == pytest.approx(0.5, abs=0.04)


@given(st.floats(0.01, 0.5), st.floats(0.02, 0.5), st.floats(0.3, 0.95))
@settings(deadline=None, max_examples=30)
def test_topics_needed_is_the_least_that_suffices(difference, sd, target):
    n = topics_needed(difference, sd, target_power=target)
    assert float(power(difference, sd, n)) >= target
    if n > 2:
        assert float(power(difference, sd, n - 1)) < target


def test_more_topics_and_larger_differences_are_found_more_often():
    grid = np.linspace(0, 5, 50)
    curve = power(grid, 0.2, 10)
    assert (np.diff(curve) >= -1e-12).all()
    assert curve[0] == pytest.approx(0.05, abs=1e-9)
    assert curve[-1] == 1.0
    assert float(power(-9.0, 0.2, 10)) == 0.0
    assert smallest_difference(0.2, 40) < smallest_difference(0.2, 20)
    assert smallest_difference(0.2, 20, sides=2) > smallest_difference(0.2, 20)
    assert smallest_difference(0.2, 20, paired=True) < smallest_difference(0.2, 20)


@pytest.mark.parametrize("choice", [{}, {"sides": 2}, {"paired": True}, {"alpha": 0.01}])
@pytest.mark.parametrize("target", [0.5, 0.8, 0.99])
def test_a_reliable_difference_has_the_target_power(choice, target):
    found = reliable_difference(0.1631, 23, target_power=target, **choice)
    assert float(power(found, 0.1631, 23, **choice)) == pytest.approx(target, abs=1e-6)
    assert reliable_difference(0.1631, 23, **choice) == reliable_difference(0.1631, 23, target_power=0.8, **choice)


@pytest.mark.parametrize("choice", [{}, {"alpha": 0.001}, {"alpha": 1e-6}, {"sides": 2}, {"paired": True}])
@pytest.mark.parametrize("n", [2, 23])
def test_below_a_reliable_difference_the_power_is_less_and_above_it_more(n, choice):
    found = reliable_difference(0.2, n, **choice)
    below, above = power([found * 0.999, found * 1.001], 0.2, n, **choice)
    assert below < 0.8 < above
    for scale in (1e-6, 1e3):  # points or percents, whatever the unit
        assert reliable_difference(0.2 * scale, n, **choice) == pytest.approx(found * scale, rel=1e-6)


def test_topics_needed_takes_a_number_that_just_suffices():
    for n in (2, 3, 10, 31):
        assert topics_needed(smallest_difference(0.2, n), 0.2, target_power=None) == n
        assert topics_needed(0.3, 0.2, target_power=float(power(0.3, 0.2, n))) == n
    # Few topics count as one at least.
    least = next(n for n in range(2, 99) if float(power(0.9, 0.2, n, effective=max(n / 10, 1))) >= 0.8)
    assert topics_needed(0.9, 0.2, counting=0.1) == least < 10


@pytest.mark.parametrize(
    ("choice", "freedom", "level", "times"),
    [
        ({}, 44, 0.95, math.sqrt(2)),
        ({"sides": 2}, 44, 0.975, math.sqrt(2)),
        ({"paired": True}, 22, 0.95, 1.0),
        ({"alpha": 0.01}, 44, 0.99, math.sqrt(2)),
    ],
)
def test_the_smallest_difference_is_t_times_its_standard_error(choice, freedom, level, times):
    expected = t.ppf(level, freedom) * times * 0.1631 / math.sqrt(23)
    assert smallest_difference(0.1631, 23, **choice) == pytest.approx(expected)


def test_differences_beyond_reckoning_are_certain_on_their_own_side():
    assert float(power(50.0, 0.2, 10)) == 1.0
    assert float(power(-50.0, 0.2, 10)) == 0.0
    assert float(power(-50.0, 0.2, 10, sides=2)) == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: smallest_difference(0, 5), "above 0"),
        (lambda: smallest_difference(np.inf, 5), "above 0"),
        (lambda: smallest_difference(0.1, 1), "two or more"),
        (lambda: smallest_difference(0.1, 5, alpha=0.0), "between 0 and 0.5"),
        (lambda: smallest_difference(0.1, 5, alpha=0.5), "between 0 and 0.5"),
        (lambda: smallest_difference(0.1, 5, sides=3), "1 or 2 sides"),
        (lambda: reliable_difference(0.1, 5, target_power=0.05), "between the level"),
        (lambda: smallest_difference(0.1, 5, alpha=0.7), "between 0 and 0.5"),
        (lambda: smallest_difference(0.1, 5, effective=5.1), "at most 5"),
        (lambda: power(0.1, 0.1, 5, effective=0.9), "at least 1"),
        (lambda: topics_needed(0.1, 0.1, counting=0.0), "above 0 and up to 1"),
        (lambda: topics_needed(0.1, 0.1, counting=1.1), "above 0 and up to 1"),
        (lambda: topics_needed(0, 0.1), "above 0"),
        (lambda: topics_needed(0.1, 0.1, target_power=1.0), "between the level"),
        (lambda: topics_needed(1e-9, 0.5), "needs more than"),
        (lambda: power(np.inf, 0.1, 5), "not a finite number"),
        (lambda: power([0.1, np.inf], 0.1, 5), "not a finite number"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(SettingError, match=words):
        call()


values = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 1_000)), min_size=2, max_size=20)


def fields(summary):
    return [getattr(summary, field) for field in ("n", "mean", "variance", "sd", "se", "effective", "paper_se")]


def test_worked_example():
    summary = weighted_summary([0.9, 0.8, 0.5], [100, 50, 50])
    assert summary.n == 3
    assert summary.mean == pytest.approx(0.775)
    assert summary.variance == pytest.approx(0.0430)
    assert summary.sd == pytest.approx(0.207364, abs=5e-7)
    assert summary.se == pytest.approx(0.126984, abs=5e-7)
    assert summary.paper_se == pytest.approx(0.119722, abs=5e-7)
    assert 1 / summary.effective == pytest.approx(0.375)


@given(values)
@settings(deadline=None)
def test_equal_weights_give_the_ordinary_mean_and_variance(pairs):
    x = np.array([value for value, _ in pairs])
    summary = weighted_summary(x, np.full(len(x), 7))
    assert summary.mean == pytest.approx(x.mean(), abs=1e-12)
    assert summary.variance == pytest.approx(x.var(ddof=1), abs=1e-12)
    assert summary.se == pytest.approx(math.sqrt(summary.variance / len(x))) == summary.paper_se
    assert summary.effective == pytest.approx(len(x))


@given(values, st.floats(0.01, 100), st.integers(0, 100))
@settings(deadline=None)
def test_scale_of_weights_and_order_do_not_matter_and_the_formula_holds(pairs, scale, seed):
    x, w = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    summary = weighted_summary(x, w)
    shuffle = np.random.default_rng(seed).permutation(len(x))
    np.testing.assert_allclose(fields(weighted_summary(x[shuffle], w[shuffle] * scale)), fields(summary), atol=1e-9)
    shares = w / w.sum()
    mean = (shares * x).sum()
    assert summary.variance == pytest.approx((shares * (x - mean) ** 2).sum() / (1 - (shares**2).sum()), abs=1e-9)
    assert x.min() - 1e-12 <= summary.mean <= x.max() + 1e-12
    assert summary.se == pytest.approx(summary.sd / math.sqrt(summary.effective))
    assert 1 <= summary.effective <= len(x) and summary.se >= summary.paper_se * (1 - 1e-12)


@given(values)
@settings(deadline=None)
def test_undefined_values_and_empty_folds_change_nothing(pairs):
    x, w = ([*column] for column in zip(*pairs, strict=True))
    assert fields(weighted_summary([float("nan"), *x, 0.3], [50, *w, 0])) == fields(weighted_summary(x, w))


def test_one_value_has_a_mean_and_no_spread():
    assert weighted_summary([0.7, float("nan")], [10, 5]).mean == 0.7
    alone = weighted_summary([0.7], [10])
    assert all(math.isnan(value) for value in (alone.variance, alone.sd, alone.se, alone.paper_se))
    assert (alone.n, alone.effective) == (1, 1)
    empty = weighted_summary([float("nan")], [10])
    assert empty.n == 0
    assert all(math.isnan(value) for value in fields(empty)[1:])


def test_weights_must_be_counts_one_a_value():
    with pytest.raises(SettingError, match="2 values and 1 weights"):
        weighted_summary([0.1, 0.2], [1])
    with pytest.raises(SettingError, match="negative or not a number"):
        weighted_summary([0.1, 0.2], [1, -1])
    with pytest.raises(SettingError, match="negative or not a number"):
        weighted_summary([0.1, 0.2], [1, float("inf")])
    with pytest.raises(SettingError, match="give one weight per value"):
        weighted_summary([[0.1, 0.2]], [[1, 1]])


def test_the_standard_error_is_how_means_of_unequal_topics_vary():
    """Topics differ by .2, and one holds half of the documents: the mean varies by σ√V2, not by σ/√n."""
    rng = np.random.default_rng(0)
    weights = np.array([100, 20, 20, 20, 20, 20])
    found = [weighted_summary(x, weights) for x in rng.normal(0.6, 0.2, size=(4_000, 6))]
    spread = np.std([each.mean for each in found])
    assert np.sqrt(np.mean([each.se**2 for each in found])) == pytest.approx(spread, rel=0.05)
    assert np.sqrt(np.mean([each.paper_se**2 for each in found])) < 0.8 * spread


def test_topics_that_count_less_show_less():
    assert smallest_difference(0.1631, 23, effective=10.6) == pytest.approx(0.119, abs=5e-4)
    for choice in ({}, {"paired": True}, {"sides": 2}):
        assert smallest_difference(0.2, 20, effective=20.0, **choice) == smallest_difference(0.2, 20, **choice)
        assert smallest_difference(0.2, 20, effective=5.0, **choice) == pytest.approx(
            2 * smallest_difference(0.2, 20, **choice)
        )
        assert power(0.1, 0.2, 20, effective=5.0, **choice) == pytest.approx(power(0.05, 0.2, 20, **choice))
        assert reliable_difference(0.2, 20, effective=5.0, **choice) == pytest.approx(
            2 * reliable_difference(0.2, 20, **choice), rel=1e-6
        )
    for target in (None, 0.8):
        all_count, half = (topics_needed(0.05, 0.2, target_power=target, counting=share) for share in (1.0, 0.5))
        assert all_count < half <= 2 * all_count
        enough = {"effective": half / 2, "sides": 1}
        if target is None:
            assert (
                smallest_difference(0.2, half, **enough)
                <= 0.05
                < smallest_difference(0.2, half - 1, effective=half / 2 - 0.5)
            )
        else:
            assert (
                float(power(0.05, 0.2, half, **enough))
                >= 0.8
                > float(power(0.05, 0.2, half - 1, effective=half / 2 - 0.5))
            )


WORKED = {"shared": 270, "correlation": 0.2, "group_size": 30}


def test_worked_values():
    assert correlated_variance(0.09, 300, correlation=0.2, group_size=30) == pytest.approx(0.00204, abs=1e-12)
    assert observed_variance(0.09, 300, **WORKED) == pytest.approx(0.0000468763, abs=5e-11)
    assert variance_shortfall(0.09, 300, **WORKED) == pytest.approx(0.00199312, abs=5e-9)


sizes = st.integers(2, 500).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@given(sizes, st.floats(0, 1), st.floats(1, 100), st.floats(0, 2))
def test_the_shortfall_is_what_correlation_adds_minus_what_is_observed(size, correlation, group_size, variance):
    n, shared = size
    true = correlated_variance(variance, n, correlation=correlation, group_size=group_size)
    seen = observed_variance(variance, n, shared=shared, correlation=correlation, group_size=group_size)
    missed = variance_shortfall(variance, n, shared=shared, correlation=correlation, group_size=group_size)
    assert missed == pytest.approx(true - seen, rel=1e-9, abs=1e-12)
    assert missed >= 0
    independent = observed_variance(variance, n, shared=shared, correlation=0, group_size=group_size)
    assert independent == pytest.approx(variance / n * (1 - shared / n))
    alone = observed_variance(variance, n, shared=0, correlation=correlation, group_size=group_size)
    assert alone == pytest.approx(true)


def test_theorem_1_by_simulation():
    rng = np.random.default_rng(0)
    n, g, rho, trials = 60, 6, 0.3, 40_000
    # With probability √ρ an instance takes its group's value: two of a group then agree in that with probability ρ.
    shared = rng.random((trials, n // g, 1)) < 0.2
    own = rng.random((trials, n // g, g)) < 0.2
    errors = np.where(rng.random(own.shape) < np.sqrt(rho), shared, own)
    found = errors.mean(axis=(1, 2)).var()
    expected = correlated_variance(0.2 * 0.8, n, correlation=rho, group_size=g)
    assert found == pytest.approx(expected, rel=5 * np.sqrt(2 / trials))


def test_theorem_2_by_simulation():
    rng = np.random.default_rng(1)
    n, shared, trials = 50, 30, 40_000
    common = rng.random(shared) < 0.2
    fresh = rng.random((trials, n - shared)) < 0.2
    found = ((common.sum() + fresh.sum(axis=1)) / n).var()
    expected = observed_variance(0.16, n, shared=shared, correlation=0, group_size=1)
    assert found == pytest.approx(expected, rel=5 * np.sqrt(2 / trials))


def test_impossible_samples_are_refused():
    for shared in (301, -1):
        with pytest.raises(SettingError, match=f"{shared} shared instances in samples of 300"):
            observed_variance(0.1, 300, shared=shared, correlation=0.1, group_size=3)
    with pytest.raises(SettingError, match="cannot be below 0"):
        correlated_variance(-0.1, 300, correlation=0.1, group_size=3)
    with pytest.raises(SettingError, match="choose 1 or more"):
        correlated_variance(0.1, 0, correlation=0.1, group_size=3)
    for function in (observed_variance, variance_shortfall):
        with pytest.raises(SettingError, match="choose n of 2 or more"):
            function(0.1, 1, shared=0, correlation=0.1, group_size=3)


def test_one_instance_varies_as_itself_and_constants_do_not_vary():
    assert correlated_variance(0.1, 1, correlation=0.5, group_size=1) == pytest.approx(0.1)
    same = {"correlation": 0.5, "group_size": 3}
    assert observed_variance(0.1, 2, shared=2, **same) == observed_variance(0.0, 9, shared=3, **same) == 0


def test_design_effect_of_equal_and_unequal_groups():
    equal = design_effect([30] * 10, 0.2)
    assert (equal.factor, equal.group_size) == pytest.approx((6.8, 30.0))
    assert equal.effective == pytest.approx(300 / 6.8)
    # n² Var = σ²(n + ρ Σ m(m − 1)): 100 + .5 · (90 · 89 + 10 · 9) over 100.
    assert design_effect([90, 10], 0.5).factor == pytest.approx((100 + 0.5 * (90 * 89 + 10 * 9)) / 100)
    assert design_effect([1, 1, 1], 0.9).effective == pytest.approx(3)
    assert design_effect([5], 1).effective == pytest.approx(1), "one group that agrees in all counts as one"
    assert np.isnan(design_effect([2, 2], -1).effective)  # a factor of 0: the mean does not vary at all
    for sizes in ([3, 0], [], [[1, 2]]):
        with pytest.raises(SettingError, match="A group without documents"):
            design_effect(sizes, 0.1)


def test_expected_type1_is_the_level_when_nothing_is_inflated():
    assert naive_type1(1.0) == pytest.approx(0.05)
    assert naive_type1(4.0) == pytest.approx(2 * stats.norm.sf(stats.norm.isf(0.025) / 2))
    assert naive_type1(0.0) == naive_type1(-0.5) == 0.0
    assert naive_type1(0.25) == pytest.approx(2 * stats.norm.sf(2 * stats.norm.isf(0.025)))
    assert np.isnan(naive_type1(float("nan")))
    assert naive_type1(1.0, alpha=0.2) == pytest.approx(0.2)
    for alpha in (0.0, 1.0):
        with pytest.raises(SettingError, match="choose one between 0 and 1"):
            naive_type1(1.0, alpha=alpha)
