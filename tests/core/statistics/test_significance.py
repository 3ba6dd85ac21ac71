"""What a test answers: signs, readings, refusals, and columns matched row by row."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import SettingError
from core.statistics import TESTS
from core.statistics.significance import Effect, answered, column, matched_scores, refused, sign_of, verdict_sign

NAMES = ("ours", "theirs")


def test_verdict_signs_at_their_borders():
    assert [verdict_sign(p, 1) for p in (0.01, 0.0101, 0.05, 0.0501)] == ["»", ">", ">", "~"]
    assert [verdict_sign(p, -1) for p in (0.01, 0.05, 0.06)] == ["«", "<", "~"]
    assert verdict_sign(0.001, 0) == "~"


@pytest.mark.parametrize(
    ("p", "direction", "words"),
    [
        (0.00009, 1, "strong evidence that ours is better than theirs (p < 0.0001, two-sided)."),
        (0.0001, 1, "(p = 0.0001, two-sided)."),
        (0.02, 1, "some evidence that ours is better than theirs (p = 0.0200, two-sided)."),
        (0.005, -1, "strong evidence that theirs is better than ours (p = 0.0050, two-sided)."),
        (0.02, -1, "some evidence that theirs is better than ours (p = 0.0200, two-sided)."),
        (0.2, -1, "too little to tell the two apart (p = 0.2000, two-sided), which does not make them equal."),
    ],
)
def test_readings_name_the_winner_and_the_strength(p, direction, words):
    effect = Effect(0.5, "mean difference", (0.1, 0.9))
    found = answered(
        TESTS["paired_t"], NAMES, n=9, statistic=2.0, p=p, direction=direction, effect=effect, fact="A fact"
    )
    assert found.reading.startswith("A fact: ")
    assert found.reading.endswith(words)
    assert (found.name, found.n, found.symbol, found.sides, found.direction) == ("paired_t", 9, "t", 2, direction)
    assert (found.effect, found.effect_name, found.interval) == (0.5, "mean difference", (0.1, 0.9))
    assert (found.assumption, found.problem) == (TESTS["paired_t"].assumption, "")


def test_one_sided_tests_say_so_and_symbols_may_differ():
    effect = Effect(0.5, "share", (0.1, 0.9))
    found = answered(
        TESTS["S"], NAMES, n=3, statistic=2.0, p=0.3, direction=1, effect=effect, fact="A fact", symbol="k"
    )
    assert "one-sided" in found.reading
    assert (found.symbol, found.sides) == ("k", 1)


def test_refusals_are_read_as_they_are():
    found = refused(TESTS["T"], 4, "No spread.")
    assert (found.name, found.n, found.reading, found.problem) == ("T", 4, "No spread.", "No spread.")
    assert (found.p, found.statistic, found.verdict, found.symbol, found.sides) == (None, None, None, "t", 1)


def test_rows_are_matched_and_rounding_is_no_difference():
    nan = float("nan")
    found = matched_scores([0.1 + 0.2, 0.5, nan, 0.7], [0.3, 0.4, 0.2, nan])
    assert found.a.tolist() == [0.1 + 0.2, 0.5]
    assert found.d.tolist() == [0.0, 0.5 - 0.4]
    assert found.scale == 0.5
    assert found.rounded(np.array([0.8 - 0.7, 0.4 - 0.3])).tolist() == [0.2, 0.2]
    assert matched_scores([-2.0], [1.0]).scale == 2.0
    assert matched_scores([0.0], [0.0]).scale == 1.0
    assert matched_scores([1.0, 1.0], [1.0 - 2e-12, 1.0 - 5e-13]).d.tolist() == pytest.approx([2e-12, 0], rel=1e-3)
    assert "2 values against 1" in matched_scores([1, 2], [1])
    assert matched_scores([nan], [1]) == "No row has a value for both systems."
    with pytest.raises(SettingError, match="infinite"):
        column([np.inf])
    with pytest.raises(SettingError, match="one list of numbers a system"):
        column([[1.0]])


def test_signs_of_numbers():
    assert [sign_of(value) for value in (-0.2, 0.0, 3)] == [-1, 0, 1]


@pytest.mark.parametrize("wish", ["needs_sizes", "needs_weights"])
def test_a_decision_has_neither_sizes_nor_a_weight(wish):
    with pytest.raises(SettingError, match="neither sizes nor a weight"):
        replace(TESTS["s"], **{wish: True})


def test_the_rate_shown_is_the_promised_one_or_that_of_the_run():
    assert TESTS["paired_t"].shown_rate({}) == "5.0 %" and TESTS["S"].shown_rate({"S": 0.5}) == "10.0 %"
    assert TESTS["s"].shown_rate({}) == "not known" and TESTS["s"].shown_rate({"s": 0.345}) == "34.5 %"
