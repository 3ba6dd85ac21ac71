"""The weighted mean of scores over folds, and what difference so many topics can show (Schein et al. 2010)."""

from dataclasses import dataclass
from math import sqrt
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import SettingError
from ..formats import counted

MOST_TOPICS = 1_000_000
_CERTAIN = 30.0  # beyond this shift a t variable is past any usual bound, and scipy's non-central t loses its digits
_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class WeightedSummary:
    """Mean, unbiased variance, standard deviation and standard error of `n` values; NaN where n is too small.

    `effective` is how many values of equal weight would fix the mean as well; `paper_se` is Schein et al.'s σ/√n, too
    small wherever weights differ, to stand beside their tables.
    """

    n: int
    mean: float
    variance: float
    sd: float
    se: float
    effective: float
    paper_se: float


def weighted_summary(values: ArrayLike, weights: ArrayLike) -> WeightedSummary:
    """μ = Σ w_i x_i, V2 = Σ w_i², σ² = Σ w_i (x_i − μ)² / (1 − V2), SE = σ·√V2, with w_i as shares.

    μ and σ² are those of Schein et al. 2010; the variance of a weighted mean is Σ w_i² σ², so that n values count as
    1/V2 (Kish 1965, §11.7). Undefined values (NaN) and values of weight 0 are left out and the other weights
    rescaled; n counts what is left.
    """
    x, w = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if x.ndim != 1 or x.shape != w.shape:
        raise SettingError(f"{x.size:,} values and {w.size:,} weights; give one weight a value.")
    if not (np.isfinite(w) & (w >= 0)).all():
        raise SettingError("A weight is negative or not a number; weights are counts of documents.")
    counted = ~np.isnan(x) & (w > 0)
    x, w = x[counted], w[counted]
    n = len(x)
    if n == 0:
        return WeightedSummary(0, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN)
    w = w / w.sum()
    mean, squares = float(w @ x), float(w @ w)
    if n == 1:
        return WeightedSummary(1, mean, _NAN, _NAN, _NAN, 1.0, _NAN)
    # Σ w_i (1 − w_i) is 1 − Σ w_i² without the loss of digits when one weight is nearly all.
    variance = float(w @ (x - mean) ** 2) / float(w @ (1 - w))
    sd = sqrt(variance)
    return WeightedSummary(n, mean, variance, sd, sd * sqrt(squares), min(1 / squares, float(n)), sd / sqrt(n))


class PowerChoices(TypedDict, total=False):
    """How two systems are compared: at the level `alpha` (.05), on one side or two (1), rows `paired` or not (not).

    Topics of unequal weight count as fewer: as `effective` of them (`WeightedSummary.effective`; all where not given).
    """

    effective: float | None
    alpha: float
    sides: int
    paired: bool


@dataclass(frozen=True, slots=True)
class _Study:
    """`n` topics whose differences, or scores where rows are not paired, have this standard deviation."""

    sd: float
    n: int
    effective: float | None = None
    alpha: float = 0.05
    sides: int = 1
    paired: bool = False

    def __post_init__(self) -> None:
        if not (self.sd > 0 and np.isfinite(self.sd)):
            raise SettingError(f"A standard deviation of {self.sd:g}: power needs one above 0.")
        if self.n < 2:
            raise SettingError(f"{counted(self.n, 'topic')}: a spread over topics needs two or more.")
        if self.effective is not None and not 1 <= self.effective <= self.n:
            raise SettingError(
                f"{self.effective:g} effective topics of {self.n:,}: so many count as at least 1 and at most {self.n:,}."
            )
        if not 0 < self.alpha < 0.5 or self.sides not in (1, 2):
            fact = f"Level {self.alpha:g}, {counted(self.sides, 'side')}"
            raise SettingError(f"{fact}: choose a level between 0 and 0.5, and 1 or 2 sides.")

    @property
    def freedom(self) -> int:
        return self.n - 1 if self.paired else 2 * self.n - 2

    @property
    def bound(self) -> float:
        """t_{1−α,df}, with α/2 for two sides."""
        from scipy.stats import t

        return float(t.ppf(1 - self.alpha / self.sides, self.freedom))

    @property
    def error(self) -> float:
        """The standard error of the difference: sd/√n, times √2 where rows are not paired."""
        return self.sd / sqrt(self.effective or self.n) * (1.0 if self.paired else sqrt(2))


