"""Latent-group networks, the two relational classifiers, calibration, and Type I error and power on new networks."""

import numpy as np
import pytest

from core.errors import SettingError
from core.statistics.simulation import calibrate, network_rates
from core.statistics.simulation.network_trials import CLOSE
from core.statistics.simulation.networks import (
    RELATIONAL,
    Network,
    NetworkSettings,
    adjacency,
    label_autocorrelation,
    latent_group_network,
    network_bayes,
    weighted_vote,
)


def made(count: int, seed: int = 0, **settings) -> list[Network]:
    rng = np.random.default_rng(seed)
    return [latent_group_network(NetworkSettings(**settings), rng) for _ in range(count)]


def graph(labels: list[bool], links: list[tuple[int, int]]) -> Network:
    nodes = len(labels)
    return Network(np.array(labels), np.zeros(nodes, int), np.ones(nodes, bool), np.array(links).reshape(-1, 2))


@pytest.fixture(scope="module")
def calibration():
    return calibrate(0.3, seed=0)


@pytest.mark.parametrize(("mixed", "expected"), [("geometric", 0.38), ("mean", 0.35), ("minimum", 0.44)])
def test_autocorrelation_is_the_sheets(mixed, expected):
    networks = made(100, mixed=mixed)
    assert np.mean([network.autocorrelation for network in networks]) == pytest.approx(expected, abs=0.02)
    assert np.mean([network.labels.mean() for network in networks]) == pytest.approx(0.70, abs=0.02)


def test_links_have_the_rates_of_the_groups_they_join():
    inside, seen = np.zeros(2), np.zeros(2)
    for network in made(40, seed=1):
        first, second = network.links.T
        assert (first < second).all()
        same = network.groups[first] == network.groups[second]
        for kind in (0, 1):
            inside[kind] += (same & (network.type_a[first] == kind)).sum()
            sizes = np.bincount(network.groups[network.type_a == kind])
            seen[kind] += (sizes * (sizes - 1) / 2).sum()
    np.testing.assert_allclose(inside / seen, [0.4, 0.6], atol=0.02)


def test_autocorrelation_is_pearsons_over_both_directions():
    network = made(1, seed=3)[0]
    ends = network.labels[np.concatenate([network.links, network.links[:, ::-1]])]
    assert network.autocorrelation == pytest.approx(np.corrcoef(ends.T)[0, 1])
    assert np.isnan(label_autocorrelation(np.array([True, True]), np.array([[0, 1]])))


def test_wvrn_is_the_mean_of_the_neighbours():
    star = graph([True, True, False, True, False], [(0, 3), (1, 3), (2, 3)])
    known = np.array([True, True, True, False, False])[None, :, None]
    found = weighted_vote(adjacency([star]), star.labels[None], known)[0, :, 0]
    assert found[3] == pytest.approx(2 / 3, abs=1e-3)
    assert found[4] == pytest.approx((2 + 1) / (3 + 2))  # no neighbour: the labelled share of positives
    assert found[:3].tolist() == [1.0, 1.0, 0.0]


def test_nbc_is_naive_bayes_on_the_neighbours():
    # Labelled links: + + twice, + − once; the last node has two positive neighbours and one negative.
    network = graph([True, True, True, False, False, False], [(0, 1), (1, 2), (2, 3), (0, 5), (1, 5), (4, 5)])
    known = np.array([True, True, True, True, True, False])[None, :, None]
    found = network_bayes(adjacency([network]), network.labels[None], known)[0, 5, 0]
    beside_positive, beside_negative = (4 + 1) / (5 + 2), (1 + 1) / (1 + 2)
    odds = (3 + 1) / (2 + 1)
    odds *= (beside_positive / beside_negative) ** 2 * (1 - beside_positive) / (1 - beside_negative)
    assert found == pytest.approx(odds / (1 + odds), abs=1e-3)


