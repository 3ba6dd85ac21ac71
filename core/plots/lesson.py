"""The lesson: one chart a step, which moves with its one control."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats, Ints
from ..formats import percent, share
from ..lesson import CurveScores, DialRow, HeldOut, Lesson, RandomSplit, StepCounts
from ..topics import Layout, RandomBand
from .style import BLUE, GREY, HIDDEN, ORANGE, Part, axis, by_model, flat, layout, line, plain, share_axis, upright

BAND = "rgba(140,146,156,0.25)"
NEAREST = 3  # topics that are joined to the chosen one
AWAY = ((0, -44), (78, -18), (-78, -18), (0, 34))  # pixels from a centroid to its name: near twins lie close together
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
                "line": line(BLUE, width=1 + 5 * max(lesson.similarity_of(topic, name), 0.0)),
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
    told = [f"<b>{plain(topic)}</b>", *(f"{plain(name)} {lesson.similarity_of(topic, name):.2f}" for name in near)]
    places = centres[[own, *(lesson.code(name) for name in near)]]
    labels = [_arrow_label(point, text, away) for point, text, away in zip(places, told, AWAY, strict=True)]
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


def _arrow_label(point: Floats, text: str, away: tuple[int, int]) -> Part:
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
    centres, value, border = (edges[:-1] + edges[1:]) / 2, lesson.similarity_of(one, other), lesson.verdict.threshold
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


def split_of_topics(lesson: Lesson, drawn: RandomSplit, bold: Sequence[str]) -> go.Figure:
    """Draw a row a fold and a tile a topic; filled where a near twin is in another fold, and some names in bold."""
    column = [int((drawn.fold_of[:topic] == drawn.fold_of[topic]).sum()) for topic in range(len(drawn.fold_of))]
    tiles = []
    for leaks, name, colour, symbol in (
        (True, "tested with a near twin in training", ORANGE, "square"),
        (False, "no near twin in training", BLUE, "square-open"),
    ):
        topics = np.flatnonzero(drawn.leaking == leaks).tolist()
        tiles.append(
            {
                "type": "scatter",
                "x": [column[topic] for topic in topics],
                "y": [int(drawn.fold_of[topic]) for topic in topics],
                "mode": "markers",
                "name": name,
                "marker": {"symbol": symbol, "size": 17, "color": colour, "line": {"width": 2}},
                "text": [_twins_said(lesson, drawn, topic) for topic in topics],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    names = [
        {
            "x": column[topic],
            "y": int(drawn.fold_of[topic]),
            "text": f"<b>{plain(name)}</b>" if name in bold else plain(name),
            "showarrow": False,
            "yshift": -19,
            "font": {"size": 12},
        }
        for topic, name in enumerate(lesson.names)
    ]
    folds = int(drawn.fold_of.max()) + 1
    return go.Figure(
        data=tiles,
        layout=layout(
            height=70 + 58 * folds,
            keyed=True,
            annotations=names,
            xaxis=axis(visible=False, range=[-0.55, max(column) + 0.55]),
            yaxis=axis(
                tickvals=list(range(folds)),
                ticktext=[f"fold {number + 1}" for number in range(folds)],
                range=[folds - 0.35, -0.5],
                showgrid=False,
            ),
        ),
    )


def _twins_said(lesson: Lesson, drawn: RandomSplit, topic: int) -> str:
    twins = np.flatnonzero(lesson.twins[topic] & (drawn.fold_of != drawn.fold_of[topic]))
    met = ", ".join(plain(lesson.names[twin]) for twin in twins.tolist())
    return (
        f"{plain(lesson.names[topic])}: trained on {met}"
        if met
        else f"{plain(lesson.names[topic])}: no near twin there"
    )


def leaks_of_splits(counts: Ints, *, topics: int, expected: float, guess: int | None) -> go.Figure:
    """Draw how many topics leak in each of many random splits; the mean expected, and what was predicted."""
    often = np.bincount(counts, minlength=topics + 1)
    marks = [upright(expected, line(GREY, dash="dash"))]
    notes = [above(expected, f"expected {expected:.1f}")]
    if guess is not None:
        marks.append(upright(guess, line(ORANGE, width=3)))
        notes.append(above(guess, f"you: {guess}", lower=True))
    return go.Figure(
        data=[
            {
                "type": "bar",
                "x": np.arange(topics + 1),
                "y": often,
                "marker": {"color": BLUE},
                "hovertemplate": "%{x} topics leak in %{y} splits<extra></extra>",
            }
        ],
        layout=layout(
            height=340,
            margin={"l": 8, "r": 8, "t": 52, "b": 8},
            bargap=0.15,
            shapes=marks,
            annotations=notes,
            xaxis=axis("topics tested while a near twin is in training", range=[-0.6, topics + 0.6]),
            yaxis=axis(f"of {len(counts)} splits"),
        ),
    )


def above(x: float, text: str, *, lower: bool = False) -> Part:
    """Return a note over an upright line, in one of two rows."""
    return {
        "x": x,
        "y": 1.0,
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": 0 if lower else 20,
        "text": text,
        "showarrow": False,
    }


def right_by_similarity(lesson: Lesson, found: HeldOut, similarity: Floats, *, label: str, colour: int) -> go.Figure:
    """Draw right answers on every test topic against how similar its nearest training topic is."""
    return go.Figure(
        data=[
            by_model(
                colour,
                label,
                similarity,
                found.accuracy,
                mode="markers",
                size=6 + np.sqrt(found.asked),
                text=[plain(name) for name in lesson.names],
                customdata=[percent(value) for value in found.accuracy],
                hovertemplate="%{text}: %{customdata} right, nearest at %{x:.2f}<extra></extra>",
            )
        ],
        layout=layout(
            height=360,
            shapes=[upright(lesson.verdict.threshold, line(GREY, dash="dash"))],
            annotations=[above(lesson.verdict.threshold, "near twin in training →", lower=True)],
            margin={"l": 8, "r": 8, "t": 32, "b": 8},
            xaxis=axis(f"{SIMILARITY} of the nearest training topic"),
            yaxis=share_axis("authors named rightly", range=[0, 1.04]),
        ),
    )


def without_twins(
    curve: CurveScores, *, labels: Mapping[str, str], threshold: float, chosen: str, guess: int | None
) -> go.Figure:
    """Draw accuracy along the leakage curve, the chosen model in bold, with the guess as a mark at the last level."""
    lines = [
        by_model(
            index,
            labels[name],
            curve.similarity,
            curve.scores[name],
            size=11 if name == chosen else 7,
            opacity=1 if name == chosen else 0.45,
            hovertemplate=f"{plain(labels[name])}: %{{y:.0%}}, nearest at %{{x:.2f}}<extra></extra>",
        )
        for index, name in enumerate(labels)
    ]
    if guess is not None:
        mark: Part = {"symbol": "diamond", "size": 14, "color": ORANGE, "line": {"width": 1.5, "color": "white"}}
        place = {"x": [curve.similarity[1]], "y": [guess / 100]}
        look = {"mode": "markers", "marker": mark, "hovertemplate": f"you: {guess}%<extra></extra>"}
        lines.append({"type": "scatter", "name": "your guess", **place, **look})
    return go.Figure(
        data=lines,
        layout=layout(
            height=380,
            keyed=True,
            shapes=[upright(threshold, line(GREY, dash="dash"))],
            annotations=[above(threshold, "near twins in training →", lower=True)],
            margin={"l": 8, "r": 8, "t": 60, "b": 8},
            xaxis=axis(f"{SIMILARITY} of the nearest training topic"),
            yaxis=share_axis("authors named rightly", range=[0, 1.04]),
        ),
    )


def change_under_hits(rows: Mapping[str, Sequence[DialRow]], *, chosen: float) -> go.Figure:
    """Draw what HITS changes of every model's score against how loyal authors are; the spread is that of synthetic corpora."""
    lines: list[Part] = []
    for index, (label, found) in enumerate(rows.items()):
        lines.append(
            by_model(
                index,
                label,
                [row.loyal + 0.008 * (index - 1) for row in found],
                [100 * row.change for row in found],
                size=[15 if row.loyal == chosen else 8 for row in found],
                error_y={"array": [100 * row.change_sd for row in found], "width": 4},
                hovertemplate=f"{plain(label)}: %{{y:+.1f}} points<extra></extra>",
            )
        )
    return go.Figure(
        data=lines,
        layout=layout(
            height=360,
            keyed=True,
            shapes=[flat(0, line(GREY, dash="dot")), upright(chosen, line(GREY, dash="dot"))],
            xaxis=share_axis(
                "share of an author's texts<br>in one group of near twins",
                ticks=sorted({row.loyal for found in rows.values() for row in found}),
            ),
            yaxis=axis("points of accuracy, HITS − random"),
        ),
    )


