"""The experiments: similarity and stability against m, what merging costs, the closest pairs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats
from ..papers.hits_2024 import (
    AVERAGE,
    ClosestAcross,
    PolicyComparison,
    SimilarityAgainstM,
    SimilarityCurve,
    StabilityAgainstM,
)
from .style import (
    BLUE,
    FIFTHS,
    GREY,
    ORANGE,
    PALE_ORANGE,
    Part,
    axis,
    colour_and_symbol,
    layout,
    line,
    plain,
    share_axis,
    similarity_name,
    upright,
)

_HITS, _RANDOM = line(BLUE, width=3), line(ORANGE, dash="dash")
_TALL_KEY: Part = {
    "margin": {"l": 8, "r": 8, "t": 64, "b": 8},
    "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.1, "x": 0},
}


def similarity_curves(record: SimilarityAgainstM, m: int | None = None, *, kind: str) -> go.Figure:
    """Mean (left) and max (right) train/test similarity against m: HITS over the range of the random samples."""
    here = [] if m is None else [upright(m, line(GREY, dash="dot", width=1), xref=ref) for ref in ("x", "x2")]
    return go.Figure(
        data=[
            *_curves(record.m, record.mean, panel="", keyed=True),
            *_curves(record.m, record.max, panel="2", keyed=False),
        ],
        layout=layout(
            height=340,
            keyed=True,
            xaxis=axis("m, topics kept", domain=[0, 0.48]),
            xaxis2=axis("m, topics kept", domain=[0.52, 1], anchor="y2"),
            yaxis=axis(f"train/test {similarity_name(kind)}"),
            yaxis2=axis(anchor="x2", matches="y", showticklabels=False),
            annotations=heads("mean over pairs", "closest pair"),
            hovermode="x",
            shapes=here,
            **_TALL_KEY,
        ),
    )


def _curves(m: Sequence[int], curve: SimilarityCurve, *, panel: str, keyed: bool) -> list[Part]:
    parts: list[Part] = []
    if len(curve.random):
        low, high = curve.random.min(axis=0), curve.random.max(axis=0)
        named = {"name": "random, lowest to highest", "legendgroup": "range", "showlegend": keyed}
        look = {"fill": "toself", "fillcolor": PALE_ORANGE, "line": {"width": 0}, "mode": "lines", "hoverinfo": "skip"}
        parts.append({"type": "scatter", "x": [*m, *m[::-1]], "y": [*high, *low[::-1]], **look, **named})
        parts.append(_line("random, mean", m, curve.random.mean(axis=0), _RANDOM, "square", keyed))
    parts.append(_line("HITS", m, curve.hits, _HITS, "circle", keyed))
    return [{**part, "xaxis": f"x{panel}", "yaxis": f"y{panel}"} for part in parts]


def stability_curves(record: StabilityAgainstM, metric: str = AVERAGE) -> go.Figure:
    """Ranking stability by one metric against m: HITS, every random sample, and their mean."""
    column = [*record.labels, AVERAGE].index(metric)
    label = record.labels.get(metric, AVERAGE)
    seeds = record.random.shape[1]
    parts: list[Part] = []
    if seeds:
        each: Part = {"x": np.repeat(record.m, seeds), "y": record.random[:, :, column].ravel(), "mode": "markers"}
        each |= {"marker": {"color": ORANGE, "opacity": 0.45, "symbol": "square-open", "size": 8}}
        each |= {"hovertemplate": "m = %{x}: %{y:.3f}<extra>one random sample</extra>"}
        parts.append({"type": "scatter", "name": "random, each sample", **each})
        parts.append(_line("random, mean", record.m, record.random_mean[:, column], _RANDOM, "square"))
    parts.append(_line("HITS", record.m, record.hits[:, column], _HITS, "circle"))
    return go.Figure(
        data=parts,
        layout=layout(
            height=340,
            keyed=True,
            xaxis=axis("m, topics kept", tickvals=list(record.m)),
            yaxis=axis(f"stability of the ranking, {plain(label)}", range=[None, 1.05]),
        ),
    )


def policy_trade(record: PolicyComparison, *, kind: str) -> go.Figure:
    """Draw what merging gains and costs: documents kept against the closest pair's similarity and, where known, stability."""
    points = _policy_points(record, [outcome.max for outcome in record.policies], panel="")
    named = axis(similarity_name(kind))
    if not record.labels:
        axes: Part = {"xaxis": _share(domain=[0, 1]), "yaxis": named, "annotations": heads("closest train/test pair")}
        return go.Figure(data=points, layout=layout(height=360, keyed=True, **axes, **_TALL_KEY))
    averages = [outcome.stability[AVERAGE] for outcome in record.policies]
    points += _policy_points(record, averages, panel="2")
    lowest = float(np.nanmin([0.0, *averages]))
    axes = {"xaxis": _share(domain=[0, 0.48]), "yaxis": named, "xaxis2": _share(domain=[0.56, 1], anchor="y2")}
    axes |= {"yaxis2": axis(anchor="x2", range=[lowest - 0.05, 1.05])}
    axes |= {"annotations": heads("closest train/test pair", "stability of the ranking")}
    return go.Figure(data=points, layout=layout(height=360, keyed=True, **axes, **_TALL_KEY))


