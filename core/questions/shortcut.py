"""Which model relies on topic?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, isnan
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import record
from ..errors import SettingError
from ..evaluation import (
    MARGIN,
    PAIR_KINDS,
    Reliance,
    ShortcutTest,
    SystemAnswers,
    SystemResult,
    TestPairs,
    mean_baselines,
    need_authors,
    need_topics,
    pairs_and_answers,
    shortcut_test,
    topical_reliance,
)
from ..formats import ABSENT, defined, listed, number
from ..models import METRICS
from ..papers.hits_2024 import FOLDS, Benchmark, BenchmarkAnswers, SetupStatistics, benchmark_statistics, workable_size
from ..plots import shortcut as plots
from ..render import Answer, Caution, Drawing, Fact, Level, Rows
from ..splits import PAIRINGS
from ..study import Study
from ..topics import RENAMED_SAMPLERS, SAMPLERS, unlike_samplers
from .runs import (
    GAP,
    ORACLE,
    SampledRuns,
    calibration_of_scores,
    number_of_folds,
    pairing_of_texts,
    random_samples,
    references_of,
    sampled_runs,
    skipped_rows,
    topics_kept,
    usual_topics,
)
from .settings import Settings as Base
from .settings import choice, integer, seed, several, text
from .settings import number as decimal
from .wording import works

NAME, LABEL, QUESTION = "shortcut", "Shortcut test", "Which model relies on topic?"
HELP = "Compare each system's score under HITS and on random topics: a lower score under HITS shows reliance on topic."
METHODS = (
    "The topic shortcut test (Sawatphol et al. 2024) compares a model's score on the topics HITS keeps and on random samples of "
    "the same size. A control that relies on topic shows whether the test can detect reliance here. Readings follow the "
    "95% interval of the difference."
)
MEANINGLESS = "The labels do not separate these texts, so HITS has nothing to choose and the test nothing to compare."
LEVEL_GAPS = 0.005  # gaps of HITS and random pairs that differ by less are one gap
MOST_NAMED = 3
CHANCE = 0.5
CONTROL = "topic_fit"  # the model that relies on topic by design
READINGS = {"leans": "yes", "does not": "no", "cannot tell": "inconclusive"}


def _workable(study: Study, chosen: Mapping[str, Any]) -> tuple[int, int]:
    """Return m and k with which every fold of every sample can be paired: as many topics as HITS suggests, if that is possible."""
    pairs, m, size = chosen["pairs"], usual_topics(study), None

    def compute() -> tuple[int, int] | None:
        of = partial(workable_size, study.corpus, study.space, pairs=pairs)
        return of(m=m) or of()

    if study.corpus.author_codes is not None:
        size = study.once("workable", pairs, compute=compute)
    return size or (max(3, m), FOLDS)


def _metric(**more: Any) -> Any:
    labels = {name: metric.label for name, metric in METRICS.items()}
    return choice("Metric", labels, default="overall", help="The score that is compared.", **more)


@dataclass(frozen=True)
class Settings(Base):
    """What is tested."""

    metric: str = _metric(key="metric")
    margin: float = decimal(
        "Margin",
        low=0.005,
        high=0.2,
        default=MARGIN,
        step=0.005,
        key="lean_margin",
        more=True,
        help="A difference that does not matter. A model does not rely on topic where its whole interval is within this margin.",
    )
    pairs: str = pairing_of_texts(asked=None)
    m: int = topics_kept(lambda study, chosen: _workable(study, chosen)[0])
    k: int = number_of_folds(lambda study, chosen: _workable(study, chosen)[1])
    models: tuple[str, ...] = several(
        "Models",
        lambda study, _: study.models("verification", by_choice=True),
        refusal=lambda study, _, name: study.why_no_model("verification", name),
        key="{question}_models_verification",
        more=True,
        help="All usual ones by default. TopicFit is the control.",
    )
    samples: int = random_samples()
    calibration: str = calibration_of_scores(asked=None)


@dataclass(frozen=True)
class RavenSettings(Base):
    """A benchmark to ask other people's systems."""

    m: int | None = integer(
        "Topics per sample (m)",
        low=2,
        high=None,
        default=None,
        help="Topics in each sample. By default as many as HITS suggests, or as pairs need.",
    )
    k: int | None = integer(
        "Number of folds (k)",
        low=2,
        high=None,
        default=None,
        help="Folds in each sample. By default 10, or fewer if pairs need it.",
    )
    sampler: str = choice(
        "Sampler",
        {name: SAMPLERS[name].label for name in unlike_samplers()},
        default="hits",
        aliases=RENAMED_SAMPLERS,
        help="What selects the dissimilar topics.",
    )
    pairs: str = pairing_of_texts(asked=None)
    train_texts: str = choice(
        "Texts of training pairs",
        {"auto": "while they fit into 300 MB", "yes": "yes", "no": "no"},
        default="auto",
        help="Write training pairs with their texts. With auto, while they fit into 300 MB.",
    )
    seed: int = seed("Seed of the sample, the folds and the pairs.")


