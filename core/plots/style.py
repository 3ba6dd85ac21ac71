"""What all figures share: colours that colour-blind readers can tell apart, and labels that stay plain text."""

import html

import plotly.graph_objects as go

BLUE, ORANGE, GREY, RED = "#3B82C4", "#E08A1E", "#8C929C", "#D1495B"
# Okabe and Ito's colours, lightened where they vanish on a dark page; symbols repeat them without confusion.
COLOURS = ("#3B82C4", "#E08A1E", "#2A9D7F", "#C7559B", "#5FB3E4", "#D6604D", "#B79F00", "#7A68C9")
SYMBOLS = ("circle", "square", "diamond", "cross", "triangle-up", "x", "star", "pentagon")
SEQUENTIAL = "Cividis"
LONGEST_LABEL = 32


def plain(label: str, longest: int = LONGEST_LABEL) -> str:
    """A user's label made safe for plotly, which reads mark-up in every text, and cut to fit an axis."""
    cut = label if len(label) <= longest else label[: longest - 1] + "…"
    return html.escape(" ".join(cut.split()), quote=False)


def colour_and_symbol(place: int) -> tuple[str, str]:
    """A pair of colour and symbol for the place-th group: 64 groups before any pair returns."""
    return COLOURS[place % len(COLOURS)], SYMBOLS[place // len(COLOURS) % len(SYMBOLS)]


def tidy(figure: go.Figure, *, height: int, legend: bool = False) -> go.Figure:
    """The margins and legend every figure has."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 36 if legend else 12, "b": 8},
        showlegend=legend,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "title": None},
        hoverlabel={"align": "left"},
        dragmode=False,
    )
    figure.update_xaxes(automargin=True, zeroline=False)
    figure.update_yaxes(automargin=True, zeroline=False)
    return figure
