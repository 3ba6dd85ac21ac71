"""Correlated errors and tests on networks: resampling, simulated classifiers, Type I error, power (Neville et al. 2012)."""

from .curves import (
    NETWORK_SHARES,
    OwnPoint,
    Point,
    at_point,
    group_curves,
    group_points,
    network_curves,
    network_points,
    own_curves,
    own_points,
)
from .groups import SIMULATED_TESTS, GroupSettings, Type1, type1_rates
from .network_tables import OwnNetwork, read_network
from .network_trials import (
    PAIR,
    PERTURBATIONS,
    PUBLISHED_NETWORKS,
    Equalised,
    NetworkProfile,
    NetworkRates,
    OwnRates,
    PublishedNetwork,
    check_models,
    equalise,
    network_profile,
    network_rates,
    own_rates,
    rates_when_equal,
)
from .networks import RELATIONAL, LabelledPart, Network, NetworkSettings, Relational, Rule, latent_group_network
from .resampling import RESAMPLING
