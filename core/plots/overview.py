"""Overview: how alike the topics are, and which pairs are worst."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.plots.style import BLUE, GREY, RED, plain, tidy
from core.verdict import Verdict


def similarity_histogram(edges: NDArray[np.float64], counts: NDArray[np.int64], verdict: Verdict) -> go.Figure:
    """All pairs of topics by similarity; near twins, past the threshold, stand out."""
    centres = (edges[:-1] + edges[1:]) / 2
    twin = edges[:-1] >= verdict.threshold - (edges[1] - edges[0]) / 2
    figure = go.Figure()
    for mask, colour, name in ((~twin, BLUE, "pairs of topics"), (twin, RED, "near twins")):
        figure.add_bar(
            x=centres[mask],
            y=counts[mask],
            width=edges[1] - edges[0],
            marker_color=colour,
            marker_line_width=0,
            name=name,
            hovertemplate="similarity %{x:.2f}<br>%{y} pairs<extra></extra>",
        )
    figure.add_vline(x=verdict.typical, line={"color": GREY, "dash": "dot"})
    figure.add_vline(x=verdict.threshold, line={"color": RED, "dash": "dash"})
    for x, text in ((verdict.typical, "typical pair"), (verdict.threshold, "near-twin line")):
        figure.add_annotation(
            x=x, y=1, yref="paper", yanchor="top", text=text, showarrow=False, xanchor="left", xshift=4
        )
    figure.update_xaxes(title="similarity of two topics (cosine of centroids)")
    figure.update_yaxes(title="pairs of topics")
    return tidy(figure, height=300, legend=True)


def worst_pairs(names: Sequence[str], pairs: Sequence[tuple[int, int, float]], verdict: Verdict) -> go.Figure:
    """The most similar pairs of topics, the closest on top, each named on its own bar."""
    labels = [f"{plain(names[first], 26)} – {plain(names[second], 26)}" for first, second, _ in pairs]
    values = [value for _, _, value in pairs]
    figure = go.Figure(
        go.Bar(
            x=values,
            y=list(range(len(pairs))),
            orientation="h",
            marker={"color": [RED if value >= verdict.threshold else BLUE for value in values], "opacity": 0.35},
            customdata=labels,
            hovertemplate="%{customdata}<br>similarity %{x:.3f}<extra></extra>",
        )
    )
    for place, (label, value) in enumerate(zip(labels, values, strict=True)):
        figure.add_annotation(
            x=0, y=place, text=f"<b>{value:.2f}</b>  {label}", showarrow=False, xanchor="left", xshift=6
        )
    figure.add_vline(x=verdict.threshold, line={"color": RED, "dash": "dash"})
    figure.update_yaxes(visible=False, autorange="reversed")
    figure.update_xaxes(range=[min(0.0, *values), 1.0], title="similarity")
    return tidy(figure, height=300)
