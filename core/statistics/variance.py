"""The variance of a mean error whose errors correlate in groups, and what overlapping samples show of it.

Theorems 1 to 3 are those of Neville et al. 2012.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import SettingError


@dataclass(frozen=True, slots=True)
class DesignEffect:
    """`factor` = 1 + ρ(g − 1) with g = Σ m_k²/n, and what n documents are worth: n / factor."""

    factor: float
    group_size: float
    effective: float


def correlated_variance(variance: float, n: int, *, correlation: float, group_size: float) -> float:
    """Var = (σ²/n)(1 + ρ(g − 1)): n errors of variance σ², correlated ρ inside groups of g (Theorem 1)."""
    _check_sample(variance, n)
    return variance / n * (1 + correlation * (group_size - 1))


def overlapping_variance(variance: float, n: int, *, shared: int) -> float:
    """Var = (σ²/n)(1 − c/n): what samples of n show of it when c instances are in all of them (Theorem 2)."""
    _check_sample(variance, n, shared)
    return variance / n * (1 - shared / n)


def observed_variance(variance: float, n: int, *, shared: int, correlation: float, group_size: float) -> float:
    """Var = (σ²/n)(1 − c/n)(1 + ρ(g − 1)(1 − c/(n − 1))): both at once (proof of Theorem 3)."""
    _check_sample(variance, n, shared, least=2)
    return variance / n * (1 - shared / n) * (1 + correlation * (group_size - 1) * (1 - shared / (n - 1)))


def variance_shortfall(variance: float, n: int, *, shared: int, correlation: float, group_size: float) -> float:
    """Δ = (σ²/n)(c/n)(1 + ρ(g − 1)(1 + (n − c)/(n − 1))): how much variance a t-test misses (Theorem 3).

    The bracket is the one the theorem's proof ends in, and equals Theorem 1's variance minus the observed one;
    the bracket in the theorem's statement does not.
    """
    _check_sample(variance, n, shared, least=2)
    inflation = correlation * (group_size - 1) * (1 + (n - shared) / (n - 1))
    return variance / n * (shared / n) * (1 + inflation)


def overlap_sentence(true: float, observed: float, *, shared: int, n: int) -> str:
    """How far the standard error that overlapping samples show is from the true one, from the two variances."""
    samples = f"Samples that share {shared:,} of {n:,} instances"
    if not observed > 0:
        return f"{samples} show no variance at all."
    ratio = float(np.sqrt(true / observed))
    if ratio < 1.05:
        return f"{samples} show the standard error nearly as it is."
    return f"{samples} show a standard error {ratio:.1f} times too small."


def design_effect(sizes: ArrayLike, correlation: float) -> DesignEffect:
    """By how much correlated errors in groups of these sizes inflate the variance of their mean: 1 + ρ(g − 1).

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
    """2Φ(−z_{α/2}/√factor): how often a test rejects that takes a variance for `factor` times smaller than it is.

    The statistic of such a test is normal with variance `factor` when nothing differs, not 1.
    """
    from scipy.special import ndtr, ndtri

    if not 0 < alpha < 1:
        raise SettingError(f"A level of {alpha}; choose one between 0 and 1.")
    if not factor > 0:
        return float("nan") if np.isnan(factor) else 0.0
    return float(2 * ndtr(ndtri(alpha / 2) / np.sqrt(factor)))


def _check_sample(variance: float, n: int, shared: int = 0, *, least: int = 1) -> None:
    if not variance >= 0:
        raise SettingError(f"A variance of {variance}; it cannot be below 0.")
    if n < 1:
        raise SettingError(f"A sample of {n} instances; choose 1 or more.")
    if not 0 <= shared <= n:
        raise SettingError(f"{shared:,} shared instances in samples of {n:,}; choose from 0 to {n:,}.")
    if n < least:
        raise SettingError("A sample of one instance has no pair to be correlated; choose n of 2 or more.")
