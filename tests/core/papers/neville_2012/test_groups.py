"""Simulated classifiers and Type I error: laws, counts against instances, the rates of the methods sheet, prefixes, notes."""

import subprocess
import sys
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import SettingError
from core.notes import Note
from core.papers.neville_2012 import RESAMPLING, SIMULATED_TESTS, GroupSettings, type1_rates
from core.papers.neville_2012.groups import (
    FoldErrors,
    Tally,
    counted_phi,
    counted_trials,
    explicit_trials,
    group_errors,
    make_plan,
    trials_at_once,
)
from core.statistics import wilson
from core.statistics.t_tests import paired_t_rows
from tests.conftest import ROOT

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
    """Var of a group's error rate over p(1 − p) = errCorr² when P_err is a integer number of groups."""
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


@pytest.mark.parametrize("scheme", ["ncv", "rrs", "ers"])
def test_fewer_trials_are_the_first_of_more(scheme, monkeypatch):
    tested = []
    add = Tally.add
    monkeypatch.setattr(Tally, "add", lambda tally, a, b: (tested.append((a, b)), add(tally, a, b)))

    def scores(trials: int, seed: int) -> np.ndarray:
        tested.clear()
        assert type1_rates(scheme, labelled=0.5, trials=trials, seed=seed).trials == trials
        return np.concatenate([np.stack(pair) for pair in tested], axis=1)

    step = {"ncv": 500, "rrs": 500, "ers": 100}[scheme]
    few, more = scores(step - 10, 3), scores(2 * step + 10, 3)
    assert (few.shape[1], more.shape[1]) == (step - 10, 2 * step + 10)
    np.testing.assert_array_equal(more[:, : step - 10], few)
    assert (more[:, step : 2 * step] != more[:, :step]).any()  # every batch has draws of its own
    assert (scores(step, 4) != more[:, :step]).any()


def test_progress_reaches_the_end():
    calls = []
    found = type1_rates("rrs", labelled=0.5, trials=1_200, seed=0, progress=lambda *done: calls.append(done))
    assert [done for done, *_ in calls] == [500, 1_000, 1_200]
    assert calls[-1][3] == 0
    assert found.trials == 1_200
    assert found.notes == ()


def test_independent_errors_keep_every_test_near_its_level_without_overlap():
    found = type1_rates(
        "ncv", labelled=0.5, trials=4_000, seed=0, settings=GroupSettings(correlation=0.0, error=0.3, instances=1_000)
    )
    assert found.error_correlation == pytest.approx(0.0, abs=0.02)
    for share in found.rates.values():
        assert share == pytest.approx(0.05, abs=0.015)


def test_power_rises_with_the_true_difference():
    rates = [
        type1_rates("ncv", labelled=0.5, trials=1_000, seed=0, settings=GroupSettings(difference=difference)).rates[
            "paired"
        ]
        for difference in (0.0, 0.03, 0.08, 0.2)
    ]
    assert rates == sorted(rates)
    assert rates[0] < 0.08
    assert rates[-1] > 0.95


def test_classifiers_without_errors_never_reject_and_are_counted():
    found = type1_rates("rrs", labelled=0.5, trials=50, seed=0, settings=GroupSettings(error=0.0, correlation=0.0))
    assert found.rates == {"paired": 0.0, "unpaired": 0.0, "wilcoxon": 0.0}
    assert np.isnan(found.error_correlation)
    assert [note.values[:2] for note in found.notes if note.code == "no variation"] == [(50, 50)] * 3


def test_notes_tell_when_groups_cannot_give_the_error_rate():
    found = type1_rates("ncv", labelled=0.5, trials=10, seed=0, settings=GroupSettings(error=0.14))
    assert found.notes[0].code == "other error rate" and round(found.notes[0].values[-1], 3) == 0.104


