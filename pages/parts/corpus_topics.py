"""Find topics in the texts of a corpus, and use them in place of the given ones."""

from contextlib import suppress

import streamlit as st

from core.corpora import Corpus, write_cached
from core.questions import answered, found_topics
from core.render import Answer
from core.topics import FoundTopics, documents_table, with_found_topics
from pages.shared import keep, render, show, widgets
from pages.shared.corpus_vectors import encoder_in_hand, vectors_by
from pages.shared.studies import settled, study_of

BEFORE = "before_found"  # the corpus whose topics were given, for as long as the session lives


def topics_panel(corpus: Corpus) -> None:
    """Find topics in the texts: at once where there are none, on demand where some are given."""
    with st.expander("Find topics in the texts", icon=":material/category_search:", expanded=not corpus.has_topics):
        _way_back(corpus)
        if not corpus.has_topics:
            st.info("This file has no topics yet. Find some here to use the other pages.", icon=":material/info:")
        st.markdown(
            "Leakscope groups documents by their vectors and names each group by its most distinctive words. Found topics are "
            "separate by construction, so every page marks them as found."
        )
        if corpus.has_topics and st.session_state.get("finding") != corpus.fingerprint:
            args = ({"finding": corpus.fingerprint},)
            st.button("Find topics", key="find_topics", on_click=st.session_state.update, args=args)
            return
        vectors = vectors_by(corpus, encoder_in_hand())
        if vectors is None:
            return
        study = study_of(corpus, vectors)
        settings = widgets.ask(found_topics.Settings, study, question=found_topics.NAME, given={"seed": 0})
        answer = settled(lambda: answered(study, found_topics, settings))
        if answer is not None:
            _result(corpus, answer)


def _result(corpus: Corpus, answer: Answer) -> None:
    """Draw the answer, the topics, and what can be done with them."""
    found: FoundTopics = answer.numbers
    render.headline(answer, st.container())
    rows = answer.table("found_topics")
    height = 280 if len(rows.frame) > 7 else "content"
    show.table(rows.frame, height=height, alt=rows.title, csv=show.Csv("Download found topics", f"{rows.name}.csv"))
    labelled = with_found_topics(corpus, found)
    st.button(
        "Use these topics",
        type="primary" if found.level != "none" else "secondary",
        key="use_topics",
        on_click=_use,
        args=(corpus, labelled),
        help="Every page then uses these topics.",
    )
    show.download(documents_table(labelled), show.Csv("Download texts with topics", "texts_with_topics.csv"))


def _use(corpus: Corpus, labelled: Corpus) -> None:
    """Make the texts with their found topics the current corpus, and remember the one before."""
    if not corpus.found:
        st.session_state[BEFORE] = st.session_state["corpus"], corpus
    _take(labelled)


def _take(corpus: Corpus) -> None:
    with suppress(OSError):  # a full disk loses what a reload would find, not the corpus
        write_cached(keep.folder(), corpus)
    st.session_state["taken"] = corpus, ()  # at the next run, before the sidebar is drawn


def _way_back(corpus: Corpus) -> None:
    if corpus.found and BEFORE in st.session_state:
        label = "Restore the given topics"
        st.button(label, icon=":material/undo:", key="before_found_back", on_click=_back)


def _back() -> None:
    source, corpus = st.session_state.pop(BEFORE)
    if source == "file":
        _take(corpus)
    else:
        st.session_state["corpus"] = source
