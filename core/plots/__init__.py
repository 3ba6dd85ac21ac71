"""Figures: one file a page. Each takes records, returns a plotly Figure, and computes nothing."""
