"""Folds & accuracy: the documents of a topic beside those of its twin."""

import numpy as np
import pandas as pd
import streamlit as st

from core.arrays import Ints
from core.corpora import Corpus
from core.splits import Swaps
from core.topics import Setup
from pages.shared import show
from pages.shared.controls import IN_URL

BEGINS = 160  # characters of a text
READ = "swap_read"  # the topic whose documents are shown


def read_beside_twin(setup: Setup, swaps: Swaps) -> None:
    """The texts of one test topic and of its twin, side by side."""
    names = setup.space.names
    gained = [names[topic] for topic in swaps.topics]
    if READ in st.session_state and st.session_state[READ] not in gained:
        st.session_state[READ] = None
    placeholder = "Choose a topic, or click one above"
    chosen = st.selectbox("Read a topic beside its twin", gained, None, key=READ, placeholder=placeholder, bind=IN_URL)
    if chosen is None:
        return
    index = gained.index(chosen)
    pair = int(swaps.topics[index]), int(swaps.twins[index][0])
    halves = st.grid(2, min_column_width=380, gap="medium")
    for topic, said in zip(pair, ("The test topic", "Its twin"), strict=True):
        with halves.cell():
            st.markdown(f"**{said}: {show.escaped(names[topic])}**")
            rows = np.flatnonzero(setup.corpus.topic_codes == topic)
            shown = show.table(
                texts_of(setup.corpus, rows),
                height=240,
                csv=None,
                key=f"swap_texts_{said}",
                on_select="rerun",
                selection_mode="single-row",
                alt=f"Documents of {names[topic]}",
            )
            for index in shown.selection.rows[:1]:
                with st.container(border=True):
                    show.one_document(setup.corpus, int(rows[index]))


def texts_of(corpus: Corpus, rows: Ints) -> pd.DataFrame:
    """A row a document: its id, its author and how it begins."""
    authors = corpus.authors or ("",) * len(corpus)
    begins = (" ".join(corpus.texts[row][:BEGINS].split()) for row in rows)
    return pd.DataFrame(
        {
            "document": [corpus.ids[row] for row in rows],
            "author": [authors[row] for row in rows],
            "begins": list(begins),
        }
    )
