"""All tests of a table at once, and all pairs of several systems under Holm's correction."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from core.errors import InputError, SettingError
from core.statistics import compare, compare_all
from core.statistics.compare import holm

A = [0.80, 0.75, 0.90, 0.60, 0.55, 0.70, 0.85, 0.40]
B = [0.70, 0.75, 0.85, 0.65, 0.40, 0.60, 0.80, 0.30]


def test_compare_gives_what_fits_the_table():
    assert list(compare(A, B, kind="scores")) == ["S", "T", "Tprime", "paired_t", "unpaired_t", "wilcoxon"]
    assert list(compare(A, B, kind="scores", train=9, test=1))[-1] == "corrected_t"
    decisions = compare([1, 1, 0], [1, 0, 0], kind="decisions", names=("ours", "theirs"))
    assert list(decisions) == ["s", "p"]
    assert "ours is right where theirs is wrong in 1 of the 1" in decisions["s"].reading
    with pytest.raises(InputError, match=r"row 2: 0\.5 is no decision"):
        compare([1, 0.5], [1, 0], kind="decisions")
    with pytest.raises(SettingError, match="Did you mean 'scores'"):
        compare(A, B, kind="score")
    with pytest.raises(SettingError, match="needs both"):
        compare(A, B, kind="scores", train=10)
    with pytest.raises(SettingError, match="infinite"):
        compare([math.inf], [1], kind="scores")


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
@settings(deadline=None, max_examples=60)
def test_holm(p_values):
    adjusted = holm(p_values)
    given_p = [p for p in p_values if p is not None]
    assert [p is None for p in adjusted] == [p is None for p in p_values]
    if given_p:
        expected = multipletests(given_p, method="holm")[1]
        assert [p for p in adjusted if p is not None] == pytest.approx(list(expected))
        assert all(after >= before for before, after in zip(p_values, adjusted, strict=True) if before is not None)


def test_all_pairs_are_one_family_a_test():
    random = np.random.default_rng(3)
    base = random.uniform(0.3, 0.9, 30)
    systems = {"one": base + 0.05 + random.normal(0, 0.1, 30), "two": base, "same": base.copy()}
    pairs = compare_all(systems, kind="scores")
    assert [(pair.a, pair.b) for pair in pairs] == [("one", "two"), ("one", "same"), ("two", "same")]
    assert pairs[2].adjusted["T"] is None
    assert pairs[0].adjusted["T"] == pytest.approx(min(1, 2 * pairs[0].tests["T"].p))
    assert compare_all({"alone": base}, kind="scores") == ()
