"""Does my evaluation leak?"""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..arrays import record
from ..formats import counted, defined, first_few
from ..plots import overview as plots
from ..render import Answer, Caution, Drawing, Fact, Level, Rows
from ..study import Study
from ..topics import (
    TopicSpace,
    Verdict,
    clear_twins,
    closest_pairs,
    incomparable_records,
    near_twins,
    pair_histogram,
)
from ..vectors import ENCODERS
from . import cost as cost_question
from .corpus import read_in_part
from .cost import LeakageCost, cost_of
from .references import works
from .settings import Settings as Base
from .settings import integer, switch

NAME, LABEL, QUESTION = "verdict", "Overview", "Does my evaluation leak, and what does it cost?"
HELP = "Report whether random topic folds leak, and what similar topics add to accuracy."
METHODS = (
    "Two topics are near twins if their similarity is at or above a threshold: the midpoint between the median similarity of all "
    "pairs and 1, and at most 0.95. A pair is clearly a near twin if both centroids are more signal than noise and its whole 95% "
    "bootstrap interval (documents resampled within topics; Efron 1979) is above the threshold. The labels are checked first: if "
    "the median pair is no less similar than under 99 shuffles of the labels, the topics mean nothing in these vectors."
)
LEVELS: dict[str, Level] = {
    "leaks": "bad",
    "some": "warning",
    "clear": "good",
    "unknown": "unknown",
    "meaningless": "unknown",
}
COST_METHODS = (
    "The cost of leakage is the accuracy of a linear SVM on content words (or all words) with every topic in training, minus its "
    "accuracy without the most similar half of the other documents. Training size and authors are held equal, topic by topic."
)
MOST_NAMED = 20
NEAR_TWINS = (
    "Near twins are two topics so similar that one gives the other away. A pair is clear if its whole 95% interval is above the "
    "threshold."
)


@dataclass(frozen=True)
class Settings(Base):
    """What the verdict depends on."""

    k: int = integer(
        "Folds of topics (k)",
        low=2,
        high=lambda study, _: max(2, min(20, len(study.space))),
        default=6,
        key="k",
        help="The number of folds in k-fold cross-validation by topic.",
        asked=lambda study, _: labels_mean_something(study),
    )
    cost: bool = switch(
        "Cost of leakage",
        default=True,
        help="Also measure what similar topics in training add to accuracy.",
        asked=lambda study, _: labels_mean_something(study),
    )


def labels_mean_something(study: Study) -> bool:
    """Return whether the topics are more than random groups."""
    return study.judged(max(2, min(6, len(study.space)))).level != "meaningless"


@record
class JudgedLeakage:
    """What the answer is about."""

    verdict: Verdict
    cost: LeakageCost | None  # None: not asked for

    @property
    def level(self) -> str:
        """Return the level by similarity and by effect: clear means shown, not unseen."""
        if self.verdict.level in ("meaningless", "leaks"):
            return self.verdict.level
        if self.cost is not None and self.cost.leaks:
            return "leaks"
        if self.verdict.level == "some":
            return "some"
        return "clear" if self.cost is not None and self.cost.small else "unknown"


def answer(study: Study, settings: Settings) -> Answer:
    """Answer whether random topic folds leak, and what that costs."""
    verdict, space = study.judged(settings.k), study.space
    meaningless = verdict.level == "meaningless"
    found = JudgedLeakage(verdict, cost_of(study) if settings.cost and not meaningless else None)
    return Answer(
        NAME,
        QUESTION,
        LEVELS[found.level],
        _headline(found),
        _reasons(found, space),
        cautions(study, verdict),
        facts(verdict, found.cost),
        _figures(study, verdict),
        (*(() if meaningless else (_twins_table(space, verdict),)), *excluded_table(space)),
        lambda: _data(study, found, settings),
        settings.rows(study),
        METHODS if found.cost is None else f"{METHODS} {COST_METHODS}",
        works("bootstrap"),
        next_steps(study, verdict),
        found,
    )


