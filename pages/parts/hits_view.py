"""The HITS page under the hand: a component of ours draws every m in the browser, and the server hears of m on release."""

from pathlib import Path
from typing import Any

import streamlit as st

from core.plots import style
from pages.shared.controls import assign, whole_number

FOLDER = Path(__file__).parent / "hits_view"
SCRIPTS = ("figures", "pen", "words", "curve", "places", "parts", "drawing", "view")  # one module, in this order
NAME, M = "hits_view", "m"
COLOURS = {"blue": style.BLUE, "orange": style.ORANGE, "grey": style.GREY}


def script() -> str:
    """Return the component's script in one piece."""
    return "\n".join((FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)


_component = st.components.v2.component(NAME, js=script(), css=(FOLDER / "view.css").read_text(encoding="utf-8"))


def current_m(comparable: int, default: int) -> int:
    """Return how many topics are kept: what the address or the hand says.

    Only Streamlit's own controls can stand in the address; so one does, unseen, for the slider that the component draws.
    """
    with st.container(key="hits_m_in_address"):
        return whole_number(st.container(), "Topics to keep (m)", 1, comparable, default, key=M, help="")


def draw(view: dict[str, Any], *, key: str, m: int, here: dict[str, float | None] | None = None) -> None:
    """The view at m; `here` is the similarity at that m where the view does not hold that of every m."""
    shown = {what: None if value is None else f"{round(value, 3) + 0.0:.3f}" for what, value in (here or {}).items()}
    _component(
        key=NAME,
        data={
            "view": view,
            "key": key,
            "m": m,
            "here": {"m": m, **shown} if shown else None,
            "colours": COLOURS,
        },
        on_m_change=lambda: _moved(view["placed"]),
    )


def _moved(comparable: int) -> None:
    """What the browser says is checked like any other input."""
    m = st.session_state[NAME].get("m")
    if type(m) is int and 1 <= m <= comparable:
        assign({M: m})
