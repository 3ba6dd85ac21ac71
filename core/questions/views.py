"""Do two views of the topics agree? (two encoders, two filters or two corpora)"""

import math

import pandas as pd

from ..formats import first_few
from ..plots import overview as plots
from ..render import Answer, Drawing, Rows
from ..study import Study
from ..topics import TopicView, Verdict, ViewComparison, compare_views
from . import verdict as verdict_question

NAME, LABEL, QUESTION = "views", "Side by side", "Do the two views agree?"
MOST_NAMED = 40


def answer(first: Study, second: Study, *, names: tuple[str, str], k: int) -> Answer:
    """Compare two studies, called by `names`, on k folds of topics."""
    found = compare_views(_view(first), _view(second), k=k)
    tables = [Rows("verdicts_compared", "Both verdicts", lambda: _verdicts(found, names))]
    if found.pairs.twins:
        tables.append(
            Rows("near_twins_compared", "Near-twin pairs", lambda: _twins(found, names), _elsewhere(found, names))
        )
    drawn = bool(found.pairs.twins) or bool(len(found.pairs.others))
    figures = (
        Drawing("two_views", "Similarity in both views", lambda: plots.two_views(found, names, kind=first.similarity)),
    )
    found_topics = tuple(
        each
        for study, verdict in zip((first, second), found.verdicts, strict=True)
        for each in verdict_question.topic_cautions(verdict, study.space, found=study.corpus.found)
        if each.code == "found-topics"
    )
    return Answer(
        NAME,
        QUESTION,
        "neutral",
        _headline(found, names),
        _reasons(found, names),
        found_topics[:1],
        figures=figures if drawn else (),
        tables=tuple(tables),
        next_steps=_samples(found, names),
        numbers=found,
    )


def _view(study: Study) -> TopicView:
    return TopicView(study.space, study.path, study.labels, study.bootstrap)


def _headline(found: ViewComparison, names: tuple[str, str]) -> str:
    without = [name for name, each in zip(names, found.verdicts, strict=True) if each.level == "meaningless"]
    if without:
        which = f"With {without[0]}" if len(without) == 1 else "In both views"
        return f"{which}, the topics are no more separate than random groups, so there are no near twins to compare."
    one, two = (verdict_question.short_answer(each) for each in found.verdicts)
    if one == two:
        return f"Both views give the same answer: {one.lower()}."
    return f"The answer is “{one.lower()}” with {names[0]} and “{two.lower()}” with {names[1]}."


def _reasons(found: ViewComparison, names: tuple[str, str]) -> tuple[str, ...]:
    if any(each.level == "meaningless" for each in found.verdicts):
        return ()
    if len(found.topics) < 2:
        return ("Fewer than two topics have the same name, so pairs and samples cannot be compared.",)
    pairs, common = found.pairs, len(found.selected_by_both)
    alone = pairs.first + pairs.second
    if not pairs.both + alone:
        said = f"Neither view has near twins among the {len(found.topics):,} topics that both can compare."
    elif not alone:
        said = f"Both views have the same {pairs.both:,} near-twin pairs."
    else:
        said = f"Near-twin pairs: {pairs.both:,} in both, {pairs.first:,} only with {names[0]}, {pairs.second:,} only with {names[1]}."
    lines = [said]
    if alone:
        lines.append(f"{pairs.clear:,} of the {alone:,} pairs that differ do so clearly.")
    same = f"The first {found.m:,} topics HITS keeps are the same."
    some = f"Of the first {found.m:,} topics HITS keeps, {common:,} are the same ({found.by_chance:.0f} expected by chance)."
    return (*lines, same if common == found.m else some)


def _verdicts(found: ViewComparison, names: tuple[str, str]) -> pd.DataFrame:
    sides = [_numbers(verdict) for verdict in found.verdicts]
    second = names[1] if names[1] != names[0] else f"{names[1]} "
    return pd.DataFrame({"": list(sides[0]), names[0]: list(sides[0].values()), second: list(sides[1].values())})


def _numbers(verdict: Verdict) -> dict[str, str]:
    told = {
        "answer": verdict_question.short_answer(verdict),
        "topics": f"{verdict.topics:,}",
        "documents": f"{verdict.documents:,}",
        "typical similarity": f"{verdict.typical:.2f}" if math.isfinite(verdict.typical) else "–",
    }
    rest = ("near-twin threshold", "near-twin pairs", "clear near twins", "topics HITS can keep")
    if verdict.level == "meaningless":
        return told | dict.fromkeys(rest, "–")
    values = (
        f"{verdict.threshold:.2f}",
        f"{verdict.twin_pairs:,}",
        f"{verdict.clear_pairs:,}",
        verdict_question.kept_topics(verdict),
    )
    return told | dict(zip(rest, values, strict=True))


def _samples(found: ViewComparison, names: tuple[str, str]) -> tuple[str, ...]:
    """List the first topics of HITS in both views."""
    if any(verdict.level == "meaningless" for verdict in found.verdicts):
        return ()
    both = set(found.selected_by_both)
    one, two = ([name for name in sample if name not in both] for sample in found.samples)
    sides = {"Kept in both": list(found.selected_by_both), f"Only with {names[0]}": one, f"Only with {names[1]}": two}
    return tuple(f"{side}: {first_few(held, MOST_NAMED, between=' · ')}" for side, held in sides.items() if held)


def _twins(found: ViewComparison, names: tuple[str, str]) -> pd.DataFrame:
    twins = found.pairs.twins
    second = names[1] if names[1] != names[0] else f"{names[1]} "
    seen_by = {(True, True): "both", (True, False): names[0], (False, True): names[1]}
    return pd.DataFrame(
        {
            "topic": [pair.topics[0] for pair in twins],
            "and topic": [pair.topics[1] for pair in twins],
            "near twins with": [seen_by[pair.seen] for pair in twins],
            "clear": ["yes" if pair.clear else "no" for pair in twins],
            names[0]: [pair.similarity[0] for pair in twins],
            second: [pair.similarity[1] for pair in twins],
        }
    )


def _elsewhere(found: ViewComparison, names: tuple[str, str]) -> str:
    if not any(found.elsewhere):
        return ""
    of = " and ".join(f"{count:,} with {name}" for count, name in zip(found.elsewhere, names, strict=True))
    return f"Near-twin pairs with a topic that only one view has, or can compare: {of}."