@dataclass(frozen=True)
class AnswersSettings(Base):
    """How answers to a benchmark are tested."""

    metric: str = _metric()
    control: str | None = text(
        "Control", default=None, help="The system that relies on topic. By default the one called TopicFit, if any."
    )
    seed: int = seed("Seed of the bootstrap.")


@record
class SamplePairs:
    """The test pairs of one sample, and what topics alone tell about them."""

    sample: str
    group: str
    pairs: int
    left_out: int
    gap: float
    topic_oracle_auc: float


@record
class Tested:
    """What the answer is about."""

    pairs: tuple[TestPairs, ...]
    systems: tuple[SystemAnswers, ...]
    told: tuple[SamplePairs, ...]
    reliance: tuple[Reliance, ...]
    pairing: str
    test: ShortcutTest | None  # None where the labels mean nothing
    runs: SampledRuns | None = None  # None where the answers come from files

    @property
    def gaps(self) -> tuple[float, float]:
        """Return the mean gap of the pairs under HITS and on random samples."""
        found = [
            [each.gap for each in self.told if each.group == group and isfinite(each.gap)]
            for group in ("hits", "random")
        ]
        hits, random = (float(np.mean(each)) if each else float("nan") for each in found)
        return hits, random


def answer(study: Study, settings: Settings) -> Answer:
    """Answer which models rely on topic."""
    need_authors(study.corpus)
    if not study.corpus.has_authors:
        raise SettingError(
            f"The shortcut test asks whether one author wrote two texts, and this corpus predicts '{study.corpus.predicts}'. "
            "Use the leakage curve instead."
        )
    need_topics(study.corpus)
    found = study.once(
        "shortcut", settings.but(metric="overall", margin=MARGIN), compute=lambda: _runs_and_pairs(study, settings)
    )
    runs = found.runs
    assert runs is not None
    if study.labels.meaningful:
        found = replace(
            found, test=shortcut_test(found.pairs, found.systems, metric=settings.metric, margin=settings.margin)
        )
    seeds = f"0 for HITS, folds and pairs; 0 to {settings.samples - 1} for random samples"
    return _answer(
        found,
        settings.metric,
        rows=(*settings.but(models=tuple(runs.models)).rows(study), ("Seeds", seeds)),
        references=references_of(runs.evaluations),
    )


def _runs_and_pairs(study: Study, settings: Settings) -> Tested:
    runs = sampled_runs(
        study,
        task="verification",
        m=settings.m,
        k=settings.k,
        samples=settings.samples,
        models=settings.models,
        pairs=settings.pairs,
        calibration=settings.calibration,
    )
    each = list(zip(runs.setups, runs.evaluations, strict=True))
    pairs, systems = pairs_and_answers(each)
    told = []
    for setup, evaluation in each:
        known = mean_baselines(evaluation, setup.corpus)
        counts = known.questions, known.left_out
        told.append(SamplePairs(setup.key, setup.sampler, *counts, known.gap, known.topic_oracle_auc))
    reliance = topical_reliance(pairs, systems) if any(map(len, pairs)) else ()
    return Tested(pairs, systems, tuple(told), reliance, settings.pairs, None, runs)


