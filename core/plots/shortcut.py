"""Shortcut test: Avg against Diff, and accuracy by how similar the two texts of a pair are."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..evaluation import Reliance, ShortcutTest, SystemResult
from ..formats import number
from .style import GREY, Part, axis, by_model, free_places, layout, line, model_mark, plain, upright

SAID = {"leans": "relies on topic", "does not": "does not rely on topic", "cannot tell": "inconclusive"}
OF_CONTROL = {"leans": "falls, so the test works here"}
OF_CONTROL |= dict.fromkeys(("does not", "cannot tell"), "does not clearly fall, so the test cannot tell")
BAND = "rgba(140,146,156,0.18)"  # of the margin
ROW = 46  # pixels of a system
SIDES = ("top right", "bottom right", "top left", "bottom left")  # of a mark, where its name may stand


def changes(test: ShortcutTest, metric: str) -> go.Figure:
    """Draw a row a system, the control on top: its score under HITS minus that on random samples, with its interval and reading."""
    rows = sorted(test.results, key=lambda each: each.name != test.control)  # stable: the others keep their order
    marks = dict(
        zip([each.name for each in test.results], free_places([each.name for each in test.results]), strict=True)
    )
    labels = [f"{plain(each.name, 20)}{'<br>(control)' if each.name == test.control else ''}" for each in rows]
    ends = [abs(end) for each in rows for end in (each.gap, *each.gap_interval) if np.isfinite(end)]
    reach = 1.1 * max([*ends, 1.5 * test.margin])
    points = [
        by_model(
            marks[each.name],
            each.name,
            [each.gap],
            [place],
            mode="markers",
            size=12,
            error_x=_whiskers(each.gap, each.gap_interval, model_mark(marks[each.name], each.name)[0]),
            hovertemplate=f"{_told(each)}<extra>{plain(each.name)}</extra>",
        )
        for place, each in enumerate(rows)
    ]
    said = [
        {
            "x": each.gap,
            "y": place,
            "yshift": 15,
            "text": (OF_CONTROL if each.name == test.control else SAID)[each.reading],
            "showarrow": False,
        }
        for place, each in enumerate(rows)
        if np.isfinite(each.gap)
    ]
    within = {"type": "rect", "x0": -test.margin, "x1": test.margin, "yref": "paper", "y0": 0, "y1": 1}
    return go.Figure(
        data=points,
        layout=layout(
            alt="Score under HITS minus the score on random samples, a row a system, with 95% intervals",
            height=90 + ROW * len(rows),
            shapes=[within | {"fillcolor": BAND, "line": {"width": 0}}, upright(0, line(GREY, width=1))],
            annotations=said,
            xaxis=axis(f"{plain(metric)} under HITS minus random", range=[-reach, reach]),
            yaxis=axis(tickvals=list(range(len(rows))), ticktext=labels, range=[len(rows) - 0.5, -0.7], showgrid=False),
        ),
    )


def avg_against_diff(test: ShortcutTest, metric: str) -> go.Figure:
    """Draw a point a system with its intervals and its reading: good systems lie low and to the right; hollow ones' gap may be 0."""
    points: list[Part] = []
    highest, cut = _top(test.results)
    places = _beside_marks(test.results, highest)
    marks = free_places([result.name for result in test.results])
    for index, result in enumerate(test.results):
        colour, symbol = model_mark(marks[index], result.name)
        points.append(
            {
                "type": "scatter",
                "x": [result.avg],
                "y": [result.diff],
                "error_x": _whiskers(result.avg, result.avg_interval, colour),
                "error_y": _whiskers(result.diff, result.diff_interval, colour),
                "mode": "markers+text",
                "text": [plain(result.name, 24)],
                "textposition": places[index],
                "name": plain(result.name),
                "marker": {
                    "size": 14,
                    "color": colour,
                    "symbol": f"{symbol}-open" if result.within_noise else symbol,
                    "line": {"width": 2, "color": colour},
                },
                "hovertemplate": f"Avg %{{x:.3f}}, Diff %{{y:.3f}}<br>{_told(result)}<extra>{plain(result.name)}</extra>",
            }
        )
    corner = {
        "xref": "paper",
        "yref": "paper",
        "x": 1.0,
        "y": 1.0,
        "xanchor": "right",
        "yanchor": "bottom",
        "text": ("bars cut at the top go on · " if cut else "") + "good: far right and low ↘",
        "showarrow": False,
    }
    return go.Figure(
        data=points,
        layout=layout(
            alt="Avg against Diff, a point a system",
            height=380,
            annotations=[corner],
            margin={"l": 8, "r": 8, "t": 36, "b": 8},
            xaxis=axis(f"Avg: mean {plain(metric)} (higher is better)"),
            # a little below 0, where marks would be cut in half
            yaxis=axis("Diff: change under HITS (lower is better)", range=[-0.05 * highest, 1.08 * highest]),
        ),
    )


