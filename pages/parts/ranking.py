"""The parts of the Ranking page: what is ranked, ranks fold by fold, their stability, HITS against random."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.arrays import Floats
from core.corpora import Corpus
from core.evaluation import TASKS, Evaluation, fold_scores, metric_labels, score_table
from core.plots import ranking as plots
from core.statistics import (
    Lead,
    compare_setups,
    lead,
    placebo_counts,
    rank_among,
    rank_models,
    stability_interval,
)
from core.topics import RANDOM_SEEDS
from core.vectors import Vectors
from pages.shared import show, state
from pages.shared.baselines import baseline_table, number, say_skipped
from pages.shared.controls import IN_URL, whole_number
from pages.shared.run_controls import choose_pairs, usable_models
from pages.shared.runs import Job, evaluations_or_stop
from pages.shared.sharing import of_runs

FEWEST_TOPICS = 4
MOST_SAMPLES = 20
LEVEL = 0.05


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
    topics = len(corpus.topic_names)
    if topics < FEWEST_TOPICS:
        st.info("Sampling needs four topics or more; this corpus has fewer.", icon=":material/info:")
        st.stop()
    return topics


def setup_jobs(corpus: Corpus, vectors: Vectors, *, m: int, k: int, samples: int = len(RANDOM_SEEDS)) -> list[Job]:
    """The HITS setup and so many random ones, the paper's first, each with its topic folds."""
    setups = [state.setup_of(corpus, vectors, "hits", m, 0)]
    setups += [state.setup_of(corpus, vectors, "random", m, seed) for seed in range(samples)]
    return [(setup, state.plain_folds_or_stop(setup, "topic-kfold", k, 0)) for setup in setups]


