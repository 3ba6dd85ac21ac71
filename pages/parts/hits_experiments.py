"""The experiments of the HITS paper's §7 on the corpus in hand: asked for, with progress, each with its table."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.demo import bundled_vectors
from core.evaluation import TASKS
from core.plots import hits_encoders
from core.plots import hits_experiments as plots
from core.studies import (
    EXPERIMENTS,
    FoldPlan,
    Inputs,
    Panel,
    StabilityAgainstM,
    compared_encoders,
    run_experiment,
)
from core.topics import Resampled, TopicPath, TopicSpace, suggest_m
from core.vectors import Vectors, make_encoder
from pages.parts.hits_experiment_tables import experiment_table
from pages.shared import show, work
from pages.shared.controls import IN_URL, whole_number
from pages.shared.public import is_public
from pages.shared.run_controls import usable_models
from pages.shared.show import escaped
from pages.shared.stores import result_store, vector_store

NONE = "none"

FIGURES: dict[str, Callable[[Any, Inputs], list[go.Figure]]] = {
    "similarity": lambda record, given: [plots.similarity_curves(record, given.m, kind=given.space.kind)],
    "stability": lambda record, given: [plots.stability_curves(record)],
    "left out": lambda record, given: [plots.policy_trade(record, kind=given.space.kind)],
    "encoders": lambda record, given: [
        hits_encoders.encoder_overlap(record),
        hits_encoders.encoder_similarity(record, kind=given.space.kind),
    ],
    "closest": lambda record, given: [plots.closest_pairs(record, kind=given.space.kind)],
}


def experiments(corpus: Corpus, vectors: Vectors, space: TopicSpace, path: TopicPath, resampled: Resampled) -> None:
    """Choose one, run it, read its figure and its table."""
    st.subheader("Experiments", anchor=False)
    st.markdown("What the paper's §7 asks, asked of this corpus. Nothing here changes the selection above.")
    labels = {each.label: name for name, each in EXPERIMENTS.items()}
    chosen = st.segmented_control(
        "Experiment", [NONE, *labels], default=NONE, required=True, key="experiment", bind=IN_URL
    )
    if chosen == NONE or path.placed < 4:
        return
    name = labels[chosen]
    experiment = EXPERIMENTS[name]
    asks = st.grid(3, min_column_width=230, gap="medium", vertical_alignment="bottom")
    k = whole_number(asks, "Folds (k)", 2, min(path.placed, 20), 6, key="hits_k", help="Folds over the kept topics.")
    m = min(st.session_state.get("m") or max(2, path.placed // 2), path.placed)
    panel = _panel(asks, corpus, vectors) if experiment.runs_models else None
    store = vector_store(public=is_public(corpus))
    given = Inputs(corpus, vectors, space, path, max(m, 2), FoldPlan(k), panel, _shipped(corpus), store)
    question = work.Question("Run it", where=asks, caption="It goes on while you look at other pages.")
    record = work.result(
        "experiments",
        (corpus.fingerprint, vectors.encoder_key, space.kind, name, k, m, panel and (panel.task, panel.models)),
        work.step(run_experiment, name, given),
        name=f"Experiment: {experiment.label}",
        question=None if experiment.quick else question,
        public=is_public(corpus),
    )
    if record is not None:
        _show(name, record, given)
        if experiment.suggests_m:
            averages = record.averages if isinstance(record, StabilityAgainstM) else None
            reason = suggest_m(path, space, corpus, k, averages, resampled).reason
            st.info(f"Suggested {escaped(reason)}", icon=":material/lightbulb:")


def _panel(asks: DeltaGenerator, corpus: Corpus, vectors: Vectors) -> Panel | None:
    if corpus.author_names is None or len(corpus.author_names) < 2:
        return None
    task = asks.segmented_control(
        "Models of", list(TASKS), default="attribution", required=True, key="hits_task", bind=IN_URL
    )
    return Panel(task, tuple(usable_models(task)), result_store(public=is_public(corpus)), vectors.encoder_key)


def _shipped(corpus: Corpus) -> dict[str, Vectors]:
    """The bundled corpus brings vectors; any other corpus none."""
    found = {name: bundled_vectors(corpus, make_encoder(name)) for name in compared_encoders()}
    return {name: vectors for name, vectors in found.items() if vectors is not None}


def _show(name: str, record: Any, given: Inputs) -> None:
    experiment = EXPERIMENTS[name]
    for index, drawn in enumerate(FIGURES[name](record, given)):
        show.figure(drawn, key=f"experiment_{name}_{index}", alt=f"Experiment: {experiment.label}")
    show.table(
        [dict(row) for row in experiment_table(record)],
        precision=3,
        alt=f"Table of the experiment: {experiment.label}",
        csv=show.Csv("Table as CSV", f"{name}.csv", f"table_{name}"),
    )
    show.notes(record.notes)
