"""HITS against random samples: the paper's t-test, its error rate on samples at hand, and a rank among samples."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_ind
from statsmodels.stats.multitest import multipletests

from core.errors import SettingError
from core.statistics import compare_setups, placebo_counts, placebo_rate, rank_among


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
    assert math.isnan(placebo_rate([quiet, loud])), "two samples differ from each other alike"
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
