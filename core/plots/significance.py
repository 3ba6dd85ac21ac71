"""Significance: differences topic by topic, all pairs of systems, and what a number of topics can show."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats
from ..formats import number, percent
from ..models.categorization import FrequencyCurve
from ..statistics import Comparison
from .style import BLUE, GREY, ORANGE, Part, axis, by_model, flat, layout, line, plain, plain_names, share_axis, upright

MOST_BARS = 40  # rows: as many of the largest differences on either side
NEUTRAL = "#C9CDD3"  # opaque: plotly takes what shines through for white, and writes black on a dark page
MIRROR = {"»": "«", ">": "<", "~": "~", "<": ">", "«": "»", "=": "="}
ON_COLOUR = "#10141A"  # 4.5 to 1 and more on any of the colours
STRENGTH = {"»": 1.0, ">": 0.6, "~": 0.0, "<": -0.6, "«": -1.0, "=": 0.0}


def differences(rows: Sequence[str], d: Floats, sizes: Sequence[int] | None, *, a: str, b: str) -> go.Figure:
    """Draw a − b row by row, the largest on top; a bar's depth of colour is the size of its topic."""
    order = np.argsort(-d, kind="stable")
    if len(order) > MOST_BARS:
        order = np.concatenate([order[: MOST_BARS // 2], order[-MOST_BARS // 2 :]])
    weight = np.ones(len(d)) if sizes is None else np.asarray(sizes) / max(sizes)
    names = plain_names([rows[index] for index in order], 24)
    counts = ["" if sizes is None else f" ({sizes[index]})" for index in order]
    labels = [name + count for name, count in zip(names, counts, strict=True)]
    bars = {
        "type": "bar",
        "x": d[order],
        "y": np.arange(len(order)),
        "orientation": "h",
        "marker": {
            "color": np.where(d[order] >= 0, BLUE, ORANGE),
            "opacity": 0.35 + 0.65 * weight[order],
        },
        "text": [number(value, "+.3f") if value else "0" for value in d[order]],
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": labels,
        "hovertemplate": "%{customdata}<br>%{x:+.3f}<extra></extra>",
    }
    reach = float(np.abs(d).max(initial=0.01))
    low, high = (
        (end + sign * 0.6 * reach) if sign * end > 0 else sign * 0.12 * reach
        for end, sign in ((float(d.min(initial=0.0)), -1), (float(d.max(initial=0.0)), 1))
    )
    ahead = [(b, "← {}", "left")] if (d < 0).any() else []
    ahead += [(a, "{} →", "right")] if (d > 0).any() else []
    return go.Figure(
        data=[bars],
        layout=layout(
            alt="Difference between the two systems on every row",
            height=max(220, 90 + 22 * len(order)),
            shapes=[upright(0, line(GREY, width=1))],
            annotations=[
                {
                    "x": 0 if side == "left" else 1,
                    "xref": "paper",
                    "y": 1.0,
                    "yref": "paper",
                    "yanchor": "bottom",
                    "xanchor": side,
                    "text": words.format(plain(name, 16)),
                    "showarrow": False,
                }
                for name, words, side in ahead
            ],
            margin={"l": 8, "r": 8, "t": 30, "b": 8},
            xaxis=axis(range=[low, high]),
            yaxis=axis(tickvals=np.arange(len(order)), ticktext=labels, autorange="reversed", showgrid=False),
        ),
    )


def pair_matrix(systems: Sequence[str], comparisons: Sequence[Comparison], test: str) -> go.Figure:
    """Draw each system (row) against each other (column): the verdict sign and Holm's p."""
    index = {system: position for position, system in enumerate(systems)}
    strength = np.full((len(systems), len(systems)), np.nan)
    text = [["" for _ in systems] for _ in systems]
    for pair in comparisons:
        i, j = index[pair.a], index[pair.b]
        p, sign = pair.adjusted[test], pair.verdicts[test]
        if p is None or sign is None:
            text[i][j] = text[j][i] = "n/a"
            strength[i, j] = strength[j, i] = 0.0
            continue
        shown = "p < .001" if p < 0.001 else f"p {p:.3f}"
        for row, column, mark in ((i, j, sign), (j, i, MIRROR[sign])):
            strength[row, column] = STRENGTH[mark]
            text[row][column] = f"<b>{mark}</b><br>{shown}"
    labels = plain_names(systems, 22)
    cells = {
        "type": "heatmap",
        "z": strength,
        "text": text,
        "texttemplate": "%{text}",
        "textfont": {"color": ON_COLOUR},
        "colorscale": [[0, ORANGE], [0.5, NEUTRAL], [1, BLUE]],
        "zmin": -1,
        "zmax": 1,
        "showscale": False,
        "hoverinfo": "skip",
        "xgap": 2,
        "ygap": 2,
    }
    return go.Figure(
        data=[cells],
        layout=layout(
            alt="Verdict for every pair of systems",
            height=110 + 62 * len(systems),
            xaxis=axis(tickvals=list(range(len(systems))), ticktext=labels, side="top", showgrid=False),
            yaxis=axis(tickvals=list(range(len(systems))), ticktext=labels, autorange="reversed", showgrid=False),
        ),
    )


def power_curve(topics: Sequence[int], powers: Floats, now: int, target: float) -> go.Figure:
    """Draw how often a true difference is found, by the number of topics; now and target are marked."""
    curve = {
        "type": "scatter",
        "x": list(topics),
        "y": powers,
        "mode": "lines",
        "line": line(BLUE, width=3),
        "customdata": [percent(power) for power in powers],
        "hovertemplate": "%{x} topics: found in %{customdata} of studies<extra></extra>",
    }
    note = {"x": now, "y": 1.0, "yref": "paper", "text": "now", "showarrow": False, "xanchor": "left", "xshift": 4}
    return go.Figure(
        data=[curve],
        layout=layout(
            alt="Power against the number of rows",
            height=300,
            shapes=[flat(target, line(GREY, dash="dot")), upright(now, line(ORANGE, dash="dash"))],
            annotations=[note],
            xaxis=axis("topics"),
            yaxis=share_axis("power", range=[0, 1.03]),
        ),
    )


def f1_by_frequency(curve: FrequencyCurve, labels: Mapping[str, str]) -> go.Figure:
    """Draw mean F1 of the categories in each interval of training-set frequency, a line a model (their figures 4 and 5)."""
    centres = (curve.edges[:-1] + curve.edges[1:]) / 2
    lines: list[Part] = []
    for index, (name, values) in enumerate(curve.f1.items()):
        told = (
            "about %{x:.0f} training documents: F1 %{y:.3f} over %{customdata} categories"
            f"<extra>{plain(labels[name])}</extra>"
        )
        given: Part = {"connectgaps": False, "customdata": curve.categories, "hovertemplate": told}
        lines.append(by_model(index, labels[name], centres, values, **given))
    return go.Figure(
        data=lines,
        layout=layout(
            alt="F1 against the number of training documents of a category",
            height=340,
            keyed=True,
            xaxis=axis("training documents of a category"),
            yaxis=axis("mean F1", range=[0, 1.03]),
        ),
    )
