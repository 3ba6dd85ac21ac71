"""Figures for paper: without what only a pointer can use, in colours for white, no higher than a page."""

import json
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio

from ..plots import style

HIGHEST = 860  # pixels of a figure, with room for its title on a sheet of A4
SEQUENTIAL = ("#EAF1F8", "#B8D2E8", "#76A8D0", "#3977AF", "#08305C")
GRID, FRAME = "#E3E8EE", "#C5CCD6"
_AXIS = {"gridcolor": GRID, "linecolor": FRAME, "zerolinecolor": FRAME, "automargin": True}
TEMPLATE: dict[str, Any] = {
    "layout": {
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "font": {"family": "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif", "size": 12},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        "colorscale": {
            "sequential": [[index / (len(SEQUENTIAL) - 1), colour] for index, colour in enumerate(SEQUENTIAL)]
        },
        "autotypenumbers": "strict",
    }
}


def for_paper(figure: go.Figure) -> str:
    """The figure as JSON that may stand inside a script element: nothing in it can end that.

    Markers that only take clicks go; points that a graphics card would draw are drawn as shapes, which print; and what
    the theme of the app would colour gets colours for white paper.
    """
    drawn = figure.to_plotly_json()
    drawn["data"] = [_trace(trace) for trace in drawn["data"] if not _unseen(trace)]
    layout = drawn["layout"]
    layout["template"], layout["dragmode"] = TEMPLATE, False
    layout["height"] = min(int(layout.get("height") or HIGHEST), HIGHEST)
    return in_script(pio.to_json(drawn, validate=False).replace(f'"{style.GROUND}"', '"#FFFFFF"'))


def in_script(text: str) -> str:
    """JSON with every character written as an escape that HTML could read: the end of a script, or a comment."""
    json.loads(text)  # whatever cannot be read again would leave the page empty
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _unseen(trace: dict[str, Any]) -> bool:
    """Whether nothing of a trace is seen: the layer over a heatmap that takes clicks."""
    return trace.get("mode") == "markers" and trace.get("marker", {}).get("opacity") == 0


def _trace(trace: dict[str, Any]) -> dict[str, Any]:
    made = dict(trace)
    if made.get("type") == "scattergl":
        made["type"] = "scatter"
    if made.get("type") == "heatmap":
        made["hoverinfo"] = "z" if made.get("hoverinfo") == "skip" else made.get("hoverinfo")
        if not made.get("colorscale"):
            made["colorscale"] = TEMPLATE["layout"]["colorscale"]["sequential"]
    made.pop("selected", None)
    made.pop("unselected", None)
    return made
