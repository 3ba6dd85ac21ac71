"""Which topics should I keep?"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import Floats, Ints, record
from ..errors import SettingError
from ..formats import counted, defined, first_few, told_apart
from ..plots import hits as plots
from ..render import Answer, Caution, Drawing, Fact, Level, Rows
from ..study import Study
from ..topics import (
    MIXED,
    MOST_IN_MATRIX,
    POLICIES,
    RENAMED_SAMPLERS,
    SAMPLERS,
    HitsView,
    MergedTopics,
    Sample,
    TopicPath,
    TopicPoints,
    TopicSpace,
    Verdict,
    checked_m,
    hits_path_to,
    make_sample,
    may_be_one_topic,
    merged_topics,
    optimum,
    pair_similarities,
    pair_summary,
    path_records,
    topic_points,
    unlike_samplers,
)
from . import verdict as verdict_question
from .notes import incomparable_records
from .settings import Settings as Base
from .settings import choice, integer, number, switch
from .wording import works

NAME, LABEL, QUESTION = "hits", "HITS", "Which topics should I keep?"
HELP = "List the topics HITS keeps, the whole path, and how often bootstrap samples keep each topic."
METHODS = (
    "HITS (Sawatphol et al. 2024) first selects the topic with the lowest mean similarity to all others. It then repeatedly adds "
    "the topic whose mean times maximum similarity to those selected is lowest. The first m of this path are the sample of m topics. The band "
    "shows random samples of the same size. Kept shares come from bootstrap samples of every topic's documents."
)
MOST_NAMED = 20
MOST_STEPS = 1_000  # of the path of very many topics, on a page


def topics_left_out(**more: Any) -> Any:
    """Declare what happens to the topics that are not kept."""
    return choice(
        "Topics left out",
        {name: name for name in POLICIES},
        default="cutting",
        help="Cutting drops them (as in the paper); grouping merges each into its nearest kept topic; hybrid merges only similar ones "
        "and drops the rest.",
        **more,
    )


def merged_from(asked: Callable[[Study, Mapping[str, Any]], bool] = lambda *_: True, **more: Any) -> Any:
    """Declare from which similarity on topics are merged, where the policy asks."""
    return number(
        "Merge from similarity",
        low=0.0,
        high=1.0,
        default=0.6,
        help="The similarity from which hybrid merges a topic.",
        asked=lambda study, chosen: asked(study, chosen) and POLICIES[chosen["policy"]].takes_threshold,
        **more,
    )


@dataclass(frozen=True)
class Settings(Base):
    """How topics are selected."""

    policy: str = topics_left_out(key="policy")
    threshold: float = merged_from(key="threshold")
    m: int | None = integer(
        "Topics to keep (m)",
        low=1,
        high=lambda study, _: len(study.corpus.topic_names),
        default=lambda study, chosen: suggested_m(study, chosen["policy"], chosen["threshold"]),
        command_default=lambda *_: None,
        key="m",
        help="Topics to keep. By default as many as HITS suggests; --json then has all of them.",
        show=lambda m: "as suggested" if m is None else f"{m:,}",
    )
    sampler: str = choice(
        "Sampler",
        lambda *_: {name: SAMPLERS[name].label for name in unlike_samplers()},
        default="hits",
        aliases=RENAMED_SAMPLERS,
        help="What selects the topics.",
    )
    optimum: bool = switch("Exact optimum", help="Also report the lowest possible maximum similarity of m topics.")


@record
class Selection:
    """What the answer is about."""

    verdict: Verdict
    sample: Sample
    m: int
    suggested: int | None  # the most topics without near twins; None where nothing can be suggested
    merged: MergedTopics | None  # what merging does, where the policy merges
    similarity: dict[str, float | None]  # mean and max over pairs of kept topics
    kept: int  # documents
    doubtful: int  # pairs among these topics that may be one topic with two labels
    keeper: str  # the sampler's name
    listed: bool  # the sentences list the topics

    @property
    def asked(self) -> bool:
        """Return whether these are other topics than those suggested."""
        if self.suggested is None or self.verdict.all_similar:
            return False
        return self.m != self.suggested or self.keeper != SAMPLERS["hits"].label


def suggested_m(study: Study, policy: str, threshold: float) -> int:
    """Return how many topics to keep by default: the most without near twins, and at least two."""
    if len(study.corpus.topic_names) > MOST_IN_MATRIX:
        return min(100, len(study.corpus.topic_names))
    verdict, placed = study.judged(2), study.path.comparable
    if verdict.level == "meaningless":
        return max(2, placed // 2)
    merged = _merged(study, verdict, policy, threshold)
    free = verdict.keep if merged is None or merged.m is None or merged.m < 2 else merged.m
    return max(2, free)


def _merged(study: Study, verdict: Verdict, policy: str, threshold: float) -> MergedTopics | None:
    return study.once(
        "merged",
        policy,
        threshold,
        compute=lambda: merged_topics(
            study.every_m(policy, threshold), verdict, study.space, study.path, policy=policy, threshold=threshold
        ),
    )


def answer(study: Study, settings: Settings) -> Answer:
    """Answer which topics to keep."""
    if len(study.corpus.topic_names) > MOST_IN_MATRIX:
        return _answer_for_many(study, settings)
    space = study.space
    m = suggested_m(study, settings.policy, settings.threshold) if settings.m is None else settings.m
    found = _selection(study, settings, m)
    return Answer(
        NAME,
        QUESTION,
        _level(found),
        _headline(found),
        _reasons(found, [space.names[topic] for topic in found.sample.selected]),
        _cautions(study, found),
        (*_facts(study, found), *(_optimum_fact(space, found.m) if settings.optimum else ())),
        _figures(study, found),
        (_selected_table(study, found), _fates_table(study, found), *verdict_question.excluded_table(space)),
        lambda: _data(study, settings, _selection(study, settings, len(space)) if settings.m is None else found),
        settings.rows(study),
        METHODS,
        works("hits", "bootstrap"),
        (),
        found,
        hero=_hero(found),
    )


def _selection(study: Study, settings: Settings, m: int) -> Selection:
    """Return what keeping m topics gives."""
    space, path, verdict = study.space, study.path, study.judged(2)
    sampler = SAMPLERS[settings.sampler]
    m = checked_m(m, len(space))
    selected = path.order[:m] if settings.sampler == "hits" else sampler.selected(space.similarity, m)
    sample = make_sample(space.similarity, selected, policy=settings.policy, threshold=settings.threshold)
    merged = _merged(study, verdict, settings.policy, settings.threshold)
    suggested = _without_twins(verdict, merged)
    return Selection(
        verdict,
        sample,
        m,
        suggested,
        merged,
        pair_summary(space, sample),
        int(space.sizes[sample.assigned >= 0].sum()),
        0 if suggested is None else _doubtful(study, selected),
        sampler.label,
        settings.m != suggested,
    )


def _without_twins(verdict: Verdict, merged: MergedTopics | None) -> int | None:
    """Return the most topics without near twins, at least two; None where there are none or nothing is known."""
    if verdict.level == "meaningless":
        return None
    free = verdict.keep
    if merged is not None:
        free = merged.m if merged.m is not None else verdict.keep if merged.closest < verdict.threshold else 1
    return free if free >= 2 else None


def _level(found: Selection) -> Level:
    if found.verdict.level == "meaningless":
        return "unknown"
    if found.doubtful or found.verdict.mixing >= MIXED:  # Design is not green there either
        return "warning"
    if found.asked:
        clean = (found.similarity["max"] or 0.0) < found.verdict.threshold
        return "good" if clean and found.kept >= found.verdict.documents / 2 else "warning"
    documents = found.verdict.keep_documents if found.merged is None else found.merged.documents
    return "good" if found.suggested is not None and documents >= found.verdict.documents / 2 else "warning"


def _headline(found: Selection) -> str:
    verdict, merged = found.verdict, found.merged
    if verdict.level == "meaningless":
        return verdict_question.headline(verdict)
    if verdict.all_similar:
        return f"Leaving topics out gains nothing: all {verdict.topics:,} topics are very similar (median {verdict.typical:.2f})."
    if found.asked:
        return _asked_headline(found)
    if merged is not None and verdict.keep < verdict.topics:
        if found.suggested is None:
            return f"With {merged.policy}, the topics HITS keeps include near twins at every m."
        return (
            f"Keep {found.suggested:,} of {verdict.topics:,} topics. That is the most without near twins when others are merged into "
            "them."
        )
    if verdict.keep < 2:
        return "HITS cannot keep two topics without near twins: its first two are near twins already."
    if verdict.keep == verdict.topics:
        if found.doubtful:
            return f"No two of the {verdict.topics:,} topics are near twins, but there are too few documents to tell whether all differ."
        return f"Keep all {verdict.topics:,} topics: no two of them are near twins."
    interval = _interval(found)
    if found.doubtful:
        kept = f"Keep at most {verdict.keep:,} of {verdict.topics:,} topics{interval}: with more, some are near twins"
        return f"{kept}. Too few documents to tell whether all {verdict.keep:,} differ."
    return f"Keep {verdict.keep:,} of {verdict.topics:,} topics. That is the most HITS can keep without near twins{interval}."


def _interval(found: Selection) -> str:
    """Return the interval of the suggested number, in brackets; nothing where it has none."""
    interval = found.verdict.keep_interval if found.merged is None else None
    return "" if interval is None or interval[0] == interval[1] else f" (95% CI {interval[0]:,}–{interval[1]:,})"


def _asked_headline(found: Selection) -> str:
    """Say whether near twins are among the topics of an m that was asked for."""
    closest = found.similarity["max"]
    if closest is None:
        return (
            "One topic is no pair to compare."
            if found.m == 1
            else f"No two of these {found.m:,} topics can be compared."
        )
    shown, threshold = told_apart(closest, found.verdict.threshold)
    twins = "near twins" if closest >= found.verdict.threshold else "no near twins"
    kept = f"The {found.m:,} topics that {found.keeper} keeps"
    return f"{kept} include {twins}: the closest pair has similarity {shown}, and near twins begin at {threshold}."


def _reasons(found: Selection, names: Sequence[str]) -> tuple[str, ...]:
    verdict, merged = found.verdict, found.merged
    if verdict.level == "meaningless":
        return verdict_question.reasons(verdict, None)
    said = []
    if found.suggested is not None and not verdict.all_similar:
        few = found.kept < verdict.documents / 2
        less = ", less than half. Grouping keeps the others' documents, but merged topics may be near twins again"
        more = "" if not few or merged is not None else ", less than half" if found.asked else less
        said.append(f"They hold {found.kept:,} of {verdict.documents:,} documents{more}.")
        if found.listed:  # else the table lists them
            order = ", most distinct first" if found.keeper == SAMPLERS["hits"].label else ""
            said.append(f"Keep{order}: {first_few(names, MOST_NAMED, between=' · ')}.")
        if found.asked:
            said.append(
                f"HITS can keep {found.suggested:,} of {verdict.topics:,} without near twins{_interval(found)}."
            )
            return tuple(said)
    if merged is not None and verdict.keep > 1 and found.suggested != verdict.keep and math.isfinite(merged.closest):
        said.append(
            f"Dropping the others instead keeps {verdict.keep:,} topics without near twins. Merged, their closest pair has "
            f"similarity {merged.closest:.2f}."
        )
    return tuple(said)


def _doubtful(study: Study, kept: Ints) -> int:
    """Count the pairs of these topics that may be one topic cut in two, as Design a split does."""
    return int(may_be_one_topic(study.space, study.bootstrap)[np.ix_(kept, kept)].sum()) // 2


def _cautions(study: Study, selection: Selection) -> tuple[Caution, ...]:
    space = study.space
    found = verdict_question.topic_cautions(study.judged(2), space, found=study.corpus.found)
    found = tuple(each for each in found if each.code not in ("few-documents-kept",))
    if selection.doubtful:
        pairs = counted(selection.doubtful, "pair")
        text = f"{pairs} of these topics may be one topic with two labels."
        found += (Caution("may-be-one-topic", text),)
    values = pair_similarities(space.similarity)
    if (values < 0).any():
        found += (
            Caution(
                "negative-similarities",
                f"{int((values < 0).sum()):,} of {len(values):,} pairs have negative similarity. There HITS can prefer the more similar "
                "topic, because the product of two negatives is positive.",
            ),
        )
    return found


def _facts(study: Study, found: Selection) -> tuple[Fact, ...]:
    m, values = found.m, found.similarity
    mean, highest = (ABSENT if value is None else f"{value:.2f}" for value in (values["mean"], values["max"]))
    return (
        Fact("Topics kept", f"{m:,} of {len(study.space):,}", f"{found.kept:,} of {len(study.corpus):,} documents"),
        Fact("Mean similarity", mean, f"of the {counted(m, 'topic')} kept"),
        Fact("Closest pair", highest, f"near twins from {found.verdict.threshold:.2f}"),
    )


ABSENT = "–"


def _hero(found: Selection) -> Fact | None:
    """Return how many topics to keep; nothing where none can be suggested."""
    if found.suggested is None or found.verdict.all_similar:
        return None
    if found.asked:
        return Fact("Topics kept", f"{found.m:,}", f"of {found.verdict.topics:,}")
    interval = found.verdict.keep_interval if found.merged is None else None
    shown = "" if interval is None or interval[0] == interval[1] else f", 95% CI {interval[0]:,}–{interval[1]:,}"
    return Fact("Topics to keep", f"{found.suggested:,}", f"of {found.verdict.topics:,}{shown}")


def _optimum_fact(space: TopicSpace, m: int) -> tuple[Fact, ...]:
    best = _optimum(space, m)
    if best["max"] is None:
        return ()
    how = "proven" if best["proven"] else f"not below {best['max_bound']:.2f}"
    return (Fact("Lowest possible closest pair", f"{best['max']:.2f}", f"of any {m:,} topics, {how}"),)


def _figures(study: Study, found: Selection) -> tuple[Drawing, ...]:
    path, band, m = study.path, study.band, found.m
    if path.comparable < 2:
        return ()
    shares = study.bootstrap.selected_share(m)
    line = found.verdict.threshold
    return (
        Drawing(
            "closest",
            "The closest pair kept, for every m",
            lambda: plots.closest_pair_curve(path, band, m=m, twin_threshold=line, kind=study.similarity),
            f"Band: {band.samples} random samples of the same number of topics.",
        ),
        Drawing(
            "path",
            "The HITS path, and how often each topic is kept",
            lambda: plots.path_steps(study.space.names, path, shares, m=m),
            f"Blue: the {m} topics kept."
            + (
                f" Shares come from {samples} bootstrap samples; near 50% the choice is a coin toss."
                if (samples := len(study.bootstrap.steps))
                else ""
            ),
        ),
    )


def _selected_table(study: Study, found: Selection) -> Rows:
    space, shares = study.space, study.bootstrap.selected_share(found.m)

    def make() -> pd.DataFrame:
        topics = found.sample.selected
        return pd.DataFrame(
            {
                "topic": [space.names[topic] for topic in topics],
                "documents": [int(space.sizes[topic]) for topic in topics],
            }
            | _shares(study, shares, topics)
        )

    return Rows("selected", "Topics kept", make, formats={"kept in bootstrap samples": ".0%"}, lead=True)


def _shares(study: Study, shares: Floats, topics: Iterable[int]) -> dict[str, list[float]]:
    """Return the column of shares, where bootstrap samples were drawn."""
    return (
        {"kept in bootstrap samples": [float(shares[topic]) for topic in topics]} if len(study.bootstrap.steps) else {}
    )


def _fates_table(study: Study, found: Selection) -> Rows:
    def make() -> pd.DataFrame:
        space, sample = study.space, found.sample
        shares, names = study.bootstrap.selected_share(found.m), space.names

        def fate(topic: int) -> str:
            if sample.steps[topic]:
                return f"kept, step {sample.steps[topic]}"
            if sample.assigned[topic] not in (topic, -1):
                return f"merged into {names[sample.assigned[topic]]}"
            return "dropped" if space.comparable[topic] else "too few documents"

        order = study.path.order.tolist()
        return pd.DataFrame(
            {
                "topic": [names[topic] for topic in order],
                "documents": [int(space.sizes[topic]) for topic in order],
                "result": [fate(topic) for topic in order],
            }
            | _shares(study, shares, order)
        )

    return Rows("topics", "All topics, in path order", make, formats={"kept in bootstrap samples": ".0%"}, most=80)


def _data(study: Study, settings: Settings, found: Selection) -> dict[str, Any]:
    space, path = study.space, study.path
    shares = study.bootstrap.selected_share(found.m)
    data = {
        "topics": list(space.names),
        "path": path_records(space, path),
        "m": found.m,
        "selected": [space.names[topic] for topic in found.sample.selected],
        "similarity": found.similarity,
        "kind": space.kind,
        "kept_share": {space.names[topic]: defined(float(shares[topic])) for topic in path.order},
        "unplaced": incomparable_records(space),
    }
    if settings.optimum:
        data["optimum"] = _optimum(space, found.m)
    return data | {"notes": list(study.vectors.notes)}


def _optimum(space: TopicSpace, m: int) -> dict[str, Any]:
    if not space.comparable.any():
        return {"max": None, "mean": None, "max_bound": None, "proven": False, "topics": []}
    best = optimum(space.similarity, min(m, int(space.comparable.sum())))
    values = {name: defined(getattr(best, name)) for name in ("max", "mean", "max_bound")}
    return values | {"proven": best.proven, "topics": [space.names[topic] for topic in best.topics]}


def points_and_path(study: Study, m: int) -> tuple[TopicPoints, TopicPath]:
    """Return very many topics as points, and the first m steps of HITS among them."""
    corpus, matrix = study.corpus, study.vectors.matrix
    points = study.once(
        "points",
        compute=lambda: topic_points(matrix, corpus.topic_codes, corpus.topic_names, similarity=study.similarity),
    )
    wait = "Computing the HITS path …"
    return points, study.once(
        "path to", m, compute=lambda: hits_path_to(points, m=m, progress=study.progress), wait=wait
    )


def _answer_for_many(study: Study, settings: Settings) -> Answer:
    """Answer without a matrix of all pairs: the path ends at m, and there are no bootstrap samples."""
    count = len(study.corpus.topic_names)
    if settings.sampler != "hits" or settings.optimum:
        what = "The exact optimum" if settings.optimum else f"The sampler {settings.sampler}"
        raise SettingError(
            f"{what} supports up to {MOST_IN_MATRIX:,} topics; this corpus has {count:,}. Use the sampler hits, or leave out small topics."
        )
    m = checked_m(count if settings.m is None else settings.m, count)
    topics, path = points_and_path(study, m)
    kept, closest = int(topics.sizes[path.order].sum()), defined(path.max[-1])
    pair = "" if closest is None else f" Their closest pair has similarity {closest:.2f}."
    note = f"With more than {MOST_IN_MATRIX:,} topics, the path ends at m and kept shares are not computed."

    def data() -> dict[str, Any]:
        return {
            "topics": list(topics.names),
            "path": path_records(topics, path),
            "m": m,
            "selected": [topics.names[topic] for topic in path.order],
            "similarity": {"mean": defined(path.mean[-1]), "max": closest},
            "kind": topics.kind,
            "kept_share": {},
            "unplaced": incomparable_records(topics),
            "notes": [*study.vectors.notes, note],
        }

    return Answer(
        NAME,
        QUESTION,
        "neutral",
        f"These {m:,} of {count:,} topics hold {kept:,} of {len(study.corpus):,} documents.{pair}",
        cautions=(Caution("many-topics", note),),
        make_data=data,
        settings=settings.rows(study),
        methods=METHODS,
        references=works("hits"),
    )


def sample_sentences(view: HitsView) -> dict[str, str]:
    """Return what a view says of random samples, with places for m and for how many of them lie above."""
    samples = 0 if view.band is None else view.band.samples
    by_chance = " Any labels would give this: HITS picks what differs by chance." if view.meaningless else ""
    ranked = (
        f"have a lower mean similarity than {{mean}} of {samples:,} random samples, and a lower maximum than {{max}}."
        f"{by_chance}"
    )
    return {
        "all": "All {m} comparable topics are kept, as in every random sample of {m}.",
        "some": f"The {{m}} topics HITS keeps {ranked}",
        "merged": f"Before merging, the {{m}} topics HITS keeps {ranked}",
    }


def sample_sentence(view: HitsView, m: int) -> str:
    """Return where the m topics of HITS stand among random samples of as many."""
    words = sample_sentences(view)
    if view.band is None or m < 2:
        return ""
    if m == view.path.comparable:
        return words["all"].format(m=m)
    mean, maximum = (view.band.samples - int(ranks[m - 1]) for ranks in (view.band.mean_rank, view.band.max_rank))
    return words["merged" if view.merges(m) else "some"].format(m=m, mean=f"{mean:,}", max=f"{maximum:,}")


def view_json(view: HitsView) -> dict[str, Any]:
    """Return a view with its sentences for the browser."""
    return view.as_json() | {"words": sample_sentences(view) | {"people": view.samples.people}}
