"""Widgets that become settings, and the frame every page has.

Scalar controls live in the URL, where Streamlit writes the label of a choice: labels are kept short and stable.
"""

import re
import runpy
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.demo import NAME as COURIER
from core.vectors import ENCODERS
from pages.shared import state

SOURCES = {"courier": COURIER, "file": "Your own file", "newsgroups": "20 Newsgroups"}
WINDOWS = {"first": "first window", "mean": "mean of windows"}
ROOT = Path(__file__).parents[2]
METHODS = ROOT / "docs" / "methods.md"
IN_URL = "query-params"


def sidebar() -> None:
    """Corpus, encoder and filters: what every page works on."""
    st.session_state["framed"] = True  # for the page that runs next; see `framed`
    with st.sidebar:
        st.selectbox("Corpus", list(SOURCES), format_func=SOURCES.get, key="corpus", bind=IN_URL)
        if st.session_state["corpus"] == "courier":
            st.caption(":material/edit_note: Invented texts by invented authors, made for demonstration.")
        encoders = [name for name in ENCODERS if name != "precomputed" or _brings_vectors()]
        encoder = st.selectbox(
            "Encoder",
            encoders,
            format_func=lambda name: ENCODERS[name].label,
            key="encoder",
            bind=IN_URL,
            help="\n".join(f"- **{ENCODERS[name].label}**: {ENCODERS[name].about}" for name in encoders),
        )
        with st.expander("Settings", icon=":material/tune:"):
            if encoder == "sbert":
                st.selectbox(
                    "Long documents",
                    list(WINDOWS),
                    format_func=WINDOWS.get,
                    key="window",
                    bind=IN_URL,
                    help="The model reads 256 tokens: only the first of them, as the paper does, or all, window by window.",
                )
            st.number_input(
                "Least documents per topic",
                1,
                100_000,
                1,
                key="min_docs",
                bind=IN_URL,
                help="Smaller topics are left out.",
            )
            st.number_input(
                "Most documents per topic",
                0,
                1_000_000,
                0,
                key="cap",
                bind=IN_URL,
                help="Larger topics are cut to a fixed random draw of this size; 0 keeps all.",
            )


def whole_number(place: DeltaGenerator, label: str, low: int, high: int, default: int, *, key: str, help: str) -> int:
    """A slider bound to the URL; a value left over from a larger corpus is brought back into range."""
    if low == high:
        return low
    if key in st.session_state:
        st.session_state[key] = min(max(st.session_state[key], low), high)
    return place.slider(label, low, high, min(max(default, low), high), key=key, bind=IN_URL, help=help)


def _brings_vectors() -> bool:
    corpus = st.session_state.get(f"{st.session_state.get('corpus')}_corpus")
    return corpus is not None and corpus.vectors is not None


def header(title: str, about: str, *, section: str) -> None:
    """The page's title, two sentences on what it answers, and its formula one click away."""
    framed()
    heading, formula = st.columns([5, 1], vertical_alignment="bottom")
    heading.title(title, anchor=False)
    with formula.popover("Formula", icon=":material/function:", width="stretch"):
        st.markdown(methods_section(section))
        st.page_link("pages/methods.py", label="All methods", icon=":material/menu_book:")
    st.markdown(about)


def framed() -> None:
    """Put app.py round a page that runs without it.

    A link straight to a page, opened before anyone has seen the start page, makes Streamlit take pages/ for an app of
    the old kind and run the page alone; it stops doing so once app.py has called st.navigation.
    """
    if not st.session_state.pop("framed", False):
        runpy.run_path(str(ROOT / "app.py"))
        st.stop()


def methods_section(title: str) -> str:
    """One section of docs/methods.md, so that page and document never disagree."""
    text = METHODS.read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    if found is None:
        raise KeyError(f"docs/methods.md has no section '{title}'")
    return f"### {title}\n{found.group(1)}"


def escaped(label: str) -> str:
    """A user's label inside markdown: every mark that could start formatting is taken literally."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~:$&@])", r"\\\1", " ".join(label.split()))


def encoder_notes(notes: tuple[str, ...]) -> None:
    """What the encoder has to say about this corpus, in small print."""
    label = ENCODERS[state.encoder_in_hand().name].label
    st.caption(f"Encoder: {label}. " + escaped(" ".join(notes)))
