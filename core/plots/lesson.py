"""The lesson's first steps: one chart a step, which moves with its one control."""

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats, Ints
from ..lesson import Lesson
from ..topics import Layout, RandomBand
from .style import BLUE, GREY, HIDDEN, ORANGE, Part, axis, flat, layout, line, plain, upright

BAND = "rgba(140,146,156,0.25)"
NEAREST = 3  # topics that are joined to the chosen one
AWAY = ((0, -44), (78, -18), (-78, -18), (0, 34))  # pixels from a centroid to its name: sisters lie close together
SIMILARITY = "corrected similarity"


def topic_on_map(lesson: Lesson, drawn: Layout, topic: str) -> go.Figure:
    """Draw all texts as faint dots, those of one topic and its centroid lit, and lines to its nearest topics."""
    own = lesson.code(topic)
    lit = lesson.corpus.topic_codes[drawn.rows] == own
    near = lesson.by_similarity(topic)[:NEAREST]
    centres = drawn.centroids
    parts: list[Part] = [
        _dots(drawn.documents[~lit], GREY, size=3, opacity=0.35),
        _dots(drawn.documents[lit], ORANGE, size=5, opacity=0.8),
    ]
    for name in near:
        ends = centres[[own, lesson.code(name)]]
        parts.append(
            {
                "type": "scatter",
                "x": ends[:, 0],
                "y": ends[:, 1],
                "mode": "lines",
                "line": line(BLUE, width=1 + 5 * max(lesson.alike(topic, name), 0.0)),
                "hoverinfo": "skip",
            }
        )
    parts.append(
        {
            "type": "scatter",
            "x": centres[:, 0],
            "y": centres[:, 1],
            "mode": "markers",
            "marker": {
                "size": [16 if code == own else 11 for code in range(len(centres))],
                "color": [ORANGE if code == own else BLUE for code in range(len(centres))],
                "line": {"width": 1.5, "color": "white"},
            },
            "text": [plain(name) for name in lesson.names],
            "hovertemplate": "%{text}<extra></extra>",
        }
    )
    told = [f"<b>{plain(topic)}</b>", *(f"{plain(name)} {lesson.alike(topic, name):.2f}" for name in near)]
    places = centres[[own, *(lesson.code(name) for name in near)]]
    labels = [_label(point, text, away) for point, text, away in zip(places, told, AWAY, strict=True)]
    return go.Figure(
        data=parts, layout=layout(height=420, annotations=labels, xaxis=HIDDEN, yaxis=HIDDEN, hovermode="closest")
    )


def _dots(points: Floats, colour: str, *, size: int, opacity: float) -> Part:
    return {
        "type": "scatter",
        "x": points[:, 0],
        "y": points[:, 1],
        "mode": "markers",
        "marker": {"size": size, "color": colour, "opacity": opacity},
        "hoverinfo": "skip",
    }


def _label(point: Floats, text: str, away: tuple[int, int]) -> Part:
    return {
        "x": float(point[0]),
        "y": float(point[1]),
        "text": text,
        "ax": away[0],
        "ay": away[1],
        "arrowhead": 0,
        "arrowwidth": 1,
        "arrowcolor": GREY,
    }


def pair_among_all(lesson: Lesson, edges: Floats, counts: Ints, one: str, other: str) -> go.Figure:
    """Draw all pairs of topics by similarity, the near-twin threshold, and where one pair stands."""
    centres, value, border = (edges[:-1] + edges[1:]) / 2, lesson.alike(one, other), lesson.verdict.threshold
    top = int(counts.max())
    bars = [
        {
            "type": "bar",
            "x": centres[these],
            "y": counts[these],
            "width": edges[1] - edges[0],
            "name": name,
            "marker": {"color": colour, "line": {"width": 0}},
            "hovertemplate": "similarity %{x:.2f}: %{y} pairs<extra></extra>",
        }
        for these, colour, name in (
            (centres < border, BLUE, "pairs of topics"),
            (centres >= border, ORANGE, "near twins"),
        )
    ]
    pair = {
        "x": value,
        "y": 0,
        "ax": 0,
        "ay": -70,
        "text": f"<b>{plain(one)} – {plain(other)}</b><br>{value:.2f}",
        "arrowhead": 2,
        "arrowwidth": 2,
        "xanchor": "right" if value > 0.75 else "left" if value < 0.1 else "center",
    }
    return go.Figure(
        data=bars,
        layout=layout(
            height=340,
            keyed=True,
            bargap=0,
            shapes=[upright(border, line(GREY, dash="dash"))],
            annotations=[pair],
            xaxis=axis(SIMILARITY, range=[min(-0.05, float(edges[0])), 1.02]),
            yaxis=axis("pairs of topics", range=[0, 1.1 * top]),
        ),
    )


def closest_kept(lesson: Lesson, band: RandomBand, m: int) -> go.Figure:
    """Draw the closest pair among the topics kept, for HITS and for random samples, at every m; the chosen m is marked."""
    sizes, border = np.arange(2, lesson.path.comparable + 1), lesson.verdict.threshold
    low, middle, high = (row[1 : lesson.path.comparable] for row in band.max)
    found = lesson.path.max[1 : lesson.path.comparable]
    value = float(found[m - 2])
    parts: list[Part] = [
        {"type": "scatter", "x": sizes, "y": high, "mode": "lines", "line": {"width": 0}, "showlegend": False},
        {
            "type": "scatter",
            "x": sizes,
            "y": low,
            "mode": "lines",
            "line": {"width": 0},
            "fill": "tonexty",
            "fillcolor": BAND,
            "name": "random topics, 5–95%",
        },
        {"type": "scatter", "x": sizes, "y": middle, "mode": "lines", "line": line(GREY), "showlegend": False},
        {"type": "scatter", "x": sizes, "y": found, "mode": "lines", "line": line(BLUE, width=3), "name": "HITS"},
        {
            "type": "scatter",
            "x": [m],
            "y": [value],
            "mode": "markers",
            "showlegend": False,
            "marker": {
                "size": 14,
                "color": ORANGE if value >= border else BLUE,
                "line": {"width": 2, "color": "white"},
            },
            "hovertemplate": f"m = {m}: {value:.2f}<extra></extra>",
        },
    ]
    for part in parts[:4]:
        part["hoverinfo"] = "skip"
    return go.Figure(
        data=parts,
        layout=layout(
            height=360,
            keyed=True,
            shapes=[flat(border, line(ORANGE, dash="dash")), upright(m, line(GREY, dash="dot"))],
            annotations=[
                {"x": 0, "xref": "paper", "xanchor": "left", "y": border, "yanchor": "bottom", "showarrow": False}
                | {"text": "near twins from here"}
            ],
            xaxis=axis("topics kept (m)"),
            yaxis=axis(f"{SIMILARITY} of the closest pair", range=[0, 1]),
        ),
    )
