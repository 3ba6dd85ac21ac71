"""Answers in an address come back as they were, whatever else stands there; counts of a class are bounded and add up."""

from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.demo import DIAL_GRID, bundled_evidence, bundled_lesson
from core.lesson import (
    SKIPPED,
    ChoiceQuestion,
    ClassCounts,
    answers_code,
    answers_of,
    can_be_given,
    class_sentence,
    lesson_steps,
    read_dial_grid,
)
from core.plots import lesson as plots

STEPS = lesson_steps(bundled_lesson(), bundled_evidence(), read_dial_grid(DIAL_GRID))
NUMBERS = range(1, len(STEPS) + 1)


def possible(number: int) -> list[str | int]:
    question = STEPS[number - 1].question
    if isinstance(question, ChoiceQuestion):
        return [SKIPPED, *(option.label for option in question.options)]
    return [SKIPPED, *range(question.low, question.high + 1)]


@given(st.fixed_dictionaries({}, optional={number: st.sampled_from(possible(number)) for number in NUMBERS}))
def test_an_address_gives_back_what_was_answered(answers):
    code = answers_code(STEPS, answers)
    assert answers_of(STEPS, code) == answers
    assert len(code) <= 60 and set(code) <= set("0123456789abcdx.-")


@given(st.text(alphabet="0123456789abcdefglx.-", max_size=60) | st.text(max_size=30))
@settings(max_examples=300)
def test_any_address_gives_answers_that_can_be_given(code):
    assert all(can_be_given(STEPS, number, each) for number, each in answers_of(STEPS, code).items())


def test_counts_add_up_and_hold_possible_answers_alone():
    counts = ClassCounts(STEPS)
    right = STEPS[0].question.truth
    for each in (right, right, "trams", SKIPPED, "no such topic", 3):
        counts.add(1, each)
    counts.add(99, SKIPPED)
    counts.add(4, 10_000)
    found = counts.of(1)
    assert (found.given, found.correct, found.skipped) == (3, 2, 1)
    assert found.counts[found.answers.index("trams")] == 1
    assert counts.of(4).given == 0 and len(counts.of(4).answers) == 25
    assert class_sentence(STEPS[0].question, found, shown=False) == "**3 answers**."
    assert class_sentence(STEPS[0].question, found, shown=True) == (
        f"**3 answers**, 2 correct (67%). The answer: **{right}**."
    )
    counts.clear()
    assert counts.of(1).given == counts.of(1).skipped == 0
    assert class_sentence(STEPS[0].question, counts.of(1), shown=True) == "No answers yet."


def test_answers_that_come_at_once_are_all_counted():
    counts = ClassCounts(STEPS)
    threads = [Thread(target=lambda: [counts.add(4, 9) for _ in range(500)]) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert counts.of(4).given == 4000


@pytest.mark.parametrize("number", NUMBERS)
def test_bars_stand_for_counts_and_the_right_ones_stand_out_once_shown(number):
    counts = ClassCounts(STEPS)
    for each in possible(number)[1:3]:
        counts.add(number, each)
    found = counts.of(number)
    assert sum(found.right) >= 1 and not all(found.right)
    for shown in (False, True):
        (bars,) = plots.class_answers(found, shown=shown).data
        assert list(bars.x if bars.orientation == "h" else bars.y) == list(found.counts)
        colours = dict(zip(found.right, bars.marker.color, strict=True))
        assert (colours[True] != colours[False]) == shown
