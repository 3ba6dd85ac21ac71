"""Figures: one file a page. Each takes records, returns a plotly Figure, and computes nothing."""

from . import (
    accuracy,
    corpus,
    hits,
    hits_experiments,
    overview,
    ranking,
    shortcut,
    significance,
    split,
    topic_map,
    trust,
)
