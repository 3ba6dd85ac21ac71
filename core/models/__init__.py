"""What every model offers, how good answers are, calibration and masking."""

from .calibration import GRID, ROUNDING, Thresholds, apply_thresholds, choose_thresholds
from .contract import Documents, ModelKind, Verifier
from .metrics import (
    METRICS,
    UNANSWERED,
    accuracy,
    answered_right,
    macro_f1,
    precision_recall,
    verification_scores,
)
