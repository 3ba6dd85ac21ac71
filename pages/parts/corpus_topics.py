"""Topics for texts that have none, and beside given ones: found as a job, named, and taken in hand."""

from contextlib import suppress

import numpy as np
import pandas as pd
import streamlit as st

from core.corpora import Corpus, write_cached
from core.topics import METHODS, FoundTopics, documents_table, find_topics, with_found_topics
from pages.shared import keep, show, work
from pages.shared.cards import spoken_time
from pages.shared.controls import IN_URL
from pages.shared.corpus_vectors import encoder_in_hand, vectors_by
from pages.shared.public import is_public
from pages.shared.show import literal

MOST_K = 200
LEVELS = {
    "stable": ("green", ":material/check_circle:"),
    "shaky": ("orange", ":material/error:"),
    "none": ("red", ":material/block:"),
}
CSV = show.Csv("Topics as CSV", "found_topics.csv")
BEFORE = "before_found"  # the corpus whose topics were given, for as long as the session lives


def topics_panel(corpus: Corpus) -> None:
    """Find topics in the texts: at once where there are none, on demand where some are given."""
    with st.expander("Find topics in the texts", icon=":material/category_search:", expanded=not corpus.has_topics):
        _way_back(corpus)
        if not corpus.has_topics:
            st.info(
                "This file has no topics yet. Find some here, and every page opens.", icon=":material/category_search:"
            )
        st.markdown(
            "Documents are grouped by the vectors of the encoder in hand, and groups are named by their most distinctive "
            "words. Found topics are marked as found everywhere: groups cut from vectors lie apart because they were cut so."
        )
        left, right = st.columns(2)
        method = left.selectbox(
            "Method",
            list(METHODS),
            format_func=lambda name: METHODS[name].label,
            key="topics_method",
            bind=IN_URL,
            help="\n".join(f"- **{each.label}**: {each.about}" for each in METHODS.values()),
        )
        k = None
        if METHODS[method].takes_k:
            k = (
                right.number_input("How many (0: as the silhouette says)", 0, MOST_K, key="topics_k", bind=IN_URL)
                or None
            )
        found = _found(corpus, method, k)
        if found is not None:
            _result(corpus, found)


def _found(corpus: Corpus, method: str, k: int | None) -> FoundTopics | None:
    if corpus.has_topics and st.session_state.get("finding") != corpus.fingerprint:
        args = ({"finding": corpus.fingerprint},)
        st.button("Find topics", key="find_topics", on_click=st.session_state.update, args=args)
        return None
    vectors = vectors_by(corpus, encoder_in_hand())
    if vectors is None:
        return None

    def say(done: int, total: int, what: str, seconds_left: float | None) -> str:
        left = "" if seconds_left is None else f", about {spoken_time(seconds_left)} left"
        return f"{done} of {total} {what}{left}"

    return work.result(
        "topics",
        (corpus.fingerprint, vectors.encoder_key, method, k),
        work.step(find_topics, corpus, vectors.matrix, method=method, k=k, say=say),
        name=f"Finding topics in {corpus.name}",
        public=is_public(corpus),
    )


def _result(corpus: Corpus, found: FoundTopics) -> None:
    """The answer, the topics, and what can be done with them."""
    colour, icon = LEVELS[found.level]
    st.markdown(f":{colour}[{icon}] **{literal(found.sentence)}**")
    largest = np.argsort(-found.sizes, kind="stable")
    table = pd.DataFrame({"topic": [found.names[topic] for topic in largest], "documents": found.sizes[largest]})
    height = 280 if len(table) > 7 else "content"
    show.table(table, height=height, alt="The found topics and their documents", csv=CSV)
    labelled = with_found_topics(corpus, found)
    st.button(
        "Use these topics",
        type="primary" if found.level != "none" else "secondary",
        key="use_topics",
        on_click=_use,
        args=(corpus, labelled),
        help="From then on every page works on them; they are kept like a file of yours.",
    )
    show.download(documents_table(labelled), show.Csv("Texts with these topics as CSV", "texts_with_topics.csv"))


def _use(corpus: Corpus, labelled: Corpus) -> None:
    """Take the texts with their found topics in hand; what was in hand before can be had back."""
    if not corpus.found:
        st.session_state[BEFORE] = st.session_state["corpus"], corpus
    _take(labelled)


def _take(corpus: Corpus) -> None:
    with suppress(OSError):  # a full disk loses what a reload would find, not the corpus
        write_cached(keep.folder(), corpus)
    st.session_state["taken"] = corpus, ()  # at the next run, before the sidebar is drawn


def _way_back(corpus: Corpus) -> None:
    if corpus.found and BEFORE in st.session_state:
        label = "Back to the corpus as it came"
        st.button(label, icon=":material/undo:", key="before_found_back", on_click=_back)


def _back() -> None:
    source, corpus = st.session_state.pop(BEFORE)
    if source == "file":
        _take(corpus)
    else:
        st.session_state["corpus"] = source
