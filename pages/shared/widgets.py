"""A question's settings as widgets, each bound to the address."""

from collections.abc import Mapping
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.questions import Control, Settings
from pages.shared.controls import IN_URL, just_assigned, whole_number

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
) -> Chosen:
    """Draw a widget for every setting that means something here and return the settings chosen.

    `study` is what the question is about: a study, or what it takes instead.
    `places` says where single widgets go, `given` which values the page takes from elsewhere, `only` which are asked at all.
    Settings declared with `more` stand behind "More".
    """
    row = place or st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    popover: DeltaGenerator | None = None
    chosen: dict[str, Any] = {}
    for name, control in settings.controls().items():
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
    return settings(**chosen)


def draw(place: DeltaGenerator, control: Control, key: str, study: Any, chosen: Mapping[str, Any]) -> Any:
    """Draw one widget and return its value; `study` may be None where nothing about the control depends on it."""
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
        return whole_number(place, control.label, low, high, default, key=key, help=help)
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