def _headline(found: JudgedLeakage) -> str:
    """Say whether it leaks, by similarity or by effect."""
    verdict, cost = found.verdict, found.cost
    if found.level == "leaks" and verdict.level != "leaks" and cost is not None:
        return f"Yes. {cost_question.sentence(cost)}"
    if verdict.level != "clear" or cost is None:
        return headline(verdict)
    if cost.small:
        return f"No leakage found: no near twins, and {_lower(cost_question.sentence(cost))}"
    if cost.summary is None and cost.reason == cost_question.NO_AUTHORS:
        return f"No near twins. {cost.reason}"
    return "No near twins, but too little data to tell what leakage costs."


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _reasons(found: JudgedLeakage, space: TopicSpace) -> tuple[str, ...]:
    said = list(reasons(found.verdict, space))
    if found.cost is not None:
        effect = cost_question.sentence(found.cost)
        if effect.lower() not in _headline(found).lower():
            said.insert(0, effect)
        if found.level == "leaks" and found.verdict.level != "leaks":
            said.insert(0, headline(found.verdict))
    return tuple(said[:3])


def headline(verdict: Verdict) -> str:
    """Say in one sentence whether k random folds leak."""
    if verdict.level == "meaningless":
        if _nothing_comparable(verdict):
            return f"No two topics can be compared: fewer than two of {verdict.topics:,} have enough documents."
        return "The labels do not separate these texts."
    if verdict.all_alike:
        return (
            f"{short_answer(verdict)}. All {verdict.topics:,} topics are very similar (median {verdict.typical:.2f}), "
            "so no pair stands out."
        )
    folds = f"In a random {min(verdict.k, verdict.topics):,}-fold split"
    return f"{short_answer(verdict)}. {folds}, {_leaking(verdict)} tested while a near twin is in training."


def short_answer(verdict: Verdict) -> str:
    """Answer in a word or two."""
    if verdict.level == "meaningless":
        return "Not comparable" if _nothing_comparable(verdict) else "Labels mean nothing"
    if verdict.all_alike:
        return "Possibly"
    places = "In places" if verdict.clearly_leaking >= 1 else "Possibly"
    return {"leaks": "Yes", "some": places, "clear": "No near twins" if not verdict.twin_pairs else "Hardly"}[
        verdict.level
    ]


def _nothing_comparable(verdict: Verdict) -> bool:
    return verdict.labels is None or not math.isfinite(verdict.typical)


def _leaking(verdict: Verdict) -> str:
    """Such as "about 15 of 24 topics are" and "no topic is"."""
    low, high, topics = round(verdict.clearly_leaking), round(verdict.leaking_topics), verdict.topics
    if not verdict.twin_pairs:
        return "no topic is"
    if high < 1:
        return f"fewer than one of {topics:,} topics is"
    if low == high:
        return f"about {high:,} of {topics:,} topics {'is' if high == 1 else 'are'}"
    return f"{low:,}–{high:,} of {topics:,} topics are"


def reasons(verdict: Verdict, space: TopicSpace | None) -> tuple[str, ...]:
    """Say what the headline rests on."""
    if verdict.level == "meaningless":
        return _why_meaningless(verdict)
    found = []
    pairs, clear = verdict.twin_pairs, verdict.clear_pairs
    if pairs == 1:
        found.append(
            f"One pair of topics is {'clearly above the near-twin threshold' if clear else 'above the near-twin threshold, but not clearly'}."
        )
    elif pairs:
        how = "all clearly" if clear == pairs else f"{clear:,} of them clearly" if clear else "none of them clearly"
        found.append(f"{pairs:,} pairs of topics are near twins, {how}.")
    if space is not None and (closest := closest_pairs(space.similarity, most=1)):
        first, second, value = closest[0]
        found.append(f"The most similar topics are {space.names[first]} and {space.names[second]} ({value:.2f}).")
    return tuple(found)


def _why_meaningless(verdict: Verdict) -> tuple[str, ...]:
    labels = verdict.labels
    if labels is None or _nothing_comparable(verdict):
        # One document per topic: plain similarity could not be checked against shuffled labels either.
        unchecked = labels is not None and not labels.checked
        return (
            "Add documents to the topics." if unchecked else "Add documents to the topics, or use plain similarity.",
        )
    low, high = labels.shuffled.min(), labels.shuffled.max()
    some = f" (checked on {labels.compared:,})" if labels.compared < verdict.topics else ""
    return (
        f"The {verdict.topics:,} topics{some} are as similar (median {labels.median:.2f}) as random groups ({low:.2f} to {high:.2f}).",
        "Every split of them is a random split, and HITS has nothing to choose.",
    )


def cautions(study: Study, verdict: Verdict) -> tuple[Caution, ...]:
    """Say what limits the verdict."""
    found = topic_cautions(verdict, study.space, found=study.corpus.found)
    if ENCODERS[study.vectors.name].cuts(study.encoder):
        reading = study.once("read in part", compute=lambda: read_in_part(study.corpus))
        found += (Caution("read-in-part", reading),) if reading else ()
    return found


