"""The sidebar: corpus, encoder and filters, which every page works on."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.demo import NAME as COURIER
from core.topics import SIMILARITIES
from core.vectors import ENCODERS
from pages.shared import export, history, keep, project
from pages.shared.controls import IN_URL
from pages.shared.corpus_vectors import advice_on_language
from pages.shared.limits import models
from pages.shared.show import escaped

SOURCES = {"courier": COURIER, "file": "Your own file", "newsgroups": "20 Newsgroups"}
# Label, least, most, key and help; the least is the default and leaves nothing out.
FILTERS = (
    ("Minimum documents per topic", 1, 100_000, "min_docs", "Smaller topics are left out."),
    (
        "Maximum documents per topic",
        0,
        1_000_000,
        "cap",
        "Larger topics are cut to a fixed random sample of this size; 0 keeps all.",
    ),
    ("Minimum documents per author", 1, 100_000, "author_docs", "Texts of authors with fewer are left out."),
    ("Maximum number of authors", 0, 1_000_000, "most_authors", "Keeps the authors with most texts; 0 keeps all."),
)


def sidebar() -> DeltaGenerator:
    """Corpus, encoder and filters: what every page works on; gives the place for the jobs that run."""
    st.session_state["framed"] = True  # for the page that runs next; see `controls.framed`
    keep.begin()
    project.begin({key: (low, high) for _, low, high, key, _ in FILTERS})
    with st.sidebar:
        running = st.container()
        st.selectbox("Corpus", list(SOURCES), format_func=SOURCES.__getitem__, key="corpus", bind=IN_URL)
        keep.find()
        if st.session_state["corpus"] == "courier":
            st.caption(":material/edit_note: Fictional texts by fictional authors, for demonstration.")
        loaded = keep.as_loaded()
        if loaded is not None and st.session_state["corpus"] != "courier":
            st.caption(f":material/description: **{escaped(loaded.name)}**, {len(loaded):,} documents")
        if loaded is not None and loaded.found:
            st.caption(":material/category_search: Topics found, not given.")
        encoder = _encoder()
        _texts(encoder)
        if loaded is not None and (advice := advice_on_language(loaded, encoder)):
            st.caption(f":material/translate: {advice}")
        st.selectbox(
            "Similarity",
            list(SIMILARITIES),
            format_func=SIMILARITIES.__getitem__,
            key="similarity",
            bind=IN_URL,
            help="How the similarity of two topics is measured. **Corrected**: mean cosine of documents across topics, relative to "
            "within topics, so that small topics do not look distinct. **Plain**: cosine of centroids.",
        )
        with st.expander("Settings", icon=":material/tune:"):
            _settings(encoder)
            _filters()
        history.begin(loaded)
        export.panel(loaded)
    return running


def _encoder() -> str:
    """The name of the chosen encoder; one that reads vectors is offered where the corpus has some."""
    none = models() == ()  # a host that allows none
    names = [
        name
        for name, kind in ENCODERS.items()
        if (not kind.brought or _brings_vectors()) and not (none and kind.asks_for_model)
    ]
    return st.selectbox(
        "Encoder",
        names,
        format_func=lambda name: ENCODERS[name].label,
        key="encoder",
        bind=IN_URL,
        help="\n".join(f"- **{ENCODERS[name].label}**: {ENCODERS[name].about}" for name in names),
    )


def _texts(encoder: str) -> None:
    """The settings that are texts, without which an encoder is not chosen: which model. A host offers the few it allows."""
    for key, setting in ENCODERS[encoder].settings.items():
        if not setting.choices and (allowed := models()) is not None:
            st.selectbox(setting.label, allowed, key=key, bind=IN_URL, help=setting.about)
        elif not setting.choices:
            st.text_input(setting.label, max_chars=setting.longest, key=key, bind=IN_URL, help=setting.about)


def _settings(encoder: str) -> None:
    for key, setting in ENCODERS[encoder].settings.items():
        if not setting.choices:
            continue
        st.selectbox(
            setting.label,
            list(setting.choices),
            format_func=setting.choices.__getitem__,
            key=key,
            bind=IN_URL,
            help=setting.about,
        )


def _filters() -> None:
    """What takes part; read by `state.filters`."""
    for label, low, high, key, help in FILTERS:
        st.number_input(label, low, high, key=key, bind=IN_URL, help=help)


def _brings_vectors() -> bool:
    corpus = st.session_state.get(f"{st.session_state.get('corpus')}_corpus")
    return corpus is not None and corpus.vectors is not None
