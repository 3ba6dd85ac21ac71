"""Figures: one file a page. Each takes records, returns a plotly Figure, and computes nothing."""

from . import (
    accuracy,
    corpus,
    curve,
    design,
    hits,
    lesson,
    overview,
    ranking,
    shortcut,
    significance,
    split,
    style,
    topic_map,
    trust,
)