@pytest.mark.parametrize("name", sorted(RELATIONAL))
def test_classifiers_keep_labels_give_probabilities_and_treat_networks_apart(name):
    networks = made(3, seed=5, nodes=80)
    labels = np.stack([network.labels for network in networks])
    known = np.random.default_rng(0).random((3, 80, 4)) < 0.3
    found = RELATIONAL[name](adjacency(networks), labels, known)
    assert ((found >= 0) & (found <= 1)).all()
    assert (found[known] == np.broadcast_to(labels[:, :, None], known.shape)[known]).all()
    for place, network in enumerate(networks):
        alone = RELATIONAL[name](adjacency([network]), labels[[place]], known[[place]])
        np.testing.assert_allclose(alone[0], found[place], atol=1e-12)
    hidden = labels.copy()
    hidden[~known.any(axis=2)] ^= True  # labels never shown make no difference
    np.testing.assert_allclose(RELATIONAL[name](adjacency(networks), hidden, known), found)


def test_calibration_makes_the_models_equal(calibration):
    assert (calibration.better, calibration.worse) == ("wvrn", "nbc")
    assert calibration.networks == 50
    assert 0 < calibration.flip < 0.5
    assert abs(calibration.difference) <= CLOSE
    better, worse = calibration.accuracy["wvrn"], calibration.accuracy["nbc"]
    assert better > worse > 0.5
    assert better * (1 - calibration.flip) + (1 - better) * calibration.flip == pytest.approx(worse, abs=0.01)


def test_cross_validation_errs_less_often_than_resampling_on_networks(calibration):
    found = {scheme: network_rates(scheme, calibration, trials=100, seed=1) for scheme in ("ncv", "rrs", "ers")}
    assert found["ncv"].rates["paired"] < found["rrs"].rates["paired"]
    assert found["ncv"].rates["paired"] < 0.15
    assert found["ncv"].rates["unpaired"] <= found["ncv"].rates["paired"]
    for record in found.values():
        assert abs(record.difference) < 0.025
        assert record.autocorrelation == pytest.approx(0.38, abs=0.04)
        assert record.error_correlation == pytest.approx(0.2, abs=0.08)
        assert record.notes == ()


def test_power_rises_with_perturbation(calibration):
    found = [network_rates("ncv", calibration, trials=40, seed=2, perturbation=share) for share in (0.025, 0.15, 0.3)]
    powers = [record.rates["paired"] for record in found]
    assert powers == sorted(powers)
    assert powers[-1] > 0.9
    assert [record.difference for record in found] == sorted(record.difference for record in found)


def test_fewer_networks_are_the_first_of_more(calibration):
    calls = []
    network_rates("rrs", calibration, trials=30, seed=0, progress=lambda *step: calls.append(step))
    assert [step[:2] for step in calls] == [(10, 30), (20, 30), (30, 30)]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"mixed": "median"}, "Choose one of: geometric, mean, minimum"),
        ({"nodes": 5}, "choose from 10 to 3,000"),
        ({"group_size": 0.5}, "choose from 1 to 300"),
        ({"inside_a": 1.2}, "inside_a is 1.2.* choose one from 0 to 1"),
    ],
)
def test_impossible_networks_are_refused(settings, sentence):
    with pytest.raises(SettingError, match=sentence):
        made(1, **settings)


def test_a_network_without_links_is_said():
    bare = made(1, inside_a=0, inside_b=0, between_a=0, between_b=0)
    with pytest.raises(SettingError, match="no link, so labels cannot be compared"):
        _ = bare[0].autocorrelation
    with pytest.raises(SettingError, match="no link, so neighbours say nothing"):
        adjacency(bare)
    settings = NetworkSettings(inside_a=0, inside_b=0, between_a=0, between_b=0)
    with pytest.raises(SettingError, match="raise the link rates"):
        calibrate(0.3, networks=2, seed=0, settings=settings)


def test_wrong_perturbations_are_refused(calibration):
    with pytest.raises(SettingError, match=r"choose one from 0 to 0\.5"):
        network_rates("ncv", calibration, seed=0, perturbation=0.6)
