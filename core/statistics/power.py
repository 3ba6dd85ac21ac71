"""Compute weighted means, power and the variance of correlated errors (Schein et al. 2010; Neville et al. 2012)."""

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
    """Weighted mean of `n` values with its spread; NaN where n is too small."""

    n: int
    mean: float
    variance: float  # unbiased
    sd: float
    se: float  # of the mean
    effective: float  # number of values of equal weight that give a mean as precise
    paper_se: float  # Schein et al.'s σ/√n, too small wherever weights differ, for comparison with their tables


def weighted_summary(values: ArrayLike, weights: ArrayLike) -> WeightedSummary:
    """Return μ = Σ w_i x_i, V2 = Σ w_i², σ² = Σ w_i (x_i − μ)² / (1 − V2), SE = σ·√V2, with w_i as shares.

    μ and σ² are those of Schein et al. 2010; the variance of a weighted mean is Σ w_i² σ², so that n values count as
    1/V2 (Kish 1965, §11.7). Undefined values (NaN) and values of weight 0 are left out and the other weights
    rescaled; n counts what is left.
    """
    x, w = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if x.ndim != 1 or x.shape != w.shape:
        raise SettingError(f"{x.size:,} values and {w.size:,} weights; give one weight per value.")
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
    """How two systems are compared."""

    effective: float | None  # topics of unequal weight count as this many (`WeightedSummary.effective`; default: all)
    alpha: float  # default .05
    sides: int  # 1 (default) or 2
    paired: bool  # default: not


@dataclass(frozen=True, slots=True)
class _Study:
    """A comparison of topics that has yet to be made."""

    sd: float  # of differences (paired) or scores (unpaired)
    n: int  # topics
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
                f"{self.effective:g} effective topics of {self.n:,}: choose at least 1 and at most {self.n:,}."
            )
        if not 0 < self.alpha < 0.5 or self.sides not in (1, 2):
            fact = f"Level {self.alpha:g}, {counted(self.sides, 'side')}"
            raise SettingError(f"{fact}: choose a level between 0 and 0.5, and 1 or 2 sides.")

    @property
    def freedom(self) -> int:
        return self.n - 1 if self.paired else 2 * self.n - 2

    @property
    def bound(self) -> float:
        """Return t_{1−α,df}, with α/2 for two sides."""
        from scipy.stats import t

        return float(t.ppf(1 - self.alpha / self.sides, self.freedom))

    @property
    def error(self) -> float:
        """Return the standard error of the difference: sd/√n, times √2 where rows are not paired."""
        return self.sd / sqrt(self.effective or self.n) * (1.0 if self.paired else sqrt(2))


def smallest_difference(sd: float, n: int, **design: Unpack[PowerChoices]) -> float:
    """Return the smallest significant observed difference of two means: t_{1−α,2n−2}·√2·SE, SE = sd/√n.

    Paired, with sd that of the differences: t_{1−α,n−1}·SE. A *true* difference of this size is found half the time.
    """
    study = _Study(sd, n, **design)
    return study.bound * study.error


