"""Does similarity buy accuracy? Rank correlation over test topics, with an interval and a permutation test."""

from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from core.errors import SettingError

Floats = NDArray[np.float64]
FEWEST = 4  # topics: with three, six orders exist and no p-value can fall below 1/3


@dataclass(frozen=True, slots=True)
class Relation:
    """Spearman's ρ over `n` points, a 95 % bootstrap interval, a two-sided permutation p, and the straight line of
    least squares to draw; NaN where undefined."""

    n: int
    rho: float
    low: float
    high: float
    p: float
    slope: float
    intercept: float


def rank_relation(x: Floats, y: Floats, *, seed: int = 0, resamples: int = 2_000) -> Relation:
    """ρ = Pearson's correlation of mean ranks; points where either value is undefined are left out.

    The interval resamples points with replacement and takes percentiles; p is the share of orders of y with |ρ| as
    large: of all orders where there are at most `resamples`, else of so many shuffles and the observed order.
    """
    from scipy.stats import rankdata

    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise SettingError(f"{x.size:,} and {y.size:,} values; give one of each a point.")
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    n = len(x)
    nothing = Relation(n, *[np.nan] * 6)
    if n < FEWEST:
        return nothing
    ranks_x, ranks_y = rankdata(x), rankdata(y)
    rho = float(_correlation(ranks_x[None], ranks_y[None])[0])
    if np.isnan(rho):
        return nothing
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, n, size=(resamples, n))
    again = _correlation(rankdata(x[drawn], axis=1), rankdata(y[drawn], axis=1))
    low, high = np.nanquantile(again, [0.025, 0.975])
    exact = factorial(n) <= resamples
    orders = np.array([*permutations(range(n))] if exact else [rng.permutation(n) for _ in range(resamples)])
    extreme = np.abs(_correlation(ranks_x[None], ranks_y[orders])) >= abs(rho) - 1e-12
    from_mean = x - x.mean()
    slope = from_mean @ y / (from_mean @ from_mean)
    p = float(extreme.mean() if exact else (1 + extreme.sum()) / (1 + resamples))
    return Relation(n, rho, float(low), float(high), p, float(slope), float(y.mean() - slope * x.mean()))


def _correlation(a: Floats, b: Floats) -> Floats:
    """Pearson's correlation row by row; NaN where a row does not vary."""
    a = a - a.mean(axis=1, keepdims=True)
    b = b - b.mean(axis=1, keepdims=True)
    size = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return np.asarray((a * b).sum(axis=1) / np.where(size > 1e-12, size, np.nan))
