"""Folds & accuracy: test topics in order of exposure with each model's score, and in detail: training topics, answers."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..evaluation import ExposedTopic, ExposureMatrix, Reliability
from ..formats import percent
from ..statistics import Relation
from ..topics import TopicSpace
from .style import (
    GREY,
    INK,
    ORANGE,
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
    upright,
    whiskers,
)

TALL, FLAT, LEAST = 16, 13, 11  # pixels of a row, of one of many, and of one of as many as are drawn
MANY, MOST = 26, 34
EDGE = 0.9  # rows beyond the middle of the first and the last: marks stand off the middle, and must not be cut
FOCUS = "rgba(224,138,30,0.25)"
BAR = "rgba(59,130,196,0.45)"
Shown = Sequence[ExposedTopic | None]  # None: topics are left out here


def exposed_rows(
    space: TopicSpace,
    rows: Shown,
    *,
    models: Mapping[str, str],
    metric: str,
    chance: float,
    left_out: int = 0,
    focus: int | None,
    whose: str = "by one author",
) -> go.Figure:
    """Draw a row a test topic, the most exposed first: similarity of its nearest training topic as a bar, scores as marks."""
    inner = max(200, (TALL if len(rows) <= MANY else FLAT if len(rows) <= MOST else LEAST) * (len(rows) + 1))
    gap = f"⋯ {left_out:,} between"
    names = iter(plain_names([space.names[row.topic] for row in rows if row is not None], 20))
    labels = [gap if row is None else next(names) for row in rows]
    places = np.arange(len(rows))
    shapes = _highlight(rows, focus)
    if np.isfinite(chance):
        shapes.append(upright(chance, line(GREY, dash="dash", width=1.5), xref="x2"))
    return go.Figure(
        data=[
            _topic_bars(rows, space, whose),
            *(_scores(rows, space, models, index, whose) for index in range(len(models))),
        ],
        layout=layout(
            alt="Test topics, the most exposed first: similarity of the nearest training topic and each model's score",
            height=inner + 92,
            keyed=True,
            xaxis=axis(
                "nearest:<br>" + similarity_name(space.kind), domain=[0, 0.36], side="top", nticks=4, tickangle=0
            ),
            xaxis2=axis(plain(metric), domain=[0.41, 1], range=[-0.02, 1.03], side="top"),
            yaxis=axis(
                range=[len(rows) - 1 + EDGE, -EDGE],
                showgrid=False,
                tickvals=places,
                ticktext=labels,
                tickfont={"color": INK, "size": 12 if len(rows) <= MANY else 10 if len(rows) <= MOST else 9},
            ),
            yaxis2=axis(anchor="x2", matches="y", showticklabels=False, tickvals=places),
            shapes=shapes,
            legend={"orientation": "h", "yanchor": "top", "y": -4 / inner, "x": 1.0, "xanchor": "right"},
            margin={"l": 8, "r": 8, "t": 60, "b": 30},
        ),
    )


def _topic_bars(rows: Shown, space: TopicSpace, whose: str) -> Part:
    known = [(index, row) for index, row in enumerate(rows) if row is not None and row.nearest]
    same = {"marker": {"opacity": 1}}
    return {
        "type": "bar",
        "orientation": "h",
        "x": [row.nearest_similarity for _, row in known],
        "y": [index for index, _ in known],
        "width": 0.7,
        "marker": {"color": BAR},
        "selected": same,
        "unselected": same,
        "customdata": [[row.topic] for _, row in known],
        "text": [_hover_text(row, space, whose) for _, row in known],
        "textposition": "none",
        "hovertemplate": "%{text}<br>similarity %{x:.3f}<extra></extra>",
        "showlegend": False,
    }


def _hover_text(row: ExposedTopic, space: TopicSpace, whose: str) -> str:
    nearest = f"<br>nearest in training: {plain(space.names[row.nearest[0]])}" if row.nearest else ""
    return (
        f"{plain(space.names[row.topic])}, fold {row.fold + 1}{nearest}"
        f"<br>{row.documents} documents, {percent(row.largest_author_share)} {whose}"
    )


def _scores(rows: Shown, space: TopicSpace, models: Mapping[str, str], index: int, whose: str) -> Part:
    """Return one model's marks, a little above or below the middle of their rows so that intervals do not hide each other."""
    model, label = list(models.items())[index]
    shift = min(0.24, 0.8 / max(len(models) - 1, 1)) * (index - (len(models) - 1) / 2)
    known = [(i, row) for i, row in enumerate(rows) if row is not None and np.isfinite(row.values[model])]
    bounds = [row.intervals.get(model, (row.values[model],) * 2) for _, row in known]
    values = [row.values[model] for _, row in known]
    return {
        "type": "scatter",
        "x": values,
        "y": [i + shift for i, _ in known],
        "mode": "markers",
        "name": plain(label),
        "xaxis": "x2",
        "yaxis": "y2",
        "marker": _marker(index, label, 8),
        "error_x": {
            "type": "data",
            "array": [high - value for value, (_, high) in zip(values, bounds, strict=True)],
            "arrayminus": [value - low for value, (low, _) in zip(values, bounds, strict=True)],
            "thickness": 1,
            "width": 0,
            "color": model_mark(index, label)[0],
        },
        "selected": {"marker": {"opacity": 0.9}},
        "unselected": {"marker": {"opacity": 0.9}},
        "customdata": [[row.topic] for _, row in known],
        "text": [
            f"{_hover_text(row, space, whose)}<br>{value:.3f}"
            + (f", 95%: {low:.2f} to {high:.2f}" if low < high else "")
            for (_, row), value, (low, high) in zip(known, values, bounds, strict=True)
        ],
        "hovertemplate": "%{text}<extra>" + plain(label) + "</extra>",
    }


