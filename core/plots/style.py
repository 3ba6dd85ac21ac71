"""What all figures share: colours that colour-blind readers can tell apart, labels that stay plain text, one layout.

Figures are written as data and handed to plotly in one piece: every later `add_` or `update_` call validates again, and
together they would cost the slider most of its time.
"""

import html
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats
from ..formats import percent, shortened

BLUE, ORANGE, GREY, RED = "#3B82C4", "#E08A1E", "#8C929C", "#D1495B"
PALE_ORANGE = "rgba(224,138,30,0.22)"
# Okabe and Ito's colours, lightened where they vanish on a dark page; symbols repeat them without confusion.
COLOURS = ("#3B82C4", "#E08A1E", "#2A9D7F", "#C7559B", "#5FB3E4", "#D6604D", "#B79F00", "#7A68C9")
SYMBOLS = ("circle", "square", "diamond", "cross", "triangle-up", "x", "star", "pentagon")
# Text: near black, which Streamlit draws in its theme's own strong colour; the greys it would take are too pale to read.
INK = "#000037"
GROUND = "#000038"  # the page's own colour, as Streamlit names it
# More of something stands out more from the page, light or dark: the theme gives the colours (.streamlit/config.toml).
SEQUENTIAL = None
LONGEST_LABEL = 32

Part = dict[str, Any]  # a trace, an axis or a shape, as plotly reads it


def plain(label: str, longest: int = LONGEST_LABEL) -> str:
    """Return a user's label made safe for plotly, which reads mark-up in every text, and cut to fit an axis."""
    cut = label if len(label) <= longest else label[: longest - 1] + "…"
    return html.escape(" ".join(cut.split()), quote=False)


def plain_names(names: Sequence[str], longest: int = LONGEST_LABEL) -> list[str]:
    """Return the labels of one chart, cut together: no two different names are cut to the same label."""
    return [plain(name, longest) for name in shortened(names, longest)]


def plain_pair(first: str, second: str, longest: int = LONGEST_LABEL) -> str:
    """Return two labels side by side, told apart."""
    return " – ".join(plain_names((first, second), longest))


