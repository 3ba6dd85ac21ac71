"""Similarity beside accuracy: every test topic with its nearest training topics and each model's score."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from math import isnan, nan

import numpy as np

from ..arrays import Floats, Interval, Ints, record
from ..corpora import Corpus, largest_author_shares
from ..splits import Folds, Leakage
from ..statistics import Relation, holm, rank_relation
from ..topics import TopicSpace
from .scores import Score

MOST_CELLS = 150  # rows or columns; more are put together


@record
class ExposedTopic:
    """A test topic of one fold: its nearest training topics, its largest author, and each model's score on it, with an
    interval where there is one.

    A topic that cannot be compared has no nearest ones.
    """

    fold: int
    topic: int
    documents: int
    nearest: tuple[int, ...]
    similarity: tuple[float, ...]
    largest_author_share: float
    values: dict[str, float]
    intervals: dict[str, Interval] = field(default_factory=dict)

    @property
    def nearest_similarity(self) -> float:
        """Return how similar the nearest training topic is; NaN for a topic that cannot be compared."""
        return self.similarity[0] if self.similarity else float("nan")


def exposed_topics(
    corpus: Corpus,
    leakage: Leakage,
    scores: Sequence[Score],
    *,
    metric: str,
    intervals: Mapping[tuple[str, int, int], Interval] | None = None,
) -> tuple[ExposedTopic, ...]:
    """Return every test topic of every fold, the most similar to its training topics first, those that cannot be compared last."""
    shares = largest_author_shares(corpus)
    values: dict[tuple[int, int], dict[str, float]] = {}
    documents: dict[tuple[int, int], int] = {}
    bounds: dict[tuple[int, int], dict[str, Interval]] = {}
    for (model, fold, topic), found in (intervals or {}).items():
        bounds.setdefault((fold, topic), {})[model] = found
    for score in scores:
        where = score.fold, score.topics[0]
        values.setdefault(where, {})[score.model] = score.values[metric]
        documents[where] = score.documents
    rows = [
        ExposedTopic(
            exposure.fold,
            exposure.topic,
            documents[exposure.fold, exposure.topic],
            tuple(int(topic) for topic in exposure.nearest if topic >= 0),
            tuple(float(value) for value in exposure.similarity if np.isfinite(value)),
            float(shares[exposure.topic]),
            values[exposure.fold, exposure.topic],
            bounds.get((exposure.fold, exposure.topic), {}),
        )
        for exposure in leakage.exposures
    ]

    def place(row: ExposedTopic) -> tuple[float, str, int]:
        nearest = row.nearest_similarity
        return np.inf if np.isnan(nearest) else -nearest, corpus.topic_names[row.topic], row.fold

    return tuple(sorted(rows, key=place))


def relations(rows: Sequence[ExposedTopic], *, seed: int = 0) -> dict[str, Relation]:
    """Per model, how its score on a test topic goes with the similarity of the nearest training topic."""
    models = dict.fromkeys(model for row in rows for model in row.values)
    similarity = np.array([row.nearest_similarity for row in rows])
    return {
        model: rank_relation(similarity, np.array([row.values[model] for row in rows]), seed=seed) for model in models
    }


def adjusted_p(found: Mapping[str, Relation]) -> dict[str, float]:
    """Return every model's p of its rank correlation after Holm's correction over the models; NaN where undefined."""
    corrected = holm([None if isnan(relation.p) else relation.p for relation in found.values()])
    return {name: nan if p is None else p for name, p in zip(found, corrected, strict=True)}


@record
class ExposureMatrix:
    """Similarities, NaN where a topic is not in training; `rows` and `columns` hold the topics of each line, several where
    neighbours were put together and a cell is their mean."""

    values: Floats
    rows: tuple[tuple[int, ...], ...]
    columns: tuple[tuple[int, ...], ...]


def exposure_matrix(
    space: TopicSpace, folds: Folds, rows: Sequence[ExposedTopic], columns: Ints, *, most: int = MOST_CELLS
) -> ExposureMatrix:
    """`rows` as they come against the training topics among `columns`; past `most` lines neighbours are averaged."""
    trained = np.stack([np.isin(columns, fold.train_topics) for fold in folds])
    topics, numbers = np.array([row.topic for row in rows], dtype=int), np.array([row.fold for row in rows], dtype=int)
    values = space.similarity[np.ix_(topics, columns)]
    values[~trained[numbers]] = np.nan
    known, filled = np.isfinite(values).astype(np.float64), np.nan_to_num(values)
    down, across = _edges(len(rows), most), _edges(len(columns), most)
    sums, counts = (
        np.add.reduceat(np.add.reduceat(each, down[:-1], axis=0), across[:-1], axis=1) for each in (filled, known)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(counts > 0, sums / counts, np.nan)
    return ExposureMatrix(means, _groups(topics, down), _groups(np.asarray(columns), across))


def _edges(count: int, most: int) -> Ints:
    return np.linspace(0, count, min(count, most) + 1).round().astype(np.int64)


def _groups(topics: Ints, edges: Ints) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(topics[start:end].tolist()) for start, end in pairwise(edges))
