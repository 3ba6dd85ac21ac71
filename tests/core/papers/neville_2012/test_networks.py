"""Latent group networks and relational classifiers: laws, worked values, scikit-learn."""

import numpy as np
import pytest
from scipy.optimize import minimize

from core.errors import SettingError
from core.papers.neville_2012.networks import (
    RELATIONAL,
    RIDGE,
    Network,
    NetworkSettings,
    adjacency,
    latent_group_network,
    probabilities,
)


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


def found_in(network: Network, known: np.ndarray, **choice) -> np.ndarray:
    return probabilities(adjacency([network]), network.labels[None], known[None, :, None], **choice)[0, :, 0]


def test_wvrn_is_the_mean_of_the_neighbours():
    star = graph([True, True, False, True, False], [(0, 3), (1, 3), (2, 3)])
    known = np.array([True, True, True, False, False])
    found = found_in(star, known, model="wvrn")
    assert found[3] == pytest.approx(2 / 3, abs=1e-3)
    assert found[4] == pytest.approx((2 + 1) / (3 + 2))  # no neighbour: the labelled share of positives
    assert found[:3].tolist() == [1.0, 1.0, 0.0]


def test_nbc_is_naive_bayes_on_the_neighbours():
    # Labelled links: + + twice, + − once; the last node has two positive neighbours and one negative.
    network = graph([True, True, True, False, False, False], [(0, 1), (1, 2), (2, 3), (0, 5), (1, 5), (4, 5)])
    known = np.array([True, True, True, True, True, False])
    found = found_in(network, known, model="nbc")[5]
    beside_positive, beside_negative = (4 + 1) / (5 + 2), (1 + 1) / (1 + 2)
    odds = (3 + 1) / (2 + 1)
    odds *= (beside_positive / beside_negative) ** 2 * (1 - beside_positive) / (1 - beside_negative)
    assert found == pytest.approx(odds / (1 + odds), abs=1e-3)


def test_link_based_is_a_logistic_regression_on_the_counts_of_neighbours_classes():
    """The same loss minimised by scipy: cross-entropy over labelled nodes plus half the ridge times squared weights."""
    (network,) = made(1, seed=4, nodes=120)
    known = np.random.default_rng(1).random(120) < 0.5
    table = adjacency([network]).toarray()
    counts = np.column_stack([np.ones(120), table @ (known & network.labels), table @ (known & ~network.labels)])
    prior = ((known & network.labels).sum() + 1) / (known.sum() + 2)
    start = np.log(prior / (1 - prior))

    def loss(weights):
        odds = start + counts[known] @ weights
        return np.logaddexp(0, np.where(network.labels[known], -odds, odds)).sum() + RIDGE / 2 * weights @ weights

    weights = minimize(loss, np.zeros(3), tol=1e-10).x
    expected = 1 / (1 + np.exp(-start - counts[~known] @ weights))
    alone = found_in(network, known, model="link", collective=False)
    np.testing.assert_allclose(alone[~known], expected, atol=1e-5)


def test_link_based_learns_neighbours_that_are_unlike():
    """A network of couples of opposite classes: the vote of neighbours is always wrong, a model that learns is not."""
    network = graph([node % 2 == 0 for node in range(60)], [(node, node + 1) for node in range(0, 60, 2)])
    known = np.zeros(60, bool)
    known[:40] = True
    known[40:60:2] = True
    right = {
        name: ((found_in(network, known, model=name) > 0.5) == network.labels)[~known].mean() for name in RELATIONAL
    }
    assert right == {"wvrn": 0.0, "nbc": 1.0, "link": 1.0}


@pytest.mark.parametrize("name", sorted(RELATIONAL))
def test_a_fold_with_one_class_is_survived(name):
    network = graph([True] * 6 + [False] * 6, [(node, node + 1) for node in range(11)])
    found = found_in(network, np.arange(12) < 4, model=name)
    assert np.isfinite(found).all() and (found[:6] > 0.5).all()


@pytest.mark.parametrize("collective", [True, False])
@pytest.mark.parametrize("name", sorted(RELATIONAL))
def test_classifiers_keep_labels_give_probabilities_and_treat_networks_apart(name, collective):
    networks = made(3, seed=5, nodes=80)
    labels = np.stack([network.labels for network in networks])
    known = np.random.default_rng(0).random((3, 80, 4)) < 0.3

    def found_with(shown, given=networks, rows=slice(None)):
        return probabilities(adjacency(given), shown[rows], known[rows], model=name, collective=collective)

    found = found_with(labels)
    assert ((found >= 0) & (found <= 1)).all()
    assert (found[known] == np.broadcast_to(labels[:, :, None], known.shape)[known]).all()
    for index, network in enumerate(networks):
        np.testing.assert_allclose(found_with(labels, [network], [index])[0], found[index], atol=1e-9)
    hidden = labels.copy()
    hidden[~known.any(axis=2)] ^= True  # labels never shown make no difference
    np.testing.assert_allclose(found_with(hidden), found)


def test_without_collective_inference_only_labelled_neighbours_count():
    chain = graph([True, False, False], [(0, 1), (1, 2)])
    known = np.array([True, False, False])
    assert found_in(chain, known, model="wvrn", collective=False)[2] == pytest.approx(2 / 3)  # the prior
    assert found_in(chain, known, model="wvrn")[2] > 0.8


def test_a_name_that_is_none_is_said():
    with pytest.raises(SettingError, match="Choose one of: link, nbc, wvrn"):
        found_in(graph([True, False], [(0, 1)]), np.array([True, False]), model="gcn")
