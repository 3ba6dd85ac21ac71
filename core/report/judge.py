"""The sections of Judge: similarity beside accuracy, the ranking of models, who leans on topic."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import unknown
from ..evaluation import (
    TASKS,
    Evaluation,
    ExposedTopic,
    adjusted_p,
    adjusted_slopes,
    chance_level,
    exposed_topics,
    fold_scores,
    mean_baselines,
    metric_labels,
    relations,
    score_table,
    similarity_answer,
    similarity_cautions,
    summarise,
    topic_intervals,
    topic_scores,
)
from ..formats import interval, number, numbers, p_value, share
from ..models import METRICS
from ..plots import accuracy as accuracy_plots
from ..plots import ranking as ranking_plots
from ..plots import shortcut as shortcut_plots
from ..splits import PAIRINGS
from ..statistics import lead, rank_models, ranking_conclusion, stability_interval
from ..studies import NO_LABELS, pairs_and_answers, pairs_caution, shortcut_test
from ..studies.raven import FOLDS, workable_size
from ..topics import RANDOM_SEEDS, Setup
from .runs import MOST_FOLDS, models_of, need_topics, run_of, sampled_runs, skipped
from .section import Drawing, Section, Table, table
from .subject import Subject

MOST_SHOWN = 40  # test topics in a figure: more are shown by their two ends


def accuracy(subject: Subject, **choices: Any) -> Section:
    """Whether models score higher where a near twin of the test topic was in training."""
    run = run_of(subject, "accuracy", **choices)
    corpus, evaluation, metric, label = run.setup.corpus, run.evaluation, run.metric, run.metric_label
    intervals = topic_intervals(evaluation, corpus, metric=metric)
    rows = exposed_topics(corpus, run.leakage, topic_scores(evaluation, corpus), metric=metric, intervals=intervals)
    found, slopes = relations(rows), adjusted_slopes(evaluation, corpus, rows)
    summary, chance = (
        summarise(fold_scores(evaluation, corpus), metric),
        chance_level(evaluation, corpus, metric=metric),
    )
    adjusted, meaningful = adjusted_p(found), subject.labels.meaningful
    nearest = [row.nearest_similarity for row in rows]
    cautions = similarity_cautions(run.models, summary, nearest, chance=chance) if meaningful else []
    shown = ends(rows)
    models = list(run.models)
    columns = {
        "model": [run.models[name] for name in models],
        label: numbers(summary[name].mean for name in models),
        "se": numbers(summary[name].se for name in models),
        "folds": [f"{summary[name].n} of {len(run.folds)}" for name in models],
        "ρ with similarity": numbers((found[name].rho for name in models), "+.2f"),
        "95 %": [interval(found[name].low, found[name].high, "+.2f") for name in models],
        "p (Holm)": [p_value(adjusted[name]) for name in models],
    }
    return Section(
        "accuracy",
        "Does similarity buy accuracy?",
        similarity_answer(run.models, found, slopes, adjusted, metric=label, meaningful=meaningful),
        tuple(cautions),
        _beside(evaluation, run.setup),
        (
            Drawing(
                "Test topics, the most exposed first",
                accuracy_plots.exposed_rows(
                    run.setup.space,
                    shown,
                    models=run.models,
                    metric=label,
                    chance=chance,
                    left_out=len(rows) - len(shown) + shown.count(None),
                    focus=None,
                ),
                "Test topics: similarity of the nearest training topic and each model's score",
                "Bars: similarity of the nearest training topic."
                + ("" if np.isnan(chance) else f" Dashed: what one scores without reading, {chance:.2f}."),
            ),
            Drawing(
                "Scores against similarity",
                accuracy_plots.accuracy_against_similarity(
                    run.setup.space, rows, found, models=run.models, metric=label, focus=None
                ),
                "Score of each model on each test topic against the similarity of the nearest training topic",
            ),
        ),
        (table("Models", columns), *skipped({run.setup.name: evaluation})),
        run.settings,
    )


def ends(rows: Sequence[ExposedTopic]) -> list[ExposedTopic | None]:
    """All rows, or as many from either end as fit, with a gap (None) between."""
    if len(rows) <= MOST_SHOWN:
        return list(rows)
    return [*rows[: MOST_SHOWN // 2], None, *rows[-MOST_SHOWN // 2 :]]


def _beside(evaluation: Evaluation, setup: Setup) -> tuple[tuple[str, str], ...]:
    """What every score stands beside."""
    found, asks_pairs = mean_baselines(evaluation, setup.corpus), TASKS[evaluation.task].asks_pairs
    shared = (("Majority", number(found.majority)), ("Authors seen in training", share(found.seen_authors)))
    if not asks_pairs:
        return shared
    return (*shared, ("Gap of the pairs", number(found.gap)), ("Topic oracle AUC", number(found.topic_oracle_auc)))


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
    subject.need_authors()
    topics, labels = need_topics(subject), models_of(subject, task, models)
    m = max(3, topics // 2) if m is None else m
    k = min(m, MOST_FOLDS, 6 if k is None else k)
    pairing = pairs if TASKS[task].asks_pairs else "matched"
    runs = sampled_runs(subject, "ranking", m=m, k=k, samples=samples, task=task, models=list(labels), pairing=pairing)
    samples, labels = len(runs) - 1, models_of(subject, task, runs[0][1].models)
    metrics = metric_labels(runs[0][1], subject.corpus)
    metric = metric or ("overall" if "overall" in metrics else TASKS[task].default_metric)
    if metric not in metrics:
        raise unknown("metric", metric, metrics)
    tables = [score_table(fold_scores(evaluation, setup.corpus), metric) for setup, evaluation in runs]
    names, setups = list(labels.values()), [setup.name for setup, _ in runs]
    said = ranking_conclusion(tables, names, metric=metrics[metric], meaningful=subject.labels.meaningful)
    rankings = {name: rank_models(each) for name, each in zip(setups, tables, strict=True)}
    hits, pooled = rankings[setups[0]], rank_models(np.concatenate(tables[1:], axis=1))
    ahead = lead(hits)
    return Section(
        "ranking",
        "Which model wins, and is that stable?",
        said.answer,
        said.cautions,
        drawings=(
            Drawing(
                "Rank of each model in each fold (1 is best)",
                ranking_plots.ranks(rankings, names),
                "Rank of each model in every fold of HITS and of each random sample",
            ),
        ),
        tables=(
            table(
                "Mean ranks",
                {
                    "model": names,
                    "under HITS": numbers(hits.mean, ".1f"),
                    "95 %": [interval(low, high, ".1f") for low, high in zip(ahead.low, ahead.high, strict=True)],
                    "random samples": numbers(pooled.mean, ".1f"),
                },
            ),
            _stability(setups, tables),
            *skipped({setup.name: evaluation for setup, evaluation in runs}),
        ),
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


def _stability(setups: Sequence[str], tables: Sequence[Any]) -> Table:
    found = [stability_interval(each) for each in tables]
    columns = {
        "setup": list(setups),
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
) -> Section:
    """Which model takes topic for style."""
    subject.need_authors()
    need_topics(subject)
    if metric not in METRICS:
        raise unknown("metric", metric, METRICS)
    size, dealt = workable_size(subject.corpus, subject.space, pairs=pairs) or (None, FOLDS)
    topics = len(subject.corpus.topic_names)
    m = (size or max(3, topics // 2)) if m is None else m
    k = min(m, MOST_FOLDS, dealt if k is None else k)
    models = list(subject.models("verification"))
    runs = sampled_runs(subject, "shortcut", m=m, k=k, task="verification", models=models, pairing=pairs)
    settings = (
        ("Metric", METRICS[metric].label),
        ("A difference that does not matter", f"{margin:g}"),
        ("Pairs", PAIRINGS[pairs].label),
        ("Topics kept (m)", str(m)),
        ("Folds (k)", str(k)),
        ("Seeds", f"0 for HITS, folds and pairs; 0 to {len(RANDOM_SEEDS) - 1} for random samples"),
    )
    title = "Which model leans on topic?"
    if not subject.labels.meaningful:
        return Section("shortcut", title, NO_LABELS, settings=settings)
    test = shortcut_test(*pairs_and_answers(runs), metric=metric, margin=margin)
    gaps = {kind: _gap(runs, kind) for kind in ("hits", "random")}
    caution = pairs_caution(gaps["hits"], gaps["random"], pairing=PAIRINGS[pairs].label)
    scored = any(np.isfinite(result.gap) for result in test.results)
    drawn = (
        Drawing(
            "Score and what topic is worth of it",
            shortcut_plots.avg_against_diff(test, METRICS[metric].label),
            "Avg against Diff, a point a system",
            "Avg: the mean of a system's scores under HITS and at random; Diff: how far apart the two are. Hollow: the 95 % "
            "interval holds 0, or is not known.",
        ),
    )
    results = test.results
    columns: dict[str, list[str]] = {
        "system": [result.name for result in results],
        "leans on topic?": [result.reading for result in results],
        "HITS": numbers(result.hits for result in results),
        "random": numbers(result.random for result in results),
        "HITS − random": numbers((result.gap for result in results), "+.3f"),
        "95 %": [interval(*result.gap_interval, "+.3f") for result in results],
    }
    return Section(
        "shortcut",
        title,
        test.sentence,
        (*(result.sentence for result in results), *((caution,) if caution else ())),
        (("Gap of the pairs", f"HITS {number(gaps['hits'])}, random {number(gaps['random'])}"),),
        drawn if scored else (),
        (table("The test for every system", columns), *skipped({setup.name: each for setup, each in runs})),
        settings,
    )


def _gap(runs: Sequence[tuple[Setup, Evaluation]], sampler: str) -> float:
    found = [mean_baselines(evaluation, setup.corpus).gap for setup, evaluation in runs if setup.sampler == sampler]
    known = [gap for gap in found if np.isfinite(gap)]
    return float(np.mean(known)) if known else float("nan")
