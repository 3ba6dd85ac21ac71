"""Two one-sided t-tests: the worked value, statsmodels as oracle, and no claim of equality without evidence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.weightstats import ttost_paired

from core.errors import SettingError
from core.statistics import equivalence

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
    for margin in (0, -0.1, float("nan"), float("inf")):
        with pytest.raises(SettingError, match="margin"):
            equivalence([0.5, 0.6], [0.4, 0.6], margin=margin)
