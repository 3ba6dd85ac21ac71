"""Folds & accuracy: does similarity buy accuracy?"""

import streamlit as st

from core.accuracy import relations, tested_topics
from core.evaluate import TASKS
from core.folds import SCHEMES
from core.plots import accuracy as plots
from core.scoring import fold_scores, metric_labels, summarise, topic_scores
from core.setups import SAMPLERS
from core.space import cluster_order
from pages.shared import focus, runs, state
from pages.shared.controls import IN_URL, encoder_notes, header, whole_number

header(
    "Does similarity buy accuracy?",
    "Each test topic stands beside how alike its training topics are and how well each model does on it. "
    "A model that leans on topics scores where a near twin was in training, and falls where none was.",
    section="Folds, models and scores",
)
corpus = state.corpus_or_stop()
runs.authors_or_stop(corpus)
vectors = state.vectors_or_stop(corpus)
topics = len(corpus.topic_names)

with st.container(border=True):
    asks = st.grid(3, min_column_width=230, vertical_alignment="bottom", gap="medium")
    task = asks.segmented_control("Task", list(TASKS), default="attribution", required=True, key="task", bind=IN_URL)
    sampler = asks.segmented_control(
        "Topics", list(SAMPLERS), default="none", required=True, format_func=SAMPLERS.get, key="sampler", bind=IN_URL
    )
    m = topics
    if sampler != "none" and topics > 2:
        m = whole_number(asks, "Topics kept (m)", 2, topics, max(2, topics // 2), key="m", help="As on the HITS page.")
    schemes = [name for name in SCHEMES if name != "own-split" or corpus.splits is not None]
    scheme = asks.selectbox("Folds", schemes, format_func=lambda name: SCHEMES[name].label, key="scheme", bind=IN_URL)
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
preferred = "c@1" if task == "verification" else "accuracy"
metric = metric_place.selectbox(
    "Metric", list(labels), list(labels).index(preferred), format_func=labels.get, key=f"metric_{task}", bind=IN_URL
)
shown = {name: known[name] for name in evaluation.models}
rows = tested_topics(setup.corpus, leakage, topic_scores(evaluation, setup.corpus), metric=metric)
found = relations(rows)
for problem in dict.fromkeys(run.problem for run in evaluation.runs if run.problem):
    folds_hit = sorted({run.fold + 1 for run in evaluation.runs if run.problem == problem})
    st.warning(f"Fold {', '.join(map(str, folds_hit))}: {problem}", icon=":material/warning:")

summary = summarise(fold_scores(evaluation, setup.corpus), metric)
cards = st.grid(len(shown), min_column_width=180)
for name, label in shown.items():
    cards.metric(
        f"{label}: {labels[metric]}",
        f"{summary[name].mean:.3f}",
        f"ρ {found[name].rho:+.2f}, p {found[name].p:.3f}",
        delta_color="off",
        delta_arrow="off",
        border=True,
        help="Mean over folds, weighted by documents; and the rank correlation, over test topics, of the score with the "
        "similarity of the nearest training topic.",
    )

fold_names = ["all folds", *(f"fold {number + 1}" for number in range(len(folds)))]
show_place, focus_place = st.columns([3, 2], gap="large")
picked = (
    show_place.pills("Show", fold_names, default="all folds", required=True, key="fold", bind=IN_URL) or "all folds"
)
visible = [row for row in rows if picked == "all folds" or fold_names[row.fold + 1] == picked]
topic = focus.in_focus(focus_place, setup.corpus, visible)
st.plotly_chart(
    plots.similarity_beside_accuracy(
        setup.space,
        folds,
        visible,
        cluster_order(setup.space.similarity),
        models=shown,
        metric=labels[metric],
        focus=topic,
    ),
    key="beside",
    on_select=focus.take("beside", setup.corpus),
    selection_mode="points",
    config={"displayModeBar": False},
    alt="Similarity of each test topic to its training topics, beside each model's score on it",
)
st.caption(
    f"Mean similarity of training and test topics {leakage.average_mean:.3f}, maximum {leakage.average_max:.3f} (averages "
    "over folds). Blank cells: not in that topic's training set. The share beside a topic is its largest author's: a topic by one author looks easy, whatever its neighbours."
)
st.plotly_chart(
    plots.accuracy_against_similarity(setup.space, rows, found, models=shown, metric=labels[metric], focus=topic),
    key="against",
    on_select=focus.take("against", setup.corpus),
    selection_mode="points",
    config={"displayModeBar": False},
    alt="Score of each model on each test topic against the similarity of the nearest training topic",
)
focus.relation_table(summary, found, shown, labels[metric])
table = focus.table(setup.corpus, rows, shown)
st.download_button(
    "Topics and scores as CSV",
    lambda: table.to_csv(index=False),
    "topic_scores.csv",
    "text/csv",
    icon=":material/download:",
)
focus.panel(setup, vectors, evaluation, rows, topic, known)
focus.fit_notes(evaluation, known)
focus.ordinary_beside_novel(
    setup, evaluation, metric, labels[metric], shown, seed=seed, vectors_key=vectors.encoder_key
)
encoder_notes((*vectors.notes, *leakage.notes, *folds.notes))
