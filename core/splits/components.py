"""Components of alike topics: the tree that joins them, and those too large for a fold, with what would part them."""

from typing import Any

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..formats import counted, first_few, percent
from ..topics import TopicSpace

MOST_NAMED = 5
MOST_LOOKED = 100_000_000  # pairs of topics looked at while topics of a component are taken out in turn


def hanging_together(space: TopicSpace, line: float, room: int, k: int) -> str | None:
    """Why near twins are parted: the largest component of topics at or past the line that no fold has room for."""
    alike: Bools = space.similarity >= line
    np.fill_diagonal(alike, False)
    label = components(alike)
    sizes = np.bincount(label, weights=space.sizes)
    if sizes.max() <= room:
        return None
    topics = np.flatnonzero(label == np.argmax(sizes))
    share, most = sizes.max() / space.sizes.sum(), room / space.sizes.sum()
    names = first_few([f"'{space.names[topic]}'" for topic in topics], MOST_NAMED)
    others = int(label.max())
    if len(topics) == 1:
        return f"{names} has {percent(share)} of the documents and a fold of {k} at most {percent(most)}."
    beside = f"; kept whole they leave at most {counted(others, 'fold')} beside them" if others < k - 1 else ""
    return (
        f"{len(topics)} topics hang together by near twins with {percent(share)} of the documents ({names}), and a fold of {k} "
        f"holds at most {percent(most)}, so some near twins are parted{beside}. Drop "
        f"'{space.names[_cut(alike, topics, space.sizes)]}', choose fewer folds, or allow less even ones."
    )


def _cut(alike: Bools, topics: Ints, sizes: Ints) -> int:
    """The topic without which the largest part left of the component has the fewest documents; of very many topics, one
    of those with most near twins."""
    tried = max(1, MOST_LOOKED // len(topics) ** 2)
    linked = np.argsort(-alike[topics].sum(axis=1), kind="stable")[:tried]
    left = []
    for topic in topics[linked].tolist():
        rest = topics[topics != topic]
        parts = np.bincount(components(alike[np.ix_(rest, rest)]), weights=sizes[rest])
        left.append((parts.max(), topic))
    return int(min(left)[1])


def components(alike: Any) -> Ints:
    """The component of each topic, numbered by their first topics; `alike` is a matrix of links, sparse or not."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    return np.asarray(connected_components(csr_array(alike), directed=False)[1], dtype=np.int64)


def spanning_tree(similarity: Floats) -> Floats:
    """The maximum spanning tree's edges: two topics and their similarity (Prim 1957); ties go to the first name."""
    count = len(similarity)
    edges = np.empty((count - 1, 3))
    outside = np.ones(count, dtype=np.bool_)
    outside[0] = False
    best, near = similarity[0].copy(), np.zeros(count, dtype=np.int64)
    for step in range(count - 1):
        topic = int(np.argmax(np.where(outside, best, -np.inf)))
        edges[step] = near[topic], topic, best[topic]
        outside[topic] = False
        closer = similarity[topic] > best
        best[closer], near[closer] = similarity[topic][closer], topic
    return edges
