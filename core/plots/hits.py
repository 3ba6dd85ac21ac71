"""HITS: similarity against m, the path, and the topics kept on a map."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats, Ints
from ..topics import Layout, RandomBand, Sample, TopicPath
from .style import BLUE, GREY, HIDDEN, ORANGE, PALE_ORANGE, Part, axis, flat, layout, line, plain, upright

MOST_BARS = 120
MOST_NAMED = 80


def similarity_against_m(path: TopicPath, band: RandomBand, m: int) -> go.Figure:
    """Mean and max similarity of the first m topics of the path, over the band of random samples."""
    here = line(GREY, dash="dot", width=1)
    above = {"y": 1.0, "xref": "paper", "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return go.Figure(
        data=[
            *_one_curve(path.mean, band.mean, m, panel="", keyed=True),
            *_one_curve(path.max, band.max, m, panel="2", keyed=False),
        ],
        layout=layout(
            height=340,
            keyed=True,
            xaxis=axis("m, topics kept", domain=[0, 0.48]),
            xaxis2=axis("m, topics kept", domain=[0.52, 1], anchor="y2"),
            yaxis=axis("similarity"),
            yaxis2=axis(anchor="x2", matches="y", showticklabels=False),
            shapes=[upright(m, here), upright(m, here, xref="x2")],
            annotations=[{"text": "mean", "x": 0.24, **above}, {"text": "max", "x": 0.76, **above}],
            hovermode="x",
            margin={"l": 8, "r": 8, "t": 64, "b": 8},
            legend={"orientation": "h", "yanchor": "bottom", "y": 1.1, "x": 0},
        ),
    )


def _one_curve(values: Floats, quantiles: Floats, m: int, *, panel: str, keyed: bool) -> list[Part]:
    across = np.arange(2, len(values) + 1)
    low, middle, high = quantiles[:, 1:]
    shared = {"type": "scatter", "xaxis": f"x{panel}", "yaxis": f"y{panel}", "showlegend": keyed}
    band: Part = {
        "x": np.concatenate([across, across[::-1]]),
        "y": np.concatenate([high, low[::-1]]),
        "fill": "toself",
        "fillcolor": PALE_ORANGE,
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "name": "random, 5–95 %",
        "legendgroup": "band",
    }
    lines = [
        {
            "x": across,
            "y": drawn,
            "mode": "lines",
            "name": name,
            "legendgroup": name,
            "line": look,
            "hovertemplate": "m = %{x}: %{y:.3f}<extra>" + name + "</extra>",
        }
        for name, drawn, look in (
            ("random, median", middle, line(ORANGE, dash="dash")),
            ("HITS", values[1:], line(BLUE, width=3)),
        )
    ]
    point = {
        "x": [m],
        "y": [values[m - 1]],
        "mode": "markers+text",
        "text": [f"{values[m - 1]:.2f}" if m > 1 else ""],
        "textposition": "bottom right" if m < len(values) * 0.8 else "bottom left",
        "marker": {"color": BLUE, "size": 11, "line": {"color": "white", "width": 2}},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    return [shared | part for part in (band, *lines, point)]


def path_steps(names: Sequence[str], path: TopicPath, m: int) -> go.Figure:
    """Topics in the order HITS takes them, each with its leakage when taken; the first m are kept."""
    count = len(path)
    if count > MOST_BARS:
        return _path_line(names, path, m)
    labels = [f"{step}. {plain(names[topic], 24)}" for step, topic in enumerate(path.order, start=1)]
    selected = np.arange(count) < m
    bars: Part = {
        "type": "bar",
        "x": np.nan_to_num(path.leakage),
        "y": np.arange(count),
        "orientation": "h",
        "marker": {"color": np.where(selected, BLUE, GREY), "opacity": np.where(selected, 1.0, 0.45)},
        "text": ["start", *(f"{value:.3f}" for value in path.leakage[1:])],
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": labels,
        "hovertemplate": "%{customdata}<br>leakage when taken: %{text}<extra></extra>",
    }
    return go.Figure(
        data=[bars],
        layout=layout(
            height=max(200, 60 + 25 * count),
            shapes=[flat(m - 0.5, line(ORANGE))] if m < count else [],
            xaxis=axis("leakage when taken", range=[0, 1.4 * float(np.nanmax(path.leakage, initial=0.01))]),
            yaxis=axis(tickvals=np.arange(count), ticktext=labels, autorange="reversed", showgrid=False),
        ),
    )


def _path_line(names: Sequence[str], path: TopicPath, m: int) -> go.Figure:
    """The path of a corpus with too many topics for a bar each."""
    curve: Part = {
        "type": "scattergl",
        "x": np.arange(2, len(path) + 1),
        "y": path.leakage[1:],
        "mode": "lines",
        "line": line(BLUE),
        "customdata": [plain(names[topic]) for topic in path.order[1:]],
        "hovertemplate": "step %{x}: %{customdata}<br>leakage when taken: %{y:.3f}<extra></extra>",
    }
    return go.Figure(
        data=[curve],
        layout=layout(
            height=340,
            shapes=[upright(m, line(ORANGE))],
            xaxis=axis("step of the path"),
            yaxis=axis("leakage when taken (mean × max)"),
        ),
    )


def kept_map(names: Sequence[str], positions: Layout, sizes: Ints, sample: Sample) -> go.Figure:
    """Topics where the map draws them: kept ones lit and named, the others grey, merged ones tied to the topic they join."""
    topics = np.arange(len(names))
    x, y = positions.centroids.T
    selected = np.flatnonzero(sample.assigned == topics)
    merged = np.flatnonzero((sample.assigned >= 0) & (sample.assigned != topics))
    lost = np.flatnonzero(sample.assigned < 0)
    targets = sample.assigned[merged]
    gaps = np.full(len(merged), np.nan)
    ties: Part = {
        "type": "scatter",
        "x": np.stack([x[merged], x[targets], gaps], axis=1).ravel(),
        "y": np.stack([y[merged], y[targets], gaps], axis=1).ravel(),
        "mode": "lines",
        "line": line(ORANGE, width=1.5),
        "hoverinfo": "skip",
        "showlegend": False,
    }
    diameter = 10 + 18 * np.sqrt(sizes / sizes.max())
    groups = [
        {
            "type": "scatter",
            "x": x[group],
            "y": y[group],
            "mode": "markers+text" if name == "kept" and len(names) <= MOST_NAMED else "markers",
            "text": [plain(names[int(topic)]) for topic in group],
            "textposition": ["top center" if above else "bottom center" for above in positions.above[group]],
            "textfont": {"size": 12},
            "marker": {"size": diameter[group], **marker},
            "name": name,
            "customdata": sizes[group],
            "hovertemplate": "%{text}<br>%{customdata} documents<extra>" + name + "</extra>",
            "showlegend": len(group) > 0,
        }
        for group, name, marker in (
            (lost, "dropped", {"color": GREY, "opacity": 0.45, "symbol": "circle-open", "line": {"width": 2}}),
            (merged, "merged", {"color": ORANGE, "opacity": 0.7, "symbol": "diamond"}),
            (selected, "kept", {"color": BLUE, "opacity": 0.95}),
        )
    ]
    return go.Figure(data=[ties, *groups], layout=layout(height=460, keyed=True, xaxis=HIDDEN, yaxis=HIDDEN))
