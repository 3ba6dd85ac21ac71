"""Wilcoxon's signed rank test, one pair of systems and row by row: scipy as the oracle for each of its laws."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from core.statistics.wilcoxon import signed_ranks, wilcoxon, wilcoxon_rows


def scores(kind: str, folds: int, seed: int, trials: int = 25) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    if kind == "continuous":
        return rng.normal(size=(trials, folds)), rng.normal(0.3, size=(trials, folds))
    if kind == "distinct":  # no tie, no zero: differences are a permutation of 1 … k with signs
        signs = rng.choice((-1.0, 1.0), size=(trials, folds))
        return rng.permuted(np.tile(np.arange(1.0, folds + 1), (trials, 1)), axis=1) * signs, np.zeros((trials, folds))
    high = {"counts": 9, "few": 2}[kind]  # ties and zeros; with few values nearly nothing else
    return rng.integers(0, high, (trials, folds)) * 1.0, rng.integers(0, high, (trials, folds)) * 1.0


def signed_rank_oracle(d, *, correction):
    """scipy's answer to what is left without zeros; where it would permute, which takes a second, all signs at once."""
    d = d[d != 0]
    ranks = stats.rankdata(np.abs(d))
    mine = ranks[d > 0].sum()
    if len(d) > 13 or len(set(ranks)) == len(d):
        return mine, stats.wilcoxon(d, correction=correction).pvalue
    signs = np.array(list(itertools.product([0, 1], repeat=len(d))))
    sums = signs @ ranks
    return mine, min(1, 2 * min((sums <= mine).mean(), (sums >= mine).mean()))


def test_scipy_permutes_to_the_same_exact_answer_with_ties():
    d = np.array([0.1, 0.05, -0.05, 0.15, 0.1, 0.05, 0.1])
    assert wilcoxon(d, np.zeros(7)).p == pytest.approx(stats.wilcoxon(d).pvalue)
    assert wilcoxon(d, np.zeros(7)).p == pytest.approx(signed_rank_oracle(np.round(d, 9), correction=False)[1])


@pytest.mark.parametrize("kind", ["continuous", "distinct", "counts", "few"])
@pytest.mark.parametrize("folds", [1, 2, 5, 12, 13, 14, 15, 30, 49, 50, 51, 60])
def test_rows_equal_scipys_automatic_choice(kind, folds):
    """scipy: every sign counted up to 13; exact up to 50 without ties; else normal, corrected for ties."""
    a, b = scores(kind, folds, folds)
    for correction in (False, True):
        sums, found = signed_ranks(a - b, continuity=correction)
        for row, p in enumerate(found):
            if (a[row] == b[row]).all():
                assert np.isnan(p) and sums[row] == 0
            else:
                expected = signed_rank_oracle(a[row] - b[row], correction=correction)
                assert (sums[row], p) == pytest.approx(expected, abs=1e-9), (kind, folds, row)
    np.testing.assert_array_equal(wilcoxon_rows(a, b)[1], signed_ranks(np.round(a - b, 12), continuity=True)[1])


def test_each_row_has_its_own_law_whatever_the_others_are():
    rng = np.random.default_rng(1)
    d = np.zeros((6, 60))
    for row, differing in enumerate((0, 5, 13, 14, 50, 60)):
        d[row, :differing] = rng.permutation(np.arange(1.0, differing + 1)) * rng.choice((-1, 1), differing)
    together = np.array(signed_ranks(d))
    for row in range(6):
        np.testing.assert_array_equal(np.array(signed_ranks(d[[row]]))[:, 0], together[:, row])
        if row:
            left = d[row][d[row] != 0]
            assert together[1, row] == pytest.approx(stats.wilcoxon(left).pvalue, abs=1e-12)


