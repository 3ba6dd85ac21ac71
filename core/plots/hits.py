"""HITS on paper: how similar the kept topics are at every m beside chance, and the path with how certain each choice is.

On the page the browser draws the same for every m by itself (pages/parts/hits_view).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats, Ints
from ..formats import percent
from ..topics import RandomBand, TopicPath
from .style import (
    BLUE,
    GREY,
    ORANGE,
    PALE_ORANGE,
    RED,
    Part,
    axis,
    flat,
    layout,
    line,
    plain_names,
    share_axis,
    similarity_name,
    upright,
)

MOST_STEPS = 40  # topics of the path that are drawn


def closest_pair_curve(path: TopicPath, band: RandomBand, *, m: int, twin_threshold: float, kind: str) -> go.Figure:
    """Draw the similarity of the closest pair kept at every m: HITS over 5 to 95% of random samples; m and the line of near
    twins are marked."""
    sizes = np.arange(2, path.comparable + 1)
    low, middle, high = band.max[:, 1 : path.comparable]
    shade: Part = {
        "type": "scatter",
        "x": [*sizes, *sizes[::-1]],
        "y": [*high, *low[::-1]],
        "fill": "toself",
        "fillcolor": PALE_ORANGE,
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "name": "random samples, 5 to 95%",
    }
    curves = [
        _curve("random samples, middle", sizes, middle, line(ORANGE, dash="dash")),
        _curve("HITS", sizes, path.max[1 : path.comparable], line(BLUE, width=3)),
    ]
    return go.Figure(
        data=[shade, *curves],
        layout=layout(
            alt="Similarity of the closest pair of kept topics against their number, HITS and random samples",
            height=340,
            keyed=True,
            xaxis=axis("m, topics kept"),
            yaxis=axis(f"closest pair, {similarity_name(kind)}"),
            shapes=[upright(m, line(GREY, dash="dot")), flat(twin_threshold, line(RED, dash="dash", width=1))],
            annotations=[
                _note(f"m = {m}", x=m, xanchor="right" if m > path.comparable / 2 else "left", y=0, yref="paper"),
                _note("near twins", x=0, xref="paper", xanchor="left", y=twin_threshold),
            ],
        ),
    )


def path_steps(names: Sequence[str], path: TopicPath, shares: Floats, *, m: int) -> go.Figure:
    """Draw topics in the order HITS takes them, with the share of draws of other documents in which each is among the first m."""
    shown = path.order[: min(path.comparable, MOST_STEPS)]
    steps = np.arange(len(shown))
    colours = [BLUE if step < m else GREY for step in steps]
    bars: Part = {
        "type": "bar",
        "orientation": "h",
        "x": shares[shown],
        "y": steps,
        "marker": {"color": colours},
        "customdata": [percent(share) for share in shares[shown]],
        "hovertemplate": "%{y}: %{customdata}<extra></extra>",
    }
    cut = plain_names([names[topic] for topic in shown])
    labels = [f"{step + 1}. {name}" for step, name in zip(steps, cut, strict=True)]
    return go.Figure(
        data=[bars],
        layout=layout(
            alt="Topics in the order HITS takes them, with the share of draws in which each is kept",
            height=70 + 19 * len(shown),
            xaxis=share_axis(f"kept among the first {m} in this share of draws", range=[0, 1.02]),
            yaxis=axis(tickvals=steps, ticktext=labels, autorange="reversed", showgrid=False),
        ),
    )


def _curve(name: str, x: Ints, y: Floats, look: Part) -> Part:
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": look}


def _note(text: str, **where: Any) -> Part:
    return {"text": text, "showarrow": False, "yanchor": "bottom", **where}