def test_few_instances_a_group_are_noted():
    for instances, noted in ((19, True), (20, False)):
        found = type1_rates("rrs", labelled=0.5, trials=5, seed=0, settings=GroupSettings(instances=instances))
        assert (Note("small groups", (instances, 10)) in found.notes) == noted


def test_folds_are_the_schemes_unless_given():
    usual, given = (
        type1_rates("rrs", labelled=0.5, trials=300, seed=0, settings=GroupSettings(folds=folds)) for folds in (30, 5)
    )
    assert usual.rates == type1_rates("rrs", labelled=0.5, trials=300, seed=0).rates
    assert given.rates != usual.rates


def test_large_settings_stay_in_memory():
    found = type1_rates(
        "rrs", labelled=0.5, trials=3, seed=0, settings=GroupSettings(instances=20_000, groups=400, error=0.25)
    )
    assert found.trials == 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"trials": 0}, "0 trials; choose from 1"),
        ({"trials": 100_001}, "choose from 1 to 100,000"),
        ({"seed": -1}, "choose 0 or more"),
        ({"scheme": "kfold"}, "No resampling scheme is called 'kfold'"),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_sentence(change, sentence):
    with pytest.raises(SettingError, match=sentence):
        type1_rates(**{"scheme": "ncv", "labelled": 0.3, "trials": 10, "seed": 0, **change})


def test_a_tally_before_its_first_trial_has_no_rates():
    assert all(np.isnan(rate) for rate in Tally().rates.values())


def test_a_tally_counts_rejections_below_the_level_and_rows_without_variance():
    rng = np.random.default_rng(0)
    a, b = rng.random((40, 10)), rng.random((40, 10)) + 0.2
    a[:3], b[:3] = 0.5, 0.5
    tally = Tally()
    tally.add(a[:25], b[:25])
    tally.add(a[25:], b[25:])
    assert tally.trials == 40
    for name, test in SIMULATED_TESTS.items():
        p = test.run(a, b)[1]
        assert tally.undefined[name] == 3
        assert tally.rates[name] == pytest.approx((p[3:] < 0.05).sum() / 40)
        assert 0 < tally.rates[name] < 1
        assert tally.intervals[name] == wilson(int((p[3:] < 0.05).sum()), 40)
        assert Note("no variation", (3, 40, test.label)) in tally.notes


def test_counted_phi_is_that_of_all_pairs_of_a_fold_and_group_trial_by_trial():
    """Four trials of three folds and two groups, then one without errors, one without successes, one without pairs."""
    rng = np.random.default_rng(4)
    members = np.concatenate([rng.integers(1, 6, size=(6, 3, 2)), np.ones((1, 3, 2), dtype=int)])
    errors = rng.integers(0, members, endpoint=True)
    errors[4], errors[5], errors[6] = 0, members[5], [[1, 0], [0, 0], [0, 1]]
    members[0, :, 1] = 1  # a group without pairs counts for nothing
    errors[0, :, 1] = [1, 0, 0]
    found = counted_phi(errors * 1.0, members * 1.0)
    assert np.isnan(found[4:]).all()
    for trial in range(4):
        p = errors[trial].sum() / members[trial].sum()
        by_group = []
        for group in range(2):
            each = [np.arange(n) < e for e, n in zip(errors[trial, :, group], members[trial, :, group], strict=True)]
            products = [(x - p) * (y - p) for fold in each for x, y in permutations(fold, 2)]
            by_group += [np.mean(products)] if products else []
        assert found[trial] == pytest.approx(np.mean(by_group) / (p * (1 - p)), abs=1e-12)


@dataclass(frozen=True)
class Fold:
    """One fold's instances: to train on, to score, and to run inference over (everything not in training)."""

    train: np.ndarray
    test: np.ndarray
    inference: np.ndarray


