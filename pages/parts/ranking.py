"""The parts of the Ranking page: what is ranked, ranks fold by fold, their stability, HITS against random."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core.arrays import Floats
from core.corpora import Corpus
from core.evaluation import TASKS, fold_scores, metric_labels, score_table
from core.plots import ranking as plots
from core.statistics import compare_setups, rank_models, stability
from core.topics import RANDOM_SEEDS
from core.vectors import Vectors
from pages.shared import show, state, work
from pages.shared.controls import IN_URL, usable_models, whole_number

FEWEST_TOPICS = 4
LEVEL = 0.05


@dataclass(frozen=True, eq=False, slots=True)
class SetupScores:
    """The same models on several setups, HITS first and random ones after it; `values[metric][setup]` is models × folds."""

    setups: list[str]
    models: list[str]
    metrics: dict[str, str]
    metric: str
    values: dict[str, list[Floats]]


def topics_or_stop(corpus: Corpus) -> int:
    """The number of topics; says so and ends the page where they are too few to sample."""
    topics = len(corpus.topic_names)
    if topics < FEWEST_TOPICS:
        st.info("Sampling needs four topics or more; this corpus has fewer.", icon=":material/info:")
        st.stop()
    return topics


def setup_jobs(corpus: Corpus, vectors: Vectors, *, m: int, k: int) -> list[work.Job]:
    """The HITS setup and the paper's random ones, each with its topic folds."""
    setups = [state.setup_of(corpus, vectors, "hits", m, 0)]
    setups += [state.setup_of(corpus, vectors, "random", m, seed) for seed in RANDOM_SEEDS]
    return [(setup, state.folds_or_stop(setup, "topic-kfold", k, 0)[0]) for setup in setups]


def choose_scores(corpus: Corpus, vectors: Vectors) -> SetupScores:
    """Ask what to rank, and give every model's scores on every fold of every setup."""
    topics = topics_or_stop(corpus)
    with st.container(border=True):
        asks = st.grid(4, min_column_width=200, vertical_alignment="bottom", gap="medium")
        task = asks.segmented_control(
            "Task", list(TASKS), default="attribution", required=True, key="task", bind=IN_URL
        )
        m = whole_number(asks, "Topics kept (m)", 3, topics, max(3, topics // 2), key="m", help="As on the HITS page.")
        k = whole_number(asks, "Number of folds (k)", 2, min(m, 20), 6, key="k", help="Folds over the kept topics.")
        metric_cell = asks.empty()
        known = usable_models(task)
        models = st.multiselect(
            "Models", list(known), list(known), format_func=known.__getitem__, key=f"models_{task}", bind=IN_URL
        )
    if len(models) < 2:
        st.info("Choose at least two models to rank.", icon=":material/info:")
        st.stop()
    jobs = setup_jobs(corpus, vectors, m=m, k=k)
    evaluations = work.evaluations_or_stop(jobs, task=task, models=models, seed=0, vectors_key=vectors.encoder_key)
    labels = metric_labels(evaluations[0], corpus)
    metric = metric_cell.selectbox(
        "Rank by",
        list(labels),
        list(labels).index("overall" if "overall" in labels else TASKS[task].default_metric),
        format_func=labels.__getitem__,
        key=f"rank_{task}",
        bind=IN_URL,
    )
    scores = [fold_scores(each, setup.corpus) for each, (setup, _) in zip(evaluations, jobs, strict=True)]
    values = {name: [score_table(one, name) for one in scores] for name in labels}
    return SetupScores([setup.name for setup, _ in jobs], [known[model] for model in models], labels, metric, values)


def show_ranks(scores: SetupScores) -> None:
    """How stable the ranking is, the rank of each model in each fold, and what that comes to."""
    tables = scores.values[scores.metric]
    rankings = {name: rank_models(table) for name, table in zip(scores.setups, tables, strict=True)}
    stable = {name: [stability(table) for table in scores.values[name]] for name in scores.metrics}
    random_mean = {
        name: float(np.nanmean(values[1:])) if np.isfinite(values[1:]).any() else np.nan
        for name, values in stable.items()
    }
    hits = rankings[scores.setups[0]]
    cards = st.grid(3, min_column_width=220)
    under_hits = f"{stable[scores.metric][0]:.3f}"
    cards.metric("Stability under HITS", under_hits, border=True, help="Mean Spearman ρ between folds.")
    cards.metric("Stability, mean of random samples", f"{random_mean[scores.metric]:.3f}", border=True)
    cards.metric("Best mean rank under HITS", scores.models[int(np.nanargmin(hits.mean))], border=True)
    st.markdown("**Rank of each model in each fold** (1 is best)")
    show.figure(
        plots.ranks(rankings, scores.models),
        key="ranks",
        alt="Rank of each model in every fold of HITS and of each random sample",
    )
    halves = st.grid(2, min_column_width=360, gap="medium")
    with halves.cell():
        st.markdown("**Mean rank ± sd over folds**")
        pooled = rank_models(np.concatenate(tables[1:], axis=1))
        ranked = {"model": scores.models} | {
            name: [f"{mean:.2f} ± {sd:.2f}" for mean, sd in zip(each.mean, each.sd, strict=True)]
            for name, each in (("HITS", hits), ("random, all seeds", pooled))
        }
        show.table(pd.DataFrame(ranked), alt="Mean rank of each model")
    with halves.cell():
        st.markdown("**Stability of the ranking, by metric**")
        rows = [
            {"metric": label, "HITS": stable[name][0], "random, mean": random_mean[name]}
            | dict(zip(scores.setups[1:], stable[name][1:], strict=True))
            for name, label in scores.metrics.items()
        ]
        show.table(rows, precision=3, alt="Stability per metric and setup")


def hits_against_random(scores: SetupScores) -> None:
    """Every model's scores under HITS against those on the random samples."""
    st.markdown("**HITS against random, model by model**")
    rows = []
    for index, model in enumerate(scores.models):
        ours = {name: tables[0][index] for name, tables in scores.values.items()}
        theirs = {
            name: np.concatenate([table[index] for table in tables[1:]]) for name, tables in scores.values.items()
        }
        for name, result in compare_setups(ours, theirs).items():
            rows.append(
                {
                    "model": model,
                    "metric": scores.metrics[name],
                    "HITS": result.mean_a,
                    "random": result.mean_b,
                    "difference": result.difference,
                    "t": result.statistic,
                    "p": result.p,
                    "": "lower under HITS *" if result.p < LEVEL and result.difference < 0 else "",
                }
            )
    show.table(rows, precision=3, alt="HITS against random per model and metric")
    st.caption(
        "Unpaired t-test over folds, as in the paper; folds share training documents, so p is somewhat too small."
    )
    show.download(pd.DataFrame(rows), show.Csv("Comparison as CSV", "hits_against_random.csv"))
