"""Does my evaluation leak, and what does it cost?"""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..arrays import Floats, record
from ..errors import LeakscopeError
from ..formats import counted, defined, first_that_fit, in_sentence, percent, told_apart
from ..plots import overview as plots
from ..plots import topic_map as map_plots
from ..render import Answer, Caution, Drawing, Fact, JudgedPart, Level, Rows
from ..splits import Constraints, possible_balance
from ..study import Study
from ..topics import (
    CLOSE,
    GIVEN,
    MIXED,
    TopicSpace,
    Verdict,
    clear_twins,
    most_similar_pairs,
    near_twins,
    pair_histogram,
    pair_similarities,
    shared_terms,
)
from ..vectors import ENCODERS, vectors_label
from . import cost as cost_question
from .corpus import read_in_part
from .cost import LeakageCost, Promises, cost_of, promises_of
from .notes import incomparable_records
from .settings import Settings as Base
from .settings import integer, switch
from .wording import lower_first, works

NAME, LABEL, QUESTION = "verdict", "Overview", "Does my evaluation leak, and what does it cost?"
HELP = "Report whether random topic folds leak, and what similar topics add to accuracy."
METHODS = (
    "Two topics are near twins if their similarity is at or above a threshold. The threshold is the midpoint between the median "
    "similarity of all pairs and 1, and at most 0.95. A pair is clearly a near twin if both centroids are more signal than noise "
    "and its whole 95% bootstrap interval is above the threshold. The bootstrap resamples documents within topics (Efron 1979). "
    "The labels are checked first. If the median pair is no less similar than under 99 shuffles of the labels, the topics mean "
    "nothing in these vectors."
)
LEVELS: dict[str, Level] = {
    "leaks": "bad",
    "some": "warning",
    "clear": "good",
    "unknown": "unknown",
    "meaningless": "unknown",
}
COST_METHODS = (
    "The cost of leakage is measured with a linear SVM on content words (or all words). It is its accuracy with every topic in "
    "training minus its accuracy without the most similar half of the other documents. Training size and authors are held equal, topic by topic."
)
PROMISES_METHODS = (
    "The three numbers are the accuracy of a linear SVM on all words. The first is for a random split, the second for topic k-fold "
    "(k = 6). The third is the forecast for topics unlike those of the corpus."
)
OVERLAP_METHODS = (
    "Topics overlap if documents have at least 0.4 times as many of their ten nearest neighbours in other topics as with random "
    "neighbours. They also overlap if a quarter of the topics have another at a similarity of 0.7 or more. A corpus whose topics overlap is never clear."
)
MOST_NAMED, LONGEST_LIST = 5, 90  # topics, and characters, of a list in a sentence
SHARED_WORDS, MOST_PAIRS = 12, 6
MOST_FOLDED = 60  # topics of which least-leakage folds take a moment
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
        high=lambda study, _: max(2, len(study.space)),
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
    forecast: bool = switch(
        "Forecast",
        default=True,
        help="Also forecast the accuracy on new topics.",
        asked=lambda study, chosen: bool(chosen["cost"]) and labels_mean_something(study),
    )


def labels_mean_something(study: Study) -> bool:
    """Return whether the topics are more than random groups."""
    return study.judged(max(2, min(6, len(study.space)))).level != "meaningless"


@record
class JudgedLeakage:
    """What the answer is about."""

    verdict: Verdict
    cost: LeakageCost | None  # None: not asked for
    promises: Promises | None = None
    encoder: str = ""  # the label of what made the vectors
    second: tuple[str, Verdict] | None = None  # another encoder's label and verdict, where that is cheap
    ways: tuple["WayOut", ...] = ()  # what to do, with what each would cost

    @property
    def level(self) -> str:
        """Return the level by similarity and by effect: clear means shown, not unseen.

        Where two encoders disagree, the effect decides, and nothing is clear.
        """
        verdict, cost = self.verdict, self.cost
        if verdict.level == "meaningless":
            return verdict.level
        if cost is not None and cost.leaks:
            return "leaks"
        if self.finder and cost is not None and cost.small:
            return "some"
        if verdict.level in ("leaks", "some"):
            return verdict.level
        return "clear" if cost is not None and cost.small else "unknown"

    @property
    def finder(self) -> str:
        """Return which of two encoders finds that the corpus leaks, where the other finds no near twins; else nothing."""
        if self.second is None:
            return ""
        name, other = self.second
        return {("leaks", "clear"): self.encoder, ("clear", "leaks"): name}.get((self.verdict.level, other.level), "")