def test_rows_are_symmetric_and_ties_survive_rates_that_are_not_exact():
    a, b = scores("counts", 10, 3)
    np.testing.assert_allclose(wilcoxon_rows(a, b)[1], wilcoxon_rows(b, a)[1])
    np.testing.assert_allclose(wilcoxon_rows(a + 2, b + 2), wilcoxon_rows(a, b))
    np.testing.assert_allclose(wilcoxon_rows(a / 30, b / 30), wilcoxon_rows(a, b), atol=1e-9)
    flat, ones = np.zeros((1, 10)), np.ones((1, 10))
    assert np.isnan(wilcoxon_rows(flat, flat)[1]).all()
    # Ten differences of one sign are evidence to a test of signs: 2/2¹⁰.
    assert wilcoxon_rows(flat, ones)[1][0] == pytest.approx(2 / 1024)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=60))
@settings(deadline=None, max_examples=60)
def test_one_pair_of_systems_is_scipys_answer(rows):
    a, b = (np.array(column) / 20 for column in zip(*rows, strict=True))
    d = np.round(a - b, 9)
    found = wilcoxon(a, b)
    if not d.any():
        assert "equal in all" in found.problem
        return
    n = int((d != 0).sum())
    positive, p = signed_rank_oracle(d, correction=False)
    negative = n * (n + 1) / 2 - positive
    assert (found.n, found.direction) == (n, int(np.sign(positive - negative)))
    assert (found.statistic, found.p) == pytest.approx((min(positive, negative), p))


def test_equal_differences_share_a_rank_whatever_their_last_digit():
    assert 0.8 - 0.7 != 0.4 - 0.3
    found = wilcoxon([0.8, 0.4, 0.5], [0.7, 0.3, 0.9])
    assert (found.statistic, found.direction, found.sides, found.symbol) == (3.0, 0, 2, "W")


def test_the_effect_is_the_median_of_pairwise_means_with_its_interval():
    """Hodges & Lehmann: of the n(n + 1)/2 sorted means those from the cut on, the cut by the normal law of W."""
    d = np.array([0.1, 0.3, -0.2, 0.5, 0.4, 0.25, 0.6, -0.05, 0.15, 0.45])
    means = sorted((one + two) / 2 for one, two in itertools.combinations_with_replacement(d, 2))
    found = wilcoxon(d, np.zeros(10))
    assert found.effect == pytest.approx(np.median(means))
    assert found.effect_name == "typical difference"
    cut = int(10 * 11 / 4 - stats.norm.ppf(0.975) * np.sqrt(10 * 11 * 21 / 24))  # 8
    assert found.interval == pytest.approx((means[cut], means[-1 - cut]))
    assert found.reading.startswith(f"Typical difference +{np.median(means):.4g} over the 10 rows that differ: ")
    assert wilcoxon([0.3], [0.1]).interval == pytest.approx((0.2, 0.2))


@pytest.mark.parametrize("n", [2, 3, 5, 6, 25, 200])
def test_the_interval_leaves_out_as_many_means_on_either_side(n):
    """W lies within z·s of n(n + 1)/4 with s² = n(n + 1)(2n + 1)/24; few rows leave every mean in."""
    d = np.random.default_rng(n).normal(0.2, 1, n)
    means = sorted((one + two) / 2 for one, two in itertools.combinations_with_replacement(d, 2))
    lowest = (len(means) / 2) - stats.norm.ppf(0.975) * np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    cut = int(max(lowest, 0))
    assert wilcoxon(d, np.zeros(n)).interval == pytest.approx((means[cut], means[len(means) - 1 - cut]))
    if n < 6:
        assert cut == 0


def test_rows_that_are_equal_or_cannot_be_matched_have_nothing_to_rank():
    for a, b in (([0.5, 0.4], [0.5, 0.4]), ([0.5], [0.5, 0.4])):
        found = wilcoxon(a, b)
        assert (found.n, found.p, found.problem != "") == (0, None, True)


@pytest.mark.parametrize(("n", "name"), [(2_000, "typical difference"), (2_001, "median difference")])
def test_many_rows_give_the_median(n, name):
    a, b = np.random.default_rng(0).normal(0.1, 1, n), np.zeros(n)
    found = wilcoxon(a, b)
    assert found.effect_name == name
    assert found.interval[0] < np.median(a) < found.interval[1]
    if n > 2_000:
        assert found.effect == np.median(a)
        assert found.interval == pytest.approx(tuple(stats.quantile_test(a).confidence_interval(0.95)))
