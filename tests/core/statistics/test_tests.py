"""The tests of two systems: the methods sheet's values, scipy and statsmodels as oracles, and the laws they obey."""

import itertools
import math
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportions_ztest

from core.errors import SettingError
from core.statistics import TESTS, compare, corrected_t, macro_rank_t, macro_sign, macro_t, micro_sign, proportions
from core.statistics.record import verdict_sign
from core.statistics.signs import sign_test
from core.statistics.t_tests import paired_t, unpaired_t, wilcoxon

A = [0.80, 0.75, 0.90, 0.60, 0.55, 0.70, 0.85, 0.40]
B = [0.70, 0.75, 0.85, 0.65, 0.40, 0.60, 0.80, 0.30]
MIRROR = {"»": "«", ">": "<", "~": "~", "<": ">", "«": "»", None: None}

corrected = partial(corrected_t, train=90, test=10)
on_scores = (macro_sign, macro_t, macro_rank_t, paired_t, unpaired_t, wilcoxon, corrected)
# A coarse grid of scores, so that ties, equal differences and equal columns all occur.
tables = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=60)


def columns(rows):
    a, b = zip(*rows, strict=True)
    return np.array(a) / 20, np.array(b) / 20


def same(one, two):
    assert (one.n, one.verdict, one.direction, one.problem == "") == (
        two.n,
        two.verdict,
        two.direction,
        two.problem == "",
    )
    if one.p is not None:
        assert (one.p, one.statistic) == pytest.approx((two.p, two.statistic), abs=1e-9)


def signed_rank_oracle(d):
    """scipy's answer; where it would permute, the same over all signs at once."""
    ranks = stats.rankdata(np.abs(d))
    if len(d) > 13 or len(set(ranks)) == len(d):
        return stats.wilcoxon(d).statistic, stats.wilcoxon(d).pvalue
    signs = np.array(list(itertools.product([0, 1], repeat=len(d))))
    sums, mine = signs @ ranks, ranks[d > 0].sum()
    return min(mine, ranks.sum() - mine), min(1, 2 * min((sums <= mine).mean(), (sums >= mine).mean()))


def test_scipy_permutes_to_the_same_exact_answer_with_ties():
    d = [0.1, 0.05, -0.05, 0.15, 0.1, 0.05, 0.1]
    assert wilcoxon(d, np.zeros(7)).p == pytest.approx(stats.wilcoxon(d).pvalue)


def test_the_sheets_sign_tests():
    assert sign_test(38, 60) == pytest.approx((2.065591, 0.019434), abs=1e-6)
    a, b = [1] * 38 + [0] * 22 + [1] * 9, [0] * 38 + [1] * 22 + [1] * 9
    result = micro_sign(a, b)
    assert (result.n, result.symbol, result.verdict) == (60, "Z", ">")
    assert result.p == pytest.approx(0.019434, abs=5e-7)
    macro = macro_sign(A, B)
    assert (macro.n, macro.statistic, macro.symbol, macro.p, macro.verdict) == (7, 6, "k", 0.0625, "~")
    assert macro.effect == pytest.approx(6 / 7)


def test_the_sheets_t_tests():
    t, ranked = macro_t(A, B), macro_rank_t(A, B)
    assert (t.n, t.verdict, ranked.n, ranked.verdict) == (7, ">", 7, ">")
    assert (t.statistic, t.p) == pytest.approx((2.970443, 0.012472), abs=5e-7)
    assert (ranked.statistic, ranked.p) == pytest.approx((2.661197, 0.018732), abs=5e-7)


def test_the_sheets_proportions():
    result = proportions(0.86, 3_000, 0.83, 3_000)
    assert result.statistic == pytest.approx(3.210500, abs=5e-7)
    assert result.verdict == "»"
    assert result.interval[0] < 0.03 < result.interval[1]


def test_verdict_signs_at_their_borders():
    assert [verdict_sign(p, 1) for p in (0.01, 0.0101, 0.05, 0.0501)] == ["»", ">", ">", "~"]
    assert [verdict_sign(p, -1) for p in (0.01, 0.05, 0.06)] == ["«", "<", "~"]


@given(tables)
@settings(deadline=None, max_examples=60)
def test_scipy_says_the_same(rows):
    a, b = columns(rows)
    d = np.round(a - b, 9)
    differing = d[d != 0]
    if len(differing) > 1 and np.ptp(differing) > 0:
        mine = macro_t(a, b)
        statistic = stats.ttest_1samp(differing, 0).statistic
        tail = stats.norm.sf(abs(statistic)) if len(differing) > 40 else stats.t.sf(abs(statistic), len(differing) - 1)
        assert (mine.statistic, mine.p) == pytest.approx((statistic, tail))
    if len(d) > 1 and np.ptp(d) > 0:
        oracle, mine = stats.ttest_rel(a, b), paired_t(a, b)
        assert (mine.statistic, mine.p) == pytest.approx((oracle.statistic, oracle.pvalue))
        assert mine.interval == pytest.approx(tuple(oracle.confidence_interval()), abs=1e-12)
    if len(d) > 1 and max(np.ptp(a), np.ptp(b)) > 0:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scipy's, where one column is constant
            oracle, mine = stats.ttest_ind(a, b), unpaired_t(a, b)
        assert (mine.statistic, mine.p) == pytest.approx((oracle.statistic, oracle.pvalue))
    if len(differing):
        statistic, p = signed_rank_oracle(differing)
        assert (wilcoxon(a, b).statistic, wilcoxon(a, b).p) == pytest.approx((statistic, p))
        k, n = int((differing > 0).sum()), len(differing)
        if n <= 12:
            tail = stats.binomtest(k, n, alternative="greater" if k > n / 2 else "less").pvalue
            assert macro_sign(a, b).p == pytest.approx(tail)


