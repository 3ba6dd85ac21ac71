"""How far to trust a comparison: resampling schemes, simulated classifiers, Type I error and power (Neville et al. 2012)."""

from .curves import (
    NETWORK_SHARES,
    OwnPoint,
    Point,
    at_point,
    group_curves,
    group_points,
    network_curves,
    network_points,
    own_conclusion,
    own_curves,
    own_points,
    own_rates_sentence,
    profile_conclusion,
    simulated_conclusion,
)
from .groups import GroupSettings
from .network_trials import PAIR, PERTURBATIONS, Equalised, NetworkRates, equalise, network_rates, rates_when_equal
from .networks import Network, NetworkSettings, latent_group_network
from .own_networks import (
    PUBLISHED_NETWORKS,
    NetworkProfile,
    OwnRates,
    PublishedNetwork,
    network_profile,
    own_rates,
)
from .relational import RELATIONAL, LabelledPart, Relational, Rule
from .resampling import RESAMPLING
from .type1 import SIMULATED_TESTS, Type1, rejection_sentence, type1_rates
