"""The variance theorems, the design effect: worked values, identities, and Theorems 1 and 2 by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.errors import SettingError
from core.statistics import correlated_variance, observed_variance, overlap_sentence, variance_shortfall
from core.statistics.variance import design_effect, naive_type1, overlapping_variance

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
    assert independent == pytest.approx(overlapping_variance(variance, n, shared=shared))
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
    assert found == pytest.approx(overlapping_variance(0.16, n, shared=shared), rel=5 * np.sqrt(2 / trials))


def test_impossible_samples_are_refused():
    with pytest.raises(SettingError, match="301 shared instances in samples of 300"):
        overlapping_variance(0.1, 300, shared=301)
    with pytest.raises(SettingError, match="-1 shared instances in samples of 300"):
        overlapping_variance(0.1, 300, shared=-1)
    with pytest.raises(SettingError, match="cannot be below 0"):
        correlated_variance(-0.1, 300, correlation=0.1, group_size=3)
    with pytest.raises(SettingError, match="choose 1 or more"):
        overlapping_variance(0.1, 0, shared=0)
    for function in (observed_variance, variance_shortfall):
        with pytest.raises(SettingError, match="choose n of 2 or more"):
            function(0.1, 1, shared=0, correlation=0.1, group_size=3)


def test_one_instance_varies_as_itself_and_constants_do_not_vary():
    assert correlated_variance(0.1, 1, correlation=0.5, group_size=1) == pytest.approx(0.1)
    assert overlapping_variance(0.1, 1, shared=0) == pytest.approx(0.1)
    assert overlapping_variance(0.1, 1, shared=1) == overlapping_variance(0.0, 9, shared=3) == 0


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


def test_the_sentence_on_overlap_holds_at_both_ends():
    assert overlap_sentence(1.0, 1.0, shared=0, n=300).endswith(
        "share 0 of 300 instances show the standard error nearly as it is."
    )
    assert overlap_sentence(4.0, 1.0, shared=200, n=1_000).endswith(
        "of 1,000 instances show a standard error 2.0 times too small."
    )
    assert overlap_sentence(1.0, 0.0, shared=300, n=300).endswith("show no variance at all.")


def test_the_sentence_on_overlap_compares_the_two_standard_errors():
    """It hangs on the quotient alone, and begins where a factor to one decimal is no longer 1.0."""
    for scale in (0.25, 1.0, 9.0):
        assert "a standard error 3.0 times too small" in overlap_sentence(9 * scale, scale, shared=1, n=2)
        assert "nearly as it is" in overlap_sentence(1.05 * scale, scale, shared=1, n=2)
    assert np.sqrt(1.1025) == 1.05
    assert "a standard error 1.1 times too small" in overlap_sentence(1.1025, 1.0, shared=1, n=2)
    assert "nearly as it is" in overlap_sentence(1.1024, 1.0, shared=1, n=2)
