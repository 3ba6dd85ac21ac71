"""The vectors of the current corpus: shipped, stored, or computed as a job, breadth first over topics."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from core.corpora import Corpus, take
from core.demo import bundled_vectors
from core.engine import Call, Reached, seconds_for
from core.errors import LeakscopeError
from core.vectors import (
    ENCODERS,
    USUAL_ENCODER,
    Encoder,
    SentenceModel,
    Vectors,
    embed,
    embedded_so_far,
    estimate,
    fetch_model,
    instead_of,
    is_fetched,
    language_advice,
    make_encoder,
)
from pages.shared import project, result_cache, work
from pages.shared.cards import spoken_time, time_left
from pages.shared.limits import models
from pages.shared.public import computed_once, is_public
from pages.shared.show import escaped, refuse
from pages.shared.stores import vector_store

FEWEST_A_TOPIC = 5  # documents from which a page answers while others are being encoded
ASK_FROM = 500  # documents: below it encoding is done before a question would be read
SECONDS_A_DOCUMENT = 1 / 25  # where nothing has been encoded here yet; afterwards the measured pace counts


def encoder_in_hand() -> Encoder:
    """The encoder chosen in the sidebar with its settings."""
    return encoder_named(st.session_state.get("encoder", USUAL_ENCODER))


def encoder_named(name: str) -> Encoder:
    """An encoder with the settings of the sidebar."""
    settings = {key: st.session_state.get(key) or each.default for key, each in ENCODERS[name].settings.items()}
    if (allowed := models()) is not None:
        kinds = ENCODERS[name].settings
        settings = {key: value for key, value in settings.items() if kinds[key].choices or value in allowed}
    return make_encoder(name, **settings)


def vectors_or_stop(corpus: Corpus) -> Vectors:
    """The vectors of the corpus: shipped, stored or computed as a job; long work is asked for first."""
    found = vectors_by(corpus, encoder_in_hand())
    if found is None:
        st.stop()
    return found


def so_far_or_stop(corpus: Corpus) -> tuple[Corpus, Vectors]:
    """The corpus and its vectors; while they are being encoded, the documents that have theirs by now."""
    encoder, public = encoder_in_hand(), is_public(corpus)
    # A page answers from five documents a topic on, and once more whenever there are twice as many.
    drawn = st.session_state.get("drawn", {}).get(corpus.fingerprint, 0)
    enough = max(2 * drawn, int(np.minimum(corpus.topic_sizes, FEWEST_A_TOPIC).sum()))
    found = vectors_by(corpus, encoder, refresh=lambda reached: enough <= reached.done < reached.total)
    if found is not None:
        return corpus, found
    if not encoder.per_document or not _is_here(encoder):
        st.stop()
    if not work.under_way("vectors", (corpus.fingerprint, encoder.key()), public=public):
        st.stop()
    rows, vectors = embedded_so_far(corpus, encoder, store=vector_store(public=public))
    sizes = np.bincount(corpus.topic_codes[rows], minlength=len(corpus.topic_names))
    if (sizes < np.minimum(corpus.topic_sizes, FEWEST_A_TOPIC)).any() or (sizes >= 2).sum() < 2:
        st.stop()
    st.session_state["drawn"] = {corpus.fingerprint: len(rows)}
    st.info(
        f"**Preliminary:** {len(rows):,} of {len(corpus):,} documents are encoded so far, a few of every topic. This page updates "
        "automatically; the intervals show how far results may move.",
        icon=":material/hourglass_top:",
    )
    return take(corpus, rows), vectors


def vectors_by(corpus: Corpus, encoder: Encoder, *, refresh: Callable[[Reached], bool] | None = None) -> Vectors | None:
    """The vectors by an encoder; None while they are being asked for or computed."""
    if not _fetched(encoder):
        return None
    public = is_public(corpus)
    store = vector_store(public=public)
    key = (corpus.fingerprint, encoder.key())
    there = result_cache.cached("vectors", key, public=public)
    if not there and (shipped := bundled_vectors(corpus, encoder) or project.vectors_of(corpus, encoder)) is not None:
        return shipped
    label = ENCODERS[encoder.name].label
    missing = 0 if there else estimate(corpus, encoder, store=store)
    name, why = instead_of(encoder.name) if missing else (encoder.name, "")
    if why:
        st.info(why, icon=":material/extension_off:")
        return vectors_by(corpus, make_encoder(name), refresh=refresh)

    def say(done: int, total: int, stage: str, seconds_left: float | None) -> str:
        return words_of_progress(label, done, total, seconds_left, at_once=not encoder.per_document, stage=stage)

    question = None
    if encoder.per_document and missing > ASK_FROM:
        seconds = seconds_for(encoder.name, missing, otherwise=SECONDS_A_DOCUMENT)
        question = work.Question(
            "Encode now",
            sentences=(
                f"**{missing:,} of {len(corpus):,} documents have no {label} vectors yet.**",
                *([advice] if (advice := advice_on_language(corpus, encoder.name)) else []),
                f"Encoding them takes about {spoken_time(seconds or 0)} on this machine. It goes on while you look "
                "at other pages. You can stop it at any time; what is done is kept. LSA is quicker.",
            ),
            beside=_use_lsa,
        )
    return work.result(
        "vectors",
        key,
        Call(embed, (corpus, encoder), {"store": store}),
        name=f"{label} vectors of {corpus.name}",
        say=say,
        question=question,
        public=public,
        here=missing == 0,
        refresh=refresh,
    )


def _use_lsa() -> None:
    """Offer the quick encoder beside the slow one."""
    choice = {"encoder": "lsa"}
    st.button(
        "Use LSA instead", icon=":material/bolt:", key="use_lsa", on_click=st.session_state.update, args=(choice,)
    )


def at_hand(corpus: Corpus) -> Vectors | None:
    """The vectors of the corpus where nothing has to be encoded for them; nothing is asked or drawn."""
    encoder, public = encoder_in_hand(), is_public(corpus)
    there = result_cache.at_hand("vectors", (corpus.fingerprint, encoder.key()), public=public)
    there = there or bundled_vectors(corpus, encoder) or project.vectors_of(corpus, encoder)
    store = vector_store(public=public)
    if there is None and _is_here(encoder) and estimate(corpus, encoder, store=store) == 0:
        there = embed(corpus, encoder, store=store)
    found: Vectors | None = there
    return found


def _is_here(encoder: Encoder) -> bool:
    try:
        return is_fetched(encoder) and not instead_of(encoder.name)[1]
    except LeakscopeError:  # said when it was asked for
        return False


def _fetched(encoder: Encoder) -> bool:
    """Whether the encoder's model is on this machine; where it is not, it is asked for and fetched as a job."""
    try:
        if not isinstance(encoder, SentenceModel) or is_fetched(encoder):
            return True
    except LeakscopeError as problem:
        refuse(problem)
        return False
    name = escaped(encoder.model)
    question = work.Question(
        "Download model",
        sentences=(f"**The model {name} is not on this machine yet.** It is downloaded once and kept.",),
        icon=":material/download:",
    )
    call = Call(fetch_model, (encoder.model,))
    return (
        work.result("models", encoder.model, call, name=f"Downloading {encoder.model}", question=question) is not None
    )


def advice_on_language(corpus: Corpus, encoder: str) -> str | None:
    """What to know of an encoder that reads English only where most texts are not in it."""
    kind = ENCODERS[encoder]
    return _language_advice(corpus, kind.label) if kind.english_only else None


@computed_once(most=4)
def _language_advice(corpus: Corpus, label: str) -> str | None:
    return language_advice(corpus.texts, label)


def words_of_progress(
    label: str, done: int, total: int, seconds_left: float | None, *, at_once: bool, stage: str = ""
) -> str:
    """How far an encoder is; one that is fitted on all documents `at_once` has done none of them until it has done all."""
    if at_once and stage not in ("", "documents"):
        return f"{label}: {stage}, step {done} of {total}"
    if at_once and not done:
        return f"{label}: reading all {total:,} documents at once"
    left = "" if seconds_left is None else f", {time_left(seconds_left)}"
    return f"{label}: {done:,} of {total:,} documents{left}"
