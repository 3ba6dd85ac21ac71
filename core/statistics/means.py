"""The mean of a difference over units, topics say: Student's interval and p beside a bootstrap interval."""

from math import nan, sqrt

import numpy as np

from ..arrays import Floats, record
from .t_tests import student, t_interval

BOOTSTRAP_SAMPLES = 4_000
FEWEST_FOR_BOOTSTRAP = 8  # fewer give intervals that are too narrow (5 values: .89 for .95)
ROUNDING = 1e-12  # spread that is left where all values are equal


@record
class MeanEffect:
    """The mean of a value per unit; intervals and p are NaN where there are too few units or nothing varies."""

    values: Floats  # one per unit, NaN where unknown
    mean: float
    low: float  # 95% interval by Student's t
    high: float
    p: float  # two-sided, of mean 0
    bootstrap_low: float  # 95% interval by resampling units
    bootstrap_high: float

    @property
    def units(self) -> int:
        """Return how many values are known."""
        return int((~np.isnan(self.values)).sum())


def mean_effect(values: Floats, *, seed: int = 0) -> MeanEffect:
    """Compute the mean of the known values, t = mean/(s/√n) with n − 1 degrees of freedom, and a bootstrap over values."""
    values = np.array(values, dtype=np.float64)
    known = values[~np.isnan(values)]
    n = len(known)
    if n < 2 or np.ptp(known) <= ROUNDING:
        mean = float(known.mean()) if n else nan
        return MeanEffect(values, mean, nan, nan, nan, nan, nan)
    mean, squared_error = float(known.mean()), float(known.var(ddof=1)) / n
    p = float(student(mean, squared_error, n - 1)[1])
    return MeanEffect(values, mean, *t_interval(mean, squared_error, n - 1), p, *bootstrap_mean(known, seed=seed))


def bootstrap_mean(values: Floats, *, seed: int = 0) -> tuple[float, float]:
    """Return the 95% interval of a mean by resampling its values.

    Bootstrap means vary too little, by √(1 − 1/n), and have a normal's tails where a t's are due: the quantiles are taken
    further out by both (Hesterberg 2015, the expanded percentile interval). Fewer than eight values, or values that are all
    equal, have no interval.
    """
    n = len(values)
    if n < FEWEST_FOR_BOOTSTRAP or not np.ptp(values):
        return nan, nan
    from scipy.stats import norm, t

    tail = float(norm.sf(sqrt(n / (n - 1)) * t.ppf(0.975, n - 1)))
    rng = np.random.default_rng(seed)
    means = values[rng.integers(0, n, (BOOTSTRAP_SAMPLES, n))].mean(axis=1)
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)
