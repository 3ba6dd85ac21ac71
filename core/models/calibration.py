"""From similarities to answers: two thresholds, between which a verifier declines to answer."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from .metrics import UNANSWERED, checked_answers

GRID = np.arange(1, 99) / 100
# Overalls this close are one overall: they are sums of the same fractions, and the first thresholds must win the tie.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Scores up to `p1` mean two authors, from `p2` on one; `overall` is what they reach on the pairs they were
    chosen on (NaN where nothing could be chosen, and `note` says why)."""

    p1: float
    p2: float
    overall: float
    note: str = ""


# With these two the transform changes no score outside the band: 0.49·s/0.49 = s and 0.51 + 0.49·(s − 0.51)/0.49 = s.
NEUTRAL = (0.49, 0.51)


def choose_thresholds(scores: ArrayLike, same: ArrayLike) -> Thresholds:
    """The p1 < p2 from {0.01, …, 0.98} with the highest Overall after `apply_thresholds`; ties go to the lowest p1, then p2.

    The transform keeps the order of scores outside the band and makes those inside it equal, so all four metrics of
    all 4,753 choices follow from cumulative counts at the 98 thresholds (HITS §5.2 gives the transform).
    """
    truth, values = checked_answers(same, scores)
    if truth.all() or not truth.any():
        why = "The pairs held out are all of one kind, so no thresholds could be chosen; scores stay as they are."
        return Thresholds(*NEUTRAL, float("nan"), why)
    overall = _overall(np.sort(values[truth]), np.sort(values[~truth]))
    first, second = np.triu_indices(len(GRID), k=1)  # row by row: in order of p1, then p2
    reached = overall[first, second]
    best = int(np.argmax(reached >= np.nanmax(reached) - ROUNDING))
    return Thresholds(float(GRID[first[best]]), float(GRID[second[best]]), float(reached[best]))


def apply_thresholds(scores: ArrayLike, thresholds: Thresholds) -> Floats:
    """s ≤ p1 → 0.49·s/p1; p1 < s < p2 → 0.5; s ≥ p2 → 0.51 + 0.49·(s − p2)/(1 − p2) (HITS §5.2)."""
    values = np.asarray(scores, dtype=np.float64)
    p1, p2 = thresholds.p1, thresholds.p2
    low, high = 0.49 * values / p1, 0.51 + 0.49 * (values - p2) / (1 - p2)
    return np.where(values <= p1, low, np.where(values >= p2, high, UNANSWERED))


def _overall(positive: Floats, negative: Floats) -> Floats:
    """Overall for p1 = GRID[row] and p2 = GRID[column] from the sorted scores of each kind; of use where p1 < p2."""
    positives, negatives = len(positive), len(negative)
    # How often each positive beats a negative, ties as half, summed up along the sorted positives.
    wins = (negative.searchsorted(positive, "left") + negative.searchsorted(positive, "right")) / 2
    won = np.concatenate([[0.0], np.cumsum(wins)])
    low_positive, low_negative = (kind.searchsorted(GRID, "right")[:, None] for kind in (positive, negative))
    below_positive, below_negative = (kind.searchsorted(GRID, "left")[None, :] for kind in (positive, negative))
    band_positive, band_negative = below_positive - low_positive, below_negative - low_negative
    # Inside the band every win becomes half a win, so take out what the band's positives win there and put the half in.
    won_inside = won[below_positive] - won[low_positive] - band_positive * low_negative
    auc = (won[-1] - won_inside + band_positive * band_negative / 2) / (positives * negatives)

    count = positives + negatives
    hits, misses, alarms = positives - below_positive, low_positive, negatives - below_negative
    right, unanswered = hits + low_negative, band_positive + band_negative
    c_at_1 = (right + unanswered * right / count) / count
    with np.errstate(invalid="ignore"):  # 0/0 where no positive is answered yes or no, nor a negative yes: undefined
        f05u = 1.25 * hits / (1.25 * hits + 0.25 * (misses + unanswered) + alarms)
        f1 = 2 * hits / (2 * hits + misses + alarms)
    overall: Floats = (auc + c_at_1 + f05u + f1) / 4
    return overall
