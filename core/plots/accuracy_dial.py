"""Folds & accuracy: where a corpus lies on the grid of made corpora, and what HITS changes there."""

import numpy as np
import plotly.graph_objects as go

from ..formats import percent
from ..studies import DialGrid, DialPlace
from .style import ORANGE, Part, layout, plain, share_axis

FALLS = [
    [0.0, "#7FB0DE"],
    [0.5, "#EDEBE6"],
    [1.0, "#E8AF62"],
]  # less under HITS, as much, more: pale, for numbers stand in them


def dial_map(
    grid: DialGrid, place: DialPlace, *, task: str, model: str, metric: str, pairs: str = "", unit: str
) -> go.Figure:
    """What HITS changes for one model in every cell of the grid, in points, and the corpus among them."""
    choices = {"task": task, "model": model, "metric": metric, "pairs": pairs}
    change = np.array(
        [[100 * grid.row(shared, loyal, **choices).change for shared in grid.shared] for loyal in grid.loyal]
    )
    most = max(float(np.abs(change).max()), 1.0)
    heat: Part = {
        "type": "heatmap",
        "x": grid.shared,
        "y": grid.loyal,
        "z": change,
        "colorscale": FALLS,
        "zmin": -most,
        "zmax": most,
        "xgap": 2,
        "ygap": 2,
        "text": [[f"{value:+.1f}".replace("-", "−") for value in row] for row in change],
        "texttemplate": "%{text}",
        "textfont": {"color": "#10141A"},
        "showscale": False,
        "hovertemplate": f"shared %{{x}}, loyal %{{y}}: %{{text}} points of {plain(unit)}<extra></extra>",
    }
    marks = [heat]
    if not place.problem:
        marks.append(_corpus(place))
    return go.Figure(
        data=marks,
        layout=layout(
            height=340,
            showlegend=False,
            xaxis=share_axis("words that sister topics share", ticks=grid.shared.tolist(), showgrid=False),
            yaxis=share_axis("texts in which authors keep to a family", ticks=grid.loyal.tolist(), showgrid=False),
        ),
    )


def _corpus(place: DialPlace) -> Part:
    """The corpus in hand with its intervals."""
    bars = {}
    for name, middle, (low, high) in (
        ("error_x", place.shared, place.shared_interval),
        ("error_y", place.loyal, place.loyal_interval),
    ):
        bars[name] = {"array": [high - middle], "arrayminus": [middle - low], "color": "#10141A", "width": 4}
    return {
        "type": "scatter",
        "x": [place.shared],
        "y": [place.loyal],
        "mode": "markers",
        "marker": {"symbol": "star", "size": 18, "color": ORANGE, "line": {"width": 2, "color": "#10141A"}},
        "hovertemplate": f"this corpus: shared {percent(place.shared)}, loyal {percent(place.loyal)}<extra></extra>",
        **bars,
    }
