"""How far to trust a comparison: resampling schemes, simulated classifiers, Type I error and power (Neville et al. 2012)."""

from .network_trials import PERTURBATIONS, NetworkRates, calibrate, network_rates
from .schemes import SCHEMES, correlated_variance, observed_variance, variance_shortfall
from .type1 import Type1, simulate_type1, type1_rates

__all__ = [
    "PERTURBATIONS",
    "SCHEMES",
    "NetworkRates",
    "Type1",
    "calibrate",
    "correlated_variance",
    "network_rates",
    "observed_variance",
    "simulate_type1",
    "type1_rates",
    "variance_shortfall",
]
