"""The weighted t-test: the paired one where weights are equal, the sheet's numbers where they are not."""

import math

import numpy as np
import pytest

from core.statistics import TESTS, weighted_summary, weighted_t
from core.statistics.significance import ROUNDING
from core.statistics.t_tests import paired_t

A = [0.80, 0.75, 0.90, 0.60, 0.55, 0.70, 0.85, 0.40]
B = [0.70, 0.75, 0.85, 0.65, 0.40, 0.60, 0.80, 0.30]
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
    assert "count as 2.7" in found.reading and found.n == 3
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
        ([0.5, 0.6], [0.4, 0.5], [1, 3], 2, "without spread"),
        ([], [], [], 0, "No row has a value"),
    ],
)
def test_what_cannot_be_judged_says_why(a, b, weights, n, sentence):
    found = weighted_t(a, b, weights=weights)
    assert sentence in found.problem and found.p is None and found.n == n


def test_rounding_is_neither_spread_nor_difference_and_grows_with_the_scores():
    assert "without spread" in weighted_t([1000, 1000 + 5e-10], [999, 999], weights=[1, 3]).problem
    found = weighted_t([1001 + 6e-10, 1000], [1000, 1001], weights=[1, 1])
    assert (found.effect, found.direction, found.p) == (0, 0, 1)
    # Exactly as large as rounding may be: the last row, which does not count, sets the scale.
    least = ROUNDING * SCALE
    assert least + 2 * least == 3 * least and 3 * least - 2 * least == least
    assert "without spread" in weighted_t([2 * least, 3 * least, SCALE], [0, 0, SCALE], weights=[1, 1, 0]).problem
    found = weighted_t([4 * least, 0, SCALE], [0, 2 * least, SCALE], weights=[1, 1, 0])
    assert (found.effect, found.direction) == (0, 0)


def test_it_stands_among_the_tests():
    assert TESTS["weighted_t"].sides == 2
    assert TESTS["weighted_t"].needs_weights and TESTS["weighted_t"].error_rate == "nominal"
