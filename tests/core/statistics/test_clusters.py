"""Error correlation against all pairs, and the clustered comparison against statsmodels and by simulation."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from core.errors import SettingError
from core.statistics import TESTS, chance_phi, clustered_comparison, simulated_type1, true_rate
from core.statistics.clusters import grouped_phi

errors_in_groups = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=3, max_size=30).map(
    lambda rows: (np.array([row[0] for row in rows]), np.array([row[1] for row in rows]))
)


def topic_errors(rng, sizes, spread):
    """Draw two models' errors whose difference varies by topic, with no difference overall."""
    topics = np.repeat(np.arange(len(sizes)), sizes)
    tilt = np.clip(0.3 + spread * rng.normal(size=(2, len(sizes))), 0.02, 0.98)
    return (*(rng.random(len(topics)) < tilt[model][topics] for model in range(2)), topics)


@given(errors_in_groups)
def test_grouped_phi_equals_all_pairs(data):
    wrong, groups = data
    p = wrong.mean()
    by_group, pairs = [], []
    for group in np.unique(groups):
        inside = wrong[groups == group]
        products = [(x - p) * (y - p) for x, y in permutations(inside, 2)]
        if products:
            by_group.append(np.mean(products))
            pairs.append(len(products))
    if not by_group or p in (0, 1):
        assert np.isnan(grouped_phi(wrong, groups))
        return
    weighted = np.average(by_group, weights=pairs) / (p * (1 - p))
    assert grouped_phi(wrong, groups) == pytest.approx(weighted, abs=1e-9)


def test_phi_is_one_for_groups_of_one_mind_and_zero_for_chance():
    groups = np.repeat(np.arange(10), 30)
    assert grouped_phi(groups % 2, groups) == pytest.approx(1.0)
    chance = np.random.default_rng(0).random(100_000) < 0.2
    assert grouped_phi(chance, np.arange(100_000) % 500) == pytest.approx(0.0, abs=0.002)


@pytest.mark.parametrize("seed", range(8))
def test_corrected_p_is_the_cluster_robust_one_and_naive_the_paired_t(seed):
    rng = np.random.default_rng(seed)
    a, b, topics = topic_errors(rng, rng.integers(1, 40, size=12), 0.15)
    found = clustered_comparison(a, b, topics)
    d = b.astype(float) - a
    clustered = sm.OLS(d, np.ones(len(d))).fit(cov_type="cluster", cov_kwds={"groups": topics}, use_t=True)
    if found.phi_difference >= 0:
        assert found.corrected_p == pytest.approx(float(clustered.pvalues[0]), abs=1e-9)
    assert found.naive_p == pytest.approx(stats.ttest_rel(b * 1.0, a * 1.0).pvalue, abs=1e-9)
    assert found.design_effect == pytest.approx(1 + max(found.phi_difference, 0) * (found.group_size - 1))
    assert found.effective_documents == pytest.approx(len(a) / found.design_effect)
    assert found.difference == pytest.approx(d.mean())
    mirrored = clustered_comparison(b, a, topics)
    assert mirrored.naive_p == pytest.approx(found.naive_p)
    assert (mirrored.phi_a, mirrored.phi_b) == pytest.approx((found.phi_b, found.phi_a))


def test_the_comparison_does_not_depend_on_the_order_of_documents_or_names_of_topics():
    a, b, topics = topic_errors(np.random.default_rng(0), [20, 5, 30, 9], 0.2)
    shuffle = np.random.default_rng(1).permutation(len(a))
    names = np.array(["w", "x", "y", "z"])
    first, again = (
        clustered_comparison(a, b, topics),
        clustered_comparison(a[shuffle], b[shuffle], names[topics][shuffle]),
    )
    assert first.corrected_p == pytest.approx(again.corrected_p)
    assert first.phi_difference == pytest.approx(again.phi_difference)


def test_the_naive_test_errs_as_often_as_expected_and_the_corrected_one_does_not():
    rng = np.random.default_rng(0)
    found = [clustered_comparison(*topic_errors(rng, [40] * 30, 0.1)) for _ in range(600)]
    naive = np.mean([record.naive_p < 0.05 for record in found])
    corrected = np.mean([record.corrected_p < 0.05 for record in found])
    expected = np.mean([record.expected_type1 for record in found])
    assert naive > 0.15
    assert naive == pytest.approx(expected, abs=0.05)
    assert corrected == pytest.approx(0.05, abs=0.03)


