"""The experiments: similarity and stability against m, what merging costs, the closest pairs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..studies import AVERAGE, ClosestAcross, EncoderComparison, PolicyComparison, SimilarityAgainstM, StabilityAgainstM
from .style import (
    BLUE,
    GREY,
    ORANGE,
    PALE_ORANGE,
    SEQUENTIAL,
    Part,
    axis,
    colour_and_symbol,
    layout,
    line,
    plain,
    upright,
)

_TALL_KEY: Part = {
    "margin": {"l": 8, "r": 8, "t": 64, "b": 8},
    "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.1, "x": 0},
}


def similarity_curves(record: SimilarityAgainstM, m: int | None = None) -> go.Figure:
    """Mean (left) and max (right) train/test similarity against m: HITS over the range of the random samples."""
    here = [] if m is None else [upright(m, line(GREY, dash="dot", width=1), xref=ref) for ref in ("x", "x2")]
    return go.Figure(
        data=[*_curves(record, "mean", panel="", keyed=True), *_curves(record, "max", panel="2", keyed=False)],
        layout=layout(
            height=340,
            keyed=True,
            xaxis=axis("m, topics kept", domain=[0, 0.48]),
            xaxis2=axis("m, topics kept", domain=[0.52, 1], anchor="y2"),
            yaxis=axis("train/test similarity"),
            yaxis2=axis(anchor="x2", matches="y", showticklabels=False),
            annotations=heads("mean over pairs", "closest pair"),
            hovermode="x",
            shapes=here,
            **_TALL_KEY,
        ),
    )


def _curves(record: SimilarityAgainstM, what: str, *, panel: str, keyed: bool) -> list[Part]:
    place = {"type": "scatter", "xaxis": f"x{panel}", "yaxis": f"y{panel}"}
    parts: list[Part] = []
    if len(record.random_mean):
        low, high = ([row[f"{what}, random, {end}"] for row in record.table] for end in ("lowest", "highest"))
        parts.append(
            {
                "x": [*record.m, *record.m[::-1]],
                "y": [*high, *low[::-1]],
                "fill": "toself",
                "fillcolor": PALE_ORANGE,
                "line": {"width": 0},
                "mode": "lines",
                "hoverinfo": "skip",
                "name": "random, lowest to highest",
                "legendgroup": "range",
                "showlegend": keyed,
            }
        )
        means = [row[f"{what}, random"] for row in record.table]
        parts.append(_line("random, mean", record.m, means, line(ORANGE, dash="dash"), "square", keyed))
    hits = record.hits_mean if what == "mean" else record.hits_max
    parts.append(_line("HITS", record.m, hits, line(BLUE, width=3), "circle", keyed))
    return [place | part for part in parts]


def stability_curves(record: StabilityAgainstM, metric: str = AVERAGE) -> go.Figure:
    """Ranking stability by one metric against m: HITS, every random sample, and their mean."""
    keys = [*record.labels, AVERAGE]
    place = keys.index(metric)
    label = record.labels.get(metric, AVERAGE)
    seeds = record.random.shape[1]
    means = [row[label] for row in record.table if row["setup"] != "HITS"]
    parts: list[Part] = []
    if seeds:
        parts += [
            {
                "type": "scatter",
                "x": np.repeat(record.m, seeds),
                "y": record.random[:, :, place].ravel(),
                "mode": "markers",
                "marker": {"color": ORANGE, "opacity": 0.45, "symbol": "square-open", "size": 8},
                "name": "random, each sample",
                "hovertemplate": "m = %{x}: %{y:.3f}<extra>one random sample</extra>",
            },
            {"type": "scatter"} | _line("random, mean", record.m, means, line(ORANGE, dash="dash"), "square", True),
        ]
    parts.append(
        {"type": "scatter"} | _line("HITS", record.m, record.hits[:, place], line(BLUE, width=3), "circle", True)
    )
    return go.Figure(
        data=parts,
        layout=layout(
            height=340,
            keyed=True,
            xaxis=axis("m, topics kept", tickvals=list(record.m)),
            yaxis=axis(f"stability of the ranking, {plain(label)}", range=[None, 1.05]),
        ),
    )


def policy_trade(record: PolicyComparison) -> go.Figure:
    """What merging buys and costs: documents kept against the closest pair's similarity and, where known, stability."""
    ranked = bool(record.labels)
    share = [row["share of documents"] for row in record.table]
    panels = [("", "max similarity")] + ([("2", AVERAGE)] if ranked else [])
    points: list[Part] = []
    # Policies that come to the same lie on one point: each is drawn smaller than the one below it.
    for panel, what in panels:
        for place, row in enumerate(record.table):
            colour, _ = colour_and_symbol(place)
            points.append(
                {
                    "type": "scatter",
                    "xaxis": f"x{panel}",
                    "yaxis": f"y{panel}",
                    "x": [share[place]],
                    "y": [row[what]],
                    "mode": "markers",
                    "marker": {
                        "color": colour,
                        "symbol": colour_and_symbol(8 * place)[1],
                        "size": max(8, 20 - 3 * place),
                    },
                    "name": plain(str(row["policy"])),
                    "legendgroup": str(place),
                    "showlegend": not panel,
                    "customdata": [[row["documents"], row["topics merged"], row["topics dropped"]]],
                    "hovertemplate": f"{plain(str(row['policy']))}: %{{y:.3f}}<br>%{{customdata[0]}} documents, "
                    "%{customdata[1]} topics merged, %{customdata[2]} dropped<extra></extra>",
                }
            )
    axes: dict[str, Any] = {"xaxis": _share(domain=[0, 0.48] if ranked else [0, 1]), "yaxis": axis()}
    titles = ("closest train/test pair", "stability of the ranking") if ranked else ("closest train/test pair",)
    if ranked:
        lowest = float(np.nanmin([0.0, *(row[AVERAGE] for row in record.table)]))
        axes |= {"xaxis2": _share(domain=[0.56, 1], anchor="y2")}
        axes |= {"yaxis2": axis(anchor="x2", range=[lowest - 0.05, 1.05])}
    return go.Figure(
        data=points, layout=layout(height=360, keyed=True, annotations=heads(*titles), **axes, **_TALL_KEY)
    )