@record
class WayOut:
    """A way to split without near twins, and its cost; `label` and `details` make a sentence."""

    name: str  # "least_leakage" or "hits"
    m: int | None  # topics kept; None: all
    documents_lost: int
    highest: float  # train–test similarity that is left


def answer(study: Study, settings: Settings) -> Answer:
    """Answer whether random topic folds leak, and what that costs."""
    verdict, space = study.judged(settings.k), study.space
    meaningless = verdict.level == "meaningless"
    measured = settings.cost and not meaningless
    second = study.second_verdict if measured else None
    found = JudgedLeakage(
        verdict,
        cost_of(study) if measured else None,
        promises_of(study) if measured and settings.forecast else None,
        vectors_label(study.vectors),
        None if second is None else (ENCODERS[second[0]].label, second[1]),
        () if meaningless else ways_out(study, verdict, settings.k),
    )
    methods = [METHODS, OVERLAP_METHODS, *([] if found.cost is None else [COST_METHODS])]
    return Answer(
        NAME,
        QUESTION,
        LEVELS[found.level],
        _headline(found),
        reasons(verdict, study) if meaningless else (),
        (*_disagreement(found), *cautions(study, verdict)),
        (*cost_question.promise_facts(found.promises), *facts(verdict, found.cost, shown_threshold(study))),
        _figures(study, verdict),
        (*(() if meaningless else (_twins_table(study, verdict),)), *excluded_table(space)),
        lambda: _data(study, found, settings),
        settings.rows(study),
        " ".join(methods if found.promises is None else [*methods, PROMISES_METHODS]),
        works("bootstrap"),
        next_steps(study, found),
        found,
        lines=_lines(found, study),
        hero=_hero(found),
    )


def _hero(found: JudgedLeakage) -> Fact:
    """Return the number that the headline is about."""
    verdict = found.verdict
    others = facts(verdict, found.cost)
    by_effect = found.level == "leaks" and verdict.level != "leaks"
    if verdict.level == "meaningless" or verdict.all_similar or by_effect:
        return others[0]
    folds = min(verdict.k, verdict.topics)
    return Fact(
        "Tested beside a near twin", _leaking_count(verdict), f"topics, in a random {folds:,}-fold split", NEAR_TWINS
    )


def ways_out(study: Study, verdict: Verdict, k: int) -> tuple[WayOut, ...]:
    """Return least-leakage folds and HITS with what each would cost; folds of many topics are left to Design a split."""
    space, found = study.space, list[WayOut]()
    if k <= int(space.comparable.sum()) and len(space) <= MOST_FOLDED:
        everything = study.setup("none")
        constraints = Constraints(possible_balance(study.corpus.topic_sizes, k))
        try:
            folds = study.folds(everything, scheme="least-leakage", k=k, constraints=constraints)
            found.append(WayOut("least_leakage", None, 0, study.leakage(everything, folds).highest))
        except LeakscopeError:  # no such folds exist: Design a split says why
            pass
    if 1 < verdict.keep < len(space):
        lost = verdict.documents - verdict.keep_documents
        found.append(WayOut("hits", verdict.keep, lost, float(study.path.max[verdict.keep - 1])))
    return tuple(found)


# --- Sentences ----------------------------------------------------------------------------------------------------------