def choose_scores(corpus: Corpus, vectors: Vectors) -> SetupScores:
    """Ask what to rank, and give every model's scores on every fold of every setup."""
    topics = topics_or_stop(corpus)
    with st.container(border=True):
        asks = st.grid(3, min_column_width=230, vertical_alignment="bottom", gap="medium")
        task = asks.segmented_control(
            "Task", list(TASKS), default="attribution", required=True, key="task", bind=IN_URL
        )
        pairing = choose_pairs(asks) if TASKS[task].asks_pairs else "matched"
        m = whole_number(asks, "Topics kept (m)", 3, topics, max(3, topics // 2), key="m", help="As on the HITS page.")
        k = whole_number(asks, "Number of folds (k)", 2, min(m, 20), 6, key="k", help="Folds over the kept topics.")
        samples = _choose_samples(asks)
        metric_cell = asks.empty()
        known = usable_models(task)
        models = st.multiselect(
            "Models", list(known), list(known), format_func=known.__getitem__, key=f"models_{task}", bind=IN_URL
        )
    if len(models) < 2:
        st.info("Choose at least two models to rank.", icon=":material/info:")
        st.stop()
    jobs = setup_jobs(corpus, vectors, m=m, k=k, samples=samples)
    evaluations = evaluations_or_stop(
        jobs, task=task, models=models, seed=0, vectors_key=vectors.encoder_key, pairing=pairing
    )
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


def _choose_samples(asks: DeltaGenerator) -> int:
    return whole_number(
        asks,
        "Random samples",
        len(RANDOM_SEEDS),
        MOST_SAMPLES,
        len(RANDOM_SEEDS),
        key="samples",
        help="As many as you will wait for: beside *n* of them HITS can be as low by chance once in *n* + 1 times.",
    )


def show_baselines(scores: SetupScores) -> None:
    """Folds that could not be run, and what scores of each setup must be held against."""
    for name, (evaluation, _) in zip(scores.setups, scores.runs, strict=True):
        say_skipped(evaluation, setup=name)
    st.markdown("**What the scores stand beside**")
    baseline_table(dict(zip(scores.setups, scores.runs, strict=True)))


def show_ranks(scores: SetupScores) -> None:
    """How stable the ranking is, the rank of each model in each fold, and what that comes to."""
    tables = scores.values[scores.metric]
    rankings = {name: rank_models(table) for name, table in zip(scores.setups, tables, strict=True)}
    hits, pooled = rankings[scores.setups[0]], rank_models(np.concatenate(tables[1:], axis=1))
    ahead = lead(hits)
    _show_cards(scores, ahead)
    st.markdown("**Rank of each model in each fold** (1 is best)")
    show.figure(
        plots.ranks(rankings, scores.models),
        key="ranks",
        alt="Rank of each model in every fold of HITS and of each random sample",
    )
    halves = st.grid(2, min_column_width=360, gap="medium")
    with halves.cell():
        st.markdown("**Mean rank ± sd over folds**")
        ranked = {"model": scores.models} | {
            name: [f"{number(mean, '.2f')} ± {number(sd, '.2f')}" for mean, sd in zip(each.mean, each.sd, strict=True)]
            for name, each in (("HITS", hits), ("random, all seeds", pooled))
        }
        ranked["HITS, 95 %"] = [interval(*ends, ".2f") for ends in zip(ahead.low, ahead.high, strict=True)]
        show.table(pd.DataFrame(ranked), alt="Mean rank of each model")
    with halves.cell():
        st.markdown("**Stability of the ranking, by metric**")
        rows = []
        for name, label in scores.metrics.items():
            (mean, low, high), *random = (stability_interval(table) for table in scores.values[name])
            rows.append(
                {"metric": label, "HITS": mean, "95 %": interval(low, high), "random, mean": _mean(random)}
                | {setup: each[0] for setup, each in zip(scores.setups[1:], random, strict=True)}
            )
        show.table(rows, precision=3, alt="Stability per metric and setup")


def _show_cards(scores: SetupScores, ahead: Lead) -> None:
    """Stability under HITS and on random samples, and who leads where somebody does."""
    (mean, low, high), *random = (stability_interval(table) for table in scores.values[scores.metric])
    known = [each[0] for each in random if np.isfinite(each[0])]
    spread = f"{min(known):.3f} to {max(known):.3f} over {len(known)} samples" if known else "no sample ranks"
    cards = st.grid(3, min_column_width=220)
    about = "Mean Spearman ρ between the rankings of two folds; the interval is a jackknife over folds, too narrow if anything."
    show.card(cards, "Stability under HITS", number(mean), f"95 %: {interval(low, high)}", help=about)
    show.card(cards, "Stability, mean of random samples", number(_mean(random)), spread)
    names = [scores.models[index] for index in ahead.models]
    close = f"{len(names)} of {len(scores.models)} models" if names else "nothing could be ranked"
    close = "its rivals' intervals lie below" if len(names) == 1 else close
    show.card(
        cards,
        "Best mean rank under HITS",
        names[0] if len(names) == 1 else "Too close to call" if names else "–",
        close,
        help="One model is named where no other's interval of the mean rank overlaps its own and it is ahead in so many folds "
        "that chance would seldom give it (6 of 6, 8 of 9); with fewer than six folds none is.",
    )


def interval(low: float, high: float, form: str = ".3f") -> str:
    """Such as "0.512 to 0.890", or why there is none."""
    if np.isnan(low):
        return "unknown"
    return (
        "no spread" if low == high else f"{low:{form}} to {high:{form}}"
    )  # an interval without width would say too much


def _mean(found: Sequence[tuple[float, float, float]]) -> float:
    """The mean stability of those samples that have one."""
    known = [each[0] for each in found if np.isfinite(each[0])]
    return float(np.mean(known)) if known else np.nan


def hits_against_random(scores: SetupScores) -> None:
    """Every model's scores under HITS against those on the random samples."""
    st.markdown("**HITS against random, model by model**")
    keys = [(index, name) for index in range(len(scores.models)) for name in scores.metrics]
    samples = {key: [table[key[0]] for table in scores.values[key[1]]] for key in keys}
    compared = compare_setups(
        {key: hits for key, (hits, *_) in samples.items()},
        {key: np.concatenate(random) for key, (_, *random) in samples.items()},
    )
    rows = []
    for (index, name), result in compared.items():
        hits, *random = (
            float(np.nanmean(each)) if np.isfinite(each).any() else np.nan for each in samples[index, name]
        )
        random_folds = samples[index, name][1:]
        called, judged = placebo_counts(random_folds)
        rows.append(
            {
                "model": scores.models[index],
                "metric": scores.metrics[name],
                "HITS": result.mean_a,
                "random": result.mean_b,
                "difference": result.difference,
                "HITS among the samples": rank_among(hits, random).sentence,
                "t": result.statistic,
                "p (Holm)": result.adjusted,
                "random samples called different": f"{called} of {judged}" if judged else "–",
            }
        )
    show.table(rows, precision=3, absent="–", alt="HITS against random per model and metric")
    called, judged = placebo_counts(scores.values[scores.metric][1:], alpha=LEVEL)
    known = (
        f" Here, by {scores.metrics[scores.metric]} and without the correction, it calls {called} of {judged} random samples "
        f"({called / judged:.0%}) different from the other samples, where 5 % would be right."
        if judged
        else ""
    )
    least = 1 / (len(scores.setups))
    st.caption(
        f"HITS among the samples needs no assumption, but beside {len(scores.setups) - 1} of them chance alone puts HITS lowest "
        f"{least:.0%} of the time. *t* and *p* are the paper's: an unpaired t-test over folds, here with Holm's correction over "
        "the rows of this table. Folds share documents, so it finds differences where there are none more often than it "
        f"promises.{known}"
    )
    show.download(pd.DataFrame(rows), show.Csv("Comparison as CSV", "hits_against_random.csv"))