def accuracy_against_similarity(
    space: TopicSpace,
    rows: Sequence[ExposedTopic],
    found: Mapping[str, Relation],
    *,
    models: Mapping[str, str],
    metric: str,
    focus: int | None,
    height: int = 440,
) -> go.Figure:
    """Draw a point a test topic and model: its score against the similarity of its nearest training topic, with the rank line."""
    traces = [
        trace
        for index, (model, label) in enumerate(models.items())
        for trace in _cloud(space, rows, found[model], model, label, index, focus)
    ]
    return go.Figure(
        data=traces,
        layout=layout(
            alt="Score of each model on each test topic against the similarity of the nearest training topic",
            height=height,
            keyed=True,
            xaxis=axis(f"{similarity_name(space.kind)}<br>of the nearest training topic", range=_axis_if_equal(rows)),
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
    """Return one model's points, and the line that is its ρ where there is one."""
    known = [row for row in rows if np.isfinite(row.values[model]) and row.nearest]
    edge = {"width": [3 if row.topic == focus else 0 for row in known], "color": ORANGE}
    points: Part = {
        "type": "scatter",
        "x": [row.nearest_similarity for row in known],
        "y": [row.values[model] for row in known],
        "mode": "markers",
        "name": plain(label),
        "legendgroup": model,
        "marker": _marker(index, label, 8) | {"line": edge},
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
        "line": line(model_mark(index, label)[0], width=2, dash="dot"),
        "legendgroup": model,
        "showlegend": False,
        "hoverinfo": "skip",
    }
    return [points, fitted]


def _axis_if_equal(rows: Sequence[ExposedTopic]) -> list[float] | None:
    """Return an axis for similarities that are all the same, as of shuffled topics; else None, for plotly's own."""
    known = [row.nearest_similarity for row in rows if row.nearest]
    return [known[0] - 0.5, known[0] + 0.05] if known and np.ptp(known) < 1e-6 else None


def _span(rows: Sequence[ExposedTopic]) -> list[float]:
    """Return the range from a little below the lowest score to just above 1."""
    known = [value for row in rows for value in row.values.values() if np.isfinite(value)]
    return [max(0.0, min(known, default=0.0) - 0.08) - 0.02, 1.03]


def _marker(index: int, label: str, size: int) -> Part:
    colour, symbol = model_mark(index, label)
    return {"color": colour, "symbol": symbol, "size": size, "opacity": 0.85}


def _highlight(rows: Shown, focus: int | None) -> list[Part]:
    """Return a band through both halves for every row of the topic in focus."""
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
        if row is not None and row.topic == focus
    ]


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
            xaxis=axis("training topics, similar ones together", **_name_ticks(space, matrix.columns), tickangle=-60),
            yaxis=axis("test topics, most exposed first", autorange="reversed", **_name_ticks(space, matrix.rows)),
        ),
    )


def _name_ticks(space: TopicSpace, lines: Sequence[tuple[int, ...]]) -> Part:
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
        data=[_diagonal(), _share_marks(found[drawn], drawn, index), _bin_counts(found[drawn], drawn, index)],
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


def _share_marks(found: Reliability, label: str, index: int) -> Part:
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


def _bin_counts(found: Reliability, label: str, index: int) -> Part:
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
