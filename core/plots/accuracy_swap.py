"""Folds & accuracy, the twin swapped out: what it buys each model, topic by topic and in the mean."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats
from ..evaluation import STEP_NAMES, STEPS, Sources, SwapEffect
from ..formats import number
from ..splits import Swaps
from ..statistics import AdjustedSlope
from .style import (
    GREY,
    INK,
    Part,
    axis,
    by_model,
    flat,
    layout,
    line,
    model_mark,
    plain,
    plain_names,
    similarity_name,
    upright,
    whiskers,
)

LETTER, LINE = 0.014, 0.05  # of a name, in parts of the chart's width and height
POINT = 0.012, 0.02  # half of a point, likewise
# Of a point, where its name may stand: to the right, up, and how plotly is told.
SIDES: tuple[tuple[int, int, Part], ...] = (
    (0, 1, {"yshift": 13}),
    (0, -1, {"yshift": -13}),
    (1, 0, {"xanchor": "left", "xshift": 8}),
    (-1, 0, {"xanchor": "right", "xshift": -8}),
)
MOST_LABELS = 6


def mean_effects(effects: Mapping[str, SwapEffect], *, metric: str) -> go.Figure:
    """Each model's mean effect (keys are labels) with its 95 % interval, in points, against none."""
    marks: list[Part] = []
    for index, (label, found) in enumerate(effects.items()):
        middle, low, high = (100 * value for value in (found.effect, found.low, found.high))
        reach = whiskers([middle], [low], [high], width=6)
        told = f"{plain(label)}: %{{x:+.1f}} points ({low:+.1f} to {high:+.1f})<extra></extra>"
        place = [middle], [plain(label)]
        marks.append(by_model(index, label, *place, mode="markers", size=12, error_x=reach, hovertemplate=told))
    return go.Figure(
        data=marks,
        layout=layout(
            alt="What the twin buys each model, with 95 % intervals",
            height=110 + 44 * len(effects),
            shapes=[upright(0, line(GREY, dash="dot"))],
            xaxis=axis(f"points of {plain(metric)} that the twin buys"),
            yaxis=axis(autorange="reversed", showgrid=False),
        ),
    )


def effects_by_topic(
    names: Sequence[str], swaps: Swaps, effects: Mapping[str, SwapEffect], *, metric: str, kind: str, focus: int | None
) -> go.Figure:
    """The effect on every test topic against the similarity of its twin, a mark a model."""
    pairs = [
        f"{plain(names[topic])}, twin {plain(names[twins[0]])}"
        for topic, twins in zip(swaps.topics, swaps.twins, strict=True)
    ]
    lit = [1.0 if focus is None or topic == focus else 0.25 for topic in swaps.topics]
    marks: list[Part] = []
    for index, (label, found) in enumerate(effects.items()):
        mark = by_model(
            index,
            label,
            swaps.similarity,
            100 * found.by_topic,
            mode="markers",
            size=10,
            customdata=[[int(topic)] for topic in swaps.topics],
            text=pairs,
            hovertemplate=f"%{{text}}<br>{plain(label)}: %{{y:+.1f}} points<extra></extra>",
        )
        mark["marker"]["opacity"] = lit
        marks.append(mark)
    return go.Figure(
        data=marks,
        layout=layout(
            alt="Gain of each model on each test topic against the similarity of its twin",
            height=380,
            keyed=True,
            shapes=[flat(0, line(GREY, dash="dot"))],
            annotations=_largest(names, swaps, effects),
            xaxis=axis(f"{similarity_name(kind)} of the test topic and its twin"),
            yaxis=axis(f"points of {plain(metric)} gained"),
        ),
    )


def _largest(names: Sequence[str], swaps: Swaps, effects: Mapping[str, SwapEffect]) -> list[Part]:
    """Names of the topics that gain or lose most for any model, each on a side of its point where neither a point nor a
    stronger one's name lies; where there is none, it has no name."""
    table = 100 * np.array([found.by_topic for found in effects.values()])
    size = np.nan_to_num(np.abs(table), nan=-1.0)
    strongest, model = size.max(axis=0), size.argmax(axis=0)
    finite = table[np.isfinite(table)]
    wide, high = np.ptp(swaps.similarity) or 1.0, (np.ptp(finite) if len(finite) else 0.0) or 1.0
    across = np.broadcast_to(swaps.similarity, table.shape)[np.isfinite(table)]
    taken = [(x / wide, y / high, *POINT) for x, y in zip(across, finite, strict=True)]  # middles and half widths
    labels: list[Part] = []
    shown = plain_names([names[topic] for topic in swaps.topics], 22)
    for index in np.argsort(-strongest, kind="stable"):
        if len(labels) == MOST_LABELS or strongest[index] <= 0:
            break
        x, y = float(swaps.similarity[index]), float(table[model[index], index])
        text = shown[index]
        half = LETTER * len(text) / 2
        for right, up, side in SIDES:
            box = x / wide + right * (half + 0.02), y / high + up * LINE, half, LINE / 2
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                labels.append({"x": x, "y": y, "text": text, "showarrow": False, "font": {"size": 11}, **side})
                break
    return labels