def closest_pairs(record: ClosestAcross) -> go.Figure:
    """The closest train/test pairs of every setup as dots on its line."""
    setups = list(dict.fromkeys(str(row["setup"]) for row in record.table))
    dots: Part = {
        "type": "scatter",
        "x": [row["similarity"] for row in record.table],
        "y": [setups.index(str(row["setup"])) for row in record.table],
        "mode": "markers",
        "marker": {
            "size": 12,
            "opacity": 0.75,
            "color": [BLUE if row["setup"] == "HITS" else ORANGE for row in record.table],
            "symbol": ["circle" if row["setup"] == "HITS" else "square" for row in record.table],
        },
        "customdata": [
            f"{plain(str(row['train topic']))} (train) and {plain(str(row['test topic']))} (test)"
            for row in record.table
        ],
        "hovertemplate": "%{customdata}: %{x:.3f}<extra></extra>",
    }
    return go.Figure(
        data=[dots],
        layout=layout(
            height=80 + 36 * len(setups),
            xaxis=axis("similarity of a training and a test topic"),
            yaxis=axis(
                tickvals=list(range(len(setups))), ticktext=[plain(name) for name in setups], autorange="reversed"
            ),
        ),
    )


def _line(name: str, x: Sequence[int], y: Any, look: Part, symbol: str, keyed: bool) -> Part:
    return {
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
    return axis("documents kept", tickformat=".0%", **more)


def heads(*texts: str) -> list[Part]:
    """A title over each of one or two panels."""
    at = (0.24, 0.76) if len(texts) == 2 else (0.5,)
    above = {"y": 1.0, "xref": "paper", "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return [{"text": text, "x": x, **above} for text, x in zip(texts, at, strict=True)]


def encoder_overlap(record: EncoderComparison) -> go.Figure:
    """Topics two encoders both keep (left), and how far the orders of their whole paths agree (right)."""
    names = [plain(name) for name in record.names]
    grids = [
        {
            "type": "heatmap",
            "x": names,
            "y": names,
            "z": values,
            "zmin": low,
            "zmax": 1,
            "colorscale": SEQUENTIAL,
            "showscale": False,
            "texttemplate": "%{z:.2f}",
            "xaxis": f"x{panel}",
            "yaxis": f"y{panel}",
            "xgap": 2,
            "ygap": 2,
            "hovertemplate": "%{y} and %{x}: %{z:.3f}<extra></extra>",
        }
        for panel, values, low in (("", record.jaccard, 0), ("2", record.agreement, -1))
    ]
    return go.Figure(
        data=grids,
        layout=layout(
            height=120 + 48 * len(names),
            xaxis=axis(domain=[0, 0.48]),
            xaxis2=axis(domain=[0.52, 1], anchor="y2"),
            yaxis=axis(autorange="reversed"),
            yaxis2=axis(anchor="x2", autorange="reversed", showticklabels=False),
            annotations=heads(f"topics shared (by chance {record.chance:.2f})", "agreement of paths, ρ"),
            margin={"l": 8, "r": 8, "t": 36, "b": 8},
        ),
    )


def encoder_similarity(record: EncoderComparison) -> go.Figure:
    """Each encoder's selection measured in the reference space: mean and closest pair, random samples as lines."""
    home = record.names.index(record.reference)
    names = [plain(name) for name in record.names]
    bars = [
        {
            "type": "bar",
            "x": names,
            "y": values[:-1, home],
            "name": what,
            "marker": {"color": colour, "pattern": {"shape": pattern}},
            "text": [f"{value:.2f}" for value in values[:-1, home]],
            "textposition": "outside",
            "hovertemplate": "%{x}: %{y:.3f}<extra>" + what + "</extra>",
        }
        for what, values, colour, pattern in (
            ("mean over pairs", record.mean, BLUE, ""),
            ("closest pair", record.max, ORANGE, "/"),
        )
    ]
    lines = [
        {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": values[-1, home],
            "y1": values[-1, home],
            "line": look,
        }
        for values, look in ((record.mean, line(BLUE, dash="dot")), (record.max, line(ORANGE, dash="dot")))
        if np.isfinite(values[-1, home])
    ]
    return go.Figure(
        data=bars,
        layout=layout(
            height=340,
            keyed=True,
            barmode="group",
            shapes=lines,
            xaxis=axis("encoder HITS used"),
            yaxis=axis(f"train/test similarity in the space of {plain(record.reference)}"),
        ),
    )
