"""The corpus's own split: what crosses it by topic, near twins among topics, the nearest training documents."""

import numpy as np
import plotly.graph_objects as go

from ..formats import share
from ..splits import SplitAudit, TestTopic
from .style import (
    BLUE,
    GREY,
    ORANGE,
    Part,
    axis,
    layout,
    line,
    plain,
    plain_names,
    share_axis,
    similarity_name,
    upright,
)

MOST_TOPICS, ROW = 10, 18  # rows, and the pixels of one; the rest are in the table
LONGEST_NAME = 22  # characters: two charts stand side by side


def leakage_by_topic(audit: SplitAudit) -> go.Figure:
    """Draw the share of each test topic's similarity that lies in training, the highest first, and what chance would give."""
    shown = sorted(audit.topics, key=lambda topic: (-np.nan_to_num(topic.neighbour_leakage), topic.name))[:MOST_TOPICS]
    bars: Part = {
        "type": "bar",
        "orientation": "h",
        "x": [topic.neighbour_leakage for topic in shown],
        "y": list(range(len(shown))),
        "marker": {"color": BLUE},
        "customdata": [
            [plain(topic.name), share(topic.neighbour_leakage), topic.documents, topic.duplicates] for topic in shown
        ],
        "hovertemplate": "%{customdata[0]}: %{customdata[1]}<br>%{customdata[2]} test documents, "
        "%{customdata[3]} near duplicates in training<extra></extra>",
    }
    chance = upright(audit.neighbour_leakage.chance, line(ORANGE, width=3))
    return go.Figure(
        data=[bars],
        layout=layout(
            alt="Share of similarity that crosses, by topic",
            height=_height(shown),
            shapes=[chance],
            annotations=[_top_label("by chance", audit.neighbour_leakage.chance)],
            xaxis=share_axis("share that lies in training" + _marks(shown), range=[0, 1.06]),
            yaxis=_topic_axis(shown),
            margin={"l": 8, "r": 8, "t": 30, "b": 8},
        ),
    )


def topic_twins(audit: SplitAudit, *, kind: str) -> go.Figure:
    """Draw each test topic's nearest other training topic, the closest first; above the threshold they are near twins."""
    shown = sorted(audit.topics, key=lambda topic: (-np.nan_to_num(topic.similarity, nan=-1.0), topic.name))[
        :MOST_TOPICS
    ]
    groups = [
        (name, [row for row, topic in enumerate(shown) if (topic.twin, topic.doubtful) == state], look)
        for name, state, look in (
            ("near twin", (True, False), {"color": ORANGE, "symbol": "diamond", "size": 13}),
            ("possible near twin", (False, True), {"color": ORANGE, "symbol": "diamond-open", "size": 12}),
            ("no near twin", (False, False), {"color": BLUE, "symbol": "circle", "size": 11}),
        )
    ]
    dots = [
        {
            "type": "scatter",
            "x": [shown[row].similarity for row in rows],
            "y": rows,
            "mode": "markers",
            "name": name,
            "marker": look,
            "customdata": [_pair_label(shown[row]) for row in rows],
            "hovertemplate": "%{customdata}: %{x:.3f}<extra></extra>",
        }
        for name, rows, look in groups
    ]
    return go.Figure(
        data=dots,
        layout=layout(
            alt="Similarity of every test topic to the nearest topic in training",
            height=_height(shown),
            shapes=[_threshold(audit, shown)],
            annotations=[_top_label("near twins from here", audit.threshold), *_not_compared(shown)],
            xaxis=axis(similarity_name(kind) + _marks(shown)),
            yaxis=_topic_axis(shown),
            margin={"l": 8, "r": 8, "t": 30, "b": 8},
        ),
    )


def nearest_documents(audit: SplitAudit) -> go.Figure:
    """Draw how near each test document's nearest training document is; near duplicates stand out."""
    copied = np.isin(audit.neighbour_leakage.rows, audit.duplicates.test)
    bins = {"start": -1.0, "end": 1.0 + 1e-6, "size": 0.02}
    bars = [
        {
            "type": "histogram",
            "x": audit.neighbour_leakage.similarity[these],
            "xbins": bins,
            "name": name,
            "marker": {"color": colour, "pattern": {"shape": pattern}},
            "hovertemplate": "%{x}: %{y} test documents<extra>" + name + "</extra>",
        }
        for name, these, colour, pattern in (
            ("other wording", ~copied, BLUE, ""),
            ("near duplicate in training", copied, ORANGE, "/"),
        )
    ]
    return go.Figure(
        data=bars,
        layout=layout(
            alt="Histogram of the nearest training document",
            height=300,
            keyed=True,
            barmode="stack",
            xaxis=axis("cosine of the nearest training document"),
            yaxis=axis("test documents"),
        ),
    )


def _threshold(audit: SplitAudit, shown: list[TestTopic]) -> Part:
    """Return the line of near twins, beside the topics that can be compared: the others, below, say that they cannot."""
    compared = sum(np.isfinite(topic.similarity) for topic in shown) or len(shown)
    return upright(audit.threshold, line(GREY, dash="dash"), yref="y") | {"y0": -0.5, "y1": compared - 0.5}


def _not_compared(topics: list[TestTopic]) -> list[Part]:
    """Say in the row of each topic without a similarity why it has no mark."""
    note: Part = {"text": "not comparable", "x": 0.01, "xref": "paper", "xanchor": "left"}
    note |= {"showarrow": False}
    return [note | {"y": row} for row, topic in enumerate(topics) if not np.isfinite(topic.similarity)]


def _pair_label(topic: TestTopic) -> str:
    other = "no other training topic" if topic.nearest is None else plain(topic.nearest)
    return f"{plain(topic.name)} and {other}" + (" (itself in training too)" if topic.shared else "")


def _topic_axis(topics: list[TestTopic]) -> Part:
    names = plain_names([topic.name for topic in topics], LONGEST_NAME)
    labels = [name + (" ⇄" if topic.shared else "") for name, topic in zip(names, topics, strict=True)]
    ends = [len(topics) - 0.5, -0.5]  # the first on top, and no bar or mark cut in half
    return axis(tickvals=list(range(len(topics))), ticktext=labels, range=ends, showgrid=False)


def _marks(topics: list[TestTopic]) -> str:
    """Return the axis's note on what the mark after a name means, if a name has one."""
    return "<br>⇄ the topic itself is in training too" if any(topic.shared for topic in topics) else ""


def _height(topics: list[TestTopic]) -> int:
    return max(180, 80 + ROW * len(topics)) + (18 if _marks(topics) else 0)


def _top_label(text: str, x: float) -> Part:
    return {"text": text, "x": x, "y": 1.0, "yref": "paper", "yanchor": "bottom", "showarrow": False}