def answer_of_files(
    found: BenchmarkAnswers,
    *,
    metric: str = "overall",
    margin: float = MARGIN,
    control: str | None = None,
    seed: int = 0,
) -> Answer:
    """Answer which systems rely on topic by their answers to a benchmark."""
    told = tuple(
        SamplePairs(each.key, each.group, each.pairs["test"], each.left_out["test"], each.gap, each.topic_oracle_auc)
        for each in found.statistics
    )
    test = shortcut_test(found.pairs, found.systems, metric=metric, control=control, margin=margin, seed=seed)
    reliance = topical_reliance(found.pairs, found.systems)
    rows = (("Metric", METRICS[metric].label), ("Margin", f"{margin:g}"), ("Pairs", PAIRINGS[found.pairing].label))
    return _answer(Tested(found.pairs, found.systems, told, reliance, found.pairing, test), metric, rows=rows)


def _answer(
    found: Tested, metric: str, *, rows: tuple[tuple[str, str], ...], references: tuple[str, ...] = ()
) -> Answer:
    test, label = found.test, METRICS[metric].label
    skipped = () if found.runs is None else skipped_rows(found.runs.by_sample)
    tables = (_pairs_table(found), *skipped, *_notes_table(found))
    figures: tuple[Drawing, ...] = ()
    if test is not None:
        tables = (_systems_table(test, len(found.pairs)), *_reliance_table(found), *tables)
        if any(isfinite(each.gap) for each in test.results):
            figures = (_changes(test, label), _drawing(test, label))
    return Answer(
        NAME,
        QUESTION,
        "unknown" if test is None else level_of(test),
        f"Inconclusive. {MEANINGLESS}" if test is None else headline(test),
        () if test is None else reasons(test),
        _cautions(found),
        _facts(found),
        figures,
        tables,
        lambda: _data(found, metric),
        rows,
        METHODS,
        (*works("hits"), *references),
        numbers=found,
        hero=None if test is None else _hero(test, _facts(found)),
        next_steps=(ELSEWHERE,) if test is not None and level_of(test) == "unknown" else (),
    )


def level_of(test: ShortcutTest) -> Level:
    """Return "warning" where a system relies on topic, "good" where the test shows that none does."""
    others = [each.reading for each in test.results if each.name != test.control]
    if "leans" in others:
        return "warning"
    if not test.power:
        return "unknown"
    return "good" if others and set(others) == {"does not"} else "neutral"


def headline(test: ShortcutTest) -> str:
    """Name the systems that rely on topic, or say why the test is inconclusive."""
    relying, _, _ = _by_reading(test)
    if test.power is False and not relying:
        control = next(each for each in test.results if each.name == test.control)
        if isnan(control.gap):
            return f"Inconclusive. The control {control.name} has no score to compare."
        scores = f"under HITS ({_score(control.hits)}) than on random topics ({_score(control.random)})"
        return f"Inconclusive. Even {control.name}, which relies on topic, does not score significantly lower {scores}."
    if relying:
        rely = "relies" if len(relying) == 1 else "rely"
        who = listed(relying) if len(relying) <= MOST_NAMED else f"{len(relying)} systems"
        return f"{who} {rely} on topic: significantly lower scores under HITS than on random topics."
    if test.power is None:
        return "Inconclusive. No system scores significantly lower under HITS, and no control shows that the test could detect it."
    if level_of(test) == "good":
        return f"No system relies on topic: under HITS, scores differ by less than {test.margin:g}."
    return "No system clearly relies on topic."


def reasons(test: ShortcutTest) -> tuple[str, ...]:
    """Say what the control shows, who does not rely on topic, and for whom the test is inconclusive."""
    relying, not_, open_ = _by_reading(test)
    said = []
    if test.power:
        control = next(each for each in test.results if each.name == test.control)
        said.append(
            f"The control {control.name} scores {_score(-control.gap)} lower under HITS, so the test can detect reliance on topic here."
        )
        if len(relying) > MOST_NAMED:
            said.append(f"Systems that rely on topic: {listed(relying)}.")
        elif not_ and level_of(test) != "good":
            said.append(
                f"{_some(not_)} {'does' if len(not_) == 1 else 'do'} not: the difference is within {test.margin:g}."
            )
    elif test.power is False and relying:
        said.append(
            f"The control {test.control} does not score significantly lower, so the test cannot show that a system ignores topic here."
        )
    if open_ and (test.power or relying):
        said.append(f"The test is inconclusive for {_some(open_)}.")
    return tuple(said)