def resamples(scheme, instances, *, labelled, folds=None, seed):
    """A scheme's folds as sorted index arrays."""
    plan = make_plan(scheme, instances, labelled=labelled, folds=folds)
    rng = np.random.default_rng(seed)
    tests = plan.test_sets(rng, trials=1)
    trains = plan.training_sets(rng, tests)
    return tuple(
        Fold(np.flatnonzero(train), np.flatnonzero(test), np.flatnonzero(~train))
        for train, test in zip(trains[0], tests[0], strict=True)
    )


def drawn(scheme, instances, labelled, folds, seed):
    try:
        return resamples(scheme, instances, labelled=labelled, folds=folds, seed=seed)
    except SettingError:
        return None


choices = st.tuples(
    st.sampled_from(sorted(RESAMPLING)), st.integers(2, 80), st.floats(0, 1), st.integers(2, 35), st.integers(0, 1_000)
)


@given(choices)
@settings(max_examples=150, deadline=None)
def test_training_never_meets_test_and_inference_is_all_that_is_not_training(choice):
    folds = drawn(*choice)
    for fold in folds or ():
        assert len(fold.train) > 0
        assert len(fold.test) > 0
        assert not np.intersect1d(fold.train, fold.test).size
        everyone = np.arange(choice[1])
        assert np.setdiff1d(everyone, fold.train).tolist() == fold.inference.tolist()
        assert np.isin(fold.test, fold.inference).all()
        if choice[0] != "ncv":
            assert fold.test.tolist() == fold.inference.tolist()


@given(st.integers(2, 80), st.floats(0, 1), st.integers(2, 35), st.integers(0, 1_000))
@settings(max_examples=100, deadline=None)
def test_ncv_scores_every_instance_once_and_trains_on_the_labelled_share(instances, labelled, folds, seed):
    found = drawn("ncv", instances, labelled, folds, seed)
    if found is None:
        return
    assert sorted(np.concatenate([fold.test for fold in found])) == list(range(instances))
    sizes = [len(fold.test) for fold in found]
    assert max(sizes) - min(sizes) <= 1
    for fold in found:
        assert len(fold.train) == min(round(labelled * instances), instances - len(fold.test))


@given(st.integers(2, 80), st.floats(0, 1), st.integers(2, 35), st.integers(0, 1_000))
@settings(max_examples=100, deadline=None)
def test_ers_scores_every_instance_equally_often_in_sets_of_nearly_one_size(instances, labelled, folds, seed):
    found = drawn("ers", instances, labelled, folds, seed)
    if found is None:
        return
    plan = make_plan("ers", instances, labelled=labelled, folds=folds)
    times = np.bincount(np.concatenate([fold.test for fold in found]), minlength=instances)
    assert (times == plan.tested.sum() / instances).all()
    assert [len(fold.test) for fold in found] == plan.tested.tolist()
    assert np.ptp(plan.tested) <= 1