def power(difference: ArrayLike, sd: float, n: int, **design: Unpack[PowerChoices]) -> Floats:
    """Return P(t' > t_{1−α,df}), t' non-central with shift difference/(√2·SE), for each true difference.

    Two-sided power includes rejections on the wrong side.
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
        found = found + np.nan_to_num(nct.cdf(-bound, df, near))  # NaN where the tail is too thin to compute
    result: Floats = np.where(far, (shift > 0) | (study.sides == 2), np.clip(found, 0.0, 1.0)).astype(np.float64)
    return result


def reliable_difference(sd: float, n: int, *, target_power: float = 0.8, **design: Unpack[PowerChoices]) -> float:
    """Return the true difference that is found with this power: `power` solved for the difference."""
    from scipy.optimize import brentq

    study = _Study(sd, n, **design)
    _checked_power(target_power, study.alpha)
    top = (_CERTAIN + study.bound) * study.error

    def short(difference: float) -> float:
        return float(power(difference, sd, n, **design)) - target_power

    return float(brentq(short, 0.0, top, xtol=1e-9 * study.error)) if short(top) > 0 else top


def topics_needed(
    difference: float,
    sd: float,
    *,
    counting: float = 1.0,
    target_power: float | None = 0.8,
    paired: bool = False,
    sides: int = 1,
) -> int:
    """Return the smallest n with this power at this true difference, at .05.

    With `target_power` None, the smallest n at which this *observed* difference is significant, as the paper computes.
    `counting` is effective/n: the share of topics that counts where their weights differ.
    """
    if not difference > 0:
        raise SettingError(f"A difference of {difference:g}: choose one above 0, such as 0.05.")
    if not 0 < counting <= 1:
        raise SettingError(f"A share of {counting:g} of topics that counts: choose one above 0 and up to 1.")
    study = _Study(sd, 2)
    if target_power is not None:
        _checked_power(target_power, study.alpha)

    def enough(n: int) -> bool:
        worth = max(n * counting, 1.0)
        if target_power is None:
            return smallest_difference(sd, n, effective=worth, paired=paired, sides=sides) <= difference
        return float(power(difference, sd, n, effective=worth, paired=paired, sides=sides)) >= target_power

    low, high = 1, 2
    while not enough(high):
        low, high = high, high * 2
        if low > MOST_TOPICS:
            raise SettingError(
                f"A difference of {difference:g} needs more than {MOST_TOPICS:,} topics; choose a larger one."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _checked_power(target: float, alpha: float) -> None:
    if not alpha < target < 1:
        raise SettingError(f"A power of {target:g}: choose one between the level {alpha:g} and 1, such as 0.8.")


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """How much correlation within groups inflates the variance of a mean."""

    factor: float  # 1 + ρ(g − 1)
    group_size: float  # g = Σ m_k²/n
    effective: float  # n/factor: independent documents that give a mean as precise


def correlated_variance(variance: float, n: int, *, correlation: float, group_size: float) -> float:
    """Return (σ²/n)(1 + ρ(g − 1)), the variance of the mean of n errors of variance σ², correlated ρ in groups of g (Theorem 1)."""
    _check_sample(variance, n)
    return variance / n * (1 + correlation * (group_size - 1))


def observed_variance(variance: float, n: int, *, shared: int, correlation: float, group_size: float) -> float:
    """Return (σ²/n)(1 − c/n)(1 + ρ(g − 1)(1 − c/(n − 1))), the variance that samples of n sharing c instances show.

    This is in the proof of Theorem 3; with ρ = 0 it is Theorem 2.
    """
    _check_sample(variance, n, shared, minimum=2)
    return variance / n * (1 - shared / n) * (1 + correlation * (group_size - 1) * (1 - shared / (n - 1)))


def variance_shortfall(variance: float, n: int, *, shared: int, correlation: float, group_size: float) -> float:
    """Return Δ = (σ²/n)(c/n)(1 + ρ(g − 1)(1 + (n − c)/(n − 1))), the variance a t-test misses (Theorem 3).

    The bracket is the one the theorem's proof ends in, and equals Theorem 1's variance minus the observed one;
    the bracket in the theorem's statement does not.
    """
    _check_sample(variance, n, shared, minimum=2)
    inflation = correlation * (group_size - 1) * (1 + (n - shared) / (n - 1))
    return variance / n * (shared / n) * (1 + inflation)


def design_effect(sizes: ArrayLike, correlation: float) -> DesignEffect:
    """Return 1 + ρ(g − 1), the factor by which correlation in groups of these sizes inflates the variance of a mean.

    With unequal groups g = Σ m_k²/n, the size of the group a random document is in: the n² Var of the mean is
    σ²(n + ρ Σ m_k(m_k − 1)), so Theorem 1 of Neville et al. holds with this g and with no other (Kish 1965, §5.4).
    """
    m = np.asarray(sizes, dtype=np.float64)
    if m.ndim != 1 or len(m) == 0 or not (m > 0).all():
        raise SettingError("A group without documents; give the sizes of groups that have some.")
    total = float(m.sum())
    size = float((m**2).sum()) / total
    factor = 1 + correlation * (size - 1)
    return DesignEffect(factor, size, total / factor if factor > 0 else float("nan"))


def naive_type1(factor: float, *, alpha: float = 0.05) -> float:
    """Return 2Φ(−z_{α/2}/√factor), the Type I error of a test whose variance is `factor` times too small.

    Under the null its statistic is normal with variance `factor`, not 1.
    """
    from scipy.special import ndtr, ndtri

    if not 0 < alpha < 1:
        raise SettingError(f"A level of {alpha}; choose one between 0 and 1.")
    if not factor > 0:
        return float("nan") if np.isnan(factor) else 0.0
    return float(2 * ndtr(ndtri(alpha / 2) / np.sqrt(factor)))


def _check_sample(variance: float, n: int, shared: int = 0, *, minimum: int = 1) -> None:
    if not variance >= 0:
        raise SettingError(f"A variance of {variance}; it cannot be below 0.")
    if n < 1:
        raise SettingError(f"A sample of {n} instances; choose 1 or more.")
    if not 0 <= shared <= n:
        raise SettingError(f"{shared:,} shared instances in samples of {n:,}; choose from 0 to {n:,}.")
    if n < minimum:
        raise SettingError("A sample of one instance has no pair to be correlated; choose n of 2 or more.")
