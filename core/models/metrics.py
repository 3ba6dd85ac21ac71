"""How good answers are: PAN's verification metrics, and accuracy, precision, recall and F1 for attribution.

A value that the answers do not define is NaN, never 0.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats, Ints
from ..errors import InputError

UNANSWERED = 0.5


@dataclass(frozen=True, slots=True)
class VerificationScores:
    """PAN's metrics of one system on one set of problems; NaN where undefined, higher is better."""

    auc: float
    c_at_1: float
    f05u: float
    f1: float
    brier: float
    overall: float
    overall_with_brier: float

    def named(self) -> dict[str, float]:
        """Return the values under their names in METRICS."""
        return {name: float(getattr(self, metric.field)) for name, metric in METRICS.items()}


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric as a page or the command line names it, and its field in `VerificationScores`."""

    label: str
    about: str
    field: str


METRICS: dict[str, Metric] = {
    "auc": Metric("AUC", "Chance that a same-author pair scores above a different-author pair.", "auc"),
    "c@1": Metric("c@1", "Accuracy that credits unanswered problems with the accuracy of the answered.", "c_at_1"),
    "f_05_u": Metric("F0.5u", "F0.5 that counts unanswered problems as missed same-author pairs.", "f05u"),
    "F1": Metric("F1", "F1 of the same-author answers, over answered problems only.", "f1"),
    "brier": Metric("Brier", "One minus the mean squared error of the scores.", "brier"),
    "overall": Metric("Overall", "Mean of AUC, c@1, F0.5u and F1, as in PAN 2020.", "overall"),
    "overall_2021": Metric(
        "Overall 2021", "Mean of the five, Brier among them, as PAN has it since 2021.", "overall_with_brier"
    ),
}


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """Precision, recall and F1 of one author."""

    precision: float
    recall: float
    f1: float


def verification_scores(same: ArrayLike, scores: ArrayLike) -> VerificationScores:
    """Compute all of PAN's metrics; Overall is the mean of AUC, c@1, F0.5u and F1, and with Brier as a fifth (PAN 2020; 2021+)."""
    truth, values = checked_answers(same, scores)
    four = (_auc(truth, values), _c_at_1(truth, values), _f05u(truth, values), _f1(truth, values))
    fifth = _brier(truth, values)
    return VerificationScores(*four, fifth, sum(four) / 4, (sum(four) + fifth) / 5)


def answered_right(same: Bools, scores: Floats) -> Bools:
    """Return whether each problem was answered (a score of 0.5 is no answer) and the answer is right."""
    return np.asarray((scores != UNANSWERED) & ((scores > UNANSWERED) == same))


def accuracy(truth: Ints, predicted: Ints) -> float:
    """Return the share of documents given to their author, as codes; with one author per document micro F1 is the same."""
    _check_lengths(truth, predicted)
    return _ratio_or_nan(float((truth == predicted).sum()), len(truth))


def precision_recall(truth: Ints, predicted: Ints, *, positive: int) -> PrecisionRecall:
    """Compute for one author TP / (TP + FP), TP / (TP + FN) and 2·TP / (2·TP + FP + FN)."""
    _check_lengths(truth, predicted)
    real, said = truth == positive, predicted == positive
    hits, claimed, members = (float(which.sum()) for which in (real & said, said, real))
    return PrecisionRecall(
        _ratio_or_nan(hits, claimed), _ratio_or_nan(hits, members), _ratio_or_nan(2 * hits, claimed + members)
    )


def macro_f1(truth: Ints, predicted: Ints) -> float:
    """Return the mean F1 over the authors that are true or predicted somewhere; an author who is neither does not count."""
    _check_lengths(truth, predicted)
    named = np.bincount(np.concatenate([truth, predicted]))
    hits = np.bincount(truth[truth == predicted], minlength=len(named))
    return float(np.mean(2 * hits[named > 0] / named[named > 0])) if len(truth) else float("nan")


