"""Cached wrappers round core: the corpus in hand, its vectors, and all that follows from them.

Every cache is keyed on content fingerprints, because Streamlit samples large arrays when it hashes them.
Uploads live in the session alone; only the bundled corpus is shared between users.
"""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.corpora import Audit, Corpus, audit, filtered
from core.demo import bundled_corpus, bundled_layout, bundled_vectors
from core.errors import LeakscopeError
from core.topics import (
    Layout,
    RandomBand,
    TermWeights,
    TopicPath,
    TopicSpace,
    cluster_order,
    hits_path,
    map_layout,
    random_band,
    term_weights,
    topic_space,
)
from core.vectors import ENCODERS, Encoder, Vectors, VectorStore, embed, estimate, make_encoder
from pages.shared.saying import refuse

MOST_KEPT = 4  # corpora and encoders a session may switch between without computing again
ASK_FROM = 500  # documents: below it SBERT is done before a question would be read
DOCUMENTS_A_SECOND = 30  # a cautious figure for the question; the bar shows the real pace

session_cache = st.cache_resource(scope="session", max_entries=MOST_KEPT, show_spinner=False)


def corpus_or_stop() -> Corpus:
    """The chosen corpus after the sidebar's filters; says what is missing and ends the page otherwise."""
    source = st.session_state.get("corpus", "courier")
    chosen = bundled_corpus() if source == "courier" else st.session_state.get(f"{source}_corpus")
    if chosen is None:
        missing_corpus(source)
    try:
        return _filtered(chosen.fingerprint, *filters().values(), chosen)
    except LeakscopeError as problem:
        refuse(problem, icon=":material/filter_alt_off:")
        st.stop()


def missing_corpus(source: str) -> None:
    """The empty state: what this link wants and where to get it."""
    if source == "file":
        st.info(
            "No file is loaded in this session. Upload one, or choose the bundled corpus.", icon=":material/upload:"
        )
    else:
        st.info("20 Newsgroups is not loaded in this session.", icon=":material/download:")
    if st.session_state.get("page") != "Corpus":
        st.page_link("pages/corpus.py", label="Go to Corpus to load it", icon=":material/arrow_forward:")
    st.stop()


def filters() -> dict[str, int | None]:
    """The sidebar's filters as they stand in exported settings."""
    state = st.session_state
    return {"min_documents_per_topic": state.get("min_docs", 1), "max_documents_per_topic": state.get("cap") or None}


@session_cache
def _filtered(fingerprint: str, at_least: int, at_most: int | None, _corpus: Corpus) -> Corpus:
    return filtered(_corpus, at_least=at_least, at_most=at_most)


def encoder_in_hand() -> Encoder:
    """The encoder chosen in the sidebar with its settings."""
    name = st.session_state.get("encoder", "sbert")
    return make_encoder(name, window=st.session_state.get("window", "first")) if name == "sbert" else make_encoder(name)


def vectors_or_stop(corpus: Corpus) -> Vectors:
    """The vectors of the corpus; long work is asked for first, shows a bar, and can be stopped."""
    encoder = encoder_in_hand()
    kept: dict[tuple[str, Encoder], Vectors] = st.session_state.setdefault("kept_vectors", {})
    key = (corpus.fingerprint, encoder)
    if key not in kept:
        try:
            vectors = bundled_vectors(corpus, encoder) or _embedded(corpus, encoder)
        except LeakscopeError as problem:
            refuse(problem)
            st.stop()
        while len(kept) >= MOST_KEPT:
            kept.pop(next(iter(kept)))
        kept[key] = vectors
    return kept[key]


def _embedded(corpus: Corpus, encoder: Encoder) -> Vectors:
    store = VectorStore()
    missing = estimate(corpus, encoder, store=store)
    wanted = f"embed:{corpus.fingerprint}:{encoder}"
    if encoder.name == "sbert" and missing > ASK_FROM and not st.session_state.get(wanted):
        _ask_to_embed(corpus, missing, wanted)
    place = st.empty()
    with place.container(border=True):
        # Any click restarts the script at the bar's next step; finished batches are already in the store.
        if missing > ASK_FROM:
            st.button("Stop", icon=":material/stop:", on_click=st.session_state.pop, args=(wanted, None))
        bar = st.progress(0.0, text=f"{ENCODERS[encoder.name].label}: starting on {missing:,} documents …")

        def show(done: int, total: int, label: str, seconds_left: float | None) -> None:
            left = "" if seconds_left is None else f", about {spoken_time(seconds_left)} left"
            bar.progress(done / total, text=f"{ENCODERS[encoder.name].label}: {done:,} of {total:,} documents{left}")

        vectors = embed(corpus, encoder, store=store, progress=show)
    place.empty()
    return vectors


