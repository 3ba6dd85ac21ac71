"""How correlated errors and shared test instances bend the variance of a mean error (Neville et al. 2012, Theorems 1–3)."""

from core.errors import SettingError


def correlated_variance(variance: float, n: int, *, correlation: float, group_size: float) -> float:
    """Var = (σ²/n)(1 + ρ(g − 1)): n errors of variance σ², correlated ρ inside groups of g (Theorem 1)."""
    _check(variance, n)
    return variance / n * (1 + correlation * (group_size - 1))


def overlapping_variance(variance: float, n: int, *, shared: int) -> float:
    """Var = (σ²/n)(1 − c/n): what samples of n show of it when c instances are in all of them (Theorem 2)."""
    _check(variance, n, shared)
    return variance / n * (1 - shared / n)


def observed_variance(variance: float, n: int, *, shared: int, correlation: float, group_size: float) -> float:
    """Var = (σ²/n)(1 − c/n)(1 + ρ(g − 1)(1 − c/(n − 1))): both at once (proof of Theorem 3)."""
    _check(variance, n, shared)
    if n < 2:
        raise SettingError("A sample of one instance has no pair to be correlated; choose n of 2 or more.")
    return variance / n * (1 - shared / n) * (1 + correlation * (group_size - 1) * (1 - shared / (n - 1)))


def variance_shortfall(variance: float, n: int, *, shared: int, correlation: float, group_size: float) -> float:
    """Δ = (σ²/n)(c/n)(1 + ρ(g − 1)(1 + (n − c)/(n − 1))): how much variance a t-test misses (Theorem 3).

    The bracket is the one the theorem's proof ends in, and equals Theorem 1's variance minus the observed one;
    the bracket in the theorem's statement does not.
    """
    _check(variance, n, shared)
    if n < 2:
        raise SettingError("A sample of one instance has no pair to be correlated; choose n of 2 or more.")
    inflation = correlation * (group_size - 1) * (1 + (n - shared) / (n - 1))
    return variance / n * (shared / n) * (1 + inflation)


def _check(variance: float, n: int, shared: int = 0) -> None:
    if not variance >= 0:
        raise SettingError(f"A variance of {variance}; it cannot be below 0.")
    if n < 1:
        raise SettingError(f"A sample of {n} instances; choose 1 or more.")
    if not 0 <= shared <= n:
        raise SettingError(f"{shared:,} shared instances in samples of {n:,}; choose from 0 to {n:,}.")
