"""Ranking: which model wins, and is that stable?"""

import numpy as np
import pandas as pd
import streamlit as st

from core.evaluation import TASKS, fold_scores, metric_labels
from core.plots import ranking as plots
from core.statistics import compare_setups, rank_models, stability
from core.topics import RANDOM_SEEDS
from pages.shared import runs, state
from pages.shared.controls import IN_URL, encoder_notes, header, whole_number

header(
    "Which model wins, and is that stable?",
    "The same models on the topics HITS keeps and on random samples of as many. If rankings change from fold to fold, "
    "a winner on one split is no winner.",
    section="Ranking and its stability",
)
corpus = state.corpus_or_stop()
runs.authors_or_stop(corpus)
vectors = state.vectors_or_stop(corpus)
topics = len(corpus.topic_names)
if topics < 4:
    st.info("Sampling needs four topics or more; this corpus has fewer.", icon=":material/info:")
    st.stop()

with st.container(border=True):
    asks = st.grid(4, min_column_width=200, vertical_alignment="bottom", gap="medium")
    task = asks.segmented_control("Task", list(TASKS), default="attribution", required=True, key="task", bind=IN_URL)
    m = whole_number(asks, "Topics kept (m)", 3, topics, max(3, topics // 2), key="m", help="As on the HITS page.")
    k = whole_number(asks, "Number of folds (k)", 2, min(m, 20), 6, key="k", help="Folds over the kept topics.")
    metric_place = asks.empty()
    known = runs.usable_models(task)
    models = st.multiselect(
        "Models", list(known), list(known), format_func=known.get, key=f"models_{task}", bind=IN_URL
    )
if len(models) < 2:
    st.info("Choose at least two models to rank.", icon=":material/info:")
    st.stop()

setups = [runs.setup_of(corpus, vectors, "hits", m, 0)]
setups += [runs.setup_of(corpus, vectors, "random", m, seed) for seed in RANDOM_SEEDS]
jobs = [(setup, runs.folds_or_stop(setup, "topic-kfold", k, 0)[0]) for setup in setups]
evaluations = runs.evaluations_or_stop(jobs, task=task, models=models, seed=0, vectors_key=vectors.encoder_key)
labels = metric_labels(evaluations[0], corpus)
metric = metric_place.selectbox(
    "Rank by",
    list(labels),
    list(labels).index("overall" if task == "verification" else "accuracy"),
    format_func=labels.get,
    key=f"rank_{task}",
    bind=IN_URL,
)
# values[metric][setup] is models × folds
scores = [fold_scores(each, setup.corpus) for each, (setup, _) in zip(evaluations, jobs, strict=True)]
values = {
    name: [
        np.array([[score.values[name] for score in one if score.model == model] for model in models]) for one in scores
    ]
    for name in labels
}
rankings = {setup.name: rank_models(matrix) for setup, matrix in zip(setups, values[metric], strict=True)}
stable = {name: [stability(matrix).mean for matrix in values[name]] for name in labels}
random_mean = {
    name: float(np.nanmean(stable[name][1:])) if np.isfinite(stable[name][1:]).any() else np.nan for name in labels
}

cards = st.grid(3, min_column_width=220)
cards.metric("Stability under HITS", f"{stable[metric][0]:.3f}", border=True, help="Mean Spearman ρ between folds.")
cards.metric("Stability, mean of random samples", f"{random_mean[metric]:.3f}", border=True)
best = known[models[int(np.nanargmin(rankings["HITS"].mean))]]
cards.metric("Best mean rank under HITS", best, border=True)

st.markdown("**Rank of each model in each fold** (1 is best)")
st.plotly_chart(
    plots.ranks(rankings, [known[model] for model in models]),
    key="ranks",
    config={"displayModeBar": False},
    alt="Rank of each model in every fold of HITS and of each random sample",
)
halves = st.grid(2, min_column_width=360, gap="medium")
with halves.cell():
    st.markdown("**Mean rank ± sd over folds**")
    pooled = rank_models(np.concatenate(values[metric][1:], axis=1))
    ranked = pd.DataFrame(
        {"model": [known[model] for model in models]}
        | {
            name: [f"{mean:.2f} ± {sd:.2f}" for mean, sd in zip(each.mean, each.sd, strict=True)]
            for name, each in (("HITS", rankings["HITS"]), ("random, all seeds", pooled))
        }
    )
    st.dataframe(ranked, hide_index=True, alt="Mean rank of each model")
with halves.cell():
    st.markdown("**Stability of the ranking, by metric**")
    table = pd.DataFrame(
        [
            {"metric": label, "HITS": stable[name][0], "random, mean": random_mean[name]}
            | {setup.name: value for setup, value in zip(setups[1:], stable[name][1:], strict=True)}
            for name, label in labels.items()
        ]
    )
    st.dataframe(table.style.format(precision=3, na_rep="–"), hide_index=True, alt="Stability per metric and setup")

st.markdown("**HITS against random, model by model**")
compared = []
for place, model in enumerate(models):
    ours = {name: values[name][0][place] for name in labels}
    theirs = {name: np.concatenate([matrix[place] for matrix in values[name][1:]]) for name in labels}
    for name, result in compare_setups(ours, theirs).items():
        compared.append(
            {
                "model": known[model],
                "metric": labels[name],
                "HITS": result.mean_a,
                "random": result.mean_b,
                "difference": result.difference,
                "t": result.statistic,
                "p": result.p,
                "": "lower under HITS *" if result.p < 0.05 and result.difference < 0 else "",
            }
        )
frame = pd.DataFrame(compared)
st.dataframe(
    frame.style.format(precision=3, na_rep="–"), hide_index=True, alt="HITS against random per model and metric"
)
st.caption("Unpaired t-test over folds, as in the paper; folds share training documents, so p is somewhat too small.")
st.download_button(
    "Comparison as CSV",
    lambda: frame.to_csv(index=False),
    "hits_against_random.csv",
    "text/csv",
    icon=":material/download:",
)
encoder_notes(vectors.notes)
