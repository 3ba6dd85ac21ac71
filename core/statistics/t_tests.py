"""Student's t: compare the means of two systems, one pair or row by row for simulations; a mean beside its bootstrap interval."""

from math import inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, record
from ..errors import SettingError
from ..formats import counted
from .power import weighted_summary
from .significance import (
    CONFIDENCE,
    DEFAULT_NAMES,
    DIGITS,
    ROUNDING,
    SOME,
    Effect,
    MatchedScores,
    Names,
    Significance,
    Test,
    applied,
    column,
    equal_rows,
    matched_scores,
    refused,
    sign_of,
    verdict_sign,
)

SMALL = 40  # differing categories up to which Yang & Liu take Student's t
FEW = 7  # differing categories below which no arrangement of their signs is rarer than .01
MARGIN = 0.05  # usual, of the equivalence test


def paired_t_rows(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return t = d̄/(s_d/√k), df k − 1, and its two-sided p, row by row; NaN where the differences do not vary.

    A constant difference other than zero has t infinite. Of a rounded, discrete score that is no evidence, so such
    rows have no p and never count as rejections.
    """
    d = np.round(a - b, DIGITS)
    k = d.shape[1]
    squared_error = np.where(np.ptp(d, axis=1) > 0, d.var(axis=1, ddof=1) / k, np.nan)
    return student(d.mean(axis=1), squared_error, k - 1)


def unpaired_t_rows(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return t = (ā − b̄)/(s_p·√(1/n_a + 1/n_b)), df n_a + n_b − 2, and its two-sided p, row by row.

    Rows of a and b may differ in length; NaN where neither side varies.
    """
    varies = np.any([np.ptp(np.round(side, DIGITS), axis=1) > 0 for side in (a, b)], axis=0)
    squared_error = np.where(varies, _pooled(a, b), np.nan)
    return student(a.mean(axis=1) - b.mean(axis=1), squared_error, a.shape[1] + b.shape[1] - 2)


def student(difference: ArrayLike, squared_error: ArrayLike, freedom: float) -> tuple[Floats, Floats]:
    """Return t = difference/√squared_error and P(|T| ≥ |t|) (Student 1908); the normal law where `freedom` is ∞."""
    from scipy.special import stdtr

    t = np.asarray(difference) / np.sqrt(squared_error)
    return t, 2 * stdtr(freedom, -np.abs(t))


def macro_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """Run T = d̄ / (sd/√n) over the n categories that differ, df n − 1, normal when n > 40 (Yang & Liu 1999, §4.3)."""
    matched = matched_scores(a, b)
    return _mean_test(MACRO_T, matched, names, unit="mean difference over the categories that differ", macro=True)


def macro_rank_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """Run T', T on ranks: all 2M scores are ranked together, equal ones sharing their mean rank (Yang & Liu 1999, §4.4)."""
    from scipy.stats import rankdata

    matched = matched_scores(a, b)
    if not isinstance(matched, str):
        one, two = np.split(rankdata(matched.rounded(np.concatenate([matched.a, matched.b]))), 2)
        matched = MatchedScores(one, two, one - two)
    unit = "mean difference of ranks over the categories that differ"
    return _mean_test(MACRO_RANK_T, matched, names, unit=unit, macro=True)


def paired_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """Run t = d̄ / (sd/√n) over all n rows, df n − 1, two-sided (Student 1908)."""
    return _mean_test(PAIRED_T, matched_scores(a, b), names)


def corrected_t(a: ArrayLike, b: ArrayLike, *, train: float, test: float, names: Names = DEFAULT_NAMES) -> Significance:
    """Run t = d̄ / √((1/n + n_test/n_train)·s²) over n resamples, df n − 1, two-sided (Nadeau & Bengio 2003).

    `train` and `test` are the documents in a training and in a test set, or their shares.
    """
    if not (train > 0 and test > 0):
        raise SettingError(f"Training size {train:g} and test size {test:g}: both must be above 0.")
    return _mean_test(CORRECTED_T, matched_scores(a, b), names, extra=test / train)


def unpaired_t(a: ArrayLike, b: ArrayLike, *, names: Names = DEFAULT_NAMES) -> Significance:
    """Run t = (ā − b̄)/(s_p·√(1/n_a + 1/n_b)), s_p pooled, df n_a + n_b − 2, two-sided (Student 1908)."""
    one, two = (values[~np.isnan(values)] for values in (column(a), column(b)))
    n = len(one) + len(two)
    if min(len(one), len(two)) < 2:
        return refused(
            UNPAIRED_T, n, f"{counted(len(one), 'value')} against {len(two)}: each system needs two or more."
        )
    scale = max(float(np.abs(one).max()), float(np.abs(two).max()))
    if max(np.ptp(one), np.ptp(two)) <= ROUNDING * scale:
        return refused(UNPAIRED_T, n, "Neither system's values vary, so a t-test is undefined.")
    difference = _unless_rounding(float(one.mean() - two.mean()), scale)
    squared_error = float(_pooled(one[None], two[None])[0])
    statistic, p = student(difference, squared_error, n - 2)
    return applied(
        UNPAIRED_T,
        n=n,
        statistic=float(statistic),
        p=float(p),
        direction=sign_of(difference),
        effect=Effect(difference, "difference of means", t_interval(difference, squared_error, n - 2)),
    )


def without_spread(d: Floats) -> str:
    """Say why equal differences are not tested."""
    return f"All {len(d):,} differences are {d[0]:.4g}: a t-test needs some variation."


def _mean_test(
    test: Test,
    matched: MatchedScores | str,
    names: Names,
    *,
    unit: str = "mean difference",
    extra: float = 0.0,
    macro: bool = False,
) -> Significance:
    """Test that the mean of d is 0, with variance s²·(1/n + extra); `macro`: over rows that differ, normal for many."""
    if isinstance(matched, str):
        return refused(test, 0, matched)
    d = matched.d[matched.d != 0] if macro else matched.d
    n = len(d)
    if not np.any(d):
        return refused(test, n, equal_rows(names, len(matched.d)))
    if n < 2:
        return refused(test, n, "Only one row differs or is given; variation needs two or more.")
    if np.ptp(d) <= ROUNDING * matched.scale:
        return refused(test, n, without_spread(d))
    freedom = inf if macro and n > SMALL else n - 1
    mean, squared_error = _unless_rounding(float(d.mean()), matched.scale), float(d.var(ddof=1)) * (1 / n + extra)
    statistic, p = student(mean, squared_error, freedom)
    # Few differences, of ranks above all, are often nearly equal, and the t-distribution then finds in three of them what no
    # three can show: the signs of n fall one way by chance in one of 2ⁿ tables.
    least = 0.5**n if macro and n < FEW else 0.0
    return applied(
        test,
        n=n,
        statistic=float(statistic),
        symbol="Z" if freedom == inf else "t",
        p=max(float(p) * test.sides / 2, least),
        direction=sign_of(mean),
        effect=Effect(mean, unit, t_interval(mean, squared_error, freedom)),
    )


def _pooled(a: Floats, b: Floats) -> Floats:
    """Return s_p²(1/n_a + 1/n_b) row by row, s_p² = ((n_a − 1)s_a² + (n_b − 1)s_b²)/(n_a + n_b − 2)."""
    n_a, n_b = a.shape[1], b.shape[1]
    squares = (n_a - 1) * a.var(axis=1, ddof=1) + (n_b - 1) * b.var(axis=1, ddof=1)
    return np.asarray(squares / (n_a + n_b - 2) * (1 / n_a + 1 / n_b))


def t_interval(center: float, squared_error: float, freedom: float) -> tuple[float, float]:
    """Return the 95% interval center ± t_{.975}·√squared_error."""
    from scipy.special import stdtrit

    half = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * sqrt(squared_error)
    return center - half, center + half


def _unless_rounding(difference: float, scale: float) -> float:
    """Return 0 where differences that cancel leave a last binary digit, whose sign would name a winner."""
    return 0.0 if abs(difference) <= ROUNDING * scale else difference


MACRO_T = Test(
    "T",
    label="Macro t-test (T)",
    about="Is the mean difference over the categories that differ above 0?",
    assumption="differences are independent and roughly normal; one unstable rare category can decide the result",
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
    assumption="two independent samples with equal variance; it ignores that rows match",
    sides=2,
    run=unpaired_t,
    error_rate="placebo",
    matched=False,
)
CORRECTED_T = Test(
    "corrected_t",
    label="Corrected resampled t-test",
    about="The paired t-test with the variance widened for training sets that overlap.",
    assumption="the wider variance approximates the correlation of overlapping folds",
    sides=2,
    run=corrected_t,
    needs_sizes=True,
)


def weighted_t(a: ArrayLike, b: ArrayLike, *, weights: ArrayLike, names: Names = DEFAULT_NAMES) -> Significance:
    """Run t = Σ w_i d_i / (σ√V2) over n topics, w_i their shares of the documents, V2 = Σ w_i², df n − 1, two-sided.

    σ² = Σ w_i (d_i − μ)² / (1 − V2) as in Schein et al. 2010; n topics count as 1/V2 of equal size. With equal
    weights it is the paired t-test. Topics of weight 0 do not count. That it keeps its level where topics are of very
    different sizes is simulated in tests/core/statistics/test_honesty.py.
    """
    matched = matched_scores(a, b)
    if isinstance(matched, str):
        return refused(WEIGHTED_T, 0, matched)
    one, two, given = column(a), column(b), column(weights)
    if len(given) != len(one):
        fact = f"{len(given):,} weights for {len(one):,} rows"
        return refused(WEIGHTED_T, 0, f"{fact}; give each row its number of documents.")
    both = ~(np.isnan(one) | np.isnan(two))
    w = given[both]
    if not (np.isfinite(w) & (w >= 0)).all():
        return refused(WEIGHTED_T, 0, "A weight is negative or no number; weights are numbers of documents.")
    d = matched.d[w > 0]
    n = len(d)
    if not np.any(d):
        return refused(WEIGHTED_T, n, equal_rows(names, n) if n else "No row with a value for both has documents.")
    if n < 2:
        return refused(WEIGHTED_T, n, "Only one row with documents is given; variation needs two or more.")
    if np.ptp(d) <= ROUNDING * matched.scale:
        return refused(WEIGHTED_T, n, without_spread(d))
    found = weighted_summary(d, w[w > 0])
    mean = 0.0 if abs(found.mean) <= ROUNDING * matched.scale else found.mean
    statistic, p = student(mean, found.se**2, n - 1)
    return applied(
        WEIGHTED_T,
        n=n,
        statistic=float(statistic),
        p=float(p),
        direction=sign_of(mean),
        effect=Effect(mean, "weighted mean difference", t_interval(mean, found.se**2, n - 1)),
    )


WEIGHTED_T = Test(
    "weighted_t",
    label="Weighted t-test",
    about="Is the mean difference over topics other than 0, each counting by its documents?",
    assumption="differences are independent with equal variance, however large the topic; a huge topic may decide alone",
    sides=2,
    run=weighted_t,
    needs_weights=True,
)


def equivalence(a: ArrayLike, b: ArrayLike, *, margin: float = MARGIN, names: Names = DEFAULT_NAMES) -> Significance:
    """Run two one-sided t-tests over all rows and return the larger p (Schuirmann 1987).

    They ask whether d̄ is above −margin and whether it is below +margin; p ≤ .05 exactly where the 90% interval of d̄
    is within ±margin. Where a difference is not significant, this shows whether it is small.
    """
    from statsmodels.stats.weightstats import DescrStatsW

    if not (margin > 0 and np.isfinite(margin)):
        raise SettingError(
            f"The margin is {margin:g}. Choose a difference above 0 that is too small to matter, such as 0.05."
        )
    matched = matched_scores(a, b)
    if isinstance(matched, str):
        return refused(EQUIVALENCE, 0, matched)
    d, n = matched.d, len(matched.d)
    if not np.any(d):
        return refused(EQUIVALENCE, n, equal_rows(names, n))
    if n < 2 or np.ptp(d) <= ROUNDING * matched.scale:
        problem = f"All {n:,} differences are {d[0]:.4g}: a t-test needs some variation."
        return refused(EQUIVALENCE, n, problem if n > 1 else "Only one row is given; variation needs two or more.")
    described = DescrStatsW(d)
    mean = float(described.mean)
    p, (above, _, _), (below, _, _) = described.ttost_mean(-margin, margin)
    low, high = (float(end) for end in described.tconfint_mean(2 * SOME))
    end_95 = [float(end) for end in described.tconfint_mean(1 - CONFIDENCE)]
    return Significance(
        EQUIVALENCE.name,
        n,
        statistic=float(min(above, -below)),
        symbol=EQUIVALENCE.symbol,
        p=float(p),
        sides=EQUIVALENCE.sides,
        verdict=verdict_sign(p, 0, EQUIVALENCE.claim),
        direction=sign_of(mean) if abs(mean) > ROUNDING * matched.scale else 0,
        effect=mean,
        effect_name="mean difference",
        interval=(end_95[0], end_95[1]),
        interval_90=(low, high),
        assumption=EQUIVALENCE.assumption,
        claim=EQUIVALENCE.claim,
    )


EQUIVALENCE = Test(
    "equivalence",
    label="Equivalence (two one-sided t-tests)",
    about="Is the mean difference smaller than a margin, either way?",
    assumption="differences are independent and roughly normal, and the margin was chosen beforehand",
    sides=1,
    run=equivalence,
    takes_margin=True,
    claim="equality",
)


BOOTSTRAP_SAMPLES = 4_000
FEWEST_FOR_BOOTSTRAP = 8  # fewer give intervals that are too narrow (5 values: .89 for .95)


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
    from scipy.special import ndtr, stdtrit  # scipy.stats has the same, and takes a third of a second to import

    tail = float(ndtr(-sqrt(n / (n - 1)) * stdtrit(n - 1, 0.975)))
    rng = np.random.default_rng(seed)
    means = values[rng.integers(0, n, (BOOTSTRAP_SAMPLES, n))].mean(axis=1)
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)
