"""The three tests over folds against scipy.stats, row by row."""

import numpy as np
import pytest
from scipy import stats

from core.errors import SettingError
from core.statistics.fold_tests import FOLD_TESTS, checked_tests, paired_t, unpaired_t, wilcoxon


def scores(kind: str, folds: int, seed: int, trials: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    if kind == "continuous":
        return rng.normal(size=(trials, folds)), rng.normal(0.3, size=(trials, folds))
    if kind == "distinct":  # no tie, no zero: differences are a permutation of 1 … k with signs
        signs = rng.choice((-1.0, 1.0), size=(trials, folds))
        return rng.permuted(np.tile(np.arange(1.0, folds + 1), (trials, 1)), axis=1) * signs, np.zeros((trials, folds))
    high = {"counts": 9, "few": 2}[kind]  # ties and zeros; with few values nearly nothing else
    return rng.integers(0, high, (trials, folds)) * 1.0, rng.integers(0, high, (trials, folds)) * 1.0


cases = pytest.mark.parametrize("kind", ["continuous", "distinct", "counts", "few"])


@pytest.mark.filterwarnings("ignore:Precision loss")  # scipy's, where one side does not vary
@cases
@pytest.mark.parametrize("folds", [2, 3, 10, 13, 14, 30, 50, 51, 60])
def test_t_tests_equal_scipys(kind, folds):
    a, b = scores(kind, folds, folds)
    varies = np.ptp(a - b, axis=1) > 0
    np.testing.assert_allclose(paired_t(a, b)[varies], stats.ttest_rel(a[varies], b[varies], axis=1).pvalue, atol=1e-9)
    assert np.isnan(paired_t(a, b)[~varies]).all()
    varies = (np.ptp(a, axis=1) > 0) | (np.ptp(b, axis=1) > 0)
    np.testing.assert_allclose(
        unpaired_t(a, b)[varies], stats.ttest_ind(a[varies], b[varies], axis=1).pvalue, atol=1e-9
    )


@cases
@pytest.mark.parametrize("folds", [2, 5, 10, 13, 14, 30, 50, 51, 60])
def test_wilcoxon_equals_scipys_automatic_choice(kind, folds):
    """scipy: exact up to 50 without ties or zeros; every sign counted up to 13; else normal with continuity correction."""
    # scipy takes a second for each row whose signs it counts.
    a, b = scores(kind, folds, folds, trials=25 if folds not in (10, 13) else {10: 8, 13: 2}[folds])
    found = wilcoxon(a, b)
    for row, p in enumerate(found):
        difference = a[row] - b[row]
        if (difference == 0).all():
            assert np.isnan(p)
        else:
            expected = stats.wilcoxon(difference, correction=True).pvalue
            assert p == pytest.approx(expected, abs=1e-9), (kind, folds, row)


@pytest.mark.parametrize("name", sorted(FOLD_TESTS))
def test_two_sided_and_shifted_tests_are_symmetric(name):
    a, b = scores("counts", 10, 3)
    test = FOLD_TESTS[name]
    np.testing.assert_allclose(test(a, b), test(b, a))
    np.testing.assert_allclose(test(a + 2, b + 2), test(a, b))
    np.testing.assert_allclose(test(a / 30, b / 30), test(a, b), atol=1e-9)  # ties survive rates that are not exact


def test_scores_that_do_not_vary_have_no_p():
    flat, ones = np.zeros((1, 10)), np.ones((1, 10))
    for test in FOLD_TESTS.values():
        assert np.isnan(test(flat, flat)).all()
    assert np.isnan(paired_t(flat, ones)).all()  # a constant difference: t would be infinite
    assert np.isnan(unpaired_t(flat, ones)).all()
    # Ten differences of one sign are evidence to a test of signs: 2/2¹⁰.
    assert wilcoxon(flat, ones)[0] == pytest.approx(2 / 1024)
    third = np.full((1, 10), 0.1 + 0.2)
    assert np.isnan(paired_t(third, np.full((1, 10), 0.3) - 1)).all()


def test_unknown_tests_are_named():
    with pytest.raises(SettingError, match="Did you mean 'wilcoxon'"):
        checked_tests(["wilcoxen"])
