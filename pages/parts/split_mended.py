"""Your split, mended: the smallest change that would part what is alike, previewed, and the mended split as a file."""

from functools import partial

import streamlit as st

from core.corpora import Corpus
from core.splits import Mended, mend_split
from core.topics import TopicSpace, documents_table
from core.vectors import Vectors
from pages.shared import files, show, work
from pages.shared.controls import IN_URL
from pages.shared.public import is_public

BECOMES = {True: "moved to the other side", False: "dropped"}


def mended(corpus: Corpus, vectors: Vectors, space: TopicSpace, *, meaningful: bool) -> None:
    """What to move or drop, when asked for: it takes as long as the audit did."""
    if not meaningful:
        st.caption(
            "The labels do not separate these texts, so moving topics would mend nothing. Near duplicates are listed below."
        )
        return
    help = "Which topics or near duplicates to move or drop so that nothing alike is on both sides."
    if not st.toggle("Work out the smallest change that mends it", key="split_mend", bind=IN_URL, help=help):
        return
    found = work.result(
        "mended splits",
        (corpus.fingerprint, vectors.encoder_key, space.kind),
        work.step(mend_split, corpus, vectors.matrix, space),
        name="Mending the split",
        public=is_public(corpus),
        complain=show.refuse,
    )
    if found is not None:
        with st.container(border=True):
            _preview(found)


def _preview(found: Mended) -> None:
    st.markdown(f"**{show.escaped(found.sentence)}**")
    if found.changes:
        show.table(
            [
                {
                    "topic": change.topic,
                    "side": change.side,
                    "documents": change.documents,
                    "what": BECOMES[change.moved],
                }
                for change in found.changes
            ],
            height=min(320, 38 + 35 * len(found.changes)),
            csv=show.Csv("Changes as CSV", "split_changes.csv"),
            alt="Topics that leave a side, and where they go",
        )
    if found.duplicates:
        with st.expander(f"{len(found.duplicates):,} test documents dropped as near duplicates"):
            show.table(
                [{"id": each} for each in found.duplicates],
                height=240,
                csv=show.Csv("Their ids as CSV", "dropped_duplicates.csv"),
                alt="Test documents with a near duplicate in training",
            )
    if found.moved or found.dropped:
        whole = partial(documents_table, found.corpus)
        files.documents(whole, stem="mended_split", key="mended", label="Without the leaks")
