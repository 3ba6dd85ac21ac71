"""Thresholds from cumulative counts against scoring every choice, and the transform against its definition."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.models import verification_scores
from core.models.verification import GRID, ROUNDING, Thresholds, apply_thresholds, choose_thresholds
from core.models.verification.cosine import NEUTRAL
from core.models.verification.cosine import _overall as all_overalls


def a_case(seed: int, pairs: int, *, digits: int | None = None, gap: float = 0.15):
    rng = np.random.default_rng(seed)
    same = rng.random(pairs) < rng.uniform(0.2, 0.8)
    same[:2] = True, False
    scores = np.clip(rng.normal(rng.uniform(0.1, 0.8) + gap * same, 0.15), 0, 1)
    return (scores if digits is None else np.round(scores, digits)), same


def one_by_one(scores, same) -> dict[tuple[float, float], float]:
    """Every choice of thresholds scored with the metrics themselves."""
    return {
        (p1, p2): verification_scores(same, apply_thresholds(scores, Thresholds(p1, p2, 0.0))).overall
        for p1 in GRID.tolist()
        for p2 in GRID.tolist()
        if p1 < p2
    }


@pytest.mark.parametrize("case", [(0, 200, None), (1, 30, 2), (2, 3, 1)])
def test_the_optimum_is_that_of_scoring_every_choice(case):
    seed, pairs, digits = case
    scores, same = a_case(seed, pairs, digits=digits)
    expected = one_by_one(scores, same)
    assert len(expected) == 4_753
    highest = np.nanmax(list(expected.values()))
    first = next(choice for choice, overall in expected.items() if overall >= highest - ROUNDING)
    found = choose_thresholds(scores, same)
    assert (found.p1, found.p2) == first
    assert found.overall == pytest.approx(highest, abs=1e-12)


@given(st.integers(0, 10_000), st.integers(2, 60), st.sampled_from([1, 2, 3, None]), st.data())
@settings(max_examples=60, deadline=None)
def test_any_choice_has_the_overall_of_the_metrics(seed, pairs, digits, data):
    scores, same = a_case(seed, pairs, digits=digits)
    overalls = all_overalls(np.sort(scores[same]), np.sort(scores[~same]))
    for _ in range(5):
        row = data.draw(st.integers(0, len(GRID) - 2))
        column = data.draw(st.integers(row + 1, len(GRID) - 1))
        answers = apply_thresholds(scores, Thresholds(GRID[row], GRID[column], 0.0))
        expected = verification_scores(same, answers).overall
        np.testing.assert_allclose(overalls[row, column], expected, atol=1e-12)


def test_the_transform_is_as_published():
    thresholds = Thresholds(0.2, 0.6, 0.0)
    scores = [0.0, 0.1, 0.2, 0.2001, 0.4, 0.5999, 0.6, 0.8, 1.0]
    np.testing.assert_allclose(apply_thresholds(scores, thresholds), [0, 0.245, 0.49, 0.5, 0.5, 0.5, 0.51, 0.755, 1])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=50), st.integers(0, 96), st.data())
@settings(deadline=None)
def test_the_transform_keeps_order_and_stays_in_range(scores, low, data):
    high = data.draw(st.integers(low + 1, 97))
    answers = apply_thresholds(np.sort(scores), Thresholds(GRID[low], GRID[high], 0.0))
    assert (np.diff(answers) >= 0).all()
    assert answers.min() >= 0 and answers.max() <= 1


def test_thresholds_part_what_can_be_separated():
    scores, same = np.array([0.1, 0.2, 0.7, 0.8]), np.array([False, False, True, True])
    found = choose_thresholds(scores, same)
    assert found.overall == 1
    assert (found.p1, found.p2) == (0.2, 0.21)  # the first of the choices that answer all four rightly
    shuffle = np.array([2, 0, 3, 1])
    assert choose_thresholds(scores[shuffle], same[shuffle]) == found


@pytest.mark.parametrize("same", [[True, True], [False, False], []])
def test_pairs_of_one_kind_leave_scores_as_they_are_and_say_so(same):
    found = choose_thresholds([0.3, 0.9][: len(same)], same)
    assert (found.p1, found.p2) == NEUTRAL
    assert math.isnan(found.overall)
    assert "all of one kind" in found.note
    np.testing.assert_allclose(
        apply_thresholds([0.0, 0.3, 0.49, 0.5, 0.51, 0.9, 1.0], found), [0, 0.3, 0.49, 0.5, 0.51, 0.9, 1]
    )


@pytest.mark.parametrize("score", [0.0, 0.015, 0.5, 0.975, 1.0])
def test_equal_scores_still_give_thresholds(score):
    found = choose_thresholds([score] * 4, [True, True, False, False])
    assert found.p1 < found.p2
    assert 0 <= found.overall <= 1


def test_scores_out_of_range_are_refused():
    with pytest.raises(InputError, match=r"row 2: score 1.5 is outside"):
        choose_thresholds([0.5, 1.5], [True, False])


def test_ten_thousand_pairs_take_milliseconds():
    scores, same = a_case(0, 10_000)
    start = time.perf_counter()
    choose_thresholds(scores, same)
    assert time.perf_counter() - start < 0.2  # two milliseconds on an idle machine