@pytest.mark.parametrize("labelled", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_the_papers_sizes(labelled):
    for scheme in ("rrs", "ers"):
        folds = resamples(scheme, 300, labelled=labelled, seed=0)
        assert len(folds) == 30
        assert {(len(fold.train), len(fold.test)) for fold in folds} == {
            (round(300 * labelled), round(300 * (1 - labelled)))
        }
    folds = resamples("ncv", 300, labelled=labelled, seed=0)
    assert [(len(fold.train), len(fold.test)) for fold in folds] == [(round(300 * labelled), 30)] * 10


def test_folds_are_a_function_of_the_seed():
    for scheme in RESAMPLING:
        first, again, other = (resamples(scheme, 60, labelled=0.3, seed=seed) for seed in (4, 4, 5))
        assert all((a.test == b.test).all() and (a.train == b.train).all() for a, b in zip(first, again, strict=True))
        assert any(not np.array_equal(a.test, b.test) for a, b in zip(first, other, strict=True))


def test_random_sets_take_every_instance_equally_and_trials_differ():
    rng = np.random.default_rng(0)
    for scheme in RESAMPLING:
        plan = make_plan(scheme, 40, labelled=0.5, folds=8)
        tests = plan.test_sets(rng, trials=3_000)
        trains = plan.training_sets(rng, tests)
        expected = plan.tested[:, None] / 40
        assert np.abs(tests.mean(axis=0) - expected).max() < 5 * np.sqrt(0.25 / 3_000)
        assert np.abs(trains.mean(axis=0) - 0.5).max() < 5 * np.sqrt(0.25 / 3_000)
        assert (tests[0] != tests[1]).any()


def test_equal_instance_sets_are_not_copies_of_one_another():
    """With ties always to the first set, 30 folds at one half would be two sets, 15 times each."""
    folds = resamples("ers", 300, labelled=0.5, seed=1)
    assert len({tuple(fold.test) for fold in folds}) == 30


@pytest.mark.parametrize(
    ("scheme", "instances", "labelled", "folds", "sentence"),
    [
        ("rrs", 300, 1.0, 30, "leaves none to test; lower the share"),
        ("ncv", 300, 0.001, 10, "leaves none to train on; raise the share"),
        ("rrs", 300, 0.0, 30, "leaves none to train on"),
        ("ncv", 8, 0.5, 10, "10 folds of 8 instances; choose at most 8 folds"),
        ("ncv", 300, 0.95, 10, "more than the other 9 of 10 folds hold; choose at most 0.9"),
        ("ers", 300, 0.98, 10, "in 0.2 test sets; choose a share between 0.1 and 0.9"),
        ("rrs", 300, 1.5, 10, "choose one between 0 and 1"),
        ("rrs", 300, float("nan"), 10, "choose one between 0 and 1"),
        ("rrs", 300, 0.5, 1, "choose from 2 to 200"),
        ("rrs", 1, 0.5, 5, "choose from 2 to 20,000"),
        ("rsr", 300, 0.5, 5, "Did you mean 'rrs'"),
    ],
)
def test_what_cannot_be_resampled_is_said(scheme, instances, labelled, folds, sentence):
    with pytest.raises(SettingError, match=sentence):
        make_plan(scheme, instances, labelled=labelled, folds=folds)


def test_ncv_takes_the_whole_pool_where_rounding_asks_for_one_more():
    folds = resamples("ncv", 304, labelled=0.9, folds=10, seed=0)  # 273.6 wanted, and the larger folds leave 273
    assert {len(fold.train) for fold in folds} == {273, 274}


def test_ers_says_when_copies_had_to_be_rounded():
    assert make_plan("ers", 300, labelled=0.5).notes == ()
    (note,) = make_plan("ers", 300, labelled=0.24, folds=10).notes
    assert note.code == "uneven test sets" and note.values[:3] == (300, 8, 10)


def test_importing_the_simulations_brings_in_nothing_slow():
    slow = {"numba", "scipy", "sklearn", "streamlit"}
    for module, unwanted in {"core.statistics": slow | {"pandas"}, "core.papers.neville_2012": slow}.items():
        code = f"import sys, {module}; print({unwanted} & sys.modules.keys())"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "set()"


def test_schemes_say_of_their_test_sets_what_holds():
    rng = np.random.default_rng(0)
    for scheme in RESAMPLING.values():
        plan = make_plan(next(key for key, value in RESAMPLING.items() if value is scheme), 40, labelled=0.5, folds=8)
        tests = plan.test_sets(rng, trials=2_000)
        assert (tests.sum(axis=1).max() <= 1) == scheme.disjoint
        # Sets that do not depend on one another share as many instances as chance gives, in mean and in spread.
        shared = (tests[:, 0] & tests[:, 1]).sum(axis=1)
        n, m = 40, int(plan.tested[0])
        mean, variance = m * m / n, m * m * (n - m) ** 2 / (n * n * (n - 1))
        chance = abs(shared.mean() - mean) < 5 * np.sqrt(variance / 2_000)
        assert chance == scheme.independent
