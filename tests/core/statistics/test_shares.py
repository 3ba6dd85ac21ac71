"""Intervals of shares: an independent library gives the same, and nothing counted says nothing."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from core.statistics import wilson


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (3, 10), (47, 1_000), (1, 1)])
def test_intervals_are_wilsons(successes, trials):
    expected = proportion_confint(successes, trials, method="wilson")
    np.testing.assert_allclose(wilson(successes, trials), expected, atol=1e-12)


def test_wilson_without_trials_says_nothing():
    assert wilson(0, 0) == (0.0, 1.0)
