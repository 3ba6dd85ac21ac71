"""Widgets that become settings, a question's settings as widgets, and the frame every page has.

Scalar controls live in the URL, where Streamlit writes the label of a choice: labels are kept short and stable.
"""

import re
import runpy
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import LeakscopeError
from core.questions import Control, Settings, methods_of, words_of
from core.topics import SIMILARITIES
from core.vectors import ENCODERS
from pages.shared import state
from pages.shared.glossary import used_by
from pages.shared.history import RANGES
from pages.shared.session import current_similarity
from pages.shared.show import escaped
from pages.shared.state import current_encoder

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
SET_AGAIN = "set again"  # the last control that was set twice, and its value
BEHIND, ASKED = "address behind", "address asked"  # whether the address is behind; whether the browser has the page


def integer_input(
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
        _set_again(key, value)
    ranges[key] = low, high, default, value
    return value


def _set_again(key: str, value: int) -> None:
    """Set a control once more in the next run: Streamlit writes a slider that is new, or has a new range, into the address
    only then."""
    session = st.session_state
    if session.get(SET_AGAIN) != (key, value):  # never twice, so that a page cannot run without end
        session[SET_AGAIN], session[BEHIND] = (key, value), True
        session[ASSIGNED] = session.get(ASSIGNED, {}) | {key: value}


def settle_address() -> None:
    """Run the page once more, a moment later, if a control is still to be written into the address."""
    if st.session_state.pop(BEHIND, False):
        st.session_state[ASKED] = False
        _once_more()


@st.fragment(run_every=0.5)
def _once_more() -> None:
    """Rerun the page when the browser asks; by then it knows the new slider."""
    if st.session_state[ASKED]:
        st.rerun()
    st.session_state[ASKED] = True


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


def header(
    title: str, about: str, *, section: str, more: tuple[str, ...] = (), filtered: bool = True
) -> DeltaGenerator:
    """Draw the page's title and what it answers, and return the place beside that for a page's popovers; its sections of the
    methods and the words it uses are one click away.

    `filtered`: whether the sidebar's filters change what the page shows.
    """
    framed()
    row = st.container(key="page_head", horizontal=True, vertical_alignment="bottom", gap="small")
    row.title(title, anchor=False, width="stretch")
    corpus = state.whole_corpus()
    if words := used_by(section, authors=corpus is None or corpus.class_word == "author"):
        with row.popover("Terms", icon=":material/dictionary:", type="tertiary"):
            st.markdown(words)
            st.page_link("pages/methods.py", label="All terms", icon=":material/menu_book:")
    with row.popover("Formula", icon=":material/function:", type="tertiary"):
        for each in (section, *more):
            st.markdown(methods_of(methods_section(each), corpus))
        st.page_link("pages/methods.py", label="All methods", icon=":material/menu_book:")
    row = st.container(key="page_about", horizontal=True, vertical_alignment="center", gap="small")
    if about:
        row.markdown(about, width="stretch")
    if filtered:
        _filter_chips()
    return row


def _filter_chips() -> None:
    """Show what the sidebar's filters leave of the corpus, each filter with its way out."""
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
                words_of(label.format(value), whole),
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
    """Show in small print which similarity is used, and the encoder's remarks on this corpus."""
    encoder, similarity = current_encoder(), SIMILARITIES[current_similarity()]
    kind = ENCODERS[encoder.name]
    fitted = "" if encoder.per_document or kind.brought else ", fitted on all texts, test texts included"
    st.caption(f"Similarity of topics: {similarity}. Encoder: {kind.label}{fitted}. " + escaped(" ".join(notes)))


FEW_CHOICES, FEW_LETTERS = 4, 50  # shown side by side; more go into a list

Chosen = TypeVar("Chosen", bound=Settings)


def ask(
    settings: type[Chosen],
    study: Any,
    *,
    question: str,
    place: DeltaGenerator | None = None,
    places: Mapping[str, DeltaGenerator] | None = None,
    given: Mapping[str, Any] | None = None,
    only: tuple[str, ...] | None = None,
    said: tuple[str, ...] = (),
) -> Chosen:
    """Draw a widget for every setting that means something here and return the settings chosen.

    `study` is what the question is about: a study, or what it takes instead.
    `places` says where single widgets go, `given` which values the page takes from elsewhere, `only` which are asked at all.
    Settings declared with `more` stand behind "More"; the values of those in `said` stand beside it.
    """
    row = place or st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    popover: DeltaGenerator | None = None
    known = settings.controls()
    chosen: dict[str, Any] = {name: value for name, value in (given or {}).items() if name not in known}
    for name, control in known.items():
        if name in (given or {}):
            chosen[name] = (given or {})[name]
        elif not control.is_asked(study, chosen) or (only is not None and name not in only):
            chosen[name] = control.default_in(study, chosen)
        else:
            where = (places or {}).get(name)
            if where is None and control.more:
                popover = popover or row.popover("More", icon=":material/tune:")
                where = popover.container()
            chosen[name] = draw(where or row, control, control.address_key(question, name, chosen), study, chosen)
    found = settings(**chosen)
    if said:
        shown = [(label, value) for name, label, value in found.named_rows(study) if name in said]
        text = " · ".join(f"{escaped(label)}: **{escaped(value)}**" for label, value in shown)
        row.caption(words_of(text, getattr(study, "corpus", None)))
    return found


def draw(place: DeltaGenerator, control: Control, key: str, study: Any, chosen: Mapping[str, Any]) -> Any:
    """Draw one widget and return its value; `study` may be None where nothing about the control depends on it."""
    corpus = getattr(study, "corpus", None)
    control = replace(control, label=words_of(control.label, corpus), help=words_of(control.help, corpus))
    help = control.help or None
    if control.steps:
        default = control.default_in(study, chosen)
        return place.select_slider(control.label, control.steps, default, key=key, bind=IN_URL, help=help, width=220)
    if control.kind == "integer":
        low, high = control.bounds(study, chosen)
        default = control.default_in(study, chosen)
        if high - low > 1_000:
            just_assigned(key)
            if isinstance(kept := st.session_state.get(key), int) and not low <= kept <= high:
                st.session_state[key] = min(max(kept, low), high)  # of another corpus
            return int(place.number_input(control.label, low, high, default, key=key, bind=IN_URL, help=help))
        return integer_input(place, control.label, low, high, default, key=key, help=help)
    if control.kind == "number":
        low, high = control.bounds(study, chosen)
        default = control.default_in(study, chosen)
        if high is None:
            return place.number_input(
                control.label,
                low,
                None,
                default,
                control.step,
                format="%.3f",
                key=key,
                bind=IN_URL,
                help=help,
                width=180,
            )
        return place.slider(control.label, low, high, default, control.step, key=key, bind=IN_URL, help=help, width=260)
    if control.kind == "share":
        default = round(100 * control.default_in(study, chosen))
        high = max(100, default)
        return integer_input(place, control.label, 0, high, default, key=key, help=help, step=5, format="%d%%") / 100
    if control.kind == "groups":
        return _rows(place, control, key, list(control.options(study, chosen)))
    if control.kind == "switch":
        return place.toggle(control.label, control.default_in(study, chosen), key=key, bind=IN_URL, help=help)
    if control.kind == "text":
        return place.text_input(control.label, control.default_in(study, chosen), key=key, bind=IN_URL, help=help)
    options = control.options(study, chosen)
    default = control.default_in(study, chosen)
    if control.kind == "several":
        just_assigned(key)  # it has no default; what a button chose is put back where it was lost
        picked = place.multiselect(
            control.label,
            list(options),
            format_func=lambda name: options.get(name, name),
            placeholder=control.show(default) if control.show is not None else "Default",
            key=key,
            bind=IN_URL,
            help=help,
        )
        return tuple(name for name in options if name in picked) or default
    if len(options) <= FEW_CHOICES and sum(map(len, options.values())) <= FEW_LETTERS:
        return place.segmented_control(
            control.label,
            list(options),
            default=default,
            required=True,
            format_func=lambda name: options.get(name, name),
            key=key,
            bind=IN_URL,
            help=help,
        )
    return place.selectbox(
        control.label,
        list(options),
        list(options).index(default),
        format_func=lambda name: options.get(name, name),
        key=key,
        bind=IN_URL,
        help=help,
        width=200,
    )


MOST_ROWS = 8  # groups of names


def row_keys(key: str) -> list[str]:
    """Return the keys of the rows of groups in the address."""
    return [key if row == 0 else f"{key}_{row + 1}" for row in range(MOST_ROWS)]


def _rows(place: DeltaGenerator, control: Control, key: str, names: list[str]) -> tuple[tuple[str, ...], ...]:
    """Draw a row for every group, and one more; return the groups of at least two names."""
    found: list[tuple[str, ...]] = []
    keys = row_keys(key)
    filled = {each for each in keys if st.session_state.get(each) or each in st.query_params}
    for row, each in enumerate(keys):
        if found and len(found[-1]) < 2 and not filled.intersection(keys[row:]):
            break
        label = control.again if row else control.label
        found.append(tuple(place.multiselect(label, names, max_selections=control.size, key=each, bind=IN_URL)))
    return tuple(group for group in found if len(group) > 1)
