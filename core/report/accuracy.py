"""The sections of Folds & accuracy: similarity beside scores, topic by topic and all together."""

from collections.abc import Mapping, Sequence
from typing import Any

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
    relations,
    similarity_answer,
    similarity_cautions,
    summarise,
    topic_intervals,
    topic_scores,
)
from ..formats import interval, listed, number, numbers, p_value, share
from ..plots import accuracy as plots
from ..plots import accuracy_swap as swap_plots
from ..statistics import AdjustedSlope, signed_points, slope_sentence, worth_said
from ..topics import Setup
from .runs import RunChoices, RunOfModels, run_of, skipped
from .subject import Drawing, Section, Subject, table

MOST_SHOWN = 40  # test topics in a figure: more are shown by their two ends


def accuracy(subject: Subject, **choices: Any) -> Section:
    """Whether models score higher where a near twin of the test topic was in training."""
    run = run_of(subject, "accuracy", RunChoices(**choices))
    corpus, evaluation, label = run.setup.corpus, run.evaluation, run.metric_label
    rows = _rows(run)
    found, slopes = relations(rows), adjusted_slopes(evaluation, corpus, rows)
    summary, chance = (
        summarise(fold_scores(evaluation, corpus), run.metric),
        chance_level(evaluation, corpus, metric=run.metric),
    )
    adjusted, meaningful = adjusted_p(found), subject.labels.meaningful
    nearest = [row.nearest_similarity for row in rows]
    cautions = similarity_cautions(run.models, summary, nearest, chance=chance) if meaningful else []
    models = list(run.models)
    columns = {
        "model": [run.models[name] for name in models],
        label: numbers(summary[name].mean for name in models),
        "se": numbers(summary[name].se for name in models),
        "folds": [f"{summary[name].n} of {len(run.folds)}" for name in models],
        "ρ with similarity": numbers((found[name].rho for name in models), "+.2f"),
        "95 %": [interval(found[name].low, found[name].high, "+.2f") for name in models],
        "p (Holm)": [p_value(adjusted[name]) for name in models],
        "0.1 of similarity is worth": [worth_said(slopes[name]) for name in models],
    }
    return Section(
        "accuracy",
        "Does similarity buy accuracy?",
        similarity_answer(run.models, found, slopes, adjusted, metric=label, meaningful=meaningful),
        tuple(cautions),
        _beside(evaluation, run.setup),
        _drawings(run, rows, found, chance),
        (table("Models", columns), *skipped({run.setup.name: evaluation})),
        run.settings,
    )


def _rows(run: RunOfModels) -> Sequence[ExposedTopic]:
    """Test topics, the most exposed first, with every model's score."""
    corpus, evaluation, metric = run.setup.corpus, run.evaluation, run.metric
    intervals = topic_intervals(evaluation, corpus, metric=metric)
    return exposed_topics(corpus, run.leakage, topic_scores(evaluation, corpus), metric=metric, intervals=intervals)


def _drawings(run: RunOfModels, rows: Sequence[ExposedTopic], found: Any, chance: float) -> tuple[Drawing, ...]:
    shown, space, label = ends(rows), run.setup.space, run.metric_label
    left_out = len(rows) - len(shown) + shown.count(None)
    by_row = plots.exposed_rows(
        space, shown, models=run.models, metric=label, chance=chance, left_out=left_out, focus=None
    )
    against = plots.accuracy_against_similarity(space, rows, found, models=run.models, metric=label, focus=None)
    caption = plots.rows_caption(shown, metric=label, chance=chance)
    return (
        Drawing("Test topics, the most exposed first", by_row, caption),
        Drawing("Scores against similarity", against),
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


def together(subject: Subject, **choices: Any) -> Section:
    """What similarity is worth once authors are taken out, over all topics of a run."""
    run = run_of(subject, "accuracy", RunChoices(**choices))
    slopes = adjusted_slopes(run.evaluation, run.setup.corpus, _rows(run))
    by_label = {run.models[name]: slope for name, slope in slopes.items()}
    columns = {
        "model": list(by_label),
        "points for 0.1 of similarity": numbers((100 * each.worth()[0] for each in by_label.values()), "+.1f"),
        "95 %": [
            interval(100 * low, 100 * high, "+.1f") for _, low, high in map(AdjustedSlope.worth, by_label.values())
        ],
        "p": [p_value(each.p) for each in by_label.values()],
        "topics": [str(each.topics) for each in by_label.values()],
    }
    return Section(
        "together",
        "What is similarity worth once authors are taken out?",
        _worth(by_label),
        tuple(slope_sentence(label, found) for label, found in by_label.items()),
        drawings=(
            Drawing(
                "All topics together",
                swap_plots.all_together(by_label, kind=run.setup.space.kind),
                "A point is a test topic, larger with more answers. Lines: least squares weighted by √answers; where authors "
                "keep to few topics they are too flat.",
            ),
        ),
        tables=(table("Models", columns), *skipped({run.setup.name: run.evaluation})),
        settings=run.settings,
    )


def _worth(slopes: Mapping[str, AdjustedSlope]) -> str:
    sure = [f"{label} ({signed_points(each.worth()[0])})" for label, each in slopes.items() if each.low > 0]
    if not sure:
        return "Authors taken out, similarity is worth no model anything that can be told from chance."
    others = f"; of the other {len(slopes) - len(sure)} nothing can be told" if len(sure) < len(slopes) else ""
    return f"Authors taken out, 0.1 of similarity is worth points of right answers to {listed(sure)}{others}."
