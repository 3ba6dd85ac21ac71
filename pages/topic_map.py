"""Topic map: which topics are alike, and why?"""

import numpy as np
import pandas as pd
import streamlit as st

from core.plots import topic_map as plots
from core.topics import LAYOUTS, closest_pairs, topic_leakage
from pages.shared import state
from pages.shared.controls import IN_URL, encoder_notes, escaped, header
from pages.shared.reading import closest_pairs_of_documents, show_documents

header(
    "Which topics are alike?",
    "Every point is a document, every named dot a topic's centroid; documents that lie together say similar things. "
    "Below, the similarity of every pair of topics, and the words and documents that make a pair alike.",
    section="Topics in a vector space",
)
corpus = state.corpus_or_stop()
vectors = state.vectors_or_stop(corpus)
space = state.space_of(corpus, vectors)

asks = st.grid(2)
colourings = ["topic", "author"] if corpus.author_names else ["topic"]
colouring = asks.segmented_control("Colour by", colourings, default="topic", required=True, key="colour", bind=IN_URL)
method = asks.segmented_control(
    "Layout", list(LAYOUTS), default="umap", required=True, format_func=LAYOUTS.get, key="layout", bind=IN_URL
)
layout = state.layout_of(corpus, vectors, method)
groups, codes = (
    (corpus.topic_names, corpus.topic_codes) if colouring == "topic" else (corpus.author_names, corpus.author_codes)
)
chosen = st.plotly_chart(
    plots.document_map(layout, space, groups, codes, corpus.ids),
    key="documents",
    on_select="rerun",
    selection_mode=("points", "box", "lasso"),
    config={"scrollZoom": True, "displaylogo": False},
    alt="Map of documents with the topics' centroids",
)
drawn = "" if len(layout.rows) == len(corpus) else f" {len(layout.rows):,} of {len(corpus):,} documents are drawn."
st.caption(
    f"Distances on the map are for the eye only; no score uses them.{drawn} Click a point, or lasso several, to read."
)
picked = [point["customdata"][0] for point in chosen.selection.points if point.get("customdata")]
if picked:
    show_documents(corpus, [int(row) for row in picked])

st.subheader("Similarity of every pair", anchor=False)
names = list(space.names)
first_guess, second_guess, _ = closest_pairs(space.similarity, most=1)[0]


def take_clicked_pair() -> None:
    points = st.session_state["matrix"].selection.points
    if points and points[0]["customdata"][0] != points[0]["customdata"][1]:
        st.session_state["a"], st.session_state["b"] = (names[int(topic)] for topic in points[0]["customdata"][:2])


leakage = topic_leakage(space.similarity)
ranked = np.argsort(-leakage.score, kind="stable")
table = pd.DataFrame(
    {
        "topic": [names[topic] for topic in ranked],
        "leakage": leakage.score[ranked],
        "nearest": [names[topic] for topic in leakage.nearest[ranked]],
        "max": leakage.max[ranked],
        "mean": leakage.mean[ranked],
    }
)


def take_ranked_pair() -> None:
    rows = st.session_state["ranking"].selection.rows
    if rows:
        st.session_state["a"], st.session_state["b"] = table.loc[rows[0], ["topic", "nearest"]]


one, two = st.columns(2)
first = one.selectbox("Topic", names, index=first_guess, key="a", bind=IN_URL)
second = two.selectbox("and topic", names, index=second_guess, key="b", bind=IN_URL)
pair = names.index(first), names.index(second)

halves = st.grid(2, min_column_width=380, gap="medium")
with halves.cell():
    st.plotly_chart(
        plots.similarity_matrix(space, state.order_of(corpus, vectors), pair),
        key="matrix",
        on_select=take_clicked_pair,
        selection_mode="points",
        config={"displayModeBar": False},
        alt="Matrix of topic similarities, alike topics next to each other",
    )
    st.caption("Alike topics stand together. Click a cell to see why its two topics are alike.")
with halves.cell():
    st.markdown("**Topics by leakage against all others**")
    st.dataframe(
        table,
        key="ranking",
        on_select=take_ranked_pair,
        selection_mode="single-row",
        hide_index=True,
        height=540,
        column_config={column: st.column_config.NumberColumn(format="%.3f") for column in ("leakage", "mean", "max")},
        alt="Topics ranked by leakage, with the nearest topic of each",
    )
    st.caption("Leakage = mean × max. Choose a row to see why a topic is like its nearest.")

st.subheader(f"Why {escaped(first)} and {escaped(second)} are alike", anchor=False)
if pair[0] == pair[1]:
    st.info("Choose two different topics.", icon=":material/info:")
else:
    closest_pairs_of_documents(corpus, vectors, space, pair)
encoder_notes(vectors.notes)
