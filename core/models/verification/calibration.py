"""From a verifier's raw scores to probabilities: the curve is fitted on the pairs held out from training, never on others.

By default a verifier answers as it is (p1/p2, or PPM's own logistic regression). To add a calibration: a function that
fits a curve, and a line in CALIBRATIONS.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Bools, Floats, Ints, canonical, record
from ...errors import unknown
from ...splits import Pairs
from ..contract import Documents, FittedVerifier, Verifier
from ..metrics import UNANSWERED, checked_answers

# Scores are drawn in by this much at either end before their log odds are taken: a cosine of 0 is common, and its odds are not
# finite. Drawn in and not cut, so that no two scores become one.
MARGIN = 1e-3
COLDEST, HOTTEST = 0.05, 100.0  # temperatures
LEAST_SLOPE = 1 / HOTTEST  # a curve never falls: a higher score is never a lower answer
_STEPS, _TOLERANCE = 100, 1e-10  # of Newton's method

Calibrate: TypeAlias = Callable[[Floats, Bools], "Curve"]


@runtime_checkable
class Uncalibrated(Protocol):
    """A fitted verifier that can be asked for its scores before any calibration."""

    def raw(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """Return how similar the two texts of each pair are, from 0 to 1."""

    @property
    def raw_notes(self) -> tuple[str, ...]:
        """Return what fitting chose before any calibration, a sentence each."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Answer = σ(slope·x + intercept), x the raw score or its log odds."""

    slope: float  # NaN where nothing could be fitted: scores stay as they are
    intercept: float
    of_odds: bool  # x is the log odds
    note: str  # what was fitted

    def __call__(self, scores: ArrayLike) -> Floats:
        """Return the answers; strictly rising in the scores, as far as numbers next to 0 and 1 differ at all."""
        values = np.asarray(scores, dtype=np.float64)
        if np.isnan(self.slope):
            return values
        return sigmoid(self.slope * (log_odds(values) if self.of_odds else values) + self.intercept)


def fit_temperature(scores: Floats, same: Bools) -> Curve:
    """Fit σ(logit(s)/T), the T from 0.05 to 100 with the highest likelihood on these pairs (Guo et al. 2017).

    There is no intercept: a score of ½ stays ½, so that no answer changes sides. 1/T is where the slope of the log
    likelihood, which only falls, crosses 0.
    """
    odds = log_odds(scores)

    def excess(sharpness: float) -> float:
        return float(((sigmoid(sharpness * odds) - same) * odds).sum())

    low, high = 1 / HOTTEST, 1 / COLDEST
    if excess(low) >= 0:
        sharpness, edge = low, " (the highest there is: held-out pairs do not bear these scores out)"
    elif excess(high) <= 0:
        sharpness, edge = high, " (the lowest there is)"
    else:
        from scipy.optimize import brentq

        sharpness, edge = brentq(excess, low, high, xtol=1e-12, rtol=1e-12), ""
    note = f"Temperature {1 / sharpness:.3g}{edge}, from {len(same):,} held-out pairs."
    return Curve(sharpness, 0.0, True, note)


def fit_platt(scores: Floats, same: Bools) -> Curve:
    """Fit σ(a·s + b) with the highest likelihood of Platt's smoothed targets: (n₁ + 1)/(n₁ + 2) for one author and 1/(n₀ + 2)
    for two, of n₁ and n₀ pairs (Platt 1999). Where a would be below 0.01 it is 0.01, and b fits it."""
    ones = int(same.sum())
    targets = np.where(same, (ones + 1) / (ones + 2), 1 / (len(same) - ones + 2))
    slope, intercept = _logistic(scores, targets)
    edge = ""
    if slope < LEAST_SLOPE:
        slope, edge = LEAST_SLOPE, " (the least there is: held-out pairs do not bear these scores out)"
        intercept = _logistic(scores, targets, slope=slope)[1]
    note = f"Platt's curve a = {slope:.3g}{edge}, b = {intercept:.3g}, from {len(same):,} held-out pairs."
    return Curve(slope, intercept, False, note)


def fitted_curve(calibration: str, scores: ArrayLike, same: ArrayLike) -> Curve:
    """Fit the curve to these pairs; pairs of one kind give none, and its note reports that."""
    kind = CALIBRATIONS[calibration]
    assert kind.fit is not None
    truth, values = checked_answers(same, scores)
    if truth.all() or not truth.any():
        why = f"The pairs held out are all of one kind, so no curve ({kind.label}) could be fitted; scores stay as they are."
        return Curve(np.nan, 0.0, False, why)
    return kind.fit(values, truth)


def sigmoid(values: Floats) -> Floats:
    """Return 1 / (1 + exp(−x)), without overflow."""
    small = np.exp(-np.abs(values))
    return np.where(values >= 0, 1 / (1 + small), small / (1 + small))


