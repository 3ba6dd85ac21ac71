"""Topic map: the similarity of every pair of topics as a matrix, in blocks where there are many."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats, Ints
from ..topics import Bootstrap, MatrixBlocks, TopicSpace
from .style import (
    HIDDEN,
    RED,
    SEQUENTIAL,
    Part,
    axis,
    click_layer,
    layout,
    line,
    plain_names,
    plain_pair,
    similarity_name,
)

MOST_TICKS = 34  # topics named along the matrix: past that every second, third … is


def similarity_matrix(
    space: TopicSpace, order: Ints, chosen: tuple[int, int], *, bootstrap: Bootstrap | None = None
) -> go.Figure:
    """Topic × topic similarity of the topics in this order, blank where it is unknown; the chosen pair is framed where it
    is among them."""
    values = space.similarity[np.ix_(order, order)]
    labels = plain_names([space.names[topic] for topic in order], 22)
    position = {int(topic): index for index, topic in enumerate(order)}
    named = np.arange(0, len(order), max(1, -(-len(order) // MOST_TICKS)))
    return _matrix(
        values,
        _clicks(order, values, labels, bootstrap, space.reliability[order]),
        tuple(position[topic] for topic in chosen if topic in position),
        title=similarity_name(space.kind),
        ticks={"tickvals": named, "ticktext": [labels[row] for row in named]},
    )


def block_matrix(space: TopicSpace, blocks: MatrixBlocks, chosen: tuple[int, int]) -> go.Figure:
    """Blocks of neighbouring topics by their mean similarity; a click chooses the closest pair of a block."""
    places = [int(np.flatnonzero(blocks.order == topic)[0]) for topic in chosen if topic in blocks.order]
    framed = tuple(int(block) for block in np.searchsorted(blocks.edges, places, side="right") - 1)
    cells = [(int(row), int(column)) for row, column in np.argwhere(blocks.closest[:, :, 0] >= 0)]
    pairs = [blocks.closest[cell].tolist() for cell in cells]
    sizes = np.diff(blocks.edges)
    clicks = click_layer(
        cells,
        size=max(6, 520 // max(1, len(blocks.mean))),
        topics=pairs,
        text=[
            f"{sizes[row]} × {sizes[column]} topics<br>mean similarity {blocks.mean[row, column]:.3f}<br>closest: "
            f"{plain_pair(space.names[one], space.names[two])} ({blocks.highest[row, column]:.3f})"
            for (row, column), (one, two) in zip(cells, pairs, strict=True)
        ],
    )
    return _matrix(blocks.mean, clicks, framed, title=f"mean {similarity_name(space.kind)}")


def _matrix(
    values: Floats, clicks: Part, chosen: tuple[int, ...], *, title: str, ticks: Part | None = None
) -> go.Figure:
    cells: Part = {
        "type": "heatmap",
        "z": values,
        "colorscale": SEQUENTIAL,
        "zmin": float(np.nanmin(values, initial=0.0)),
        "zmax": float(np.nanmax(values, initial=0.0)),
        "hoverinfo": "skip",
        "colorbar": {
            "title": {"text": title, "side": "top"},
            "orientation": "h",
            "y": -0.02,
            "yanchor": "top",
            "thickness": 10,
            "len": 0.6,
            "outlinewidth": 0,
        },
    }
    frames = [
        {
            "type": "rect",
            "x0": column - 0.5,
            "x1": column + 0.5,
            "y0": row - 0.5,
            "y1": row + 0.5,
            "line": line(RED, width=3),
        }
        for row, column in ((chosen, chosen[::-1]) if len(chosen) == 2 else ())
    ]
    ends = [-0.5, len(values) - 0.5]
    return go.Figure(
        data=[cells, clicks],
        layout=layout(
            alt="Matrix of topic similarities, with similar topics next to each other",
            height=580,
            shapes=frames,
            xaxis=HIDDEN | {"range": ends},  # the matrix is symmetric: the names on the left serve both ways
            yaxis=axis(range=ends[::-1], showgrid=False, **(ticks or {"showticklabels": False})),
        ),
    )


def _clicks(
    order: Ints, values: Floats, labels: Sequence[str], bootstrap: Bootstrap | None, reliability: Floats
) -> Part:
    """Return what each cell says: the two topics, their similarity with its interval, and how reliable their centroids are."""
    pairs = [(i, j) for i in range(len(order)) for j in range(len(order))]
    low, high = (None, None) if bootstrap is None else (bootstrap.low, bootstrap.high)

    def said(i: int, j: int) -> str:
        if np.isnan(values[i, j]):
            return "similarity unknown"
        if i == j or low is None or high is None:
            return f"similarity {values[i, j]:.3f}"
        pair = order[i], order[j]
        return f"similarity {values[i, j]:.3f}, 95%: {low[pair]:.2f} to {high[pair]:.2f}"

    shares = ["unknown" if np.isnan(share) else f"{share:.2f}" for share in reliability]
    sure = [f"reliability {shares[i]}" + ("" if i == j else f" and {shares[j]}") for i, j in pairs]
    return click_layer(
        pairs,
        size=max(6, 520 // max(1, len(order))),
        topics=[[int(order[i]), int(order[j])] for i, j in pairs],
        text=[f"{labels[i]} – {labels[j]}<br>{said(i, j)}<br>{each}" for (i, j), each in zip(pairs, sure, strict=True)],
    )
