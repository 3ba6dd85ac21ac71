"""Widgets that become settings, and the frame every page has.

Scalar controls live in the URL, where Streamlit writes the label of a choice: labels are kept short and stable.
"""

import re
import runpy
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.topics import SIMILARITIES
from core.vectors import ENCODERS
from pages.shared.encoding import encoder_in_hand
from pages.shared.show import escaped
from pages.shared.topics import similarity_in_hand

ROOT = Path(__file__).parents[2]
METHODS = ROOT / "docs" / "methods.md"
IN_URL: Final = "query-params"


def whole_number(place: DeltaGenerator, label: str, low: int, high: int, default: int, *, key: str, help: str) -> int:
    """A slider bound to the URL; a value from another page is kept, one from a larger corpus brought back into range."""
    if low == high:
        return low
    if key in st.session_state:  # Streamlit forgets another page's slider unless it is set anew
        st.session_state[key] = min(max(st.session_state[key], low), high)
    return place.slider(label, low, high, min(max(default, low), high), key=key, bind=IN_URL, help=help)


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
    """One section of docs/methods.md by its title without the number, so that page and document never disagree."""
    text = METHODS.read_text(encoding="utf-8")
    found = re.search(rf"^## (?:\d+\. )?{re.escape(title)}\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    if found is None:
        raise KeyError(f"docs/methods.md has no section '{title}'")
    return f"### {title}\n{found.group(1)}"


def encoder_notes(notes: tuple[str, ...]) -> None:
    """By which similarity, and what the encoder has to say about this corpus, in small print."""
    encoder, similarity = encoder_in_hand(), SIMILARITIES[similarity_in_hand()]
    kind = ENCODERS[encoder.name]
    fitted = "" if encoder.per_document or kind.brought else ", fitted on all texts, test texts included"
    st.caption(f"Similarity of topics: {similarity}. Encoder: {kind.label}{fitted}. " + escaped(" ".join(notes)))
