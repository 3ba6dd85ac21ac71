"""The glossary: a definition of each term, its section of the methods, and the pattern that recognises it on a page.

Methods lists all terms; a page lists those it uses beside its title.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the glossary."""

    name: str
    meaning: str  # one sentence
    section: str  # of docs/methods.md
    spelled: str  # a pattern that finds it in a text

    def stands_in(self, text: str) -> bool:
        """Return whether a text uses the term."""
        return re.search(self.spelled, text, flags=re.IGNORECASE) is not None


SPACE, VERDICT, HITS_, SCORES = (
    "Topics in a vector space",
    "Near twins and the verdict",
    "HITS",
    "Folds, models and scores",
)
RANKS, SHORTCUT, SPLIT, COMPARED = (
    "Ranking and its stability",
    "The topic shortcut test",
    "A split of your own",
    "Comparing two systems",
)
TRUST, BEST, LESSON, HOLDS, CURVE = (
    "How far to trust a comparison",
    "The best split possible",
    "What the lesson asks",
    "What a corpus holds",
    "The leakage curve",
)

TERMS: dict[str, Term] = {
    term.name: term
    for term in (
        Term("centroid", "The mean of the vectors of a topic's documents.", SPACE, r"\bcentroid"),
        Term(
            "corrected similarity",
            "The similarity of documents from two topics relative to the similarity within each, so that small "
            "topics do not look distinct.",
            SPACE,
            r"corrected (similarity|for topic size)",
        ),
        Term(
            "reliability",
            "The share of a topic's centroid that is signal; below 0.5 it is mostly noise.",
            SPACE,
            r"\breliability\b",
        ),
        Term(
            "leakage",
            "What a model knows about a test topic because a similar topic was in training, measured in HITS as "
            "mean times maximum similarity.",
            SPACE,
            r"\bleak(s|age|ing)?\b",
        ),
        Term(
            "near twin",
            "One of two topics so similar that one gives the other away: closer to being one topic than to being "
            "a typical pair.",
            VERDICT,
            r"\bnear twin",
        ),
        Term(
            "fold",
            "One of k parts of the data, tested once while the others are used for training.",
            SCORES,
            r"\bfolds?\b",
        ),
        Term(
            "HITS",
            "Heterogeneity-Informed Topic Sampling, which keeps topics that are unlike each other, the most "
            "distinct first.",
            HITS_,
            r"\bHITS\b",
        ),
        Term("m", "The number of topics a sampler keeps.", HITS_, r"\(m\)|\*m\*|\bm = "),
        Term("path", "The topics in the order in which HITS selects them; the first m are kept.", HITS_, r"\bpath\b"),
        Term(
            "minimax",
            "The sample of m topics whose most similar pair has the lowest possible similarity.",
            BEST,
            r"minimax",
        ),
        Term(
            "least-leakage folds",
            "Folds that keep every document and put similar topics in the same fold.",
            BEST,
            r"least[- ]leakage",
        ),
        Term(
            "gap",
            "How much more often same-author pairs share a topic than different-author pairs do (0 for matched pairs).",
            SCORES,
            r"\bgap\b",
        ),
        Term(
            "topic oracle",
            "A classifier of pairs that sees only their topics and knows the answers, which gives the highest "
            "score topic alone can reach.",
            SCORES,
            r"topic oracle",
        ),
        Term(
            "c@1",
            "Accuracy that gives each unanswered question partial credit equal to the share of correct answers.",
            SCORES,
            r"c@1",
        ),
        Term(
            "F0.5u",
            "A score for same-author decisions that penalises false alarms more than misses and counts unanswered "
            "questions as misses.",
            SCORES,
            r"F0\.5u",
        ),
        Term(
            "AUC",
            "The probability that a same-author pair scores higher than a different-author pair; 0.5 is chance.",
            SCORES,
            r"\bAUC\b",
        ),
        Term(
            "TopicFit",
            "A control model that does not see the most frequent words, so it relies mostly on topic.",
            SCORES,
            r"TopicFit",
        ),
        Term(
            "ρ",
            "Spearman's rank correlation, from −1 to 1, which shows whether two quantities rise together.",
            SCORES,
            r"ρ",
        ),
        Term(
            "exposure",
            "How similar a test topic's nearest training topics are to it.",
            SCORES,
            r"\bexpos(ure|ed)|nearest training topic",
        ),
        Term(
            "stability",
            "The mean rank correlation between folds, which shows how far they agree on the order of the models.",
            RANKS,
            r"\bstab(ility|le)\b",
        ),
        Term(
            "RAVEN",
            "A benchmark made from one corpus that compares topics kept by HITS with random samples of the same size.",
            SHORTCUT,
            r"\bRAVEN\b|\bbenchmark\b",
        ),
        Term(
            "what crosses",
            "The share of a test document's similarity to its nearest neighbours that comes from training documents.",
            SPLIT,
            r"\bcross(es|ing)\b",
        ),
        Term(
            "near duplicate",
            "A text that shares at least half of its three-word sequences with another.",
            SPLIT,
            r"near duplicate",
        ),
        Term(
            "», > and ~",
            "» means A is better at p ≤ .01, > at p ≤ .05, ~ not significant; « and < mean the same for B.",
            COMPARED,
            r"»|A &gt; B|A > B|A ~ B| ~ ",
        ),
        Term(
            "sign test",
            "A test that counts the topics on which one model is ahead and asks how often a fair coin would split "
            "this unevenly.",
            COMPARED,
            r"\bsign test",
        ),
        Term(
            "power",
            "The probability that a test finds a difference that exists.",
            COMPARED,
            r"\bpower\b",
        ),
        Term(
            "effective topics",
            "The number of topics of equal size that would give a weighted mean the same precision.",
            COMPARED,
            r"effective (number of )?topics|count as \d",
        ),
        Term(
            "φ",
            "The correlation of two models' differences within a topic, which is 0 if documents are independent.",
            TRUST,
            r"φ",
        ),
        Term(
            "design effect",
            "The factor by which variance grows because documents of one topic are right or wrong together.",
            TRUST,
            r"design effect|effective (documents|questions)",
        ),
        Term(
            "Type I error",
            "Reporting a difference between two equally good models, which should happen in 5% of comparisons at "
            "p ≤ .05.",
            TRUST,
            r"Type I\b",
        ),
    )
}


