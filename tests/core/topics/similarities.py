"""Similarities to sample topics from: the methods' worked example, and random ones."""

import numpy as np
from hypothesis import strategies as st

from core.arrays import unit_rows
from core.topics import TopicSpace, topic_space

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


def random_space(seed: int, topics: int = 5, documents: int = 40, similarity: str = "plain"):
    """A space of random documents, two or more a topic, with their vectors and topics."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.repeat(np.arange(topics), 2), rng.integers(0, topics, documents - 2 * topics)])
    vectors = (rng.normal(size=(documents, 7)) + 0.6).astype(np.float32)
    names = tuple(f"t{i}" for i in range(topics))
    return topic_space(vectors, codes, names, similarity=similarity), vectors, codes


def in_the_plane(*degrees: float) -> np.ndarray:
    """Unit vectors at these angles."""
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def families(sizes: list[int], *, inside: float = 0.9, outside: float = 0.2) -> np.ndarray:
    """Similarities of families of such sizes, similar inside and not outside."""
    label = np.repeat(np.arange(len(sizes)), sizes)
    similarity = np.where(label[:, None] == label[None, :], inside, outside)
    np.fill_diagonal(similarity, 1.0)
    return similarity


def space_of(similarity: np.ndarray) -> TopicSpace:
    """A space with these similarities, a document a topic."""
    names = tuple(f"t{topic:02}" for topic in range(len(similarity)))
    return TopicSpace(names, np.ones(len(names), dtype=np.int64), np.zeros((len(names), 1)), np.array(similarity))
