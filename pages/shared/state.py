"""The corpus in hand, and what follows from it: vectors, maps, setups, folds.

Uploads live in the session alone; only what everybody has is shared between users (pages/shared/sharing.py).
"""

import gc
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import streamlit as st

from core.corpora import Audit, Corpus, audit, filtered, take, with_prolific_authors
from core.demo import bundled_corpus, bundled_layout, bundled_vectors
from core.engine import Reached, seconds_for
from core.errors import LeakscopeError
from core.splits import FOLD_SCHEMES, Folds, Leakage, fold_leakage, make_folds
from core.topics import (
    Layout,
    Setup,
    TermWeights,
    make_setup,
    map_layout,
    term_weights,
)
from core.vectors import ENCODERS, Encoder, Vectors, embed, embedded_so_far, estimate, make_encoder
from pages import parts
from pages.shared import keep, work
from pages.shared.cards import spoken_time
from pages.shared.limits import hosted
from pages.shared.sharing import as_public_as, computed_once, is_public
from pages.shared.show import refuse
from pages.shared.stores import vector_store
from pages.shared.topics import similarity_in_hand, space_of

ASK_FROM = 500  # documents: below it encoding is done before a question would be read
SECONDS_A_DOCUMENT = 1 / 25  # where nothing has been encoded here yet; afterwards the measured pace counts

_frozen = False

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
    """The chosen corpus after the sidebar's filters; says what is missing, with a link to it, and ends the page otherwise."""
    chosen = whole_corpus()
    if chosen is None:
        _missing_corpus(st.session_state["corpus"], link=link)
        st.stop()
    try:
        return _filtered(chosen, *filters().values())
    except LeakscopeError as problem:
        refuse(problem, icon=":material/filter_alt_off:")
        st.stop()


def whole_corpus() -> Corpus | None:
    """The chosen corpus before any filter, where it is loaded."""
    source = st.session_state.get("corpus", "courier")
    return bundled_corpus() if source == "courier" else st.session_state.get(f"{source}_corpus")


def _missing_corpus(source: str, *, link: bool) -> None:
    """The empty state: what this link wants and where to get it."""
    if source == "file":
        st.info(keep.missing(), icon=":material/upload:")
    else:
        st.info("20 Newsgroups is not loaded in this session.", icon=":material/download:")
    if link:
        st.page_link("pages/corpus.py", label="Go to Corpus to load it", icon=":material/arrow_forward:")


def filters() -> dict[str, int | None]:
    """The sidebar's filters as they stand in exported settings."""
    state = st.session_state
    return {
        "min_documents_per_topic": state.get("min_docs", 1),
        "max_documents_per_topic": state.get("cap") or None,
        "min_documents_per_author": state.get("author_docs", 1),
        "max_authors": state.get("most_authors") or None,
    }


@computed_once(most=CORPORA)
def _filtered(
    corpus: Corpus, at_least: int | None, at_most: int | None, author_docs: int | None, authors: int | None
) -> Corpus:
    prolific = with_prolific_authors(corpus, at_least=author_docs or 1, at_most=authors)
    return as_public_as(corpus, filtered(prolific, at_least=at_least or 1, at_most=at_most))


def authors_or_stop(corpus: Corpus) -> None:
    """Both tasks need authors; say so where there are none."""
    if corpus.author_names is None or len(corpus.author_names) < 2:
        known = "no authors" if corpus.author_names is None else "one author only"
        st.info(f"This corpus has {known}; models need two or more to tell apart.", icon=":material/person_off:")
        st.page_link("pages/corpus.py", label="Choose another author column or corpus", icon=":material/arrow_forward:")
        st.stop()


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


@computed_once(most=CORPORA)
def audit_of(corpus: Corpus) -> Audit:
    """Counts, lengths, vocabulary and warnings."""
    return audit(corpus)


@computed_once(most=CORPORA, wait="Weighing words …")
def terms_of(corpus: Corpus) -> TermWeights:
    """How distinctive each word is of each topic."""
    return term_weights(corpus)


def layout_of(corpus: Corpus, vectors: Vectors, method: str) -> Layout:
    """The map: the bundled corpus brings its own; PCA is drawn at once, and UMAP replaces it when it is there."""
    space = space_of(corpus, vectors)
    arguments = (vectors.matrix, corpus.topic_codes, space)
    key, public = (corpus.fingerprint, vectors.encoder_key, space.kind), is_public(corpus)
    if method == "umap":
        drawn = bundled_layout(corpus, vectors) or work.result(
            "maps", key, work.step(map_layout, *arguments, method="umap"), name="Drawing the map (UMAP)", public=public
        )
        if drawn is not None:
            return drawn
    return _pca(corpus, vectors, space.kind)


@computed_once(most=CORPORA)
def _pca(corpus: Corpus, vectors: Vectors, kind: str) -> Layout:
    return map_layout(vectors.matrix, corpus.topic_codes, space_of(corpus, vectors, kind), method="pca")


def ready_layout(corpus: Corpus, vectors: Vectors) -> Layout:
    """A map that costs nothing now: UMAP where it has been drawn, else PCA."""
    key = (corpus.fingerprint, vectors.encoder_key, space_of(corpus, vectors).kind)
    there = bundled_layout(corpus, vectors) is not None or work.cached("maps", key, public=is_public(corpus))
    return layout_of(corpus, vectors, "umap" if there else "pca")


def setup_of(corpus: Corpus, vectors: Vectors, sampler: str, m: int | None, seed: int) -> Setup:
    """The sampled corpus with its vectors and similarities."""
    return _setup(corpus, vectors, similarity_in_hand(), sampler, m, seed)


@computed_once(most=SETUPS)
def _setup(corpus: Corpus, vectors: Vectors, kind: str, sampler: str, m: int | None, seed: int) -> Setup:
    setup = make_setup(corpus, vectors.matrix, space_of(corpus, vectors, kind), sampler=sampler, m=m, seed=seed)
    as_public_as(corpus, setup.corpus)
    return setup


def folds_or_stop(setup: Setup, scheme: str, k: int, seed: int) -> tuple[Folds, Leakage]:
    """The folds of a setup and what they leak."""
    folds = plain_folds_or_stop(setup, scheme, k, seed)
    try:
        return folds, fold_leakage(folds, setup.space)
    except LeakscopeError as problem:
        refuse(problem)
        st.stop()


def plain_folds_or_stop(setup: Setup, scheme: str, k: int, seed: int) -> Folds:
    """The folds of a setup alone."""
    try:
        return _folds(setup, scheme, k if FOLD_SCHEMES[scheme].takes_k else 2, seed)
    except LeakscopeError as problem:
        refuse(problem)
        st.stop()


@computed_once(most=SETUPS)
def _folds(setup: Setup, scheme: str, k: int, seed: int) -> Folds:
    return make_folds(setup.corpus, scheme=scheme, k=k, seed=seed)


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
