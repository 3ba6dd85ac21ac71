"""Ranking: the rank of every model in every fold, setup by setup."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..arrays import Floats, Ints
from ..statistics import Ranking
from .style import GREY, SEQUENTIAL, Part, axis, cell_numbers, layout, line, plain, shades, upright


def ranks(rankings: Mapping[str, Ranking], models: Sequence[str]) -> go.Figure:
    """Draw models down, folds across, grouped by setup; the colour and the number are the rank."""
    setups = list(rankings)
    values = np.concatenate([rankings[setup].ranks for setup in setups], axis=1)
    widths = [rankings[setup].ranks.shape[1] for setup in setups]
    edges = np.cumsum([0, *widths])
    columns = [(setup, fold + 1) for setup, width in zip(setups, widths, strict=True) for fold in range(width)]
    return go.Figure(
        data=_rank_cells(values, [f"{plain(setup)}, fold {fold}" for setup, fold in columns]),
        layout=layout(
            alt="Rank of each model in every fold of HITS and of each random sample",
            height=130 + 42 * len(models),
            shapes=[upright(float(edge) - 0.5, line(GREY, width=2)) for edge in edges[1:-1]],
            annotations=_heads(setups, edges),
            xaxis=axis(
                "fold",
                tickvals=np.arange(len(columns)),
                ticktext=[fold for _, fold in columns],
                range=[-0.5, len(columns) - 0.5],
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


def _rank_cells(ranks: Floats, columns: Sequence[str]) -> list[Part]:
    """Return a cell a model (row) and fold (column), darker the further ahead, with the rank in it; blank where there is none."""
    shown = np.where(np.isfinite(ranks), ranks, np.nan)
    ahead = 1 - (shown - 1) / max(1, len(ranks) - 1)
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
        "customdata": [list(columns)] * len(ranks),
        "hovertemplate": "%{customdata}<br>rank %{text}<extra></extra>",
    }
    return [cells, cell_numbers(range(len(columns)), range(len(ranks)), ahead, text)]


def _heads(setups: Sequence[str], edges: Ints) -> list[Part]:
    """Return each setup's name over the middle of its folds."""
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
