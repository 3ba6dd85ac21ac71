"""Does the corpus's own train/test split leak? By topics, by documents, word for word, and beside HITS."""

from core.split_audit.audit import HitsInstead, SplitAudit, TestTopic, audit_split
from core.split_audit.duplicates import NearDuplicates, near_duplicates
from core.split_audit.neighbours import Crossing, crossing

__all__ = [
    "Crossing",
    "HitsInstead",
    "NearDuplicates",
    "SplitAudit",
    "TestTopic",
    "audit_split",
    "crossing",
    "near_duplicates",
]
