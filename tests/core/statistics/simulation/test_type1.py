"""Type I error as a record: prefixes, stopping, intervals, power, notes, and the command's answer."""

import json

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from core.errors import SettingError
from core.statistics.simulation import simulate_type1, type1_rates
from core.statistics.simulation.type1 import Tally, type1_stream, wilson


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (3, 10), (47, 1_000), (1, 1)])
def test_intervals_are_wilsons(successes, trials):
    expected = proportion_confint(successes, trials, method="wilson")
    np.testing.assert_allclose(wilson(successes, trials), expected, atol=1e-12)


def test_wilson_without_trials_says_nothing():
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("scheme", ["ncv", "rrs", "ers"])
def test_fewer_trials_are_the_first_of_more(scheme):
    step = {"ncv": 500, "rrs": 500, "ers": 100}[scheme]
    records = list(type1_stream(scheme, labelled=0.5, trials=2 * step, seed=3))
    assert [record.trials for record in records] == [step, 2 * step]
    assert records[0].rates == type1_rates(scheme, labelled=0.5, trials=step, seed=3).rates
    assert records[1].rates == type1_rates(scheme, labelled=0.5, trials=2 * step, seed=3).rates
    assert records[1].rates != type1_rates(scheme, labelled=0.5, trials=2 * step, seed=4).rates


def test_progress_reaches_the_end():
    calls = []
    found = type1_rates("rrs", labelled=0.5, trials=1_200, seed=0, progress=lambda *done: calls.append(done))
    assert [done for done, *_ in calls] == [500, 1_000, 1_200]
    assert calls[-1][3] == 0
    assert found.trials == 1_200
    assert found.notes == ()


def test_independent_errors_keep_every_test_near_its_level_without_overlap():
    found = type1_rates("ncv", labelled=0.5, trials=4_000, seed=0, correlation=0.0, error=0.3, instances=1_000)
    assert found.error_correlation == pytest.approx(0.0, abs=0.02)
    for share in found.rates.values():
        assert share == pytest.approx(0.05, abs=0.015)


def test_power_rises_with_the_true_difference():
    rates = [
        type1_rates("ncv", labelled=0.5, trials=1_000, seed=0, difference=difference).rates["paired"]
        for difference in (0.0, 0.03, 0.08, 0.2)
    ]
    assert rates == sorted(rates)
    assert rates[0] < 0.08
    assert rates[-1] > 0.95


def test_classifiers_without_errors_never_reject_and_are_counted():
    found = type1_rates("rrs", labelled=0.5, trials=50, seed=0, error=0.0, correlation=0.0)
    assert found.rates == {"paired": 0.0, "unpaired": 0.0, "wilcoxon": 0.0}
    assert found.undefined == {"paired": 50, "unpaired": 50, "wilcoxon": 50}
    assert np.isnan(found.error_correlation)
    assert "In 50 of 50 trials the scores do not vary" in found.notes[0]


def test_notes_tell_when_groups_cannot_give_the_error_rate():
    found = type1_rates("ncv", labelled=0.5, trials=10, seed=0, error=0.14)
    assert found.error != pytest.approx(0.14, abs=0.001)
    assert "really err at 0.104" in found.notes[0]


def test_only_the_tests_asked_for_are_made():
    assert set(type1_rates("rrs", labelled=0.5, trials=10, seed=0, tests=("paired",)).rates) == {"paired"}


def test_large_settings_stay_in_memory():
    found = type1_rates("rrs", labelled=0.5, trials=3, seed=0, instances=20_000, groups=400, error=0.25)
    assert found.trials == 3


def test_the_command_answers_in_json():
    options = {
        "command": "simulate", "scheme": "ncv", "labelled": 0.3, "trials": 200, "seed": 5,
        "error": None, "correlation": 0.5, "instances": None, "groups": None,
    }  # fmt: skip
    answer = simulate_type1(options)
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert set(answer["rates"]) == {"paired", "unpaired", "wilcoxon"}
    assert answer["trials"] == 200
    assert answer["error_correlation"] == pytest.approx(0.25, abs=0.06)
    assert answer["rates"] == type1_rates("ncv", labelled=0.3, trials=200, seed=5, correlation=0.5).rates
    silent = simulate_type1({**options, "error": 0.0})
    assert silent["error_correlation"] is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"trials": 0}, "0 trials; choose from 1"),
        ({"seed": -1}, "choose 0 or more"),
        ({"labelled": None}, "needs --labelled"),
        ({"scheme": "kfold"}, "No resampling scheme is called 'kfold'"),
    ],
)
def test_the_command_refuses_in_a_sentence(change, sentence):
    with pytest.raises(SettingError, match=sentence):
        simulate_type1({"scheme": "ncv", "labelled": 0.3, "trials": 10, "seed": 0, **change})


def test_a_tally_before_its_first_trial_has_no_rates():
    assert all(np.isnan(rate) for rate in Tally().rates.values())
