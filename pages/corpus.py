"""Corpus: what do I have?"""

import streamlit as st

from pages.parts import corpus as parts
from pages.parts.corpus_topics import topics_panel
from pages.parts.corpus_warnings import done, warnings
from pages.shared import keep, project, state, upload
from pages.shared.controls import header

header(
    "What do I have?",
    "Counts of the corpus in hand, and everything in it that could mislead an evaluation, with the remedy beside it. "
    "Load your own file here: it needs a column of texts and one of topics, or topics are found.",
    section="What a corpus holds",
)
source = st.session_state.get("corpus", "courier")
upload.refusal()
if source == "newsgroups" and "newsgroups_corpus" not in st.session_state:
    upload.newsgroups_panel()
    st.stop()
own = source == "file" and "file_corpus" in st.session_state
place = st.container()
held = keep.as_loaded()
load = f"load_{held.fingerprint if held else None}"  # another corpus in hand closes the panel that it came by
with st.expander("Load your own file", icon=":material/upload:", expanded=source == "file" and not own, key=load):
    upload.upload_panel()
    if own:
        upload.vectors_panel(st.session_state["file_corpus"])
if own:
    upload.forget_button()
with st.expander("Open a project file", icon=":material/folder_open:"):
    project.open_panel()
parts.limits_panel()
if (whole := state.whole_corpus()) is not None:
    topics_panel(whole)
corpus = state.corpus_or_stop(link=False)
audit = state.audit_of(corpus)

with place:
    parts.answer(corpus, audit)
parts.cards(audit)
if held is not None:
    done(held)
    warnings(held, audit)
parts.detail(corpus, audit)
