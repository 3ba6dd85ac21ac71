"""Sign tests, proportions, intervals of a share and signed ranks: worked values, scipy and statsmodels as oracles."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint, proportions_ztest

from core.errors import SettingError
from core.statistics import macro_sign, micro_sign, proportions, wilson
from core.statistics.sign_tests import accuracies, sign_test, signed_ranks, wilcoxon, wilcoxon_rows

A = [0.80, 0.75, 0.90, 0.60, 0.55, 0.70, 0.85, 0.40]
B = [0.70, 0.75, 0.85, 0.65, 0.40, 0.60, 0.80, 0.30]


def test_worked_sign_tests():
    assert sign_test(38, 60) == pytest.approx((2.065591, 0.019434), abs=1e-6)
    a, b = [1] * 38 + [0] * 22 + [1] * 9, [0] * 38 + [1] * 22 + [1] * 9
    result = micro_sign(a, b)
    assert (result.n, result.symbol, result.verdict) == (60, "Z", ">")
    assert result.p == pytest.approx(0.019434, abs=5e-7)
    macro = macro_sign(A, B)
    assert (macro.n, macro.statistic, macro.symbol, macro.p, macro.verdict) == (7, 6, "k", 0.0625, "~")
    assert macro.effect == pytest.approx(6 / 7)
    assert macro.interval == pytest.approx(tuple(stats.binomtest(6, 7).proportion_ci(0.95, method="exact")))
    assert macro.effect_name == "share of the differing categories won by A"


def test_the_binomial_law_holds_up_to_twelve_and_the_normal_one_from_thirteen():
    """12 of 12 and 13 of 13: the exact tails are 2⁻¹² and 2⁻¹³, the normal ones .00027 and .00016."""
    assert sign_test(12, 12) == (12.0, pytest.approx(2**-12))
    assert sign_test(9, 12) == (9.0, pytest.approx(299 / 4096))
    z = 6.5 / (0.5 * math.sqrt(13))
    assert sign_test(13, 13) == pytest.approx((z, stats.norm.sf(z)))
    for n, symbol in ((12, "k"), (13, "Z")):
        assert micro_sign([1] * n, [0] * n).symbol == symbol
        assert macro_sign([0.9] * n + [0.5], [0.1] * n + [0.5]).symbol == symbol


@given(st.integers(1, 60), st.data())
def test_p_is_the_tail_toward_the_side_observed(n, data):
    k = data.draw(st.integers(0, n))
    statistic, p = sign_test(k, n)
    assert p == pytest.approx(sign_test(n - k, n)[1])
    if n <= 12:
        tail = stats.binomtest(k, n, alternative="greater" if 2 * k > n else "less").pvalue
        assert (statistic, p) == (k, pytest.approx(tail))
    else:
        assert statistic == pytest.approx((k - n / 2) / math.sqrt(n / 4))
        assert p == pytest.approx(stats.norm.sf(abs(statistic)))


def test_the_side_with_more_wins_is_ahead():
    for wins, direction in ((2, -1), (3, 0), (4, 1)):
        found = micro_sign([1] * wins + [0] * (6 - wins), [0] * wins + [1] * (6 - wins))
        assert (found.direction, found.sides) == (direction, 1)
        assert macro_sign([1] * wins + [0] * (6 - wins), [0.5] * 6).sides == 1


def test_equal_columns_have_nothing_to_judge():
    found = macro_sign(A, A, names=("x", "y"))
    assert (found.n, found.problem) == (0, "x and y do not differ in any of 8 categories.")
    assert micro_sign([1, 0], [1, 0]).problem == "A and B do not differ in any of 2 decisions."
    assert (micro_sign([1], [1, 0]).n, "cannot be matched" in micro_sign([1], [1, 0]).problem) == (0, True)


@pytest.mark.parametrize(("k", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(k, n):
    with pytest.raises(SettingError, match="choose n ≥ 1"):
        sign_test(k, n)


def test_worked_proportions():
    result = proportions(0.86, 3_000, 0.83, 3_000)
    assert result.statistic == pytest.approx(3.210500, abs=5e-7)
    assert result.verdict == "»"
    assert result.interval[0] < 0.03 < result.interval[1]
    assert result.effect == pytest.approx(0.03)
    assert (result.n, result.direction, result.sides, result.effect_name) == (6_000, 1, 1, "difference in share")


@given(st.integers(1, 500), st.integers(1, 500), st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None, max_examples=60)
def test_statsmodels_says_the_same_of_proportions(n_a, n_b, share_a, share_b):
    hits = round(share_a * n_a), round(share_b * n_b)
    mine = proportions(hits[0] / n_a, n_a, hits[1] / n_b, n_b)
    if 0 < sum(hits) < n_a + n_b:
        z = proportions_ztest(hits, (n_a, n_b))[0]
        assert mine.statistic == pytest.approx(z, abs=1e-9)
        n = n_a + n_b
        assert mine.p == pytest.approx(stats.t.sf(abs(z), n - 1) if n <= 40 else stats.norm.sf(abs(z)))
        interval = confint_proportions_2indep(hits[0], n_a, hits[1], n_b, method="newcomb", compare="diff")
        assert mine.interval == pytest.approx(tuple(interval), abs=1e-9)
        assert mine.interval[0] <= mine.effect + 1e-12
        assert mine.effect <= mine.interval[1] + 1e-12
    else:
        assert mine.p is None
        assert mine.problem


def test_forty_trials_are_few_and_forty_one_are_not():
    few, many = proportions(0.75, 20, 0.5, 20), proportions(0.75, 20, 10 / 21, 21)
    assert few.p == pytest.approx(stats.t.sf(few.statistic, 39))
    assert many.p == pytest.approx(stats.norm.sf(many.statistic))


def test_one_hit_or_one_miss_in_all_can_be_judged():
    assert proportions(1 / 50, 50, 0.0, 50).p == pytest.approx(stats.norm.sf(proportions_ztest((1, 0), (50, 50))[0]))
    assert proportions(1.0, 50, 49 / 50, 50).direction == 1
    assert proportions(0.0, 50, 0.0, 50).p is None
    assert proportions(1.0, 50, 1.0, 50).p is None


def test_accuracies_are_the_shares_of_right_decisions():
    found = accuracies([1, 1, 0, 1], [0, 1, 0, 0], names=("x", "y"))
    expected = proportions(0.75, 4, 0.25, 4, names=("x", "y"), measure="accuracy")
    assert found == expected
    assert accuracies([], [1]).problem == "A has no trials, so its accuracy is undefined."
    assert accuracies([1], []).problem == "B has no trials, so its accuracy is undefined."
    assert "nothing to tell them apart by" in accuracies([1], [1]).problem


@pytest.mark.parametrize(
    "choice",
    [(1.1, 5, 0.5, 5), (-0.1, 5, 0.5, 5), (0.5, 5, 1.1, 5), (0.5, 5, -0.1, 5), (0.5, -1, 0.5, 5), (0.5, 5, 0.5, -1)],
)
def test_impossible_shares_are_refused(choice):
    with pytest.raises(SettingError, match=r"shares lie in \[0, 1\]"):
        proportions(*choice)


def test_the_interval_of_a_share_is_exact():
    for n in (1, 5, 30):
        for k in range(n + 1):
            expected = stats.binomtest(k, n).proportion_ci(0.95, method="exact")
            found = macro_sign([1] * k + [0] * (n - k), [0.5] * n).interval
            assert found == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (3, 10), (47, 1_000), (1, 1)])
def test_intervals_are_wilsons(successes, trials):
    expected = proportion_confint(successes, trials, method="wilson")
    np.testing.assert_allclose(wilson(successes, trials), expected, atol=1e-12)


def test_wilson_without_trials_says_nothing():
    assert wilson(0, 0) == (0.0, 1.0)


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


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_fewer_than_six_differences_have_no_interval(n):
    # From the lowest to the highest of them covers too little: .75 at three and .87 at four.
    d = np.random.default_rng(n).normal(0.2, 1, n)
    assert wilcoxon(d, np.zeros(n)).interval is None and wilcoxon(d, np.zeros(n)).effect is not None


@pytest.mark.parametrize("n", [6, 25, 200])
def test_the_interval_leaves_out_as_many_means_on_either_side(n):
    """W lies within z·s of n(n + 1)/4 with s² = n(n + 1)(2n + 1)/24; few rows leave every mean in."""
    d = np.random.default_rng(n).normal(0.2, 1, n)
    means = sorted((one + two) / 2 for one, two in itertools.combinations_with_replacement(d, 2))
    lowest = (len(means) / 2) - stats.norm.ppf(0.975) * np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    cut = int(max(lowest, 0))
    assert wilcoxon(d, np.zeros(n)).interval == pytest.approx((means[cut], means[len(means) - 1 - cut]))


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
