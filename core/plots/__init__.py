"""Figures: one file a page. Each takes records, returns a plotly Figure, and computes nothing."""

from . import (
    accuracy,
    accuracy_dial,
    accuracy_matrix,
    accuracy_reliability,
    accuracy_swap,
    corpus,
    design,
    hits,
    hits_experiments,
    lesson,
    lesson_models,
    overview,
    ranking,
    shortcut,
    significance,
    split,
    style,
    topic_map,
    trust,
)
