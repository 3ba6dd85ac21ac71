"""The parts of the topic map: the map and its texts, the matrix and the ranking, and why two topics are alike."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.arrays import Ints
from core.corpora import Corpus
from core.plots import topic_map as plots
from core.topics import (
    LAYOUTS,
    MOST_CELLS,
    SIMILARITIES,
    Layout,
    Resampled,
    TopicSpace,
    Verdict,
    alike_sentence,
    closest_documents,
    closest_pairs,
    map_labels,
    matrix_blocks,
    shared_terms,
    topic_leakage,
)
from core.vectors import Vectors
from pages.shared import show, state
from pages.shared.controls import IN_URL
from pages.shared.sharing import computed_once

MOST_SHOWN = 20
MOST_COLOURED = 24  # groups that the eye and a legend can hold
MOST_FOUND = 12


def answer(space: TopicSpace, verdict: Verdict, resampled: Resampled) -> None:
    """The page's question answered in a sentence."""
    st.subheader(show.escaped(alike_sentence(space, verdict, resampled)), anchor=False)


def document_map(corpus: Corpus, vectors: Vectors, space: TopicSpace) -> None:
    """Documents and centroids; the documents chosen on it are shown below."""
    asks = st.grid(3, min_column_width=220)
    found = asks.multiselect(
        "Find topics",
        list(space.names),
        key="find",
        bind=IN_URL,
        max_selections=MOST_FOUND,
        placeholder="Type a name",
        help="Only these keep their colour, and their names are written first.",
    )
    colourings = ["topic", "author"] if corpus.author_names else ["topic"]
    colouring = asks.segmented_control(
        "Colour by", colourings, default="topic", required=True, key="colour", bind=IN_URL
    )
    method = asks.segmented_control(
        "Layout",
        list(LAYOUTS),
        default="umap",
        required=True,
        format_func=LAYOUTS.__getitem__,
        key="layout",
        bind=IN_URL,
    )
    layout = state.layout_of(corpus, vectors, method)
    chosen = show.figure(
        _drawn(corpus, vectors, space.kind, layout.method, colouring, tuple(found), layout, space),
        key="documents",
        on_select="rerun",
        selection_mode=("points", "box", "lasso"),
        config={"scrollZoom": True},
        alt="Map of documents with the topics' centroids",
    )
    drawn = "" if len(layout.rows) == len(corpus) else f" {len(layout.rows):,} of {len(corpus):,} documents are drawn."
    groups = len(corpus.topic_names if colouring == "topic" else corpus.author_names or ())
    grey = f" Of {groups:,} {colouring}s the {MOST_COLOURED} largest are coloured." if groups > MOST_COLOURED else ""
    st.caption(
        f"Distances on the map are for the eye only; no score uses them.{drawn}{grey} A topic's grey dot is the larger and "
        "darker the more reliable its centroid is. Click a point to read it, or draw round several with the lasso (above the "
        "map, on its right) to list them."
    )
    rows = [int(point["customdata"][0]) for point in chosen.selection.points if point.get("customdata")]
    if rows:
        chosen_documents(corpus, rows)


@computed_once(most=4)
def _drawn(
    corpus: Corpus,
    vectors: Vectors,
    kind: str,
    method: str,
    colouring: str,
    found: tuple[str, ...],
    _layout: Layout,
    _space: TopicSpace,
) -> go.Figure:
    """The map; of a corpus that everybody has it is drawn once for a whole class."""
    groups, codes = corpus.topic_names, corpus.topic_codes
    if colouring == "author" and corpus.author_names is not None and corpus.author_codes is not None:
        groups, codes = corpus.author_names, corpus.author_codes
    topics = [corpus.topic_names.index(name) for name in found]
    seen = np.isin(corpus.topic_codes, topics) if topics else np.ones(len(corpus), dtype=bool)
    largest = np.argsort(-np.bincount(codes[seen], minlength=len(groups)), kind="stable")[:MOST_COLOURED]
    coloured = np.where(seen & np.isin(codes, largest), codes, -1)
    leakage = topic_leakage(_space.similarity).score
    labels = map_labels(_layout, _space.names, leakage, height=plots.MAP_HEIGHT, always=topics)
    if colouring != "topic" or not set(coloured.tolist()) - {-1} <= {label.topic for label in labels}:
        below_a_legend = plots.MAP_HEIGHT * (1 - plots.LEGEND)
        labels = map_labels(_layout, _space.names, leakage, height=below_a_legend, always=topics)
    return plots.document_map(_layout, _space, groups, coloured, corpus.ids, labels)


def chosen_documents(corpus: Corpus, rows: Sequence[int]) -> None:
    """The chosen documents, the first twenty of them in a scrolling box and all of them in a file."""
    more = f", the first {MOST_SHOWN} shown" if len(rows) > MOST_SHOWN else ""
    st.markdown(f"**{len(rows):,} chosen{more}**")
    columns = {
        "id": [corpus.ids[row] for row in rows],
        "topic": [corpus.topic_names[corpus.topic_codes[row]] for row in rows],
        "author": None if corpus.authors is None else [corpus.authors[row] for row in rows],
        "text": [corpus.texts[row] for row in rows],
    }
    show.download(
        pd.DataFrame({name: values for name, values in columns.items() if values is not None}),
        show.Csv(f"The {len(rows):,} chosen as CSV", "chosen_documents.csv"),
    )
    with st.container(height=320, border=True):
        for row in rows[:MOST_SHOWN]:
            show.one_document(corpus, row)


def choose_pair(space: TopicSpace) -> tuple[int, int]:
    """Two topics, at first the most alike; clicks in the matrix and in the ranking choose them too."""
    names = list(space.names)
    first_guess, second_guess, _ = next(iter(closest_pairs(space.similarity, most=1)), (0, 1, 0.0))
    one, two = st.columns(2)
    first = one.selectbox("Topic", names, index=first_guess, key="a", bind=IN_URL)
    second = two.selectbox("and topic", names, index=second_guess, key="b", bind=IN_URL)
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
        _matrix_drawn(corpus, vectors, space.kind, pair, space, order, resampled),
        key="matrix",
        on_select=clicked,
        alt="Matrix of topic similarities, alike topics next to each other",
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
        return plots.block_matrix(_space, matrix_blocks(_space.similarity, _order), pair)
    return plots.similarity_matrix(_space, _order, pair, resampled=_resampled)


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
    first, second = (space.names[topic] for topic in pair)
    st.markdown(f"{how_alike(space, pair, resampled)} The words both lean on, and the documents that come closest:")
    shared = shared_terms(state.terms_of(corpus), *pair)
    halves = st.grid(2, min_column_width=360, gap="medium")
    with halves.cell():
        if shared.terms:
            show.figure(
                plots.shared_terms(shared, first, second), key="shared", alt="Distinctive words the two topics share"
            )
        else:
            st.info("The two topics share no distinctive word.", icon=":material/info:")
    with halves.cell(), st.container(height=480, border=True):
        near = closest_documents(vectors.matrix, corpus.topic_codes, *pair)
        for left, right, similarity in zip(near.first, near.second, near.similarity, strict=True):
            st.badge(f"similarity {similarity:.2f}", color="blue")
            for column, row in zip(st.columns(2), (int(left), int(right)), strict=True):
                with column:
                    show.one_document(corpus, row)
            st.divider()
