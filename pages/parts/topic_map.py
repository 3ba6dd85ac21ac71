"""The interactive parts of the topic map: clicks on documents, on pairs of topics and on the ranking."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.corpora import Corpus
from core.plots import topic_map as plots
from core.questions import topic_map
from core.render import Rows
from core.study import Study
from core.topics import Layout, closest_documents
from core.vectors import Vectors
from pages.shared import render, show
from pages.shared.session import computed_once
from pages.shared.studies import settled

MOST_SHOWN = 20
SHAPES = {"circle": "border-radius: 9px", "diamond": "transform: rotate(45deg)"}  # of symbols; others are square


def document_map(study: Study, settings: topic_map.Settings) -> None:
    """Draw documents and centroids, by PCA until UMAP is there; selected documents are listed below."""
    chart, waiting = st.container(), st.container()  # the map by PCA stands above what UMAP waits for
    with waiting:
        layout = settled(lambda: study.layout(settings.layout)) or study.layout("pca")
    shown = settings.but(first="", second="", layout=layout.method)  # all the map depends on
    figure, narrow = _map_drawn(study.corpus, study.vectors, study.similarity, shown, study, layout)
    with chart:
        render.chart_title(
            "Documents and topics",
            f"{topic_map.map_caption(study, settings, layout)} Click a point to read the document, or circle several with the "
            "lasso tool above the map.",
        )
        chosen = show.figure(
            figure,
            key="documents",
            on_select="rerun",
            selection_mode=("points", "box", "lasso"),
            config={"scrollZoom": True},
        )
        _narrow_key(figure, narrow)
    rows = [int(point["customdata"][0]) for point in chosen.selection.points if point.get("customdata")]
    if rows:
        chosen_documents(study.corpus, rows)


def _narrow_key(figure: go.Figure, narrow: int) -> None:
    """Draw a key below the map for phones, where some names have no room and are hidden."""
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


# Large figures: the study would hold one for every pair that was clicked, so these caches are small.
@computed_once(most=4)
def _map_drawn(
    corpus: Corpus, vectors: Vectors, similarity: str, settings: topic_map.Settings, _study: Study, _layout: Layout
) -> tuple[go.Figure, int]:
    return topic_map.document_map(_study, settings, _layout)


@computed_once(most=4)
def _matrix_drawn(corpus: Corpus, vectors: Vectors, similarity: str, pair: tuple[int, int], _study: Study) -> go.Figure:
    return topic_map.matrix(_study, pair)


def chosen_documents(corpus: Corpus, rows: Sequence[int]) -> None:
    """List the selected documents: the first twenty in a scrolling box, all of them in a file."""
    more = f", the first {MOST_SHOWN} shown" if len(rows) > MOST_SHOWN else ""
    st.markdown(f"**{len(rows):,} selected{more}**")
    columns = {
        "id": [corpus.ids[row] for row in rows],
        "topic": [corpus.topic_names[corpus.topic_codes[row]] for row in rows],
        corpus.class_word: None if corpus.authors is None else [corpus.authors[row] for row in rows],
        "text": [corpus.texts[row] for row in rows],
    }
    show.download(
        pd.DataFrame({name: values for name, values in columns.items() if values is not None}),
        show.Csv("Download selected", "selected_documents.csv"),
    )
    with st.container(height=320, border=True):
        for row in rows[:MOST_SHOWN]:
            show.one_document(corpus, row)


def _choose(first: str, second: str) -> None:
    st.session_state["a"], st.session_state["b"] = first, second


def matrix(study: Study, pair: tuple[int, int]) -> None:
    """Draw the similarity of every pair; a click on a cell chooses its pair."""
    names = study.space.names

    def clicked() -> None:
        points = st.session_state["matrix"].selection.points
        if points and points[0]["customdata"][0] != points[0]["customdata"][1]:
            first, second = (names[int(topic)] for topic in points[0]["customdata"][:2])
            _choose(first, second)

    drawn = _matrix_drawn(study.corpus, study.vectors, study.similarity, pair, study)
    render.chart_title("Click a cell to compare its topics", topic_map.matrix_caption(study))
    show.figure(drawn, key="matrix", on_select=clicked)


def leakage_ranking(rows: Rows) -> None:
    """Draw the topics by leakage; a selected row chooses the topic and its nearest."""
    frame = rows.frame

    def clicked() -> None:
        for row in st.session_state["ranking"].selection.rows[:1]:
            if frame["nearest"][row]:
                _choose(frame["topic"][row], frame["nearest"][row])

    number = st.column_config.NumberColumn(format="%.3f")
    show.table(
        frame,
        key="ranking",
        on_select=clicked,
        selection_mode="single-row",
        height=min(500, 38 + 35 * max(1, len(frame))),
        csv=show.Csv("Download topics", f"{rows.name}.csv"),
        column_config={"topic": st.column_config.TextColumn(width="medium")}
        | dict.fromkeys(("leakage", "mean", "max", "reliability"), number),
        alt="Topics ranked by leakage, with the nearest topic of each",
    )
    st.caption(f"{rows.note} Select a row to compare a topic with its nearest.")


def shared(study: Study, pair: topic_map.TopicPair) -> None:
    """Show why two topics are similar: the words they share, and their closest documents side by side."""
    names = study.space.names
    words, documents = st.tabs(["Shared words", "Closest documents"])
    with words:
        render.chart_title(topic_map.about_pair(study.space, pair), topic_map.SHARED)
        if pair.shared is None or not pair.shared.terms:
            st.info(topic_map.shared_words(study.space, pair), icon=":material/info:")
        else:
            two = names[pair.first], names[pair.second]
            show.figure(plots.shared_terms(pair.shared, *two, height=plots.PAIR_HEIGHT), key="shared")
    with documents, st.container(height=plots.PAIR_HEIGHT, border=True):
        near = closest_documents(study.vectors.matrix, study.corpus.topic_codes, *pair.topics)
        for left, right, similarity in zip(near.first, near.second, near.similarity, strict=True):
            st.badge(f"similarity {similarity:.2f}", color="blue")
            for column, row in zip(st.columns(2), (int(left), int(right)), strict=True):
                with column:
                    show.one_document(study.corpus, row)
            st.divider()
