"""The vectors of the corpus in hand: shipped, stored, or computed as a job, breadth first over topics."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from core.corpora import Corpus, take
from core.demo import bundled_vectors
from core.engine import Reached, seconds_for
from core.vectors import ENCODERS, Encoder, Vectors, embed, embedded_so_far, estimate, make_encoder
from pages.shared import work
from pages.shared.cards import spoken_time
from pages.shared.sharing import is_public
from pages.shared.stores import vector_store

ASK_FROM = 500  # documents: below it encoding is done before a question would be read
SECONDS_A_DOCUMENT = 1 / 25  # where nothing has been encoded here yet; afterwards the measured pace counts


def encoder_in_hand() -> Encoder:
    """The encoder chosen in the sidebar with its settings."""
    name = st.session_state.get("encoder", "sbert")
    settings = {key: st.session_state.get(key, each.default) for key, each in ENCODERS[name].settings.items()}
    return make_encoder(name, **settings)


def vectors_or_stop(corpus: Corpus) -> Vectors:
    """The vectors of the corpus: shipped, stored or computed as a job; long work is asked for first."""
    found = _vectors(corpus)
    if found is None:
        st.stop()
    return found


def so_far_or_stop(corpus: Corpus) -> tuple[Corpus, Vectors]:
    """The corpus and its vectors; while they are being encoded, the documents that have theirs by now."""
    drawn = st.session_state.get("drawn", 0)
    found = _vectors(corpus, refresh=lambda reached: reached.done >= 1.5 * max(drawn, 50))
    if found is not None:
        return corpus, found
    encoder, public = encoder_in_hand(), is_public(corpus)
    if not encoder.per_document or not work.under_way("vectors", (corpus.fingerprint, encoder), public=public):
        st.stop()
    rows, vectors = embedded_so_far(corpus, encoder, store=vector_store(public=public))
    st.session_state["drawn"] = len(rows)
    sizes = np.bincount(corpus.topic_codes[rows], minlength=len(corpus.topic_names))
    if (sizes >= 2).sum() < 2:
        st.stop()
    st.info(
        f"What follows is from the {len(rows):,} of {len(corpus):,} documents encoded so far, a few of every topic. It is "
        "drawn anew as more arrive; until then the intervals say how far it may move.",
        icon=":material/hourglass_top:",
    )
    return take(corpus, rows), vectors


def _vectors(corpus: Corpus, *, refresh: Callable[[Reached], bool] | None = None) -> Vectors | None:
    encoder, public = encoder_in_hand(), is_public(corpus)
    store = vector_store(public=public)
    key = (corpus.fingerprint, encoder)
    there = work.cached("vectors", key, public=public)
    if not there and (shipped := bundled_vectors(corpus, encoder)) is not None:
        return shipped
    label = ENCODERS[encoder.name].label
    missing = 0 if there else estimate(corpus, encoder, store=store)

    def say(done: int, total: int, _: str, seconds_left: float | None) -> str:
        left = "" if seconds_left is None else f", about {spoken_time(seconds_left)} left"
        return f"{label}: {done:,} of {total:,} documents{left}"

    question = None
    if encoder.per_document and missing > ASK_FROM:
        seconds = seconds_for(encoder.name, missing, otherwise=SECONDS_A_DOCUMENT)
        question = work.Question(
            "Encode now",
            sentences=(
                f"**{missing:,} of {len(corpus):,} documents have no {label} vectors yet.**",
                f"Encoding them takes about {spoken_time(seconds or 0)} on this machine. It goes on while you look "
                "at other pages; stop it at any time, what is done is kept. LSA, in the sidebar, takes seconds.",
            ),
        )
    return work.result(
        "vectors",
        key,
        work.step(embed, corpus, encoder, store=store, say=say),
        name=f"{label} vectors of {corpus.name}",
        question=question,
        public=public,
        here=missing == 0,
        refresh=refresh,
    )
