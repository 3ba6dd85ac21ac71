"""Wilcoxon's signed rank test (Wilcoxon 1945): for one pair of systems, and row by row for simulations."""

from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from .significance import (
    CONFIDENCE,
    DEFAULT_NAMES,
    DIGITS,
    Effect,
    Names,
    Significance,
    Test,
    answered,
    equal_rows,
    matched_scores,
    refused,
    sign_of,
)

MOST_ENUMERATED = 13  # differences: up to here every assignment of signs is counted, ties or not
MOST_EXACT = 50  # differences: up to here the exact law is used where none tie
MOST_AVERAGED = 2_000  # differences whose pairwise means are all formed


def wilcoxon(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """W = the smaller sum of ranks of |d| by sign, zeros dropped, two-sided; see `signed_ranks`.

    The effect is the Hodges–Lehmann difference: the median of the means of all pairs of differences.
    """
    matched = matched_scores(a, b)
    if isinstance(matched, str):
        return refused(WILCOXON, 0, matched)
    d = matched.d[matched.d != 0]
    n = len(d)
    if not n:
        return refused(WILCOXON, 0, equal_rows(names, len(matched.d)))
    # Equal differences must share a rank, and .8 − .7 is not .4 − .3 in binary.
    (positive,), (p,) = signed_ranks(matched.rounded(d)[None])
    negative = n * (n + 1) / 2 - positive
    effect = _typical(d)
    return answered(
        WILCOXON,
        names,
        n=n,
        statistic=float(min(positive, negative)),
        p=float(p),
        direction=sign_of(positive - negative),
        effect=effect,
        fact=f"{effect.name.capitalize()} {effect.value:+.4g} over the {n:,} rows that differ",
    )


def wilcoxon_rows(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """W⁺ of a − b and its two-sided p, row by row; scores are ratios of small counts, so differences this close tie.

    Error counts take few values: the normal law is used with the correction for continuity.
    """
    return signed_ranks(np.round(a - b, DIGITS), continuity=True)


def signed_ranks(d: Floats, *, continuity: bool = False) -> tuple[Floats, Floats]:
    """W⁺ = Σ ranks of |d| over d > 0, zeros dropped, ties at mean ranks, and its two-sided p; NaN where all are zero.

    The law of W⁺ is chosen for each row as scipy.stats.wilcoxon(method="auto") does, from what is left without zeros:
    up to 13 differences every assignment of signs is counted; up to 50 the exact law where nothing ties; else the
    normal law with the correction for ties and, if asked, for continuity.
    """
    from scipy.stats import rankdata

    size = np.abs(d)
    differs = size > 0
    n = differs.sum(axis=1)
    zeros = d.shape[1] - n[:, None]  # they have the lowest ranks, so every other is lower by their number without them
    lowest, highest = (rankdata(size, method=method, axis=1) - zeros for method in ("min", "max"))
    ranks = np.where(differs, (lowest + highest) / 2, 0.0)
    positive = np.where(d > 0, ranks, 0.0).sum(axis=1)
    ties = np.where(differs, highest - lowest + 1, 1)
    few = n <= MOST_ENUMERATED
    exact = ~few & (n <= MOST_EXACT) & (ties == 1).all(axis=1)
    p = _normal(positive, n, (ties**2 - 1).sum(axis=1), continuity=continuity)
    p[few] = _enumerated(ranks[few], positive[few])
    for count in np.unique(n[exact]):
        rows = exact & (n == count)
        p[rows] = _exact_tails(int(count))[positive[rows].astype(np.int64)]
    return positive, np.where(n > 0, p, np.nan)


def _enumerated(ranks: Floats, positive: Floats) -> Floats:
    """Both tails of W⁺ over all signs of these very ranks: doubled ranks are whole, so sums are counted one by one.

    A zero, whose rank is 0, doubles the ways of every sum alike and changes no share.
    """
    steps = np.sort(np.round(2 * ranks).astype(np.int64), axis=1)[:, -MOST_ENUMERATED:]
    k = steps.shape[1]
    sums = np.arange(k * (k + 1) + 1)
    ways = np.zeros((len(steps), len(sums)))
    ways[:, 0] = 1.0
    for step in steps.T:
        source = sums[None, :] - step[:, None]
        ways += np.where(source >= 0, np.take_along_axis(ways, np.maximum(source, 0), axis=1), 0.0)
    observed = np.round(2 * positive).astype(np.int64)[:, None]
    cumulated = np.cumsum(ways, axis=1)
    low = np.take_along_axis(cumulated, observed, axis=1)[:, 0]
    high = cumulated[:, -1] - low + np.take_along_axis(ways, observed, axis=1)[:, 0]
    return np.asarray(np.minimum(2 * np.minimum(low, high) / 2.0**k, 1.0))


@cache
def _exact_tails(k: int) -> Floats:
    """Two-sided p of every value of W⁺ for k distinct ranks: the number of subsets of 1 … k with that sum, over 2^k."""
    ways = np.zeros(k * (k + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, k + 1):
        ways[rank:] = ways[rank:] + ways[:-rank].copy()
    low = np.cumsum(ways) / 2.0**k
    return np.asarray(np.minimum(2 * np.minimum(low, low[::-1]), 1.0))


def _normal(positive: Floats, count: Ints, tied: Floats, *, continuity: bool) -> Floats:
    """z = (W⁺ − n(n+1)/4 ∓ ½)/s with s² = (n(n+1)(2n+1) − Σ(t³ − t)/2)/24; `tied` is Σ(t³ − t) over groups of ties."""
    from scipy.special import ndtr

    n = count.astype(np.float64)
    spread = np.sqrt(np.where(count > 0, (n * (n + 1) * (2 * n + 1) - tied / 2) / 24, 1.0))
    z = (positive - n * (n + 1) / 4) / spread
    if continuity:
        z -= np.sign(z) * 0.5 / spread
    return np.asarray(2 * ndtr(-np.abs(z)))


def _typical(d: Floats) -> Effect:
    """A middle of the differences with a distribution-free interval (Hodges & Lehmann 1963)."""
    from scipy.stats import norm, quantile_test

    n = len(d)
    if n > MOST_AVERAGED:
        bounds = quantile_test(d).confidence_interval(CONFIDENCE)
        return Effect(float(np.median(d)), "median difference", (float(bounds.low), float(bounds.high)))
    rows, columns = np.triu_indices(n)
    means = np.sort((d[rows] + d[columns]) / 2)
    spread = sqrt(n * (n + 1) * (2 * n + 1) / 24)
    cut = max(int(n * (n + 1) / 4 - float(norm.ppf((1 + CONFIDENCE) / 2)) * spread), 0)
    return Effect(float(np.median(means)), "typical difference", (float(means[cut]), float(means[-1 - cut])))


WILCOXON = Test(
    "wilcoxon",
    label="Wilcoxon signed rank",
    about="Is the typical difference other than 0, by the ranks of the differences?",
    assumption="differences are independent and symmetric round their middle",
    sides=2,
    symbol="W",
    kind="scores",
    run=wilcoxon,
)