def _overlap(one: tuple[float, ...], two: tuple[float, ...]) -> bool:
    """Whether two boxes, each its middle and its half widths, touch."""
    return abs(one[0] - two[0]) < one[2] + two[2] and abs(one[1] - two[1]) < one[3] + two[3]


def dose(effects: Mapping[int, Mapping[str, SwapEffect]], *, metric: str) -> go.Figure:
    """The mean effect against how many of the nearest topics are swapped together, with intervals."""
    doses = sorted(effects)
    lines: list[Part] = []
    for index, label in enumerate(effects[doses[0]]):
        middle, low, high = (
            np.array([100 * getattr(effects[count][label], end) for count in doses])
            for end in ("effect", "low", "high")
        )
        told = f"nearest %{{x}}: {plain(label)} %{{y:+.1f}} points<extra></extra>"
        shown = [str(count) for count in doses]
        lines.append(by_model(index, label, shown, middle, error_y=whiskers(middle, low, high), hovertemplate=told))
    return go.Figure(
        data=lines,
        layout=layout(
            height=340,
            keyed=True,
            shapes=[flat(0, line(GREY, dash="dot"))],
            xaxis=axis("nearest topics swapped together", type="category"),
            yaxis=axis(f"points of {plain(metric)} gained"),
        ),
    )


def all_together(slopes: Mapping[str, AdjustedSlope], *, kind: str) -> go.Figure:
    """Right answers with authors taken out against the similarity of the nearest training topic, a point a test topic, and
    the regression that is quoted."""
    parts: list[Part] = []
    for index, (label, found) in enumerate(slopes.items()):
        colour, symbol = model_mark(index, label)
        size = 6 + 10 * found.weight / found.weight.max() if len(found.weight) else found.weight
        parts.append(
            {
                "type": "scatter",
                "name": plain(label),
                "legendgroup": label,
                "x": found.similarity,
                "y": 100 * found.residual,
                "mode": "markers",
                "marker": {"color": colour, "symbol": symbol, "size": size, "opacity": 0.75},
                "hovertemplate": f"{plain(label)}: %{{y:+.1f}} points at %{{x:.3f}}<extra></extra>",
            }
        )
        if not found.problem:
            ends = np.array([found.similarity.min(), found.similarity.max()])
            parts.append(
                {
                    "type": "scatter",
                    "legendgroup": label,
                    "showlegend": False,
                    "x": ends,
                    "y": 100 * (found.intercept + found.slope * ends),
                    "mode": "lines",
                    "line": line(colour),
                    "hoverinfo": "skip",
                }
            )
    return go.Figure(
        data=parts,
        layout=layout(
            alt="Right answers with authors taken out against the similarity of the nearest training topic",
            height=420,
            keyed=True,
            shapes=[flat(0, line(GREY, dash="dot"))],
            xaxis=axis(f"{similarity_name(kind)} of the nearest training topic"),
            yaxis=axis("points of right answers, authors taken out"),
        ),
    )


# Of the steps, which are no models: none of these is a model's colour.
STEP_COLOURS = {"documents": "#A9B7C6", "authors": "#7F6A55", "topic": "#4F7F78", "raw": GREY}


def waterfall(found: Mapping[str, Sources], *, metric: str) -> go.Figure:
    """Of the points each model loses under HITS, how many each step takes, each from where the one before ended, and all of
    them; a group of bars a model."""
    bars: list[Part] = []
    below = np.zeros(len(found))
    for name in STEPS:
        bars.append(_step_bars(found, name, STEP_NAMES[name], below))
        below = below + bars[-1]["y"]
    bars.append(_step_bars(found, "raw", "all", np.zeros(len(found))))
    return go.Figure(
        data=bars,
        layout=layout(
            height=360,
            keyed=True,
            barmode="group",
            shapes=[flat(0, line(GREY, dash="dot"))],
            xaxis=axis(showgrid=False),
            yaxis=axis(f"points of {plain(metric)} lost, random − HITS"),
        ),
    )


def _step_bars(found: Mapping[str, Sources], name: str, shown: str, below: Floats) -> Part:
    """A step's bars, one a model, each with the interval of what it takes."""
    middle = np.array([100 * float(each.step(name).mean()) for each in found.values()])
    low, high = 100 * np.array([each.interval(name) for each in found.values()]).T
    reach = [
        f"({number(under, '+.1f')} to {number(over, '+.1f')})" if np.isfinite(under) else "(too few samples)"
        for under, over in zip(low, high, strict=True)
    ]
    return {
        "type": "bar",
        "name": shown,
        "x": [plain(label) for label in found],
        "y": middle,
        "base": below,
        "marker": {"color": STEP_COLOURS[name]},
        "error_y": whiskers(middle, low, high, color=INK),
        "customdata": [[number(value, "+.1f"), text] for value, text in zip(middle, reach, strict=True)],
        "hovertemplate": f"%{{x}}, {shown}: %{{customdata[0]}} points %{{customdata[1]}}<extra></extra>",
    }
