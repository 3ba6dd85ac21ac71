"""Text categorization: F1 against how often a category occurs in training."""

from collections.abc import Mapping

import plotly.graph_objects as go

from core.categorize import FrequencyCurve
from core.plots.style import Part, axis, layout, line, model_mark, plain


def f1_by_frequency(curve: FrequencyCurve, labels: Mapping[str, str]) -> go.Figure:
    """Mean F1 of the categories in each interval of training-set frequency, a line a model (their figures 4 and 5)."""
    centres = (curve.edges[:-1] + curve.edges[1:]) / 2
    lines: list[Part] = []
    for place, (name, values) in enumerate(curve.f1.items()):
        colour, symbol = model_mark(place)
        lines.append(
            {
                "type": "scatter",
                "x": centres,
                "y": values,
                "mode": "lines+markers",
                "name": plain(labels[name]),
                "line": line(colour),
                "marker": {"symbol": symbol, "size": 9},
                "connectgaps": False,
                "customdata": curve.categories,
                "hovertemplate": "about %{x:.0f} training documents: F1 %{y:.3f} over %{customdata} categories<extra>"
                + plain(labels[name])
                + "</extra>",
            }
        )
    return go.Figure(
        data=lines,
        layout=layout(
            height=340,
            keyed=True,
            xaxis=axis("training documents of a category"),
            yaxis=axis("mean F1", range=[0, 1.03]),
        ),
    )
