"""HITS on paper: similarity at every m beside chance, the path with how certain each choice is, and the experiments.

On the page the browser draws the first two for every m by itself (pages/parts/hits_view).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats, Ints
from ..formats import percent
from ..papers.hits_2024 import (
    AVERAGE,
    ClosestAcross,
    EncoderComparison,
    PolicyComparison,
    SimilarityAgainstM,
    SimilarityCurve,
    StabilityAgainstM,
)
from ..topics import RandomBand, TopicPath
from .style import (
    BLUE,
    FIFTHS,
    GREY,
    ORANGE,
    PALE_ORANGE,
    RED,
    SEQUENTIAL,
    Part,
    axis,
    cell_numbers,
    colour_and_symbol,
    flat,
    layout,
    line,
    plain,
    plain_names,
    shades,
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
        _line_trace("random samples, middle", sizes, middle, line(ORANGE, dash="dash")),
        _line_trace("HITS", sizes, path.max[1 : path.comparable], line(BLUE, width=3)),
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
                _annotation(f"m = {m}", x=m, xanchor="right" if m > path.comparable / 2 else "left", y=0, yref="paper"),
                _annotation("near twins", x=0, xref="paper", xanchor="left", y=twin_threshold),
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


def _line_trace(name: str, x: Ints, y: Floats, look: Part) -> Part:
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": look}


def _annotation(text: str, **where: Any) -> Part:
    return {"text": text, "showarrow": False, "yanchor": "bottom", **where}


_HITS, _RANDOM = line(BLUE, width=3), line(ORANGE, dash="dash")
_TALL_KEY: Part = {
    "margin": {"l": 8, "r": 8, "t": 64, "b": 8},
    "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.1, "x": 0},
}


def similarity_curves(record: SimilarityAgainstM, m: int | None = None, *, kind: str) -> go.Figure:
    """Draw mean (left) and max (right) train/test similarity against m: HITS over the range of the random samples."""
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
        parts.append(_marked_line("random, mean", m, curve.random.mean(axis=0), _RANDOM, "square", keyed))
    parts.append(_marked_line("HITS", m, curve.hits, _HITS, "circle", keyed))
    return [{**part, "xaxis": f"x{panel}", "yaxis": f"y{panel}"} for part in parts]


def stability_curves(record: StabilityAgainstM, metric: str = AVERAGE) -> go.Figure:
    """Draw ranking stability by one metric against m: HITS, every random sample, and their mean."""
    column = [*record.labels, AVERAGE].index(metric)
    label = record.labels.get(metric, AVERAGE)
    seeds = record.random.shape[1]
    parts: list[Part] = []
    if seeds:
        each: Part = {"x": np.repeat(record.m, seeds), "y": record.random[:, :, column].ravel(), "mode": "markers"}
        each |= {"marker": {"color": ORANGE, "opacity": 0.45, "symbol": "square-open", "size": 8}}
        each |= {"hovertemplate": "m = %{x}: %{y:.3f}<extra>one random sample</extra>"}
        parts.append({"type": "scatter", "name": "random, each sample", **each})
        parts.append(_marked_line("random, mean", record.m, record.random_mean[:, column], _RANDOM, "square"))
    parts.append(_marked_line("HITS", record.m, record.hits[:, column], _HITS, "circle"))
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
        axes: Part = {
            "xaxis": _documents_axis(domain=[0, 1]),
            "yaxis": named,
            "annotations": heads("closest train/test pair"),
        }
        return go.Figure(data=points, layout=layout(height=360, keyed=True, **axes, **_TALL_KEY))
    averages = [outcome.stability[AVERAGE] for outcome in record.policies]
    points += _policy_points(record, averages, panel="2")
    lowest = float(np.nanmin([0.0, *averages]))
    axes = {
        "xaxis": _documents_axis(domain=[0, 0.48]),
        "yaxis": named,
        "xaxis2": _documents_axis(domain=[0.56, 1], anchor="y2"),
    }
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


def _marked_line(name: str, x: Sequence[int], y: Floats, look: Part, symbol: str, keyed: bool = True) -> Part:
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


def _documents_axis(**more: Any) -> Part:
    return share_axis("documents kept", ticks=FIFTHS, **more)


def heads(*texts: str) -> list[Part]:
    """Return a title over each of one or two panels."""
    at = (0.24, 0.76) if len(texts) == 2 else (0.5,)
    above = {"y": 1.0, "xref": "paper", "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return [{"text": text, "x": x, **above} for text, x in zip(texts, at, strict=True)]


def encoder_overlap(record: EncoderComparison) -> go.Figure:
    """Draw topics two encoders both keep (left), and how far the orders of their whole paths agree (right)."""
    names = [plain(name) for name in record.names]
    grids: list[Part] = []
    for panel, values, low in (("", record.jaccard, 0), ("2", record.agreement, -1)):
        share, where = (values - low) / (1 - low), {"xaxis": f"x{panel}", "yaxis": f"y{panel}"}
        text = [[f"{value:.2f}" for value in row] for row in values]
        look = {"zmin": 0, "zmax": 1, "colorscale": SEQUENTIAL, "showscale": False, "xgap": 2, "ygap": 2}
        cells = {"type": "heatmap", "x": names, "y": names, "z": shades(share), "customdata": values}
        told = {"hovertemplate": "%{y} and %{x}: %{customdata:.3f}<extra></extra>"}
        grids += [cells | look | told | where, cell_numbers(names, names, share, text) | where]
    return go.Figure(
        data=grids,
        layout=layout(
            height=120 + 48 * len(names),
            xaxis=axis(domain=[0, 0.48], range=[-0.5, len(names) - 0.5]),
            xaxis2=axis(domain=[0.52, 1], range=[-0.5, len(names) - 0.5], anchor="y2"),
            yaxis=axis(range=[len(names) - 0.5, -0.5]),
            yaxis2=axis(anchor="x2", range=[len(names) - 0.5, -0.5], showticklabels=False),
            annotations=heads(f"topics shared (by chance {record.chance:.2f})", "agreement of paths, ρ"),
            margin={"l": 8, "r": 8, "t": 36, "b": 8},
        ),
    )


def encoder_similarity(record: EncoderComparison, *, kind: str) -> go.Figure:
    """Draw each encoder's selection measured in the reference space: mean and closest pair, random samples as lines."""
    common = record.names.index(record.reference)
    names = [plain(name) for name in record.names]
    bars = [
        {
            "type": "bar",
            "x": names,
            "y": values[:-1, common],
            "name": what,
            "marker": {"color": colour, "pattern": {"shape": pattern}},
            "text": [f"{value:.2f}" for value in values[:-1, common]],
            "textposition": "outside",
            "hovertemplate": "%{x}: %{y:.3f}<extra>" + what + "</extra>",
        }
        for what, values, colour, pattern in (
            ("mean over pairs", record.mean, BLUE, ""),
            ("closest pair", record.max, ORANGE, "/"),
        )
    ]
    lines = [
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "line": look}
        | {"y0": values[-1, common], "y1": values[-1, common]}
        for values, look in ((record.mean, line(BLUE, dash="dot")), (record.max, line(ORANGE, dash="dot")))
        if np.isfinite(values[-1, common])
    ]
    return go.Figure(
        data=bars,
        layout=layout(
            height=340,
            keyed=True,
            barmode="group",
            shapes=lines,
            xaxis=axis("encoder HITS used"),
            yaxis=axis(f"{similarity_name(kind)}, train/test, by {plain(record.reference)}"),
        ),
    )
