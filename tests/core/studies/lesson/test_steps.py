"""What the lesson teaches is so: each step's right answer follows from the corpus, and every answer is explained."""

from dataclasses import replace

import numpy as np
import pytest

from core.demo import DIAL_GRID, bundled_evidence, bundled_lesson
from core.studies import read_dial_grid
from core.studies.lesson import (
    POINT,
    SISTERS,
    TESTED,
    ChoiceQuestion,
    EstimateQuestion,
    changes,
    hits_change,
    judged,
    lesson_steps,
    score_sentence,
    seen_authors,
    summary_page,
)
from core.topics import judge


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


def test_the_sisters_are_near_twins(steps, lesson):
    assert lesson.alike(*SISTERS) >= lesson.verdict.line
    assert steps[1].question.truth.startswith("above")


def test_the_predictions_are_the_verdicts(steps, lesson):
    assert steps[3].question.value == judge(lesson.space, lesson.path, k=6).leaking_topics
    assert steps[4].question.value == lesson.verdict.keep
    kept = lesson.path.order[: lesson.verdict.keep]
    assert not lesson.twins[np.ix_(kept, kept)].any()
    one_more = lesson.path.order[: lesson.verdict.keep + 1]
    assert lesson.twins[np.ix_(one_more, one_more)].any()


def test_topic_words_name_authors_and_the_twin_of_the_tested_topic_helps(steps, lesson):
    evidence = bundled_evidence()
    guess = np.bincount(lesson.corpus.author_codes).max() / len(lesson.corpus)
    assert guess + 0.2 < evidence.held_out["topic_fit"].overall < evidence.held_out["char_svm"].overall - 0.2
    twin, without, with_twin = evidence.swapped["topic_fit"].sides(lesson.code(TESTED))
    assert lesson.twins[lesson.code(TESTED), twin] and with_twin - without > 0.03
    assert steps[6].question.truth == "clearly more than that"


def test_the_swaps_right_answer_follows_the_evidence(lesson, grid):
    found = bundled_evidence()
    swapped = found.swapped["topic_fit"]
    same, worse = (
        replace(swapped, with_twin=np.repeat(swapped.without[:, None] + change, 3, axis=1)) for change in (0.01, -0.2)
    )
    for changed, truth in ((same, "about as many"), (worse, "fewer than that")):
        evidence = replace(found, swapped={**found.swapped, "topic_fit": changed})
        assert lesson_steps(lesson, evidence, grid)[6].question.truth == truth


def test_hits_changes_nothing_without_loyal_authors_and_something_with_them(steps, grid):
    free, loyal = hits_change(grid, loyal=0.0), hits_change(grid, loyal=0.8)
    assert not changes(free) and changes(loyal) and loyal.change < 0
    assert steps[7].question.truth == "Hardly anything"
    assert seen_authors(grid, loyal=0.8, sampler="hits") < seen_authors(grid, loyal=0.8, sampler="random")


def test_a_change_must_stand_out_from_the_spread_and_be_more_than_a_trifle(grid):
    row = hits_change(grid, loyal=0.0)
    assert changes(replace(row, change=-0.1, change_sd=0.01))
    assert not changes(replace(row, change=-0.1, change_sd=0.2))
    assert not changes(replace(row, change=-0.02, change_sd=0.0001))


def test_the_summary_says_what_was_answered_and_reads_nothing_as_mark_up(steps):
    answers = {0: judged(steps[0].question, steps[0].question.truth), 3: judged(steps[3].question, 0)}
    page = summary_page(steps, answers, corpus="<b>mine</b>")
    assert score_sentence(steps, answers) == f"2 of {len(steps)} questions answered, 1 of them as it turned out."
    assert page.count("<section>") == len(steps) and page.count("Not answered") == len(steps) - 2
    assert "&lt;b&gt;mine&lt;/b&gt;" in page and "<b>mine" not in page
    assert steps[3].question.too_low in page and steps[3].question.too_high not in page
    assert steps[1].question.truth not in page and steps[1].told not in page, "what was not answered is not given away"
    assert "<em>cooking</em>" in page and "*" not in page
    assert "http" not in page, "it opens without a network"
