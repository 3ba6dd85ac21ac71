"""What is ranked: the same models on the topics HITS keeps and on random samples of as many."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.arrays import Floats
from core.corpora import Corpus
from core.errors import LeakscopeError
from core.evaluation import TASKS, Evaluation, fold_scores, metric_labels, need_topics, score_table
from core.models.verification import OWN
from core.topics import RANDOM_SEEDS
from core.vectors import Vectors
from pages.shared import state
from pages.shared.controls import IN_URL, assign, whole_number
from pages.shared.links import own_key
from pages.shared.public import is_public, of_runs
from pages.shared.run_controls import (
    choose_calibration,
    choose_folds,
    choose_m,
    choose_models,
    choose_pairs,
    choose_task,
    with_shipped,
)
from pages.shared.runs import SampleFolds, evaluations_or_stop
from pages.shared.stores import ship

FEWEST_SAMPLES = 2
MOST_SAMPLES = 20


@dataclass(frozen=True, eq=False, slots=True)
class SetupScores:
    """The same models on several setups, HITS first and random ones after it; `values[metric][setup]` is models × folds."""

    setups: list[str]
    runs: list[tuple[Evaluation, Corpus]]
    models: list[str]
    metrics: dict[str, str]
    metric: str
    values: dict[str, list[Floats]]


def topics_or_stop(corpus: Corpus) -> int:
    """The number of topics; says so and ends the page where they are too few to sample."""
    try:
        return need_topics(corpus)
    except LeakscopeError as problem:
        st.info(str(problem), icon=":material/info:")
        st.stop()


def setup_jobs(
    corpus: Corpus, vectors: Vectors, *, m: int, k: int, samples: int = len(RANDOM_SEEDS)
) -> list[SampleFolds]:
    """The HITS setup and so many random ones, the paper's first, each with its topic folds."""
    setups = [state.setup_of(corpus, vectors, "hits", m, 0)]
    setups += [state.setup_of(corpus, vectors, "random", m, seed) for seed in range(samples)]
    return [(setup, state.plain_folds_or_stop(setup, "topic-kfold", k, 0)) for setup in setups]


def choose_scores(corpus: Corpus, vectors: Vectors, answer: DeltaGenerator) -> SetupScores:
    """Ask what to rank, and give every model's scores on every fold of every setup; while there are none, `answer` says so."""
    topics = topics_or_stop(corpus)
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    task = choose_task(row, "ranking")
    m = choose_m(row.container(width=150), "ranking", 3, topics)
    k = choose_folds(row.container(width=150), "ranking", min(m, 20))
    metric_cell = row.container(width=150)
    with row.popover("More", icon=":material/tune:", help="Models, random samples, pairs and calibration"):
        known = choose_models(st.container(), "ranking", task)
        samples = choose_samples(st.container(), "samples")
        pairing = choose_pairs(st.container(), "ranking") if TASKS[task].asks_pairs else "matched"
        calibration = choose_calibration(st.container(), "ranking") if TASKS[task].asks_pairs else OWN
    if len(known) < 2:
        st.info("Choose at least two models to rank.", icon=":material/info:")
        st.stop()
    jobs = setup_jobs(corpus, vectors, m=m, k=k, samples=samples)
    choices: dict[str, Any] = {"task": task, "seed": 0, "vectors_key": vectors.encoder_key, "pairing": pairing}
    choices["calibration"] = calibration
    known = with_shipped(known, jobs, page="ranking", **choices)
    models = list(known)
    say_fewer(corpus, known, jobs, choices, page="ranking", samples_key="samples")
    with answer:
        evaluations = evaluations_or_stop(jobs, page="ranking", models=models, **choices)
    labels = metric_labels(evaluations[0], corpus)
    metric = metric_cell.selectbox(
        "Rank by",
        list(labels),
        list(labels).index("overall" if "overall" in labels else TASKS[task].default_metric),
        format_func=labels.__getitem__,
        key=f"rank_{task}",
        bind=IN_URL,
    )
    runs = [(each, setup.corpus) for each, (setup, _) in zip(evaluations, jobs, strict=True)]
    scores = of_runs(corpus, evaluations, "fold scores", lambda: [fold_scores(each, on) for each, on in runs])
    values = {name: [score_table(one, name) for one in scores] for name in labels}
    names = [setup.name for setup, _ in jobs]
    return SetupScores(names, runs, [known[model] for model in models], labels, metric, values)


def say_fewer(
    corpus: Corpus,
    known: dict[str, str],
    jobs: Sequence[SampleFolds],
    choices: dict[str, Any],
    *,
    page: str,
    samples_key: str,
) -> None:
    """Where the slow models' answers ship for some of these samples and not for all, say so and offer to take those."""
    task = choices["task"]
    slow = {name: kind.label for name, kind in TASKS[task].models.items() if kind.by_choice and name not in known}
    if not slow or not is_public(corpus) or st.session_state.get(own_key(page, f"models_{task}")):
        return
    shipped = sum(1 for _ in takewhile(lambda job: ship(job, list(slow), **choices), jobs))
    samples = shipped - 1  # HITS comes first
    if samples >= FEWEST_SAMPLES:
        names = " and ".join(slow.values())
        st.caption(
            f"{names} train for minutes a fold: their answers ship for HITS and {samples} random samples, not for {len(jobs) - 1}."
        )
        st.button(f"{names} too, on {samples} samples", on_click=assign, args=({samples_key: samples},))


def choose_samples(asks: DeltaGenerator, key: str) -> int:
    """How many random samples stand beside HITS."""
    return whole_number(
        asks,
        "Random samples",
        FEWEST_SAMPLES,
        MOST_SAMPLES,
        len(RANDOM_SEEDS),
        key=key,
        help="As many as you will wait for: beside *n* of them HITS can be as low by chance once in *n* + 1 times.",
    )
