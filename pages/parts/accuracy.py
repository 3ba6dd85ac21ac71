"""The parts of Folds & accuracy: the charts, one test topic in focus in all of them, and ordinary folds beside novel ones."""

from collections.abc import Callable, Mapping, Sequence
from math import isnan, nan

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.evaluation import (
    ExposedTopic,
    adjusted_slopes,
    exposed_topics,
    fold_scores,
    relations,
    summarise,
    topic_scores,
)
from core.plots import accuracy as plots
from core.statistics import AdjustedSlope, Relation, WeightedSummary, holm
from core.topics import cluster_order
from pages.shared import show, state
from pages.shared.baselines import baseline_table, number, say_skipped
from pages.shared.controls import IN_URL
from pages.shared.run_controls import ChosenRun
from pages.shared.runs import evaluations_or_stop
from pages.shared.sharing import of_runs

NONE = "(none)"

Measured = tuple[tuple[ExposedTopic, ...], dict[str, Relation], dict[str, AdjustedSlope], Mapping[str, WeightedSummary]]


def measured(run: ChosenRun) -> Measured:
    """Every test topic with its similarities and scores; per model how the two go together, and its weighted mean."""
    corpus = run.setup.corpus

    def compute() -> Measured:
        rows = exposed_topics(corpus, run.leakage, topic_scores(run.evaluation, corpus), metric=run.metric)
        summary = summarise(fold_scores(run.evaluation, corpus), run.metric)
        return rows, relations(rows), adjusted_slopes(run.evaluation, corpus, rows), summary

    return of_runs(corpus, [run.evaluation], "accuracy", compute, run.metric, run.setup.space.kind)


def cards(run: ChosenRun, summary: Mapping[str, WeightedSummary], found: Mapping[str, Relation]) -> None:
    """Each model's mean, over how many folds it is, and how it goes with similarity."""
    row = st.grid(len(run.models), min_column_width=200)
    adjusted = adjusted_p(found)
    for name, label in run.models.items():
        relation = f"ρ {number(found[name].rho, '+.2f')}, p {number(adjusted[name])}"
        show.card(
            row,
            f"{label}: {run.metric_label}",
            number(summary[name].mean),
            f"{summary[name].n} of {len(run.folds)} folds · {relation}",
            help="Mean over the folds that could be scored, weighted by documents; and the rank correlation, over test topics, "
            "of the score with the similarity of the nearest training topic, its p corrected for the number of models.",
        )


def adjusted_p(found: Mapping[str, Relation]) -> dict[str, float]:
    """Every model's p of its rank correlation after Holm's correction over the models; NaN where undefined."""
    adjusted = holm([None if isnan(relation.p) else relation.p for relation in found.values()])
    return {name: nan if p is None else p for name, p in zip(found, adjusted, strict=True)}


def choose_view(run: ChosenRun, rows: Sequence[ExposedTopic]) -> tuple[list[ExposedTopic], int | None]:
    """The rows of the fold to show, and the topic in focus."""
    every = "all folds"
    names = [every, *(f"fold {number + 1}" for number in range(len(run.folds)))]
    left, right = st.columns([3, 2], gap="large")
    picked = left.pills("Show", names, default=every, required=True, key="fold", bind=IN_URL) or every
    visible = [row for row in rows if picked == every or names[row.fold + 1] == picked]
    return visible, _in_focus(right, run.setup.corpus, visible)


def _in_focus(where: DeltaGenerator, corpus: Corpus, rows: Sequence[ExposedTopic]) -> int | None:
    """The topic chosen here or in a chart."""
    names = [NONE, *sorted({corpus.topic_names[row.topic] for row in rows})]
    chosen = where.selectbox(
        "Topic in focus", names, key="focus", bind=IN_URL, help="Or click a cell, a mark or a point in the charts."
    )
    return None if chosen == NONE else corpus.topic_names.index(chosen)


def _clicked(chart: str, corpus: Corpus) -> Callable[[], None]:
    """A callback that brings the topic clicked in a chart into focus."""

    def take() -> None:
        points = st.session_state[chart].selection.points
        if points and points[0].get("customdata"):
            st.session_state["focus"] = corpus.topic_names[int(points[0]["customdata"][0])]

    return take


def beside(run: ChosenRun, visible: Sequence[ExposedTopic], focus: int | None) -> None:
    """Similarity of training topics beside each model's score, test topic by test topic."""
    space = run.setup.space
    show.figure(
        plots.similarity_beside_accuracy(
            space,
            run.folds,
            visible,
            cluster_order(space.similarity),
            models=run.models,
            metric=run.metric_label,
            focus=focus,
        ),
        key="beside",
        on_select=_clicked("beside", run.setup.corpus),
        alt="Similarity of each test topic to its training topics, beside each model's score on it",
    )
    st.caption(
        f"Mean similarity of training and test topics {run.leakage.average_mean:.3f}, maximum {run.leakage.average_max:.3f} "
        "(averages over folds). Blank cells: not in that topic's training set. The share beside a topic is its largest "
        "author's: a topic by one author looks easy, whatever its neighbours."
    )


def against(run: ChosenRun, rows: Sequence[ExposedTopic], found: Mapping[str, Relation], focus: int | None) -> None:
    """Each model's score against the similarity of the nearest training topic."""
    show.figure(
        plots.accuracy_against_similarity(
            run.setup.space, rows, found, models=run.models, metric=run.metric_label, focus=focus
        ),
        key="against",
        on_select=_clicked("against", run.setup.corpus),
        alt="Score of each model on each test topic against the similarity of the nearest training topic",
    )


