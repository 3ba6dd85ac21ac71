"""Similarities to sample topics from: the methods' worked example, and random ones."""

import numpy as np
from hypothesis import strategies as st

from core.arrays import unit_rows

WORKED = np.array(
    [
        [1.00, 0.90, 0.20, 0.30, 0.10],
        [0.90, 1.00, 0.25, 0.35, 0.15],
        [0.20, 0.25, 1.00, 0.80, 0.40],
        [0.30, 0.35, 0.80, 1.00, 0.50],
        [0.10, 0.15, 0.40, 0.50, 1.00],
    ]
)


def similarity_of(seed: int, topics: int, *, shift: float = 0.0) -> np.ndarray:
    points = unit_rows(np.random.default_rng(seed).normal(size=(topics, 6)) + shift)
    similarity = points @ points.T
    np.fill_diagonal(similarity, 1.0)
    return similarity


similarities = st.builds(
    similarity_of, st.integers(0, 10_000), st.integers(2, 14), shift=st.sampled_from([0.0, 0.4, 1.5])
)