def colour_and_symbol(index: int) -> tuple[str, str]:
    """Return a pair of colour and symbol for the index-th group: 64 groups before any pair returns."""
    return COLOURS[index % len(COLOURS)], SYMBOLS[index // len(COLOURS) % len(SYMBOLS)]


@cache
def _places() -> dict[str, int]:
    """Return the place of every model of ours, by label, in the registry of its task."""
    from ..models.attribution import CLASSIFIERS
    from ..models.verification import VERIFIERS

    labels = [[kind.label for kind in VERIFIERS.values()], [kind.label for kind in CLASSIFIERS.values()]]
    return {label: place for task in labels for place, label in enumerate(task)}


def model_mark(index: int, label: str = "") -> tuple[str, str]:
    """Return colour and symbol of the index-th model: both differ from every neighbour's. A model of ours keeps its own, whichever
    others are shown."""
    index = _places().get(label, index)
    return COLOURS[index % len(COLOURS)], SYMBOLS[index % len(SYMBOLS)]


def free_places(labels: Sequence[str]) -> list[int]:
    """Return a place for each of several systems, of which some may be called as a model of ours: the others take what is left."""
    known = [_places().get(label) for label in labels]
    left = (place for place in count() if place not in known)
    return [next(left) if place is None else place for place in known]


def by_model(index: int, name: str, x: Any, y: Any, *, mode: str = "lines+markers", size: Any = 9, **more: Any) -> Part:
    """Return marks of the index-th model in its own colour and symbol, with the `whiskers` of error_x and error_y in that colour."""
    colour, symbol = model_mark(index, name)
    look = {"line": line(colour), "marker": {"color": colour, "symbol": symbol, "size": size}}
    bars = {key: {"color": colour, **part} for key, part in more.items() if key in ("error_x", "error_y")}
    return {"type": "scatter", "name": plain(name), "x": x, "y": y, "mode": mode, **look, **more, **bars}


def whiskers(middle: Any, low: Any, high: Any, **look: Any) -> Part:
    """Return the bars of an interval about each mark."""
    above, below = np.asarray(high) - np.asarray(middle), np.asarray(middle) - np.asarray(low)
    reach = {"array": above.tolist(), "arrayminus": below.tolist()}
    return {"type": "data", "symmetric": False, "thickness": 1.5, "width": 4, **reach, **look}


def axis(title: str | None = None, **more: Any) -> Part:
    """Return an axis with room for its labels."""
    ink = {"color": INK}
    return {"automargin": True, "zeroline": False, "title": {"text": title, "font": ink}, "tickfont": ink, **more}


def share_axis(title: str, *, ticks: Sequence[float] = (0, 0.25, 0.5, 0.75, 1), **more: Any) -> Part:
    """Return an axis of shares, in percent as they are written elsewhere: plotly's own way leaves no space."""
    return axis(title, tickvals=list(ticks), ticktext=[percent(tick) for tick in ticks], **more)


FIFTHS = (0, 0.2, 0.4, 0.6, 0.8, 1)


def ticks_up_to(highest: float) -> list[float]:
    """Return the shares to mark on an axis from 0 to `highest`: low scores need finer steps than fifths."""
    step = next((step for step in (0.01, 0.02, 0.05, 0.1) if highest <= 6 * step), 0.2)
    return [round(at * step, 2) for at in range(int(1 / step) + 1) if at * step <= highest]


HIDDEN = axis(visible=False)


def similarity_name(kind: str) -> str:
    """Return what an axis that shows similarities of topics calls them."""
    return {"corrected": "corrected similarity", "plain": "cosine of centroids"}.get(kind, "similarity")


def line(colour: str, *, dash: str = "solid", width: float = 2) -> Part:
    """Return a line's look."""
    return {"color": colour, "dash": dash, "width": width}


def upright(x: float, look: Part, *, yref: str = "paper", xref: str = "x") -> Part:
    """Return a vertical line through the whole plot."""
    return {"type": "line", "x0": x, "x1": x, "xref": xref, "y0": 0, "y1": 1, "yref": yref, "line": look}


def flat(y: float, look: Part) -> Part:
    """Return a horizontal line through the whole plot."""
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": look}


def click_layer(
    cells: Sequence[tuple[int, int]], *, size: int, topics: Sequence[list[int]], text: Sequence[str]
) -> Part:
    """Return invisible markers over the cells (row, column) of a heatmap, which reports no clicks itself.

    `topics` come back as customdata: lists, because typed arrays come back as maps.
    """
    unseen = {"marker": {"opacity": 0}}
    return {
        "type": "scatter",
        "x": [column for _, column in cells],
        "y": [row for row, _ in cells],
        "mode": "markers",
        "marker": {"symbol": "square", "size": size, "opacity": 0, "color": BLUE},
        "selected": unseen,
        "unselected": unseen,
        "customdata": topics,
        "text": text,
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
    }


def shades(share: Floats) -> Floats:
    """Return where on the scale cells with a number on them lie: in its lower or its upper third, by their half of 0 to 1.

    Between the two no colour of text can be read both on a light and on a dark page.
    """
    return np.asarray(np.where(share > 0.5, 0.66 + 0.68 * (share - 0.5), 0.72 * share), dtype=np.float64)


def cell_numbers(columns: Sequence[Any], rows: Sequence[Any], share: Floats, text: Sequence[Sequence[str]]) -> Part:
    """Return the numbers on cells coloured by `shades`, each in the colour that stands out from its own."""
    cells = [(row, column) for row in range(len(rows)) for column in range(len(columns))]
    return {
        "type": "scatter",
        "x": [columns[column] for _, column in cells],
        "y": [rows[row] for row, _ in cells],
        "mode": "text",
        "text": [text[row][column] for row, column in cells],
        "textfont": {"color": [GROUND if share[cell] > 0.5 else INK for cell in cells]},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def alt_of(figure: go.Figure) -> str:
    """Return what a figure shows in words, as its `layout` has it."""
    return str(figure.layout.meta["alt"])


def layout(*, height: int, keyed: bool = False, alt: str = "", **more: Any) -> Part:
    """Return the margins and the key (legend) every figure has, and what one figure adds to them; `alt` says in words what it
    shows, wherever it is drawn."""
    return {
        "height": height,
        "meta": {"alt": alt},
        "margin": {"l": 8, "r": 8, "t": 36 if keyed else 12, "b": 8},
        "showlegend": keyed,
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0},
        "font": {"color": INK},
        "hoverlabel": {"align": "left", "font": {"color": INK}},
        "dragmode": False,
        **more,
    }
