"""The parts of the topic map on pairs: which pair is in hand, the matrix and the ranking, and why two topics are alike."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.arrays import Ints
from core.corpora import Corpus
from core.plots import topic_map as plots
from core.plots import topic_map_matrix
from core.topics import (
    MOST_CELLS,
    SIMILARITIES,
    Resampled,
    TopicSpace,
    closest_documents,
    closest_pairs,
    matrix_blocks,
    shared_terms,
    topic_leakage,
)
from core.vectors import Vectors
from pages.shared import show, state
from pages.shared.controls import IN_URL
from pages.shared.public import computed_once


def choose_pair(space: TopicSpace) -> tuple[int, int]:
    """Two topics, at first the most alike; clicks in the matrix and in the ranking choose them too."""
    names = list(space.names)
    first_guess, second_guess, _ = next(iter(closest_pairs(space.similarity, most=1)), (0, 1, 0.0))
    asks = st.grid(2, min_column_width=140)  # two abreast on a telephone too
    first = asks.selectbox("Topic", names, index=first_guess, key="a", bind=IN_URL)
    second = asks.selectbox("and topic", names, index=second_guess, key="b", bind=IN_URL)
    return names.index(first), names.index(second)


def _choose(first: str, second: str) -> None:
    st.session_state["a"], st.session_state["b"] = first, second


def matrix(
    corpus: Corpus, vectors: Vectors, space: TopicSpace, order: Ints, pair: tuple[int, int], resampled: Resampled
) -> None:
    """The similarity of every pair; a click on a cell chooses its pair."""

    def clicked() -> None:
        points = st.session_state["matrix"].selection.points
        if points and points[0]["customdata"][0] != points[0]["customdata"][1]:
            first, second = (space.names[int(topic)] for topic in points[0]["customdata"][:2])
            _choose(first, second)

    order = order[space.placed[order]]
    in_blocks = len(order) > MOST_CELLS
    show.figure(
        _matrix_drawn(corpus, vectors, space.kind, pair, space, order, resampled), key="matrix", on_select=clicked
    )
    absent = " The topics that cannot be placed, listed below, are not in it." if not space.placed.all() else ""
    cells = (
        "a cell is a block of them, and a click chooses its closest pair" if in_blocks else "click a cell to see why"
    )
    st.caption(f"Similarity {SIMILARITIES[space.kind]}. Alike topics stand together; {cells}.{absent}")


@computed_once(most=4)
def _matrix_drawn(
    corpus: Corpus,
    vectors: Vectors,
    kind: str,
    pair: tuple[int, int],
    _space: TopicSpace,
    _order: Ints,
    _resampled: Resampled,
) -> go.Figure:
    """The matrix, in blocks past what a screen holds; drawn once for a whole class, as the map is."""
    if len(_order) > MOST_CELLS:
        return topic_map_matrix.block_matrix(_space, matrix_blocks(_space.similarity, _order), pair)
    return topic_map_matrix.similarity_matrix(_space, _order, pair, resampled=_resampled)


def leakage_ranking(space: TopicSpace) -> None:
    """Topics by leakage against all others; a chosen row chooses the topic and its nearest."""
    leakage = topic_leakage(space.similarity)
    ranked = np.argsort(-leakage.score, kind="stable")
    ranked = ranked[space.placed[ranked]]
    topics = [space.names[topic] for topic in ranked]
    nearest = [space.names[topic] if topic >= 0 else "" for topic in leakage.nearest[ranked]]

    def clicked() -> None:
        for row in st.session_state["ranking"].selection.rows[:1]:
            if nearest[row]:
                _choose(topics[row], nearest[row])

    st.markdown("**Topics by leakage against all others**")
    show.table(
        pd.DataFrame(
            {
                "topic": topics,
                "leakage": leakage.score[ranked],
                "reliability": space.reliability[ranked],
                "nearest": nearest,
                "max": leakage.max[ranked],
                "mean": leakage.mean[ranked],
            }
        ),
        key="ranking",
        on_select=clicked,
        selection_mode="single-row",
        height=min(500, 38 + 35 * max(1, len(ranked))),
        csv=show.Csv("Topics by leakage as CSV", "topics_by_leakage.csv"),
        column_config={"topic": st.column_config.TextColumn(width="medium")}
        | {
            column: st.column_config.NumberColumn(format="%.3f") for column in ("leakage", "mean", "max", "reliability")
        },
        alt="Topics ranked by leakage, with the nearest topic of each",
    )
    st.caption(
        "Leakage = mean × max. Reliability: the share of a topic's centroid that is signal; below 0.5 it is mostly noise. "
        "Choose a row to see why a topic is like its nearest."
    )


def how_alike(space: TopicSpace, pair: tuple[int, int], resampled: Resampled | None) -> str:
    """The similarity of a pair with its interval, or why there is none."""
    if not space.placed[list(pair)].all():
        return "Similarity **unknown**: one of the two cannot be placed."
    sure = ""
    if resampled is not None and resampled.low is not None and resampled.high is not None:
        sure = f" (95 %: {resampled.low[pair]:.2f} to {resampled.high[pair]:.2f})"
    return f"Similarity, {SIMILARITIES[space.kind]}: **{space.similarity[pair]:.3f}**{sure}."


def why_alike(
    corpus: Corpus, vectors: Vectors, space: TopicSpace, pair: tuple[int, int], resampled: Resampled | None = None
) -> None:
    """Why two topics are alike: the distinctive words they share, and their closest documents side by side."""
    st.markdown(how_alike(space, pair, resampled))
    words, documents = st.tabs(["Words both lean on", "Closest documents"])
    with words:
        _shared_words(corpus, space, pair)
    with documents, st.container(height=440, border=True):
        _closest_documents(corpus, vectors, pair)


def _shared_words(corpus: Corpus, space: TopicSpace, pair: tuple[int, int]) -> None:
    shared = shared_terms(state.terms_of(corpus), *pair)
    if not shared.terms:
        st.info("The two topics share no distinctive word.", icon=":material/info:")
        return
    first, second = (space.names[topic] for topic in pair)
    show.figure(plots.shared_terms(shared, first, second), key="shared")


def _closest_documents(corpus: Corpus, vectors: Vectors, pair: tuple[int, int]) -> None:
    near = closest_documents(vectors.matrix, corpus.topic_codes, *pair)
    for left, right, similarity in zip(near.first, near.second, near.similarity, strict=True):
        st.badge(f"similarity {similarity:.2f}", color="blue")
        for column, row in zip(st.columns(2), (int(left), int(right)), strict=True):
            with column:
                show.one_document(corpus, row)
        st.divider()
