"""Tests of a mean difference: Yang & Liu's T and T', the paired, unpaired and corrected t-tests, and Wilcoxon's."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import SettingError
from .record import (
    CONFIDENCE,
    DEFAULT_NAMES,
    ROUNDING,
    Names,
    Pairs,
    Significance,
    answered,
    column,
    paired_values,
    refused,
    sign_of,
)

SMALL = 40  # differing categories up to which Yang & Liu take Student's t
MOST_EXACT_TIES = 13  # differences up to which ties are judged exactly
MOST_AVERAGED = 2_000  # differences whose pairwise means are all formed


def macro_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """T = d̄ / (sd/√n) over the n categories that differ, df n − 1, normal when n > 40 (Yang & Liu 1999, §4.3)."""
    pairs = paired_values(a, b)
    if isinstance(pairs, str):
        return refused("T", 0, pairs)
    d = pairs.d[pairs.d != 0]
    return _of_mean("T", d, pairs, names, unit="mean difference over the categories that differ", yang=True)


def macro_rank_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """T' = T on ranks: all 2M scores are ranked together, equal ones sharing their mean rank (Yang & Liu 1999, §4.4)."""
    from scipy.stats import rankdata

    pairs = paired_values(a, b)
    if isinstance(pairs, str):
        return refused("Tprime", 0, pairs)
    ranks = rankdata(pairs.rounded(np.concatenate([pairs.a, pairs.b])))
    one, two = ranks[: len(pairs.a)], ranks[len(pairs.a) :]
    ranked = Pairs(one, two, one - two)
    d = ranked.d[ranked.d != 0]
    return _of_mean(
        "Tprime", d, ranked, names, unit="mean difference of ranks over the categories that differ", yang=True
    )


def paired_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """t = d̄ / (sd/√n) over all n rows, df n − 1, two-sided (Student 1908)."""
    pairs = paired_values(a, b)
    if isinstance(pairs, str):
        return refused("paired_t", 0, pairs)
    return _of_mean("paired_t", pairs.d, pairs, names, unit="mean difference")


def corrected_t(a: ArrayLike, b: ArrayLike, *, train: float, test: float, names: Names = DEFAULT_NAMES) -> Significance:
    """t = d̄ / √((1/n + n_test/n_train)·s²) over n resamples, df n − 1, two-sided (Nadeau & Bengio 2003).

    `train` and `test` are the documents in a training and in a test set, or their shares.
    """
    if not (train > 0 and test > 0):
        raise SettingError(f"Training size {train:g} and test size {test:g}: both must be above 0.")
    pairs = paired_values(a, b)
    if isinstance(pairs, str):
        return refused("corrected_t", 0, pairs)
    return _of_mean("corrected_t", pairs.d, pairs, names, unit="mean difference", extra=test / train)


def unpaired_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """t = (ā − b̄)/(s_p·√(1/n_a + 1/n_b)), s_p pooled, df n_a + n_b − 2, two-sided (Student 1908)."""
    from scipy.stats import t, ttest_ind_from_stats

    one, two = (values[~np.isnan(values)] for values in (column(a), column(b)))
    n = len(one) + len(two)
    if min(len(one), len(two)) < 2:
        return refused("unpaired_t", n, f"{len(one)} value(s) against {len(two)}: each system needs two or more.")
    scale = max(float(np.abs(one).max()), float(np.abs(two).max()))
    if max(np.ptp(one), np.ptp(two)) <= ROUNDING * scale:
        return refused("unpaired_t", n, "Neither system's values vary, so there is no spread to judge a difference by.")
    sides = [(float(side.mean()), float(side.std(ddof=1)), len(side)) for side in (one, two)]
    result = ttest_ind_from_stats(*sides[0], *sides[1])
    difference = _unless_rounding(sides[0][0] - sides[1][0], scale)
    pooled = sqrt(sum((count - 1) * sd**2 for _, sd, count in sides) / (n - 2))
    half = float(t.ppf((1 + CONFIDENCE) / 2, n - 2)) * pooled * sqrt(1 / len(one) + 1 / len(two))
    return answered(
        "unpaired_t",
        n=n,
        statistic=float(result.statistic),
        p=float(result.pvalue),
        direction=sign_of(difference),
        effect=difference,
        effect_name="difference of means",
        interval=(difference - half, difference + half),
        standardized=difference / pooled,
        fact=f"Means {one.mean():.4g} of {len(one):,} values and {two.mean():.4g} of {len(two):,}",
        names=names,
    )


