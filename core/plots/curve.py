"""The leakage curve: accuracy against the most similar training topic; the forecast, which is read off it."""

from collections.abc import Mapping, Sequence
from math import isnan

import numpy as np
import plotly.graph_objects as go

from ..evaluation import CONTROLS, CurvePlan, CurveSummary, Forecast, ForecastSummary, ModelCurve
from ..formats import percent
from .style import (
    BLUE,
    COLOURS,
    FIFTHS,
    GREY,
    ORANGE,
    SYMBOLS,
    Part,
    axis,
    by_model,
    layout,
    line,
    plain,
    plain_names,
    share_axis,
    similarity_name,
    ticks_up_to,
    upright,
    whiskers,
)

BAND = 0.16  # opacity
MOST_TOPICS = 60  # in the chart of differences


def curve(summary: CurveSummary, *, labels: Mapping[str, str], threshold: float, kind: str) -> go.Figure:
    """Draw a line with a band per model, controls dashed; where the effect starts and the near-twin threshold are marked."""
    x, parts = summary.similarity, list[Part]()
    for index, (name, found) in enumerate(summary.models.items()):
        colour, symbol = COLOURS[index % len(COLOURS)], SYMBOLS[index % len(SYMBOLS)]
        label = plain(labels[name])
        if not np.isnan(found.low).any():
            band = {"x": np.concatenate([x, x[::-1]]), "y": np.concatenate([found.high, found.low[::-1]])}
            look = {"fill": "toself", "fillcolor": _faint(colour), "line": {"width": 0}, "mode": "lines"}
            parts.append({"type": "scatter", **band, **look, "hoverinfo": "skip", "showlegend": False})
        parts.append(
            {
                "type": "scatter",
                "name": label,
                "x": x,
                "y": found.scores,
                "mode": "lines+markers",
                "line": line(colour, dash="dash" if name in CONTROLS else "solid"),
                "marker": {"color": colour, "symbol": symbol, "size": 9},
                "customdata": [percent(score) for score in found.scores],
                "hovertemplate": f"{label}: %{{customdata}}, most similar topic at %{{x:.2f}}<extra></extra>",
            }
        )
    marks = [(summary.starts_at, "effect starts →", "dot"), (threshold, "near twins →", "dash")]
    seen = [(value, words, dash) for value, words, dash in marks if not isnan(value) and value < 1]
    tops = [np.nanmax([*found.scores, *found.high]) for found in summary.models.values()]
    top = min(1.04, 1.1 * float(np.nanmax(tops, initial=0.1)))
    return go.Figure(
        data=parts,
        layout=layout(
            height=420,
            keyed=True,
            alt="Accuracy of each model against the similarity of the most similar topic allowed in training",
            shapes=[upright(value, line(GREY, dash=dash)) for value, _, dash in seen],
            annotations=[
                {
                    "x": value,
                    "y": 0.02 + 0.07 * row,
                    "yref": "paper",
                    "yanchor": "bottom",
                    "xanchor": "left",
                    "text": words,
                    "showarrow": False,
                }
                for row, (value, words, _) in enumerate(seen)
            ],
            margin={"l": 8, "r": 8, "t": 60, "b": 8},
            xaxis=axis(f"{similarity_name(kind)}<br>of the most similar training topic"),
            yaxis=share_axis("accuracy", ticks=ticks_up_to(top), range=[0, top]),
        ),
    )


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{BAND})"


def differences(found: ModelCurve, plan: CurvePlan, *, names: Sequence[str], label: str) -> go.Figure:
    """Draw a row a test topic, the largest gain on top: accuracy without its most similar topics, and with them."""
    order = np.argsort(np.nan_to_num(found.cost.values, nan=-np.inf), kind="stable")[-MOST_TOPICS:]
    topics = [names[plan.topics[row]] for row in order.tolist()]
    rows, far, near = np.arange(len(order)), found.by_topic[order, -1], found.by_topic[order, 0]
    ends = [
        {
            "type": "scatter",
            "x": values,
            "y": rows,
            "mode": "markers",
            "name": name,
            "marker": {"color": colour, "symbol": symbol, "size": 10},
            "text": [
                f"{plain(topic)}: {percent(value)} {name} (most similar at {plan.nearest[row, level]:.2f})"
                for topic, value, row in zip(topics, values, order, strict=True)
            ],
            "customdata": [[int(plan.topics[row])] for row in order],
            "hovertemplate": f"%{{text}}<extra>{plain(label)}</extra>",
        }
        for values, name, colour, symbol, level in (
            (far, "without similar topics", BLUE, "circle-open", -1),
            (near, "with them", ORANGE, "circle", 0),
        )
    ]
    joined = {
        "type": "scatter",
        "x": np.stack([far, near, np.full(len(order), np.nan)], axis=1).ravel(),
        "y": np.repeat(rows, 3),
        "mode": "lines",
        "line": line(GREY),
        "hoverinfo": "skip",
        "showlegend": False,
    }
    return go.Figure(
        data=[joined, *ends],
        layout=layout(
            height=90 + 19 * len(order),
            keyed=True,
            alt=f"Accuracy of {label} on each test topic with and without the most similar training topics",
            xaxis=share_axis("accuracy", ticks=FIFTHS),
            yaxis=axis(tickvals=rows, ticktext=plain_names(topics), range=[-0.7, len(order) - 0.3]),
        ),
    )


