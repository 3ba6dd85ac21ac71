"""The current corpus, and what follows from it: vectors (shipped, stored, or computed as a job), filters, audits.

Uploads live in the session alone; only what everybody has is shared between users (pages/shared/session.py).
"""

import gc
from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, cast

import numpy as np
import streamlit as st

from core.corpora import Audit, Corpus, audit, filtered, steps_to_json, take, with_prolific_authors
from core.demo import bundled_vectors
from core.engine import Call, Reached, seconds_for
from core.errors import LeakscopeError
from core.evaluation import need_authors
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
from pages import parts
from pages.shared import jobs, keep, project
from pages.shared.jobs import spoken_time, time_left
from pages.shared.session import as_public_as, computed_once, hosted, is_public, models, vector_store
from pages.shared.show import escaped, refuse

_frozen = False

FOUND = ":material/category_search: The topics of this corpus were found in its texts, not given with them."
# Corpora and encoders that a session may switch between without computing again; a page may hold six setups at once.
CORPORA, SETUPS = 4, 16
# What core/ imports only where it is used, because the first screen of one's own machine needs none of it.
LATER = (
    "jinja2",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.spatial.distance",
    "scipy.stats",
    "sklearn.decomposition",
    "sklearn.feature_extraction.text",
    "statsmodels.stats.proportion",
)


def corpus_or_stop(*, link: bool = True) -> Corpus:
    """Return the chosen corpus after the sidebar's filters; otherwise say what is missing and stop the page."""
    chosen = whole_corpus()
    if chosen is None:
        _missing_corpus(st.session_state["corpus"], link=link)
        st.stop()
    if not chosen.has_topics:
        if link:
            st.info("This file has no topics yet. Find some in its texts.", icon=":material/category_search:")
            st.page_link("pages/corpus.py", label="Go to Corpus to find topics", icon=":material/arrow_forward:")
        st.stop()
    if chosen.found:
        st.caption(FOUND)
    try:
        return with_filters(chosen, filters())
    except LeakscopeError as problem:
        refuse(problem, icon=":material/filter_alt_off:")
        st.stop()


def whole_corpus(source: str | None = None) -> Corpus | None:
    """Return the cleaned, unfiltered corpus of a source (default: the selected one), or None if it is not loaded."""
    loaded = keep.as_loaded(source)
    return None if loaded is None else keep.cleaned(loaded)[0]


def _missing_corpus(source: str, *, link: bool) -> None:
    """Show the empty state: what this link wants and where to get it."""
    if source == "file":
        st.info(keep.missing(), icon=":material/upload:")
    else:
        st.info("20 Newsgroups is not loaded in this session.", icon=":material/download:")
    if link:
        st.page_link("pages/corpus.py", label="Go to Corpus to load it", icon=":material/arrow_forward:")


def filters() -> dict[str, int | None]:
    """Return the sidebar's filters as they stand in exported settings."""
    state = st.session_state
    return {
        "min_documents_per_topic": state.get("min_docs", 1),
        "max_documents_per_topic": state.get("cap") or None,
        "min_documents_per_author": state.get("author_docs", 1),
        "max_authors": state.get("most_authors") or None,
    }


def exported_choices() -> dict[str, Any]:
    """Return the filters and the steps of cleaning as they stand in exported settings."""
    loaded = keep.as_loaded()
    return filters() | {"cleaning": [] if loaded is None else steps_to_json(keep.steps_of(loaded))}


def with_filters(corpus: Corpus, chosen: Mapping[str, int | None]) -> Corpus:
    """Return what filters, named as in `filters`, leave of a corpus."""
    return _filtered(corpus, *chosen.values())


@computed_once(most=CORPORA)
def _filtered(
    corpus: Corpus, at_least: int | None, at_most: int | None, author_docs: int | None, authors: int | None
) -> Corpus:
    prolific = with_prolific_authors(corpus, at_least=author_docs or 1, at_most=authors)
    return as_public_as(corpus, filtered(prolific, at_least=at_least or 1, at_most=at_most))


def authors_or_stop(corpus: Corpus) -> None:
    """Stop the page if there are no authors, which both tasks need."""
    try:
        need_authors(corpus)
    except LeakscopeError as problem:
        st.info(str(problem), icon=":material/person_off:")
        st.page_link("pages/corpus.py", label="Choose another column or corpus", icon=":material/arrow_forward:")
        st.stop()


@computed_once(most=CORPORA)
def audit_of(corpus: Corpus, *, window: bool) -> Audit:
    """Return counts, lengths, vocabulary and warnings, with `window` also of texts longer than SBERT reads."""
    return audit(corpus, window=window)


def freeze_modules() -> None:
    """Freeze everything alive, once, before any session holds data of its own.

    Streamlit collects garbage after every run, a fragment's too, and walks every object of the process for it: ten times
    as long with our modules as without. Frozen objects are skipped, and so is whatever only they hold: a session frozen
    with its upload would keep it for ever. A host imports before what pages would import when they are first opened: its
    first visitor waits a little longer, and no run of all the others walks over it.
    """
    global _frozen
    if not _frozen:
        _frozen = True
        if hosted():
            for name in (*LATER, *(f"{parts.__name__}.{each.name}" for each in iter_modules(parts.__path__))):
                import_module(name)
        gc.collect()
        gc.freeze()