def smallest_difference(sd: float, n: int, **design: Unpack[PowerChoices]) -> float:
    """t_{1−α,2n−2}·√2·SE, SE = sd/√n: the least observed difference of two means that is significant.

    Paired, with sd that of the differences: t_{1−α,n−1}·SE. A *true* difference of this size is found half the time.
    """
    study = _Study(sd, n, **design)
    return study.bound * study.error


def power(difference: ArrayLike, sd: float, n: int, **design: Unpack[PowerChoices]) -> Floats:
    """P(t' > t_{1−α,df}) for t' non-central with shift difference / (√2·SE): how often such a true difference is found.

    Two-sided, it includes the rejections on the wrong side. One power a difference.
    """
    from scipy.stats import nct

    study = _Study(sd, n, **design)
    shift = np.asarray(difference, dtype=np.float64) / study.error
    if not np.isfinite(shift).all():
        raise SettingError("A difference is not a finite number; give differences such as 0.05.")
    bound, df = study.bound, study.freedom
    far = np.abs(shift) > _CERTAIN + bound
    near = np.where(far, 0.0, shift)
    found = nct.sf(bound, df, near)
    if study.sides == 2:
        found = found + np.nan_to_num(nct.cdf(-bound, df, near))  # NaN where the tail is too thin to reckon
    result: Floats = np.where(far, (shift > 0) | (study.sides == 2), np.clip(found, 0.0, 1.0)).astype(np.float64)
    return result


def reliable_difference(sd: float, n: int, *, power_wished: float = 0.8, **design: Unpack[PowerChoices]) -> float:
    """The true difference that is found with the wished power: `power` solved for the difference."""
    from scipy.optimize import brentq

    study = _Study(sd, n, **design)
    _checked_power(power_wished, study.alpha)
    top = (_CERTAIN + study.bound) * study.error

    def short(difference: float) -> float:
        return float(power(difference, sd, n, **design)) - power_wished

    return float(brentq(short, 0.0, top, xtol=1e-9 * study.error)) if short(top) > 0 else top


def topics_needed(
    difference: float,
    sd: float,
    *,
    counting: float = 1.0,
    power_wished: float | None = 0.8,
    paired: bool = False,
) -> int:
    """The least n whose power at this true difference is the wished one, at .05 on one side.

    With None, the least n at which this difference, once observed, is significant: the paper's reckoning. `counting`
    is the share of topics that counts where their weights differ: effective / n of topics like those at hand.
    """
    if not difference > 0:
        raise SettingError(f"A difference of {difference:g}: wish for one above 0, such as 0.05.")
    if not 0 < counting <= 1:
        raise SettingError(f"A share of {counting:g} of topics that counts: choose one above 0 and up to 1.")
    study = _Study(sd, 2)
    if power_wished is not None:
        _checked_power(power_wished, study.alpha)

    def enough(n: int) -> bool:
        worth = max(n * counting, 1.0)
        if power_wished is None:
            return smallest_difference(sd, n, effective=worth, paired=paired) <= difference
        return float(power(difference, sd, n, effective=worth, paired=paired)) >= power_wished

    low, high = 1, 2
    while not enough(high):
        low, high = high, high * 2
        if low > MOST_TOPICS:
            raise SettingError(f"A difference of {difference:g} needs more than {MOST_TOPICS:,} topics; wish for more.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _checked_power(wished: float, alpha: float) -> None:
    if not alpha < wished < 1:
        raise SettingError(f"A power of {wished:g}: choose one between the level {alpha:g} and 1, such as 0.8.")
