"""Widgets that become settings, and the frame every page has.

Scalar controls live in the URL, where Streamlit writes the label of a choice: labels are kept short and stable.
"""

import re
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.errors import LeakscopeError
from core.topics import SIMILARITIES
from core.vectors import ENCODERS
from pages.shared import state
from pages.shared.corpus_vectors import encoder_in_hand
from pages.shared.links import RANGES
from pages.shared.page_words import used_by
from pages.shared.session import similarity_in_hand
from pages.shared.show import escaped

ROOT = Path(__file__).parents[2]
METHODS = ROOT / "docs" / "methods.md"
IN_URL: Final = "query-params"
# The sidebar's filters: the value that leaves nothing out, and what one that does is called.
CHIPS = {
    "min_docs": (1, "{:,} or more per topic"),
    "cap": (0, "at most {:,} per topic"),
    "author_docs": (1, "{:,} or more per author"),
    "most_authors": (0, "{:,} authors"),
}
ASSIGNED = "assigned"  # the controls that were set and not drawn since, with their values


def whole_number(
    place: DeltaGenerator,
    label: str,
    low: int,
    high: int,
    default: int,
    *,
    key: str,
    help: str | None,
    step: int = 1,
    format: str | None = None,
) -> int:
    """Draw a slider bound to the URL. A choice is clamped to a range that changes; what was not chosen follows the default."""
    if low == high:
        return low
    session, default = st.session_state, min(max(default, low), high)
    ranges = session.setdefault(RANGES, {})
    before = ranges.get(key)
    if key in session.get(ASSIGNED, {}):
        session[ASSIGNED][key] = min(max(session[ASSIGNED][key], low), high)
    elif before is not None and before[:3] != (low, high, default):
        chosen = before[3] if session.get(key) is None else session[key]
        assign({key: default if chosen == before[2] else min(max(chosen, low), high)})
    assigned = just_assigned(key)
    value = place.slider(label, low, high, default, step, format=format, key=key, bind=IN_URL, help=help)
    if assigned and value != default and st.query_params.get(key) != str(value):
        _write_to_address(key, value)
    ranges[key] = low, high, default, value
    return value


def _write_to_address(key: str, value: int) -> None:
    """Put into the address what a button set: of a slider that is new, or has a new range, Streamlit does so one run later.

    The one private function of Streamlit that is called; docs/decisions.md says what the public ones do instead.
    """
    context = get_script_run_ctx()
    if context is not None:
        with context.session_state.query_params() as params:
            params.set_corrected_value(key, [value], "double_array_value")


def assign(values: Mapping[str, Any]) -> None:
    """Set controls that are not drawn yet in this run, as a button does."""
    st.session_state.update(values)
    st.session_state[ASSIGNED] = st.session_state.get(ASSIGNED, {}) | dict(values)


def just_assigned(key: str) -> bool:
    """Return whether a control that is drawn now was set before.

    A run that stopped before it was drawn has dropped its value: it is put back, and set once more in the next run, for
    Streamlit writes only what is set of a control that stands into the address.
    """
    session, assigned = st.session_state, st.session_state.get(ASSIGNED, {})
    if key not in assigned:
        return False
    if session.get(key) is None:
        session[key] = assigned[key]
        return True
    value = assigned.pop(key)
    if session[key] == value:  # else somebody has moved it since
        session[key] = value
    return True


def header(title: str, about: str, *, section: str, more: tuple[str, ...] = ()) -> None:
    """Draw the page's title and what it answers; its sections of the methods and the words it uses are one click away."""
    framed()
    row = st.container(key="page_head", horizontal=True, vertical_alignment="bottom", gap="small")
    row.title(title, anchor=False, width="stretch")
    if words := used_by(section):
        with row.popover("Terms", icon=":material/dictionary:"):
            st.markdown(words)
            st.page_link("pages/methods.py", label="All terms", icon=":material/menu_book:")
    with row.popover("Formula", icon=":material/function:"):
        for each in (section, *more):
            st.markdown(methods_section(each))
        st.page_link("pages/methods.py", label="All methods", icon=":material/menu_book:")
    st.markdown(about)
    _filter_chips()


def _filter_chips() -> None:
    """Show on every page what the sidebar's filters leave of the corpus, each filter with its way out."""
    chosen = {key: int(st.session_state[key]) for key in CHIPS if st.session_state.get(key, 0) > CHIPS[key][0]}
    whole = state.whole_corpus() if chosen else None
    if whole is None or not whole.has_topics:
        return
    with st.container(key="filters", horizontal=True, vertical_alignment="center", gap="small"):
        try:
            left = len(state.with_filters(whole, state.filters()))
            st.markdown(f":material/filter_alt: **{left:,} of {len(whole):,} documents**", width="content")
        except LeakscopeError:
            st.markdown(":material/filter_alt_off: **No documents left**", width="content")
        for key, value in chosen.items():
            lowest, label = CHIPS[key]
            st.button(
                label.format(value),
                icon=":material/close:",
                icon_position="right",
                key=f"drop {key}",
                help="Remove this filter",
                on_click=assign,
                args=({key: lowest},),
            )


def framed() -> None:
    """Put app.py round a page that runs without it.

    A link straight to a page, opened before anyone has seen the start page, makes Streamlit take pages/ for an app of
    the old kind and run the page alone; it stops doing so once app.py has called st.navigation.
    """
    if not st.session_state.pop("framed", False):
        runpy.run_path(str(ROOT / "app.py"), run_name="__main__")
        st.stop()


def methods_section(title: str) -> str:
    """Return one section of docs/methods.md by its title without the number, so that page and document never disagree."""
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
