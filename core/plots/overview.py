"""Overview: how similar the topics are, and which pairs are worst."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Bools, Floats, Ints
from ..topics import Bootstrap, Verdict, ViewComparison
from .style import (
    BLUE,
    GREY,
    HIDDEN,
    ORANGE,
    RED,
    Part,
    axis,
    flat,
    layout,
    line,
    plain,
    plain_names,
    plain_pair,
    similarity_name,
    upright,
)

BAR, ROW = 0.38, 30  # a bar's share of a row, which has the pair's name above it; pixels of a row
RANDOM_BAND = "rgba(140,146,156,0.3)"


def similarity_histogram(edges: Floats, counts: Ints, verdict: Verdict, *, kind: str) -> go.Figure:
    """Draw all pairs of topics by similarity; near twins, above the threshold, stand out, unless the labels mean nothing: then the
    range of the typical pair of random groups does."""
    centres = (edges[:-1] + edges[1:]) / 2
    meaningless = verdict.level == "meaningless"
    twin = np.full(len(centres), False) if meaningless else centres >= verdict.threshold
    bars = [
        {
            "type": "bar",
            "x": centres[mask],
            "y": counts[mask],
            "width": edges[1] - edges[0],
            "marker": {"color": colour, "line": {"width": 0}},
            "name": name,
            "hovertemplate": "similarity %{x:.2f}<br>%{y} pairs<extra></extra>",
        }
        for mask, colour, name in ((~twin, BLUE, "pairs of topics"), (twin, RED, "near twins"))
        if mask.any()
    ]
    shapes, notes = _random_groups(verdict) if meaningless else _twin_threshold(verdict)
    return go.Figure(
        data=bars,
        layout=layout(
            alt="Histogram of the similarity of all pairs of topics",
            height=300,
            margin={"l": 8, "r": 8, "t": 44, "b": 8},
            shapes=shapes,
            annotations=notes,
            xaxis=axis(
                f"{similarity_name(kind)} of two topics",
                range=[min(0.0, float(edges[0])), max(1.005, float(edges[-1]))],
            ),
            yaxis=axis("pairs of topics"),
        ),
    )


def _line_label(x: float, text: str, *, row: int) -> Part:
    """Return a label on a line, in its own row above the bars, on the side with room."""
    side, shift = ("left", 4) if x < 0.5 else ("right", -4)
    return {"x": x, "y": 1, "yref": "paper", "yanchor": "bottom", "yshift": 16 * row, "showarrow": False} | {
        "text": text,
        "xanchor": side,
        "xshift": shift,
    }


def _twin_threshold(verdict: Verdict) -> tuple[list[Part], list[Part]]:
    typical, twins = line(GREY, dash="dot"), line(RED, dash="dash")
    notes = [
        _line_label(verdict.typical, "typical pair", row=0),
        _line_label(verdict.threshold, "near-twin threshold", row=1),
    ]
    if verdict.typical > 0.25:  # to the left, away from the other line
        notes[0] |= {"xanchor": "right", "xshift": -4}
    return [upright(verdict.typical, typical), upright(verdict.threshold, twins)], notes


def _random_groups(verdict: Verdict) -> tuple[list[Part], list[Part]]:
    """Mark where the typical pair is, and where it is when labels are shuffled."""
    if verdict.labels is None or not np.isfinite(verdict.typical):
        return [], []
    low, high = float(verdict.labels.shuffled.min()), float(verdict.labels.shuffled.max())
    band: Part = {"type": "rect", "xref": "x", "yref": "paper", "x0": low, "x1": high, "y0": 0, "y1": 1}
    band |= {"fillcolor": RANDOM_BAND, "line": {"width": 0}, "layer": "below"}
    note = _line_label(verdict.typical, "typical pair, and where<br>shuffled labels put it", row=0)
    return [band, upright(verdict.typical, line(GREY, dash="dot"))], [note]


def worst_pairs(
    names: Sequence[str],
    pairs: Sequence[tuple[int, int, float]],
    verdict: Verdict,
    *,
    clear: Bools,
    bootstrap: Bootstrap | None = None,
) -> go.Figure:
    """Draw the most similar pairs of topics, the closest on top, each named above its bar, with its 95% interval.

    The near-twin threshold is drawn across bars alone, so that it strikes no name through. Red are the pairs that are clearly near twins (`clear`, topic × topic), orange the others above the threshold.
    """
    drawn = sorted({topic for first, second, _ in pairs for topic in (first, second)})
    label = dict(zip(drawn, plain_names([names[topic] for topic in drawn], 26), strict=True))
    labels = [f"{label[first]} – {label[second]}" for first, second, _ in pairs]
    values = np.array([value for _, _, value in pairs])
    colours = [
        RED if clear[first, second] else ORANGE if value >= verdict.threshold else BLUE
        for first, second, value in pairs
    ]
    low, high = _intervals(pairs, bootstrap)
    notes = [
        {"x": 0, "y": index - 0.45, "text": f"<b>{value:.2f}</b>  {pair}", "showarrow": False, "xanchor": "left"}
        for index, (pair, value) in enumerate(zip(labels, values, strict=True))
    ]
    return go.Figure(
        data=[_bars(values, labels, colours, low, high), _arms(low, high)],
        layout=layout(
            alt="Bars of the most similar pairs of topics with their intervals",
            height=ROW * len(pairs) + 26,
            margin={"l": 8, "r": 8, "t": 22, "b": 4},
            shapes=[
                upright(verdict.threshold, line(RED), yref="y")
                | {"y0": index - BAR / 2 - 0.06, "y1": index + BAR / 2 + 0.06}
                for index in range(len(pairs))
            ],
            annotations=[*notes, _line_label(verdict.threshold, f"near twins from {verdict.threshold:.2f}", row=0)],
            xaxis=HIDDEN | {"range": [min(0.0, *values), 1.02]},  # every bar has its number beside its name
            yaxis=HIDDEN | {"range": [len(pairs) - 0.6, -0.8]},
        ),
    )


def _bars(values: Floats, labels: Sequence[str], colours: Sequence[str], low: Floats, high: Floats) -> Part:
    spans = [f"<br>95%: {a:.2f} to {b:.2f}" if np.isfinite(a) else "" for a, b in zip(low, high, strict=True)]
    return {
        "type": "bar",
        "x": values,
        "y": list(range(len(values))),
        "orientation": "h",
        "width": BAR,
        "marker": {"color": colours, "opacity": 0.45},
        "customdata": [label + span for label, span in zip(labels, spans, strict=True)],
        "hovertemplate": "%{customdata}<br>similarity %{x:.3f}<extra></extra>",
    }


def _arms(low: Floats, high: Floats) -> Part:
    """Return all intervals as one trace, with a gap between two."""
    return {
        "type": "scatter",
        "x": np.stack([low, high, np.full(len(low), np.nan)], axis=1).ravel(),
        "y": np.repeat(np.arange(len(low)), 3),
        "mode": "lines+markers",
        "line": line(GREY, width=1.5),
        "marker": {"symbol": "line-ns-open", "size": 9, "color": GREY, "line": {"width": 1.5}},
        "hoverinfo": "skip",
        "name": "95% interval",
    }


def _intervals(pairs: Sequence[tuple[int, int, float]], bootstrap: Bootstrap | None) -> tuple[Floats, Floats]:
    """Return the ends of each pair's interval, NaN where none is known."""
    if bootstrap is None or bootstrap.low is None or bootstrap.high is None:
        unknown = np.full(len(pairs), np.nan)
        return unknown, unknown
    first, second = np.array([(one, two) for one, two, _ in pairs], dtype=np.int64).reshape(-1, 2).T
    low, high = (ends[first, second].astype(np.float64) for ends in (bootstrap.low, bootstrap.high))
    return low, high


