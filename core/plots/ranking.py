"""Ranking: the rank of every model in every fold, setup by setup."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Ints
from ..statistics import Ranking
from .style import GREY, SEQUENTIAL, Part, axis, cell_numbers, layout, line, plain, shades, upright


def ranks(rankings: Mapping[str, Ranking], models: Sequence[str]) -> go.Figure:
    """Models down, folds across, grouped by setup; the colour and the number are the rank."""
    setups = list(rankings)
    values = np.concatenate([rankings[setup].ranks for setup in setups], axis=1)
    widths = [rankings[setup].ranks.shape[1] for setup in setups]
    edges = np.cumsum([0, *widths])
    folds = [fold + 1 for width in widths for fold in range(width)]
    shown = np.where(np.isfinite(values), values, np.nan)
    ahead = 1 - (shown - 1) / max(1, len(models) - 1)
    text = [["" if np.isnan(rank) else f"{rank:g}" for rank in row] for row in shown]
    cells = {
        "type": "heatmap",
        "z": shades(ahead),
        "colorscale": SEQUENTIAL,
        "zmin": 0,
        "zmax": 1,
        "text": text,
        "showscale": False,
        "xgap": 1,
        "ygap": 2,
        "customdata": [
            [
                f"{plain(setup)}, fold {fold + 1}"
                for setup, width in zip(setups, widths, strict=True)
                for fold in range(width)
            ]
        ]
        * len(models),
        "hovertemplate": "%{customdata}<br>rank %{text}<extra></extra>",
    }
    return go.Figure(
        data=[cells, cell_numbers(range(len(folds)), range(len(models)), ahead, text)],
        layout=layout(
            height=130 + 42 * len(models),
            shapes=[upright(float(edge) - 0.5, line(GREY, width=2)) for edge in edges[1:-1]],
            annotations=_heads(setups, edges),
            xaxis=axis(
                "fold",
                tickvals=np.arange(len(folds)),
                ticktext=folds,
                range=[-0.5, len(folds) - 0.5],
                showgrid=False,
            ),
            yaxis=axis(
                tickvals=np.arange(len(models)),
                ticktext=[plain(model) for model in models],
                range=[len(models) - 0.5, -0.5],
                showgrid=False,
            ),
            margin={"l": 8, "r": 8, "t": 30, "b": 8},
        ),
    )


def _heads(setups: Sequence[str], edges: Ints) -> list[Part]:
    """Each setup's name over the middle of its folds."""
    return [
        {
            "x": (edges[index] + edges[index + 1] - 1) / 2,
            "y": 1.0,
            "yref": "paper",
            "yanchor": "bottom",
            "text": f"<b>{plain(setup)}</b>",
            "showarrow": False,
        }
        for index, setup in enumerate(setups)
    ]
