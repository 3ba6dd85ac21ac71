"""Rank models in each fold, measure how well folds agree, and relate two variables by their ranks."""

from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, record
from ..errors import SettingError
from .compare import holm
from .sign_tests import signed_ranks
from .significance import DIGITS
from .t_tests import t_interval

FEWEST = 4  # points: with three, six orders exist and no p-value can fall below 1/3
BLOCK = 2_000  # shuffles at a time
MOST_SHUFFLED = 4_000_000  # points in all shuffles: above 200 points fewer are made, or they would take seconds
_NAN = float("nan")


@record
class Ranking:
    """Ranks of models over folds."""

    ranks: Floats  # [model, fold], 1 the best
    mean: Floats  # of each model over folds
    sd: Floats


def rank_models(scores: ArrayLike) -> Ranking:
    """Rank models (rows) by falling score in each fold (column) that all of them have, equal scores sharing their mean rank.

    A model without any score has no rank, and the others are ranked without it; sd has n − 1 in its denominator.
    """
    table = _score_table(scores)
    ranks = _ranks_by_fold(np.where(common_folds(table), table, np.nan))
    defined = ~np.isnan(ranks)
    folds = defined.sum(axis=1)
    mean = _divided(np.where(defined, ranks, 0.0).sum(axis=1), folds)
    squares = np.where(defined, ranks - mean[:, None], 0.0) ** 2
    sd = np.sqrt(_divided(squares.sum(axis=1), folds - 1))
    return Ranking(ranks, mean, sd)


def common_folds(scores: ArrayLike) -> NDArray[np.bool_]:
    """Return a mask of the folds in which every model that has any score has one.

    A model must not rise by leaving out the folds that are hard.
    """
    known = ~np.isnan(_score_table(scores))
    return np.asarray(known[known.any(axis=1)].all(axis=0) & known.any())


@record
class Lead:
    """The models that lead a ranking."""

    models: tuple[int, ...]  # the one with the best mean rank, then those too close to it to call
    low: Floats  # every model's 95% interval of its mean rank, cut to [1, models]
    high: Floats

    @property
    def winner(self) -> int | None:
        """Return the model that leads alone, if one does."""
        return self.models[0] if len(self.models) == 1 else None


def lead(scores: ArrayLike, *, alpha: float = 0.05) -> Lead:
    """Return the model with the best mean rank and those that are not significantly behind it.

    A model is behind where a two-sided Wilcoxon signed-rank test over the folds that all have puts it there, p ≤ alpha after
    Holm's correction over the other models. That all of them are behind is one claim, which needs every p ≤ alpha and no
    correction (an intersection–union test, Berger 1982). Intervals are mean ± t_{.975,f−1}·sd/√f over f folds, for show.
    """
    table = _score_table(scores)
    ranking, folds = rank_models(table), common_folds(table)
    counts = (~np.isnan(ranking.ranks)).sum(axis=1)
    ends = [
        t_interval(mean, sd**2 / n, n - 1) if n > 1 else (_NAN, _NAN)
        for mean, sd, n in zip(ranking.mean.tolist(), ranking.sd.tolist(), counts.tolist(), strict=True)
    ]
    low, high = (np.clip(side, 1.0, float(len(counts))) for side in zip(*ends, strict=True))
    run = [bool(np.isfinite(row).any()) for row in table]
    ranked = [int(model) for model in np.argsort(ranking.mean, kind="stable") if run[model]]
    if len(ranked) < 2 or not folds.any():
        return Lead(tuple(ranked), low, high)
    best, others = ranked[0], ranked[1:]
    differences = np.round(table[best, folds] - table[others][:, folds], DIGITS)
    positive, two_sided = signed_ranks(differences)
    differing = (differences != 0).sum(axis=1)
    ahead = positive > differing * (differing + 1) / 4  # more than half of the sum of all ranks
    values = np.where(ahead, two_sided, 1.0)  # where all differences are 0 nobody is ahead
    if (values <= alpha).all():
        return Lead((best,), low, high)
    adjusted = holm(values.tolist())
    close = (model for model, p in zip(others, adjusted, strict=True) if p is None or p > alpha)
    return Lead((best, *close), low, high)


