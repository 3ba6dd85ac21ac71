"""All tests of a table, the laws every test obeys, Holm's correction, and HITS against random samples."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import ttest_ind
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from core.errors import InputError, SettingError
from core.statistics import (
    TESTS,
    Significance,
    compare,
    compare_all,
    compare_setups,
    corrected_t,
    head_to_head,
    macro_rank_t,
    macro_sign,
    macro_t,
    micro_sign,
    placebo_counts,
    placebo_rate,
    rank_among,
    weighted_t,
)
from core.statistics.compare import FEWEST_SIGNS, KINDS, holm
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
        return Significance("longest", len(a), p=0.04, direction=1, effect_name=f"{names[0]} is longer")

    toy = Test(
        "longest", "Longest", "Which column is longer?", "nothing", sides=1, symbol="L", kind="scores", run=longest
    )
    monkeypatch.setitem(TESTS, "longest", toy)
    assert compare(A, B, kind="scores", names=("x", "y"))["longest"].effect_name == "x is longer"
    assert "longest" not in compare([1], [0], kind="decisions")
    pairs = compare_all({"x": A, "y": B, "z": B}, kind="scores")
    assert pairs[0].adjusted["longest"] == pytest.approx(0.24)  # three pairs, two sides


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
            assert [value - center for value in one.interval or ()] == pytest.approx(
                [center - value for value in (two.interval or ())[::-1]], abs=1e-12
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
        assert result.assumption
        if result.problem:
            assert (result.p, result.statistic, result.verdict, result.effect) == (None,) * 4
        else:
            assert all(
                math.isfinite(value) for value in (result.p, result.statistic, result.effect, *(result.interval or ()))
            )
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
    assert (decisions["s"].effect, decisions["s"].n) == (1, 1)
    with pytest.raises(InputError, match=r"row 2: 0\.5 is not a decision"):
        compare([1, 0.5, 0.3], [1, 0, 1], kind="decisions")
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
    assert (one.tests["S"].p, one.tests["S"].verdict) == (pytest.approx(2**-7), "»")
    assert (one.adjusted["S"], one.verdicts["S"]) == (pytest.approx(6 * 2**-7), ">")  # .047: some evidence is left


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


@given(st.integers(0, 1_000), st.integers(2, 12), st.integers(2, 12))
@settings(max_examples=40, deadline=None)
def test_setups_are_compared_by_scipys_unpaired_t(seed, folds_a, folds_b):
    rng = np.random.default_rng(seed)
    a, b = rng.random(folds_a), rng.random(folds_b)
    found = compare_setups({"auc": a, "only here": a}, {"auc": [*b, float("nan")]})
    assert list(found) == ["auc"]
    expected = ttest_ind(a, b)
    assert found["auc"].statistic == pytest.approx(expected.statistic)
    assert found["auc"].p == pytest.approx(expected.pvalue)
    assert found["auc"].difference == pytest.approx(a.mean() - b.mean())


@pytest.mark.parametrize(("a", "b"), [([0.5], [0.4, 0.3]), ([0.3, 0.1 + 0.2], [0.4, 0.4]), ([], [0.1, 0.2])])
def test_setups_without_spread_or_folds_have_no_test(a, b):
    found = compare_setups({"F1": a}, {"F1": b})["F1"]
    assert math.isnan(found.statistic) and math.isnan(found.p)


def test_every_row_compared_at_once_is_one_family_for_holm():
    rng = np.random.default_rng(1)
    keys = [(model, metric) for model in "abc" for metric in ("auc", "F1")]
    hits, random = ({key: rng.random(6) + shift for key in keys} for shift in (0.3, 0.0))
    hits["flat", "auc"] = random["flat", "auc"] = np.full(6, 0.5)
    found = compare_setups(hits, random)
    assert [found[key].adjusted for key in keys] == pytest.approx(
        list(multipletests([found[key].p for key in keys], method="holm")[1])
    )
    assert math.isnan(found["flat", "auc"].adjusted)
    alone = compare_setups({"auc": hits["a", "auc"]}, {"auc": random["a", "auc"]})["auc"]
    assert alone.adjusted == alone.p


def samples(rng, *, shared: float, count: int = 5, models: int = 3):
    """Random samples whose six folds share an effect of the sample: other authors, other sizes."""
    return [0.6 + shared * rng.normal(size=(models, 1)) + 0.05 * rng.normal(size=(models, 6)) for _ in range(count)]


def test_the_placebo_rate_is_how_often_the_t_test_errs():
    rng = np.random.default_rng(0)
    for shared, least, most in ((0.0, 0.03, 0.07), (0.04, 0.15, 0.5)):
        placebo, true = [], []
        for _ in range(150):
            *drawn, hits = samples(rng, shared=shared, count=6)
            placebo.append(placebo_rate(drawn))
            compared = compare_setups(dict(enumerate(hits)), dict(enumerate(np.concatenate(drawn, axis=1))))
            true.append(np.mean([row.p < 0.05 for row in compared.values()]))
        assert least <= np.mean(placebo) <= most
        assert np.mean(placebo) == pytest.approx(np.mean(true), abs=0.05)


def test_the_placebo_rate_by_hand():
    quiet, loud = [0.5, 0.6, 0.5, 0.6], [0.9, 1.0, 0.9, 1.0]
    assert placebo_rate([quiet, quiet, quiet]) == 0
    rows = [(quiet, loud), (quiet, quiet), (quiet, quiet)]
    p = [
        ttest_ind(rows[i][m], np.concatenate([rows[j][m] for j in range(3) if j != i])).pvalue
        for i in range(3)
        for m in (0, 1)
    ]
    assert placebo_rate([np.array(row) for row in rows]) == np.mean(np.array(p) < 0.05) > 0
    assert math.isnan(placebo_rate([quiet, loud])), "two samples differ from each other equally"
    assert math.isnan(placebo_rate([[0.5] * 3] * 4)), "nothing varies"
    assert placebo_rate([[*quiet, math.nan], quiet, quiet]) == 0
    with pytest.raises(SettingError, match="the same models"):
        placebo_rate([np.zeros((2, 3)), np.zeros((3, 3)), np.zeros((2, 3))])


def test_a_rank_among_samples_is_counted_and_said():
    found = rank_among(0.35, np.arange(20) / 10)
    assert (found.n, found.above, found.below) == (20, 16, 4)
    assert found.sentence == "below 16 of 20"
    assert found.p == pytest.approx(5 / 21)
    assert rank_among(2.5, np.arange(20) / 10).sentence == "above 20 of 20"
    assert rank_among(-1, [0, 1, 2, 3, 4]).p == pytest.approx(1 / 6), "five samples cannot give less"
    assert rank_among(9, [0, 1, 2, 3, 4]).p == 1
    ties = rank_among(0.3, [0.1 + 0.2, 0.4, math.nan])
    assert (ties.n, ties.above, ties.below, ties.p) == (2, 1, 0, pytest.approx(2 / 3))
    assert rank_among(1, [1, 1]).sentence == "level with all 2"
    for nothing in (rank_among(math.nan, [1, 2]), rank_among(1, []), rank_among(1, [math.nan])):
        assert math.isnan(nothing.p) and nothing.sentence == "not comparable"


@given(st.lists(st.integers(0, 12), min_size=1, max_size=30), st.integers(0, 12))
@settings(deadline=None)
def test_laws_of_a_rank(drawn, value):
    low, mirrored = rank_among(value, drawn), rank_among(-value, [-each for each in drawn])
    assert (low.above, low.below) == (mirrored.below, mirrored.above)
    assert 1 / (len(drawn) + 1) <= low.p <= 1 and low.p + mirrored.p > 1
    assert rank_among(value + 5, [each + 5 for each in drawn]).p == low.p, "only distances count"
    assert low.above + low.below + sum(each == value for each in drawn) == low.n


def test_one_more_random_sample_is_rarely_extreme():
    rng = np.random.default_rng(3)
    found = [rank_among(rng.normal(), rng.normal(size=39)).p for _ in range(2_000)]
    assert np.mean(np.array(found) <= 0.05) == pytest.approx(0.05, abs=0.015)


def test_placebo_counts_are_what_the_rate_divides():
    samples = [np.random.default_rng(seed).normal(loc=seed == 0, scale=0.1, size=(2, 6)) for seed in range(5)]
    called, judged = placebo_counts(samples)
    assert judged == 10 and called >= 2
    assert placebo_rate(samples) == called / judged
    by_row = [placebo_counts([sample[row] for sample in samples]) for row in (0, 1)]
    assert (called, judged) == tuple(np.sum(by_row, axis=0))
    assert placebo_counts(samples[:2]) == (0, 0)
    assert placebo_counts(np.ones((5, 1, 6))) == (0, 0)
    with pytest.raises(SettingError, match="the same models"):
        placebo_counts([np.ones((1, 2, 6)), np.ones((1, 6)), np.ones((1, 6))])


def test_a_sample_is_called_different_below_the_level():
    """Five in a hundred unless told: p-values lie between that level and twice as much, and one at a level itself."""
    drawn = np.random.default_rng(9).random((12, 5))
    p = sorted(ttest_ind(drawn[index], np.delete(drawn, index, axis=0).ravel()).pvalue for index in range(len(drawn)))
    between = [0.05 < each < 0.1 for each in p]
    assert any(between), "another seed would show nothing"
    assert placebo_counts(drawn) == (sum(each < 0.05 for each in p), 12)
    assert placebo_rate(drawn) == sum(each < 0.05 for each in p) / 12
    own = sorted(
        compare_setups({0: drawn[index]}, {0: np.delete(drawn, index, axis=0)})[0].p for index in range(len(drawn))
    )
    assert own == pytest.approx(p)
    for rank in (0, 3, 11):
        assert placebo_counts(drawn, alpha=own[rank]) == (rank, 12)
        assert placebo_rate(drawn, alpha=own[rank]) == rank / 12


def test_ranks_by_hand():
    assert rank_among(1, [0, 2]).sentence == "below 1 of 2", "as many above as below"
    alone = rank_among(-1, [0])
    assert (alone.n, alone.above, alone.below, alone.p) == (1, 1, 0, 0.5)
    nothing = rank_among(math.nan, [1, 2])
    assert (nothing.n, nothing.above, nothing.below) == (2, 0, 0)


@pytest.mark.parametrize(
    ("value", "sample", "tie"),
    [
        (0.0, 1e-12, True),
        (0.0, 1.5e-12, False),
        (0.0, -1e-12, True),
        (1e3, 1e3 + 5e-10, True),
        (1e3, 1e3 + 5e-9, False),
    ],
)
def test_what_counts_as_a_tie_grows_with_the_value(value, sample, tie):
    found = rank_among(value, [sample])
    assert (found.above + found.below == 0) == tie


def judged(d, *, margin: float | None = 0.05, **more):
    d = np.asarray(d, dtype=np.float64)
    return head_to_head(0.5 + d, np.full(len(d), 0.5), margin=margin, **more)


@pytest.mark.parametrize(
    ("d", "margin", "outcome", "within"),
    [
        ([0.1, 0.2] * 6 + [-0.1], 0.01, "a", False),
        ([-0.1, -0.2, -0.1, -0.3, -0.1, -0.2], 0.01, "b", False),
        ([0.001, 0.002] * 10, 0.05, "a", True),
        ([0.001, -0.001] * 10, 0.05, "equivalent", True),
        ([0.3, -0.3] * 5, 0.05, "unclear", False),
        ([0.5, 0.6, 0.7], 0.05, "unclear", False),
        ([0.0] * 9, 0.05, "same", False),
    ],
)
def test_outcomes_of_two_systems(d, margin, outcome, within):
    found = judged(d, margin=margin)
    assert (found.outcome, found.within, found.rows) == (outcome, within, len(d))
    assert found.mean == pytest.approx(np.mean(d))


def test_signs_have_the_p_of_an_independent_library():
    found = judged([0.1, 0.2] * 6 + [-0.1, 0.0])
    assert (found.wins, found.losses) == (12, 1)
    assert found.p == pytest.approx(stats.binomtest(12, 13).pvalue)


def test_rows_that_both_miss_are_nothing_to_compare():
    found = head_to_head([math.nan, 1.0], [1.0, math.nan], margin=0.05)
    assert found.outcome == "nothing" and "No row" in found.problem and math.isnan(found.p)


def test_effective_rows_are_kishs():
    assert judged([0.1, 0.2, 0.3, math.nan], sizes=[1, 1, 2, 50]).effective == pytest.approx(16 / 6)
    assert math.isnan(judged([0.1, 0.2]).effective)


def test_decisions_are_never_equivalent():
    assert judged([0.5, -0.5] * 20, margin=None).outcome == "unclear"


@given(st.lists(st.sampled_from([-0.2, -0.1, 0.0, 0.1, 0.3]), min_size=1, max_size=20))
@settings(deadline=None)
def test_swapping_the_systems_mirrors_the_outcome(d):
    d = np.array(d)
    there = judged(d)
    back = head_to_head(np.full(len(d), 0.5), 0.5 + d, margin=0.05)
    assert back.outcome == {"a": "b", "b": "a"}.get(there.outcome, there.outcome)
    assert (back.wins, back.losses) == (there.losses, there.wins)


def test_equal_systems_are_called_better_no_more_often_than_promised():
    rng = np.random.default_rng(1)
    called = sum(judged(rng.normal(size=20)).outcome in ("a", "b") for _ in range(300))
    assert called <= 0.05 * 300 + 3 * np.sqrt(300 * 0.05 * 0.95)


def test_nothing_to_compare_is_counted_as_nothing():
    found = head_to_head([math.nan, 1.0], [1.0, math.nan], margin=0.05)
    assert (found.rows, found.wins, found.losses, found.within) == (0, 0, 0, False)


def test_six_signs_that_agree_are_enough_and_five_are_not():
    six, five = ([0.1, 0.2, 0.3, 0.1, 0.2, 0.4][:count] for count in (6, 5))
    assert FEWEST_SIGNS == 6
    assert [(judged(d).outcome, judged(d).p) for d in (six, five)] == [("a", 0.03125), ("unclear", 0.0625)]
    assert judged([-value for value in six]).outcome == "b"


def test_losses_count_in_the_p_of_signs():
    found = judged([0.1, 0.2, 0.3, -0.1, -0.2])
    assert found.p == pytest.approx(stats.binomtest(3, 5).pvalue) == 1.0
    assert judged([-0.1, -0.2, -0.3, -0.1, 0.2]).p == pytest.approx(stats.binomtest(1, 5).pvalue)


def test_the_difference_found_in_four_of_five_studies_is_that_of_a_paired_t_test():
    d = [0.1, 0.3, -0.1, 0.2]
    found = judged(d).detectable
    power = TTestPower().power(found / np.std(d, ddof=1), nobs=4, alpha=0.05, alternative="two-sided")
    assert power == pytest.approx(0.8, abs=1e-6)
    three = judged(d[:3]).detectable
    power = TTestPower().power(three / np.std(d[:3], ddof=1), nobs=3, alpha=0.05, alternative="two-sided")
    assert power == pytest.approx(0.8, abs=1e-6)
    assert math.isnan(judged(d[:2]).detectable) and math.isnan(judged(d, margin=None).detectable)
    assert math.isnan(judged([0.25] * 4).detectable)


def test_as_many_wins_as_losses_are_no_difference_at_all():
    even = head_to_head([1.0, 0.0], [0.0, 1.0], margin=None)
    assert (even.wins, even.losses, even.p, even.outcome) == (1, 1, 1.0, "unclear")
