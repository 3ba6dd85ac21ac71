"""What the lesson teaches is so: each step's right answer follows from the corpus, and every answer is explained."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from core.demo import DIAL_GRID, bundled_evidence, bundled_lesson
from core.errors import SettingError
from core.lesson import (
    POINT,
    TWINS,
    AnswerOption,
    ChoiceQuestion,
    EstimateQuestion,
    changes,
    hits_change,
    judged,
    lesson_steps,
    read_dial_grid,
    score_sentence,
    seen_authors,
    summary_page,
)
from core.topics import judge
from tests.conftest import ROOT

NEAR_OR_FAR = ChoiceQuestion(
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
    found = judged(NEAR_OR_FAR, given)
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


@pytest.mark.parametrize(("question", "given"), [(NEAR_OR_FAR, "maybe"), (COUNT, 25), (COUNT, -1), (COUNT, "many")])
def test_what_is_no_answer_is_refused_with_what_would_be(question, given):
    with pytest.raises(SettingError, match=r"Choose one of: 'near'|Give a number from 0 to 24"):
        judged(question, given)


@pytest.mark.parametrize(
    "options",
    [
        (AnswerOption("a", True, ""), AnswerOption("b", True, "")),
        (AnswerOption("a", False, ""), AnswerOption("b", False, "")),
        (AnswerOption("a", True, ""), AnswerOption("a", False, "")),
    ],
)
def test_a_choice_has_one_right_answer_and_no_two_that_read_the_same(options):
    with pytest.raises(SettingError, match="exactly one"):
        ChoiceQuestion("Which?", options)


def test_the_truth_can_be_given():
    with pytest.raises(SettingError, match="outside 0 to 10"):
        EstimateQuestion("How many?", 0, 10, 12.0, 1, "topics", "", "", "")


@pytest.fixture(scope="module")
def lesson():
    return bundled_lesson()


@pytest.fixture(scope="module")
def grid():
    return read_dial_grid(DIAL_GRID)


@pytest.fixture(scope="module")
def steps(lesson, grid):
    return lesson_steps(lesson, bundled_evidence(), grid)


def test_every_step_asks_one_thing_and_explains_every_answer(steps):
    assert 7 <= len(steps) <= 9
    for step in steps:
        assert step.title and step.about.count(". ") <= 2 and step.told
        question = step.question
        if isinstance(question, ChoiceQuestion):
            said = [option.because for option in question.options]
            assert len(question.options) >= 3 and len(set(said)) == len(said), "an explanation of its own"
        else:
            assert isinstance(question, EstimateQuestion)
            said = [question.right, question.too_low, question.too_high]
            assert len(set(said)) == 3
            for given in (question.low, question.high):
                assert not judged(question, given).right, "there is something to get wrong on either side"
        assert all(len(each) > 20 for each in said)


def test_the_nearest_topic_is_the_right_one(steps, lesson):
    options = {option.label for option in steps[0].question.options}
    similarity = lesson.space.similarity[lesson.code(POINT)]
    assert steps[0].question.truth == max(options, key=lambda name: similarity[lesson.code(name)])
    assert steps[0].question.truth == lesson.by_similarity(POINT)[0]


def test_the_two_of_step_2_are_near_twins(steps, lesson):
    assert lesson.similarity_of(*TWINS) >= lesson.verdict.threshold
    assert steps[1].question.truth.startswith("above")


def test_the_predictions_are_the_verdicts(steps, lesson):
    assert steps[3].question.value == judge(lesson.space, lesson.path, k=6).leaking_topics
    assert steps[4].question.value == lesson.verdict.keep
    kept = lesson.path.order[: lesson.verdict.keep]
    assert not lesson.twins[np.ix_(kept, kept)].any()
    one_more = lesson.path.order[: lesson.verdict.keep + 1]
    assert lesson.twins[np.ix_(one_more, one_more)].any()


def test_topic_words_name_authors(steps, lesson):
    evidence = bundled_evidence()
    guess = np.bincount(lesson.corpus.author_codes).max() / len(lesson.corpus)
    assert guess + 0.2 < evidence.held_out["topic_fit"].overall < evidence.held_out["char_svm"].overall - 0.2


def test_near_twins_leave_training_and_topic_words_fall_most(steps):
    curve = bundled_evidence().curve
    golden = json.loads((ROOT / "tests" / "golden" / "demo_curve.json").read_text(encoding="utf-8"))
    for name, values in curve.scores.items():
        assert np.allclose(values, golden["controls"][name]["scores"], atol=0.02), "what the accuracy page shows"
    content, function = (curve.scores[name][0] - curve.scores[name][1] for name in ("content", "function"))
    assert content > function + 0.05
    assert steps[6].question.value == round(100 * curve.scores["content"][1])
    assert judged(steps[6].question, 60).because.startswith("Fewer than that")


def test_hits_changes_nothing_without_loyal_authors_and_something_with_them(steps, grid):
    free, loyal = hits_change(grid, loyal=0.0), hits_change(grid, loyal=0.8)
    assert not changes(free) and changes(loyal) and loyal.change < 0
    assert steps[7].question.truth == "Hardly at all"
    assert seen_authors(grid, loyal=0.8, sampler="hits") < seen_authors(grid, loyal=0.8, sampler="random")


def test_a_change_must_stand_out_from_the_spread_and_be_more_than_a_trifle(grid):
    row = hits_change(grid, loyal=0.0)
    assert changes(replace(row, change=-0.1, change_sd=0.01))
    assert not changes(replace(row, change=-0.1, change_sd=0.2))
    assert not changes(replace(row, change=-0.02, change_sd=0.0001))


def test_the_summary_says_what_was_answered_and_reads_nothing_as_mark_up(steps):
    answers = {0: judged(steps[0].question, steps[0].question.truth), 3: judged(steps[3].question, 0)}
    page = summary_page(steps, answers, corpus="<b>mine</b>")
    assert score_sentence(steps, answers) == f"2 of {len(steps)} questions answered, 1 correct."
    assert page.count("<section>") == len(steps) and page.count("Not answered") == len(steps) - 2
    assert "&lt;b&gt;mine&lt;/b&gt;" in page and "<b>mine" not in page
    assert steps[3].question.too_low in page and steps[3].question.too_high not in page
    assert steps[1].question.truth not in page and steps[1].told not in page, "what was not answered is not given away"
    assert "<em>cooking</em>" in page and "*" not in page
    assert "http" not in page, "it opens without a network"
    assert "<strong>Ada &lt;3</strong>" in summary_page(steps, answers, corpus="mine", name=" Ada <3 ")


def test_near_twins_are_the_only_metaphor(steps):
    for step in steps:
        question = step.question
        said = [step.title, step.about, step.told, question.text]
        said += (
            [word for option in question.options for word in (option.label, option.because)]
            if isinstance(question, ChoiceQuestion)
            else [question.right, question.too_low, question.too_high]
        )
        assert not re.search(r"sister|famil|sibling|dial", " ".join(said), flags=re.IGNORECASE), step.title