def _policy_points(record: PolicyComparison, heights: Sequence[float], *, panel: str) -> list[Part]:
    points: list[Part] = []
    # Policies that come to the same lie on one point: each is drawn smaller than the one below it.
    for index, (outcome, height) in enumerate(zip(record.policies, heights, strict=True)):
        colour, symbol = colour_and_symbol(index)[0], colour_and_symbol(8 * index)[1]
        name = plain(outcome.name)
        points.append(
            {
                "type": "scatter",
                "xaxis": f"x{panel}",
                "yaxis": f"y{panel}",
                "x": [outcome.share],
                "y": [height],
                "mode": "markers",
                "marker": {"color": colour, "symbol": symbol, "size": max(8, 20 - 3 * index)},
                "name": name,
                "legendgroup": str(index),
                "showlegend": not panel,
                "customdata": [[outcome.documents, outcome.merged, outcome.dropped]],
                "hovertemplate": f"{name}: %{{y:.3f}}<br>%{{customdata[0]}} documents, "
                "%{customdata[1]} topics merged, %{customdata[2]} dropped<extra></extra>",
            }
        )
    return points


def closest_pairs(record: ClosestAcross, *, kind: str) -> go.Figure:
    """Draw the closest train/test pairs of every setup as dots on its line."""
    setups = list(dict.fromkeys(pair.setup for pair in record.pairs))
    dots: Part = {
        "type": "scatter",
        "x": [pair.similarity for pair in record.pairs],
        "y": [setups.index(pair.setup) for pair in record.pairs],
        "mode": "markers",
        "marker": {
            "size": 12,
            "opacity": 0.75,
            "color": [BLUE if pair.sampler == "hits" else ORANGE for pair in record.pairs],
            "symbol": ["circle" if pair.sampler == "hits" else "square" for pair in record.pairs],
        },
        "customdata": [f"{plain(pair.train)} (train) and {plain(pair.test)} (test)" for pair in record.pairs],
        "hovertemplate": "%{customdata}: %{x:.3f}<extra></extra>",
    }
    return go.Figure(
        data=[dots],
        layout=layout(
            height=80 + 36 * len(setups),
            xaxis=axis(f"{similarity_name(kind)} of a training and a test topic"),
            yaxis=axis(
                tickvals=list(range(len(setups))), ticktext=[plain(name) for name in setups], autorange="reversed"
            ),
        ),
    )


def _line(name: str, x: Sequence[int], y: Floats, look: Part, symbol: str, keyed: bool = True) -> Part:
    return {
        "type": "scatter",
        "x": list(x),
        "y": y,
        "mode": "lines+markers",
        "name": name,
        "legendgroup": name,
        "showlegend": keyed,
        "line": look,
        "marker": {"symbol": symbol, "size": 8},
        "hovertemplate": "m = %{x}: %{y:.3f}<extra>" + name + "</extra>",
    }


def _share(**more: Any) -> Part:
    return share_axis("documents kept", ticks=FIFTHS, **more)


def heads(*texts: str) -> list[Part]:
    """Return a title over each of one or two panels."""
    at = (0.24, 0.76) if len(texts) == 2 else (0.5,)
    above = {"y": 1.0, "xref": "paper", "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return [{"text": text, "x": x, **above} for text, x in zip(texts, at, strict=True)]
