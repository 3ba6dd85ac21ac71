"""Two systems over topics that count by their documents: a t-test with Schein et al.'s weights (2010)."""

import numpy as np
from numpy.typing import ArrayLike

from .power import weighted_summary
from .significance import (
    DEFAULT_NAMES,
    ROUNDING,
    Effect,
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
from .t_tests import student, t_interval, without_spread


def weighted_t(a: ArrayLike, b: ArrayLike, *, weights: ArrayLike, names: Names = DEFAULT_NAMES) -> Significance:
    """t = Σ w_i d_i / (σ√V2) over n topics, w_i their shares of the documents, V2 = Σ w_i², df n − 1, two-sided.

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
        return refused(WEIGHTED_T, n, "Only one row with documents is given; a spread needs two or more.")
    if np.ptp(d) <= ROUNDING * matched.scale:
        return refused(WEIGHTED_T, n, without_spread(d))
    found = weighted_summary(d, w[w > 0])
    mean = 0.0 if abs(found.mean) <= ROUNDING * matched.scale else found.mean
    statistic, p = student(mean, found.se**2, n - 1)
    return answered(
        WEIGHTED_T,
        names,
        n=n,
        statistic=float(statistic),
        p=float(p),
        direction=sign_of(mean),
        effect=Effect(mean, "weighted mean difference", t_interval(mean, found.se**2, n - 1)),
        fact=f"Weighted mean difference {mean:+.4g} (n = {n:,}, which count as {found.effective:.1f})",
    )


WEIGHTED_T = Test(
    "weighted_t",
    label="Weighted t-test",
    about="Is the mean difference over topics other than 0, each counting by its documents?",
    assumption="differences of topics are independent and spread alike, however large the topic; a huge topic may decide alone",
    sides=2,
    run=weighted_t,
    needs_weights=True,
)