def _ask_to_embed(corpus: Corpus, missing: int, wanted: str) -> None:
    with st.container(border=True):
        st.markdown(f"**{missing:,} of {len(corpus):,} documents have no SBERT vectors yet.**")
        st.markdown(
            f"Encoding them takes about {spoken_time(missing / DOCUMENTS_A_SECOND)} or less on two cores. You can stop at "
            "any time; what is done is kept. LSA, in the sidebar, takes seconds."
        )
        st.button(
            "Encode now",
            type="primary",
            icon=":material/play_arrow:",
            on_click=st.session_state.update,
            args=({wanted: True},),
        )
    st.stop()


def spoken_time(seconds: float) -> str:
    """Seconds or minutes, as one says them."""
    return f"{max(seconds, 1):.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def space_of(corpus: Corpus, vectors: Vectors) -> TopicSpace:
    """Centroids and similarities of the corpus's topics."""
    return _space(corpus.fingerprint, vectors.encoder_key, corpus, vectors)


@session_cache
def _space(fingerprint: str, encoder_key: str, _corpus: Corpus, _vectors: Vectors) -> TopicSpace:
    return topic_space(_vectors.matrix, _corpus.topic_codes, _corpus.topic_names)


def path_of(corpus: Corpus, vectors: Vectors) -> TopicPath:
    """The HITS path, once for every m."""
    return _path(corpus.fingerprint, vectors.encoder_key, space_of(corpus, vectors))


@session_cache
def _path(fingerprint: str, encoder_key: str, _space: TopicSpace) -> TopicPath:
    return hits_path(_space.similarity)


def band_of(corpus: Corpus, vectors: Vectors) -> RandomBand:
    """What random samples give at every m; fewer draws where each one is large."""
    return _band(corpus.fingerprint, vectors.encoder_key, space_of(corpus, vectors))


@session_cache
def _band(fingerprint: str, encoder_key: str, _space: TopicSpace) -> RandomBand:
    return random_band(_space.similarity, samples=200 if len(_space) <= 200 else 40)


def order_of(corpus: Corpus, vectors: Vectors) -> NDArray[np.int64]:
    """Topics in cluster order."""
    return _order(corpus.fingerprint, vectors.encoder_key, space_of(corpus, vectors))


@session_cache
def _order(fingerprint: str, encoder_key: str, _space: TopicSpace) -> NDArray[np.int64]:
    return cluster_order(_space.similarity)


def audit_of(corpus: Corpus) -> Audit:
    """Counts, lengths, vocabulary and warnings."""
    return _audit(corpus.fingerprint, corpus)


@session_cache
def _audit(fingerprint: str, _corpus: Corpus) -> Audit:
    return audit(_corpus)


def terms_of(corpus: Corpus) -> TermWeights:
    """How distinctive each word is of each topic."""
    with st.spinner("Weighing words …"):
        return _terms(corpus.fingerprint, corpus)


@session_cache
def _terms(fingerprint: str, _corpus: Corpus) -> TermWeights:
    return term_weights(_corpus)


def layout_of(corpus: Corpus, vectors: Vectors, method: str) -> Layout:
    """The map; the bundled corpus brings its own."""
    shipped = bundled_layout(corpus, vectors) if method == "umap" else None
    if shipped is not None:
        return shipped
    with st.spinner(f"Drawing the map of {len(corpus):,} documents …"):
        layout = _layout(corpus.fingerprint, vectors.encoder_key, method, corpus, vectors)
    st.session_state["drawn"] = (corpus.fingerprint, vectors.encoder_key, method)
    return layout


@session_cache
def _layout(fingerprint: str, encoder_key: str, method: str, _corpus: Corpus, _vectors: Vectors) -> Layout:
    space = topic_space(_vectors.matrix, _corpus.topic_codes, _corpus.topic_names)
    return map_layout(_vectors.matrix, _corpus.topic_codes, space, method=method)


def ready_layout(corpus: Corpus, vectors: Vectors) -> Layout:
    """A map that costs nothing now: the one already drawn in this session, else PCA."""
    drawn = st.session_state.get("drawn")
    done = drawn is not None and drawn[:2] == (corpus.fingerprint, vectors.encoder_key)
    bundled = bundled_layout(corpus, vectors) is not None
    return layout_of(corpus, vectors, drawn[2] if done else "umap" if bundled else "pca")
