"""Folds & accuracy: train/test similarity beside each model's accuracy on each test topic, and the one against the other."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Ints
from ..evaluation import ExposedTopic
from ..splits import Folds
from ..statistics import Relation
from ..topics import TopicSpace
from .style import GREY, ORANGE, SEQUENTIAL, Part, axis, click_layer, layout, line, model_mark, plain, similarity_name

MOST_NAMED = 80
FOCUS = "rgba(224,138,30,0.25)"


def similarity_beside_accuracy(
    space: TopicSpace,
    folds: Folds,
    rows: Sequence[ExposedTopic],
    columns: Ints,
    *,
    models: Mapping[str, str],
    metric: str,
    focus: int | None,
) -> go.Figure:
    """Left, every test topic against the training topics of its fold; right, each model's score on it, row by row."""
    height = max(320, 150 + 24 * len(rows))
    labels = [f"{plain(space.names[row.topic], 22)} · {row.largest_author_share:.0%}" for row in rows]
    ends = [len(rows) - 0.5, -0.5]
    named = len(columns) <= MOST_NAMED
    ticks = (
        {"tickvals": np.arange(len(rows)), "ticktext": labels} if len(rows) <= MOST_NAMED else {"showticklabels": False}
    )
    return go.Figure(
        data=[
            *_matrix(space, folds, rows, columns),
            *(_scores(rows, space, model, label, index) for index, (model, label) in enumerate(models.items())),
        ],
        layout=layout(
            height=height,
            keyed=True,
            xaxis=axis(
                "training topics",
                domain=[0, 0.56],
                range=[-0.5, len(columns) - 0.5],
                tickvals=np.arange(len(columns)),
                ticktext=[plain(space.names[topic], 18) for topic in columns],
                tickangle=-60,
                showgrid=False,
                showticklabels=named,
            ),
            xaxis2=axis(plain(metric), domain=[0.6, 1], range=_span(rows)),
            yaxis=axis("test topics · share of largest author", range=ends, showgrid=False, **ticks),
            yaxis2=axis(anchor="x2", matches="y", showticklabels=False, tickvals=np.arange(len(rows))),
            shapes=_highlight(rows, focus),
            legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 1.0, "xanchor": "right"},
        ),
    )


def _matrix(space: TopicSpace, folds: Folds, rows: Sequence[ExposedTopic], columns: Ints) -> list[Part]:
    values = np.full((len(rows), len(columns)), np.nan)
    for index, row in enumerate(rows):
        trained = np.isin(columns, folds.folds[row.fold].train_topics)
        values[index, trained] = space.similarity[row.topic, columns[trained]]
    cells = [(i, j) for i in range(len(rows)) for j in range(len(columns)) if np.isfinite(values[i, j])]
    heat: Part = {
        "type": "heatmap",
        "z": values,
        "colorscale": SEQUENTIAL,
        "zmin": float(np.nanmin([0.0, *values.ravel()])),
        "zmax": 1.0,
        "hoverinfo": "skip",
        "xgap": 1,
        "ygap": 1,
        "colorbar": {
            "title": {"text": similarity_name(space.kind), "side": "top"},
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.0,
            "yanchor": "bottom",
            "thickness": 8,
            "len": 0.3,
            "outlinewidth": 0,
        },
    }
    clicks = click_layer(
        cells,
        size=16,
        topics=[[rows[i].topic] for i, _ in cells],
        text=[
            f"test {plain(space.names[rows[i].topic])}<br>train {plain(space.names[columns[j]])}"
            f"<br>similarity {values[i, j]:.3f}"
            for i, j in cells
        ],
    )
    return [heat, clicks]


def _scores(rows: Sequence[ExposedTopic], space: TopicSpace, model: str, label: str, index: int) -> Part:
    known = [(i, row) for i, row in enumerate(rows) if np.isfinite(row.values[model])]
    return {
        "type": "scatter",
        "x": [row.values[model] for _, row in known],
        "y": [i for i, _ in known],
        "mode": "markers",
        "name": plain(label),
        "xaxis": "x2",
        "yaxis": "y2",
        "marker": _marker(index, 10),
        "selected": {"marker": {"opacity": 0.9}},
        "unselected": {"marker": {"opacity": 0.9}},
        "customdata": [[row.topic] for _, row in known],
        "text": [f"{plain(space.names[row.topic])}, {row.documents} documents" for _, row in known],
        "hovertemplate": "%{text}<br>%{x:.3f}<extra>" + plain(label) + "</extra>",
    }


def accuracy_against_similarity(
    space: TopicSpace,
    rows: Sequence[ExposedTopic],
    found: Mapping[str, Relation],
    *,
    models: Mapping[str, str],
    metric: str,
    focus: int | None,
) -> go.Figure:
    """A point a test topic and model: its score against the similarity of its nearest training topic, with the rank line."""
    traces = [
        trace
        for index, (model, label) in enumerate(models.items())
        for trace in _cloud(space, rows, found[model], model, label, index, focus)
    ]
    return go.Figure(
        data=traces,
        layout=layout(
            height=420,
            keyed=True,
            xaxis=axis(f"{similarity_name(space.kind)}<br>of the nearest training topic"),
            yaxis=axis(plain(metric), range=_span(rows)),
        ),
    )


def _cloud(
    space: TopicSpace,
    rows: Sequence[ExposedTopic],
    relation: Relation,
    model: str,
    label: str,
    index: int,
    focus: int | None,
) -> list[Part]:
    """One model's points, and the line that is its ρ where there is one."""
    known = [row for row in rows if np.isfinite(row.values[model]) and row.nearest]
    edge = {"width": [3 if row.topic == focus else 0 for row in known], "color": ORANGE}
    points: Part = {
        "type": "scatter",
        "x": [row.nearest_similarity for row in known],
        "y": [row.values[model] for row in known],
        "mode": "markers",
        "name": plain(label),
        "legendgroup": model,
        "marker": _marker(index, 10) | {"line": edge},
        "selected": {"marker": {"opacity": 0.8}},
        "unselected": {"marker": {"opacity": 0.8}},
        "customdata": [[row.topic] for row in known],
        "text": [f"{plain(space.names[row.topic])}<br>nearest: {plain(space.names[row.nearest[0]])}" for row in known],
        "hovertemplate": "%{text}<br>similarity %{x:.2f}, score %{y:.3f}<extra>" + plain(label) + "</extra>",
    }
    if not relation.line:
        return [points]
    fitted: Part = {
        "type": "scatter",
        "x": [x for x, _ in relation.line],
        "y": [y for _, y in relation.line],
        "mode": "lines",
        "line": line(model_mark(index)[0], width=2, dash="dot"),
        "legendgroup": model,
        "showlegend": False,
        "hoverinfo": "skip",
    }
    return [points, fitted]


def _span(rows: Sequence[ExposedTopic]) -> list[float]:
    """From a little below the lowest score to just past 1."""
    known = [value for row in rows for value in row.values.values() if np.isfinite(value)]
    return [max(0.0, min(known, default=0.0) - 0.08) - 0.02, 1.03]


def _marker(index: int, size: int) -> Part:
    colour, symbol = model_mark(index)
    return {"color": colour, "symbol": symbol, "size": size, "opacity": 0.85}


def _highlight(rows: Sequence[ExposedTopic], focus: int | None) -> list[Part]:
    """A band through both halves for every row of the topic in focus."""
    return [
        {
            "type": "rect",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": index - 0.5,
            "y1": index + 0.5,
            "fillcolor": FOCUS,
            "line": line(GREY, width=0),
            "layer": "above",
        }
        for index, row in enumerate(rows)
        if row.topic == focus
    ]
