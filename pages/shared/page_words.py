"""Which words of the glossary each page uses: they stand one tap from its title."""

from pages.shared.glossary import (
    BEST,
    COMPARED,
    HITS_,
    HOLDS,
    LESSON,
    RANKS,
    SCORES,
    SHORTCUT,
    SPACE,
    SPLIT,
    TRUST,
    VERDICT,
    listed,
)

# The words that the page with this section of the methods uses in any of its states, in the order in which they help.
USED: dict[str, tuple[str, ...]] = {
    HOLDS: ("near duplicate",),
    VERDICT: ("leakage", "near twin", "fold", "corrected similarity", "HITS"),
    SPACE: ("centroid", "corrected similarity", "near twin", "leakage", "reliability"),
    HITS_: ("HITS", "m", "path", "near twin", "corrected similarity", "fold", "stability"),
    BEST: (
        *("leakage", "near twin", "fold", "HITS", "m", "least maximum", "least-leakage folds", "corrected similarity"),
        *("exposure", "effective topics"),
    ),
    SPLIT: ("leakage", "near twin", "near duplicate", "what crosses", "HITS", "corrected similarity"),
    SCORES: (
        *("near twin", "fold", "exposure", "swap", "sign test", "TopicFit", "HITS", "m", "leakage", "least maximum"),
        *("least-leakage folds", "ρ", "gap", "topic oracle", "c@1", "F0.5u", "AUC", "corrected similarity"),
    ),
    RANKS: ("HITS", "m", "fold", "stability", "ρ", "TopicFit", "corrected similarity"),
    SHORTCUT: (
        *("RAVEN", "HITS", "m", "fold", "leakage", "TopicFit", "gap", "topic oracle", "least maximum", "c@1", "F0.5u"),
        *("AUC", "ρ", "corrected similarity"),
    ),
    COMPARED: (
        *("», > and ~", "sign test", "power", "fold", "effective topics", "HITS", "m", "leakage", "least maximum"),
        *("least-leakage folds", "TopicFit", "corrected similarity"),
    ),
    TRUST: (
        *("φ", "design effect", "Type I error", "power", "fold", "HITS", "m", "leakage", "least maximum"),
        *("least-leakage folds", "TopicFit", "corrected similarity"),
    ),
    LESSON: (
        *("centroid", "corrected similarity", "near twin", "leakage", "fold", "HITS", "m", "path", "TopicFit", "swap"),
        *("exposure", "sign test"),
    ),
}


def used_by(section: str) -> str:
    """The words that the page of a section uses, each with its meaning, as markdown; nothing where it uses none."""
    return listed(USED.get(section, ()))
