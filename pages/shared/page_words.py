"""Which glossary terms each page uses; a page lists them beside its title."""

from pages.shared.glossary import (
    BEST,
    COMPARED,
    CURVE,
    HITS_,
    HOLDS,
    LESSON,
    RANKS,
    SHORTCUT,
    SPACE,
    SPLIT,
    TRUST,
    VERDICT,
    listed,
)

# The terms that the page of a section uses in any of its states, the most helpful first.
USED: dict[str, tuple[str, ...]] = {
    HOLDS: ("near duplicate",),
    VERDICT: ("leakage", "near twin", "fold", "corrected similarity", "HITS"),
    SPACE: ("centroid", "corrected similarity", "near twin", "leakage", "reliability"),
    HITS_: ("HITS", "m", "path", "near twin", "corrected similarity", "fold", "stability"),
    BEST: (
        *("leakage", "near twin", "fold", "HITS", "m", "minimax", "least-leakage folds", "corrected similarity"),
        *("exposure", "effective topics", "power"),
    ),
    SPLIT: (
        "leakage",
        "near twin",
        "near duplicate",
        "what crosses",
        "fold",
        "least-leakage folds",
        "HITS",
        "corrected similarity",
    ),
    CURVE: (
        *("near twin", "fold", "exposure", "TopicFit", "HITS", "m", "leakage", "minimax"),
        *("least-leakage folds", "ρ", "gap", "topic oracle", "c@1", "F0.5u", "AUC", "power", "corrected similarity"),
    ),
    RANKS: ("HITS", "m", "fold", "stability", "ρ", "TopicFit", "corrected similarity"),
    SHORTCUT: (
        *("RAVEN", "HITS", "m", "fold", "leakage", "TopicFit", "gap", "topic oracle", "minimax", "c@1", "F0.5u"),
        *("AUC", "ρ", "corrected similarity"),
    ),
    COMPARED: (
        *("», > and ~", "sign test", "power", "fold", "effective topics", "HITS", "m", "leakage", "minimax"),
        *("least-leakage folds", "TopicFit", "corrected similarity"),
    ),
    TRUST: (
        *("φ", "design effect", "Type I error", "power", "fold", "HITS", "m", "leakage", "minimax"),
        *("least-leakage folds", "TopicFit", "corrected similarity"),
    ),
    LESSON: (
        *("centroid", "corrected similarity", "near twin", "leakage", "fold", "HITS", "m", "path", "TopicFit"),
        *("exposure", "sign test"),
    ),
}


def used_by(section: str) -> str:
    """Return the terms of a section's page with their meanings as markdown, or "" if it uses none."""
    return listed(USED.get(section, ()))
