"""How far to trust a comparison: resampling schemes, simulated classifiers, Type I error and power (Neville et al. 2012)."""