def _headline(found: JudgedLeakage) -> str:
    """Say whether it leaks, by similarity or by effect."""
    verdict, cost = found.verdict, found.cost
    if cost is not None and found.finder and cost.small:
        return f"Possibly. {found.finder} finds near twins, but {lower_first(cost_question.sentence(cost))}"
    if found.level == "leaks" and verdict.level != "leaks" and cost is not None:
        though = ", though no two are near twins." if not verdict.twin_pairs else "."
        return f"Yes. {cost_question.brief(cost)}{though}"
    if verdict.level != "clear" or cost is None:
        return headline(verdict)
    if cost.small:
        return f"No leakage found: no near twins, and {lower_first(cost_question.sentence(cost))}"
    if cost.reason == cost_question.NO_AUTHORS:
        return f"No near twins. {cost.reason}"
    if cost.at_chance:
        return "No near twins, but the models only guess, so what leakage costs cannot be measured."
    return "No near twins, but too little data to tell what leakage costs."


def _lines(found: JudgedLeakage, study: Study) -> tuple[JudgedPart, ...]:
    """Say how similar topics are, and what that costs, each with its own level."""
    verdict, cost = found.verdict, found.cost
    if verdict.level == "meaningless":
        return ()
    level: Level = {"leaks": "bad", "some": "warning"}.get(verdict.level, "neutral")  # type: ignore[assignment]
    level = "good" if found.level == "clear" else level
    said = [JudgedPart("Similarity", level, " ".join(reasons(verdict, study)))]
    if cost is not None and cost.reason != cost_question.NO_AUTHORS:
        text = f"{cost_question.sentence(cost)} {cost_question.more_on(cost)}".strip()
        said.append(JudgedPart("Cost", cost.level, text))
    elif cost is not None:
        said.append(JudgedPart("Cost", "unknown", "Unknown: the corpus has no authors or other label to predict."))
    return tuple(said)


def _disagreement(found: JudgedLeakage) -> tuple[Caution, ...]:
    """Say where another encoder sees it otherwise, and that the effect decides."""
    if not found.finder or found.second is None:
        return ()
    other = found.second[0]
    seen = f"{other} finds no near twins" if found.finder != other else f"{other} finds near twins"
    decides = found.cost is not None and (found.cost.leaks or found.cost.small)
    rest = "The cost decides: it is measured on scores." if decides else "The cost would decide, but is not known."
    return (Caution("encoders-disagree", f"{seen} here, unlike {found.encoder}. {rest}"),)


def headline(verdict: Verdict) -> str:
    """Say in one sentence whether k random folds leak."""
    if verdict.level == "meaningless":
        if _nothing_comparable(verdict):
            return f"No two topics can be compared: fewer than two of {verdict.topics:,} have enough documents."
        return "The labels do not separate these texts."
    if verdict.level == "some" and verdict.leaking_topics < 1 and not verdict.all_similar:
        return f"{short_answer(verdict)}. No near twins stand out, but {_overlap(verdict)}."
    if verdict.all_similar:
        return (
            f"{short_answer(verdict)}. All {verdict.topics:,} topics are very similar (median {verdict.typical:.2f}), "
            "so no pair stands out."
        )
    folds = f"In a random {min(verdict.k, verdict.topics):,}-fold split"
    return f"{short_answer(verdict)}. {folds}, {_leaking(verdict)} tested while a near twin is in training."


def _overlap(verdict: Verdict) -> str:
    """Return text such as "topics overlap: documents have many of their nearest neighbours in other topics"."""
    if verdict.mixing >= MIXED:
        return "topics overlap: documents have many of their nearest neighbours in other topics"
    return f"{percent(verdict.close_topics)} of topics are close to another (similarity {CLOSE:.1f} or more)"


def short_answer(verdict: Verdict) -> str:
    """Answer in a word or two."""
    if verdict.level == "meaningless":
        return "Not comparable" if _nothing_comparable(verdict) else "Labels mean nothing"
    if verdict.all_similar or (verdict.level == "some" and not verdict.twin_pairs):
        return "Possibly"
    places = "In places" if verdict.clearly_leaking >= 1 else "Possibly"
    return {"leaks": "Yes", "some": places, "clear": "No near twins" if not verdict.twin_pairs else "Hardly"}[
        verdict.level
    ]