def stability(scores: ArrayLike) -> float:
    """Return the mean Spearman ρ between model rankings over all pairs of folds (Sawatphol et al. 2024, Table 4).

    A fold in which all models tie, or in which a score is undefined, ranks nothing and is left out; NaN where fewer
    than two rank.
    """
    return _mean_of_pairs(_fold_agreement(_score_table(scores)))


def stability_interval(scores: ArrayLike) -> tuple[float, float, float]:
    """Return `stability` and its 95% jackknife interval over folds, θ ± t_{.975,f−1}·√((f − 1)/f · Σ(θ_(i) − θ̄)²).

    θ_(i) leaves fold i of f out (Efron & Stein 1981); folds that rank nothing do not count, and the interval is clipped
    to [−1, 1] and NaN for fewer than three. A stack of tables (one per metric) has the mean of their stabilities.
    Folds share training documents, which no resampling of folds shows: the interval is if anything too narrow.
    """
    tables = np.asarray(scores, dtype=np.float64)
    stack = [_fold_agreement(_score_table(table)) for table in (tables if tables.ndim == 3 else tables[None])]
    mean = float(np.mean([_mean_of_pairs(agreement) for agreement in stack]))
    ranking = np.flatnonzero(~np.all([np.isnan(np.diag(agreement)) for agreement in stack], axis=0))
    folds = len(ranking)
    if folds < 3 or np.isnan(mean):
        return mean, _NAN, _NAN
    without = [np.delete(np.arange(len(stack[0])), fold) for fold in ranking]
    left_out = np.array([np.mean([_mean_of_pairs(each[np.ix_(rows, rows)]) for each in stack]) for rows in without])
    low, high = t_interval(mean, (folds - 1) * float(left_out.var()), folds - 1)
    return mean, max(low, -1.0), min(high, 1.0)


def _fold_agreement(scores: Floats) -> Floats:
    """Return Spearman's ρ between the rankings of every two folds; NaN for a fold that ranks nothing."""
    ranks = _ranks_by_fold(scores)
    ranks[:, ~(np.ptp(ranks, axis=0) > 0)] = np.nan
    centred = ranks - ranks.mean(axis=0)
    products = centred.T @ centred
    # Centred ranks are multiples of a half over few models: equal rankings give exactly 1.
    agreement: Floats = products / np.sqrt(np.outer(np.diag(products), np.diag(products)))
    return agreement


def _mean_of_pairs(agreement: Floats) -> float:
    pairs = agreement[np.triu_indices(len(agreement), k=1)]
    known = pairs[~np.isnan(pairs)]
    return float(known.mean()) if len(known) else _NAN


def _ranks_by_fold(scores: Floats) -> Floats:
    from scipy.stats import rankdata

    return np.asarray(rankdata(-scores, axis=0, nan_policy="omit"), dtype=np.float64)


def _divided(total: Floats, count: NDArray[np.int64]) -> Floats:
    quotient: Floats = np.divide(total, count, out=np.full(len(total), _NAN), where=count > 0)
    return quotient


def _score_table(scores: ArrayLike) -> Floats:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise SettingError(f"Scores of shape {table.shape}; give a table with a row per model and a column per fold.")
    return table


@dataclass(frozen=True, slots=True)
class Relation:
    """Spearman's ρ over `n` points; NaN where undefined."""

    n: int
    rho: float
    low: float  # 95% bootstrap interval
    high: float
    p: float  # two-sided permutation test
    line: tuple[tuple[float, float], ...] = ()  # points (x, y) of `rank_line`, which rises where ρ > 0