def wilcoxon(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """W = the smaller sum of ranks of |d| by sign, zeros dropped, two-sided (Wilcoxon 1945); exact where n is small.

    The effect is the Hodges–Lehmann difference: the median of the means of all pairs of differences.
    """
    pairs = paired_values(a, b)
    if isinstance(pairs, str):
        return refused("wilcoxon", 0, pairs)
    # Equal differences must share a rank, and .8 − .7 is not .4 − .3 in binary.
    d = pairs.d[pairs.d != 0]
    if not len(d):
        return refused("wilcoxon", 0, _equal(names, len(pairs.d)))
    rounded = pairs.rounded(d)
    statistic, p, direction = _signed_ranks(rounded)
    center, low, high, named = _typical(d)
    return answered(
        "wilcoxon",
        n=len(d),
        statistic=statistic,
        p=p,
        direction=direction,
        effect=center,
        effect_name=named,
        interval=(low, high),
        fact=f"{named.capitalize()} {center:+.4g} over the {len(d):,} rows that differ",
        names=names,
    )


def _of_mean(
    name: str, d: Floats, pairs: Pairs, names: Names, *, unit: str, yang: bool = False, extra: float = 0.0
) -> Significance:
    """The t-test that a mean is 0, its variance s²·(1/n + extra)."""
    from scipy.stats import norm, t

    n = len(d)
    if not np.any(d):
        return refused(name, n if not yang else 0, _equal(names, len(pairs.d)))
    if n < 2:
        return refused(name, n, "Only one row differs or is given; a spread needs two or more.")
    if np.ptp(d) <= ROUNDING * pairs.scale:
        return refused(
            name, n, f"All {n:,} differences are {d[0]:.4g}: without spread a t-test has nothing to judge by."
        )
    mean, sd = _unless_rounding(float(d.mean()), pairs.scale), float(d.std(ddof=1))
    se = sd * sqrt(1 / n + extra)
    law = norm() if yang and n > SMALL else t(n - 1)
    statistic = mean / se
    half = float(law.ppf((1 + CONFIDENCE) / 2)) * se
    return answered(
        name,
        n=n,
        statistic=statistic,
        symbol="Z" if yang and n > SMALL else "t",
        p=float(law.sf(abs(statistic))) * (1 if yang else 2),
        direction=sign_of(statistic),
        effect=mean,
        effect_name=unit,
        interval=(mean - half, mean + half),
        standardized=mean / sd,
        fact=f"{unit.capitalize()} {mean:+.4g} (n = {n:,})",
        names=names,
    )


def _signed_ranks(d: Floats) -> tuple[float, float, int]:
    """W, its two-sided p, and the sign with the larger sum of ranks; as scipy decides between exact and normal."""
    from scipy.stats import rankdata
    from scipy.stats import wilcoxon as signed_rank

    ranks = rankdata(np.abs(d))
    positive, negative = float(ranks[d > 0].sum()), float(ranks[d < 0].sum())
    statistic, direction = min(positive, negative), sign_of(positive - negative)
    if len(d) > MOST_EXACT_TIES or len(np.unique(ranks)) == len(ranks):
        return statistic, min(float(signed_rank(d).pvalue), 1.0), direction
    # All 2ⁿ signs at once: ways[s] counts those whose doubled positive ranks, whole even for ties, sum to s.
    # scipy gives the same p by going through them one after the other, in a second instead of a millisecond.
    ways = np.ones(1)
    for rank in (2 * ranks).astype(np.int64):
        ways = np.append(ways, np.zeros(rank)) + np.append(np.zeros(rank), ways)
    return statistic, min(2 * float(ways[: int(2 * statistic) + 1].sum() / ways.sum()), 1.0), direction


def _typical(d: Floats) -> tuple[float, float, float, str]:
    """A middle of the differences with a distribution-free interval (Hodges & Lehmann 1963)."""
    from scipy.stats import norm, quantile_test

    n = len(d)
    if n > MOST_AVERAGED:
        bounds = quantile_test(d).confidence_interval(CONFIDENCE)
        return float(np.median(d)), float(bounds.low), float(bounds.high), "median difference"
    rows, columns = np.triu_indices(n)
    means = np.sort((d[rows] + d[columns]) / 2)
    spread = sqrt(n * (n + 1) * (2 * n + 1) / 24)
    cut = max(int(n * (n + 1) / 4 - float(norm.ppf((1 + CONFIDENCE) / 2)) * spread), 0)
    return float(np.median(means)), float(means[cut]), float(means[-1 - cut]), "typical difference"


def _unless_rounding(difference: float, scale: float) -> float:
    """0 where differences that cancel leave a last binary digit, whose sign would name a winner."""
    return 0.0 if abs(difference) <= ROUNDING * scale else difference


def _equal(names: Names, rows: int) -> str:
    return f"{names[0]} and {names[1]} are equal in all {rows:,} rows."
