"""Two systems: every outcome has its sentence, each test its reading, and swapping A and B swaps no claim."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from core.errors import SettingError
from core.evaluation.two_models import ClusteredErrors, ComparedModels, ErrorRates, make_comparison_table
from core.questions import comparison, significance, table, trust
from core.statistics import TESTS, chance_phi, clustered_comparison, compare, head_to_head, micro_sign, simulated_type1

NAMES = ("ours", "theirs")


def headline(d, *, margin=0.05, rows="topics") -> str:
    d = np.asarray(d, dtype=np.float64)
    found = head_to_head(0.5 + d, np.full(len(d), 0.5), margin=margin)
    return comparison.headline(found, NAMES, rows=rows)


@pytest.mark.parametrize(
    ("d", "starts"),
    [
        ([0.1, 0.2] * 6 + [-0.1], "Yes. ours is better than theirs: it is ahead in 12 of 13"),
        ([-0.1, -0.2] * 3, "No. theirs is better than ours: it is ahead in all 6"),
        ([0.001, -0.001] * 10, "No. ours and theirs are equivalent"),
        ([0.3, -0.3] * 5, "Inconclusive. ours and theirs are each ahead in 5 of 10"),
        ([0.3, -0.3, 0.4] * 3, "Inconclusive. ours is ahead in 6 of 9"),
        ([0.5, 0.6, 0.7], "Inconclusive. ours and theirs differ on only 3 topics;"),
        ([0.5], "Inconclusive. ours and theirs differ on only 1 topic;"),
        ([0.0] * 9, "No. ours and theirs score the same on all 9"),
        ([math.nan], "ours and theirs cannot be compared: no row"),
    ],
)
def test_every_outcome_has_its_sentence(d, starts):
    assert headline(d).startswith(starts)
    assert len(headline(d).split()) <= 25


def test_decisions_are_better_only_if_they_are_independent():
    assert headline([0.5] * 12, rows="decisions").startswith("Yes, if decisions are independent. ours is better")


def test_ahead_in_most_topics_and_behind_on_average():
    d = np.array([0.01] * 12 + [-0.5])
    found = head_to_head(0.5 + d, np.full(13, 0.5), margin=0.001)
    assert comparison.reasons(found, NAMES, rows="topics")[0].startswith("On average, ours is behind by 0.03: a few")


def test_a_null_result_says_what_could_be_missed():
    d = np.array([0.3, -0.3] * 5)
    found = head_to_head(0.5 + d, np.full(10, 0.5), margin=0.05)
    said = comparison.reasons(found, NAMES, rows="topics")
    assert f"below about {found.detectable:.2g} could be missed" in said[1]


def test_readings_name_the_winner_and_the_strength():
    rng = np.random.default_rng(0)
    b = rng.random(20)
    tests = compare(b - 0.1 - 0.01 * rng.random(20), b, kind="scores", names=NAMES)
    for name, test in tests.items():
        said = comparison.reading(test, NAMES, margin=0.05)
        assert ("strong evidence that theirs is better" in said) == (test.verdict == "«"), name
    assert comparison.reading(tests["S"], NAMES).startswith("theirs is ahead in 20 of 20 rows")
    assert "not shown to be within the margin of 0.05" in comparison.reading(tests["equivalence"], NAMES, margin=0.05)
    same = compare(b, b, kind="scores", names=NAMES)
    assert comparison.reading(same["S"], NAMES) == same["S"].problem


def test_a_table_answers_and_refuses_one_system_twice():
    results = make_comparison_table({"A": ["1", "0"] * 20, "B": ["0", "0"] * 20, "C": ["1", "1"] * 20})
    found = table.answer(results, table.Settings.resolve(results))
    assert "dependent-decisions" in found.caution_codes() and set(found.data["tests"]) == {"s", "p"}
    assert [each.name for each in found.figures] == ["all_pairs"]
    with pytest.raises(SettingError, match="two different"):
        table.answer(results, table.Settings.resolve(results, {"a": "A", "b": "A"}))


@pytest.mark.parametrize(
    ("rate", "clustered", "words"),
    [(None, False, "unknown"), (0.1, False, "no more correlated"), (0.34, True, "about 34% of the time, not 5%")],
)
def test_single_decisions_come_with_how_often_they_err(rate, clustered, words):
    test = micro_sign([1, 1, 1, 0], [0, 0, 1, 1], names=NAMES)
    errors = ErrorRates({} if rate is None else {"s": rate}, clustered=clustered)
    outcome = head_to_head([0.5], [0.4], margin=0.05)
    for share_texts in (False, True):
        two = ComparedModels(NAMES, ("t",), (4,), (np.ones(1), np.ones(1)), {"s": test}, errors, outcome, share_texts)
        said = significance.decisions_caution(two).text
        assert words in said and ("share texts" in said) == share_texts


def errors_of(a, b, topics) -> ClusteredErrors:
    found = clustered_comparison(a, b, topics)
    return ClusteredErrors(found, chance_phi(a, b, topics, seed=0), simulated_type1(a, b, topics, seed=0))


def test_errors_that_cluster_by_topic_give_false_alarms():
    rng = np.random.default_rng(0)
    topics = np.repeat(np.arange(12), 20)
    a = (rng.random(240) < np.repeat(rng.choice([0.05, 0.9], 12), 20)).astype(int)
    errors = errors_of(a, (rng.random(240) < 0.4).astype(int), topics)
    assert trust.level(errors) == "bad"
    assert trust.headline(errors).startswith("A test that treats these 240 answers as independent gives a false alarm")
    assert "With the 12 topics as units, p" in trust.reasons(errors, NAMES)[1]


def test_shuffled_topics_are_not_blamed():
    rng = np.random.default_rng(3)
    shuffled = rng.permutation(np.repeat(np.arange(60), 20))
    errors = errors_of(rng.integers(0, 2, 1_200), rng.integers(0, 2, 1_200), shuffled)
    assert trust.level(errors) == "good" and trust.headline(errors).startswith("About as often as it should")


def test_too_few_topics_are_not_called_sound():
    """With four topics of ten answers, shuffled topics reach a φ whose false-alarm rate is above 10%."""
    rng = np.random.default_rng(1)
    errors = errors_of(rng.integers(0, 2, 40), rng.integers(0, 2, 40), np.repeat(np.arange(4), 10))
    rate = 2 * norm.sf(norm.isf(0.025) / np.sqrt(1 + 9 * errors.by_chance))
    assert errors.found.phi_difference <= errors.by_chance and rate > trust.TOO_OFTEN
    assert trust.level(errors) == "unknown"
    assert f"a false-alarm rate of {100 * rate:.0f}% instead of 5% would look the same" in trust.headline(errors)


def test_models_that_never_differ_leave_nothing_to_test():
    same, topics = np.array([0, 1, 0, 1, 1, 0]), [0, 0, 1, 1, 2, 2]
    assert trust.headline(errors_of(same, same, topics)).endswith("exactly the same answers.")
    assert trust.headline(errors_of(np.zeros(6, int), np.ones(6, int), topics)).endswith("wrong on every answer.")


def test_equally_often_right_is_said():
    errors = errors_of(np.array([0, 1] * 10), np.array([1, 0] * 10), np.repeat(np.arange(5), 4))
    assert trust.reasons(errors, NAMES)[0] == "ours and theirs are right equally often."


def test_the_test_to_trust_says_what_the_headline_says():
    d = np.array([0.1] * 9 + [-0.1] * 2 + [0.0] * 4)  # 9 of 11: p is .033 on one side and .065 on two
    tests = compare(0.5 + d, np.full(15, 0.5), kind="scores")
    found = head_to_head(0.5 + d, np.full(15, 0.5), margin=0.05)
    assert "not significant (p = .07)" in comparison.headline(found, ("A", "B"), rows="topics")
    assert (
        comparison.reading(tests["S"], ("A", "B"))
        == "A is ahead in 9 of 11 rows that differ: not significant (p = .07)."
    )
    table = comparison.tests_table(tests, ("A", "B"), per="topic", margin=0.05).make()
    assert table.set_index("test").loc[TESTS["S"].label, ["verdict", "p"]].tolist() == ["~", pytest.approx(found.p)]
    won = comparison.facts(found, ("A", "B"), rows="topics")[0]
    assert (won.value, won.note) == ("9 of 11", "by A, 2 by B; 4 tied")


def test_numbers_of_one_sentence_have_the_same_decimals_and_none_is_rounded_to_0():
    assert comparison._rounded(0.083, -0.046, 0.212) == ["0.08", "−0.05", "0.21"]
    assert comparison._rounded(0.062, 0.003, 0.116) == ["0.062", "0.003", "0.116"]
    assert comparison._rounded(152.4) == ["152"] and comparison._rounded(0.0) == ["0.000"]