FEWEST_A_TOPIC = 5  # documents from which a page answers while others are being encoded
ASK_FROM = 500  # documents: below it encoding is done before a question would be read
SECONDS_A_DOCUMENT = 1 / 25  # where nothing has been encoded here yet; afterwards the measured pace counts


def current_encoder() -> Encoder:
    """Return the encoder chosen in the sidebar with its settings."""
    return encoder_named(st.session_state.get("encoder", USUAL_ENCODER))


def encoder_named(name: str) -> Encoder:
    """Return an encoder with the settings of the sidebar."""
    settings = {key: st.session_state.get(key) or each.default for key, each in ENCODERS[name].settings.items()}
    if (allowed := models()) is not None:
        kinds = ENCODERS[name].settings
        settings = {key: value for key, value in settings.items() if kinds[key].choices or value in allowed}
    return make_encoder(name, **settings)


def vectors_or_stop(corpus: Corpus) -> Vectors:
    """Return the vectors of the corpus: shipped, stored or computed as a job; long work is asked for first."""
    found = vectors_by(corpus, current_encoder())
    if found is None:
        st.stop()
    return found


def so_far_or_stop(corpus: Corpus) -> tuple[Corpus, Vectors]:
    """Return the corpus and its vectors; while these are encoded, the documents that have theirs.

    A page answers from five documents a topic on. It is drawn again whenever there are twice as many, and before that whenever
    there are a quarter more: never for what it has seen already, or it would be drawn without end.
    """
    encoder, public = current_encoder(), is_public(corpus)
    fewest = np.minimum(corpus.topic_sizes, FEWEST_A_TOPIC)
    rows, vectors = np.array([], dtype=np.int64), cast(Any, None)
    partly = encoder.per_document and _is_here(encoder)  # a model that is not here has no key
    if partly and jobs.under_way("vectors", (corpus.fingerprint, encoder.key()), public=public):
        rows, vectors = embedded_so_far(corpus, encoder, store=vector_store(public=public))
    sizes = np.bincount(corpus.topic_codes[rows], minlength=len(corpus.topic_names))
    answers = bool((sizes >= fewest).all()) and int((sizes >= 2).sum()) >= 2
    enough = 2 * len(rows) if answers else max(int(fewest.sum()), len(rows) * 5 // 4 + 1)
    found = vectors_by(corpus, encoder, refresh=lambda reached: enough <= reached.done < reached.total)
    if found is not None:
        return corpus, found
    if not answers:
        st.stop()
    st.info(
        f"**Preliminary:** {len(rows):,} of {len(corpus):,} documents are encoded so far, a few of every topic. This page updates "
        "automatically; the intervals show how far results may move.",
        icon=":material/hourglass_top:",
    )
    return take(corpus, rows), vectors


def vectors_by(corpus: Corpus, encoder: Encoder, *, refresh: Callable[[Reached], bool] | None = None) -> Vectors | None:
    """Return an encoder's vectors, or None while they are computed."""
    if not _fetched(encoder):
        return None
    public = is_public(corpus)
    store = vector_store(public=public)
    key = (corpus.fingerprint, encoder.key())
    there = jobs.cached("vectors", key, public=public)
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
        question = jobs.Question(
            "Encode now",
            sentences=(
                f"**{missing:,} of {len(corpus):,} documents have no {label} vectors yet.**",
                *([advice] if (advice := advice_on_language(corpus, encoder.name)) else []),
                f"Encoding them takes about {spoken_time(seconds or 0)} on this machine. It goes on while you look "
                "at other pages. You can stop it at any time; what is done is kept. LSA is quicker.",
            ),
            beside=_use_lsa,
        )
    return jobs.result(
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


def available_vectors(corpus: Corpus) -> Vectors | None:
    """Return the vectors of the corpus if nothing must be encoded; nothing is asked or drawn."""
    encoder, public = current_encoder(), is_public(corpus)
    there = jobs.available_result("vectors", (corpus.fingerprint, encoder.key()), public=public)
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
    """Return whether the encoder's model is on this machine, and offer to fetch it as a job if not."""
    try:
        if not isinstance(encoder, SentenceModel) or is_fetched(encoder):
            return True
    except LeakscopeError as problem:
        refuse(problem)
        return False
    name = escaped(encoder.model)
    question = jobs.Question(
        "Download model",
        sentences=(f"**The model {name} is not on this machine yet.** It is downloaded once and kept.",),
        icon=":material/download:",
    )
    call = Call(fetch_model, (encoder.model,))
    return (
        jobs.result("models", encoder.model, call, name=f"Downloading {encoder.model}", question=question) is not None
    )


def advice_on_language(corpus: Corpus, encoder: str) -> str | None:
    """Return advice on an encoder that reads only English if most texts are in another language."""
    kind = ENCODERS[encoder]
    return _language_advice(corpus, kind.label) if kind.english_only else None


@computed_once(most=4)
def _language_advice(corpus: Corpus, label: str) -> str | None:
    return language_advice(corpus.texts, label)


def words_of_progress(
    label: str, done: int, total: int, seconds_left: float | None, *, at_once: bool, stage: str = ""
) -> str:
    """Return how far an encoder is; one fitted on all documents `at_once` has none until it has all."""
    if at_once and stage not in ("", "documents"):
        return f"{label}: {stage}, step {done} of {total}"
    if at_once and not done:
        return f"{label}: reading all {total:,} documents at once"
    left = "" if seconds_left is None else f", {time_left(seconds_left)}"
    return f"{label}: {done:,} of {total:,} documents{left}"
