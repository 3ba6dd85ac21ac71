"""Tests of a mean difference by Student's law: for one pair of systems, and row by row for simulations."""

from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import SettingError
from ..formats import counted
from .significance import (
    CONFIDENCE,
    DEFAULT_NAMES,
    DIGITS,
    ROUNDING,
    Effect,
    MatchedScores,
    Names,
    Significance,
    Test,
    answered,
    column,
    equal_rows,
    matched_scores,
    refused,
    sign_of,
)

SMALL = 40  # differing categories up to which Yang & Liu take Student's t
FEW = 7  # differing categories below which no arrangement of their signs is rarer than .01


def paired_t_rows(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """t = d̄/(s_d/√k), k − 1 degrees of freedom, and its two-sided p, row by row; NaN where the differences do not vary.

    A constant difference other than zero has t infinite; it is no evidence from a rounded, discrete score, so such
    rows have no p and are never counted as rejections.
    """
    d = np.round(a - b, DIGITS)
    k = d.shape[1]
    squared_error = np.where(np.ptp(d, axis=1) > 0, d.var(axis=1, ddof=1) / k, np.nan)
    return student(d.mean(axis=1), squared_error, k - 1)


def unpaired_t_rows(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """t = (ā − b̄)/(s_p·√(1/n_a + 1/n_b)), n_a + n_b − 2 degrees of freedom, and its two-sided p, row by row.

    Rows of a and b may differ in length; NaN where neither side varies.
    """
    varies = np.any([np.ptp(np.round(side, DIGITS), axis=1) > 0 for side in (a, b)], axis=0)
    squared_error = np.where(varies, _pooled(a, b), np.nan)
    return student(a.mean(axis=1) - b.mean(axis=1), squared_error, a.shape[1] + b.shape[1] - 2)


def student(difference: ArrayLike, squared_error: ArrayLike, freedom: float) -> tuple[Floats, Floats]:
    """t = difference/√squared_error and P(|T| ≥ |t|), two-sided (Student 1908); the normal law where `freedom` is ∞."""
    from scipy.special import stdtr

    t = np.asarray(difference) / np.sqrt(squared_error)
    return t, 2 * stdtr(freedom, -np.abs(t))


def macro_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """T = d̄ / (sd/√n) over the n categories that differ, df n − 1, normal when n > 40 (Yang & Liu 1999, §4.3)."""
    matched = matched_scores(a, b)
    return _mean_test(MACRO_T, matched, names, unit="mean difference over the categories that differ", macro=True)


def macro_rank_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """T' = T on ranks: all 2M scores are ranked together, equal ones sharing their mean rank (Yang & Liu 1999, §4.4)."""
    from scipy.stats import rankdata

    matched = matched_scores(a, b)
    if not isinstance(matched, str):
        one, two = np.split(rankdata(matched.rounded(np.concatenate([matched.a, matched.b]))), 2)
        matched = MatchedScores(one, two, one - two)
    unit = "mean difference of ranks over the categories that differ"
    return _mean_test(MACRO_RANK_T, matched, names, unit=unit, macro=True)


def paired_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """t = d̄ / (sd/√n) over all n rows, df n − 1, two-sided (Student 1908)."""
    return _mean_test(PAIRED_T, matched_scores(a, b), names)


def corrected_t(a: ArrayLike, b: ArrayLike, *, train: float, test: float, names: Names = DEFAULT_NAMES) -> Significance:
    """t = d̄ / √((1/n + n_test/n_train)·s²) over n resamples, df n − 1, two-sided (Nadeau & Bengio 2003).

    `train` and `test` are the documents in a training and in a test set, or their shares.
    """
    if not (train > 0 and test > 0):
        raise SettingError(f"Training size {train:g} and test size {test:g}: both must be above 0.")
    return _mean_test(CORRECTED_T, matched_scores(a, b), names, extra=test / train)


def unpaired_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """t = (ā − b̄)/(s_p·√(1/n_a + 1/n_b)), s_p pooled, df n_a + n_b − 2, two-sided (Student 1908)."""
    one, two = (values[~np.isnan(values)] for values in (column(a), column(b)))
    n = len(one) + len(two)
    if min(len(one), len(two)) < 2:
        return refused(
            UNPAIRED_T, n, f"{counted(len(one), 'value')} against {len(two)}: each system needs two or more."
        )
    scale = max(float(np.abs(one).max()), float(np.abs(two).max()))
    if max(np.ptp(one), np.ptp(two)) <= ROUNDING * scale:
        return refused(UNPAIRED_T, n, "Neither system's values vary, so there is no spread to judge a difference by.")
    difference = _unless_rounding(float(one.mean() - two.mean()), scale)
    squared_error = float(_pooled(one[None], two[None])[0])
    statistic, p = student(difference, squared_error, n - 2)
    return answered(
        UNPAIRED_T,
        names,
        n=n,
        statistic=float(statistic),
        p=float(p),
        direction=sign_of(difference),
        effect=Effect(difference, "difference of means", t_interval(difference, squared_error, n - 2)),
        fact=f"Means {one.mean():.4g} of {len(one):,} values and {two.mean():.4g} of {len(two):,}",
    )


def without_spread(d: Floats) -> str:
    """Why equal differences are not tested."""
    return f"All {len(d):,} differences are {d[0]:.4g}: without spread a t-test has nothing to judge by."


def _mean_test(
    test: Test,
    matched: MatchedScores | str,
    names: Names,
    *,
    unit: str = "mean difference",
    extra: float = 0.0,
    macro: bool = False,
) -> Significance:
    """That the mean of d is 0, its variance s²·(1/n + extra); `macro`: over rows that differ, normal for many."""
    if isinstance(matched, str):
        return refused(test, 0, matched)
    d = matched.d[matched.d != 0] if macro else matched.d
    n = len(d)
    if not np.any(d):
        return refused(test, n, equal_rows(names, len(matched.d)))
    if n < 2:
        return refused(test, n, "Only one row differs or is given; a spread needs two or more.")
    if np.ptp(d) <= ROUNDING * matched.scale:
        return refused(test, n, without_spread(d))
    freedom = inf if macro and n > SMALL else n - 1
    mean, squared_error = _unless_rounding(float(d.mean()), matched.scale), float(d.var(ddof=1)) * (1 / n + extra)
    statistic, p = student(mean, squared_error, freedom)
    # Few differences, of ranks above all, are often nearly equal, and the t-distribution then finds in three of them what no
    # three can show: the signs of n fall one way by chance in one of 2ⁿ tables.
    least = 0.5**n if macro and n < FEW else 0.0
    return answered(
        test,
        names,
        n=n,
        statistic=float(statistic),
        symbol="Z" if freedom == inf else "t",
        p=max(float(p) * test.sides / 2, least),
        direction=sign_of(mean),
        effect=Effect(mean, unit, t_interval(mean, squared_error, freedom)),
        fact=f"{unit.capitalize()} {mean:+.4g} (n = {n:,})",
    )


def _pooled(a: Floats, b: Floats) -> Floats:
    """s_p²(1/n_a + 1/n_b) row by row, s_p² = ((n_a − 1)s_a² + (n_b − 1)s_b²)/(n_a + n_b − 2)."""
    n_a, n_b = a.shape[1], b.shape[1]
    squares = (n_a - 1) * a.var(axis=1, ddof=1) + (n_b - 1) * b.var(axis=1, ddof=1)
    return np.asarray(squares / (n_a + n_b - 2) * (1 / n_a + 1 / n_b))


def t_interval(
    center: float, squared_error: float, freedom: float, *, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """center ± t_{(1 + confidence)/2}·√squared_error."""
    from scipy.special import stdtrit

    half = float(stdtrit(freedom, (1 + confidence) / 2)) * sqrt(squared_error)
    return center - half, center + half


def _unless_rounding(difference: float, scale: float) -> float:
    """0 where differences that cancel leave a last binary digit, whose sign would name a winner."""
    return 0.0 if abs(difference) <= ROUNDING * scale else difference


MACRO_T = Test(
    "T",
    label="Macro t-test (T)",
    about="Is the mean difference over the categories that differ above 0?",
    assumption="differences are independent and roughly normal; one unstable rare category can decide",
    sides=1,
    run=macro_t,
)
MACRO_RANK_T = Test(
    "Tprime",
    label="Macro t-test on ranks (T′)",
    about="The same after all scores are ranked together.",
    assumption="differences of ranks are independent and roughly normal",
    sides=1,
    run=macro_rank_t,
)
PAIRED_T = Test(
    "paired_t",
    label="Paired t-test",
    about="Is the mean difference over all rows other than 0?",
    assumption="differences are independent and roughly normal; overlapping training or test sets break this",
    sides=2,
    run=paired_t,
)
UNPAIRED_T = Test(
    "unpaired_t",
    label="Unpaired t-test",
    about="Do the means differ, rows not matched?",
    assumption="two independent samples with equal spread; on shared rows it wastes the matching",
    sides=2,
    run=unpaired_t,
    error_rate="placebo",
    matched=False,
)
CORRECTED_T = Test(
    "corrected_t",
    label="Corrected resampled t-test",
    about="The paired t-test with the variance widened for training sets that overlap.",
    assumption="the widening stands for the correlation of overlapping folds, which nothing measures exactly",
    sides=2,
    run=corrected_t,
    needs_sizes=True,
)
