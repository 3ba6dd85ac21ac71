"""Folds & accuracy: the whole matrix of test topics against the training topics of their folds."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..evaluation import ExposureMatrix
from ..topics import TopicSpace
from .style import INK, SEQUENTIAL, Part, axis, click_layer, layout, plain, similarity_name

MOST_NAMED = 60  # lines; beyond, names would collide and cells be too small to click


def train_test_matrix(space: TopicSpace, matrix: ExposureMatrix) -> go.Figure:
    """Every test topic against the training topics of its fold; blank where a topic is not in training."""
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
            xaxis=axis("training topics, alike ones together", **_ticks(space, matrix.columns), tickangle=-60),
            yaxis=axis("test topics, most exposed first", autorange="reversed", **_ticks(space, matrix.rows)),
        ),
    )


def _ticks(space: TopicSpace, lines: Sequence[tuple[int, ...]]) -> Part:
    """Names where they fit; past that the chart is read by hovering."""
    if len(lines) > MOST_NAMED or any(len(topics) > 1 for topics in lines):
        return {"showticklabels": False, "showgrid": False}
    names = [plain(space.names[topics[0]], 18) for topics in lines]
    return {
        "tickvals": np.arange(len(lines)),
        "ticktext": names,
        "showgrid": False,
        "tickfont": {"color": INK, "size": 10},
    }
