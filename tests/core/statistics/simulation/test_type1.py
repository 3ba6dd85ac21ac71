"""Type I error as a record: prefixes, progress, intervals, power and notes."""

import numpy as np
import pytest

from core.errors import SettingError
from core.statistics import wilson
from core.statistics.simulation import SIMULATED_TESTS, GroupSettings, rejection_sentence, type1_rates
from core.statistics.simulation.type1 import Tally


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
    assert sum("In 50 of 50 trials the scores do not vary" in note for note in found.notes) == 3


def test_notes_tell_when_groups_cannot_give_the_error_rate():
    found = type1_rates("ncv", labelled=0.5, trials=10, seed=0, settings=GroupSettings(error=0.14))
    assert "really err at 0.104" in found.notes[0]


def test_few_instances_a_group_are_noted():
    for instances, noted in ((19, True), (20, False)):
        found = type1_rates("rrs", labelled=0.5, trials=5, seed=0, settings=GroupSettings(instances=instances))
        assert any("most groups have no pair" in note for note in found.notes) == noted


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
        assert any(
            f"In 3 of 40 trials the scores do not vary, so the {test.label} has no p" in note for note in tally.notes
        )


def test_the_sentence_says_which_schemes_err_too_often():
    assert rejection_sentence({}, test="the t-test") == "Nothing has been counted yet."
    found = {"RRS": (0.36, (0.3, 0.4)), "ERS": (0.2, (0.1, 0.3)), "NCV": (0.06, (0.03, 0.1)), "X": (0.01, (0.0, 0.03))}
    found["Y"] = (float("nan"), (0.0, 1.0))
    assert rejection_sentence(found, test="the t-test") == (
        "At .05 the t-test calls two equally good models different in 36 % of studies under RRS, 20 % of studies under ERS, "
        "6 % of studies under NCV and 1 % of studies under X: under RRS and ERS too often; under NCV as far as can be told as "
        "often as it should; under X too seldom."
    )