ROWS = (("random", "random split", GREY), ("topic_kfold", "topic k-fold", BLUE), ("expected", "on new topics", ORANGE))
GROUP = len(ROWS) + 1  # rows of a model: its name, and a bar each
ROW = 30  # pixels


def forecast_height(models: int) -> int:
    """Return the height of both figures of a forecast, which stand side by side."""
    return max(360, 60 + ROW * GROUP * models)


def promises(models: Mapping[str, Forecast]) -> go.Figure:
    """Draw three bars a model, by its label: what a random split and topic k-fold promise, and what to expect."""
    parts, ticks, notes = list[Part](), dict[int, str](), list[Part]()
    for number, (label, found) in enumerate(models.items()):
        top = number * GROUP
        ticks[top] = f"<b>{plain(label, 20)}</b>"
        for row, (name, words, colour) in enumerate(ROWS, start=top + 1):
            value = getattr(found, name)
            ticks[row] = words
            bar = {
                "type": "bar",
                "orientation": "h",
                "x": [value],
                "y": [row],
                "width": 0.7,
                "marker": {"color": colour},
            }
            told, end = percent(value), value
            if name == "expected" and not isnan(found.low):
                bar["error_x"] = whiskers([value], [found.low], [found.high])
                told, end = f"{told} ({100 * found.low:.0f}–{100 * found.high:.0f})", found.high
            parts.append(bar | {"hovertemplate": f"{plain(label)}, {words}: {told}<extra></extra>"})
            if not isnan(value):
                notes.append({"x": end, "y": row, "text": told, "xanchor": "left", "xshift": 4, "showarrow": False})
    return go.Figure(
        data=parts,
        layout=layout(
            height=forecast_height(len(models)),
            alt="Accuracy that a random split and topic k-fold promise, and what to expect on new topics, for each model",
            annotations=notes,
            xaxis=share_axis("accuracy", ticks=FIFTHS, range=[0, 1.4]),
            yaxis=axis(
                tickvals=list(ticks),
                ticktext=list(ticks.values()),
                range=[len(models) * GROUP - 0.4, -0.6],
                showgrid=False,
            ),
        ),
    )


def regression(summary: ForecastSummary, models: Mapping[str, Forecast], *, kind: str) -> go.Figure:
    """Draw every topic's accuracy against its nearest training topic, under both splits, with the line and the target."""
    parts = list[Part]()
    ends = np.array(summary.observed)
    for index, (label, found) in enumerate(models.items()):
        parts.append(by_model(index, label, found.x, found.y, mode="markers", size=6, opacity=0.55, hoverinfo="skip"))
        values = np.clip(found.intercept + found.slope * ends, 0, 1)
        drawn = by_model(index, label, ends, values, mode="lines", hoverinfo="skip", showlegend=False)
        parts.append(drawn)
    points = np.concatenate([found.y for found in models.values()]) if models else np.zeros(0)
    crowded = np.nanmean(points) < 0.5 if np.isfinite(points).any() else False  # at the bottom
    return go.Figure(
        data=parts,
        layout=layout(
            height=forecast_height(len(models)),
            keyed=True,
            alt="Accuracy on each topic against its most similar training topic, with the line that the forecast is read off",
            shapes=[upright(summary.target, line(ORANGE, dash="dash"))],
            annotations=[
                {
                    "x": summary.target,
                    "y": 0.98 if crowded else 0.02,
                    "yref": "paper",
                    "yanchor": "top" if crowded else "bottom",
                    "xanchor": "left",
                    "text": "new topics",
                    "showarrow": False,
                }
            ],
            xaxis=axis(f"{similarity_name(kind)}<br>of the most similar training topic"),
            yaxis=share_axis("accuracy", ticks=FIFTHS, range=[0, 1.04]),
        ),
    )