def _some(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= MOST_NAMED else f"{len(names)} systems"


def _by_reading(test: ShortcutTest) -> tuple[list[str], list[str], list[str]]:
    """Return who relies on topic, who does not and who is open, without the control."""
    others = [each for each in test.results if each.name != test.control]
    relying, not_, open_ = ([each.name for each in others if each.reading == reading] for reading in READINGS)
    return relying, not_, open_


def _score(value: float) -> str:
    return number(value).replace("0.", ".", 1)


def why(result: SystemResult, test: ShortcutTest) -> str:
    """Say in a few words why a system has its reading."""
    low, high = result.gap_interval
    within = -test.margin <= low and high <= test.margin
    if isnan(result.gap):
        return "no defined score in one kind of sample"
    if isnan(low):
        return "one random sample shows no variation between samples"
    if high < 0:
        return f"scores {_score(-result.gap)} lower under HITS"
    if test.power is False:
        return "the control itself does not score significantly lower under HITS"
    if within:
        return (
            "within the margin, but without a control" if test.power is None else "the difference is within the margin"
        )
    if low > 0:
        return f"scores {_score(result.gap)} higher under HITS, which topic does not explain"
    return "the interval contains 0 and is wider than the margin"


def _cautions(found: Tested) -> tuple[Caution, ...]:
    said = []
    if found.test is not None and found.test.power is None:
        said.append(
            Caution(
                "no-control",
                "Without a control, equal scores do not show that a system ignores topic. Add TopicFit, or name a file TopicFit.",
            )
        )
    said += _missing_folds(found)
    said += pairs_cautions(*found.gaps)
    return (*said, *(() if found.runs is None else found.runs.skipped()))


def _missing_folds(found: Tested) -> list[Caution]:
    """Say that systems are ranked on the folds that all of them have, where some have fewer."""
    test, folds = found.test, len(found.pairs)
    if test is None or test.ranked_folds == folds:
        return []
    fewer = [each.name for each in test.results if 0 < each.undefined_folds < folds]
    if not fewer:
        return []
    said = f"{listed(fewer)} {'has' if len(fewer) == 1 else 'have'} no score in some folds."
    which = f"Ranks are over the {test.ranked_folds} of {folds} folds that every system has."
    return [Caution("folds-missing", f"{said} {which}")]


def pairs_cautions(hits: float, random: float) -> list[Caution]:
    """Warn where topic separates the pairs of HITS better than random ones, by their gaps."""
    if not hits - random > LEVEL_GAPS:
        return []
    said = f"Topics separate these pairs better under HITS (gap {hits:.2f}) than at random ({random:.2f})."
    return [Caution("topic-tells-pairs", f"{said} This raises scores under HITS. Use pairs with matched topics.")]


ELSEWHERE = "Measure the leakage curve (Folds & accuracy) instead: its training sets are equally large, so it detects smaller effects."


def _hero(test: ShortcutTest, shown: tuple[Fact, ...]) -> Fact | None:
    """Return how many systems rely on topic; where the test shows nothing, what the control loses, which the headline is about."""
    relying, not_, open_ = _by_reading(test)
    systems = len(relying) + len(not_) + len(open_)
    if not systems:
        return None
    help = "The control is not counted."
    if not test.power and not relying:
        if shown[0].value != ABSENT:
            return shown[0]
        return Fact("Inconclusive", f"{len(open_)} of {systems}", "systems", help)
    note = f"{len(open_)} inconclusive" if open_ else ""
    return Fact("Systems that rely on topic", f"{len(relying)} of {systems}", note, help)


def _facts(found: Tested) -> tuple[Fact, ...]:
    hits, random = found.gaps
    gap = Fact("Gap of the pairs under HITS", number(hits, ".2f"), f"random {number(random, '.2f')}", GAP)
    test = found.test
    if test is None:
        return (gap,)
    control = next((each for each in test.results if each.name == test.control), None)
    shown = "no system is named TopicFit" if control is None else f"{control.name}, under HITS"
    alarms = "–" if isnan(test.placebo) else f"{test.placebo:.0%}"
    return (
        Fact(
            "Change of the control",
            ABSENT if control is None else number(control.gap, "+.3f"),
            shown,
            "A system that relies on topic. Only where it scores lower under HITS can the test show that others ignore topic.",
        ),
        gap,
        Fact(
            "False alarms of the t-test",
            alarms,
            "too few random samples" if isnan(test.placebo) else "5% would be right",
            "How often the paper's t-test calls one random sample different from the others.",
        ),
    )


def _changes(test: ShortcutTest, metric: str) -> Drawing:
    return Drawing(
        "changes",
        "Does the score fall where topics do not leak?",
        lambda: plots.changes(test, metric),
        f"A bar left of 0 shows reliance on topic. Bars are 95% intervals; within the grey band (±{test.margin:g}) a change does not "
        "matter.",
        lead=True,
    )


def _drawing(test: ShortcutTest, metric: str) -> Drawing:
    return Drawing(
        "avg_diff",
        "Score, and how much it changes under HITS",
        lambda: plots.avg_against_diff(test, metric),
        "Avg: mean of the scores under HITS and at random. Diff: how far apart they are. Hollow: the 95% interval contains 0 or is "
        "unknown. Bars: 95% intervals.",
    )


def by_similarity(reliance: Sequence[Reliance], kind: str) -> Drawing:
    """Return accuracy against the similarity of the two texts, for one kind of pair."""
    low = []
    for each in reliance:
        right, answered = np.nan_to_num(each.accuracy[kind]), each.answered[kind]
        if answered.sum() and (right * answered).sum() / answered.sum() < CHANCE:
            low.append(each.name)
    always = {"different": "“same author”", "same": "“different authors”"}.get(kind, "one of the two")
    floor = (
        f" Below chance: {listed(low)}. The threshold answers {always} to most pairs, so a line near 0 says nothing about topic."
        if low
        else ""
    )
    return Drawing(
        "by_similarity",
        "Accuracy by similarity of the two texts",
        lambda: plots.accuracy_by_similarity(reliance, kind),
        "A system that mistakes topic for style takes similar texts by two authors for one author's, so its line falls to the right."
        + floor,
    )


def _systems_table(test: ShortcutTest, folds: int) -> Rows:
    def make() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {
                    "system": each.name,
                    "relies on topic?": READINGS[each.reading],
                    "why": why(each, test),
                    "HITS": each.hits,
                    "random": each.random,
                    "HITS − random": each.gap,
                    "95% CI from": each.gap_interval[0],
                    "to": each.gap_interval[1],
                    "Avg": each.avg,
                    "Diff": each.diff,
                    "rank by Avg": each.rank_avg,
                    "rank by Diff": each.rank_diff,
                    "p (t-test, Holm)": each.adjusted_p,
                    "folds": f"{folds - each.undefined_folds} of {folds}",
                }
                for each in test.results
            ]
        )

    return Rows(
        "shortcut_test",
        "The test for every system",
        make,
        "Readings follow the interval, not p. p comes from the paper's unpaired t-test over folds, which share documents.",
        formats={"p (t-test, Holm)": ".2g", "rank by Avg": "g", "rank by Diff": "g"},
        lead=True,
    )


