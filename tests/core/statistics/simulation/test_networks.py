"""Latent-group networks: links and labels that follow hidden groups."""

import numpy as np
import pytest

from core.errors import SettingError
from core.statistics.simulation.networks import Network, NetworkSettings, adjacency, latent_group_network


def made(count: int, seed: int = 0, **settings) -> list[Network]:
    rng = np.random.default_rng(seed)
    return [latent_group_network(NetworkSettings(**settings), rng) for _ in range(count)]


def graph(labels: list[bool], links: list[tuple[int, int]]) -> Network:
    return Network(np.array(labels), np.array(links).reshape(-1, 2))


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
