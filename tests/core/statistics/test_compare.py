"""All tests of a table at once, the laws every test obeys, and all pairs of several systems under Holm's correction."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from core.errors import InputError, SettingError
from core.statistics import (
    TESTS,
    Significance,
    compare,
    compare_all,
    corrected_t,
    macro_rank_t,
    macro_sign,
    macro_t,
    micro_sign,
    weighted_t,
)
from core.statistics.compare import KINDS, holm
from core.statistics.significance import Test

A = [0.80, 0.75, 0.90, 0.60, 0.55, 0.70, 0.85, 0.40]
B = [0.70, 0.75, 0.85, 0.65, 0.40, 0.60, 0.80, 0.30]
MIRROR = {"»": "«", ">": "<", "~": "~", "<": ">", "«": "»", "=": "=", None: None}
# A coarse grid of scores, so that ties, equal differences and equal columns all occur.
tables = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=60)


def as_it_needs(test, a, b, **more):
    """The test with the sizes and weights that it asks for, rows counting by their place."""
    more |= {"train": 90, "test": 10} if test.needs_sizes else {}
    more |= {"weights": np.arange(1, len(np.atleast_1d(a)) + 1)} if test.needs_weights else {}
    return test.run(a, b, **more)


on_scores = {name: partial(as_it_needs, test) for name, test in TESTS.items() if test.kind == "scores"}


def columns(rows):
    a, b = zip(*rows, strict=True)
    return np.array(a) / 20, np.array(b) / 20


def same(one, two):
    assert (one.n, one.verdict, one.direction, one.problem == "") == (
        two.n,
        two.verdict,
        two.direction,
        two.problem == "",
    )
    if one.p is not None:
        assert (one.p, one.statistic) == pytest.approx((two.p, two.statistic), abs=1e-9)


def test_the_registry_names_every_test_once_and_by_its_kind():
    assert all(name == test.name and test.kind in KINDS for name, test in TESTS.items())
    assert len({test.label for test in TESTS.values()}) == len(TESTS)
    for test in TESTS.values():
        assert test.about and test.assumption and test.sides in (1, 2)
        more = {"train": 9, "test": 1} if test.needs_sizes else {}
        more |= {"weights": [2] * len(A)} if test.needs_weights else {}
        found = test.run(A, B, names=("x", "y"), **more)
        assert (found.name, found.sides, found.assumption) == (test.name, test.sides, test.assumption)


def test_a_new_test_is_one_entry(monkeypatch):
    def longest(a, b, *, names):
        return Significance("longest", len(a), p=0.04, direction=1, reading=f"{names[0]} is longer")

    toy = Test(
        "longest", "Longest", "Which column is longer?", "nothing", sides=1, symbol="L", kind="scores", run=longest
    )
    monkeypatch.setitem(TESTS, "longest", toy)
    assert compare(A, B, kind="scores", names=("x", "y"))["longest"].reading == "x is longer"
    assert "longest" not in compare([1], [0], kind="decisions")
    pairs = compare_all({"x": A, "y": B, "z": B}, kind="scores")
    assert pairs[0].adjusted["longest"] == pytest.approx(0.12)


@given(tables)
@settings(deadline=None, max_examples=60)
def test_swapping_the_systems_mirrors_the_answer(rows):
    a, b = columns(rows)
    for name, test in on_scores.items():
        one, two = test(a, b), test(b, a)
        assert one.verdict == MIRROR[two.verdict], name
        assert one.direction == -two.direction
        assert (one.p is None) == (two.p is None) == bool(one.problem)
        if one.p is not None:
            assert one.p == pytest.approx(two.p)
            center = 0.5 if name == "S" else 0.0
            assert one.effect - center == pytest.approx(center - two.effect, abs=1e-12)
            assert [value - center for value in one.interval] == pytest.approx(
                [center - value for value in two.interval[::-1]], abs=1e-12
            )


@given(tables, st.lists(st.integers(0, 20), max_size=10))
@settings(deadline=None, max_examples=60)
def test_rows_that_tie_change_nothing_for_tests_of_differing_rows(rows, ties):
    a, b = columns(rows)
    equal = np.array(ties, dtype=float) / 20
    for name in ("S", "T", "wilcoxon"):
        same(on_scores[name](np.append(a, equal), np.append(b, equal)), on_scores[name](a, b))
    same(micro_sign(np.append(a > 0.5, equal > 0.5), np.append(b > 0.5, equal > 0.5)), micro_sign(a > 0.5, b > 0.5))


@given(tables, st.sampled_from([0.01, 3.0, 100.0]))
@settings(deadline=None, max_examples=60)
def test_the_scale_of_scores_does_not_matter(rows, factor):
    a, b = columns(rows)
    for name, test in on_scores.items():
        scaled = {"margin": 0.05 * factor} if name == "equivalence" else {}
        same(test(a * factor, b * factor, **scaled), test(a, b))
    same(macro_rank_t(np.exp(a), np.exp(b)), macro_rank_t(a, b))  # ranks keep only the order
    same(macro_sign(np.exp(a), np.exp(b)), macro_sign(a, b))


@given(tables)
@settings(deadline=None, max_examples=60)
def test_no_answer_is_ever_nan(rows):
    a, b = columns(rows)
    results = [test(a, b) for test in on_scores.values()]
    results += compare((a > 0.5).astype(int), (b > 0.5).astype(int), kind="decisions").values()
    for result in results:
        assert result.name in TESTS
        assert result.reading
        assert result.assumption
        if result.problem:
            assert (result.p, result.statistic, result.verdict, result.effect) == (None,) * 4
        else:
            assert all(math.isfinite(value) for value in (result.p, result.statistic, result.effect, *result.interval))
            assert 0 <= result.p <= 1


@pytest.mark.parametrize("test", on_scores.values(), ids=on_scores)
def test_what_cannot_be_judged_is_a_sentence(test):
    equal = test(A, A)
    if test.args[0] is TESTS["unpaired_t"]:
        assert equal.verdict == "~"
    else:
        assert "equal in all 8" in equal.problem or "do not differ" in equal.problem
        assert "cannot be matched" in test(A, B[:-1]).problem
        assert test([math.nan], [0.5]).problem
    assert (test([], []).p, test([], []).problem == "") == (None, False)


def test_undefined_rows_are_left_out_of_pairs():
    same(macro_t([*A, math.nan, 0.9], [*B, 0.1, math.nan]), macro_t(A, B))


def test_compare_gives_what_fits_the_table():
    assert list(compare(A, B, kind="scores")) == [
        *("S", "T", "Tprime", "paired_t", "unpaired_t", "wilcoxon", "equivalence")
    ]
    assert list(compare(A, B, kind="scores", train=9, test=1))[-1] == "corrected_t"
    weights = np.arange(1, 9)
    assert "weighted_t" in compare_all({"x": A, "y": B}, kind="scores", weights=weights)[0].tests
    same(compare(A, B, kind="scores", weights=weights)["weighted_t"], weighted_t(A, B, weights=weights))
    decisions = compare([1, 1, 0], [1, 0, 0], kind="decisions", names=("ours", "theirs"))
    assert list(decisions) == ["s", "p"]
    assert "ours is right where theirs is wrong in 1 of the 1" in decisions["s"].reading
    with pytest.raises(InputError, match=r"row 2: 0\.5 is no decision"):
        compare([1, 0.5], [1, 0], kind="decisions")
    with pytest.raises(SettingError, match="Did you mean 'scores'"):
        compare(A, B, kind="score")
    for sizes in ({"train": 10}, {"test": 10}):
        with pytest.raises(SettingError, match="needs both"):
            compare(A, B, kind="scores", **sizes)
    same(compare(A, B, kind="scores", train=9, test=1)["corrected_t"], corrected_t(A, B, train=9, test=1))
    with pytest.raises(SettingError, match="infinite"):
        compare([math.inf], [1], kind="scores")


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
@settings(deadline=None, max_examples=60)
def test_holm(p_values):
    adjusted = holm(p_values)
    given_p = [p for p in p_values if p is not None]
    assert [p is None for p in adjusted] == [p is None for p in p_values]
    if given_p:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "gc.collect", int
            )  # theirs goes through all memory at every call, half a second in a long run
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


def test_verdicts_are_those_of_the_adjusted_p():
    a, b = np.arange(1, 9) / 100 + 0.5, np.full(8, 0.5)
    one, *_ = pairs = compare_all({"a": a, "b": b, "c": b - 0.1, "d": b - 0.2}, kind="scores")
    assert len(pairs) == 6
    for pair in pairs:
        for name, p in pair.adjusted.items():
            assert (pair.verdicts[name] is None) == (p is None)
    assert (one.tests["S"].p, one.tests["S"].verdict) == (pytest.approx(2**-8), "»")
    assert (one.adjusted["S"], one.verdicts["S"]) == (pytest.approx(6 * 2**-8), ">")  # .0234: some evidence is left


def test_the_margin_reaches_the_equivalence_test_and_holm_keeps_its_sign():
    rng = np.random.default_rng(0)
    base = rng.uniform(0.3, 0.9, 30)
    close = base + rng.normal(0, 0.01, 30)
    assert compare(base, close, kind="scores")["equivalence"].verdict == "="
    assert compare(base, close, kind="scores", margin=0.0005)["equivalence"].verdict == "~"
    pairs = compare_all({"base": base, "close": close, "far": base - 0.3 + rng.normal(0, 0.01, 30)}, kind="scores")
    assert [pair.verdicts["equivalence"] for pair in pairs] == ["=", "~", "~"]
    assert all(pair.tests["equivalence"].claim == "equality" for pair in pairs)


def test_every_test_says_whose_error_rate_it_has():
    assert {name for name, test in TESTS.items() if test.error_rate == "clustered"} == {"s", "p"}
    assert {name for name, test in TESTS.items() if test.error_rate == "placebo"} == {"unpaired_t"}
    assert {name for name, test in TESTS.items() if not test.matched} == {"p", "unpaired_t"}
