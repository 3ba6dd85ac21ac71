"""The interactive parts of Check a split: the texts of near duplicates, and the fixed split as files."""

from functools import partial

import streamlit as st

from core.corpora import Corpus
from core.formats import share
from core.render import Answer
from core.splits import FixedSplit
from core.topics import documents_table
from pages.shared import files, show

TABLE_HEIGHT = 300  # pixels


def copied_documents(corpus: Corpus, answer: Answer) -> None:
    """Draw every near duplicate across the split, the most similar first, and the two texts of the chosen one."""
    copies = answer.numbers.audit.duplicates
    if not len(copies):
        st.info("No test document has a near duplicate in training.", icon=":material/info:")
        return
    chosen = show.table(
        answer.table("near_duplicates").frame,
        precision=3,
        formats={"word sequences shared": share},
        height=TABLE_HEIGHT,
        on_select="rerun",
        selection_mode="single-row",
        key="copies",
        alt="Every near duplicate across the split",
        csv=show.Csv("Near duplicates as CSV", "near_duplicates.csv"),
    )
    first, *_ = chosen.selection.rows or [0]
    order = copies.jaccard.argsort(kind="stable")[::-1]
    for column, found in zip(st.columns(2), (copies.test[order], copies.train[order]), strict=True):
        with column, st.container(height=TABLE_HEIGHT, border=True):
            show.one_document(corpus, int(found[first]))


def fixed_files(fixed: FixedSplit) -> None:
    """Offer the documents of the fixed split."""
    if fixed.moved or fixed.dropped:
        whole = partial(documents_table, fixed.corpus)
        files.documents(whole, stem="fixed_split", key="fixed", label="Fixed split")
