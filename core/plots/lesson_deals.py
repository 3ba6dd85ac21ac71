"""The lesson's random splits of topics: one of them, and how many topics leak in many."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Ints
from ..lesson import Deal, Lesson
from .style import BLUE, GREY, ORANGE, Part, axis, layout, line, plain, upright


def deal_of_topics(lesson: Lesson, deal: Deal, sisters: Sequence[str]) -> go.Figure:
    """Draw a row a fold and a tile a topic; filled where a near twin is in another fold, and two sisters in bold."""
    column = [int((deal.fold_of[:topic] == deal.fold_of[topic]).sum()) for topic in range(len(deal.fold_of))]
    tiles = []
    for leaks, name, colour, symbol in (
        (True, "tested with a near twin in training", ORANGE, "square"),
        (False, "no near twin in training", BLUE, "square-open"),
    ):
        topics = np.flatnonzero(deal.leaking == leaks).tolist()
        tiles.append(
            {
                "type": "scatter",
                "x": [column[topic] for topic in topics],
                "y": [int(deal.fold_of[topic]) for topic in topics],
                "mode": "markers",
                "name": name,
                "marker": {"symbol": symbol, "size": 17, "color": colour, "line": {"width": 2}},
                "text": [_twins_said(lesson, deal, topic) for topic in topics],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    names = [
        {
            "x": column[topic],
            "y": int(deal.fold_of[topic]),
            "text": f"<b>{plain(name)}</b>" if name in sisters else plain(name),
            "showarrow": False,
            "yshift": -19,
            "font": {"size": 12},
        }
        for topic, name in enumerate(lesson.names)
    ]
    folds = int(deal.fold_of.max()) + 1
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


def _twins_said(lesson: Lesson, deal: Deal, topic: int) -> str:
    twins = np.flatnonzero(lesson.twins[topic] & (deal.fold_of != deal.fold_of[topic]))
    met = ", ".join(plain(lesson.names[twin]) for twin in twins.tolist())
    return (
        f"{plain(lesson.names[topic])}: trained on {met}"
        if met
        else f"{plain(lesson.names[topic])}: no near twin there"
    )


def leaks_of_deals(counts: Ints, *, topics: int, expected: float, guess: int | None) -> go.Figure:
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