def _nothing_comparable(verdict: Verdict) -> bool:
    return verdict.labels is None or not math.isfinite(verdict.typical)


def _leaking(verdict: Verdict) -> str:
    """Return text such as "about 15 of 24 topics are" and "no topic is"."""
    low, high, topics = round(verdict.clearly_leaking), round(verdict.leaking_topics), verdict.topics
    if not verdict.twin_pairs:
        return "no topic is"
    if high < 1:
        return f"fewer than one of {topics:,} topics is"
    if low == high:
        return f"about {high:,} of {topics:,} topics {'is' if high == 1 else 'are'}"
    return f"{low:,}–{high:,} of {topics:,} topics are"


def _leaking_count(verdict: Verdict) -> str:
    """Return text such as "15 of 24" and "8–26 of 47"."""
    low, high = round(verdict.clearly_leaking), round(verdict.leaking_topics)
    if verdict.twin_pairs and high < 1:
        return f"< 1 of {verdict.topics:,}"
    return f"{high:,} of {verdict.topics:,}" if low == high else f"{low:,}–{high:,} of {verdict.topics:,}"


def reasons(verdict: Verdict, study: Study | None) -> tuple[str, ...]:
    """Say what the headline rests on."""
    if verdict.level == "meaningless":
        return _why_meaningless(verdict)
    found = []
    pairs, clear = verdict.twin_pairs, verdict.clear_pairs
    if not pairs:
        found.append(f"No two of {verdict.topics:,} topics are near twins.")
    if pairs == 1:
        found.append(
            f"One pair of topics is {'clearly above the near-twin threshold' if clear else 'above the near-twin threshold, but not clearly'}."
        )
    elif pairs:
        how = "all clearly" if clear == pairs else f"{clear:,} of them clearly" if clear else "none of them clearly"
        found.append(f"{pairs:,} pairs of topics are near twins, {how}.")
    closest = [] if study is None or pairs > 1 else most_similar_pairs(study.space, study.bootstrap, most=1)
    if study is not None and closest:  # several near twins stand in a chart and a table
        first, second, value = closest[0]
        one, other = (in_sentence(study.space.names[topic]) for topic in (first, second))
        found.append(f"The most similar are {one} and {other} ({value:.2f}{said_interval(study, first, second)}).")
    return tuple(found)


def said_interval(study: Study, first: int, second: int) -> str:
    """Return the interval of two topics' similarity as part of a sentence; nothing where there is none."""
    low, high = study.similarity_interval(study.space, first, second)
    if math.isnan(low) or f"{low:.2f}" == f"{high:.2f}":  # cut at 1 on both ends, an interval says nothing
        return ""
    return f", 95% CI {low:.2f}–{high:.2f}"


def _why_meaningless(verdict: Verdict) -> tuple[str, ...]:
    labels = verdict.labels
    if labels is None or _nothing_comparable(verdict):
        # One document per topic: plain similarity could not be checked against shuffled labels either.
        unchecked = labels is not None and not labels.checked
        return (
            "Add documents to the topics." if unchecked else "Add documents to the topics, or use plain similarity.",
        )
    some = f" (checked on {labels.compared:,})" if labels.compared < verdict.topics else ""
    return (
        f"The {verdict.topics:,} topics{some} are as similar (median {labels.median:.2f}) as random groups ({_spread(labels.shuffled)}).",
        "Every split of them is a random split, and HITS has nothing to choose.",
    )


