"""HITS: similarity against m, the path, and the topics kept on a map."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Bools, Floats, Ints
from ..topics import Layout, RandomBand, Sample, TopicPath
from .style import (
    BLUE,
    GREY,
    HIDDEN,
    ORANGE,
    PALE_ORANGE,
    Part,
    axis,
    flat,
    layout,
    line,
    plain,
    similarity_name,
    upright,
)

MOST_BARS = 120
MOST_NAMED = 80


def similarity_against_m(
    path: TopicPath, band: RandomBand, m: int, shown: Mapping[str, float | None], *, kind: str
) -> go.Figure:
    """Mean and max similarity of the first m topics of the path, over the band of random samples.

    `shown` is what the sample at m has, merged topics counted in: the mark lies there, on the line or beside it.
    """
    here = line(GREY, dash="dot", width=1)
    above = {"y": 1.0, "xref": "paper", "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return go.Figure(
        data=[
            *_one_curve(path.mean[: path.placed], band.mean, (m, shown["mean"]), panel="", keyed=True),
            *_one_curve(path.max[: path.placed], band.max, (m, shown["max"]), panel="2", keyed=False),
        ],
        layout=layout(
            height=340,
            keyed=True,
            xaxis=axis("m, topics kept", domain=[0, 0.48]),
            xaxis2=axis("m, topics kept", domain=[0.52, 1], anchor="y2"),
            yaxis=axis(similarity_name(kind)),
            yaxis2=axis(anchor="x2", matches="y", showticklabels=False),
            shapes=[upright(m, here), upright(m, here, xref="x2")],
            annotations=[{"text": "mean", "x": 0.24, **above}, {"text": "max", "x": 0.76, **above}],
            hovermode="x",
            margin={"l": 8, "r": 8, "t": 64, "b": 8},
            legend={"orientation": "h", "yanchor": "bottom", "y": 1.1, "x": 0},
        ),
    )


def _one_curve(
    values: Floats, quantiles: Floats, here: tuple[int, float | None], *, panel: str, keyed: bool
) -> list[Part]:
    m, height = here
    across = np.arange(2, len(values) + 1)
    low, middle, high = quantiles[:, 1 : len(values)]
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
        "y": [height],
        "mode": "markers+text",
        "text": ["" if height is None else f"{height:.3f}"],
        "textposition": "bottom right" if m < len(values) * 0.8 else "bottom left",
        "marker": {"color": BLUE, "size": 11, "line": {"color": "white", "width": 2}},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    return [shared | part for part in (band, *lines, point)]


def path_steps(names: Sequence[str], path: TopicPath, m: int, shares: Floats) -> go.Figure:
    """Topics in the order HITS takes them, each with its leakage when taken, and, to the right, in what share of draws
    of the documents it is among the first m; the first m are kept."""
    count = len(path)
    if count > MOST_BARS:
        return _path_line(names, path, m, shares)
    labels = [f"{step}. {plain(names[topic], 24)}" for step, topic in enumerate(path.order, start=1)]
    selected = np.arange(count) < m
    bars: Part = {
        "type": "bar",
        "x": np.nan_to_num(path.leakage),
        "y": np.arange(count),
        "orientation": "h",
        "marker": {"color": np.where(selected, BLUE, GREY), "opacity": np.where(selected, 1.0, 0.45)},
        "text": _taken(path),
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": labels,
        "hovertemplate": "%{customdata}<br>leakage when taken: %{text}<extra></extra>",
    }
    above = {"xref": "paper", "yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False}
    return go.Figure(
        data=[bars, _kept_dots(labels, path, selected, shares)],
        layout=layout(
            height=max(200, 84 + 25 * count),
            margin={"l": 8, "r": 8, "t": 28, "b": 8},
            shapes=[upright(0.5, line(GREY, dash="dot", width=1), xref="x2")]
            + ([flat(m - 0.5, line(ORANGE))] if m < count else []),
            annotations=[{"text": "kept in … % of draws", "x": 1, "xanchor": "right", **above}],
            xaxis=axis(
                "leakage when taken",
                domain=[0, 0.68],
                range=[0, 1.45 * float(np.nanmax(path.leakage, initial=0.01))],
                nticks=4,
            ),
            xaxis2=axis(
                domain=[0.76, 1],
                range=[-0.08, 1.08],
                tickvals=[0, 0.5, 1],
                ticktext=["0", "50", "100"],
                tickangle=0,
                anchor="y",
            ),
            yaxis=axis(tickvals=np.arange(count), ticktext=labels, range=[count - 0.4, -0.6], showgrid=False),
        ),
    )


def _taken(path: TopicPath) -> list[str]:
    """What stands at each bar: where the path starts, the leakage, or that the topic cannot be placed."""
    scored = [f"{value:.3f}" for value in path.leakage[1 : path.placed]]
    return (["start", *scored] if path.placed else []) + ["cannot be placed"] * (len(path) - path.placed)


def _kept_dots(labels: Sequence[str], path: TopicPath, selected: Bools, shares: Floats) -> Part:
    """In what share of draws each topic is kept: near a half it is a coin toss."""
    return {
        "type": "scatter",
        "xaxis": "x2",
        "x": shares[path.order],
        "y": np.arange(len(path)),
        "mode": "markers",
        "marker": {"color": np.where(selected, BLUE, GREY), "size": 8},
        "customdata": labels,
        "hovertemplate": "%{customdata}<br>kept in %{x:.0%} of draws<extra></extra>",
    }


def _path_line(names: Sequence[str], path: TopicPath, m: int, shares: Floats) -> go.Figure:
    """The path of a corpus with too many topics for a bar each."""
    curve: Part = {
        "type": "scattergl",
        "x": np.arange(2, path.placed + 1),
        "y": path.leakage[1 : path.placed],
        "mode": "lines",
        "line": line(BLUE),
        "customdata": [[plain(names[topic]), shares[topic]] for topic in path.order[1 : path.placed]],
        "hovertemplate": "step %{x}: %{customdata[0]}<br>leakage when taken: %{y:.3f}<br>"
        "kept in %{customdata[1]:.0%} of draws<extra></extra>",
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
            "text": [plain(names[int(topic)], 22) for topic in group],
            "textposition": ["top center" if above else "bottom center" for above in positions.above[group]],
            "textfont": {"size": 12},
            "cliponaxis": False,
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
    room = 0.18 * float(np.ptp(x)) or 1.0  # for names at the edges
    across = HIDDEN | {"range": [float(x.min()) - room, float(x.max()) + room]}
    return go.Figure(data=[ties, *groups], layout=layout(height=460, keyed=True, xaxis=across, yaxis=HIDDEN))
