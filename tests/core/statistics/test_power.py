"""What n topics can show: the methods sheet's figures, statsmodels as the oracle, and the order of things."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.power import TTestIndPower, TTestPower

from core.errors import SettingError
from core.statistics import detectable, power, topics_needed
from core.statistics.power import reliable_difference, smallest_difference


def test_the_papers_two_sets():
    assert smallest_difference(0.3388, 4) == pytest.approx(0.4655, abs=5e-5)
    assert smallest_difference(0.1631, 23) == pytest.approx(0.0808, abs=5e-5)
    # Schein et al. say that 7 points suffice for the second set; their own standard error asks for 31 topics.
    assert topics_needed(0.07, 0.1631, power_wished=None) == 31
    assert topics_needed(0.0809, 0.1631, power_wished=None) == 23


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
def test_topics_needed_is_the_least_that_suffices(difference, sd, wished):
    n = topics_needed(difference, sd, power_wished=wished)
    assert float(power(difference, sd, n)) >= wished
    if n > 2:
        assert float(power(difference, sd, n - 1)) < wished


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


def test_the_reading_gives_both_figures():
    found = detectable(0.1631, 23)
    assert float(power(found.reliably, 0.1631, 23)) == pytest.approx(0.8, abs=1e-6)
    assert reliable_difference(0.1631, 23) == pytest.approx(found.reliably)
    assert "0.0808" in found.reading
    assert "half the time" in found.reading
    assert found.se == pytest.approx(0.0340, abs=5e-5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: smallest_difference(0, 5), "above 0"),
        (lambda: smallest_difference(0.1, 1), "two or more"),
        (lambda: smallest_difference(0.1, 5, alpha=0.7), "between 0 and 0.5"),
        (lambda: topics_needed(0, 0.1), "above 0"),
        (lambda: topics_needed(0.1, 0.1, power_wished=1.0), "between the level"),
        (lambda: topics_needed(1e-9, 0.5), "needs more than"),
        (lambda: power(np.inf, 0.1, 5), "not a finite number"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(SettingError, match=words):
        call()
