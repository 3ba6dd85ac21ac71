"""Weighted means and variances: the methods sheet's example, and the ordinary ones when weights are equal."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import SettingError
from core.statistics import weighted_summary

values = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 1_000)), min_size=2, max_size=20)


def fields(summary):
    return [summary.n, summary.mean, summary.variance, summary.sd, summary.se]


def test_worked_example():
    summary = weighted_summary([0.9, 0.8, 0.5], [100, 50, 50])
    assert summary.n == 3
    assert summary.mean == pytest.approx(0.775)
    assert summary.variance == pytest.approx(0.0430)
    assert summary.sd == pytest.approx(0.207364, abs=5e-7)
    assert summary.se == pytest.approx(0.119722, abs=5e-7)


@given(values)
@settings(deadline=None)
def test_equal_weights_give_the_ordinary_mean_and_variance(pairs):
    x = np.array([value for value, _ in pairs])
    summary = weighted_summary(x, np.full(len(x), 7))
    assert summary.mean == pytest.approx(x.mean(), abs=1e-12)
    assert summary.variance == pytest.approx(x.var(ddof=1), abs=1e-12)
    assert summary.se == pytest.approx(math.sqrt(summary.variance / len(x)))


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


@given(values)
@settings(deadline=None)
def test_undefined_values_and_empty_folds_change_nothing(pairs):
    x, w = ([*column] for column in zip(*pairs, strict=True))
    assert fields(weighted_summary([float("nan"), *x, 0.3], [50, *w, 0])) == fields(weighted_summary(x, w))


def test_one_value_has_a_mean_and_no_spread():
    assert weighted_summary([0.7, float("nan")], [10, 5]).mean == 0.7
    assert all(math.isnan(value) for value in fields(weighted_summary([0.7], [10]))[2:])
    empty = weighted_summary([float("nan")], [10])
    assert empty.n == 0
    assert all(math.isnan(value) for value in fields(empty)[1:])


def test_weights_must_be_counts_one_a_value():
    with pytest.raises(SettingError, match="2 values and 1 weights"):
        weighted_summary([0.1, 0.2], [1])
    with pytest.raises(SettingError, match="negative or not a number"):
        weighted_summary([0.1, 0.2], [1, -1])
