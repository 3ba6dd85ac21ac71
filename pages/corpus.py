"""Corpus: what is in my corpus?"""

from dataclasses import replace

import streamlit as st

from core.questions import corpus as question
from core.questions import in_words_of
from core.vectors import ENCODERS
from pages.parts import corpus as parts
from pages.parts.corpus import done, topics_panel, warnings
from pages.shared import keep, project, render, state, upload
from pages.shared.show import escaped
from pages.shared.widgets import header

header(
    question.QUESTION,
    "Your corpus at a glance, with fixes for what could skew results. Load your own below, also without topics.",
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
load = f"load_{held.fingerprint if held else None}"  # a new corpus closes the panel it was loaded in
with st.expander("Load your own corpus", icon=":material/upload:", expanded=source == "file" and not own, key=load):
    tabs = [":material/table: File", ":material/folder_open: Project", ":material/link: Address"]
    from_file, from_project, from_address = st.tabs(tabs)
    with from_file:
        upload.upload_panel()
        if own:
            upload.vectors_panel(st.session_state["file_corpus"])
    with from_project:
        project.open_panel()
    with from_address:
        upload.address_panel()
    parts.limits_panel()
if (whole := state.whole_corpus()) is not None:
    topics_panel(whole)
corpus = state.corpus_or_stop(link=False)
audit = state.audit_of(corpus, window=ENCODERS[state.current_encoder().name].has_window)

answer = in_words_of(question.audit_answer(corpus, audit), corpus)
with place:
    with st.container(border=True):
        st.markdown(f"#### {escaped(corpus.name)}")
        render.headline(replace(answer, cautions=()), st.container())  # each warning has its own box below
    render.facts(answer)
if held is not None:
    done(held)
    warnings(held, audit)
parts.detail(corpus, answer)
if own:
    st.divider()
    upload.forget_button()
