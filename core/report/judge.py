"""The sections of Judge that set HITS beside random samples: the ranking of models, and who leans on topic."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Floats, record
from ..errors import unknown
from ..evaluation import (
    TASKS,
    Evaluation,
    fold_scores,
    mean_baselines,
    metric_labels,
    need_authors,
    need_topics,
    score_table,
)
from ..formats import interval, number, numbers
from ..models import METRICS
from ..plots import ranking as ranking_plots
from ..plots import shortcut as shortcut_plots
from ..splits import PAIRINGS
from ..statistics import lead, rank_models, ranking_conclusion, stability_interval
from ..studies import NO_LABELS, ShortcutTest, pairs_and_answers, pairs_caution, shortcut_test
from ..studies.raven import FOLDS, workable_size
from ..topics import RANDOM_SEEDS, Setup
from .runs import MOST_FOLDS, models_of, sampled_runs, skipped
from .subject import Drawing, ReportTable, Section, Subject, table

Runs = Sequence[tuple[Setup, Evaluation]]


def ranking(
    subject: Subject,
    *,
    task: str = "attribution",
    m: int | None = None,
    k: int | None = None,
    samples: int = len(RANDOM_SEEDS),
    models: Sequence[str] = (),
    pairs: str = "matched",
    metric: str | None = None,
) -> Section:
    """Which model wins on the topics HITS keeps, and whether folds and random samples agree."""
    need_authors(subject.corpus)
    topics, labels = need_topics(subject.corpus), models_of(subject, task, models)
    m = max(3, topics // 2) if m is None else m
    k = min(m, MOST_FOLDS, 6 if k is None else k)
    pairing = pairs if TASKS[task].asks_pairs else "matched"
    runs = sampled_runs(subject, "ranking", m=m, k=k, samples=samples, task=task, models=list(labels), pairing=pairing)
    samples, names = len(runs) - 1, list(models_of(subject, task, runs[0][1].models).values())
    metrics = metric_labels(runs[0][1], subject.corpus)
    metric = metric or ("overall" if "overall" in metrics else TASKS[task].default_metric)
    if metric not in metrics:
        raise unknown("metric", metric, metrics)
    ranked = _Ranked(
        tuple(names),
        tuple(setup.name for setup, _ in runs),
        tuple(score_table(fold_scores(evaluation, setup.corpus), metric) for setup, evaluation in runs),
    )
    said = ranking_conclusion(ranked.tables, names, metric=metrics[metric], meaningful=subject.labels.meaningful)
    return Section(
        "ranking",
        "Which model wins, and is that stable?",
        said.answer,
        said.cautions,
        drawings=(ranked.drawing(),),
        tables=(ranked.ranks(), ranked.stability(), *skipped({setup.name: each for setup, each in runs})),
        settings=(
            ("Task", task),
            ("Models", ", ".join(names)),
            ("Topics kept (m)", str(m)),
            ("Folds (k)", str(k)),
            ("Random samples", str(samples)),
            *([("Pairs", PAIRINGS[pairing].label)] if TASKS[task].asks_pairs else []),
            ("Ranked by", metrics[metric]),
            ("Seeds", f"0 for HITS, folds and pairs; 0 to {samples - 1} for random samples"),
        ),
    )


@record
class _Ranked:
    """Models by name, setups by name, HITS first, and a table of scores (models × folds) a setup."""

    names: tuple[str, ...]
    setups: tuple[str, ...]
    tables: tuple[Floats, ...]

    def drawing(self) -> Drawing:
        rankings = {name: rank_models(each) for name, each in zip(self.setups, self.tables, strict=True)}
        return Drawing("Rank of each model in each fold (1 is best)", ranking_plots.ranks(rankings, list(self.names)))

    def ranks(self) -> ReportTable:
        hits, pooled = rank_models(self.tables[0]), rank_models(np.concatenate(self.tables[1:], axis=1))
        ahead = lead(hits)
        columns = {
            "model": self.names,
            "under HITS": numbers(hits.mean, ".1f"),
            "95 %": [interval(low, high, ".1f") for low, high in zip(ahead.low, ahead.high, strict=True)],
            "random samples": numbers(pooled.mean, ".1f"),
        }
        return table("Mean ranks", columns)

    def stability(self) -> ReportTable:
        found = [stability_interval(each) for each in self.tables]
        columns = {
            "setup": self.setups,
            "stability (mean ρ)": numbers(mean for mean, _, _ in found),
            "95 %": [interval(low, high) for _, low, high in found],
        }
        return table("How well two folds agree", columns)


def shortcut(
    subject: Subject,
    *,
    metric: str = "overall",
    margin: float = 0.02,
    pairs: str = "matched",
    m: int | None = None,
    k: int | None = None,
    samples: int = len(RANDOM_SEEDS),
    models: Sequence[str] = (),
) -> Section:
    """Which model takes topic for style."""
    need_authors(subject.corpus)
    need_topics(subject.corpus)
    if metric not in METRICS:
        raise unknown("metric", metric, METRICS)
    size, dealt = workable_size(subject.corpus, subject.space, pairs=pairs) or (None, FOLDS)
    m = (size or max(3, len(subject.corpus.topic_names) // 2)) if m is None else m
    k = min(m, MOST_FOLDS, dealt if k is None else k)
    labels, task = models_of(subject, "verification", models), "verification"
    runs = sampled_runs(subject, "shortcut", m=m, k=k, samples=samples, task=task, models=list(labels), pairing=pairs)
    samples, labels = len(runs) - 1, models_of(subject, task, runs[0][1].models)
    settings = (
        ("Metric", METRICS[metric].label),
        ("A difference that does not matter", f"{margin:g}"),
        ("Pairs", PAIRINGS[pairs].label),
        ("Topics kept (m)", str(m)),
        ("Folds (k)", str(k)),
        ("Models", ", ".join(labels.values())),
        ("Random samples", str(samples)),
        ("Seeds", f"0 for HITS, folds and pairs; 0 to {samples - 1} for random samples"),
    )
    title = "Which model leans on topic?"
    if not subject.labels.meaningful:
        return Section("shortcut", title, NO_LABELS, settings=settings)
    test = shortcut_test(*pairs_and_answers(runs), metric=metric, margin=margin)
    gaps = {kind: _gap(runs, kind) for kind in ("hits", "random")}
    caution = pairs_caution(gaps["hits"], gaps["random"], pairing=PAIRINGS[pairs].label)
    return Section(
        "shortcut",
        title,
        test.sentence,
        (*(result.sentence for result in test.results), *((caution,) if caution else ())),
        (("Gap of the pairs", f"HITS {number(gaps['hits'])}, random {number(gaps['random'])}"),),
        _leaning(test, METRICS[metric].label),
        (_systems(test), *skipped({setup.name: each for setup, each in runs})),
        settings,
    )


def _leaning(test: ShortcutTest, metric: str) -> tuple[Drawing, ...]:
    """Avg against Diff, where any system has both."""
    if not any(np.isfinite(result.gap) for result in test.results):
        return ()
    drawn = Drawing(
        "Score and what topic is worth of it",
        shortcut_plots.avg_against_diff(test, metric),
        "Avg: the mean of a system's scores under HITS and at random; Diff: how far apart the two are. Hollow: the 95 % "
        "interval holds 0, or is not known.",
    )
    return (drawn,)


def _systems(test: ShortcutTest) -> ReportTable:
    results = test.results
    columns: dict[str, list[str]] = {
        "system": [result.name for result in results],
        "leans on topic?": [result.reading for result in results],
        "HITS": numbers(result.hits for result in results),
        "random": numbers(result.random for result in results),
        "HITS − random": numbers((result.gap for result in results), "+.3f"),
        "95 %": [interval(*result.gap_interval, "+.3f") for result in results],
    }
    return table("The test for every system", columns)


def _gap(runs: Runs, sampler: str) -> float:
    found = [mean_baselines(evaluation, setup.corpus).gap for setup, evaluation in runs if setup.sampler == sampler]
    known = [gap for gap in found if np.isfinite(gap)]
    return float(np.mean(known)) if known else float("nan")
