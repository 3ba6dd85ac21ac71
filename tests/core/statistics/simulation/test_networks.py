"""Latent-group networks and the two relational classifiers."""

import numpy as np
import pytest

from core.errors import SettingError
from core.statistics.simulation.networks import (
    RELATIONAL,
    Network,
    NetworkSettings,
    adjacency,
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
    assert np.isnan(graph([True, True], [(0, 1)]).autocorrelation)


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
    for index, network in enumerate(networks):
        alone = RELATIONAL[name](adjacency([network]), labels[[index]], known[[index]])
        np.testing.assert_allclose(alone[0], found[index], atol=1e-12)
    hidden = labels.copy()
    hidden[~known.any(axis=2)] ^= True  # labels never shown make no difference
    np.testing.assert_allclose(RELATIONAL[name](adjacency(networks), hidden, known), found)


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
