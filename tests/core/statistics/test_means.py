"""The mean of a difference over topics: intervals that cover as often as they claim, against scipy."""

from math import isnan, nan

import numpy as np
import pytest
from scipy import stats

from core.statistics import bootstrap_mean, mean_effect


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
