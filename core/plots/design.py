"""Design a split: every option, by what it keeps and what it leaks."""

import plotly.graph_objects as go

from ..splits import Design, Option, option_label, split_kinds
from .style import COLOURS, GREY, INK, RED, Part, axis, flat, layout, line, plain, similarity_name

_LOOK = {
    "random": (GREY, "circle", "markers"),  # a cloud beside what keeps every document
    "hits": (COLOURS[0], "circle", "lines+markers"),
    "minimax": (COLOURS[1], "square", "lines+markers"),
    "grouping": (COLOURS[4], "triangle-up", "lines+markers"),
    "hybrid": (COLOURS[3], "x", "lines+markers"),
    "least-leakage": (COLOURS[2], "diamond", "markers"),
}
_OTHERS = ((COLOURS[5], "cross"), (COLOURS[6], "star"), (COLOURS[7], "pentagon"))  # samplers that were added, in turn


def options(design: Design, chosen: Option | None, *, kind: str, meaningful: bool = True) -> go.Figure:
    """Draw documents kept against the highest similarity of a training and a test topic; up is worse, right is more. No line of
    near twins where labels mean nothing."""
    baseline = max((option.max for option in design.of("random") if option.max == option.max), default=None)
    marked = [(design.threshold, "near twins above", RED)] if meaningful else []
    marked += [] if baseline is None else [(baseline, "topic k-fold, the baseline", GREY)]
    traces = [_option_points(design, name) for name in split_kinds() if design.of(name)]
    if chosen is not None:
        traces.append(_choice_ring(chosen))
    return go.Figure(
        data=traces,
        layout=layout(
            alt="Documents kept against the highest similarity of training and test topics, a point for every split",
            height=450,
            keyed=True,
            shapes=[flat(at, line(colour, dash="dash")) for at, _, colour in marked],
            annotations=[_line_note(at, words) for at, words, _ in marked],
            xaxis=axis("documents kept"),
            yaxis=axis(f"highest train/test {similarity_name(kind)}"),
        ),
    )


def _line_note(at: float, words: str) -> Part:
    where: Part = {"x": 0.01, "xref": "paper", "y": at, "yshift": 9, "xanchor": "left"}
    return where | {"text": words, "showarrow": False}


def _option_points(design: Design, kind: str) -> Part:
    """Return the options of one kind; each carries its number among all options, for whoever clicks it."""
    found = [(number, each) for number, each in enumerate(design.options) if each.kind == kind]
    colour, symbol, mode = _kind_look(kind)
    if "lines" in mode:  # by size: a line that turns back is no path
        found.sort(key=lambda one: (one[1].documents, one[1].max))
    return {
        "type": "scatter",
        "name": plain(split_kinds()[kind].key),
        "x": [each.documents + aside for (_, each), aside in zip(found, _offsets_aside(kind, design), strict=True)],
        "y": [each.max for _, each in found],
        "mode": mode,
        "line": line(colour, width=1),
        "marker": {
            "color": colour,
            "symbol": symbol,
            "size": 12 if kind == "least-leakage" else 7,
            "opacity": 0.45 if kind == "random" else 1,
        },
        "customdata": [[number] for number, _ in found],
        "text": [_hover(each) for _, each in found],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _kind_look(kind: str) -> tuple[str, str, str]:
    """Return colour, symbol and mode of a kind."""
    if kind in _LOOK:
        return _LOOK[kind]
    others = [name for name in split_kinds() if name not in _LOOK]
    return *_OTHERS[others.index(kind) % len(_OTHERS)], "lines+markers"


def _choice_ring(chosen: Option) -> Part:
    return {
        "type": "scatter",
        "name": "your choice",
        "x": [chosen.documents],
        "y": [chosen.max],
        "mode": "markers",
        "marker": {"symbol": "circle-open", "size": 22, "color": INK, "line": {"width": 3}},
        "hoverinfo": "skip",
    }


def _offsets_aside(kind: str, design: Design) -> list[float]:
    """Return how far aside each point is drawn: random splits all keep every document, and would lie on one another. To the left,
    for no split keeps more than all."""
    count, width = len(design.of(kind)), -0.04 * design.documents
    if kind != "random":
        return [0.0] * count
    return [width * (0.25 + 0.75 * (0.618 * number % 1)) for number in range(count)]


def _hover(option: Option) -> str:
    return (
        f"<b>{plain(option_label(option), 60)}</b><br>{option.documents:,} documents, {option.topics} topics<br>"
        f"highest {option.max:.3f}, nearest on average {option.nearest_mean:.3f}"
    )
