"""Which run of which models: asked for once, on every page that needs one."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.evaluation import TASKS, Evaluation, metric_labels
from core.splits import FOLD_SCHEMES, PAIRINGS, Folds, Leakage
from core.topics import SAMPLERS, Setup
from core.vectors import Vectors
from pages.shared import state
from pages.shared.baselines import say_skipped
from pages.shared.controls import IN_URL, whole_number
from pages.shared.encoding import encoder_in_hand
from pages.shared.runs import evaluations_or_stop


def usable_models(task: str) -> dict[str, str]:
    """The models of a task by name and label; those that compare vectors only while the encoder is one of theirs."""
    encoder, models = encoder_in_hand().name, TASKS[task].models
    return {name: kind.label for name, kind in models.items() if not kind.encoders or encoder in kind.encoders}


def choose_pairs(place: DeltaGenerator) -> str:
    """How verification pairs are drawn: a name of PAIRINGS."""
    return place.segmented_control(
        "Pairs",
        list(PAIRINGS),
        default="matched",
        required=True,
        format_func=lambda name: PAIRINGS[name].label,
        key="pairs",
        bind=IN_URL,
        help="\n".join(f"- **{each.label}**: {each.about}" for each in PAIRINGS.values()),
    )


@dataclass(frozen=True, eq=False, slots=True)
class ChosenRun:
    """A run with its models' labels, the metric in hand, and all metrics by label."""

    setup: Setup
    folds: Folds
    leakage: Leakage
    evaluation: Evaluation
    seed: int
    models: dict[str, str]
    metric: str
    metrics: dict[str, str]

    @property
    def metric_label(self) -> str:
        return self.metrics[self.metric]


def choose_run(corpus: Corpus, vectors: Vectors) -> ChosenRun:
    """Ask which run, and give it: from the session, from disk, or computed now."""
    with st.container(border=True):
        asks = st.grid(3, min_column_width=230, vertical_alignment="bottom", gap="medium")
        task = asks.segmented_control(
            "Task", list(TASKS), default="attribution", required=True, key="task", bind=IN_URL
        )
        sampler, m = _choose_sampler(asks, len(corpus.topic_names))
        schemes = [name for name in FOLD_SCHEMES if corpus.splits is not None or not FOLD_SCHEMES[name].needs_split]
        scheme = asks.selectbox(
            "Folds", schemes, format_func=lambda name: FOLD_SCHEMES[name].label, key="scheme", bind=IN_URL
        )
        k, most = 2, min(m or len(corpus.topic_names), 20)
        if FOLD_SCHEMES[scheme].takes_k:
            k = whole_number(asks, "Number of folds (k)", 2, most, 6, key="k", help="Folds of nearly equal size.")
        pairing = choose_pairs(asks) if TASKS[task].asks_pairs else "matched"
        seed = asks.number_input(
            "Seed", 0, 10_000, 0, key="seed", bind=IN_URL, help="Of the sample, the folds and the pairs."
        )
        metric_cell = asks.empty()
        known = usable_models(task)
        models = st.multiselect(
            "Models", list(known), list(known), format_func=known.__getitem__, key=f"models_{task}", bind=IN_URL
        )
    setup = state.setup_of(corpus, vectors, sampler, m, seed)
    folds, leakage = state.folds_or_stop(setup, scheme, k, seed)
    (evaluation,) = evaluations_or_stop(
        [(setup, folds)], task=task, models=models, seed=seed, vectors_key=vectors.encoder_key, pairing=pairing
    )
    say_skipped(evaluation)
    if all(run.problem is not None for run in evaluation.runs):
        st.info("No fold could be run, so there is nothing to show.", icon=":material/info:")
        st.stop()
    labels = metric_labels(evaluation, setup.corpus)
    metric = metric_cell.selectbox(
        "Metric",
        list(labels),
        list(labels).index(TASKS[task].default_metric),
        format_func=labels.__getitem__,
        key=f"metric_{task}",
        bind=IN_URL,
    )
    chosen = {name: known[name] for name in evaluation.models}
    return ChosenRun(setup, folds, leakage, evaluation, seed, chosen, metric, labels)


def _choose_sampler(asks: DeltaGenerator, topics: int) -> tuple[str, int | None]:
    """The sampler, and how many topics it keeps where it samples."""
    sampler = asks.segmented_control(
        "Topics",
        list(SAMPLERS),
        default="none",
        required=True,
        format_func=lambda name: SAMPLERS[name].label,
        key="sampler",
        bind=IN_URL,
    )
    if SAMPLERS[sampler].path is None:
        return sampler, None
    if topics <= 2:
        return sampler, topics
    help = "As on the HITS page."
    return sampler, whole_number(asks, "Topics kept (m)", 2, topics, max(2, topics // 2), key="m", help=help)


def two_models(models: dict[str, str]) -> tuple[str, str]:
    """Two different models to set against each other; says so and ends the page where there are not two."""
    if len(models) < 2:
        st.info("Choose at least two models to compare.", icon=":material/info:")
        st.stop()
    names = list(models)
    asks = st.grid(2)
    a = asks.selectbox("A", names, 0, format_func=models.__getitem__, key="model_a", bind=IN_URL)
    b = asks.selectbox("B", names, 1, format_func=models.__getitem__, key="model_b", bind=IN_URL)
    if a == b:
        st.info("Choose two different models.", icon=":material/info:")
        st.stop()
    return a, b
