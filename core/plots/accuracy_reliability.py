"""Folds & accuracy, calibration: of pairs that were given an answer, the share by one author, beside that answer."""

from collections.abc import Mapping

import plotly.graph_objects as go

from ..evaluation import Reliability
from .style import GREY, Part, axis, by_model, layout, line, model_mark, whiskers


def reliability_diagram(found: Mapping[str, Reliability], *, drawn: str) -> go.Figure:
    """The bins of one model (keys are labels, `drawn` is one of them): share by one author with its 95 % interval above,
    number of answers below; on the line answers mean what they say."""
    index = list(found).index(drawn)
    return go.Figure(
        data=[_diagonal(), _shares(found[drawn], drawn, index), _counts(found[drawn], index)],
        layout=layout(
            height=430,
            bargap=0.06,
            xaxis=axis("answer", range=[0, 1], anchor="y2"),
            yaxis=axis("share by one author", range=[-0.02, 1.03], domain=[0.3, 1]),
            yaxis2=axis("pairs", domain=[0, 0.22], rangemode="tozero", nticks=3),
        ),
    )


def _diagonal() -> Part:
    return {
        "type": "scatter",
        "x": [0, 1],
        "y": [0, 1],
        "mode": "lines",
        "line": line(GREY, dash="dash", width=1.5),
        "hoverinfo": "skip",
    }


def _shares(found: Reliability, label: str, index: int) -> Part:
    shares = [each.share for each in found.bins]
    reach = whiskers(shares, [each.share_low for each in found.bins], [each.share_high for each in found.bins])
    told: Part = {
        "text": [
            f"answers from {each.low:.1f} to {each.high:.1f}: {each.count:,}<br>their mean {each.mean:.3f}"
            f"<br>by one author {each.share:.3f}, 95 %: {each.share_low:.2f} to {each.share_high:.2f}"
            for each in found.bins
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }
    mark = by_model(index, label, [each.mean for each in found.bins], shares, error_y=reach, **told)
    return mark | {"line": line(model_mark(index)[0], width=1)}


def _counts(found: Reliability, index: int) -> Part:
    return {
        "type": "bar",
        "x": [(each.low + each.high) / 2 for each in found.bins],
        "y": [each.count for each in found.bins],
        "width": [each.high - each.low for each in found.bins],
        "yaxis": "y2",
        "marker": {"color": model_mark(index)[0], "opacity": 0.55},
        "text": [f"{each.count:,}" for each in found.bins],
        "textposition": "auto",
        "hovertemplate": "%{y:,} pairs<extra></extra>",
    }
