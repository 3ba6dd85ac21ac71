"""The words of the field: a definition each, where they are explained in full, and how they are recognised.

All of them stand on Methods; `page_words` says which a page shows.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A word, what it means in a sentence or two, the section of docs/methods.md on it, and how it is spelled."""

    name: str
    meaning: str
    section: str
    spelled: str

    def stands_in(self, text: str) -> bool:
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
TRUST, BUYS, BEST, LESSON, HOLDS = (
    "How far to trust a comparison",
    "What a near twin in training buys",
    "The best split possible",
    "What the lesson asks",
    "What a corpus holds",
)

TERMS: dict[str, Term] = {
    term.name: term
    for term in (
        Term(
            "centroid", "The mean of the vectors of a topic's documents: the topic as one point.", SPACE, r"\bcentroid"
        ),
        Term(
            "corrected similarity",
            "How alike documents of two topics are, relative to how alike they are within each; it does not fall when topics "
            "are small, as the plain cosine of centroids does.",
            SPACE,
            r"corrected (similarity|for topic size)",
        ),
        Term(
            "reliability",
            "The share of a topic's centroid that is signal and not noise of few documents; below one half it is mostly noise.",
            SPACE,
            r"\breliability\b",
        ),
        Term(
            "leakage",
            "What a model can know of a test topic because something like it was in training. As HITS's number: the mean of a "
            "topic's similarities to others times the largest of them.",
            SPACE,
            r"\bleak(s|age|ing)?\b",
        ),
        Term(
            "near twin",
            "One of two topics that are nearer to being one topic than to being a typical pair of this corpus.",
            VERDICT,
            r"\bnear twin",
        ),
        Term(
            "fold",
            "One part of the topics (or documents): it is tested once, while the other parts train. There are k of them.",
            SCORES,
            r"\bfolds?\b",
        ),
        Term(
            "HITS",
            "Heterogeneity-Informed Topic Sampling: keeps topics that are unlike each other, the most distinct one first.",
            HITS_,
            r"\bHITS\b",
        ),
        Term("m", "How many topics a sampler keeps.", HITS_, r"\(m\)|\*m\*|\bm = "),
        Term(
            "path", "Topics in the order in which HITS takes them; its first m are what it keeps.", HITS_, r"\bpath\b"
        ),
        Term(
            "least maximum",
            "Of all samples of m topics the one whose closest pair is least alike.",
            BEST,
            r"least maximum",
        ),
        Term(
            "least-leakage folds",
            "Folds that keep every document and put alike topics into the same part, so that none is tested against another.",
            BEST,
            r"least[- ]leakage",
        ),
        Term(
            "gap",
            "How much more often pairs by one author share a topic than pairs by two: what topic alone could tell. 0 for "
            "matched pairs.",
            SCORES,
            r"\bgap\b",
        ),
        Term(
            "topic oracle",
            "A judge of pairs who knows only their topics and has seen the answers: the most that topic alone could score.",
            SCORES,
            r"topic oracle",
        ),
        Term(
            "c@1",
            "Accuracy that gives an unanswered question the share of right answers among all: saying nothing is better than "
            "saying something wrong.",
            SCORES,
            r"c@1",
        ),
        Term(
            "F0.5u",
            "A score for same-author decisions that weighs false alarms more than misses, and an open answer as a miss.",
            SCORES,
            r"F0\.5u",
        ),
        Term(
            "AUC",
            "The probability that a same-author pair gets a higher score than a different-author pair; one half is chance.",
            SCORES,
            r"\bAUC\b",
        ),
        Term(
            "TopicFit",
            "A model from which the most frequent words are hidden: it reads mostly topic, and serves as a control.",
            SCORES,
            r"TopicFit",
        ),
        Term(
            "ρ",
            "Spearman's rank correlation, from −1 to 1: whether two things rise together, whatever their scales.",
            SCORES,
            r"ρ",
        ),
        Term(
            "exposure",
            "How alike a test topic's nearest training topics are to it.",
            SCORES,
            r"\bexpos(ure|ed)|nearest training topic",
        ),
        Term(
            "stability",
            "How far folds agree on the order of the models: the mean rank correlation of all pairs of folds.",
            RANKS,
            r"\bstab(ility|le)\b",
        ),
        Term(
            "swap",
            "The same test topic with its nearest topic in training, and with texts by the same authors on strange topics in its "
            "place: what the twin alone buys.",
            BUYS,
            r"\bswap(ped)?\b",
        ),
        Term(
            "RAVEN",
            "A benchmark of one corpus: topics that HITS keeps beside random samples of as many, in folds with pairs.",
            SHORTCUT,
            r"\bRAVEN\b|\bbenchmark\b",
        ),
        Term(
            "what crosses",
            "Of a test document's similarity to its nearest documents, the share that lies in training.",
            SPLIT,
            r"\bcross(es|ing)\b",
        ),
        Term(
            "near duplicate",
            "A text that shares at least half of its sequences of three words with another.",
            SPLIT,
            r"near duplicate",
        ),
        Term(
            "», > and ~",
            "A » B: A is better at p ≤ .01; A > B at p ≤ .05; A ~ B: cannot be told apart. « and < are the same for B.",
            COMPARED,
            r"»|A &gt; B|A > B|A ~ B| ~ ",
        ),
        Term(
            "sign test",
            "Counts on how many topics one model is ahead, and asks how often a fair coin would part so far.",
            COMPARED,
            r"\bsign test",
        ),
        Term(
            "power",
            "How often a test finds a difference that is there.",
            COMPARED,
            r"\bpower\b",
        ),
        Term(
            "effective topics",
            "As how many topics of equal size unequal ones count: few large topics decide a weighted mean.",
            COMPARED,
            r"effective (number of )?topics|count as \d",
        ),
        Term(
            "φ",
            "How far two models' differences go together within a topic: 0 where documents are independent.",
            TRUST,
            r"φ",
        ),
        Term(
            "design effect",
            "By how much the variance grows because documents of one topic are right or wrong together; documents divided by it "
            "are the effective ones.",
            TRUST,
            r"design effect|effective (documents|questions)",
        ),
        Term(
            "Type I error",
            "Calling two equal models different; at p ≤ .05 it should happen in one of twenty comparisons.",
            TRUST,
            r"Type I\b",
        ),
    )
}


def listed(names: Iterable[str]) -> str:
    """Words with their meaning, a line each, as markdown."""
    return "\n".join(f"- **{_literal(name)}**: {TERMS[name].meaning}" for name in names)


def _literal(name: str) -> str:
    """A word that holds marks of markdown, such as ~ and >, as it stands."""
    return re.sub(r"([~>*_])", r"\\\1", name)
