"""Similarity beside accuracy: every test topic with its nearest training topics and each model's score on it."""

from collections.abc import Sequence

import numpy as np

from ..arrays import record
from ..corpora import Corpus, audit
from ..splits import Leakage
from ..statistics import Relation, rank_relation
from .scores import Score


@record
class ExposedTopic:
    """A test topic of one fold: its nearest training topics, its largest author, and each model's score on it."""

    fold: int
    topic: int
    documents: int
    nearest: tuple[int, ...]
    similarity: tuple[float, ...]
    largest_author_share: float
    values: dict[str, float]

    @property
    def nearest_similarity(self) -> float:
        """How alike the nearest training topic is."""
        return self.similarity[0]


def exposed_topics(
    corpus: Corpus, leakage: Leakage, scores: Sequence[Score], *, metric: str
) -> tuple[ExposedTopic, ...]:
    """Every test topic of every fold, the most similar to its training topics first."""
    shares = audit(corpus).largest_author_share
    values: dict[tuple[int, int], dict[str, float]] = {}
    documents: dict[tuple[int, int], int] = {}
    for score in scores:
        where = score.fold, score.topics[0]
        values.setdefault(where, {})[score.model] = score.values[metric]
        documents[where] = score.documents
    rows = [
        ExposedTopic(
            exposure.fold,
            exposure.topic,
            documents[exposure.fold, exposure.topic],
            tuple(int(topic) for topic in exposure.nearest),
            tuple(float(value) for value in exposure.similarity),
            float(shares[exposure.topic]),
            values[exposure.fold, exposure.topic],
        )
        for exposure in leakage.exposures
    ]
    return tuple(sorted(rows, key=lambda row: (-row.nearest_similarity, corpus.topic_names[row.topic], row.fold)))


def relations(rows: Sequence[ExposedTopic], *, seed: int = 0) -> dict[str, Relation]:
    """Per model, how its score on a test topic goes with the similarity of the nearest training topic."""
    models = dict.fromkeys(model for row in rows for model in row.values)
    similarity = np.array([row.nearest_similarity for row in rows])
    return {
        model: rank_relation(similarity, np.array([row.values[model] for row in rows]), seed=seed) for model in models
    }