def two_views(found: ViewComparison, names: tuple[str, str], *, kind: str) -> go.Figure:
    """Draw pairs of topics by their similarity in either view: above both thresholds in the corner."""
    looks = {(True, True): ("both", RED, "circle"), (True, False): (names[0], BLUE, "square")}
    looks |= {(False, True): (names[1], ORANGE, "diamond")}
    others: Part = {
        "type": "scattergl",
        "x": found.pairs.others[:, 0],
        "y": found.pairs.others[:, 1],
        "mode": "markers",
        "marker": {"color": GREY, "size": 4, "opacity": 0.4},
        "hoverinfo": "skip",
        "name": "other pairs",
    }
    shown = []
    for seen, (name, colour, symbol) in looks.items():
        pairs = [pair for pair in found.pairs.twins if pair.seen == seen]
        shown.append(
            {
                "type": "scattergl",
                "x": [pair.similarity[0] for pair in pairs],
                "y": [pair.similarity[1] for pair in pairs],
                "mode": "markers",
                "marker": {"color": colour, "symbol": symbol, "size": 9, "opacity": 0.9},
                "text": [plain_pair(*pair.topics) for pair in pairs],
                "hovertemplate": "%{text}<br>%{x:.3f}, %{y:.3f}<extra></extra>",
                "name": f"near twins with {plain(name)}",
            }
        )
    lines = [line(colour, dash="dash") for colour in (BLUE, ORANGE)]
    first, second = (verdict.threshold for verdict in found.verdicts)
    return go.Figure(
        data=[others, *(trace for trace in shown if trace["x"])],
        layout=layout(
            height=380,
            keyed=True,
            alt="Similarity of every pair of topics in one view against the other",
            shapes=[upright(first, lines[0]), flat(second, lines[1])],
            xaxis=axis(f"{similarity_name(kind)}, {plain(names[0])}"),
            yaxis=axis(f"{similarity_name(kind)}, {plain(names[1])}"),
        ),
    )