def topic_cautions(verdict: Verdict, space: TopicSpace, *, found: bool) -> tuple[Caution, ...]:
    """Say what limits anything said of these topics."""
    meaningless = verdict.level == "meaningless"
    codes: list[tuple[str, str]] = []
    if found:
        codes.append(
            (
                "found-topics",
                "The topics were found in the texts, so they are separate by construction. This says little about topics people would "
                "name.",
            )
        )
    labels = verdict.labels
    if not meaningless:
        if labels is not None and not labels.checked:
            codes.append(
                (
                    "unchecked-labels",
                    "Each topic has one document, so we cannot check whether the labels mean anything.",
                )
            )
        elif labels is not None and labels.partly:
            codes.append(
                (
                    "partly-meaningful",
                    f"Most topics are as similar as random groups (median {labels.median:.2f}). Some labels may name one topic twice.",
                )
            )
        elif verdict.much_alike and not verdict.all_alike:
            codes.append(
                (
                    "very-similar",
                    f"Most topics are very similar (median {verdict.typical:.2f}). Some labels may name one topic twice.",
                )
            )
    codes += _document_cautions(verdict, space)
    return tuple(Caution(code, text) for code, text in codes)


def _document_cautions(verdict: Verdict, space: TopicSpace) -> list[tuple[str, str]]:
    meaningless = verdict.level == "meaningless"
    codes = []
    if unplaced := len(space.incomparable):
        documents = counted(int(space.sizes[~space.comparable].sum()), "document")
        have = "has" if unplaced == 1 else "have"
        codes.append(
            (
                "too-few-documents",
                f"{unplaced:,} of {len(space):,} topics ({documents}) {have} too few documents to compare and {'is' if unplaced == 1 else 'are'} excluded.",
            )
        )
    if verdict.weak_topics:
        weak, all_topics = verdict.weak_topics, int(space.comparable.sum())
        rest = "" if meaningless else " Near-twin results for them are unreliable."
        codes.append(
            ("noisy-centroids", f"The centroids of {weak:,} of {all_topics:,} topics are more noise than signal.{rest}")
        )
    if not meaningless and verdict.few_topics:
        codes.append(("few-topics", "With so few topics, the near-twin threshold depends on the pairs it judges."))
    if not meaningless and verdict.keep_documents < verdict.documents / 2:
        codes.append(
            (
                "few-documents-kept",
                f"Keeping only topics without near twins would leave {verdict.keep_documents:,} of {verdict.documents:,} documents.",
            )
        )
    return codes


def facts(verdict: Verdict, cost: LeakageCost | None = None) -> tuple[Fact, ...]:
    """Give the verdict's numbers; no near twins where the labels mean nothing."""
    comparable = math.isfinite(verdict.typical)
    typical = Fact(
        "Typical similarity", f"{verdict.typical:.2f}" if comparable else "–", "median of all pairs of topics"
    )
    if verdict.level == "meaningless":
        if verdict.labels is None or not comparable:
            return (typical,)
        shuffled = verdict.labels.shuffled
        some = f" of {verdict.labels.compared:,} topics" if verdict.labels.compared < verdict.topics else ""
        times = f"median{some} in {len(shuffled)} shuffles"
        return typical, Fact("With shuffled labels", f"{shuffled.min():.2f} to {shuffled.max():.2f}", times)
    clear = f", {verdict.clear_pairs:,} clear" if verdict.clear_pairs < verdict.twin_pairs else ""
    twins = Fact(
        "Near-twin pairs", f"{verdict.twin_pairs:,}", f"similarity {verdict.threshold:.2f} or more{clear}", NEAR_TWINS
    )
    kept = Fact(
        "Topics HITS can keep",
        kept_topics(verdict),
        f"{verdict.keep_documents:,} of {verdict.documents:,} documents",
        "The most topics HITS can keep before two of them are near twins, with its 95% confidence interval.",
    )
    if cost is None or cost.summary is None or not cost.largest:
        return typical, twins, kept
    effect = cost.summary.models[cost.largest].cost
    points = f"{round(100 * effect.mean):+d} points".replace("-", "−")
    known = math.isfinite(effect.low)
    ends = f"95% CI {round(100 * effect.low)} to {round(100 * effect.high)}" if known else "no interval"
    note = f"{cost_question.NAMES[cost.largest]}, {ends}".replace("-", "−")
    help = (
        "Accuracy with every topic in training, minus accuracy without the most similar half, with equal training sets."
    )
    return Fact("Cost of leakage", points, note, help), twins, kept


