"""Metrics: the methods sheet's example, scikit-learn as an oracle, and NaN wherever there is no value."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, precision_recall_fscore_support, roc_auc_score

from core.errors import InputError
from core.models import METRICS, accuracy, answered_right, macro_f1, precision_recall, verification_scores

TRUTH = [1, 1, 1, 0, 0, 0, 1, 0]
SCORES = [0.9, 0.7, 0.5, 0.2, 0.5, 0.6, 0.3, 0.1]

answers = st.lists(st.tuples(st.booleans(), st.sampled_from(np.linspace(0, 1, 21).tolist())), min_size=1, max_size=40)
labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


def test_worked_example():
    scores = verification_scores(TRUTH, SCORES)
    assert scores.auc == pytest.approx(0.78125)
    assert scores.c_at_1 == pytest.approx(0.625)
    assert scores.f05u == pytest.approx(0.588235, abs=5e-7)
    assert scores.f1 == pytest.approx(0.666667, abs=5e-7)
    assert scores.overall == pytest.approx((0.78125 + 0.625 + 10 / 17 + 2 / 3) / 4)
    assert scores.overall_with_brier == pytest.approx((4 * scores.overall + scores.brier) / 5)


@given(answers)
@settings(max_examples=40, deadline=None)
def test_scikit_learn_agrees_where_it_has_an_opinion(pairs):
    truth, scores = (np.array(column) for column in zip(*pairs, strict=True))
    found = verification_scores(truth, scores)
    if 0 < truth.sum() < len(truth):
        assert found.auc == pytest.approx(roc_auc_score(truth, scores))
    assert found.brier == pytest.approx(1 - brier_score_loss(truth, scores, pos_label=True))
    answered = scores != 0.5
    if (truth & answered).any() or (scores > 0.5).any():
        assert found.f1 == pytest.approx(f1_score(truth[answered], scores[answered] > 0.5))
    if answered.all():
        assert found.c_at_1 == pytest.approx(accuracy_score(truth, scores > 0.5))


@given(answers)
@settings(max_examples=40, deadline=None)
def test_values_are_fractions_and_agree_with_the_record(pairs):
    truth, scores = zip(*pairs, strict=True)
    together = verification_scores(truth, scores)
    named = together.named()
    assert list(named) == list(METRICS)
    fields = ("auc", "c_at_1", "f05u", "f1", "brier", "overall", "overall_with_brier")
    np.testing.assert_equal(list(named.values()), [getattr(together, field) for field in fields])
    assert all(math.isnan(value) or 0 <= value <= 1 for value in named.values())
    assert math.isnan(together.overall) == any(math.isnan(named[name]) for name in ("auc", "c@1", "f_05_u", "F1"))


@given(answers, st.integers(0, 1_000))
@settings(max_examples=40, deadline=None)
def test_the_order_of_problems_does_not_matter(pairs, seed):
    truth, scores = (np.array(column) for column in zip(*pairs, strict=True))
    shuffle = np.random.default_rng(seed).permutation(len(truth))
    before, after = verification_scores(truth, scores), verification_scores(truth[shuffle], scores[shuffle])
    np.testing.assert_allclose(list(after.named().values()), list(before.named().values()), atol=1e-12)


def test_declining_is_better_than_a_wrong_answer_and_worse_than_a_right_one():
    wrong, unanswered, right = ([*SCORES[:-1], last] for last in (0.9, 0.5, 0.1))
    worst, middle, best = (verification_scores(TRUTH, scores) for scores in (wrong, unanswered, right))
    assert worst.c_at_1 < middle.c_at_1 < best.c_at_1
    assert worst.f05u < middle.f05u < best.f05u


def test_f1_is_zero_where_no_same_author_pair_is_answered_same():
    # PAN's rule: a system that declines everything must not be left out of a mean for it.
    for answers in ([0.5, 0.5], [0.2, 0.5], [0.2, 0.1], [0.5, 0.9]):
        scores = verification_scores([1, 0], answers)
        assert scores.f1 == 0 and math.isfinite(scores.overall)
    assert verification_scores([1, 0], [0.5, 0.5]).overall == pytest.approx(0.125)  # an AUC of .5, and nothing else


def test_undefined_values_are_nan_and_never_zero():
    assert math.isnan(verification_scores([1, 1], [0.2, 0.8]).auc)
    assert math.isnan(verification_scores([1, 1], [0.2, 0.8]).overall)
    assert math.isnan(verification_scores([0, 0], [0.1, 0.2]).f1)  # nothing to find, nothing claimed
    assert math.isnan(verification_scores([0, 0], [0.1, 0.2]).f05u)
    assert all(math.isnan(value) for value in verification_scores([], []).named().values())
    nobody = np.empty(0, dtype=np.int64)
    assert math.isnan(accuracy(nobody, nobody))
    assert math.isnan(macro_f1(nobody, nobody))


@pytest.mark.parametrize(
    ("truth", "scores", "message"),
    [
        ([1, 0], [0.5, 1.2], "row 2: score 1.2 is outside"),
        ([1, 0], [-0.1, 0.2], "row 1: score -0.1 is outside"),
        ([1, 0], [0.5, float("nan")], "row 2: the score is not a number; write 0.5"),
        ([1, 0], [0.5, float("inf")], "row 2: score inf is outside"),
        ([1, 0, 1], [0.5, 1.2, 1.3], "row 2: score 1.2 is outside"),  # the first of several
        ([1, 2, 3], [0.5, 0.5, 0.5], "row 2: truth '2'"),
        ([1, 0, 1], [0.5, 0.5], "3 truths and 2 scores"),
        ([[1, 0]], [[0.5, 0.5]], "2 truths and 2 scores; give one list of each"),
        ([1, 2], [0.5, 0.5], "row 2: truth '2'; write 1"),
        ([1, float("nan")], [0.5, 0.5], "row 2: truth 'nan'"),
        (["yes", "no"], [0.5, 0.5], "row 1: truth 'yes'"),
    ],
)
def test_answers_that_cannot_be_scored_are_refused_by_row(truth, scores, message):
    with pytest.raises(InputError, match=message):
        verification_scores(truth, scores)


@given(labels)
@settings(max_examples=40, deadline=None)
def test_attribution_agrees_with_scikit_learn(pairs):
    truth, predicted = (np.array(column) for column in zip(*pairs, strict=True))
    assert accuracy(truth, predicted) == pytest.approx(accuracy_score(truth, predicted))
    assert accuracy(truth, predicted) == pytest.approx(f1_score(truth, predicted, average="micro"))
    assert macro_f1(truth, predicted) == pytest.approx(f1_score(truth, predicted, average="macro"))
    ours = precision_recall(truth, predicted, positive=1)
    theirs = precision_recall_fscore_support(truth, predicted, labels=[1], average=None, zero_division=np.nan)
    np.testing.assert_allclose([ours.precision, ours.recall, ours.f1], [part[0] for part in theirs[:3]])


def test_precision_and_recall_of_an_author_nobody_named_are_undefined():
    scores = precision_recall(np.array([0, 1]), np.array([0, 1]), positive=2)
    assert math.isnan(scores.precision) and math.isnan(scores.recall) and math.isnan(scores.f1)
    missed = precision_recall(np.array([0, 1]), np.array([1, 1]), positive=0)
    assert math.isnan(missed.precision) and missed.recall == missed.f1 == 0


def test_columns_of_unequal_length_are_refused():
    two, one = np.array([0, 1]), np.array([0])
    for refused in (accuracy, macro_f1, lambda truth, predicted: precision_recall(truth, predicted, positive=0)):
        with pytest.raises(InputError, match="2 true authors and 1 predicted"):
            refused(two, one)


def test_an_answer_is_right_when_given_and_on_the_side_of_the_truth():
    scores = np.array([0.0, 0.49, 0.5, 0.51, 1.0])
    assert answered_right(np.full(5, True), scores).tolist() == [False, False, False, True, True]
    assert answered_right(np.full(5, False), scores).tolist() == [True, True, False, False, False]
