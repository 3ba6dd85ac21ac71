"""Resampling schemes: sizes, disjointness and coverage for any numbers, and a sentence where there can be no folds."""

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import SettingError
from core.papers.neville_2012 import RESAMPLING
from core.papers.neville_2012.resampling import make_plan
from tests.conftest import ROOT


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


def test_random_sets_take_every_instance_alike_and_trials_differ():
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
    assert "Every instance is in 8 of 10 test sets" in make_plan("ers", 300, labelled=0.24, folds=10).notes[0]


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