def kept_topics(verdict: Verdict) -> str:
    """Return the largest m without near twins with its interval."""
    if verdict.keep_interval is None:
        return f"{verdict.keep:,}"
    low, high = verdict.keep_interval
    return f"{verdict.keep:,} ({low:,}–{high:,})"


def next_steps(study: Study, verdict: Verdict) -> tuple[str, ...]:
    """Say what to do."""
    if verdict.level == "meaningless":
        return (
            "Check on the Corpus page which column is the topic, and whether its labels belong to these texts.",
            "If they do, the encoder does not see what they mean. Try another encoder, or topics with more documents.",
        )
    names = [study.space.names[topic] for topic in study.path.order[: verdict.keep]]
    return (f"HITS would keep, most distinct first: {first_few(names, MOST_NAMED, between=' · ')}.",)


def _figures(study: Study, verdict: Verdict) -> tuple[Drawing, ...]:
    space, bootstrap = study.space, study.bootstrap
    pairs = closest_pairs(space.similarity, most=8)
    if not pairs:
        return ()
    histogram = Drawing(
        "histogram",
        "Similarity of all pairs of topics",
        lambda: plots.similarity_histogram(
            *pair_histogram(space.similarity, threshold=min(verdict.threshold, 1.0)), verdict, kind=space.kind
        ),
        lead=True,
    )
    if verdict.level == "meaningless":
        return (histogram,)
    clear = clear_twins(space, verdict.threshold, bootstrap)
    unclear = any(value >= verdict.threshold and not clear[first, second] for first, second, value in pairs)
    caption = (
        ""
        if bootstrap.low is None
        else f"Grey lines: 95% intervals from {len(bootstrap.steps)} bootstrap samples. Red marks: the near-twin threshold."
        + (" Orange: above the threshold, but not clearly." if unclear else "")
    )
    worst = Drawing(
        "worst",
        "The most similar topics",
        lambda: plots.worst_pairs(space.names, pairs, verdict, kind=space.kind, clear=clear, bootstrap=bootstrap),
        caption,
        lead=True,
    )
    return worst, histogram


def _twins_table(space: TopicSpace, verdict: Verdict) -> Rows:
    def make() -> pd.DataFrame:
        pairs = near_twins(space, verdict.threshold, most=max(1, verdict.twin_pairs))
        return pd.DataFrame(
            {
                "topic": [space.names[first] for first, _, _ in pairs],
                "near twin": [space.names[second] for _, second, _ in pairs],
                "similarity": [value for _, _, value in pairs],
            }
        )

    return Rows("near_twins", "Near twins", make, lead=True)


def excluded_table(space: TopicSpace) -> tuple[Rows, ...]:
    """Return the topics with too few documents to compare, and why."""
    if not space.incomparable:
        return ()

    def make() -> pd.DataFrame:
        return pd.DataFrame(
            {
                "topic": [space.names[each.topic] for each in space.incomparable],
                "documents": [int(space.sizes[each.topic]) for each in space.incomparable],
                "reason": [each.reason for each in space.incomparable],
            }
        )

    return (Rows("excluded_topics", "Topics with too few documents", make),)


def _data(study: Study, found: JudgedLeakage, settings: Settings) -> dict[str, Any]:
    space, verdict = study.space, found.verdict
    twins = near_twins(space, verdict.threshold, most=max(1, verdict.twin_pairs))
    similarity = {
        "level": verdict.level,
        "k": min(settings.k, len(space)),
        "typical": defined(verdict.typical),
        "line": verdict.threshold,
        "twin_pairs": verdict.twin_pairs,
        "sure_pairs": verdict.clear_pairs,
        "surely_leaking": verdict.clearly_leaking,
        "twins": [[space.names[first], space.names[second], value] for first, second, value in twins],
        "leaking_topics": verdict.leaking_topics,
        "keep": verdict.keep,
        "keep_interval": None if verdict.keep_interval is None else list(verdict.keep_interval),
        "keep_documents": verdict.keep_documents,
        "documents": verdict.documents,
        "reliability": {name: defined(share) for name, share in zip(space.names, space.reliability, strict=True)},
        "unplaced": incomparable_records(space),
    }
    return {
        **similarity,
        "level": found.level,
        "cautions": [each.text for each in cautions(study, verdict)],
        "similarity": similarity,
        **({} if found.cost is None else cost_question.data_of(found.cost)),
        "notes": list(study.vectors.notes),
    }
