"""Which run to look at: task, sample, folds, models. The same questions on every page that looks at one run."""

from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.evaluation import TASKS, Evaluation, metric_labels
from core.splits import SCHEMES, Folds, Leakage
from core.topics import SAMPLERS, Setup
from core.vectors import Vectors
from pages.shared import runs
from pages.shared.controls import IN_URL, whole_number
from pages.shared.saying import literal


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
    topics = len(corpus.topic_names)
    with st.container(border=True):
        asks = st.grid(3, min_column_width=230, vertical_alignment="bottom", gap="medium")
        task = asks.segmented_control(
            "Task", list(TASKS), default="attribution", required=True, key="task", bind=IN_URL
        )
        sampler = asks.segmented_control(
            "Topics",
            list(SAMPLERS),
            default="none",
            required=True,
            format_func=SAMPLERS.get,
            key="sampler",
            bind=IN_URL,
        )
        m = topics
        if sampler != "none" and topics > 2:
            m = whole_number(
                asks, "Topics kept (m)", 2, topics, max(2, topics // 2), key="m", help="As on the HITS page."
            )
        schemes = [name for name in SCHEMES if name != "own-split" or corpus.splits is not None]
        scheme = asks.selectbox(
            "Folds", schemes, format_func=lambda name: SCHEMES[name].label, key="scheme", bind=IN_URL
        )
        k = 2
        if SCHEMES[scheme].takes_k:
            k = whole_number(asks, "Number of folds (k)", 2, min(m, 20), 6, key="k", help="Folds of nearly equal size.")
        seed = asks.number_input(
            "Seed", 0, 10_000, 0, key="seed", bind=IN_URL, help="Of the sample, the folds and the pairs."
        )
        metric_place = asks.empty()
        known = runs.usable_models(task)
        models = st.multiselect(
            "Models", list(known), list(known), format_func=known.get, key=f"models_{task}", bind=IN_URL
        )
    setup = runs.setup_of(corpus, vectors, sampler, m if sampler != "none" else None, seed)
    folds, leakage = runs.folds_or_stop(setup, scheme, k, seed)
    (evaluation,) = runs.evaluations_or_stop(
        [(setup, folds)], task=task, models=models, seed=seed, vectors_key=vectors.encoder_key
    )
    labels = metric_labels(evaluation, setup.corpus)
    metric = _metric(metric_place, task, labels)
    _say_problems(evaluation)
    return ChosenRun(
        setup, folds, leakage, evaluation, seed, {name: known[name] for name in evaluation.models}, metric, labels
    )


def _metric(place: DeltaGenerator, task: str, labels: dict[str, str]) -> str:
    preferred = "c@1" if task == "verification" else "accuracy"
    return place.selectbox(
        "Metric", list(labels), list(labels).index(preferred), format_func=labels.get, key=f"metric_{task}", bind=IN_URL
    )


def _say_problems(evaluation: Evaluation) -> None:
    for problem in dict.fromkeys(run.problem for run in evaluation.runs if run.problem):
        folds_hit = sorted({run.fold + 1 for run in evaluation.runs if run.problem == problem})
        st.warning(f"Fold {', '.join(map(str, folds_hit))}: {literal(problem)}", icon=":material/warning:")


def two_models(models: dict[str, str]) -> tuple[str, str]:
    """Two different models to set against each other; says so and ends the page where there are not two."""
    if len(models) < 2:
        st.info("Choose at least two models to compare.", icon=":material/info:")
        st.stop()
    names = list(models)
    asks = st.grid(2)
    a = asks.selectbox("A", names, 0, format_func=models.get, key="model_a", bind=IN_URL)
    b = asks.selectbox("B", names, 1, format_func=models.get, key="model_b", bind=IN_URL)
    if a == b:
        st.info("Choose two different models.", icon=":material/info:")
        st.stop()
    return a, b


def right_answers(run: ChosenRun, model: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """1 where the model's answer is right and 0 elsewhere (no answer is not right), and the topic of each question."""
    right, topics = [], []
    for each in run.evaluation.of(model):
        trial = run.evaluation.trials[each.fold]
        if each.problem is not None:
            continue
        answers = each.answers if trial.other is None else np.where(each.answers == 0.5, -1.0, each.answers > 0.5)
        right.append((answers == trial.truth).astype(np.float64))
        topics.append(run.setup.corpus.topic_codes[trial.lead])
    if not right:
        return np.empty(0), np.empty(0, dtype=np.int64)
    return np.concatenate(right), np.concatenate(topics)
