"""Design a split, taken away: the documents with their folds or sides, the settings, and what to write of it."""

import json

import streamlit as st

from core.arrays import Ints
from core.corpora import Corpus
from core.splits import (
    FOLD_COLUMNS,
    Option,
    Wishes,
    folds_table,
    methods_paragraph,
    references,
    split_settings,
)
from core.topics import TopicSpace
from core.vectors import ENCODERS, Vectors
from pages.shared import state
from pages.shared.controls import IN_URL
from pages.shared.corpus_vectors import encoder_in_hand
from pages.shared.files import documents

COLUMN = "design_column"


def files(
    corpus: Corpus, vectors: Vectors, space: TopicSpace, chosen: Option, fold_of: Ints, *, k: int, wishes: Wishes
) -> None:
    """The documents with their folds, the settings, and what to write of it."""
    column = _column()
    more = {"encoder": vectors.encoder_key, "column": column} | state.exported_choices()
    settings = split_settings(corpus, space, chosen, fold_of, k=k, wishes=wishes, more=more)
    documents(
        lambda: folds_table(corpus, fold_of, column=column),
        stem=f"split_{chosen.kind}",
        key="folds",
        settings=lambda: json.dumps(settings, ensure_ascii=False, indent=2).encode(),
    )
    with st.expander("For a paper's methods section, and BibTeX", icon=":material/article:"):
        encoder = ENCODERS[encoder_in_hand().name].label
        paragraph = methods_paragraph(corpus, space, chosen, k=k, encoder=encoder, wishes=wishes)
        st.code(paragraph, language=None, wrap_lines=True)
        st.code(references(chosen), language="bibtex")


def _column() -> str:
    """Which column tells the sides: a name of FOLD_COLUMNS."""
    head = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    head.markdown("**Take it with you**, the documents with a column", width="content")
    column: str = head.segmented_control(
        "Column",
        list(FOLD_COLUMNS),
        default="fold",
        required=True,
        key=COLUMN,
        bind=IN_URL,
        label_visibility="collapsed",
        help="\n".join(f"- **{name}**: {about}" for name, about in FOLD_COLUMNS.items()),
    )
    head.caption(FOLD_COLUMNS[column])
    return column
