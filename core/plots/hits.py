"""HITS: similarity against m, the path, and the topics kept on a map."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from core.layout import Layout
from core.plots.style import BLUE, GREY, ORANGE, plain, tidy
from core.sampling import RandomBand, Sample, TopicPath

MOST_BARS = 120


def similarity_against_m(path: TopicPath, band: RandomBand, m: int) -> go.Figure:
    """Mean and max similarity of the first m topics of the path, over the band of random samples."""
    figure = make_subplots(
        cols=2, shared_yaxes=True, horizontal_spacing=0.04, subplot_titles=("mean similarity", "max similarity")
    )
    topics = np.arange(1, len(path) + 1)
    for column, (values, quantiles) in enumerate(((path.mean, band.mean), (path.max, band.max)), start=1):
        low, middle, high = quantiles[:, 1:]
        across = topics[1:]
        figure.add_scatter(
            x=np.concatenate([across, across[::-1]]),
            y=np.concatenate([high, low[::-1]]),
            fill="toself",
            fillcolor="rgba(224,138,30,0.22)",
            line_width=0,
            mode="lines",
            hoverinfo="skip",
            name="random, 5–95 %",
            legendgroup="band",
            showlegend=column == 1,
            col=column,
            row=1,
        )
        for name, line, style in (
            ("random, median", middle, {"color": ORANGE, "dash": "dash", "width": 2}),
            ("HITS", values[1:], {"color": BLUE, "width": 3}),
        ):
            figure.add_scatter(
                x=across,
                y=line,
                mode="lines",
                name=name,
                legendgroup=name,
                showlegend=column == 1,
                line=style,
                hovertemplate="m = %{x}: %{y:.3f}<extra>" + name + "</extra>",
                col=column,
                row=1,
            )
        if m > 1:
            figure.add_scatter(
                x=[m],
                y=[values[m - 1]],
                mode="markers+text",
                text=[f"{values[m - 1]:.2f}"],
                textposition="bottom right" if m < len(path) * 0.8 else "bottom left",
                marker={"color": BLUE, "size": 11, "line": {"color": "white", "width": 2}},
                hoverinfo="skip",
                showlegend=False,
                col=column,
                row=1,
            )
        figure.add_vline(x=m, line={"color": GREY, "dash": "dot", "width": 1}, col=column, row=1)
    figure.update_xaxes(title="m, topics kept")
    figure.update_layout(hovermode="x")
    tidy(figure, height=340, legend=True)
    figure.update_layout(margin_t=64, legend_y=1.12)
    return figure


def path_steps(names: Sequence[str], path: TopicPath, m: int) -> go.Figure:
    """Topics in the order HITS takes them, each with its leakage when taken; the first m are kept."""
    count = len(path)
    if count > MOST_BARS:
        return _path_line(names, path, m)
    labels = [f"{step}. {plain(names[topic], 24)}" for step, topic in enumerate(path.order, start=1)]
    shown = [f"{value:.3f}" if step else "start" for step, value in enumerate(path.leakage)]
    figure = go.Figure(
        go.Bar(
            x=np.nan_to_num(path.leakage),
            y=np.arange(count),
            orientation="h",
            marker_color=[BLUE if step < m else GREY for step in range(count)],
            marker_opacity=[1.0 if step < m else 0.45 for step in range(count)],
            text=shown,
            textposition="outside",
            cliponaxis=False,
            customdata=labels,
            hovertemplate="%{customdata}<br>leakage when taken: %{text}<extra></extra>",
        )
    )
    if m < count:
        figure.add_hline(y=m - 0.5, line={"color": ORANGE, "width": 2})
    figure.update_yaxes(tickvals=np.arange(count), ticktext=labels, autorange="reversed", showgrid=False)
    figure.update_xaxes(title="leakage", range=[0, 1.4 * float(np.nanmax(path.leakage, initial=0.01))])
    return tidy(figure, height=max(200, 60 + 25 * count))


def _path_line(names: Sequence[str], path: TopicPath, m: int) -> go.Figure:
    """The path of a corpus with too many topics for a bar each."""
    steps = np.arange(1, len(path) + 1)
    figure = go.Figure(
        go.Scattergl(
            x=steps[1:],
            y=path.leakage[1:],
            mode="lines",
            line={"color": BLUE, "width": 2},
            customdata=[plain(names[topic]) for topic in path.order[1:]],
            hovertemplate="step %{x}: %{customdata}<br>leakage when taken: %{y:.3f}<extra></extra>",
        )
    )
    figure.add_vline(x=m, line={"color": ORANGE, "width": 2})
    figure.update_xaxes(title="step of the path")
    figure.update_yaxes(title="leakage when taken (mean × max)")
    return tidy(figure, height=340)


def kept_map(names: Sequence[str], layout: Layout, sizes: NDArray[np.int64], sample: Sample) -> go.Figure:
    """Topics where the map draws them: kept ones lit and named, the others grey, merged ones tied to their new home."""
    figure = go.Figure()
    centroids = layout.centroids
    kept = np.flatnonzero(sample.home == np.arange(len(names)))
    merged = np.flatnonzero((sample.home >= 0) & (sample.home != np.arange(len(names))))
    lost = np.flatnonzero(sample.home < 0)
    ties_x: list[float | None] = []
    ties_y: list[float | None] = []
    for topic in merged:
        home = sample.home[topic]
        ties_x += [centroids[topic, 0], centroids[home, 0], None]
        ties_y += [centroids[topic, 1], centroids[home, 1], None]
    figure.add_scatter(
        x=ties_x, y=ties_y, mode="lines", line={"color": ORANGE, "width": 1.5}, hoverinfo="skip", showlegend=False
    )
    diameter = 10 + 18 * np.sqrt(sizes / sizes.max())
    named = len(names) <= 80
    for group, name, marker, labelled in (
        (lost, "dropped", {"color": GREY, "opacity": 0.45, "symbol": "circle-open", "line": {"width": 2}}, False),
        (merged, "merged", {"color": ORANGE, "opacity": 0.7, "symbol": "diamond"}, False),
        (kept, "kept", {"color": BLUE, "opacity": 0.95}, named),
    ):
        labels = [plain(names[int(topic)]) for topic in group]
        figure.add_scatter(
            x=centroids[group, 0],
            y=centroids[group, 1],
            mode="markers+text" if labelled else "markers",
            text=labels,
            textposition=["top center" if above else "bottom center" for above in layout.above[group]],
            textfont_size=12,
            marker={"size": diameter[group], **marker},
            name=name,
            customdata=sizes[group],
            hovertemplate="%{text}<br>%{customdata} documents<extra>" + name + "</extra>",
            showlegend=len(group) > 0,
        )
    tidy(figure, height=460, legend=True)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return figure
