"""The lesson's later steps, on models: one chart a step, which moves with its one control."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats
from ..formats import percent, share
from ..lesson import CurveScores, DialRow, HeldOut, Lesson
from .lesson import SIMILARITY
from .lesson_deals import above
from .style import BLUE, GREY, ORANGE, Part, axis, by_model, flat, layout, line, plain, share_axis, upright


def right_by_similarity(lesson: Lesson, found: HeldOut, similarity: Floats, *, label: str, colour: int) -> go.Figure:
    """Right answers on every test topic against how similar its nearest training topic is."""
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
    """Accuracy along the leakage curve, the chosen model in bold; what was guessed is a mark where the twins have left."""
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
                "texts by authors loyal to one family",
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
