"""The forecast: what splits promise beside what to expect, and the line it is read off."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from ..evaluation import Forecast, ForecastSummary
from ..formats import percent
from .style import (
    BLUE,
    FIFTHS,
    GREY,
    ORANGE,
    Part,
    axis,
    by_model,
    layout,
    line,
    plain,
    share_axis,
    similarity_name,
    upright,
    whiskers,
)

BARS = {"random": ("random split promises", GREY), "topic_kfold": ("topic k-fold promises", BLUE)}


def promises(models: Mapping[str, Forecast]) -> go.Figure:
    """Draw three bars a model, by its label: what a random split and topic k-fold promise, and what to expect."""
    labels, found = [plain(label) for label in models], list(models.values())
    bars = [
        _bar(labels, [getattr(each, name) for each in found], words, colour) for name, (words, colour) in BARS.items()
    ]
    expected = np.array([each.expected for each in found])
    low, high = (np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
    last = _bar(labels, expected, "expect on new topics", ORANGE)
    if not np.isnan(low).all():
        last["error_y"] = whiskers(
            expected, np.where(np.isnan(low), expected, low), np.where(np.isnan(high), expected, high)
        )
    return go.Figure(
        data=[*bars, last],
        layout=layout(
            height=360,
            keyed=True,
            alt="Accuracy that a random split and topic k-fold promise, and what to expect on new topics, for each model",
            barmode="group",
            xaxis=axis(),
            yaxis=share_axis("accuracy", ticks=FIFTHS, range=[0, 1.04]),
        ),
    )


def _bar(labels: list[str], values: "np.ndarray | list[float]", name: str, colour: str) -> Part:
    texts = [percent(float(value)) for value in values]
    return {
        "type": "bar",
        "x": labels,
        "y": values,
        "name": name,
        "marker": {"color": colour},
        "text": texts,
        "textposition": "inside",
        "insidetextanchor": "start",
        "hovertemplate": f"%{{x}}: %{{text}} {name}<extra></extra>",
    }


def regression(summary: ForecastSummary, models: Mapping[str, Forecast], *, kind: str) -> go.Figure:
    """Draw every topic's accuracy against its nearest training topic, under both splits, with the line and the target."""
    parts = list[Part]()
    ends = np.array(summary.observed)
    for index, (label, found) in enumerate(models.items()):
        parts.append(by_model(index, label, found.x, found.y, mode="markers", size=6, opacity=0.55, hoverinfo="skip"))
        values = np.clip(found.intercept + found.slope * ends, 0, 1)
        drawn = by_model(index, label, ends, values, mode="lines", hoverinfo="skip", showlegend=False)
        parts.append(drawn)
    return go.Figure(
        data=parts,
        layout=layout(
            height=360,
            keyed=True,
            alt="Accuracy on each topic against its most similar training topic, with the line that the forecast is read off",
            shapes=[upright(summary.target, line(ORANGE, dash="dash"))],
            annotations=[
                {
                    "x": summary.target,
                    "y": 0.02,
                    "yref": "paper",
                    "yanchor": "bottom",
                    "xanchor": "left",
                    "text": "new topics",
                    "showarrow": False,
                }
            ],
            xaxis=axis(f"{similarity_name(kind)} of the most similar training topic"),
            yaxis=share_axis("accuracy", ticks=FIFTHS, range=[0, 1.04]),
        ),
    )
