"""Overview: how alike the topics are, and which pairs are worst."""

from collections.abc import Sequence

import plotly.graph_objects as go

from ..arrays import Floats, Ints
from ..topics import Verdict
from .style import BLUE, GREY, HIDDEN, RED, axis, layout, line, plain, upright


def similarity_histogram(edges: Floats, counts: Ints, verdict: Verdict) -> go.Figure:
    """All pairs of topics by similarity; near twins, past the threshold, stand out."""
    centres = (edges[:-1] + edges[1:]) / 2
    twin = centres >= verdict.threshold
    bars = [
        {
            "type": "bar",
            "x": centres[mask],
            "y": counts[mask],
            "width": edges[1] - edges[0],
            "marker": {"color": colour, "line": {"width": 0}},
            "name": name,
            "hovertemplate": "similarity %{x:.2f}<br>%{y} pairs<extra></extra>",
        }
        for mask, colour, name in ((~twin, BLUE, "pairs of topics"), (twin, RED, "near twins"))
    ]
    note = {"y": 1, "yref": "paper", "yanchor": "top", "showarrow": False, "xanchor": "left", "xshift": 4}
    return go.Figure(
        data=bars,
        layout=layout(
            height=300,
            keyed=True,
            shapes=[
                upright(verdict.typical, line(GREY, dash="dot")),
                upright(verdict.threshold, line(RED, dash="dash")),
            ],
            annotations=[
                {"x": verdict.typical, "text": "typical pair", **note},
                {"x": verdict.threshold, "text": "near-twin line", **note},
            ],
            xaxis=axis("similarity of two topics (cosine of centroids)"),
            yaxis=axis("pairs of topics"),
        ),
    )


def worst_pairs(names: Sequence[str], pairs: Sequence[tuple[int, int, float]], verdict: Verdict) -> go.Figure:
    """The most similar pairs of topics, the closest on top, each named on its own bar."""
    labels = [f"{plain(names[first], 26)} – {plain(names[second], 26)}" for first, second, _ in pairs]
    values = [value for _, _, value in pairs]
    bars = {
        "type": "bar",
        "x": values,
        "y": list(range(len(pairs))),
        "orientation": "h",
        "marker": {"color": [RED if value >= verdict.threshold else BLUE for value in values], "opacity": 0.35},
        "customdata": labels,
        "hovertemplate": "%{customdata}<br>similarity %{x:.3f}<extra></extra>",
    }
    notes = [
        {"x": 0, "y": index, "text": f"<b>{value:.2f}</b>  {label}", "showarrow": False, "xanchor": "left", "xshift": 6}
        for index, (label, value) in enumerate(zip(labels, values, strict=True))
    ]
    return go.Figure(
        data=[bars],
        layout=layout(
            height=300,
            shapes=[upright(verdict.threshold, line(RED, dash="dash"))],
            annotations=notes,
            xaxis=axis("similarity", range=[min(0.0, *values), 1.0]),
            yaxis=HIDDEN | {"autorange": "reversed"},
        ),
    )
