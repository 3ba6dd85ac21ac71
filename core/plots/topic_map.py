"""Topic map: documents and centroids, the similarity matrix, and why two topics are alike."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats, Ints
from ..topics import Layout, Resampled, SharedTerms, TopicSpace
from .style import (
    BLUE,
    GREY,
    HIDDEN,
    ORANGE,
    RED,
    SEQUENTIAL,
    Part,
    axis,
    click_layer,
    colour_and_symbol,
    layout,
    line,
    plain,
    similarity_name,
)

MOST_GROUPS = 64  # past this, pairs of colour and symbol repeat and a legend helps nobody
MOST_NAMED = 60
MOST_CLICKABLE = 120  # topics: their square is the number of points a click can choose from


def document_map(
    positions: Layout, space: TopicSpace, groups: Sequence[str], codes: Ints, ids: Sequence[str]
) -> go.Figure:
    """Documents coloured by group (topic or author), with the centroids named on top."""
    drawn = codes[positions.rows]
    traces = [
        _one_group(positions, np.flatnonzero(drawn == index), index, group, ids) for index, group in enumerate(groups)
    ]
    return go.Figure(
        data=[*(trace for trace in traces if len(trace["x"])), _centroids(positions, space)],
        layout=layout(
            height=620,
            keyed=len(groups) <= MOST_GROUPS and (tuple(groups) != space.names or len(space) > MOST_NAMED),
            dragmode="pan",
            legend={"orientation": "h", "x": 0, "y": 0, "yanchor": "top", "itemsizing": "constant", "maxheight": 0.3},
            margin={"l": 8, "r": 8, "t": 12, "b": 8},
            annotations=_names(positions, space) if len(space) <= MOST_NAMED else [],
            xaxis=HIDDEN,
            yaxis=HIDDEN,
        ),
    )


def _centroids(positions: Layout, space: TopicSpace) -> Part:
    """Marks as large as the centroids are reliable, drawn like the documents, which would hide them otherwise."""
    sure = np.nan_to_num(space.reliability)
    known = ["unknown" if np.isnan(share) else f"{share:.2f}" for share in space.reliability]
    return {
        "type": "scattergl",
        "x": positions.centroids[:, 0],
        "y": positions.centroids[:, 1],
        "showlegend": False,
        "mode": "markers",
        "marker": {
            "symbol": "circle",
            "size": 5 + 8 * sure,
            "color": GREY,
            "opacity": 0.3 + 0.7 * sure,
            "line": {"width": 2, "color": "white"},
        },
        # Not in customdata, which is the documents': a click on a centroid chooses none.
        "hovertext": [
            f"{plain(name)} (centroid)<br>reliability {share}" for name, share in zip(space.names, known, strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _names(positions: Layout, space: TopicSpace) -> list[Part]:
    """The topics' names above or below their centroids: as annotations, since documents are drawn over any trace's text."""
    return [
        {
            "x": float(x),
            "y": float(y),
            "text": f"<b>{plain(name, 24)}</b>",
            "showarrow": False,
            "yshift": 14 if above else -14,
            "font": {"size": 12, "shadow": "auto"},
        }
        for name, (x, y), above in zip(space.names, positions.centroids, positions.above, strict=True)
    ]


def _one_group(positions: Layout, here: Ints, index: int, group: str, ids: Sequence[str]) -> Part:
    colour, symbol = colour_and_symbol(index)
    return {
        "type": "scattergl",
        "x": positions.documents[here, 0],
        "y": positions.documents[here, 1],
        "mode": "markers",
        "name": plain(group),
        "customdata": [[int(row), plain(ids[row])] for row in positions.rows[here]],
        "marker": {"color": colour, "symbol": symbol, "size": 6, "opacity": 0.65},
        "hovertemplate": "%{fullData.name}<br>document %{customdata[1]}<extra></extra>",
    }


def similarity_matrix(
    space: TopicSpace, order: Ints, chosen: tuple[int, int], *, resampled: Resampled | None = None
) -> go.Figure:
    """Topic × topic similarity in cluster order, blank where it is unknown; the chosen pair is framed."""
    count = len(order)
    values = space.similarity[np.ix_(order, order)]
    labels = [plain(space.names[topic], 22) for topic in order]
    cells: Part = {
        "type": "heatmap",
        "z": values,
        "colorscale": SEQUENTIAL,
        "zmin": float(np.nanmin(values, initial=0.0)),
        "zmax": 1.0,
        "hoverinfo": "skip",
        "colorbar": {
            "title": {"text": similarity_name(space.kind), "side": "top"},
            "orientation": "h",
            "y": -0.02,
            "yanchor": "top",
            "thickness": 10,
            "len": 0.6,
            "outlinewidth": 0,
        },
    }
    position = np.argsort(order)
    frames = [
        {
            "type": "rect",
            "x0": position[second] - 0.5,
            "x1": position[second] + 0.5,
            "y0": position[first] - 0.5,
            "y1": position[first] + 0.5,
            "line": line(RED, width=3),
        }
        for first, second in (chosen, chosen[::-1])
    ]
    ticks = {"tickvals": np.arange(count), "ticktext": labels} if count <= MOST_NAMED else {"showticklabels": False}
    ends = [-0.5, count - 0.5]
    return go.Figure(
        data=[cells, _clicks(order, values, labels, resampled)] if count <= MOST_CLICKABLE else [cells],
        layout=layout(
            height=580,
            shapes=frames,
            xaxis=HIDDEN | {"range": ends},  # the matrix is symmetric: the names on the left serve both ways
            yaxis=axis(range=ends[::-1], showgrid=False, **ticks),
        ),
    )


def _clicks(order: Ints, values: Floats, labels: Sequence[str], resampled: Resampled | None) -> Part:
    pairs = [(i, j) for i in range(len(order)) for j in range(len(order))]
    low, high = (None, None) if resampled is None else (resampled.low, resampled.high)

    def said(i: int, j: int) -> str:
        if np.isnan(values[i, j]):
            return "similarity unknown"
        if i == j or low is None or high is None:
            return f"similarity {values[i, j]:.3f}"
        pair = order[i], order[j]
        return f"similarity {values[i, j]:.3f}, 95 %: {low[pair]:.2f} to {high[pair]:.2f}"

    return click_layer(
        pairs,
        size=max(6, 520 // len(order)),
        topics=[[int(order[i]), int(order[j])] for i, j in pairs],
        text=[f"{labels[i]} – {labels[j]}<br>{said(i, j)}" for i, j in pairs],
    )


def shared_terms(shared: SharedTerms, first: str, second: str) -> go.Figure:
    """The words two topics lean on together: weight in one to the left, in the other to the right."""
    words = [plain(term) for term in shared.terms]
    largest = 1.05 * max(shared.first.max(), shared.second.max())
    sides = [
        {
            "type": "bar",
            "x": values,
            "y": np.arange(len(words)),
            "orientation": "h",
            "name": plain(name),
            "marker": {"color": colour},
            "customdata": np.abs(values),
            "text": words,
            "textposition": "none",
            "hovertemplate": "%{text}: %{customdata:.4f}<extra>" + plain(name) + "</extra>",
        }
        for values, name, colour in ((-shared.first, first, BLUE), (shared.second, second, ORANGE))
    ]
    return go.Figure(
        data=sides,
        layout=layout(
            height=80 + 24 * len(words),
            keyed=True,
            barmode="overlay",
            xaxis=axis("weight (c-TF-IDF)", range=[-largest, largest], showticklabels=False),
            yaxis=axis(tickvals=np.arange(len(words)), ticktext=words, autorange="reversed", showgrid=False),
        ),
    )
