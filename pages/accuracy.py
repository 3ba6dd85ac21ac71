"""Folds & accuracy: does similarity buy accuracy?"""

import streamlit as st

from core.evaluation import fold_scores, relations, summarise, tested_topics, topic_scores
from core.plots import accuracy as plots
from core.topics import cluster_order
from pages.shared import focus, runs, state
from pages.shared.choosing import choose_run
from pages.shared.controls import IN_URL, encoder_notes, header

header(
    "Does similarity buy accuracy?",
    "Each test topic stands beside how alike its training topics are and how well each model does on it. "
    "A model that leans on topics scores where a near twin was in training, and falls where none was.",
    section="Folds, models and scores",
)
corpus = state.corpus_or_stop()
runs.authors_or_stop(corpus)
vectors = state.vectors_or_stop(corpus)
run = choose_run(corpus, vectors)
names, space = run.setup.corpus, run.setup.space
rows = tested_topics(names, run.leakage, topic_scores(run.evaluation, names), metric=run.metric)
found = relations(rows)
summary = summarise(fold_scores(run.evaluation, names), run.metric)

cards = st.grid(len(run.models), min_column_width=180)
for name, label in run.models.items():
    cards.metric(
        f"{label}: {run.metric_label}",
        f"{summary[name].mean:.3f}",
        f"ρ {found[name].rho:+.2f}, p {found[name].p:.3f}",
        delta_color="off",
        delta_arrow="off",
        border=True,
        help="Mean over folds, weighted by documents; and the rank correlation, over test topics, of the score with the "
        "similarity of the nearest training topic.",
    )

fold_names = ["all folds", *(f"fold {number + 1}" for number in range(len(run.folds)))]
show_place, focus_place = st.columns([3, 2], gap="large")
picked = (
    show_place.pills("Show", fold_names, default="all folds", required=True, key="fold", bind=IN_URL) or "all folds"
)
visible = [row for row in rows if picked == "all folds" or fold_names[row.fold + 1] == picked]
topic = focus.in_focus(focus_place, names, visible)
st.plotly_chart(
    plots.similarity_beside_accuracy(
        space,
        run.folds,
        visible,
        cluster_order(space.similarity),
        models=run.models,
        metric=run.metric_label,
        focus=topic,
    ),
    key="beside",
    on_select=focus.take("beside", names),
    selection_mode="points",
    config={"displayModeBar": False},
    alt="Similarity of each test topic to its training topics, beside each model's score on it",
)
st.caption(
    f"Mean similarity of training and test topics {run.leakage.average_mean:.3f}, maximum {run.leakage.average_max:.3f} "
    "(averages over folds). Blank cells: not in that topic's training set. The share beside a topic is its largest "
    "author's: a topic by one author looks easy, whatever its neighbours."
)
st.plotly_chart(
    plots.accuracy_against_similarity(space, rows, found, models=run.models, metric=run.metric_label, focus=topic),
    key="against",
    on_select=focus.take("against", names),
    selection_mode="points",
    config={"displayModeBar": False},
    alt="Score of each model on each test topic against the similarity of the nearest training topic",
)
focus.relation_table(summary, found, run.models, run.metric_label)
table = focus.table(names, rows, run.models)
st.download_button(
    "Topics and scores as CSV",
    lambda: table.to_csv(index=False),
    "topic_scores.csv",
    "text/csv",
    icon=":material/download:",
)
focus.panel(run, vectors, rows, topic)
focus.fit_notes(run)
focus.ordinary_beside_novel(run, vectors_key=vectors.encoder_key)
encoder_notes((*vectors.notes, *run.leakage.notes, *run.folds.notes))
