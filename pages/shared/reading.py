"""Texts on the page: chosen documents, and two topics side by side. Texts are shown as plain text, never as mark-up."""

from collections.abc import Sequence

import streamlit as st

from core.corpora import Corpus
from core.plots import topic_map as plots
from core.topics import TopicSpace, closest_documents, shared_terms
from core.vectors import Vectors
from pages.shared import state
from pages.shared.controls import escaped

MOST_SHOWN = 20
LONGEST_SHOWN = 4_000  # characters of one text; a page of long documents must stay readable


def show_documents(corpus: Corpus, rows: Sequence[int]) -> None:
    """The chosen documents, the first twenty of them, in a scrolling box."""
    more = f", the first {MOST_SHOWN} shown" if len(rows) > MOST_SHOWN else ""
    st.markdown(f"**{len(rows)} chosen{more}**")
    with st.container(height=320, border=True):
        for row in rows[:MOST_SHOWN]:
            one_document(corpus, row)


def one_document(corpus: Corpus, row: int) -> None:
    """One text under its id, topic and author."""
    author = f" · {escaped(corpus.author_names[corpus.author_codes[row]])}" if corpus.author_names else ""
    topic = escaped(corpus.topic_names[corpus.topic_codes[row]])
    st.markdown(f"**{escaped(corpus.ids[row])}** · {topic}{author}")
    text = corpus.texts[row]
    st.text(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + " …")


def closest_pairs_of_documents(corpus: Corpus, vectors: Vectors, space: TopicSpace, pair: tuple[int, int]) -> None:
    """Why two topics are alike: the distinctive words they share, and their closest documents side by side."""
    first, second = (space.names[topic] for topic in pair)
    st.markdown(
        f"Similarity **{space.similarity[pair]:.3f}**. The words both lean on, and the documents that come closest:"
    )
    shared = shared_terms(state.terms_of(corpus), *pair)
    halves = st.grid(2, min_column_width=360, gap="medium")
    with halves.cell():
        if shared.terms:
            st.plotly_chart(
                plots.shared_terms(shared, first, second),
                key="shared",
                config={"displayModeBar": False},
                alt="Distinctive words the two topics share",
            )
        else:
            st.info("The two topics share no distinctive word.", icon=":material/info:")
    with halves.cell(), st.container(height=480, border=True):
        near = closest_documents(vectors.matrix, corpus.topic_codes, *pair)
        for left, right, similarity in zip(near.first, near.second, near.similarity, strict=True):
            st.badge(f"similarity {similarity:.2f}", color="blue")
            for column, row in zip(st.columns(2), (int(left), int(right)), strict=True):
                with column:
                    one_document(corpus, row)
            st.divider()
