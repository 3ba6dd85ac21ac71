"""What all figures share: colours that colour-blind readers can tell apart, labels that stay plain text, one layout.

Figures are written as data and handed to plotly in one piece: every later `add_` or `update_` call validates anew, and
together they would cost the slider most of its time.
"""

import html
from typing import Any

BLUE, ORANGE, GREY, RED = "#3B82C4", "#E08A1E", "#8C929C", "#D1495B"
PALE_ORANGE = "rgba(224,138,30,0.22)"
# Okabe and Ito's colours, lightened where they vanish on a dark page; symbols repeat them without confusion.
COLOURS = ("#3B82C4", "#E08A1E", "#2A9D7F", "#C7559B", "#5FB3E4", "#D6604D", "#B79F00", "#7A68C9")
SYMBOLS = ("circle", "square", "diamond", "cross", "triangle-up", "x", "star", "pentagon")
SEQUENTIAL = "Cividis"
LONGEST_LABEL = 32

Part = dict[str, Any]  # a trace, an axis or a shape, as plotly reads it


def plain(label: str, longest: int = LONGEST_LABEL) -> str:
    """A user's label made safe for plotly, which reads mark-up in every text, and cut to fit an axis."""
    cut = label if len(label) <= longest else label[: longest - 1] + "…"
    return html.escape(" ".join(cut.split()), quote=False)


def colour_and_symbol(place: int) -> tuple[str, str]:
    """A pair of colour and symbol for the place-th group: 64 groups before any pair returns."""
    return COLOURS[place % len(COLOURS)], SYMBOLS[place // len(COLOURS) % len(SYMBOLS)]


def model_mark(place: int) -> tuple[str, str]:
    """Colour and symbol of the place-th model: both differ from every neighbour's."""
    return COLOURS[place % len(COLOURS)], SYMBOLS[place % len(SYMBOLS)]


def axis(title: str | None = None, **more: Any) -> Part:
    """An axis with room for its labels."""
    return {"automargin": True, "zeroline": False, "title": {"text": title}, **more}


HIDDEN = axis(visible=False)


def line(colour: str, *, dash: str = "solid", width: float = 2) -> Part:
    """A line's look."""
    return {"color": colour, "dash": dash, "width": width}


def upright(x: float, look: Part, *, yref: str = "paper", xref: str = "x") -> Part:
    """A vertical line through the whole plot."""
    return {"type": "line", "x0": x, "x1": x, "xref": xref, "y0": 0, "y1": 1, "yref": yref, "line": look}


def layout(*, height: int, keyed: bool = False, **more: Any) -> Part:
    """The margins and the key (legend) every figure has, and what one figure adds to them."""
    return {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 36 if keyed else 12, "b": 8},
        "showlegend": keyed,
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0},
        "hoverlabel": {"align": "left"},
        "dragmode": False,
        **more,
    }
