"""One test topic in focus: chosen in any chart, lit in all, and opened below them; and novel beside ordinary folds."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.evaluation import Evaluation, TestedTopic, fold_scores, summarise
from core.statistics import Relation, WeightedSummary
from core.vectors import Vectors
from pages.shared import runs
from pages.shared.choosing import ChosenRun
from pages.shared.controls import IN_URL, escaped
from pages.shared.reading import closest_pairs_of_documents, one_document

NONE = "(none)"


def in_focus(place: DeltaGenerator, corpus: Corpus, rows: Sequence[TestedTopic]) -> int | None:
    """The topic chosen here or in a chart."""
    names = [NONE, *sorted({corpus.topic_names[row.topic] for row in rows})]
    chosen = place.selectbox(
        "Topic in focus", names, key="focus", bind=IN_URL, help="Or click a cell, a mark or a point in the charts."
    )
    return None if chosen == NONE else corpus.topic_names.index(chosen)


def take(chart: str, corpus: Corpus) -> Callable[[], None]:
    """A callback that brings the topic clicked in a chart into focus."""

    def clicked() -> None:
        points = st.session_state[chart].selection.points
        if points and points[0].get("customdata"):
            st.session_state["focus"] = corpus.topic_names[int(points[0]["customdata"][0])]

    return clicked


def table(corpus: Corpus, rows: Sequence[TestedTopic], models: Mapping[str, str]) -> pd.DataFrame:
    """The test topics as the charts show them."""
    names = corpus.topic_names
    return pd.DataFrame(
        [
            {
                "fold": row.fold + 1,
                "topic": names[row.topic],
                "documents": row.documents,
                "largest_author_share": row.largest_author_share,
                "nearest_training_topic": names[row.nearest[0]],
                "similarity": row.nearest_similarity,
            }
            | {label: row.values[name] for name, label in models.items()}
            for row in rows
        ]
    )


def relation_table(
    summary: Mapping[str, WeightedSummary], found: Mapping[str, Relation], models: Mapping[str, str], metric: str
) -> None:
    """Each model's mean over folds, and how its score on a topic goes with the nearest training topic's similarity."""
    frame = pd.DataFrame(
        [
            {
                "model": label,
                metric: summary[name].mean,
                "sd": summary[name].sd,
                "se": summary[name].se,
                "ρ with similarity": found[name].rho,
                "95 % from": found[name].low,
                "to": found[name].high,
                "p": found[name].p,
                "topics": found[name].n,
            }
            for name, label in models.items()
        ]
    )
    st.dataframe(
        frame.style.format(precision=3, na_rep="undefined"),
        hide_index=True,
        alt="Mean score and rank correlation per model",
    )


def panel(run: ChosenRun, vectors: Vectors, rows: Sequence[TestedTopic], topic: int | None) -> None:
    """The topic in focus: its nearest training topics, why they are alike, and what each model got wrong."""
    if topic is None:
        return
    setup = run.setup
    names = setup.corpus.topic_names
    row = next(row for row in rows if row.topic == topic)
    nearest = ", ".join(
        f"{escaped(names[other])} ({value:.2f})" for other, value in zip(row.nearest, row.similarity, strict=True)
    )
    st.subheader(f"In focus: {escaped(names[topic])}", anchor=False)
    st.markdown(
        f"Tested in fold {row.fold + 1} with {row.documents} documents, {row.largest_author_share:.0%} of them by one "
        f"author. Nearest training topics: {nearest}."
    )
    if row.largest_author_share >= 0.9:
        st.warning(
            "One author wrote nearly all of this topic: scores on it say little about style.", icon=":material/warning:"
        )
    _mistakes(setup.corpus, run.evaluation, topic, run.models)
    other = next((near for near in row.nearest if near != topic), None)
    if other is not None:
        st.markdown(f"**Why {escaped(names[topic])} and {escaped(names[other])} are alike**")
        kept = Vectors(setup.vectors, vectors.encoder_key, vectors.name, 0, len(setup.vectors), ())
        closest_pairs_of_documents(setup.corpus, kept, setup.space, (topic, other))


def _mistakes(corpus: Corpus, evaluation: Evaluation, topic: int, known: Mapping[str, str]) -> None:
    """Questions about this topic, a row each, with every model's answer; those some model got wrong come first."""
    authors = corpus.author_names or ()
    records = []
    for number, trial in enumerate(evaluation.trials):
        here = np.flatnonzero(corpus.topic_codes[trial.lead] == topic)
        answers = {run.model: run.answers for run in evaluation.runs if run.fold == number and run.problem is None}
        for place in here:
            record: dict[str, object] = {"document": corpus.ids[trial.lead[place]]}
            if trial.other is not None:
                record["and"] = corpus.ids[trial.other[place]]
                record["truth"] = "same author" if trial.truth[place] else "two authors"
            else:
                record["truth"] = authors[trial.truth[place]]
            wrong = 0
            for model, given in answers.items():
                value = given[place]
                if trial.other is not None:
                    wrong += bool((value > 0.5) != trial.truth[place] and value != 0.5)
                    record[known[model]] = round(float(value), 3)
                else:
                    wrong += bool(value != trial.truth[place])
                    record[known[model]] = authors[int(value)]
            records.append(record | {"wrong": wrong, "row": int(trial.lead[place])})
    if not records:
        return
    frame = pd.DataFrame(records).sort_values("wrong", ascending=False, kind="stable")
    st.markdown("**What the models answered** (most often wrong first; choose a row to read the text)")
    chosen = st.dataframe(
        frame.drop(columns="row"),
        hide_index=True,
        height=260,
        key="mistakes",
        on_select="rerun",
        selection_mode="single-row",
        alt="Answers of every model on this topic",
    )
    for place in chosen.selection.rows[:1]:
        with st.container(border=True):
            one_document(corpus, int(frame.iloc[place]["row"]))


def fit_notes(run: ChosenRun) -> None:
    """What every fit chose: thresholds, masked words, features."""
    with st.expander("What each fit chose", icon=":material/settings:"):
        st.dataframe(
            pd.DataFrame(
                [
                    {"model": run.models[each.model], "fold": each.fold + 1, "notes": " ".join(each.notes)}
                    for each in run.evaluation.runs
                ]
            ),
            hide_index=True,
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
        folds, _ = runs.folds_or_stop(setup, "kfold", min(10, max(2, len(evaluation.folds))), run.seed)
        (ordinary,) = runs.evaluations_or_stop(
            [(setup, folds)], task=evaluation.task, models=evaluation.models, seed=run.seed, vectors_key=vectors_key
        )
        novel, usual = (summarise(fold_scores(each, setup.corpus), run.metric) for each in (evaluation, ordinary))
        st.dataframe(
            pd.DataFrame(
                [
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
            ).style.format(precision=3),
            hide_index=True,
            alt="Scores on unseen topics beside ordinary cross-validation",
        )