@given(st.integers(1, 500), st.integers(1, 500), st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None, max_examples=60)
def test_statsmodels_says_the_same_of_proportions(n_a, n_b, share_a, share_b):
    hits = round(share_a * n_a), round(share_b * n_b)
    mine = proportions(hits[0] / n_a, n_a, hits[1] / n_b, n_b)
    if 0 < sum(hits) < n_a + n_b:
        assert mine.statistic == pytest.approx(proportions_ztest(hits, (n_a, n_b))[0], abs=1e-9)
        assert mine.interval[0] <= mine.effect + 1e-12
        assert mine.effect <= mine.interval[1] + 1e-12
    else:
        assert mine.p is None
        assert mine.problem


@given(tables)
@settings(deadline=None, max_examples=60)
def test_swapping_the_systems_mirrors_the_answer(rows):
    a, b = columns(rows)
    for test in on_scores:
        one, two = test(a, b), test(b, a)
        assert one.verdict == MIRROR[two.verdict], test
        assert one.direction == -two.direction
        assert (one.p is None) == (two.p is None) == bool(one.problem)
        if one.p is not None:
            assert one.p == pytest.approx(two.p)
            center = 0.5 if one.name == "S" else 0.0
            assert one.effect - center == pytest.approx(center - two.effect, abs=1e-12)
            assert [value - center for value in one.interval] == pytest.approx(
                [center - value for value in two.interval[::-1]], abs=1e-12
            )


@given(tables, st.lists(st.integers(0, 20), max_size=10))
@settings(deadline=None, max_examples=60)
def test_rows_that_tie_change_nothing_for_tests_of_differing_rows(rows, ties):
    a, b = columns(rows)
    equal = np.array(ties, dtype=float) / 20
    for test in (macro_sign, macro_t, wilcoxon):
        same(test(np.append(a, equal), np.append(b, equal)), test(a, b))
    same(micro_sign(np.append(a > 0.5, equal > 0.5), np.append(b > 0.5, equal > 0.5)), micro_sign(a > 0.5, b > 0.5))


@given(tables, st.sampled_from([0.01, 3.0, 100.0]))
@settings(deadline=None, max_examples=60)
def test_the_scale_of_scores_does_not_matter(rows, factor):
    a, b = columns(rows)
    for test in on_scores:
        same(test(a * factor, b * factor), test(a, b))
    same(macro_rank_t(np.exp(a), np.exp(b)), macro_rank_t(a, b))  # ranks keep only the order
    same(macro_sign(np.exp(a), np.exp(b)), macro_sign(a, b))


@given(tables)
@settings(deadline=None, max_examples=60)
def test_no_answer_is_ever_nan(rows):
    a, b = columns(rows)
    results = [test(a, b) for test in on_scores]
    results += compare((a > 0.5).astype(int), (b > 0.5).astype(int), kind="decisions").values()
    for result in results:
        assert result.name in TESTS
        assert result.reading
        assert result.assumption
        if result.problem:
            assert (result.p, result.statistic, result.verdict, result.effect) == (None,) * 4
        else:
            assert all(math.isfinite(value) for value in (result.p, result.statistic, result.effect, *result.interval))
            assert 0 <= result.p <= 1


def test_the_corrected_test_widens_and_needs_sizes():
    plain, wide = paired_t(A, B), corrected_t(A, B, train=90, test=10)
    d = np.array(A) - np.array(B)
    expected = d.mean() / math.sqrt((1 / 8 + 10 / 90) * d.var(ddof=1))
    assert wide.statistic == pytest.approx(expected)
    assert wide.p == pytest.approx(2 * stats.t.sf(expected, 7))
    assert wide.p > plain.p
    assert wide.interval[0] < plain.interval[0]
    with pytest.raises(SettingError, match="both must be above 0"):
        corrected_t(A, B, train=0, test=10)


@pytest.mark.parametrize("test", on_scores)
def test_what_cannot_be_judged_is_a_sentence(test):
    equal = test(A, A)
    if test is unpaired_t:
        assert equal.verdict == "~"
    else:
        assert "equal in all 8" in equal.problem or "do not differ" in equal.problem
        assert "cannot be matched" in test(A, B[:-1]).problem
        assert test([math.nan], [0.5]).problem
    assert (test([], []).p, test([], []).problem == "") == (None, False)


def test_no_spread_is_no_evidence_for_a_t_test():
    a, b = [0.8, 0.7, 0.6], [0.7, 0.6, 0.5]
    assert "All 3 differences are 0.1" in macro_t(a, b).problem
    assert "All 3 differences are 0.1" in paired_t(a, b).problem
    assert macro_sign(a, b).p == 0.125
    assert "no spread" in unpaired_t([0.5, 0.5], [0.4, 0.4]).problem
    assert "each system needs two" in unpaired_t([0.5], [0.4]).problem
    assert "two or more" in macro_t([0.5, 0.1], [0.4, 0.1]).problem


def test_equal_differences_share_a_rank_whatever_their_last_digit():
    assert 0.8 - 0.7 != 0.4 - 0.3
    assert wilcoxon([0.8, 0.4, 0.5], [0.7, 0.3, 0.9]).statistic == 3.0
    assert macro_sign([0.1 + 0.2], [0.3]).problem


def test_wilcoxon_of_many_rows_gives_the_median():
    random = np.random.default_rng(0)
    a, b = random.normal(0.1, 1, 3_000), np.zeros(3_000)
    result = wilcoxon(a, b)
    assert result.effect_name == "median difference"
    assert result.interval[0] < np.median(a) < result.interval[1]


def test_undefined_rows_are_left_out_of_pairs():
    same(macro_t([*A, math.nan, 0.9], [*B, 0.1, math.nan]), macro_t(A, B))
