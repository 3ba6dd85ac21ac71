"""Topic map: documents and centroids, the similarity matrix, and why two topics are alike."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.explain import SharedTerms
from core.layout import Layout
from core.plots.style import BLUE, GREY, ORANGE, RED, SEQUENTIAL, colour_and_symbol, plain, tidy
from core.space import TopicSpace

Ints = NDArray[np.int64]
MOST_GROUPS = 64  # past this, pairs of colour and symbol repeat and a legend helps nobody
MOST_CLICKABLE = 120  # topics: their square is the number of points a click can choose from


def document_map(
    layout: Layout, space: TopicSpace, groups: Sequence[str], codes: Ints, ids: Sequence[str]
) -> go.Figure:
    """Documents coloured by group (topic or author), with the centroids named on top."""
    figure = go.Figure()
    drawn = codes[layout.rows]
    for place, group in enumerate(groups):
        here = np.flatnonzero(drawn == place)
        if not len(here):
            continue
        colour, symbol = colour_and_symbol(place)
        rows = layout.rows[here]
        figure.add_trace(
            go.Scattergl(
                x=layout.documents[here, 0],
                y=layout.documents[here, 1],
                mode="markers",
                name=plain(group),
                customdata=np.array([[int(row), plain(ids[row])] for row in rows], dtype=object),
                marker={"color": colour, "symbol": symbol, "size": 6, "opacity": 0.65},
                hovertemplate="%{fullData.name}<br>document %{customdata[1]}<extra></extra>",
            )
        )
    figure.add_scatter(
        x=layout.centroids[:, 0],
        y=layout.centroids[:, 1],
        mode="markers+text" if len(space) <= 60 else "markers",
        text=[f"<b>{plain(name, 24)}</b>" for name in space.names],
        textposition=["top center" if above else "bottom center" for above in layout.above],
        textfont_size=12,
        marker={"symbol": "circle", "size": 10, "color": GREY, "line": {"width": 2, "color": "white"}},
        hovertemplate="%{text} (centroid)<extra></extra>",
        showlegend=False,
    )
    tidy(figure, height=620, legend=len(groups) <= MOST_GROUPS)
    figure.update_layout(
        dragmode="pan",
        legend={"orientation": "v", "x": 1.0, "y": 1.0, "yanchor": "top", "itemsizing": "constant"},
        margin_t=12,
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return figure


def similarity_matrix(space: TopicSpace, order: Ints, chosen: tuple[int, int] | None) -> go.Figure:
    """Topic × topic similarity in cluster order; `chosen` is framed.

    A heatmap reports no clicks, so invisible markers lie over its cells and carry the two topics as customdata.
    """
    labels = [plain(space.names[topic], 22) for topic in order]
    places = np.arange(len(order))
    values = space.similarity[np.ix_(order, order)]
    figure = go.Figure(
        go.Heatmap(
            z=values,
            x=places,
            y=places,
            colorscale=SEQUENTIAL,
            zmin=min(0.0, float(values.min())),
            zmax=1.0,
            hoverinfo="skip",
            colorbar={
                "title": {"text": "similarity", "side": "top"},
                "orientation": "h",
                "y": -0.02,
                "yanchor": "top",
                "thickness": 10,
                "len": 0.6,
                "outlinewidth": 0,
            },
        )
    )
    if len(order) <= MOST_CLICKABLE:
        across, down = np.meshgrid(places, places)
        figure.add_scatter(
            x=across.ravel(),
            y=down.ravel(),
            mode="markers",
            marker={"symbol": "square", "size": max(6, 520 // len(order)), "opacity": 0, "color": BLUE},
            selected={"marker": {"opacity": 0}},
            unselected={"marker": {"opacity": 0}},
            customdata=np.stack([order[down.ravel()], order[across.ravel()]], axis=1),
            text=[f"{labels[i]} – {labels[j]}<br>similarity {values[i, j]:.3f}" for i in places for j in places],
            hovertemplate="%{text}<extra></extra>",
            showlegend=False,
        )
    if chosen is not None:
        position = np.argsort(order)
        for first, second in (chosen, chosen[::-1]):
            x, y = position[second], position[first]
            figure.add_shape(
                type="rect",
                x0=x - 0.5,
                x1=x + 0.5,
                y0=y - 0.5,
                y1=y + 0.5,
                line={"color": RED, "width": 3},
            )
    ticks = {"tickvals": places, "ticktext": labels} if len(order) <= 60 else {"showticklabels": False}
    ends = [-0.5, len(order) - 0.5]
    figure.update_xaxes(visible=False, range=ends)  # the matrix is symmetric: the names on the left serve both ways
    figure.update_yaxes(range=ends[::-1], showgrid=False, **ticks)
    return tidy(figure, height=580)


def shared_terms(shared: SharedTerms, first: str, second: str) -> go.Figure:
    """The words two topics lean on together: weight in one to the left, in the other to the right."""
    places = np.arange(len(shared.terms))
    words = [plain(term) for term in shared.terms]
    figure = go.Figure()
    for values, name, colour in ((-shared.first, first, BLUE), (shared.second, second, ORANGE)):
        figure.add_bar(
            x=values * 1000,
            y=places,
            orientation="h",
            name=plain(name),
            marker_color=colour,
            customdata=np.abs(values) * 1000,
            text=words,
            textposition="none",
            hovertemplate="%{text}: %{customdata:.1f}<extra>" + plain(name) + "</extra>",
        )
    largest = 1.05 * 1000 * max(shared.first.max(), shared.second.max())
    figure.update_layout(barmode="overlay")
    figure.update_yaxes(tickvals=places, ticktext=words, autorange="reversed", showgrid=False)
    figure.update_xaxes(title="weight (c-TF-IDF)", range=[-largest, largest], showticklabels=False)
    return tidy(figure, height=80 + 24 * len(places), legend=True)
