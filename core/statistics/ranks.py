"""Which model wins in each fold, whether folds agree, and whether two setups differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, record
from ..errors import SettingError
from .t_tests import unpaired_t_rows

FEWEST = 4  # points: with three, six orders exist and no p-value can fall below 1/3
_NAN = float("nan")


@record
class Ranking:
    """`ranks[model, fold]`, 1 the best; each model's mean rank and its standard deviation over folds."""

    ranks: Floats
    mean: Floats
    sd: Floats


@dataclass(frozen=True, slots=True)
class SetupComparison:
    """Means over folds in setups a and b, and the unpaired t-test of their difference a − b (two-sided p)."""

    mean_a: float
    mean_b: float
    folds_a: int
    folds_b: int
    statistic: float
    p: float

    @property
    def difference(self) -> float:
        """Mean of a minus mean of b."""
        return self.mean_a - self.mean_b


def rank_models(scores: ArrayLike) -> Ranking:
    """Ranks of models (rows) in each fold (columns) by falling score, equal scores sharing their mean rank.

    An undefined score (NaN) has no rank, and the others are ranked without it; sd has n − 1 in its denominator.
    """
    ranks = _ranks(_checked(scores))
    defined = ~np.isnan(ranks)
    folds = defined.sum(axis=1)
    mean = _divided(np.where(defined, ranks, 0.0).sum(axis=1), folds)
    squares = np.where(defined, ranks - mean[:, None], 0.0) ** 2
    sd = np.sqrt(_divided(squares.sum(axis=1), folds - 1))
    return Ranking(ranks, mean, sd)


def stability(scores: ArrayLike) -> float:
    """Mean Spearman ρ between the model rankings of two folds, over all pairs of folds (Sawatphol et al. 2024, Table 4).

    A fold in which all models tie, or in which a score is undefined, ranks nothing and is left out; NaN where fewer
    than two rank.
    """
    ranks = _ranks(_checked(scores))
    ranks = ranks[:, np.ptp(ranks, axis=0) > 0]  # NaN, where a rank is undefined, is not above 0 either
    centred = ranks - ranks.mean(axis=0)
    products = centred.T @ centred
    # Centred ranks are halves of whole numbers over few models: equal rankings come out as exactly 1.
    rho = products / np.sqrt(np.outer(np.diag(products), np.diag(products)))
    pairs = rho[np.triu_indices(len(rho), k=1)]
    return float(pairs.mean()) if len(pairs) else _NAN


def compare_setups(a: Mapping[str, ArrayLike], b: Mapping[str, ArrayLike]) -> dict[str, SetupComparison]:
    """Unpaired t-test over folds for each metric in both setups, variances taken as equal (Sawatphol et al. 2024).

    Undefined scores are left out; with fewer than two left on a side, or no spread at all, t and p are NaN.
    """
    return {metric: _compared(a[metric], b[metric]) for metric in a if metric in b}


def _compared(a: ArrayLike, b: ArrayLike) -> SetupComparison:
    sides = [values[~np.isnan(values)] for values in (np.asarray(side, dtype=np.float64).ravel() for side in (a, b))]
    means = [float(side.mean()) if len(side) else _NAN for side in sides]
    statistic = p = _NAN
    if min(len(side) for side in sides) > 1:
        (statistic,), (p,) = unpaired_t_rows(sides[0][None], sides[1][None])
    return SetupComparison(means[0], means[1], len(sides[0]), len(sides[1]), float(statistic), float(p))


def _ranks(scores: Floats) -> Floats:
    from scipy.stats import rankdata

    return np.asarray(rankdata(-scores, axis=0, nan_policy="omit"), dtype=np.float64)


def _divided(total: Floats, count: NDArray[np.int64]) -> Floats:
    quotient: Floats = np.divide(total, count, out=np.full(len(total), _NAN), where=count > 0)
    return quotient


def _checked(scores: ArrayLike) -> Floats:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise SettingError(f"Scores of shape {table.shape}; give a table with a row a model and a column a fold.")
    return table


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