def test_signs_drawn_by_topic_give_the_expected_type1_too():
    a, b, topics = topic_errors(np.random.default_rng(5), [30] * 40, 0.12)
    assert simulated_type1(a, b, topics, trials=4_000, seed=0) == pytest.approx(
        clustered_comparison(a, b, topics).expected_type1, abs=0.03
    )


def test_what_cannot_be_compared_is_said():
    same = clustered_comparison([0, 1, 0, 1], [0, 1, 0, 1], list("aabb"))
    assert np.isnan([same.naive_p, same.corrected_p, same.design_effect, same.expected_type1]).all()
    assert np.isnan(simulated_type1([0, 1, 0, 1], [0, 1, 0, 1], list("aabb"), seed=0))
    singles = clustered_comparison([0, 1, 0, 1], [1, 1, 0, 0], list("abcd"))
    assert singles.design_effect == 1
    assert singles.naive_p == pytest.approx(singles.corrected_p)
    assert singles.single and not same.single
    balanced = clustered_comparison([1, 0, 1, 0], [0, 1, 0, 1], list("aabb"))
    assert (balanced.design_effect, balanced.effective_documents, balanced.phi_difference) == (1, 4, -1)
    assert balanced.corrected_p == 1
    with pytest.raises(SettingError, match="in 2 topics are needed"):
        clustered_comparison([0, 1, 0], [1, 0, 0], list("aaa"))
    with pytest.raises(SettingError, match="Model B's errors must be 0"):
        clustered_comparison([0, 1, 0], [1, 0, 2], list("aab"))
    with pytest.raises(SettingError, match="give one of each per document"):
        clustered_comparison([0, 1, 0], [1, 0], list("aab"))
    with pytest.raises(SettingError, match="in 2 topics are needed"):
        clustered_comparison([0, 1], [1, 0], list("ab"))
    for trials in (0, 1_000_001):
        with pytest.raises(SettingError, match="choose from 1 to 1,000,000"):
            simulated_type1([0, 1, 0], [1, 0, 0], list("aab"), trials=trials, seed=0)


def test_unlike_errors_have_a_phi_below_0():
    few = clustered_comparison(*topic_errors(np.random.default_rng(2), [12] * 9, 0.2))
    assert (few.topics, few.documents) == (9, 108)
    unlike = clustered_comparison([1, 0] * 10, [0, 1] * 10, np.repeat(np.arange(10), 2))
    assert unlike.phi_difference < 0
    assert unlike.design_effect == 1


def test_signs_are_drawn_as_often_as_asked():
    a, b, topics = topic_errors(np.random.default_rng(5), [30] * 40, 0.12)
    for trials in (1, 7, 1_001):
        share = simulated_type1(a, b, topics, trials=trials, seed=3)
        assert share * trials == pytest.approx(round(share * trials))
    assert simulated_type1(a, b, topics, seed=3, alpha=0.5) > simulated_type1(a, b, topics, seed=3)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 6)), min_size=3, max_size=60))
def test_a_correction_never_makes_more_of_documents_than_there_are(rows):
    a, b, topics = map(np.array, zip(*rows, strict=True))
    assume(len(np.unique(topics)) > 1)
    found = clustered_comparison(a, b, topics)
    if np.ptp(b - a) == 0:
        assert np.isnan(found.corrected_p)
        return
    assert found.design_effect >= 1
    assert found.effective_documents <= found.documents
    assert found.corrected_p >= found.naive_p - 1e-12
    assert found.expected_type1 >= 0.05 - 1e-12


def test_the_true_rate_of_tests_over_decisions():
    """The sign test and the proportions test call two equal models different as often as they are shown to."""
    rng = np.random.default_rng(1)
    rejected, expected = {"s": [], "p": []}, {"s": [], "p": []}
    for _ in range(500):
        a, b, topics = topic_errors(rng, [40] * 30, 0.1)
        found = clustered_comparison(a, b, topics)
        for name in rejected:
            rejected[name].append(2 * TESTS[name].run(1 - a, 1 - b).p <= 0.05)
            expected[name].append(true_rate(TESTS[name], found))
    for name, rates in rejected.items():
        assert np.mean(rates) > 0.15
        assert np.mean(rates) == pytest.approx(np.mean(expected[name]), abs=0.05)
    alone = clustered_comparison([0, 1, 0, 1], [1, 1, 0, 0], list("abcd"))
    assert true_rate(TESTS["s"], alone) == pytest.approx(0.05), "two-sided, as the Trust lab reads it"
    assert true_rate(TESTS["s"], alone, alpha=0.01) == pytest.approx(0.01)
    with pytest.raises(SettingError, match="does not assume independent documents"):
        true_rate(TESTS["T"], alone)


