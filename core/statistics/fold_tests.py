"""Three two-sided tests of two classifiers' scores over folds, for many trials at once."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..errors import unknown

MOST_ENUMERATED = 13  # folds: up to here scipy.stats.wilcoxon counts every assignment of signs, ties or not
MOST_EXACT = 50  # folds: up to here it uses the exact distribution where no difference is zero and none tie
_DIGITS = 12  # scores are ratios of small counts: differences this close are one difference


def paired_t(a: Floats, b: Floats) -> Floats:
    """p of t = d̄/(s_d/√k), k − 1 degrees of freedom, row by row; NaN where the differences do not vary.

    A constant difference other than zero has t infinite; it is no evidence from a rounded, discrete score, so such
    rows have no p and are never counted as rejections.
    """
    d = _differences(a, b)
    k = d.shape[1]
    return _t_tail(d.mean(axis=1), d.var(axis=1, ddof=1) / k, k - 1, ~_varies(d))


def unpaired_t(a: Floats, b: Floats) -> Floats:
    """p of t = (ā − b̄)/√((s_a² + s_b²)/k), 2k − 2 degrees of freedom (pooled variance), row by row; NaN without variance."""
    k = a.shape[1]
    squared_error = (a.var(axis=1, ddof=1) + b.var(axis=1, ddof=1)) / k
    return _t_tail(a.mean(axis=1) - b.mean(axis=1), squared_error, 2 * k - 2, ~(_varies(a) | _varies(b)))


def wilcoxon(a: Floats, b: Floats) -> Floats:
    """p of the signed-rank sum W⁺, zero differences dropped, ties at mean ranks, row by row; NaN if all are zero.

    The law of W⁺ is chosen as scipy.stats.wilcoxon(method="auto") does: up to 13 folds every assignment of signs is
    counted; up to 50 the exact law where nothing is tied or zero; else the normal law with tie and continuity correction.
    """
    d = _differences(a, b)
    size = np.abs(d)
    kept = size > 0
    equal = (size[:, :, None] == size[:, None, :]) & kept[:, None, :]
    below = (size[:, :, None] > size[:, None, :]) & kept[:, None, :]
    ties = equal.sum(axis=2)
    ranks = np.where(kept, below.sum(axis=2) + (ties + 1) / 2, 0.0)
    positive = np.where(d > 0, ranks, 0.0).sum(axis=1)
    k, count = d.shape[1], kept.sum(axis=1)
    if k <= MOST_ENUMERATED:
        p = _enumerated(ranks, positive)
    else:
        p = _approximated(positive, count, np.where(kept, ties**2 - 1, 0).sum(axis=1))
        if k <= MOST_EXACT:
            exact = (count == k) & (ties == 1).all(axis=1)
            tails = _exact_tails(k)
            p[exact] = tails[positive[exact].astype(np.int64)]
    return np.where(count > 0, p, np.nan)


FOLD_TESTS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "paired": paired_t,
    "unpaired": unpaired_t,
    "wilcoxon": wilcoxon,
}
TEST_LABELS: Mapping[str, str] = {
    "paired": "paired t-test",
    "unpaired": "unpaired t-test",
    "wilcoxon": "Wilcoxon signed-rank test",
}


def checked_tests(names: Sequence[str]) -> tuple[str, ...]:
    """The names, if each is a test we have."""
    for name in names:
        if name not in FOLD_TESTS:
            raise unknown("test over folds", name, FOLD_TESTS)
    return tuple(names)


def _differences(a: Floats, b: Floats) -> Floats:
    return np.round(a - b, _DIGITS)


def _varies(values: Floats) -> NDArray[np.bool_]:
    return np.asarray(np.ptp(np.round(values, _DIGITS), axis=1) > 0)


def _t_tail(difference: Floats, squared_error: Floats, freedom: int, constant: NDArray[np.bool_]) -> Floats:
    from scipy.special import stdtr

    t = difference / np.sqrt(np.where(constant, 1.0, squared_error))
    return np.where(constant, np.nan, 2 * stdtr(freedom, -np.abs(t)))


def _enumerated(ranks: Floats, positive: Floats) -> Floats:
    """Both tails of W⁺ over all signs of these very ranks: doubled ranks are whole, so sums are counted one by one."""
    steps = np.round(2 * ranks).astype(np.int64)
    k = steps.shape[1]
    sums = np.arange(k * (k + 1) + 1)
    ways = np.zeros((len(steps), len(sums)))
    ways[:, 0] = 1.0
    for fold in range(k):
        source = sums[None, :] - steps[:, fold, None]
        ways += np.where(source >= 0, np.take_along_axis(ways, np.maximum(source, 0), axis=1), 0.0)
    place = np.round(2 * positive).astype(np.int64)[:, None]
    cumulated = np.cumsum(ways, axis=1)
    low = np.take_along_axis(cumulated, place, axis=1)[:, 0]
    high = cumulated[:, -1] - low + np.take_along_axis(ways, place, axis=1)[:, 0]
    return np.asarray(np.minimum(2 * np.minimum(low, high) / 2.0**k, 1.0))


def _approximated(positive: Floats, count: NDArray[np.int64], tied: NDArray[np.int64]) -> Floats:
    """z = (W⁺ − n(n+1)/4 ∓ ½)/s with s² = (n(n+1)(2n+1) − Σ(t³ − t)/2)/24; `tied` is Σ(t³ − t) over groups of ties."""
    from scipy.special import ndtr

    n = count.astype(np.float64)
    squared = (n * (n + 1) * (2 * n + 1) - tied / 2) / 24
    spread = np.sqrt(np.where(count > 0, squared, 1.0))
    z = (positive - n * (n + 1) / 4) / spread
    z -= np.sign(z) * 0.5 / spread
    return np.asarray(np.minimum(2 * ndtr(-np.abs(z)), 1.0))


@cache
def _exact_tails(k: int) -> Floats:
    """Two-sided p of every value of W⁺ for k distinct ranks: the number of subsets of 1 … k with that sum, over 2^k."""
    ways = np.zeros(k * (k + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, k + 1):
        ways[rank:] = ways[rank:] + ways[:-rank].copy()
    low = np.cumsum(ways) / 2.0**k
    return np.asarray(np.minimum(2 * np.minimum(low, low[::-1]), 1.0))
