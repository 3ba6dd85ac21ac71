"""Trust lab: how often a test rejects, against what it should; and the three variances of the theorems."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from .style import BLUE, GREY, ORANGE, RED, Part, axis, layout, line, model_mark, plain

LEVEL = 0.05


def rejection_rates(
    curves: Mapping[str, Sequence[tuple[float, float, float, float]]],
    *,
    across: str,
    percent: bool,
    level: float | None = LEVEL,
) -> go.Figure:
    """Rejection rate with its Monte-Carlo interval for each scheme: points (x, rate, low, high)."""
    traces: list[Part] = [
        {
            "type": "scatter",
            "x": [x for x, *_ in points],
            "y": [rate for _, rate, _, _ in points],
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [high - rate for _, rate, _, high in points],
                "arrayminus": [rate - low for _, rate, low, _ in points],
                "thickness": 1.5,
            },
            "mode": "lines+markers",
            "name": plain(name),
            "line": line(model_mark(place)[0], width=2),
            "marker": {"size": 9, "symbol": model_mark(place)[1]},
            "hovertemplate": "%{x:.2f}: rejects %{y:.3f}<extra>" + plain(name) + "</extra>",
        }
        for place, (name, points) in enumerate(curves.items())
    ]
    shapes: list[Part] = []
    notes: list[Part] = []
    if level is not None:
        shapes.append(
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": level,
                "y1": level,
                "line": line(RED, dash="dash"),
            }
        )
        notes.append(
            {
                "xref": "paper",
                "x": 0,
                "y": level,
                "text": "what it should be",
                "showarrow": False,
                "yshift": -9,
                "xanchor": "left",
            }
        )
    return go.Figure(
        data=traces,
        layout=layout(
            height=360,
            keyed=True,
            shapes=shapes,
            annotations=notes,
            xaxis=axis(across, tickformat=".0%" if percent else None),
            yaxis=axis("share of trials in which it rejects", rangemode="tozero"),
        ),
    )


def variances(true: float, naive: float, observed: float) -> go.Figure:
    """The true variance of the mean error, what independence would give, and what overlapping samples show."""
    names = ["true variance, with correlated errors", "if errors were independent", "what overlapping samples show"]
    values = [true, naive, observed]
    bars: Part = {
        "type": "bar",
        "x": values,
        "y": names,
        "orientation": "h",
        "marker": {"color": [BLUE, GREY, ORANGE]},
        "text": [f"{value:.3g}" for value in values],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{y}: %{x:.6g}<extra></extra>",
    }
    return go.Figure(
        data=[bars],
        layout=layout(
            height=220,
            xaxis=axis("variance of the mean error", range=[0, 1.25 * max(values)]),
            yaxis=axis(autorange="reversed"),
        ),
    )