def test_matching_is_how_much_of_the_variance_is_left():
    a, b, topics = topic_errors(np.random.default_rng(3), [20] * 10, 0.1)
    found = clustered_comparison(a, b, topics)
    assert found.matching == pytest.approx((b * 1.0 - a).var() / (a.var() + b.var()))
    assert np.isnan(clustered_comparison([1, 1, 1], [1, 1, 1], list("aab")).matching)


def test_shuffled_topics_exceed_chance_as_rarely_as_they_should():
    rng = np.random.default_rng(3)
    a, b = (rng.random((2, 400)) < 0.3).astype(int)
    above = []
    for trial in range(200):
        topics = rng.permutation(np.repeat(np.arange(10), 40))
        found = clustered_comparison(a, b, topics).phi_difference
        above.append(found > chance_phi(a, b, topics, seed=trial, draws=99))
    assert 0.01 <= np.mean(above) <= 0.1
    a, b, topics = topic_errors(rng, [40] * 10, 0.8)
    assert clustered_comparison(a, b, topics).phi_difference > chance_phi(a, b, topics, seed=0)


def test_chance_is_of_the_differences_and_of_their_topics():
    """Of two topics with two documents each, one split in three puts the like together: φ is 1 there, else −1."""
    a, b, topics = [0, 0, 1, 1], [1, 1, 0, 0], list("xxyy")
    assert chance_phi(a, b, topics, seed=0) == pytest.approx(1)
    assert chance_phi(a, b, topics, seed=0, draws=1) in (pytest.approx(1), pytest.approx(-1))
    assert np.isnan(chance_phi(a, a, topics, seed=0)), "two models that err together do not differ"
    a, b, topics = topic_errors(np.random.default_rng(1), [9] * 8, 0.2)
    assert chance_phi(a, b, topics, seed=0) == chance_phi(a, b, topics, seed=0, draws=199)


def signed_by_hand(a, b, topics):
    """The naive test's p for every way to give signs to topics, by scipy's t-test on the documents themselves."""
    d = b - a - np.mean(b - a)
    return np.array([stats.ttest_1samp(d * np.array(signs)[topics], 0).pvalue for signs in product((-1, 1), repeat=4)])


def test_signs_reject_as_often_as_all_of_them_counted():
    """Four topics have sixteen signs: below and above every p there is, the share is that of those below it."""
    topics = np.repeat(np.arange(4), [2, 3, 4, 6])
    a = np.array([0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1])
    b = np.array([1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0])
    every = signed_by_hand(a, b, topics)
    steps = np.unique(np.round(every, 9))[:-1]
    assert len(steps) == 7, "and 1 where all signs are the same, for what is left of the mean is 0"
    for step in steps:
        for alpha in (step * (1 - 1e-6), step * (1 + 1e-6)):
            found = simulated_type1(a, b, topics, trials=3_000, seed=1, alpha=alpha)
            assert found == pytest.approx((every < alpha).mean(), abs=0.04)
    for trials in (1, 999, 1_000, 1_001, 2_000, 2_001):
        assert simulated_type1(a, b, topics, trials=trials, seed=2, alpha=1.1) == 1, "every one counts once"
    middle = steps[len(steps) // 2] * (1 + 1e-6)
    assert simulated_type1(a, b, topics, seed=3, alpha=middle) == simulated_type1(
        a, b, topics, seed=3, alpha=middle, trials=2_000
    )


def test_the_true_rate_is_worked_from_the_design_effect_and_the_matching():
    """z/√factor in normal tables: 1.9600/√4 = .9800, and 1.9600/√(4 · ½) = 1.3859 without matching."""
    found = replace(clustered_comparison([0, 1, 0, 1], [1, 1, 0, 0], list("abcd")), design_effect=4.0, matching=0.5)
    assert true_rate(TESTS["s"], found) == pytest.approx(0.32710, abs=1e-5)
    assert true_rate(TESTS["p"], found) == pytest.approx(0.16577, abs=1e-5)


def test_one_document_a_topic_has_a_correlation_of_0():
    found = clustered_comparison([0, 1, 0, 1], [1, 1, 0, 0], list("abcd"))
    assert found.phi_difference == 0
    assert found.single


def test_a_million_signs_may_be_asked_for():
    assert 0 <= simulated_type1([0, 1, 0], [1, 0, 0], list("aab"), trials=1_000_000, seed=0) <= 1