def log_odds(scores: Floats) -> Floats:
    """Return log(s / (1 − s)) of scores moved inwards by MARGIN at both ends."""
    inside = MARGIN + (1 - 2 * MARGIN) * scores
    return np.log(inside / (1 - inside))


def _logistic(scores: Floats, targets: Floats, slope: float | None = None) -> tuple[float, float]:
    """Return the maximum-likelihood slope and intercept, by Newton's method with halved steps; a given slope stays."""
    centre, scale = scores.mean(), scores.std()
    scale = scale if scale > 0 else 1.0  # all equal: any slope will do, and none is needed
    x = (scores - centre) / scale
    free = slope is None
    at = np.array([0.0 if slope is None else slope * scale, 0.0])

    def loss(point: Floats) -> float:
        odds = point[0] * x + point[1]
        return float((np.logaddexp(0.0, odds) - targets * odds).sum())

    for _ in range(_STEPS):
        chance = sigmoid(at[0] * x + at[1])
        wrong, weight = chance - targets, chance * (1 - chance)
        gradient = np.array([(wrong * x).sum() if free else 0.0, wrong.sum()])
        across = (weight * x).sum() if free else 0.0
        curvature = np.array([[(weight * x * x).sum() if free else 1.0, across], [across, weight.sum()]])
        step = np.linalg.solve(curvature + 1e-12 * np.eye(2), gradient)
        size = 1.0
        while loss(at - size * step) > loss(at) and size > _TOLERANCE:
            size /= 2
        at = at - size * step
        if np.abs(size * step).max() < _TOLERANCE:
            break
    return float(at[0] / scale), float(at[1] - at[0] * centre / scale)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A verifier whose raw scores go through a curve of the calibration `kind`."""

    verifier: Verifier
    kind: str

    @property
    def name(self) -> str:
        """Return the verifier's own name: a calibration makes no other model."""
        return self.verifier.name

    def key(self) -> str:
        return canonical("calibrated", 1, kind=self.kind, verifier=self.verifier.key())

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> "FittedCalibrated":
        """Fit the verifier as ever, and the curve on the raw scores of `held`."""
        fitted = self.verifier.fit(documents, pairs, held=held, seed=seed)
        raw = _raw(fitted, documents, held.first, held.second)
        asked = _answered_pairs(fitted, raw)
        curve = fitted_curve(self.kind, raw[asked], held.same[asked])
        notes = fitted.raw_notes if isinstance(fitted, Uncalibrated) else fitted.notes
        return FittedCalibrated(fitted, curve, (*notes, curve.note))


@record
class FittedCalibrated:
    """A fitted verifier and the curve its raw scores go through."""

    fitted: FittedVerifier
    curve: Curve
    notes: tuple[str, ...]

    def score(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """Answer every pair, except those that a verifier without raw scores declines."""
        raw = _raw(self.fitted, documents, first, second)
        return np.where(_answered_pairs(self.fitted, raw), self.curve(raw), UNANSWERED)


def _raw(fitted: FittedVerifier, documents: Documents, first: Ints, second: Ints) -> Floats:
    """Return raw scores, or the answers of a verifier that has none."""
    if isinstance(fitted, Uncalibrated):
        return fitted.raw(documents, first, second)
    return fitted.score(documents, first, second)


def _answered_pairs(fitted: FittedVerifier, raw: Floats) -> Bools:
    """Return which scores the curve is for: an answer of exactly ½ is none, a raw score of ½ is one like any other."""
    return np.ones(len(raw), dtype=bool) if isinstance(fitted, Uncalibrated) else raw != UNANSWERED


@dataclass(frozen=True, slots=True)
class CalibrationKind:
    """One choice of calibration, as a page or the command line offers it; without `fit` a verifier answers as it is."""

    label: str
    about: str
    fit: Calibrate | None = None


OWN = "thresholds"
CALIBRATIONS: dict[str, CalibrationKind] = {
    OWN: CalibrationKind(
        "p1/p2",
        "As in the paper: two thresholds on the cosine, and no answer between them; PPM keeps its logistic regression.",
    ),
    "temperature": CalibrationKind(
        "Temperature", "The log odds of the score divided by one number: no answer changes sides.", fit_temperature
    ),
    "platt": CalibrationKind(
        "Platt", "A logistic curve through the scores: where two authors end and one begins is learned.", fit_platt
    ),
}


def calibrated(verifier: Verifier, calibration: str) -> Verifier | Calibrated:
    """Return the verifier with answers of this calibration."""
    if calibration not in CALIBRATIONS:
        raise unknown("calibration", calibration, CALIBRATIONS)
    return verifier if CALIBRATIONS[calibration].fit is None else Calibrated(verifier, calibration)
