"""Corpus: lengths of documents, and who writes about what."""

import numpy as np
import plotly.graph_objects as go

from ..corpora import Audit
from .style import BLUE, SEQUENTIAL, axis, cell_numbers, layout, plain_names, shades

MOST_AUTHORS = 25
MOST_TOPICS = 60
MOST_NUMBERED = 30  # topics up to which a cell has room for its number


def lengths(audit: Audit) -> go.Figure:
    """Draw documents by number of words; the longest hundredth shares the last bar."""
    longest = max(1, int(np.quantile(audit.words, 0.99)))
    counts, edges = np.histogram(np.minimum(audit.words, longest), bins=min(40, longest), range=(0, longest))
    bars = {
        "type": "bar",
        "x": (edges[:-1] + edges[1:]) / 2,
        "y": counts,
        "width": np.diff(edges),
        "marker": {"color": BLUE, "line": {"width": 0}},
        "customdata": np.stack([edges[:-1], edges[1:]], axis=1),
        "hovertemplate": f"%{{customdata[0]:.0f}} to %{{customdata[1]:.0f}} {audit.counted}"
        "<br>%{y} documents<extra></extra>",
    }
    return go.Figure(
        data=[bars],
        layout=layout(
            alt=f"Histogram of document lengths in {audit.counted}",
            height=300,
            xaxis=axis(f"{audit.counted} (the longest 1% share the last bar)"),
            yaxis=axis("documents"),
        ),
    )


def author_topic(audit: Audit, *, most: int = MOST_TOPICS, word: str = "author") -> go.Figure:
    """Draw documents of the most frequent authors in the largest topics, at most this many of these."""
    topics = np.argsort(-audit.counts.sum(axis=1), kind="stable")[:most]
    authors = np.argsort(-audit.counts.sum(axis=0), kind="stable")[:MOST_AUTHORS]
    shown = audit.counts[topics][:, authors].toarray().T
    topic_labels = plain_names([audit.topic_names[topic] for topic in topics], 22)
    author_labels = plain_names([audit.author_names[author] for author in authors], 22)
    share = np.where(shown > 0, shown / max(1, shown.max(initial=0)), np.nan)
    numbered = len(topics) <= MOST_NUMBERED
    cells = {
        "type": "heatmap",
        "z": shades(share) if numbered else np.where(shown > 0, shown, np.nan),
        "x": np.arange(len(topics)),
        "y": np.arange(len(authors)),
        "text": [[f"{author} on {topic}" for topic in topic_labels] for author in author_labels],
        "customdata": shown,
        "showscale": not numbered,
        "colorscale": SEQUENTIAL,
        "hovertemplate": "%{text}: %{customdata} documents<extra></extra>",
        "colorbar": {"title": {"text": "documents", "side": "right"}, "thickness": 12, "outlinewidth": 0},
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
    }
    counts = [[f"{count}" if count else "" for count in row] for row in shown]
    numbers = [cell_numbers(range(len(topics)), range(len(authors)), share, counts)] if numbered else []
    return go.Figure(
        data=[cells, *numbers],
        layout=layout(
            alt=f"Table of documents by {word} and topic",
            height=140 + 26 * len(authors),
            xaxis=axis(
                tickvals=np.arange(len(topics)),
                ticktext=topic_labels,
                tickangle=-50,
                range=[-0.5, len(topics) - 0.5],
                showgrid=False,
            ),
            yaxis=axis(
                tickvals=np.arange(len(authors)),
                ticktext=author_labels,
                range=[len(authors) - 0.5, -0.5],
                showgrid=False,
            ),
        ),
    )
