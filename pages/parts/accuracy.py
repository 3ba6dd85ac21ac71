"""The parts of Folds & accuracy: the charts, one test topic in focus in all of them, and ordinary folds beside novel ones."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.evaluation import ExposedTopic, fold_scores, summarise
from core.plots import accuracy as plots
from core.statistics import Relation, WeightedSummary
from core.topics import cluster_order
from pages.shared import show, state, work
from pages.shared.controls import IN_URL, ChosenRun

NONE = "(none)"


def cards(run: ChosenRun, summary: Mapping[str, WeightedSummary], found: Mapping[str, Relation]) -> None:
    """Each model's mean, and how it goes with similarity."""
    row = st.grid(len(run.models), min_column_width=180)
    for name, label in run.models.items():
        row.metric(
            f"{label}: {run.metric_label}",
            f"{summary[name].mean:.3f}",
            f"ρ {found[name].rho:+.2f}, p {found[name].p:.3f}",
            delta_color="off",
            delta_arrow="off",
            border=True,
            help="Mean over folds, weighted by documents; and the rank correlation, over test topics, of the score with the "
            "similarity of the nearest training topic.",
        )


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


def tables(
    run: ChosenRun,
    rows: Sequence[ExposedTopic],
    summary: Mapping[str, WeightedSummary],
    found: Mapping[str, Relation],
) -> None:
    """Each model's mean and correlation as a table; the test topics as a file."""
    models = [
        {
            "model": label,
            run.metric_label: summary[name].mean,
            "sd": summary[name].sd,
            "se": summary[name].se,
            "ρ with similarity": found[name].rho,
            "95 % from": found[name].low,
            "to": found[name].high,
            "p": found[name].p,
            "topics": found[name].n,
        }
        for name, label in run.models.items()
    ]
    show.table(models, precision=3, absent="undefined", alt="Mean score and rank correlation per model")
    names = run.setup.corpus.topic_names
    topics = [
        {
            "fold": row.fold + 1,
            "topic": names[row.topic],
            "documents": row.documents,
            "largest_author_share": row.largest_author_share,
            "nearest_training_topic": names[row.nearest[0]],
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
        (ordinary,) = work.evaluations_or_stop(
            [(setup, folds)], task=evaluation.task, models=evaluation.models, seed=run.seed, vectors_key=vectors_key
        )
        novel, usual = (summarise(fold_scores(each, setup.corpus), run.metric) for each in (evaluation, ordinary))
        rows = [
            {
                "model": run.models[name],
                f"{label}, unseen topics": novel[name].mean,
                "sd": novel[name].sd,
                "se": novel[name].se,
                f"{label}, ordinary folds": usual[name].mean,
                "sd ": usual[name].sd,
                "se ": usual[name].se,
                "gap": usual[name].mean - novel[name].mean,
            }
            for name in run.models
        ]
        show.table(rows, precision=3, absent="nan", alt="Scores on unseen topics beside ordinary cross-validation")
