"""The corpus in hand, and what follows from it: vectors, maps, setups, folds.

Every cache is keyed on content fingerprints, because Streamlit samples large arrays when it hashes them.
Uploads live in the session alone; only the bundled corpus is shared between users.
"""

import gc
import sys

import streamlit as st

from core.corpora import Audit, Corpus, audit, filtered
from core.demo import bundled_corpus, bundled_layout, bundled_vectors
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
from core.vectors import ENCODERS, Encoder, Vectors, VectorStore, embed, estimate, make_encoder
from pages.shared import work
from pages.shared.show import refuse
from pages.shared.topics import FINGERPRINTS, similarity_in_hand, space_of

ASK_FROM = 500  # documents: below it encoding is done before a question would be read
DOCUMENTS_A_SECOND = 30  # a cautious figure for the question; the bar shows the real pace

_modules_frozen = 0

# Four corpora and encoders a session may switch between without computing again; a page may hold six setups at once.
session_cache = st.cache_resource(scope="session", max_entries=4, show_spinner=False, hash_funcs=FINGERPRINTS)
setup_cache = st.cache_resource(scope="session", max_entries=16, show_spinner=False, hash_funcs=FINGERPRINTS)


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
        st.info(
            "No file is loaded in this session. Upload one, or choose the bundled corpus.", icon=":material/upload:"
        )
    else:
        st.info("20 Newsgroups is not loaded in this session.", icon=":material/download:")
    if link:
        st.page_link("pages/corpus.py", label="Go to Corpus to load it", icon=":material/arrow_forward:")


def filters() -> dict[str, int | None]:
    """The sidebar's filters as they stand in exported settings."""
    state = st.session_state
    return {"min_documents_per_topic": state.get("min_docs", 1), "max_documents_per_topic": state.get("cap") or None}


@session_cache
def _filtered(corpus: Corpus, at_least: int | None, at_most: int | None) -> Corpus:
    return filtered(corpus, at_least=at_least or 1, at_most=at_most)


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
    """The vectors of the corpus: shipped, stored or computed now; long work is asked for first."""
    encoder = encoder_in_hand()
    key = (corpus.fingerprint, encoder)
    if not work.cached("vectors", key) and (shipped := bundled_vectors(corpus, encoder)) is not None:
        return shipped
    label, store = ENCODERS[encoder.name].label, VectorStore()
    missing = 0 if work.cached("vectors", key) else estimate(corpus, encoder, store=store)

    def say(done: int, total: int, _: str, seconds_left: float | None) -> str:
        left = "" if seconds_left is None else f", about {work.spoken_time(seconds_left)} left"
        return f"{label}: {done:,} of {total:,} documents{left}"

    question = work.Question(
        "Encode now",
        flag=f"embed:{key}",
        sentences=(
            f"**{missing:,} of {len(corpus):,} documents have no {label} vectors yet.**",
            f"Encoding them takes about {work.spoken_time(missing / DOCUMENTS_A_SECOND)} or less on two cores. You can "
            "stop at any time; what is done is kept. LSA, in the sidebar, takes seconds.",
        ),
    )
    found = work.result(
        "vectors",
        key,
        work.Step(lambda progress: embed(corpus, encoder, store=store, progress=progress), say=say),
        start=f"{label}: starting on {missing:,} documents …",
        question=question if encoder.per_document and missing > ASK_FROM else None,
    )
    if found is None:
        st.stop()
    return found


@session_cache
def audit_of(corpus: Corpus) -> Audit:
    """Counts, lengths, vocabulary and warnings."""
    return audit(corpus)


@st.cache_resource(scope="session", max_entries=4, show_spinner="Weighing words …", hash_funcs=FINGERPRINTS)
def terms_of(corpus: Corpus) -> TermWeights:
    """How distinctive each word is of each topic."""
    return term_weights(corpus)


def layout_of(corpus: Corpus, vectors: Vectors, method: str) -> Layout:
    """The map; the bundled corpus brings its own."""
    shipped = bundled_layout(corpus, vectors) if method == "umap" else None
    if shipped is not None:
        return shipped
    with st.spinner(f"Drawing the map of {len(corpus):,} documents …"):
        layout = _layout(corpus, vectors, method)
    st.session_state["drawn"] = (corpus.fingerprint, vectors.encoder_key, method)
    return layout


@session_cache
def _layout(corpus: Corpus, vectors: Vectors, method: str) -> Layout:
    return map_layout(vectors.matrix, corpus.topic_codes, space_of(corpus, vectors), method=method)


def ready_layout(corpus: Corpus, vectors: Vectors) -> Layout:
    """A map that costs nothing now: the one already drawn in this session, else PCA."""
    drawn = st.session_state.get("drawn")
    if drawn is not None and drawn[:2] == (corpus.fingerprint, vectors.encoder_key):
        return layout_of(corpus, vectors, drawn[2])
    return layout_of(corpus, vectors, "pca" if bundled_layout(corpus, vectors) is None else "umap")


def setup_of(corpus: Corpus, vectors: Vectors, sampler: str, m: int | None, seed: int) -> Setup:
    """The sampled corpus with its vectors and similarities."""
    return _setup(corpus, vectors, similarity_in_hand(), sampler, m, seed)


@setup_cache
def _setup(corpus: Corpus, vectors: Vectors, kind: str, sampler: str, m: int | None, seed: int) -> Setup:
    return make_setup(corpus, vectors.matrix, space_of(corpus, vectors, kind), sampler=sampler, m=m, seed=seed)


def folds_or_stop(setup: Setup, scheme: str, k: int, seed: int) -> tuple[Folds, Leakage]:
    """The folds of a setup and what they leak."""
    try:
        folds = _folds(setup, scheme, k if FOLD_SCHEMES[scheme].takes_k else 2, seed)
        return folds, fold_leakage(folds, setup.space)
    except LeakscopeError as problem:
        refuse(problem)
        st.stop()


@setup_cache
def _folds(setup: Setup, scheme: str, k: int, seed: int) -> Folds:
    return make_folds(setup.corpus, scheme=scheme, k=k, seed=seed)


def freeze_modules() -> None:
    """Freeze everything alive whenever modules have been imported since the last time.

    Streamlit collects garbage after every run, a fragment's too, and walks every object of the process for it: some
    70 ms, half of what moving the HITS slider cost. Frozen objects are skipped; reference counts still free them.
    """
    global _modules_frozen
    if len(sys.modules) > _modules_frozen:
        _modules_frozen = len(sys.modules)
        gc.collect()
        gc.freeze()
