"""The parts of the topic map: its answer, the map, and the texts chosen on it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.corpora import Corpus
from core.plots import topic_map as plots
from core.topics import (
    LAYOUTS,
    Layout,
    Resampled,
    TopicSpace,
    Verdict,
    alike_sentence,
    map_labels,
    topic_leakage,
)
from core.vectors import Vectors
from pages.shared import show, state
from pages.shared.controls import IN_URL
from pages.shared.public import computed_once

MOST_SHOWN = 20
MOST_COLOURED = 24  # groups that the eye and a legend can hold
MOST_FOUND = 12
SHAPES = {"circle": "border-radius: 9px", "diamond": "transform: rotate(45deg)"}  # of symbols; others are square


def answer(space: TopicSpace, verdict: Verdict, resampled: Resampled) -> None:
    """The page's question answered in a sentence."""
    st.subheader(show.escaped(alike_sentence(space, verdict, resampled)), anchor=False)


def document_map(corpus: Corpus, vectors: Vectors, space: TopicSpace) -> None:
    """Documents and centroids; the documents chosen on it are shown below."""
    asks = st.grid(2, min_column_width=300, vertical_alignment="bottom")
    found = asks.multiselect(
        "Find topics",
        list(space.names),
        key="find",
        bind=IN_URL,
        max_selections=MOST_FOUND,
        placeholder="Type a name",
        help="Only these keep their colour, and their names are written first.",
    )
    looks = asks.container(horizontal=True, gap="medium")
    colourings = ["topic", "author"] if corpus.author_names else ["topic"]
    colouring = looks.segmented_control(
        "Colour by", colourings, default="topic", required=True, key="colour", bind=IN_URL
    )
    method = looks.segmented_control(
        "Layout",
        list(LAYOUTS),
        default="umap",
        required=True,
        format_func=LAYOUTS.__getitem__,
        key="layout",
        bind=IN_URL,
    )
    layout = state.layout_of(corpus, vectors, method)
    figure, narrow = _drawn(corpus, vectors, space.kind, layout.method, colouring, tuple(found), layout, space)
    chosen = show.figure(
        figure,
        key="documents",
        on_select="rerun",
        selection_mode=("points", "box", "lasso"),
        config={"scrollZoom": True},
    )
    _narrow_key(figure, narrow)
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


def _narrow_key(figure: go.Figure, narrow: int) -> None:
    """On a telephone: leave out the names that have no room there, and say under the map what each colour is."""
    groups = plots.map_key(figure)
    if narrow >= len(figure.layout.annotations):
        return
    left_out = f".st-key-documents .infolayer > :nth-child(n + {narrow + 1} of .annotation) {{ display: none; }}"
    marks = [
        f'<li><span style="background: {colour}; {SHAPES.get(symbol, "")}"></span>{name}</li>'
        for name, colour, symbol in groups
    ]
    with st.container(key="map_key"):
        st.html(f"<style>@media (max-width: 640px) {{ {left_out} }}</style><ul>{''.join(marks)}</ul>")


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
) -> tuple[go.Figure, int]:
    """The map, and how many of its names have room on a telephone; of a corpus that everybody has it is drawn once for a whole class."""
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
    figure = plots.document_map(_layout, _space, groups, coloured, corpus.ids, labels)
    return figure, sum(label.narrow for label in labels)


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
