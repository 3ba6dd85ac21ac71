"""Networks of one's own: error correlation along links, and tests on resamples of networks that models are equal on."""

import numpy as np
import pytest

from core.errors import SettingError
from core.statistics.simulation import RELATIONAL, network_profile, own_rates
from core.statistics.simulation.network_trials import linked_phi
from core.statistics.simulation.networks import Network, NetworkSettings, latent_group_network
from core.statistics.simulation.own_networks import PUBLISHED_NETWORKS


def made(count: int, seed: int = 0, nodes: int = 120) -> list[Network]:
    rng = np.random.default_rng(seed)
    return [latent_group_network(NetworkSettings(nodes=nodes), rng) for _ in range(count)]


def test_the_profile_has_a_number_for_every_classifier_way_and_share():
    (network,) = made(1)
    found = network_profile(network, seed=0)
    assert found.models == tuple(RELATIONAL)
    assert found.accuracy.shape == found.phi.shape == (3, 2, 5)
    assert (found.nodes, found.links, found.positives) == (120, len(network.links), network.labels.sum())
    assert found.autocorrelation == network.autocorrelation
    assert found.error_correlation == pytest.approx(np.nanmean(found.phi))
    assert ((found.accuracy > 0.4) & (found.accuracy <= 1)).all()
    np.testing.assert_array_equal(network_profile(network, seed=0).phi, found.phi)


def test_labels_without_pattern_have_neither_autocorrelation_nor_correlated_errors():
    (network,) = made(1, nodes=600)
    labels = np.random.default_rng(3).permutation(network.labels)
    found = network_profile(Network(labels, network.links), seed=0)
    assert abs(found.autocorrelation) < 0.08 and abs(found.error_correlation) < 0.08
    whole = network_profile(network, seed=0)
    assert whole.error_correlation > 0.1


def test_phi_is_that_of_the_pairs_counted_from_both_ends():
    links = np.array([[0, 1], [1, 2], [2, 3], [0, 3], [1, 3]])
    wrong = np.array([[True], [True], [False], [False]])
    unlabelled = np.array([[True], [True], [True], [True]])
    ends = np.concatenate([wrong[links, 0], wrong[links[:, ::-1], 0]])
    assert linked_phi(links, wrong, unlabelled) == pytest.approx(np.corrcoef(ends.T)[0, 1])
    assert np.isnan(linked_phi(links, wrong, ~unlabelled))


def test_a_single_network_resampled_errs_as_it_should_because_the_models_are_equal_on_it():
    (network,) = made(1, seed=2)
    found = own_rates([network], "rrs", 0.3, trials=200, seed=0)
    assert not found.held_out and found.trials == 200
    assert found.rates["paired"] < 0.1
    low, high = found.intervals["paired"]
    assert low < found.rates["paired"] < high


def test_held_out_networks_differ_from_their_kind_and_resampling_calls_that_a_finding():
    networks = made(8, seed=1)
    random, disjoint = (own_rates(networks, scheme, 0.3, trials=25, seed=0) for scheme in ("rrs", "ncv"))
    assert random.held_out and random.trials == 200
    assert random.rates["paired"] > disjoint.rates["paired"]
    assert random.rates["paired"] == pytest.approx(random.by_network["paired"].mean())
    assert random.intervals["paired"] == (random.by_network["paired"].min(), random.by_network["paired"].max())
    assert len(random.difference) == 8


def test_progress_and_pairs_of_any_two_classifiers():
    steps = []
    found = own_rates(
        made(2), "ncv", 0.3, models=("link", "wvrn"), trials=5, seed=0, progress=lambda *step: steps.append(step)
    )
    assert [step[:3] for step in steps] == [(1, 2, "networks"), (2, 2, "networks")]
    assert set(found.rates) == {"paired", "unpaired", "wilcoxon"}


def test_refusals():
    (network,) = made(1)
    with pytest.raises(SettingError, match="'wvrn' against itself"):
        own_rates([network], "ncv", 0.3, models=("wvrn", "wvrn"), seed=0)
    with pytest.raises(SettingError, match="Did you mean 'nbc'"):
        own_rates([network], "ncv", 0.3, models=("wvrn", "nbcc"), seed=0)
    bare = Network(network.labels, np.zeros((0, 2), int))
    with pytest.raises(SettingError, match="no link"):
        own_rates([bare], "ncv", 0.3, seed=0)
    with pytest.raises(SettingError, match="leaves none to train on"):
        own_rates([network], "ncv", 0.001, seed=0)


def test_the_published_table_is_the_papers():
    assert len(PUBLISHED_NETWORKS) == 6
    alike = [each.autocorrelation for each in PUBLISHED_NETWORKS]
    assert np.corrcoef(alike, [each.error_correlation for each in PUBLISHED_NETWORKS])[0, 1] > 0.7
