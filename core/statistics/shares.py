"""How sure a share is."""

from ..arrays import Interval


def wilson(successes: int, trials: int) -> Interval:
    """The 95 % interval of a share (Wilson 1927); (0, 1) without trials."""
    from scipy.stats import binomtest

    if trials == 0:
        return 0.0, 1.0
    bounds = binomtest(successes, trials).proportion_ci(method="wilson")
    return float(bounds.low), float(bounds.high)
