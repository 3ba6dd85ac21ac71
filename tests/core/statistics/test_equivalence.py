"""Two one-sided t-tests: the worked value, statsmodels as oracle, and no claim of equality without evidence."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t
from statsmodels.stats.weightstats import ttost_paired

from core.errors import SettingError
from core.statistics import equivalence
from core.statistics.equivalence import EQUIVALENCE

D = np.array([0.01, -0.02, 0.00, 0.03, -0.01, 0.02])


def test_worked_example():
    found = equivalence(0.7 + D, np.full(6, 0.7), names=("SVM", "kNN"))
    assert found.p == pytest.approx(0.001001, abs=5e-7)
    assert (found.verdict, found.n, found.claim) == ("=", 6, "equality")
    assert found.effect == pytest.approx(0.005)
    assert "SVM does not differ by more than the margin of 0.05 from kNN (p = 0.0010" in found.reading
    assert "90 % from -0.01039 to +0.02039" in found.reading
    open_ = equivalence(0.7 + D, np.full(6, 0.7), margin=0.01)
    assert (
        open_.verdict == "~"
        and "this does not show that A and B differ by less than the margin of 0.01" in open_.reading
    )


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


def test_at_the_level_itself_words_and_sign_agree(monkeypatch):
    p = equivalence(0.7 + D, np.full(6, 0.7)).p
    for level, says in ((p, "does not differ by more"), (np.nextafter(p, 0), "this does not show")):
        for module in ("equivalence", "significance"):
            monkeypatch.setattr(import_module(f"core.statistics.{module}"), "SOME", level)
        found = equivalence(0.7 + D, np.full(6, 0.7))
        assert says in found.reading
        assert found.verdict == ("=" if level == p else "~")


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
    assert "without spread" in equivalence(base + 0.5 + 1e-7 * np.arange(4), base).problem
    assert equivalence(base + 0.5 + 1e-5 * np.arange(4), base).problem == ""
