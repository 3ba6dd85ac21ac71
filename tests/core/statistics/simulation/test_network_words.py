"""Sentences on networks of one's own say what the records hold."""

from dataclasses import replace

import numpy as np
import pytest

from core.statistics.simulation import own_rates_sentence, profile_conclusion
from core.statistics.simulation.own_networks import NetworkProfile, OwnRates


def profile(phi: float, alike: float = 0.4) -> NetworkProfile:
    tables = np.full((3, 2, 5), 0.8), np.full((3, 2, 5), phi)
    return NetworkProfile(100, 350, 40, alike, ("wvrn", "nbc", "link"), (0.1, 0.3, 0.5, 0.7, 0.9), *tables)


def test_errors_that_run_along_links_are_said_and_others_are_not():
    found = profile_conclusion([profile(0.2), profile(0.4, 0.2)])
    assert found.answer == (
        "Linked nodes are wrong together: their errors correlate by φ = 0.30; labels along links correlate by 0.30."
    )
    assert "7.0 links" in found.cautions[0]
    assert profile_conclusion([profile(0.01)]).answer.startswith("Errors hardly run along links")
    assert profile_conclusion([profile(np.nan, np.nan)]).answer.startswith("How errors run along links cannot be told")


@pytest.fixture
def rates():
    by_network = {"paired": np.array([0.1, 0.5])}
    return OwnRates({"paired": 0.3}, {"paired": (0.1, 0.5)}, by_network, np.array([0.01, -0.02]), 100, True, ())


def test_held_out_networks_are_said_with_their_spread(rates):
    said = own_rates_sentence({"rrs": rates}, test="paired", label="the paired t-test")
    assert "made equal on 1 of 2 networks" in said and "30 % of resamplings under RRS (10 to 50 % by network)" in said


def test_a_single_network_says_that_it_speaks_for_itself_alone(rates):
    alone = replace(rates, held_out=False, intervals={"paired": (0.02, 0.09)}, rates={"paired": 0.05})
    said = own_rates_sentence({"rrs": alone}, test="paired", label="the paired t-test")
    assert "nothing of other networks" in said and "5 % of studies under RRS" in said
