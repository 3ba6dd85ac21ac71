"""Topic map: documents and centroids, the words that two topics share, and the similarity of every pair as a matrix."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats, Ints
from ..topics import Bootstrap, Layout, MapLabel, MatrixBlocks, SharedTerms, TopicSpace, map_range
from .style import (
    BLUE,
    COLOURS,
    GREY,
    HIDDEN,
    INK,
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
    plain_names,
    plain_pair,
    similarity_name,
)

MAP_HEIGHT, LEGEND = 540, 0.25  # pixels, and the share of them that a legend takes
MOST_LARGE = 60  # topics: more large dots would hide the documents
MOST_CLUSTERS = len(COLOURS)  # of topics: each has a colour of its own
OTHERS = "rgba(140,146,156,0.35)"
HOVERED, CENTROIDS = "hovered topic", "centroids"  # traces that figures.js finds by these names
PAIR_HEIGHT, MOST_WORDS = 580, 15  # of the matrix and of the words beside it


def document_map(
    positions: Layout,
    space: TopicSpace,
    groups: Sequence[str],
    codes: Ints,
    ids: Sequence[str],
    labels: Sequence[MapLabel],
    *,
    topics: Ints,
    central: Mapping[int, tuple[int, str]] | None = None,
) -> go.Figure:
    """Draw documents coloured by group (cluster, topic or author), in grey where the code is −1, and some centroids named on top.

    `ids` is what the pointer shows of each document, `topics` its topic: the browser marks the one under the pointer. Where
    groups are clusters, `central` has the topic that stands for each, with the group's code and name; its name is framed.
    """
    drawn = codes[positions.rows]
    present = np.unique(drawn[drawn >= 0]).tolist()
    rest = np.flatnonzero(drawn < 0)
    on_map = {label.topic for label in labels}
    if central is None:
        named = tuple(groups) == space.names and set(present) <= on_map
    else:
        named = set(present) <= {group for topic, (group, _) in central.items() if topic in on_map}
    looks = {group: colour_and_symbol(index) for index, group in enumerate(present)}
    framed = {topic: (name, looks[group][0]) for topic, (group, name) in (central or {}).items() if group in looks}
    low, high = map_range(positions)
    names = plain_names(groups)
    return go.Figure(
        data=[
            *([_document_points(positions, rest, "others", (OTHERS, "circle"), ids, topics)] if len(rest) else []),
            *(
                _document_points(positions, np.flatnonzero(drawn == group), names[group], looks[group], ids, topics)
                for group in present
            ),
            _hovered(),
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
            annotations=_name_labels(positions, space, labels, framed),
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


def _hovered() -> Part:
    """Return an empty trace; figures.js fills it with the documents of the topic under the pointer."""
    return {
        "type": "scattergl",
        "meta": HOVERED,
        "x": [],
        "y": [],
        "mode": "markers",
        "marker": {"color": INK, "size": 7, "opacity": 0.9},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _centroids(positions: Layout, space: TopicSpace) -> Part:
    """Return marks as large as the centroids are reliable, drawn like the documents, which would hide them otherwise."""
    reliability = np.nan_to_num(space.reliability)
    size, ring = (5 + 8 * reliability, 2) if len(space) <= MOST_LARGE else (3 + 2 * reliability, 0.5)
    known = ["unknown" if np.isnan(share) else f"{share:.2f}" for share in space.reliability]
    return {
        "type": "scattergl",
        "meta": CENTROIDS,
        "x": positions.centroids[:, 0],
        "y": positions.centroids[:, 1],
        "showlegend": False,
        "mode": "markers",
        "marker": {
            "symbol": "circle",
            "size": size,
            "color": GREY,
            "opacity": 0.3 + 0.7 * reliability,
            "line": {"width": ring, "color": "white"},
        },
        # Not in customdata, which is the documents': a click on a centroid chooses none.
        "hovertext": [
            f"{plain(name)} (centroid)<br>reliability {share}" for name, share in zip(space.names, known, strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _name_labels(
    positions: Layout, space: TopicSpace, labels: Sequence[MapLabel], framed: Mapping[int, tuple[str, str]]
) -> list[Part]:
    """Return topics' names beside their centroids: as annotations, since documents are drawn over any trace's text.

    Names that stand for a cluster are framed in its colour; the others are thinner beside them.
    """
    names = plain_names(space.names, 24)
    notes = []
    for label in labels:
        name, colour = names[label.topic], ""
        if label.topic in framed:
            name, colour = plain(framed[label.topic][0]), framed[label.topic][1]
        note: Part = {
            "x": float(positions.centroids[label.topic, 0]),
            "y": float(positions.centroids[label.topic, 1]),
            "text": name if framed and not colour else f"<b>{name}</b>",
            "showarrow": False,
            "xanchor": label.anchor,
            "yshift": 14 if label.above else -14,
            "font": {"size": 12, "shadow": "auto"},
        }
        notes.append(note | ({"bordercolor": colour, "borderwidth": 2, "borderpad": 2} if colour else {}))
    return notes


def _document_points(
    positions: Layout, here: Ints, group: str, look: tuple[str, str], ids: Sequence[str], topics: Ints
) -> Part:
    colour, symbol = look
    return {
        "type": "scattergl",
        # Lists, for figures.js reads them: arrays arrive in the browser packed.
        "x": positions.documents[here, 0].round(4).tolist(),
        "y": positions.documents[here, 1].round(4).tolist(),
        "mode": "markers",
        "name": group,
        "customdata": [[int(row), plain(ids[row]), int(topics[row])] for row in positions.rows[here]],
        "marker": {"color": colour, "symbol": symbol, "size": 6, "opacity": 0.65},
        "hovertemplate": "%{customdata[1]}<extra></extra>",
    }


def shared_terms(
    shared: SharedTerms, first: str, second: str, *, most: int | None = None, height: int | None = None
) -> go.Figure:
    """Draw the words two topics share: weight in one to the left, in the other to the right; at most this many.

    A chart of a given height has room for MOST_WORDS words, and fewer stand at its top.
    """
    words = [plain(term) for term in shared.terms[:most]]
    rows = len(words) if height is None else max(len(words), MOST_WORDS)
    weights = shared.first[:most], shared.second[:most]
    largest = 1.05 * max(weights[0].max(initial=0.0), weights[1].max(initial=0.0))
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
        for values, name, colour in ((-weights[0], first, BLUE), (weights[1], second, ORANGE))
    ]
    sides_named = [
        {
            "x": 0,
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "xanchor": anchor,
            "xshift": shift,
            "text": f"<b>{name}</b>",
            "showarrow": False,
        }
        for name, anchor, shift in zip(plain_names((first, second), 24), ("right", "left"), (-8, 8), strict=True)
    ]
    return go.Figure(
        data=sides,
        layout=layout(
            alt="Distinctive words the two topics share",
            height=height or 70 + 24 * max(1, len(words)),
            annotations=sides_named,
            margin={"l": 8, "r": 8, "t": 30, "b": 8},
            barmode="overlay",
            xaxis=axis("weight (c-TF-IDF)", range=[-largest, largest], showticklabels=False),
            yaxis=axis(tickvals=np.arange(len(words)), ticktext=words, range=[rows - 0.5, -0.5], showgrid=False),
        ),
    )


MOST_TICKS = 34  # topics named along the matrix: past that every second, third … is


def similarity_matrix(
    space: TopicSpace, order: Ints, chosen: tuple[int, int], *, bootstrap: Bootstrap | None = None
) -> go.Figure:
    """Draw topic × topic similarity of the topics in this order, blank where it is unknown; the chosen pair is framed where it
    is among them."""
    values = space.similarity[np.ix_(order, order)]
    labels = plain_names([space.names[topic] for topic in order], 22)
    position = {int(topic): index for index, topic in enumerate(order)}
    return _matrix(
        values,
        _clicks(order, values, labels, bootstrap, space.reliability[order]),
        tuple(position[topic] for topic in chosen if topic in position),
        title=similarity_name(space.kind),
        labels=labels,
    )


def block_matrix(space: TopicSpace, blocks: MatrixBlocks, chosen: tuple[int, int]) -> go.Figure:
    """Draw blocks of neighbouring topics by their mean similarity; a click chooses the closest pair of a block."""
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
    first = [space.names[topic] for topic in blocks.order[blocks.edges[:-1]]]
    labels = [
        name if size == 1 else f"{name} +{size - 1}"
        for name, size in zip(plain_names(first, 19), sizes.tolist(), strict=True)
    ]
    return _matrix(blocks.mean, clicks, framed, title=f"mean {similarity_name(space.kind)}", labels=labels)


def _matrix(values: Floats, clicks: Part, chosen: tuple[int, ...], *, title: str, labels: Sequence[str]) -> go.Figure:
    named = range(0, len(labels), max(1, -(-len(labels) // MOST_TICKS)))
    ticks: Part = {"tickvals": list(named), "ticktext": [labels[row] for row in named]}
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
            height=PAIR_HEIGHT,
            shapes=frames,
            xaxis=HIDDEN | {"range": ends},  # the matrix is symmetric: the names on the left serve both ways
            yaxis=axis(range=ends[::-1], showgrid=False, **ticks),
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
        interval = (
            "too few documents for an interval" if np.isnan(low[pair]) else f"95%: {low[pair]:.2f} to {high[pair]:.2f}"
        )
        return f"similarity {values[i, j]:.3f}, {interval}"

    shares = ["unknown" if np.isnan(share) else f"{share:.2f}" for share in reliability]
    reliabilities = [f"reliability {shares[i]}" + ("" if i == j else f" and {shares[j]}") for i, j in pairs]
    return click_layer(
        pairs,
        size=max(6, 520 // max(1, len(order))),
        topics=[[int(order[i]), int(order[j])] for i, j in pairs],
        text=[
            f"{labels[i]} – {labels[j]}<br>{said(i, j)}<br>{each}"
            for (i, j), each in zip(pairs, reliabilities, strict=True)
        ],
    )