def _spread(values: Floats) -> str:
    """Return the range of some similarities, or their one value."""
    low, high = f"{values.min():.2f}", f"{values.max():.2f}"
    return low if low == high else f"{low} to {high}"


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
                    "Each topic has one document, so we cannot check whether the labels mean anything."
                    if space.kind != GIVEN
                    else "The similarities are your own, so neither the labels nor the accuracy of the similarities can be checked.",
                )
            )
        elif labels is not None and labels.partly:
            codes.append(
                (
                    "partly-meaningful",
                    f"Most topics are as similar as random groups (median {labels.median:.2f}). Some labels may name one topic twice.",
                )
            )
        elif verdict.very_similar and not verdict.all_similar:
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
    if incomparable := len(space.incomparable):
        documents = counted(int(space.sizes[~space.comparable].sum()), "document")
        have = "has" if incomparable == 1 else "have"
        codes.append(
            (
                "too-few-documents",
                f"{incomparable:,} of {len(space):,} topics ({documents}) {have} too few documents to compare and {'is' if incomparable == 1 else 'are'} excluded.",
            )
        )
    if verdict.weak_topics:
        weak, all_topics = verdict.weak_topics, int(space.comparable.sum())
        rest = "" if meaningless else " Near-twin results for them are unreliable."
        codes.append(
            ("noisy-centroids", f"The centroids of {weak:,} of {all_topics:,} topics are more noise than signal.{rest}")
        )
    if not meaningless and verdict.mixing >= MIXED:
        codes.append(
            (
                "mixed-topics",
                f"Topics overlap. Nearest neighbours are in another topic {percent(verdict.mixing)} as often as with shuffled labels.",
            )
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


def shown_threshold(study: Study) -> str:
    """Return the near-twin threshold, with more decimals where the closest pair would round to the same number."""
    verdict, closest = study.judged(2), most_similar_pairs(study.space, study.bootstrap, most=1)
    return told_apart(closest[0][2] if closest else math.nan, verdict.threshold)[1]


def facts(verdict: Verdict, cost: LeakageCost | None = None, threshold: str = "") -> tuple[Fact, ...]:
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
        return typical, Fact("With shuffled labels", _spread(shuffled), times)
    clear = f", {verdict.clear_pairs:,} clear" if verdict.clear_pairs < verdict.twin_pairs else ""
    twins = Fact(
        "Near-twin pairs",
        f"{verdict.twin_pairs:,}",
        f"similarity {threshold or f'{verdict.threshold:.2f}'} or more{clear}",
        NEAR_TWINS,
    )
    kept = Fact(
        "Topics HITS can keep",
        kept_topics(verdict),
        f"{verdict.keep_documents:,} of {verdict.documents:,} documents",
        "The most topics HITS can keep before two of them are near twins, with its 95% confidence interval.",
    )
    effect = cost_question.cost_fact(cost)
    return *(effect or (typical,)), twins, kept


def kept_topics(verdict: Verdict) -> str:
    """Return the largest m without near twins with its interval."""
    if verdict.keep_interval is None:
        return f"{verdict.keep:,}"
    low, high = verdict.keep_interval
    return f"{verdict.keep:,} ({low:,}–{high:,})"


def next_steps(study: Study, found: JudgedLeakage) -> tuple[str, ...]:
    """Say what to do, and what each way would cost."""
    verdict = found.verdict
    if verdict.level == "meaningless":
        return (
            "Check on the Corpus page which column is the topic, and whether its labels belong to these texts.",
            "If they do, the encoder does not see what they mean. Try another encoder, or topics with more documents.",
        )
    if found.level == "clear":
        return ("Random topic folds will do.",)
    names = [study.space.names[topic] for topic in study.path.order[: verdict.keep]]
    named = first_that_fit(names, MOST_NAMED, longest=LONGEST_LIST, between=" · ")
    kept = f"HITS would keep, most distinct first: {named}."
    return *(way_sentence(way, study, threshold=verdict.threshold) for way in found.ways), kept


def way_sentence(way: WayOut, study: Study, *, threshold: float) -> str:
    """Say what a way to split would cost: documents lost, and the highest similarity left."""
    if way.m is None and way.highest >= threshold:
        return (
            "Least-leakage folds lose no document, but some near twins stay on both sides: the highest train–test similarity is "
            f"{way.highest:.2f}."
        )
    if way.m is None:
        pairs = pair_similarities(study.space.similarity)
        beside = f" (random folds: up to {pairs.max():.2f})" if len(pairs) else ""
        return f"Least-leakage folds lose no document; the highest train–test similarity is {way.highest:.2f}{beside}."
    lost = f"loses {way.documents_lost:,} of {len(study.corpus):,} documents"
    return f"HITS with {way.m:,} topics {lost}; the highest similarity is {way.highest:.2f}."


def _figures(study: Study, verdict: Verdict) -> tuple[Drawing, ...]:
    space, bootstrap = study.space, study.bootstrap
    pairs = most_similar_pairs(space, bootstrap, most=MOST_PAIRS)
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
        else f"Grey lines: 95% intervals from {len(bootstrap.steps)} bootstrap samples; pairs are sorted by their lower end."
        + (" Orange: above the threshold, but not clearly." if unclear else "")
    )
    worst = Drawing(
        "worst",
        "The most similar topics",
        lambda: plots.worst_pairs(space.names, pairs, verdict, clear=clear, bootstrap=bootstrap),
        caption,
        lead=True,
    )
    return _shared_words(study, *pairs[0][:2]), worst, histogram


