"""Sign tests, the test of two proportions and the intervals of a share: counts of right and wrong (Yang & Liu 1999, §4.1, 4.2, 4.5)."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Interval
from ..errors import SettingError
from .significance import (
    CONFIDENCE,
    DEFAULT_NAMES,
    Effect,
    Names,
    Significance,
    Test,
    answered,
    column,
    matched_scores,
    refused,
    sign_of,
)

EXACT_UP_TO = 12  # differing decisions
SMALL_TRIALS = 40


def micro_sign(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """s: over decisions that one system gets right (1) and the other wrong (0), k of n are A's; see `sign_test`."""
    return _signs(MICRO_SIGN, a, b, names, rows="decisions", won="is right where {loser} is wrong")


def macro_sign(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """S: over categories whose scores differ, A is ahead in k of n; see `sign_test`."""
    return _signs(MACRO_SIGN, a, b, names, rows="categories", won="is ahead of {loser}")


def sign_test(k: int, n: int) -> tuple[float, float]:
    """Statistic and one-sided p toward the side observed, under k ~ Bin(n, ½).

    n ≤ 12: k itself and the binomial tail; n > 12: Z = (k − 0.5n)/(0.5√n) and the normal tail.
    """
    if n < 1 or not 0 <= k <= n:
        raise SettingError(f"k = {k} of n = {n}: choose n ≥ 1 and k between 0 and n.")
    from scipy.stats import binom, norm

    if n <= EXACT_UP_TO:
        return float(k), float(binom.cdf(min(k, n - k), n, 0.5))
    z = (k - 0.5 * n) / (0.5 * sqrt(n))
    return z, float(norm.sf(abs(z)))


def exact_share(k: int, n: int) -> tuple[float, float]:
    """The exact 95 % interval of a share of which k of n is known (Clopper & Pearson 1934), from quantiles of the beta law."""
    from scipy.special import betaincinv

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    return low, float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0


def wilson(successes: int, trials: int) -> Interval:
    """The 95 % interval of a share (Wilson 1927); (0, 1) without trials."""
    from scipy.stats import binomtest

    if trials == 0:
        return 0.0, 1.0
    bounds = binomtest(successes, trials).proportion_ci(method="wilson")
    return float(bounds.low), float(bounds.high)


def _signs(test: Test, a: ArrayLike, b: ArrayLike, names: Names, *, rows: str, won: str) -> Significance:
    matched = matched_scores(a, b)
    if isinstance(matched, str):
        return refused(test, 0, matched)
    k, n = int((matched.d > 0).sum()), int((matched.d != 0).sum())
    if n == 0:
        return refused(test, 0, f"{names[0]} and {names[1]} do not differ in any of {len(matched.d):,} {rows}.")
    statistic, p = sign_test(k, n)
    return answered(
        test,
        names,
        n=n,
        statistic=statistic,
        symbol="k" if n <= EXACT_UP_TO else "Z",
        p=p,
        direction=sign_of(2 * k - n),
        effect=Effect(k / n, f"share of the differing {rows} won by {names[0]}", exact_share(k, n)),
        fact=f"{names[0]} {won.format(loser=names[1])} in {k:,} of the {n:,} {rows} in which they differ",
    )


def proportions(
    p_a: float, n_a: int, p_b: float, n_b: int, *, names: Names = DEFAULT_NAMES, measure: str = "share"
) -> Significance:
    """p: Z = (p_a − p_b)/√(p(1−p)(1/n_a + 1/n_b)), p pooled; up to 40 trials in all, t with that less one instead.

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
    return answered(
        PROPORTIONS,
        names,
        n=n,
        statistic=z,
        p=float(t.sf(abs(z), n - 1) if n <= SMALL_TRIALS else norm.sf(abs(z))),
        direction=sign_of(z),
        effect=Effect(p_a - p_b, f"difference in {measure}", (float(low), float(high))),
        fact=f"{measure.capitalize()} {p_a:.4f} of {n_a:,} against {p_b:.4f} of {n_b:,}",
    )


def accuracies(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """p on the shares of right decisions; see `proportions`."""
    (p_a, n_a), (p_b, n_b) = (
        (float(values.mean()) if len(values) else 0.0, len(values)) for values in (column(a), column(b))
    )
    return proportions(p_a, n_a, p_b, n_b, names=names, measure="accuracy")


MICRO_SIGN = Test(
    "s",
    label="Micro sign test (s)",
    about="Of the decisions that only one system gets right, how many does each get?",
    assumption="decisions are independent; those of one document, or of documents on one topic, are not quite",
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
    assumption="categories are independent and count alike, rare ones too",
    sides=1,
    symbol="Z",
    kind="scores",
    run=macro_sign,
)
PROPORTIONS = Test(
    "p",
    label="Proportions (p)",
    about="Do two shares differ, such as recall, precision or accuracy?",
    assumption="two separate samples of independent trials; on one shared test set the pairing goes unused",
    sides=1,
    symbol="Z",
    kind="decisions",
    run=accuracies,
    error_rate="clustered",
    matched=False,
)
