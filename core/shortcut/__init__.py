"""The topic shortcut test: who scores differently where topics are heterogeneous, and whose scores follow topic."""

from core.shortcut.asked import Asked, System, asked_of, from_evaluations
from core.shortcut.reading import AnswerSheet, answer_sheet, read_system, read_systems
from core.shortcut.result import Reading, ShortcutTest, shortcut_test
from core.shortcut.topical import KINDS, QUARTILES, Reliance, TopicalReliance, topical_reliance

__all__ = [
    "KINDS",
    "QUARTILES",
    "AnswerSheet",
    "Asked",
    "Reading",
    "Reliance",
    "ShortcutTest",
    "System",
    "TopicalReliance",
    "answer_sheet",
    "asked_of",
    "from_evaluations",
    "read_system",
    "read_systems",
    "shortcut_test",
    "topical_reliance",
]