def _shared_words(study: Study, first: int, second: int) -> Drawing:
    """Draw two topics side by side with the words they share."""
    names = study.space.names[first], study.space.names[second]
    return Drawing(
        "twins",
        f"What {' and '.join(map(in_sentence, names))} share",
        lambda: map_plots.shared_terms(shared_terms(study.terms, first, second), *names, most=SHARED_WORDS),
        "Distinctive words of both topics. The longer the bar, the more a word tells about its topic (c-TF-IDF).",
        lead=True,
    )


def _twins_table(study: Study, verdict: Verdict) -> Rows:
    space, clear = study.space, clear_twins(study.space, verdict.threshold, study.bootstrap)

    def make() -> pd.DataFrame:
        pairs = near_twins(space, verdict.threshold, study.bootstrap, most=max(1, verdict.twin_pairs))
        ends = [study.similarity_interval(space, first, second) for first, second, _ in pairs]
        return pd.DataFrame(
            {
                "topic": [space.names[first] for first, _, _ in pairs],
                "near twin": [space.names[second] for _, second, _ in pairs],
                "similarity": [value for _, _, value in pairs],
                "95% CI from": [low for low, _ in ends],
                "to": [high for _, high in ends],
                "clear": [
                    "unknown" if study.bootstrap.low is None else "yes" if clear[first, second] else "no"
                    for first, second, _ in pairs
                ],
            }
        )

    return Rows(
        "near_twins",
        "Near twins",
        make,
        "Sorted by the lower end of the interval. Pairs with a noisy centroid come last.",
        lead=True,
    )


def excluded_table(space: TopicSpace) -> tuple[Rows, ...]:
    """Return the topics with too few documents to compare, and why."""
    if not space.incomparable:
        return ()

    def make() -> pd.DataFrame:
        table = pd.DataFrame(incomparable_records(space))
        table.insert(1, "documents", [int(space.sizes[each.topic]) for each in space.incomparable])
        return table

    return (Rows("excluded_topics", "Topics with too few documents", make),)


def _data(study: Study, found: JudgedLeakage, settings: Settings) -> dict[str, Any]:
    space, verdict = study.space, found.verdict
    twins = near_twins(space, verdict.threshold, study.bootstrap, most=max(1, verdict.twin_pairs))
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
        "mixing": defined(verdict.mixing),
        "close_topics": verdict.close_topics,
    }
    return {
        **similarity,
        "level": found.level,
        "cautions": [each.text for each in (*_disagreement(found), *cautions(study, verdict))],
        "similarity": similarity,
        **({} if found.cost is None else cost_question.data_of(found.cost)),
        **({} if found.promises is None else cost_question.promise_data(found.promises)),
        "fixes": {
            way.name: {"m": way.m, "documents_lost": way.documents_lost, "max": defined(way.highest)}
            for way in found.ways
        },
        "notes": list(study.vectors.notes),
    }