def _reliance_table(found: Tested) -> tuple[Rows, ...]:
    if not found.reliance:
        return ()

    def make() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {"system": each.name} | {f"ρ, {PAIR_KINDS[kind]}": each.rho.get(kind, np.nan) for kind in PAIR_KINDS}
                for each in found.reliance
            ]
        )

    note = (
        "Spearman's ρ between a system's scores and the similarity of the two texts. Within one kind of pair the right answer never "
        "changes, so ρ shows how far scores follow similarity, which is mostly topic."
    )
    return (Rows("shortcut_reliance", "Scores and similarity", make, note),)


def _pairs_table(found: Tested) -> Rows:
    def make() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {
                    "sample": each.sample,
                    "test pairs": each.pairs,
                    "left out": each.left_out,
                    "gap": each.gap,
                    "topic oracle AUC": each.topic_oracle_auc,
                }
                for each in found.told
            ]
        )

    note = f"Pairs: {PAIRINGS[found.pairing].label.lower()}. Gap: {GAP} Topic oracle: {ORACLE}"
    return Rows("shortcut_pairs", "What topics tell about the pairs", make, note)


def _notes_table(found: Tested) -> tuple[Rows, ...]:
    """Return the notes on answers read from files, once for all systems they concern."""
    if found.runs is not None:
        return ()
    notes: dict[str, list[str]] = {}
    for system in found.systems:
        for note in system.notes:
            notes.setdefault(note, []).append(system.name)
    rows = [{"systems": ", ".join(names), "note": note} for note, names in notes.items()]
    return (Rows("answer_notes", "Notes on the answers", lambda: pd.DataFrame(rows)),) if rows else ()


