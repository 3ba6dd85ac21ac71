"""The weighted mean of scores over folds, its spread and its standard error."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.errors import SettingError

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class WeightedSummary:
    """Mean, unbiased variance, standard deviation and standard error of `n` values; NaN where n is too small."""

    n: int
    mean: float
    variance: float
    sd: float
    se: float


def weighted_summary(values: ArrayLike, weights: ArrayLike) -> WeightedSummary:
    """μ = Σ w_i x_i, σ² = Σ w_i (x_i − μ)² / (1 − Σ w_i²), SE = σ/√n, with w_i as shares (Schein et al. 2010).

    Undefined values (NaN) and values of weight 0 are left out and the other weights rescaled; n counts what is left.
    """
    x, w = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if x.ndim != 1 or x.shape != w.shape:
        raise SettingError(f"{x.size:,} values and {w.size:,} weights; give one weight a value.")
    if not (np.isfinite(w) & (w >= 0)).all():
        raise SettingError("A weight is negative or not a number; weights are counts of documents.")
    kept = ~np.isnan(x) & (w > 0)
    x, w = x[kept], w[kept]
    n = len(x)
    if n == 0:
        return WeightedSummary(0, _NAN, _NAN, _NAN, _NAN)
    w = w / w.sum()
    mean = float(w @ x)
    if n == 1:
        return WeightedSummary(1, mean, _NAN, _NAN, _NAN)
    # Σ w_i (1 − w_i) is 1 − Σ w_i² without the loss of digits when one weight is nearly all.
    variance = float(w @ (x - mean) ** 2) / float(w @ (1 - w))
    sd = float(np.sqrt(variance))
    return WeightedSummary(n, mean, variance, sd, sd / float(np.sqrt(n)))
