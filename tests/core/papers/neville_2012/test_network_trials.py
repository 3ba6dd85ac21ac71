"""Type I error and power on networks, synthetic and given: equal models, profiles, held-out networks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingError
from core.notes import Note
from core.papers.neville_2012 import (
    RELATIONAL,
    RESAMPLING,
    GroupSettings,
    NetworkRates,
    Type1,
    at_point,
    equalise,
    group_curves,
    group_points,
    network_curves,
    network_points,
    network_profile,
    network_rates,
    own_points,
    own_rates,
    rates_when_equal,
)
from core.papers.neville_2012.network_trials import CLOSE, PUBLISHED_NETWORKS, _equal_flip, linked_phi, sized, table_phi
from core.papers.neville_2012.networks import Network, NetworkSettings, latent_group_network


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
    assert apart.notes == (Note("unequal models", (0.006, 0.005)),)
    assert apart.notes[0] in network_rates("ncv", apart, trials=1, seed=0).notes


def test_larger_networks_keep_their_links_and_show_smaller_differences():
    assert sized(300) == NetworkSettings()
    rng = np.random.default_rng(0)
    similar = [latent_group_network(sized(600), rng).autocorrelation for _ in range(20)]
    assert np.mean(similar) == pytest.approx(0.38, abs=0.03)
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
    similar = [each.autocorrelation for each in PUBLISHED_NETWORKS]
    assert np.corrcoef(similar, [each.error_correlation for each in PUBLISHED_NETWORKS])[0, 1] > 0.7


@given(st.lists(st.integers(0, 1), min_size=2, max_size=12), st.data())
def test_phi_of_a_table_is_pearsons_correlation_over_both_directions(wrong, data):
    node = st.integers(0, len(wrong) - 1)
    links = np.array(data.draw(st.lists(st.tuples(node, node), min_size=1, max_size=20)))
    ends = np.array(wrong)[np.concatenate([links, links[:, ::-1]])]
    both, neither = int(ends.all(axis=1).sum()), int((~ends.any(axis=1)).sum())
    found = table_phi(both, (len(ends) - both - neither) / 2, neither)
    if np.ptp(ends) == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(np.corrcoef(ends.T)[0, 1], abs=1e-9)


TESTS = ("paired", "unpaired", "wilcoxon")


def counted(rate: float, phi: float = 0.5) -> Type1:
    return Type1(dict.fromkeys(TESTS, rate), dict.fromkeys(TESTS, (rate / 2, rate * 2)), 100, phi, ())


def test_every_scheme_is_at_every_share_and_at_every_correlation():
    points = group_points(0.9)
    for scheme in RESAMPLING:
        assert {share for each, share, phi in points if each == scheme and phi == 0.9} == {0.1, 0.3, 0.5, 0.7, 0.9}
        assert {phi for each, share, phi in points if each == scheme and share == 0.5} >= {0.0, 0.2, 0.9}
    assert len({scheme for scheme, *_ in own_points()}) == len(RESAMPLING)
    assert all(share == 0.2 or step == 0 for _, share, step in network_points(0.2))


def test_only_schemes_that_overlap_take_resamples():
    settings = GroupSettings(error=0.2)
    for scheme, kind in RESAMPLING.items():
        wanted = at_point((scheme, 0.5, 0.4), settings, 12)
        assert (wanted.folds is None) == kind.disjoint
        assert (wanted.error, wanted.correlation) == (0.2, 0.4)


def test_a_curve_has_what_was_counted_and_nothing_else():
    found = {("rrs", 0.3, 0.9): counted(0.2), ("rrs", 0.5, 0.4): counted(0.1, phi=0.31)}
    by_share, by_phi = group_curves(found, 0.9, test="paired")
    assert by_share["RRS"] == [(0.3, 0.2, 0.1, 0.4)] and by_phi["RRS"] == [(0.31, 0.1, 0.05, 0.2)]
    assert by_share["NCV"] == by_phi["NCV"] == []
    assert group_curves({("rrs", 0.5, 0.4): counted(0.1, phi=float("nan"))}, 0.9, test="paired")[1]["RRS"] == []


def test_power_stands_over_the_true_difference():
    rates = NetworkRates(dict.fromkeys(TESTS, 0.4), dict.fromkeys(TESTS, (0.3, 0.5)), 20, 0.07, 0.4, 0.2, ())
    step = max(step for _, _, step in network_points(0.3))
    type1, power = network_curves({("ncv", 0.3, step): rates}, 0.3, test="wilcoxon")
    assert power["NCV"] == [(0.07, 0.4, 0.3, 0.5)] and type1["NCV"] == []
