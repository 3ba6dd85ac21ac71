"""Simulations: what was counted is shown, schemes are read by their intervals, and one network speaks for itself alone."""

import math
from dataclasses import replace

import numpy as np
import pytest

from core.errors import SettingError
from core.papers.neville_2012 import GroupSettings, NetworkProfile, OwnRates, Type1, type1_rates
from core.questions import groups, networks, overlap

TESTS = ("paired", "unpaired", "wilcoxon")


def counted(rate: float, phi: float = 0.5) -> Type1:
    return Type1(dict.fromkeys(TESTS, rate), dict.fromkeys(TESTS, (rate / 2, rate * 2)), 100, phi, ())


def test_schemes_are_read_by_their_intervals():
    rates = {
        "RRS": (0.36, (0.3, 0.4)),
        "ERS": (0.2, (0.1, 0.3)),
        "NCV": (0.06, (0.03, 0.1)),
        "X": (0.01, (0.0, 0.03)),
        "Y": (0.0, (0.0, 0.8)),
    }
    assert list(groups.readings(rates).values()) == [
        *("too often", "too often", "as often as it should", "too rarely", "too uncertain to tell")
    ]
    assert groups.level(rates) == "bad" and groups.level({"NCV": rates["NCV"]}) == "good"
    assert groups.level({"Y": rates["Y"]}) == groups.level({}) == "unknown"
    assert groups.reasons(rates) == (
        "The rate should be 5%. It is too high with random samples and balanced samples, about right with disjoint folds, "
        "too low with X and too uncertain to tell with Y.",
    )


def test_the_headline_is_about_what_was_counted():
    settings = groups.Settings.resolve(None)
    found = groups.answer({("rrs", 0.5, 0.9): counted(0.2)}, settings)
    assert (
        "20% of studies with random samples" in found.headline
        and "folds" not in found.headline
        and len(found.figures) == 2
    )
    assert groups.answer({}, settings).headline == "Nothing has been simulated yet."


def test_every_point_of_the_charts_is_computed_with_the_settings():
    settings = groups.Settings.resolve(None, {"trials": 20, "instances": 60, "correlation": 0.4})
    calls = groups.calls(settings)
    point = ("ncv", 0.5, 0.4)
    given = GroupSettings(correlation=0.4, instances=60)
    assert calls[point]().rates == type1_rates("ncv", labelled=0.5, trials=20, seed=0, settings=given).rates
    assert {scheme for scheme, *_ in calls} == {"ncv", "rrs", "ers"}


def profile(phi: float, similar: float = 0.4) -> NetworkProfile:
    tables = np.full((3, 2, 5), 0.8), np.full((3, 2, 5), phi)
    return NetworkProfile(100, 350, 40, similar, ("wvrn", "nbc", "link"), (0.1, 0.3, 0.5, 0.7, 0.9), *tables)


@pytest.mark.parametrize(
    ("phis", "starts"),
    [
        ([0.2, 0.4], "Probably too often. Linked nodes are wrong together"),
        ([0.01], "About as often"),
        ([math.nan], "Unknown."),
    ],
)
def test_errors_along_links_are_read(phis, starts):
    assert networks.profile_headline([profile(phi) for phi in phis]).startswith(starts)


@pytest.fixture
def rates():
    by_network = {"paired": np.array([0.1, 0.5])}
    return OwnRates({"paired": 0.3}, {"paired": (0.1, 0.5)}, by_network, np.array([0.01, -0.02]), 100, True, ())


def test_held_out_networks_are_said_with_their_spread(rates):
    said = networks.own_reasons({"rrs": rates}, "paired")
    assert "30% of samplings with random samples" in said[0] and "10–50% with random samples" in said[1]


def test_a_single_network_speaks_for_itself_alone(rates):
    alone = replace(rates, held_out=False, intervals={"paired": (0.02, 0.09)}, rates={"paired": 0.05})
    assert (
        networks.own_reasons({"rrs": alone}, "paired")[1]
        == "The rate should be 5%. It is about right with random samples."
    )
    (caution,) = networks._held_out_caution({"rrs": alone})
    assert caution.code == "one-network" and not networks._held_out_caution({"rrs": rates})


def test_a_classifier_is_not_compared_with_itself():
    with pytest.raises(SettingError, match="two different"):
        networks.synthetic_calls(networks.SyntheticSettings.resolve(None, {"a": "wvrn", "b": "wvrn"}))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "6.6 times too small"),
        ({"shared": 0.0, "rho": 0.0}, "nearly the true standard error"),
        ({"shared": 1.0}, "no variance at all"),
    ],
)
def test_overlap_holds_at_both_ends(given, words):
    assert words in overlap.answer(None, overlap.Settings.resolve(None, given)).headline


def test_a_ratio_is_said_from_where_it_rounds_up():
    assert "1.1 times" in overlap.headline(1.05, shared=1, n=2)
    assert "nearly" in overlap.headline(1.049, shared=1, n=2)
