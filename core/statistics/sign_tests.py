"""Compare two systems by signs, signed ranks or shares of right decisions (Yang & Liu 1999, §4; Wilcoxon 1945)."""

from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Interval, Ints
from ..errors import SettingError
from .significance import (
    CONFIDENCE,
    DEFAULT_NAMES,
    DIGITS,
    Effect,
    Names,
    Significance,
    Test,
    applied,
    column,
    equal_rows,
    matched_scores,
    refused,
    sign_of,
)

EXACT_UP_TO = 12  # differing decisions
SMALL_TRIALS = 40
MOST_ENUMERATED = 13  # differences: up to here every assignment of signs is counted, ties or not
MOST_EXACT = 50  # differences: up to here the exact law is used where none tie
FEWEST_IN_INTERVAL = 6  # differences: the range of five holds their median in .94 of cases
MOST_AVERAGED = 2_000  # differences whose pairwise means are all formed


def micro_sign(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """Run s: over decisions that one system gets right (1) and the other wrong (0), k of n are A's; see `sign_test`."""
    return _signs(MICRO_SIGN, a, b, names, rows="decisions")


def macro_sign(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """Run S: over categories whose scores differ, A is ahead in k of n; see `sign_test`."""
    return _signs(MACRO_SIGN, a, b, names, rows="categories")


def sign_test(k: int, n: int) -> tuple[float, float]:
    """Return statistic and one-sided p toward the side observed, under k ~ Bin(n, ½).

    n ≤ 12: k itself and the binomial tail; n > 12: Z = (k − 0.5n)/(0.5√n) and the normal tail.
    """
    if n < 1 or not 0 <= k <= n:
        raise SettingError(f"k = {k} of n = {n}: choose n ≥ 1 and k between 0 and n.")
    from scipy.stats import binom, norm

    if n <= EXACT_UP_TO:
        return float(k), float(binom.cdf(min(k, n - k), n, 0.5))
    z = (k - 0.5 * n) / (0.5 * sqrt(n))
    return z, float(norm.sf(abs(z)))


def wilson(successes: int, trials: int) -> Interval:
    """Return the 95% interval of a share (Wilson 1927); (0, 1) without trials."""
    from scipy.stats import binomtest

    if trials == 0:
        return 0.0, 1.0
    bounds = binomtest(successes, trials).proportion_ci(method="wilson")
    return float(bounds.low), float(bounds.high)


def _signs(test: Test, a: ArrayLike, b: ArrayLike, names: Names, *, rows: str) -> Significance:
    """Run a sign test over the rows that differ, with the exact interval of the share that A wins."""
    from statsmodels.stats.proportion import proportion_confint

    matched = matched_scores(a, b)
    if isinstance(matched, str):
        return refused(test, 0, matched)
    k, n = int((matched.d > 0).sum()), int((matched.d != 0).sum())
    if n == 0:
        return refused(test, 0, f"{names[0]} and {names[1]} do not differ in any of {len(matched.d):,} {rows}.")
    statistic, p = sign_test(k, n)
    low, high = proportion_confint(k, n, alpha=1 - CONFIDENCE, method="beta")  # exact (Clopper & Pearson 1934)
    return applied(
        test,
        n=n,
        statistic=statistic,
        symbol="k" if n <= EXACT_UP_TO else "Z",
        p=p,
        direction=sign_of(2 * k - n),
        effect=Effect(k / n, f"share of the differing {rows} won by {names[0]}", (float(low), float(high))),
    )


def proportions(
    p_a: float, n_a: int, p_b: float, n_b: int, *, names: Names = DEFAULT_NAMES, measure: str = "share"
) -> Significance:
    """Run p: Z = (p_a − p_b)/√(p(1−p)(1/n_a + 1/n_b)), p pooled; up to 40 trials n in all, t with n − 1 df instead.

    n is the number of true yeses for recall, assigned yeses for precision, document-category pairs for accuracy.
    """
    from scipy.stats import norm, t
    from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

    if not (0 <= p_a <= 1 and 0 <= p_b <= 1) or n_a < 0 or n_b < 0:
        raise SettingError(f"Shares {p_a:g} of {n_a:,} and {p_b:g} of {n_b:,}: shares lie in [0, 1], counts from 0 up.")
    n = n_a + n_b
    if n_a == 0 or n_b == 0:
        return refused(
            PROPORTIONS, n, f"{names[0] if n_a == 0 else names[1]} has no trials, so its {measure} is undefined."
        )
    hits = np.array([p_a * n_a, p_b * n_b])
    trials = np.array([n_a, n_b])
    if hits.sum() <= 0 or hits.sum() >= n:
        return refused(PROPORTIONS, n, f"Both have a {measure} of {p_a:g}: there is nothing to tell them apart by.")
    z = float(proportions_ztest(hits, trials)[0])
    low, high = confint_proportions_2indep(
        hits[0], n_a, hits[1], n_b, method="newcomb", compare="diff", alpha=1 - CONFIDENCE
    )
    return applied(
        PROPORTIONS,
        n=n,
        statistic=z,
        p=float(t.sf(abs(z), n - 1) if n <= SMALL_TRIALS else norm.sf(abs(z))),
        direction=sign_of(z),
        effect=Effect(p_a - p_b, f"difference in {measure}", (float(low), float(high))),
    )


def accuracies(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """Run p on the shares of right decisions; see `proportions`."""
    (p_a, n_a), (p_b, n_b) = (
        (float(values.mean()) if len(values) else 0.0, len(values)) for values in (column(a), column(b))
    )
    return proportions(p_a, n_a, p_b, n_b, names=names, measure="accuracy")


MICRO_SIGN = Test(
    "s",
    label="Micro sign test (s)",
    about="Of the decisions that only one system gets right, how many does each get?",
    assumption="decisions are independent; those about one document or topic are not quite",
    sides=1,
    symbol="Z",
    kind="decisions",
    run=micro_sign,
    error_rate="clustered",
)
MACRO_SIGN = Test(
    "S",
    label="Macro sign test (S)",
    about="In how many categories is each system ahead, by however much?",
    assumption="rows are independent and count equally",
    sides=1,
    symbol="Z",
    kind="scores",
    run=macro_sign,
)
PROPORTIONS = Test(
    "p",
    label="Proportions (p)",
    about="Do two shares differ, such as recall, precision or accuracy?",
    assumption="two separate samples of independent trials; it ignores that both systems share a test set",
    sides=1,
    symbol="Z",
    kind="decisions",
    run=accuracies,
    error_rate="clustered",
    matched=False,
)


def wilcoxon(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """Test W, the smaller sum of ranks of |d| by sign, zeros dropped, two-sided; see `signed_ranks`.

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
    effect = _typical_difference(d)
    return applied(
        WILCOXON,
        n=n,
        statistic=float(min(positive, negative)),
        p=float(p),
        direction=sign_of(positive - negative),
        effect=effect,
    )


def wilcoxon_rows(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return W⁺ of a − b and its two-sided p, row by row.

    Scores are ratios of small counts, so differences that round to the same value tie, and the normal law is corrected
    for continuity.
    """
    return signed_ranks(np.round(a - b, DIGITS), continuity=True)


def signed_ranks(d: Floats, *, continuity: bool = False) -> tuple[Floats, Floats]:
    """Return W⁺ = Σ ranks of |d| over d > 0, zeros dropped, ties at mean ranks, and its two-sided p; NaN if all are 0.

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
    """Return the two-sided p of W⁺ over all signs of these ranks, counting every sum of the doubled (integer) ranks.

    A zero, whose rank is 0, doubles the ways of every sum and changes no share.
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
    """Return the two-sided p of every value of W⁺ for k distinct ranks: subsets of 1 … k with that sum, over 2^k."""
    ways = np.zeros(k * (k + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, k + 1):
        ways[rank:] = ways[rank:] + ways[:-rank].copy()
    low = np.cumsum(ways) / 2.0**k
    return np.asarray(np.minimum(2 * np.minimum(low, low[::-1]), 1.0))


def _normal(positive: Floats, count: Ints, tied: Floats, *, continuity: bool) -> Floats:
    """Return the two-sided p of z = (W⁺ − n(n+1)/4 ∓ ½)/s, s² = (n(n+1)(2n+1) − Σ(t³ − t)/2)/24; `tied` is Σ(t³ − t) over groups of ties."""
    from scipy.special import ndtr

    n = count.astype(np.float64)
    spread = np.sqrt(np.where(count > 0, (n * (n + 1) * (2 * n + 1) - tied / 2) / 24, 1.0))
    z = (positive - n * (n + 1) / 4) / spread
    if continuity:
        z -= np.sign(z) * 0.5 / spread
    return np.asarray(2 * ndtr(-np.abs(z)))


def _typical_difference(d: Floats) -> Effect:
    """Return a middle of the differences with a distribution-free interval (Hodges & Lehmann 1963).

    Fewer than six differences have no 95% interval: from the lowest to the highest holds the middle in 1 − 2^(1−n) of cases.
    """
    from scipy.stats import norm, quantile_test

    n = len(d)
    if n > MOST_AVERAGED:
        bounds = quantile_test(d).confidence_interval(CONFIDENCE)
        return Effect(float(np.median(d)), "median difference", (float(bounds.low), float(bounds.high)))
    rows, columns = np.triu_indices(n)
    means = np.sort((d[rows] + d[columns]) / 2)
    if n < FEWEST_IN_INTERVAL:
        return Effect(float(np.median(means)), "typical difference", None)
    spread = sqrt(n * (n + 1) * (2 * n + 1) / 24)
    cut = max(int(n * (n + 1) / 4 - float(norm.ppf((1 + CONFIDENCE) / 2)) * spread), 0)
    return Effect(float(np.median(means)), "typical difference", (float(means[cut]), float(means[-1 - cut])))


WILCOXON = Test(
    "wilcoxon",
    label="Wilcoxon signed rank",
    about="Is the typical difference other than 0, by the ranks of the differences?",
    assumption="differences are independent and symmetric around their median",
    sides=2,
    symbol="W",
    kind="scores",
    run=wilcoxon,
)
