"""Figures: one file a page. Each takes records, returns a plotly Figure, and computes nothing."""

from . import (
    accuracy,
    accuracy_detail,
    accuracy_swap,
    corpus,
    design,
    hits,
    hits_encoders,
    hits_experiments,
    lesson,
    lesson_deals,
    lesson_models,
    overview,
    ranking,
    shortcut,
    significance,
    split,
    style,
    topic_map,
    topic_map_matrix,
    trust,
)
