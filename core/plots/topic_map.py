"""Topic map: documents and centroids, and the words that two topics share."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Ints
from ..topics import Layout, MapLabel, SharedTerms, TopicSpace, map_range
from .style import BLUE, COLOURS, GREY, HIDDEN, ORANGE, Part, axis, colour_and_symbol, layout, plain, plain_names

MAP_HEIGHT, LEGEND = 540, 0.25  # pixels, and the share of them that a legend takes
MOST_LARGE = 60  # topics: more large dots would hide the documents
MOST_CLUSTERS = len(COLOURS)  # of topics: each has a colour of its own
OTHERS = "rgba(140,146,156,0.35)"


def document_map(
    positions: Layout,
    space: TopicSpace,
    groups: Sequence[str],
    codes: Ints,
    ids: Sequence[str],
    labels: Sequence[MapLabel],
) -> go.Figure:
    """Documents coloured by group (cluster, topic or author), in grey where the code is −1, and some centroids named on top.

    `ids` is what the pointer shows of each document.
    """
    drawn = codes[positions.rows]
    present = np.unique(drawn[drawn >= 0]).tolist()
    rest = np.flatnonzero(drawn < 0)
    named = tuple(groups) == space.names and set(present) <= {label.topic for label in labels}
    low, high = map_range(positions)
    names = plain_names(groups)
    return go.Figure(
        data=[
            *([_points(positions, rest, "others", (OTHERS, "circle"), ids)] if len(rest) else []),
            *(
                _points(positions, np.flatnonzero(drawn == group), names[group], colour_and_symbol(index), ids)
                for index, group in enumerate(present)
            ),
            _centroids(positions, space),
        ],
        layout=layout(
            alt="Map of documents with the topics' centroids",
            height=MAP_HEIGHT,
            keyed=not named,
            dragmode="pan",
            legend={
                "orientation": "h",
                "x": 0,
                "y": 0,
                "yanchor": "top",
                "itemsizing": "constant",
                "maxheight": LEGEND,
            },
            margin={"l": 0, "r": 0, "t": 0, "b": 0},
            annotations=_names(positions, space, labels),
            xaxis=HIDDEN | {"range": [low[0], high[0]]},
            yaxis=HIDDEN | {"range": [low[1], high[1]]},
        ),
    )


def map_key(figure: go.Figure) -> list[tuple[str, str, str]]:
    """Name, colour and symbol of every group on a map without a legend: for screens on which not every name has room."""
    if figure.layout.showlegend:
        return []
    groups = [trace for trace in figure.data if trace.customdata is not None]
    return [(trace.name, trace.marker.color, trace.marker.symbol) for trace in groups]


def _centroids(positions: Layout, space: TopicSpace) -> Part:
    """Marks as large as the centroids are reliable, drawn like the documents, which would hide them otherwise."""
    sure = np.nan_to_num(space.reliability)
    size, ring = (5 + 8 * sure, 2) if len(space) <= MOST_LARGE else (3 + 2 * sure, 0.5)
    known = ["unknown" if np.isnan(share) else f"{share:.2f}" for share in space.reliability]
    return {
        "type": "scattergl",
        "x": positions.centroids[:, 0],
        "y": positions.centroids[:, 1],
        "showlegend": False,
        "mode": "markers",
        "marker": {
            "symbol": "circle",
            "size": size,
            "color": GREY,
            "opacity": 0.3 + 0.7 * sure,
            "line": {"width": ring, "color": "white"},
        },
        # Not in customdata, which is the documents': a click on a centroid chooses none.
        "hovertext": [
            f"{plain(name)} (centroid)<br>reliability {share}" for name, share in zip(space.names, known, strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _names(positions: Layout, space: TopicSpace, labels: Sequence[MapLabel]) -> list[Part]:
    """Topics' names beside their centroids: as annotations, since documents are drawn over any trace's text."""
    names = plain_names(space.names, 24)
    return [
        {
            "x": float(positions.centroids[label.topic, 0]),
            "y": float(positions.centroids[label.topic, 1]),
            "text": f"<b>{names[label.topic]}</b>",
            "showarrow": False,
            "xanchor": label.anchor,
            "yshift": 14 if label.above else -14,
            "font": {"size": 12, "shadow": "auto"},
        }
        for label in labels
    ]


def _points(positions: Layout, here: Ints, group: str, look: tuple[str, str], ids: Sequence[str]) -> Part:
    colour, symbol = look
    return {
        "type": "scattergl",
        "x": positions.documents[here, 0],
        "y": positions.documents[here, 1],
        "mode": "markers",
        "name": group,
        "customdata": [[int(row), plain(ids[row])] for row in positions.rows[here]],
        "marker": {"color": colour, "symbol": symbol, "size": 6, "opacity": 0.65},
        "hovertemplate": "%{customdata[1]}<extra></extra>",
    }


def shared_terms(shared: SharedTerms, first: str, second: str) -> go.Figure:
    """The words two topics share: weight in one to the left, in the other to the right."""
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
            alt="Distinctive words the two topics share",
            height=80 + 24 * len(words),
            keyed=True,
            barmode="overlay",
            xaxis=axis("weight (c-TF-IDF)", range=[-largest, largest], showticklabels=False),
            yaxis=axis(tickvals=np.arange(len(words)), ticktext=words, autorange="reversed", showgrid=False),
        ),
    )
