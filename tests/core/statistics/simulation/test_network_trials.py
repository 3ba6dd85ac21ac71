"""Two relational classifiers made equal, and Type I error and power on new networks."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import SettingError
from core.statistics.simulation import equalise, latent_group_network, network_rates, rates_when_equal
from core.statistics.simulation.network_trials import CLOSE, _equal_flip, sized
from core.statistics.simulation.networks import NetworkSettings


@pytest.fixture(scope="module")
def equalised():
    return equalise(0.3, seed=0)


def test_flips_make_the_models_equal(equalised):
    assert (equalised.better, equalised.worse) == ("wvrn", "nbc")
    assert equalised.networks == 50
    assert 0 < equalised.flip < 0.5
    assert abs(equalised.difference) <= CLOSE
    better, worse = equalised.accuracy["wvrn"], equalised.accuracy["nbc"]
    assert better > worse > 0.5
    assert better * (1 - equalised.flip) + (1 - better) * equalised.flip == pytest.approx(worse, abs=0.01)


def test_cross_validation_errs_less_often_than_resampling_on_networks(equalised):
    found = {scheme: network_rates(scheme, equalised, trials=100, seed=1) for scheme in ("ncv", "rrs", "ers")}
    assert found["ncv"].rates["paired"] < found["rrs"].rates["paired"]
    assert found["ncv"].rates["paired"] < 0.15
    assert found["ncv"].rates["unpaired"] <= found["ncv"].rates["paired"]
    for record in found.values():
        assert abs(record.difference) < 0.025
        assert record.autocorrelation == pytest.approx(0.38, abs=0.04)
        assert record.error_correlation == pytest.approx(0.2, abs=0.08)
        assert record.notes == ()


def test_power_rises_with_perturbation(equalised):
    found = [network_rates("ncv", equalised, trials=40, seed=2, perturbation=share) for share in (0.025, 0.15, 0.3)]
    powers = [record.rates["paired"] for record in found]
    assert powers == sorted(powers)
    assert powers[-1] > 0.9
    assert [record.difference for record in found] == sorted(record.difference for record in found)


def test_fewer_networks_are_the_first_of_more(equalised):
    calls = []
    network_rates("rrs", equalised, trials=30, seed=0, progress=lambda *step: calls.append(step))
    assert [step[:2] for step in calls] == [(10, 30), (20, 30), (30, 30)]


def test_the_share_of_flips_is_found_exactly_where_it_can_be():
    """Flipping 40 of 100 predictions makes an accuracy of .9 one of .9·.6 + .1·.4 = .58."""
    right = np.arange(1_000) < 900
    drawn = (np.arange(1_000) % 100) / 100
    flip, left = _equal_flip(right, 0.58, drawn)
    assert flip == pytest.approx(0.4, abs=0.01)
    assert left == pytest.approx(0.0, abs=CLOSE)
    assert _equal_flip(right, 0.9, drawn) == (0.0, 0.0)
    assert _equal_flip(right[800:1_000], 0.2, drawn[:200]) == (0.0, pytest.approx(0.3))  # no room at one half


def test_models_that_stay_apart_are_noted(equalised):
    assert equalised.notes == ()
    apart = replace(equalised, difference=0.006)
    assert apart.notes == (
        "After flips the models still differ by 0.006, more than 0.005; use more networks or label more.",
    )
    assert apart.notes[0] in network_rates("ncv", apart, trials=1, seed=0).notes


def test_larger_networks_keep_their_links_and_show_smaller_differences():
    assert sized(300) == NetworkSettings()
    rng = np.random.default_rng(0)
    alike = [latent_group_network(sized(600), rng).autocorrelation for _ in range(20)]
    assert np.mean(alike) == pytest.approx(0.38, abs=0.03)
    powers = [
        rates_when_equal("rrs", 0.3, trials=30, seed=1, perturbation=0.075, networks=20, nodes=nodes).rates["paired"]
        for nodes in (150, 600)
    ]
    assert powers[1] > powers[0] + 0.2


def test_one_network_is_enough_and_is_counted():
    assert equalise(0.5, networks=1, seed=0).networks == 1


def test_networks_without_links_and_wrong_perturbations_are_refused(equalised):
    settings = NetworkSettings(inside_a=0, inside_b=0, between_a=0, between_b=0)
    with pytest.raises(SettingError, match="raise their rates"):
        equalise(0.3, networks=2, seed=0, settings=settings)
    with pytest.raises(SettingError, match=r"choose one from 0 to 0\.5"):
        network_rates("ncv", equalised, seed=0, perturbation=0.6)