def checked_answers(same: ArrayLike, scores: ArrayLike) -> tuple[Bools, Floats]:
    """Return truth as booleans and scores as numbers in [0, 1], one row per problem; rows in messages count from 1."""
    truth = np.asarray(same)
    values = np.asarray(scores, dtype=np.float64)
    if truth.ndim != 1 or values.ndim != 1 or len(truth) != len(values):
        raise InputError(
            f"{truth.size:,} truths and {values.size:,} scores; give one list of each, with one score a problem."
        )
    outside = np.flatnonzero(~((values >= 0) & (values <= 1)))  # NaN is in no interval
    if len(outside):
        row = outside[0]
        if np.isnan(values[row]):
            raise InputError(f"row {row + 1}: the score is not a number; write 0.5 for a problem without an answer.")
        raise InputError(
            f"row {row + 1}: score {values[row]:g} is outside [0, 1]; scale all scores to that interval first."
        )
    if truth.dtype != np.bool_:
        strange = np.flatnonzero((truth != 0) & (truth != 1))
        if len(strange):
            row = strange[0]
            raise InputError(f"row {row + 1}: truth '{truth[row]}'; write 1 for one author and 0 for two.")
    return truth.astype(np.bool_), values


def _auc(truth: Bools, values: Floats) -> float:
    """Return P(score of a same-author pair > score of a different-author pair) + ½ P(equal); needs pairs of both kinds."""
    distinct, rank = np.unique(values, return_inverse=True)
    positive = np.bincount(rank[truth], minlength=len(distinct)).astype(np.float64)
    negative = np.bincount(rank[~truth], minlength=len(distinct)).astype(np.float64)
    below = np.cumsum(negative) - negative
    return _ratio_or_nan(float(positive @ (below + negative / 2)), float(positive.sum() * negative.sum()))


def _c_at_1(truth: Bools, values: Floats) -> float:
    """Return (n_c + n_u · n_c / n) / n, with n_c right and n_u unanswered of n problems (Peñas & Rodrigo 2011)."""
    unanswered = float((values == UNANSWERED).sum())
    right = float(answered_right(truth, values).sum())
    return _ratio_or_nan(right + _ratio_or_nan(unanswered * right, len(truth)), len(truth))


def _f05u(truth: Bools, values: Floats) -> float:
    """Return 1.25·TP / (1.25·TP + 0.25·(FN + U) + FP), U = all unanswered (Bevendorff et al. 2019)."""
    hits, misses, alarms = _decision_counts(truth, values)
    unanswered = float((values == UNANSWERED).sum())
    return _ratio_or_nan(1.25 * hits, 1.25 * hits + 0.25 * (misses + unanswered) + alarms)


def _f1(truth: Bools, values: Floats) -> float:
    """Return 2·TP / (2·TP + FP + FN) over answered problems; 0 where same-author problems exist and none was answered "same".

    That is PAN's rule: a system that answers nothing must not be left out of a mean for it.
    """
    hits, misses, alarms = _decision_counts(truth, values)
    return 0.0 if truth.any() and not hits else _ratio_or_nan(2 * hits, 2 * hits + misses + alarms)


def _brier(truth: Bools, values: Floats) -> float:
    """Return 1 − mean (score − truth)², so that higher is better (PAN 2021)."""
    return 1 - _ratio_or_nan(float(((values - truth) ** 2).sum()), len(truth))


def _decision_counts(truth: Bools, values: Floats) -> tuple[float, float, float]:
    """Count true positives, false negatives and false positives among the answered."""
    yes, no = values > UNANSWERED, values < UNANSWERED
    return float((truth & yes).sum()), float((truth & no).sum()), float((~truth & yes).sum())


def _ratio_or_nan(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")


def _check_lengths(truth: Ints, predicted: Ints) -> None:
    if len(truth) != len(predicted):
        raise InputError(
            f"{len(truth):,} true authors and {len(predicted):,} predicted; give one of each per document."
        )
