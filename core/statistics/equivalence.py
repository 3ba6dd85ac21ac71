"""Two one-sided t-tests (Schuirmann 1987): is the difference of two systems smaller than one would mind?"""

import numpy as np
from numpy.typing import ArrayLike

from ..errors import SettingError
from .significance import (
    DEFAULT_NAMES,
    ROUNDING,
    SOME,
    Names,
    Significance,
    Test,
    equal_rows,
    matched_scores,
    refused,
    shown_p,
    sign_of,
    verdict_sign,
)
from .t_tests import student, t_interval

MARGIN = 0.05


def equivalence(a: ArrayLike, b: ArrayLike, *, margin: float = MARGIN, names: Names = DEFAULT_NAMES) -> Significance:
    """t = (margin − |d̄|)/(sd/√n) over all n rows and P(T ≥ t), df n − 1: the larger p of the two one-sided tests.

    They ask whether d̄ lies above −margin and whether it lies below +margin; p ≤ .05 exactly where the 90 % interval
    of d̄ lies within ±margin. No evidence of a difference is not yet evidence of none: this is.
    """
    if not (margin > 0 and np.isfinite(margin)):
        raise SettingError(f"A margin of {margin:g}: name a difference above 0 that you would not mind, such as 0.05.")
    matched = matched_scores(a, b)
    if isinstance(matched, str):
        return refused(EQUIVALENCE, 0, matched)
    d, n = matched.d, len(matched.d)
    if not np.any(d):
        return refused(EQUIVALENCE, n, equal_rows(names, n))
    if n < 2 or np.ptp(d) <= ROUNDING * matched.scale:
        problem = f"All {n:,} differences are {d[0]:.4g}: without spread a t-test has nothing to judge by."
        return refused(EQUIVALENCE, n, problem if n > 1 else "Only one row is given; a spread needs two or more.")
    mean, squared_error = float(d.mean()), float(d.var(ddof=1)) / n
    statistic, both = student(margin - abs(mean), squared_error, n - 1)
    p = float(both / 2 if statistic >= 0 else 1 - both / 2)
    low, high = t_interval(mean, squared_error, n - 1, confidence=1 - 2 * SOME)
    says = f"{names[0]} does not differ by more than the margin of {margin:g} from {names[1]}"
    if p > SOME:
        says = f"this does not show that {names[0]} and {names[1]} differ by less than the margin of {margin:g}"
    return Significance(
        EQUIVALENCE.name,
        n,
        statistic=float(statistic),
        symbol=EQUIVALENCE.symbol,
        p=p,
        sides=EQUIVALENCE.sides,
        verdict=verdict_sign(p, 0, EQUIVALENCE.claim),
        direction=sign_of(mean) if abs(mean) > ROUNDING * matched.scale else 0,
        effect=mean,
        effect_name="mean difference",
        interval=t_interval(mean, squared_error, n - 1),
        interval_90=(float(low), float(high)),
        assumption=EQUIVALENCE.assumption,
        reading=f"{names[0]} − {names[1]} is {mean:+.4g} on average, 90 % from {low:+.4g} to {high:+.4g} "
        f"(n = {n:,}): {says} ({shown_p(p)}, two one-sided tests).",
        claim=EQUIVALENCE.claim,
    )


EQUIVALENCE = Test(
    "equivalence",
    label="Equivalence (two one-sided t-tests)",
    about="Is the mean difference smaller than a margin, either way?",
    assumption="differences are independent and roughly normal, and the margin was named beforehand",
    sides=1,
    run=equivalence,
    takes_margin=True,
    claim="equality",
)