def model_table(
    run: ChosenRun,
    summary: Mapping[str, WeightedSummary],
    found: Mapping[str, Relation],
    slopes: Mapping[str, AdjustedSlope],
) -> None:
    """Each model's mean with its error, its rank correlation, and what similarity is worth once authors are taken out."""
    adjusted = adjusted_p(found)
    models = [
        {"model": label, run.metric_label: summary[name].mean}
        | _errors(summary[name], len(run.folds))
        | {
            "0.1 of similarity is worth": worth(slopes[name]),
            "ρ": found[name].rho,
            "ρ, 95 %": "–" if isnan(found[name].low) else f"{found[name].low:+.2f} to {found[name].high:+.2f}",
            "p (Holm)": adjusted[name],
            "topics": found[name].n,
        }
        for name, label in run.models.items()
    ]
    show.table(
        models,
        precision=3,
        absent="–",
        formats={"count as": "{:.1f}"},
        alt="Mean score, its error and rank correlation per model",
    )
    st.caption(
        "se: σ√V2 over folds, which count as so many of equal size; beside it the σ/√n of Schein et al. What 0.1 of similarity "
        "is worth: percentage points of right answers, authors taken out, with a 95 % interval over test topics; where authors "
        "keep to few topics it is too flat. ρ: rank correlation of score and similarity, with an interval for each model by itself "
        "(p is corrected for their number); the dotted lines above are the regression of ranks and rise or fall with it."
    )


def worth(slope: AdjustedSlope) -> str:
    """Such as "+1.2 points (−0.5 to +2.9)": what 0.1 of similarity goes with once authors are taken out."""
    if slope.problem:
        return slope.problem
    middle, low, high = (100 * each for each in slope.worth(0.1))
    return f"{middle:+.1f} points ({low:+.1f} to {high:+.1f})".replace("-", "−")


def _errors(summary: WeightedSummary, folds: int, side: str = "") -> dict[str, object]:
    """Deviation and errors of a mean over folds, as columns."""
    return {
        f"{side}folds": f"{summary.n} of {folds}",
        f"{side}count as": summary.effective,
        f"{side}sd": summary.sd,
        f"{side}se": summary.se,
        f"{side}se, Schein": summary.paper_se,
    }


def topics_file(run: ChosenRun, rows: Sequence[ExposedTopic]) -> None:
    """The test topics with their scores as a file."""
    names = run.setup.corpus.topic_names
    topics = [
        {
            "fold": row.fold + 1,
            "topic": names[row.topic],
            "documents": row.documents,
            "largest_author_share": row.largest_author_share,
            "nearest_training_topic": names[row.nearest[0]] if row.nearest else "",
            "similarity": row.nearest_similarity,
        }
        | {label: row.values[name] for name, label in run.models.items()}
        for row in rows
    ]
    show.download(pd.DataFrame(topics), show.Csv("Topics and scores as CSV", "topic_scores.csv"))


def fit_notes(run: ChosenRun) -> None:
    """What every fit chose: thresholds, masked words, features."""
    with st.expander("What each fit chose", icon=":material/settings:"):
        show.table(
            [
                {"model": run.models[each.model], "fold": each.fold + 1, "notes": " ".join(each.notes)}
                for each in run.evaluation.runs
            ],
            column_config={"notes": st.column_config.TextColumn(width="large")},
            alt="Settings each model chose in each fold",
        )


def ordinary_beside_novel(run: ChosenRun, *, vectors_key: str) -> None:
    """Scores on unseen topics beside ordinary cross-validation of the same documents, when asked for."""
    evaluation, setup, label = run.evaluation, run.setup, run.metric_label
    if evaluation.folds.scheme == "kfold":
        return
    with st.expander("Beside ordinary cross-validation", icon=":material/compare:"):
        st.markdown(
            "Ordinary folds have every topic on both sides. The training sets differ, so the two columns are not one test: "
            "read the gap as a hint at how much is known topic, not as a measured effect."
        )
        if not st.toggle("Compute it", key="ordinary", bind=IN_URL):
            return
        folds, _ = state.folds_or_stop(setup, "kfold", min(10, max(2, len(evaluation.folds))), run.seed)
        (ordinary,) = evaluations_or_stop(
            [(setup, folds)],
            task=evaluation.task,
            models=evaluation.models,
            seed=run.seed,
            vectors_key=vectors_key,
            pairing=evaluation.pairing,
        )
        say_skipped(ordinary, setup="Ordinary folds")
        novel, usual = (summarise(fold_scores(each, setup.corpus), run.metric) for each in (evaluation, ordinary))
        rows = [
            {"model": run.models[name], f"{label}, unseen topics": novel[name].mean}
            | _errors(novel[name], len(evaluation.folds), "unseen: ")
            | {f"{label}, ordinary folds": usual[name].mean}
            | _errors(usual[name], len(folds), "ordinary: ")
            | {"gap": usual[name].mean - novel[name].mean}
            for name in run.models
        ]
        show.table(rows, precision=3, absent="–", alt="Scores on unseen topics beside ordinary cross-validation")
        sides = {"unseen topics": evaluation, "ordinary folds": ordinary}
        baseline_table({name: (each, setup.corpus) for name, each in sides.items()})