def _top(results: Sequence[SystemResult]) -> tuple[float, bool]:
    """Return how high the chart reaches, and whether a bar is cut: one that is known from two samples would press all others flat."""
    marks = [each.diff for each in results if np.isfinite(each.diff)]
    bars = [each.diff_interval[1] for each in results if np.isfinite(each.diff_interval[1])]
    longest = max([*marks, *bars], default=0.01)
    enough = max(4 * max(marks, default=0.0), 3 * float(np.median(bars)) if bars else 0.0)
    return (enough, True) if 0 < enough < longest else (longest, False)


def _beside_marks(results: Sequence[SystemResult], highest: float) -> list[str]:
    """Return the side of its mark on which each name stands, away from its neighbours' names."""
    known = [each.avg for each in results if np.isfinite(each.avg)]
    width = (max(known) - min(known) if known else 0.0) or 1.0
    places: list[str] = []
    for index, one in enumerate(results):
        near = {
            places[other]
            for other, two in enumerate(results[:index])
            if abs(one.avg - two.avg) < 0.15 * width and abs(one.diff - two.diff) < 0.15 * highest
        }
        places.append(next((side for side in SIDES if side not in near), SIDES[0]))
    return places


def _told(result: SystemResult) -> str:
    low, high = result.gap_interval
    interval = f" ({number(low, '+.3f')} to {number(high, '+.3f')})" if np.isfinite(low) else ""
    return f"HITS − random {number(result.gap, '+.3f')}{interval}: {SAID[result.reading]}"


def _whiskers(value: float, interval: tuple[float, float], colour: str) -> Part:
    low, high = interval
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(0.0, high - value) if np.isfinite(high) else 0.0],
        "arrayminus": [max(0.0, value - low) if np.isfinite(low) else 0.0],
        "color": colour,
        "thickness": 1.2,
    }


def accuracy_by_similarity(systems: Sequence[Reliance], kind: str) -> go.Figure:
    """Draw accuracy on one kind of pair, from the least to the most similar quarter of pairs."""
    quarters = ["least similar", "2nd quarter", "3rd quarter", "most similar"]
    lines: list[Part] = []
    marks = free_places([system.name for system in systems])
    for index, system in zip(marks, systems, strict=True):
        told = f"%{{x}}: %{{y:.3f}} of %{{customdata}} answered<extra>{plain(system.name)}</extra>"
        given: Part = {"customdata": system.answered[kind], "hovertemplate": told}
        lines.append(by_model(index, system.name, quarters, system.accuracy[kind], size=10, **given))
    return go.Figure(
        data=lines,
        layout=layout(
            height=340,
            keyed=True,
            alt="Accuracy of each system by the similarity of the two texts of a pair",
            xaxis=axis("pairs by the cosine of their two texts"),
            yaxis=axis("accuracy"),
        ),
    )
