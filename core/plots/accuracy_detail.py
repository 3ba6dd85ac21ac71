"""Folds & accuracy, in detail: test topics against training topics, answers beside the truth."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..evaluation import ExposureMatrix, Reliability
from ..topics import TopicSpace
from .style import (
    GREY,
    INK,
    SEQUENTIAL,
    Part,
    axis,
    by_model,
    click_layer,
    layout,
    line,
    model_mark,
    plain,
    plain_names,
    similarity_name,
    whiskers,
)

MOST_NAMED = 60  # lines; beyond, names would collide and cells be too small to click


def train_test_matrix(space: TopicSpace, matrix: ExposureMatrix) -> go.Figure:
    """Draw every test topic against the training topics of its fold; blank where a topic is not in training."""
    cells = [(int(i), int(j)) for i, j in zip(*np.nonzero(np.isfinite(matrix.values)), strict=True)]
    rows, columns = len(matrix.rows), len(matrix.columns)
    single = max(rows, columns) <= MOST_NAMED and all(len(each) == 1 for each in matrix.rows)
    clicks = click_layer(
        cells,
        size=12,
        topics=[[matrix.rows[i][0]] for i, _ in cells],
        text=[
            f"test {plain(space.names[matrix.rows[i][0]])}<br>train {plain(space.names[matrix.columns[j][0]])}"
            f"<br>similarity {matrix.values[i, j]:.3f}"
            for i, j in cells
        ],
    )
    heat: Part = {
        "type": "heatmap",
        "z": matrix.values,
        "colorscale": SEQUENTIAL,
        "zmin": float(np.nanmin([0.0, *matrix.values.ravel()])),
        "zmax": 1.0,
        "xgap": 1 if single else 0,
        "ygap": 1 if single else 0,
        "hoverinfo": "skip" if single else None,
        "hovertemplate": None if single else "similarity %{z:.3f}<extra></extra>",
        "colorbar": {"title": {"text": similarity_name(space.kind)}, "thickness": 10, "outlinewidth": 0},
    }
    return go.Figure(
        data=[heat, clicks] if single else [heat],
        layout=layout(
            height=max(320, min(900, 140 + 16 * rows)),
            xaxis=axis("training topics, similar ones together", **_ticks(space, matrix.columns), tickangle=-60),
            yaxis=axis("test topics, most exposed first", autorange="reversed", **_ticks(space, matrix.rows)),
        ),
    )


def _ticks(space: TopicSpace, lines: Sequence[tuple[int, ...]]) -> Part:
    """Return names where they fit; past that the chart is read by hovering."""
    if len(lines) > MOST_NAMED or any(len(topics) > 1 for topics in lines):
        return {"showticklabels": False, "showgrid": False}
    names = plain_names([space.names[topics[0]] for topics in lines], 18)
    return {
        "tickvals": np.arange(len(lines)),
        "ticktext": names,
        "showgrid": False,
        "tickfont": {"color": INK, "size": 10},
    }


def reliability_diagram(found: Mapping[str, Reliability], *, drawn: str) -> go.Figure:
    """Draw the bins of one model (keys are labels, `drawn` is one of them): share by one author with its 95% interval above,
    number of answers below; on the line answers mean what they say."""
    index = list(found).index(drawn)
    return go.Figure(
        data=[_diagonal(), _shares(found[drawn], drawn, index), _counts(found[drawn], drawn, index)],
        layout=layout(
            height=430,
            bargap=0.06,
            xaxis=axis("answer", range=[0, 1], anchor="y2"),
            yaxis=axis("share by one author", range=[-0.02, 1.03], domain=[0.3, 1]),
            yaxis2=axis("pairs", domain=[0, 0.22], rangemode="tozero", nticks=3),
        ),
    )


def _diagonal() -> Part:
    return {
        "type": "scatter",
        "x": [0, 1],
        "y": [0, 1],
        "mode": "lines",
        "line": line(GREY, dash="dash", width=1.5),
        "hoverinfo": "skip",
    }


def _shares(found: Reliability, label: str, index: int) -> Part:
    shares = [each.share for each in found.bins]
    reach = whiskers(shares, [each.share_low for each in found.bins], [each.share_high for each in found.bins])
    told: Part = {
        "text": [
            f"answers from {each.low:.1f} to {each.high:.1f}: {each.count:,}<br>their mean {each.mean:.3f}"
            f"<br>by one author {each.share:.3f}, 95%: {each.share_low:.2f} to {each.share_high:.2f}"
            for each in found.bins
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }
    mark = by_model(index, label, [each.mean for each in found.bins], shares, error_y=reach, **told)
    return mark | {"line": line(model_mark(index, label)[0], width=1)}


def _counts(found: Reliability, label: str, index: int) -> Part:
    return {
        "type": "bar",
        "x": [(each.low + each.high) / 2 for each in found.bins],
        "y": [each.count for each in found.bins],
        "width": [each.high - each.low for each in found.bins],
        "yaxis": "y2",
        "marker": {"color": model_mark(index, label)[0], "opacity": 0.55},
        "text": [f"{each.count:,}" for each in found.bins],
        "textposition": "auto",
        "hovertemplate": "%{y:,} pairs<extra></extra>",
    }
