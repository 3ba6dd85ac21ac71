"""How far to trust a comparison: resampling schemes, simulated classifiers, Type I error and power (Neville et al. 2012)."""

from .groups import GroupSettings
from .network_trials import PERTURBATIONS, Equalised, NetworkRates, equalise, network_rates, rates_when_equal
from .resampling import RESAMPLING
from .type1 import SIMULATED_TESTS, Type1, rejection_sentence, type1_rates
