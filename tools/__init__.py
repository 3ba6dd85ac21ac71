"""Errands of the project itself."""
