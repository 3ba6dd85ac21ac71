"""Encoders: how far their selections agree, and how alike they are in one space."""

import numpy as np
import plotly.graph_objects as go

from core.experiments import EncoderComparison
from core.plots.experiments import heads
from core.plots.style import BLUE, ORANGE, SEQUENTIAL, axis, layout, line, plain


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