def detectable_rho(n: int, *, power: float = 0.8) -> float:
    """Return the ρ that a two-sided test at .05 over n points finds with this power; NaN for fewer than four points.

    By Fisher's z, whose variance for Spearman's ρ is about 1.06/(n − 3) (Fieller, Hartley and Pearson 1957).
    """
    from scipy.stats import norm

    if n < 4:
        return _NAN
    return float(np.tanh((norm.ppf(0.975) + norm.ppf(power)) * np.sqrt(1.06 / (n - 3))))


def rank_relation(x: Floats, y: Floats, *, seed: int = 0, resamples: int = 2_000, shuffles: int = 20_000) -> Relation:
    """Relate x and y by Spearman's ρ; points where either value is undefined are left out.

    The interval is a percentile bootstrap over points; p is the share of orders of y with |ρ| as large: of all orders
    where there are at most `shuffles`, else of this many random shuffles and the observed order.
    """
    from scipy.stats import rankdata

    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise SettingError(f"{x.size:,} and {y.size:,} values; give one of each per point.")
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    n = len(x)
    nothing = Relation(n, _NAN, _NAN, _NAN, _NAN)
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
    shuffles = min(shuffles, max(resamples, MOST_SHUFFLED // n))
    p = _order_p(ranks_x, ranks_y, abs(rho), shuffles, rng)
    return Relation(n, rho, float(low), float(high), p, rank_line(x, y))


def _order_p(ranks_x: Floats, ranks_y: Floats, rho: float, shuffles: int, rng: np.random.Generator) -> float:
    """Return the share of orders of y whose |ρ| is as large: of all of them, or of `shuffles` and the observed one."""
    n = len(ranks_x)
    if factorial(n) <= shuffles:
        every = ranks_y[np.array([*permutations(range(n))])]
        return float((np.abs(_correlation(ranks_x[None], every)) >= rho - 1e-12).mean())
    x, y = ranks_x - ranks_x.mean(), ranks_y - ranks_y.mean()
    size, extreme = float(np.sqrt((x @ x) * (y @ y))), 0  # the same for every order
    for start in range(0, shuffles, BLOCK):  # many points in many orders would not fit in memory at once
        orders = np.tile(y, (min(BLOCK, shuffles - start), 1))
        extreme += int((np.abs(rng.permuted(orders, axis=1, out=orders) @ x) / size >= rho - 1e-12).sum())
    return (1 + extreme) / (1 + shuffles)


def rank_correlation(x: Floats, y: Floats) -> float:
    """Return Spearman's ρ; NaN for few points, or where one side does not vary."""
    from scipy.stats import rankdata

    return float(_correlation(rankdata(x)[None], rankdata(y)[None]).item()) if len(x) >= FEWEST else _NAN


def rank_line(x: Floats, y: Floats) -> tuple[tuple[float, float], ...]:
    """Return the regression of y's ranks on x's, mapped back to values, at every distinct x (Iman & Conover 1979).

    The slope among ranks is ρ times the ratio of their spreads; a fitted rank between two of y's is interpolated between
    their values, and one beyond them takes the last value. So the line is monotone and has the sign of ρ.
    """
    from scipy.stats import rankdata

    ranks_x, ranks_y = rankdata(x), rankdata(y)
    from_mean = ranks_x - ranks_x.mean()
    fitted = ranks_y.mean() + from_mean * (from_mean @ ranks_y) / (from_mean @ from_mean)
    order, known = np.unique(x, return_index=True)[1], np.unique(ranks_y, return_index=True)
    line = np.interp(fitted[order], known[0], y[known[1]])
    return tuple(zip(x[order].tolist(), line.tolist(), strict=True))


def _correlation(a: Floats, b: Floats) -> Floats:
    """Return Pearson's correlation row by row; NaN where a row does not vary."""
    a = a - a.mean(axis=1, keepdims=True)
    b = b - b.mean(axis=1, keepdims=True)
    size = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return np.asarray((a * b).sum(axis=1) / np.where(size > 1e-12, size, np.nan))
