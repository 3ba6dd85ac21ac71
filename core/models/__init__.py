"""What every model offers, how good answers are, and masking."""

from .contract import Classifier, Documents, ModelKind, Size, setting_variable
from .metrics import (
    METRICS,
    UNANSWERED,
    accuracy,
    answered_right,
    checked_answers,
    macro_f1,
    precision_recall,
    verification_scores,
)
from .vocabulary import TermCounts, words
