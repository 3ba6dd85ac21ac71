"""Trust lab: how often a test rejects, against what it should; errors along links; the three variances of the theorems."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from ..formats import share
from ..papers.neville_2012 import NetworkProfile, PublishedNetwork
from .style import (
    BLUE,
    GREY,
    ORANGE,
    RED,
    Part,
    axis,
    by_model,
    flat,
    layout,
    line,
    plain,
    share_axis,
    upright,
    whiskers,
)

LEVEL = 0.05

RatePoint = tuple[float, float, float, float]  # x, rate, and the ends of its interval


def rejection_rates(
    curves: Mapping[str, Sequence[RatePoint]], *, across: str, percent: bool, level: float | None = LEVEL
) -> go.Figure:
    """Draw rejection rate with its Monte-Carlo interval for each scheme."""
    curve_marks = [_rate_curve(name, points, index) for index, (name, points) in enumerate(curves.items())]
    # Named in the key: beside the line whiskers would run through the words.
    key: Part = {"type": "scatter", "x": [None], "y": [None], "mode": "lines", "name": "what it should be"}
    key |= {"line": line(RED, dash="dash"), "hoverinfo": "skip"}
    return go.Figure(
        data=curve_marks if level is None else [*curve_marks, key],
        layout=layout(
            alt=f"How often the test rejects against {across}, a line for each way to resample",
            height=360,
            keyed=True,
            shapes=[] if level is None else [flat(level, line(RED, dash="dash"))],
            xaxis=share_axis(across, ticks=sorted({x for points in curves.values() for x, *_ in points}))
            if percent
            else axis(across),
            yaxis=axis("share of trials in which it rejects", rangemode="tozero"),
        ),
    )


def _rate_curve(name: str, points: Sequence[RatePoint], index: int) -> Part:
    across, rates, low, high = zip(*points, strict=True) if points else ((), (), (), ())
    told = f"%{{x:.2f}}: rejects %{{y:.3f}}<extra>{plain(name)}</extra>"
    return by_model(index, name, across, rates, error_y=whiskers(rates, low, high), hovertemplate=told)


def error_correlations(profiles: Mapping[str, NetworkProfile], published: Sequence[PublishedNetwork]) -> go.Figure:
    """Draw correlation of errors against that of labels, a mark a network; the paper's six in grey (Table 5)."""
    theirs: Part = {
        "type": "scatter",
        "x": [each.autocorrelation for each in published],
        "y": [each.error_correlation for each in published],
        "mode": "markers",
        "name": "the paper's networks",
        "marker": {"size": 10, "symbol": "diamond-open", "color": GREY, "line": {"width": 2}},
        "customdata": [f"{each.network}: {each.task}" for each in published],
        "hovertemplate": "%{customdata}<br>labels %{x:.2f}, errors %{y:.2f}<extra></extra>",
    }
    ours: Part = {
        "type": "scatter",
        "x": [each.autocorrelation for each in profiles.values()],
        "y": [each.error_correlation for each in profiles.values()],
        "mode": "markers",
        "name": "this network" if len(profiles) == 1 else f"these {len(profiles)} networks",
        "marker": {"size": 11, "color": BLUE},
        "customdata": [plain(name) for name in profiles],
        "hovertemplate": "%{customdata}<br>labels %{x:.2f}, errors %{y:.2f}<extra></extra>",
    }
    return go.Figure(
        data=[theirs, ours],
        layout=layout(
            alt="Correlation of errors against correlation of labels",
            height=360,
            keyed=True,
            xaxis=axis("correlation of labels along links"),
            yaxis=axis("correlation of errors along links"),
        ),
    )


def false_alarms(rates: Mapping[str, float]) -> go.Figure:
    """Draw how often each way to test gives a false alarm, against what it should be."""
    bars: Part = {
        "type": "bar",
        "x": list(rates.values()),
        "y": list(rates),
        "orientation": "h",
        "marker": {"color": [BLUE if rate <= LEVEL else ORANGE for rate in rates.values()]},
        "text": [share(rate) for rate in rates.values()],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{y}: %{text}<extra></extra>",
    }
    return go.Figure(
        data=[bars],
        layout=layout(
            alt="How often each way to test gives a false alarm; it should be 5%",
            height=90 + 40 * len(rates),
            shapes=[upright(LEVEL, line(RED, dash="dash"))],
            annotations=[
                {"x": LEVEL, "y": 1, "yref": "paper", "yanchor": "bottom", "xanchor": "left", "showarrow": False}
                | {"text": "what it should be"}
            ],
            margin={"l": 8, "r": 8, "t": 28, "b": 8},
            xaxis=share_axis("false alarms", ticks=(0, 0.05, 0.25, 0.5, 0.75, 1), range=[0, _rate_ceiling(rates)]),
            yaxis=axis(autorange="reversed", showgrid=False),
        ),
    )


def _rate_ceiling(rates: Mapping[str, float]) -> float:
    return min(1.1, max(0.12, 1.2 * max(rates.values())))


def variances(true: float, naive: float, observed: float) -> go.Figure:
    """Draw the true variance of the mean error, what independence would give, and what overlapping samples show."""
    names = ["true variance, with correlated errors", "if errors were independent", "what overlapping samples show"]
    values = [true, naive, observed]
    bars: Part = {
        "type": "bar",
        "x": values,
        "y": names,
        "orientation": "h",
        "marker": {"color": [BLUE, GREY, ORANGE]},
        "text": [f"{value:.3g}" for value in values],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{y}: %{x:.6g}<extra></extra>",
    }
    return go.Figure(
        data=[bars],
        layout=layout(
            alt="Three variances compared",
            height=220,
            xaxis=axis("variance of the mean error", range=[0, 1.6 * max(values)]),
            yaxis=axis(autorange="reversed"),
        ),
    )
