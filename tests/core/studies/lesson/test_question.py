"""Every way to answer a question has a word of its own, and what is no answer is refused."""

import pytest

from core.errors import SettingError
from core.studies.lesson import AnswerOption, ChoiceQuestion, EstimateQuestion, judged

SISTERS = ChoiceQuestion(
    "Which?",
    (
        AnswerOption("near", True, "It is."),
        AnswerOption("far", False, "Too far."),
        AnswerOption("none", False, "There is one."),
    ),
)
COUNT = EstimateQuestion("How many?", 0, 24, 14.75, 2, "topics", "Well guessed.", "More than that.", "Fewer than that.")


@pytest.mark.parametrize(
    ("given", "right", "because"),
    [("near", True, "It is."), ("far", False, "Too far."), ("none", False, "There is one.")],
)
def test_every_option_has_an_answer_of_its_own(given, right, because):
    found = judged(SISTERS, given)
    assert (found.given, found.right, found.truth, found.because) == (given, right, "near", because)


@pytest.mark.parametrize(
    ("given", "right", "because"),
    [
        (0, False, "More than that."),
        (12, False, "More than that."),
        (13, True, "Well guessed."),
        (16, True, "Well guessed."),
        (17, False, "Fewer than that."),
        (24, False, "Fewer than that."),
    ],
)
def test_a_number_is_right_when_close_and_else_errs_to_a_side(given, right, because):
    found = judged(COUNT, given)
    assert (found.right, found.because) == (right, because)
    assert (found.given, found.truth) == (f"{given} topics", "14.8 topics")


def test_a_whole_truth_is_said_without_a_fraction():
    whole = EstimateQuestion("How many?", 2, 24, 14.0, 1, "topics", "", "", "")
    assert whole.truth == "14 topics"


@pytest.mark.parametrize(("question", "given"), [(SISTERS, "maybe"), (COUNT, 25), (COUNT, -1), (COUNT, "many")])
def test_what_is_no_answer_is_refused_with_what_would_be(question, given):
    with pytest.raises(SettingError, match=r"choose one of: 'near'|give a number from 0 to 24"):
        judged(question, given)


@pytest.mark.parametrize(
    "options",
    [
        (AnswerOption("a", True, ""), AnswerOption("b", True, "")),
        (AnswerOption("a", False, ""), AnswerOption("b", False, "")),
        (AnswerOption("a", True, ""), AnswerOption("a", False, "")),
    ],
)
def test_a_choice_has_one_right_answer_and_no_two_that_read_alike(options):
    with pytest.raises(SettingError, match="exactly one"):
        ChoiceQuestion("Which?", options)


def test_the_truth_can_be_given():
    with pytest.raises(SettingError, match="outside 0 to 10"):
        EstimateQuestion("How many?", 0, 10, 12.0, 1, "topics", "", "", "")
