"""What may be said: every branch of every sentence, and that nothing is claimed where nothing differs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from core.statistics import (
    comparison_conclusion,
    decisions_caution,
    decisions_conclusion,
    error_conclusion,
    lead,
    micro_sign,
    rank_models,
    ranking_conclusion,
)
from core.statistics.clusters import chance_phi, clustered_comparison, simulated_type1
from core.statistics.conclusions import NO_LABELS

MODELS = ("one", "two", "three")


def ranked(*rows: list[float], **choices) -> tuple[str, tuple[str, ...]]:
    found = ranking_conclusion([np.array(rows, dtype=np.float64)], MODELS[: len(rows)], metric="accuracy", **choices)
    return found.answer, found.cautions


def test_a_winner_and_folds_that_agree():
    answer, cautions = ranked([0.9] * 6, [0.8] * 6, [0.7] * 6)
    assert answer == "one wins by accuracy under HITS; all 6 folds rank the models alike."
    assert cautions == ()


def test_a_winner_whose_rivals_change_places():
    answer, _ = ranked([0.9] * 8, [0.8, 0.7] * 4, [0.7, 0.8] * 4)
    assert answer.startswith(
        "one wins by accuracy under HITS; rankings of two folds agree with a mean ρ of 0.71 (95 %: "
    )


def test_close_models_are_named_and_no_winner_is():
    answer, _ = ranked([0.9, 0.8] * 4, [0.8, 0.9] * 4, [0.1] * 8)
    assert answer.startswith("Too close to call by accuracy under HITS: one and two; rankings of two folds agree")


def test_equal_models_are_too_close_whatever_their_scores():
    answer, _ = ranked([0.9, 0.5, 0.7] * 3, [0.9, 0.5, 0.7] * 3)
    assert answer == "Too close to call: under HITS all 2 models have the same accuracy in every fold."


def test_few_folds_name_nobody_and_say_why():
    answer, cautions = ranked([0.9] * 2, [0.8] * 2)
    assert answer.startswith("Too close to call") and "so few folds do not show" in answer
    assert cautions == ("2 folds cannot name a winner, whatever the scores: it takes 6 that agree.",)


def test_one_model_or_none_is_no_contest():
    nan = float("nan")
    assert ranked([0.9, 0.8])[0] == "Nobody wins: only one could be run under HITS."
    assert ranked([nan, nan], [0.7, 0.8])[0] == "Nobody wins: only two could be run under HITS."
    assert ranked([nan, nan], [nan, nan])[0] == "Nobody wins: no fold could be run under HITS."


def test_folds_that_all_tie_tell_nothing_of_their_agreement():
    answer, _ = ranked([0.9, 0.8, float("nan")], [0.9, float("nan"), 0.7])
    assert "all 2 models have the same accuracy" in answer


def test_random_samples_stand_beside_the_winner():
    hits, other = np.array([[0.9] * 6, [0.8] * 6]), np.array([[0.5] * 6, [0.8] * 6])
    nothing = np.full((2, 6), np.nan)
    said = [
        ranking_conclusion([hits, *random], MODELS[:2], metric="F1").cautions[-1]
        for random in ([hits, hits, other], [nothing])
    ]
    assert said == [
        "The best mean rank under HITS is one's, and so it is on 2 of 3 random samples.",
        "No random sample could be ranked.",
    ]


def test_labels_that_mean_nothing_are_said_to():
    assert NO_LABELS in ranked([0.9] * 6, [0.8] * 6, meaningful=False)[1]


def test_noise_seldom_names_a_winner():
    rng = np.random.default_rng(0)
    named = sum(ranked(*rng.random((3, 6)).tolist())[0].startswith(MODELS) for _ in range(200))
    assert named <= 20


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_a_winner_is_said_exactly_where_one_leads_alone(seed):
    rng = np.random.default_rng(seed)
    table = rng.random((3, 8)) + np.array([[rng.random()], [0], [0]])
    answer = ranking_conclusion([table], MODELS, metric="F1").answer
    assert (" wins by " in answer) == (lead(rank_models(table)).winner is not None)


def compared(d, *, margin=0.05, **more) -> tuple[str, tuple[str, ...]]:
    d = np.asarray(d, dtype=np.float64)
    found = comparison_conclusion(0.5 + d, np.full(len(d), 0.5), names=("A", "B"), margin=margin, **more)
    return found.answer, found.cautions


def test_better_by_signs_with_p_of_an_independent_library():
    answer, cautions = compared([0.1, 0.2] * 6 + [-0.1], margin=0.01)
    p = binomtest(12, 13).pvalue
    assert answer == (
        f"A is better than B: A is ahead of B in 12 of the 13 topics that differ (strong evidence, p = {p:.4f}, two-sided); "
        "on average A is ahead by 0.131."
    )
    assert cautions == ()


def test_some_evidence_for_the_second():
    answer, _ = compared([-0.1, -0.2, -0.1, -0.3, -0.1, -0.2], margin=0.01)
    assert answer.startswith(
        "B is better than A: B is ahead of A in 6 of the 6 topics that differ (some evidence, p = 0.0312"
    )


def test_better_by_less_than_matters():
    answer, _ = compared([0.001, 0.002] * 10, margin=0.05)
    assert answer.startswith("A is better than B, though by less than 0.05: ")


def test_equivalent_within_the_margin():
    answer, _ = compared([0.001, -0.001] * 10, margin=0.05)
    assert answer.startswith(
        "A and B are equivalent within 0.05: A and B are each ahead in 10 of the 20 topics that differ"
    )


def test_neither_better_nor_equivalent():
    answer, _ = compared([0.3, -0.3] * 5, margin=0.05)
    assert answer.startswith("Cannot tell: A and B are each ahead in 5 of the 10")
    assert answer.endswith("That they differ by less than 0.05 is not shown either.")


def test_ahead_in_most_topics_and_behind_on_average():
    answer, _ = compared([0.01] * 12 + [-0.5], margin=0.001)
    assert "A is ahead of B in 12 of the 13" in answer and "on average A is behind by 0.029" in answer


def test_equal_everywhere_is_nothing_to_tell_apart_by():
    answer, cautions = compared([0.0] * 9)
    assert answer == "Nothing tells them apart: A and B score the same on all 9 topics."
    assert cautions == ("0 topics that differ cannot tell two systems apart, whatever the scores: it takes 6.",)


def test_three_topics_tell_nothing_however_far_apart():
    answer, cautions = compared([0.5, 0.6, 0.7], margin=0.05)
    assert answer.startswith("Cannot tell")
    assert cautions[-1] == "3 topics that differ cannot tell two systems apart, whatever the scores: it takes 6."


def test_no_row_that_both_have():
    nan = float("nan")
    found = comparison_conclusion([nan, 1.0], [1.0, nan], names=("A", "B"), margin=0.05)
    assert found.answer == "Nothing can be said of A and B: no row has a value for both systems."


def test_effective_topics_are_kishs():
    _, cautions = compared([0.1, 0.2, 0.3, float("nan")], sizes=[1, 1, 2, 50])
    assert (
        "Every one of the 3 topics counts alike; by their documents they would count as 2.7 of equal size." in cautions
    )


@given(st.lists(st.sampled_from([-0.2, -0.1, 0.0, 0.1, 0.3]), min_size=1, max_size=20))
@settings(deadline=None)
def test_swapping_the_two_changes_no_claim(d):
    d = np.array(d)
    there = comparison_conclusion(0.5 + d, np.full(len(d), 0.5), names=("A", "B"), margin=0.05).answer
    back = comparison_conclusion(np.full(len(d), 0.5), 0.5 + d, names=("B", "A"), margin=0.05).answer
    claims = ("A is better", "B is better", "Cannot tell", "Nothing tells")
    assert [there.startswith(claim) for claim in claims] == [back.startswith(claim) for claim in claims]


def test_equal_systems_are_called_better_no_more_often_than_promised():
    rng = np.random.default_rng(1)
    called = sum(" is better than " in compared(rng.normal(size=20))[0] for _ in range(300))
    assert called <= 0.05 * 300 + 3 * np.sqrt(300 * 0.05 * 0.95)


def test_decisions_claim_with_a_condition_or_not_at_all():
    right, wrong = np.ones(12), np.zeros(12)
    assert decisions_conclusion(right, wrong, names=("A", "B")).answer.startswith(
        "A is better than B, if decisions are independent: A is ahead of B in 12 of the 12 decisions that differ"
    )
    mixed = np.array([1, 0] * 6)
    found = decisions_conclusion(mixed, 1 - mixed, names=("A", "B"))
    assert found.answer.startswith("Cannot tell: ") and "are not independent" in found.cautions[0]
    assert decisions_conclusion(right, right, names=("A", "B")).answer.startswith("Nothing tells them apart")
    assert decisions_conclusion([1], [1, 0], names=("A", "B")).answer.startswith("Nothing can be said")


@pytest.mark.parametrize(
    ("rate", "alike", "said"),
    [
        (None, False, "how often it errs cannot be told here"),
        (0.1, False, "should err in 10 % of studies"),
        (0.34, True, "in about 34 % of studies instead of 10 %"),
    ],
)
def test_decisions_beside_topics_say_how_far_they_may_be_believed(rate, alike, said):
    test = micro_sign([1, 1, 1, 0], [0, 0, 1, 1], names=("A", "B"))
    for share_texts in (False, True):
        caution = decisions_caution(test, rate=rate, alike=alike, share_texts=share_texts)
        assert caution.startswith(f"By single decisions: {test.reading}") and said in caution
        assert ("Pairs also share texts" in caution) == share_texts


def errors(a, b, topics):
    found = clustered_comparison(a, b, topics)
    chance, simulated = chance_phi(a, b, topics, seed=0), simulated_type1(a, b, topics, seed=0)
    return error_conclusion(found, by_chance=chance, simulated=simulated, names=("A", "B")), found, simulated


def test_errors_that_come_in_topics_make_a_test_lie_more_often():
    rng = np.random.default_rng(0)
    topics = np.repeat(np.arange(12), 20)
    a = (rng.random(240) < np.repeat(rng.choice([0.05, 0.9], 12), 20)).astype(int)
    b = (rng.random(240) < 0.4).astype(int)
    told, found, simulated = errors(a, b, topics)
    low, high = sorted((found.expected_type1, simulated))
    rate = f"{100 * low:.0f} to {100 * high:.0f} %" if f"{low:.2f}" != f"{high:.2f}" else f"{100 * low:.0f} %"
    assert told.answer == (
        "A test that takes these 240 questions for independent would find a difference between two equally good models in "
        f"about {rate} of studies instead of 5 %."
    )
    assert "percentage points. Taking all questions for independent gives p" in told.cautions[0]
    assert "counting the 12 topics as what they are, p" in told.cautions[0]


def test_shuffled_topics_are_not_blamed():
    rng = np.random.default_rng(3)
    told, *_ = errors(rng.integers(0, 2, 200), rng.integers(0, 2, 200), rng.permutation(np.repeat(np.arange(10), 20)))
    assert told.answer.startswith("As far as topics go, nothing shows that a test that takes these 200 questions")


def test_models_that_never_differ_leave_nothing_to_test():
    same = np.array([0, 1, 0, 1, 1, 0])
    topics = [0, 0, 1, 1, 2, 2]
    assert errors(same, same, topics)[0].answer.endswith("the two are right on the very same questions.")
    assert errors(np.zeros(6, int), np.ones(6, int), topics)[0].answer.endswith(
        "one is right and the other wrong on every question."
    )


def test_equally_often_right_is_said_so():
    a, b = np.array([0, 1] * 10), np.array([1, 0] * 10)
    told, *_ = errors(a, b, np.repeat(np.arange(5), 4))
    assert told.cautions[0].startswith("A and B are right equally often.")
