"""Simulated classifiers: their laws, counts against instances, and the rejection rates of the methods sheet."""

import numpy as np
import pytest

from core.errors import SettingError
from core.statistics.simulation import RESAMPLING, GroupSettings, type1_rates
from core.statistics.simulation.groups import (
    FoldErrors,
    counted_trials,
    explicit_trials,
    group_errors,
    trials_at_once,
)
from core.statistics.simulation.resampling import make_plan
from core.statistics.t_tests import paired_t_rows

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


def rate(scheme: str, labelled: float, **choices) -> float:
    return type1_rates(scheme, labelled=labelled, trials=2_000, seed=1, settings=GroupSettings(**choices)).rates[
        "paired"
    ]


def test_probabilities_are_table_7s():
    model = group_errors(GroupSettings())
    assert model.chosen == 1
    assert model.inside == pytest.approx(0.91)
    assert model.outside == pytest.approx(0.1 * 0.09 / 0.9)
    assert model.error == pytest.approx(0.1)


@pytest.mark.parametrize("labelled", SHARES)
def test_network_cross_validation_keeps_to_the_level(labelled):
    assert rate("ncv", labelled) == pytest.approx(0.06, abs=0.03)
    assert rate("ncv", labelled, fixed_errors=True) == pytest.approx(0.05, abs=0.03)


@pytest.mark.parametrize(("labelled", "expected"), [*zip(SHARES, (0.43, 0.36, 0.31, 0.22, 0.10), strict=True)])
def test_random_resampling_rejects_too_often(labelled, expected):
    assert rate("rrs", labelled) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(("labelled", "expected"), [*zip(SHARES, (0.41, 0.37, 0.34, 0.21, 0.10), strict=True)])
def test_equal_instance_resampling_does_too(labelled, expected):
    # The sheet's values are of 300 trials, so they are themselves only known to ±.055: 2.5 standard errors and ours.
    assert rate("ers", labelled) == pytest.approx(expected, abs=0.07)


@pytest.mark.parametrize(("labelled", "expected"), [(0.1, 0.89), (0.9, 0.35)])
def test_errors_that_stay_with_the_instance_make_resampling_worse(labelled, expected):
    assert rate("rrs", labelled, fixed_errors=True) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("scheme", sorted(RESAMPLING))
def test_counts_have_the_law_of_instances(scheme, fixed):
    """Means, variances, covariances between folds and classifiers, and rejections, counted and instance by instance."""
    plan = make_plan(scheme, 60, labelled=0.4, folds=6)
    model = group_errors(GroupSettings(error=0.25, correlation=0.7, groups=8, difference=0.05, fixed_errors=fixed))
    trials = 6_000
    fast = counted_trials(plan, model, np.random.default_rng(0), trials=trials)
    slow, _ = explicit_trials(plan, model, np.random.default_rng(1), trials=trials)
    for found in (fast, slow):
        assert found.a.mean() == pytest.approx(0.25 * plan.tested.mean(), rel=0.03)
        assert found.b.mean() == pytest.approx(0.30 * plan.tested.mean(), rel=0.03)
    moments = [np.cov(np.hstack([found.a[:, :2], found.b[:, :2]]).T) for found in (fast, slow)]
    scale = np.sqrt(np.outer(np.diag(moments[1]), np.diag(moments[1])))
    assert (np.abs(moments[0] - moments[1]) / scale).max() < 6 * np.sqrt(2 / trials)
    rejected = [float((paired_t_rows(*found.rates)[1] < 0.05).mean()) for found in (fast, slow)]
    assert rejected[0] == pytest.approx(rejected[1], abs=5 * np.sqrt(2 * 0.25 / trials))


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("error", [0.1, 0.3])
def test_measured_correlation_is_the_square_of_the_parameter(error, correlation):
    """Var of a group's error rate over p(1 − p) = errCorr² when P_err is a whole number of groups."""
    model = group_errors(GroupSettings(error=error, correlation=correlation))
    plan = make_plan("rrs", 300, labelled=0.5)
    phi = explicit_trials(plan, model, np.random.default_rng(2), trials=60)[1]
    assert np.mean(phi) == pytest.approx(correlation**2, abs=0.02)


def test_batches_shrink_with_what_a_trial_needs():
    small, large = group_errors(GroupSettings()), group_errors(GroupSettings(groups=1_000))
    assert [trials_at_once(make_plan(name, 300, labelled=0.5), small) for name in ("ncv", "rrs", "ers")] == [
        500,
        500,
        100,
    ]
    assert trials_at_once(make_plan("rrs", 300, labelled=0.5), large) == 3_000_000 // (30 * 1_000)
    assert trials_at_once(make_plan("ers", 20_000, labelled=0.5), large) == 3_000_000 // (30 * 21_000)
    assert trials_at_once(make_plan("ers", 20_000, labelled=0.5, folds=200), large) == 1


def test_rates_keep_ties_where_folds_are_of_one_size():
    even = FoldErrors(np.array([[3, 6]]), np.array([[1, 2]]), np.array([30, 30]))
    assert even.rates[0].tolist() == [[3.0, 6.0]]
    uneven = FoldErrors(np.array([[3, 6]]), np.array([[1, 2]]), np.array([30, 20]))
    assert uneven.rates[0].tolist() == [[0.1, 0.3]]


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"error": 1.0}, "choose one from 0 to below 1"),
        ({"error": float("nan")}, "choose one from 0 to below 1"),
        ({"error": 0.6}, "takes 6 of 10 groups.* at most 0.5"),
        ({"correlation": 1.1}, "choose one from 0 to 1"),
        ({"groups": 1}, "choose from 2 to 1,000"),
        ({"difference": 0.95}, "choose one from 0 to below 0.9"),
        ({"difference": -0.1}, "choose one from 0 to below 0.9"),
    ],
)
def test_impossible_classifiers_are_refused(choice, sentence):
    with pytest.raises(SettingError, match=sentence):
        group_errors(GroupSettings(**choice))