def _data(found: Tested, metric: str) -> dict[str, Any]:
    test, label = found.test, METRICS[metric].label
    if test is None:
        return {"power": None, "control": None, "margin": None, "metric": metric, "models": {}, "notes": []}
    notes = [f"{system.name}: {note}" for system in found.systems for note in system.notes]
    notes += [
        f"{each.name}: {label} is undefined in {each.undefined_folds} of {len(found.pairs)} folds, which are left out."
        for each in test.results
        if each.undefined_folds
    ]
    notes += [f"{each.name}: {READINGS[each.reading]}, {why(each, test)}." for each in test.results]
    return {
        "power": test.power,
        "control": test.control,
        "margin": test.margin,
        "metric": metric,
        "placebo_rate": defined(test.placebo),
        "models": {each.name: _record(each, rho) for each, rho in zip(test.results, found.reliance, strict=True)},
        "notes": notes,
    }


def _record(result: SystemResult, found: Reliance) -> dict[str, Any]:
    values = ("hits", "random", "avg", "diff", "rank_avg", "rank_diff", "gap", "p", "adjusted_p")
    return {name: defined(getattr(result, name)) for name in values} | {
        "reading": result.reading,
        "gap_interval": [defined(bound) for bound in result.gap_interval],
        "avg_interval": [defined(bound) for bound in result.avg_interval],
        "diff_interval": [defined(bound) for bound in result.diff_interval],
        "within_noise": result.within_noise,
        "similarity_rho": {kind: defined(value) for kind, value in found.rho.items()},
    }


# The benchmark that the test is taken on elsewhere (RAVEN)


def benchmark_answer(
    benchmark: Benchmark,
    *,
    meaningful: bool,
    notes: Sequence[str] = (),
    written: Callable[[], Mapping[str, Any]] = dict,
) -> Answer:
    """Say what a benchmark holds, and what was written of it."""
    settings, setups = benchmark.settings, benchmark_statistics(benchmark)
    cautions = () if meaningful else (Caution("meaningless-labels", MEANINGLESS),)
    return Answer(
        "raven",
        "What does the benchmark hold?",
        "neutral" if meaningful else "unknown",
        f"Wrote a benchmark of {settings.m} topics in {settings.k} folds: topics kept by {SAMPLERS[settings.sampler].label} and "
        f"{len(setups) - 1} random samples.",
        cautions=(*cautions, *(Caution("run-note", note) for note in notes)),
        tables=(benchmark_table(setups),),
        make_data=lambda: {
            "m": settings.m,
            "k": settings.k,
            **written(),
            "pairs": settings.pairs,
            "setups": {each.key: _statistics(each) for each in setups},
            "notes": list(notes),
        },
        next_steps=("Run your systems on the test pairs, then give their answers to the shortcut test.",),
        numbers=setups,
    )


def benchmark_table(setups: Sequence[SetupStatistics]) -> Rows:
    """Return what each sample of a benchmark holds."""

    def make() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {"sample": each.key, "topics": each.topics, "documents": each.documents, "authors": each.authors}
                | {f"{side} pairs": count for side, count in each.pairs.items()}
                | {"left out": sum(each.left_out.values()), "gap": each.gap, "topic oracle AUC": each.topic_oracle_auc}
                for each in setups
            ]
        )

    return Rows("raven_setups", "What each sample holds", make, lead=True)


def _statistics(found: SetupStatistics) -> dict[str, Any]:
    return {
        "topics": found.topics,
        "documents": found.documents,
        "authors": found.authors,
        "pairs": sum(found.pairs.values()),
        "train_pairs": found.pairs["train"],
        "test_pairs": found.pairs["test"],
        "left_out": sum(found.left_out.values()),
        "gap": found.gap,
        "topic_oracle_auc": found.topic_oracle_auc,
    }