def chances_of_wins(chances: Floats, *, wins: int) -> go.Figure:
    """Draw how often two equal models part by chance into this many wins; as far as the observed one, or further, stands out."""
    topics = len(chances) - 1
    count = np.arange(topics + 1)
    far = np.abs(2 * count - topics) >= abs(2 * wins - topics)
    bars = [
        {
            "type": "bar",
            "x": count[these],
            "y": chances[these],
            "name": name,
            "marker": {"color": colour},
            "customdata": [share(chance) for chance in chances[these]],
            "hovertemplate": "%{x} wins: %{customdata}<extra></extra>",
        }
        for these, name, colour in ((~far, "less far apart", BLUE), (far, "as far apart or further", ORANGE))
    ]
    return go.Figure(
        data=bars,
        layout=layout(
            height=340,
            keyed=True,
            bargap=0.15,
            xaxis=axis(f"topics of {topics} on which A is ahead", range=[-0.6, topics + 0.6]),
            yaxis=share_axis("if both are equally good", ticks=np.arange(0, 1.01, 0.05).tolist()),
        ),
    )


def class_answers(found: StepCounts, *, shown: bool) -> go.Figure:
    """Draw how often each answer was given in a class, the right ones in blue once they are shown."""
    colours = [BLUE if right or not shown else GREY for right in found.right]
    if isinstance(found.answers[0], int):
        bars: Part = {"x": list(found.answers), "y": list(found.counts), "hovertemplate": "%{x}: %{y}<extra></extra>"}
        return go.Figure(
            data=[{"type": "bar", **bars, "marker": {"color": colours}}],
            layout=layout(
                height=320, bargap=0.15, xaxis=axis("answer"), yaxis=axis("answers given", **_whole(found.counts))
            ),
        )
    rows = list(range(len(found.answers)))
    names = [
        {"x": 0, "y": row, "xanchor": "left", "yanchor": "bottom", "yshift": 11, "showarrow": False, "align": "left"}
        | {"text": f"<b>{count}</b>  " + "<br>".join(wrap(plain(str(answer), 200), 52)), "font": {"size": 14}}
        for row, answer, count in zip(rows, found.answers, found.counts, strict=True)
    ]
    bars = {"x": list(found.counts), "y": rows, "orientation": "h", "width": 0.28, "hoverinfo": "skip"}
    return go.Figure(
        data=[{"type": "bar", **bars, "marker": {"color": colours}}],
        layout=layout(
            height=60 + 88 * len(rows),
            annotations=names,
            xaxis=axis("answers given", **_whole(found.counts)),
            yaxis=axis(visible=False, range=[len(rows) - 0.6, -0.95]),
        ),
    )


def _whole(counts: Sequence[int]) -> Part:
    """Return ticks at integers, and room for at least five."""
    return {
        "range": [0, max(5, *counts) * 1.05],
        "tick0": 0,
        "dtick": 1 if max(counts) <= 10 else None,
        "tickformat": "d",
    }
