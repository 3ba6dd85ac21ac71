"""The experiment on encoders: how far their selections agree, and what each comes to in one space."""

import numpy as np
import plotly.graph_objects as go

from ..papers.hits_2024 import EncoderComparison
from .hits_experiments import heads
from .style import BLUE, ORANGE, SEQUENTIAL, Part, axis, cell_numbers, layout, line, plain, shades, similarity_name


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
