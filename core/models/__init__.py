"""What every model offers, how good answers are, calibration and masking."""

from .calibration import GRID, ROUNDING, Thresholds, apply, calibrate
from .contract import Documents, Verifier
from .metrics import METRICS, UNANSWERED, accuracy, macro_f1, precision_recall, verification_scores

__all__ = [
    "GRID",
    "METRICS",
    "ROUNDING",
    "UNANSWERED",
    "Documents",
    "Thresholds",
    "Verifier",
    "accuracy",
    "apply",
    "calibrate",
    "macro_f1",
    "precision_recall",
    "verification_scores",
]
