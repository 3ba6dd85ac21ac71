"""What a test answers: signs, readings, refusals, and columns matched row by row."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import SettingError
from core.statistics import TESTS
from core.statistics.significance import Effect, applied, column, matched_scores, refused, sign_of, verdict_sign

NAMES = ("ours", "theirs")


def test_verdict_signs_at_their_borders():
    assert [verdict_sign(p, 1) for p in (0.01, 0.0101, 0.05, 0.0501)] == ["»", ">", ">", "~"]
    assert [verdict_sign(p, -1) for p in (0.01, 0.05, 0.06)] == ["«", "<", "~"]
    assert verdict_sign(0.001, 0) == "~"


@pytest.mark.parametrize(
    ("p", "direction", "sign"), [(0.005, 1, "»"), (0.02, 1, ">"), (0.005, -1, "«"), (0.02, -1, "<"), (0.2, -1, "~")]
)
def test_a_record_holds_what_the_test_found(p, direction, sign):
    effect = Effect(0.5, "mean difference", (0.1, 0.9))
    found = applied(TESTS["paired_t"], n=9, statistic=2.0, p=p, direction=direction, effect=effect)
    assert (found.verdict, found.p) == (sign, p)
    assert (found.name, found.n, found.symbol, found.sides, found.direction) == ("paired_t", 9, "t", 2, direction)
    assert (found.effect, found.effect_name, found.interval) == (0.5, "mean difference", (0.1, 0.9))
    assert (found.assumption, found.problem) == (TESTS["paired_t"].assumption, "")
    one = applied(TESTS["S"], n=3, statistic=2.0, p=0.3, direction=1, effect=effect, symbol="k")
    assert (one.symbol, one.sides) == ("k", 1)


def test_a_refusal_keeps_its_reason():
    found = refused(TESTS["T"], 4, "No spread.")
    assert (found.name, found.n, found.problem) == ("T", 4, "No spread.")
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
    with pytest.raises(SettingError, match="one list of numbers per system"):
        column([[1.0]])


def test_signs_of_numbers():
    assert [sign_of(value) for value in (-0.2, 0.0, 3)] == [-1, 0, 1]


@pytest.mark.parametrize("need", ["needs_sizes", "needs_weights"])
def test_a_decision_has_neither_sizes_nor_a_weight(need):
    with pytest.raises(SettingError, match="neither sizes nor a weight"):
        replace(TESTS["s"], **{need: True})


def test_the_rate_is_the_promised_one_or_that_of_the_run():
    assert TESTS["paired_t"].rate_in({}) == 0.05 and TESTS["S"].rate_in({"S": 0.5}) == 0.05
    assert TESTS["s"].rate_in({}) is None and TESTS["s"].rate_in({"s": 0.345}) == 0.345