def listed(names: Iterable[str]) -> str:
    """Return terms with their meanings as a markdown list."""
    return "\n".join(f"- **{_literal(name)}**: {TERMS[name].meaning}" for name in names)


def _literal(name: str) -> str:
    """Return a term with its markdown characters escaped."""
    return re.sub(r"([~>*_])", r"\\\1", name)


# The terms that the page of a section uses in any of its states, the most helpful first.
USED: dict[str, tuple[str, ...]] = {
    HOLDS: ("near duplicate",),
    VERDICT: ("leakage", "near twin", "fold", "centroid", "corrected similarity", "HITS"),
    SPACE: ("centroid", "corrected similarity", "near twin", "leakage", "reliability"),
    HITS_: ("HITS", "m", "path", "near twin", "corrected similarity", "fold", "stability"),
    BEST: (
        *("leakage", "near twin", "fold", "HITS", "m", "minimax", "least-leakage folds", "corrected similarity"),
        *("exposure", "power"),
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


OF_PAIRS = ("gap", "topic oracle", "c@1", "F0.5u", "AUC")  # verification, which needs authors


def used_by(section: str, *, authors: bool = True) -> str:
    """Return the terms of a section's page with their meanings as markdown, or "" if it uses none.

    Where models do not predict `authors`, those of pairs of texts are left out.
    """
    return listed(name for name in USED.get(section, ()) if authors or name not in OF_PAIRS)
