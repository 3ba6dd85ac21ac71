"""Corpus: what do I have?"""

import streamlit as st

from pages.parts import corpus as parts
from pages.parts.corpus_limits import limits_panel
from pages.shared import state, upload
from pages.shared.controls import header
from pages.shared.show import escaped

header(
    "What do I have?",
    "Counts, authors and lengths of the corpus in hand, and everything in it that could mislead an evaluation. "
    "Load your own file here: it needs a column of texts and one of topics.",
    section="What a corpus holds",
)
source = st.session_state.get("corpus", "courier")
upload.refusal()
if source == "newsgroups" and "newsgroups_corpus" not in st.session_state:
    upload.newsgroups_panel()
    st.stop()
loaded = "file_corpus" in st.session_state
with st.expander("Load your own file", icon=":material/upload:", expanded=source == "file" and not loaded):
    upload.upload_panel()
    if source == "file" and loaded:
        upload.vectors_panel(st.session_state["file_corpus"])
        upload.forget_button()
limits_panel()
corpus = state.corpus_or_stop(link=False)
audit = state.audit_of(corpus)

st.subheader(escaped(corpus.name), anchor=False)
parts.cards(audit)
parts.findings(audit)
parts.topic_table(audit)
parts.authors(audit)
parts.lengths(audit)
