"""Similarity beside accuracy: every test topic with its nearest training topics and each model's score on it."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from math import isnan, nan

import numpy as np

from ..arrays import Interval, record
from ..corpora import Corpus, largest_author_shares
from ..splits import Leakage
from ..statistics import AdjustedSlope, Relation, adjusted_slope, holm, rank_relation
from .run import Evaluation
from .scores import Score


@record
class ExposedTopic:
    """A test topic of one fold: its nearest training topics, its largest author, and each model's score on it, with an
    interval where there is one.

    A topic that cannot be placed has no nearest ones.
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
        """How alike the nearest training topic is; NaN for a topic that cannot be placed."""
        return self.similarity[0] if self.similarity else float("nan")


def exposed_topics(
    corpus: Corpus,
    leakage: Leakage,
    scores: Sequence[Score],
    *,
    metric: str,
    intervals: Mapping[tuple[str, int, int], Interval] | None = None,
) -> tuple[ExposedTopic, ...]:
    """Every test topic of every fold, the most similar to its training topics first, those that cannot be placed last."""
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
    """Every model's p of its rank correlation after Holm's correction over the models; NaN where undefined."""
    corrected = holm([None if isnan(relation.p) else relation.p for relation in found.values()])
    return {name: nan if p is None else p for name, p in zip(found, corrected, strict=True)}


def adjusted_slopes(evaluation: Evaluation, corpus: Corpus, rows: Sequence[ExposedTopic]) -> dict[str, AdjustedSlope]:
    """Per model, what similarity of the nearest training topic is worth in right answers once authors are taken out.

    A pair counts under the author of its first text. A topic tested in several folds is a point in each of them.
    """
    assert corpus.author_codes is not None
    authors, authored = corpus.author_codes, len(corpus.author_names or ())
    point = {(row.fold, row.topic): index for index, row in enumerate(rows)}
    similarity = np.array([row.nearest_similarity for row in rows])
    slopes = {}
    for model in evaluation.models:
        parts: list[tuple[np.ndarray, ...]] = [(np.empty(0), *[np.empty(0, dtype=np.int64)] * 3)]
        for run, asked, right in evaluation.answered(model):
            trained = np.bincount(authors[evaluation.folds.folds[run.fold].train], minlength=authored)
            points = np.array([point[run.fold, topic] for topic in corpus.topic_codes[asked.lead].tolist()])
            parts.append((right.astype(np.float64), authors[asked.lead], trained[authors[asked.lead]], points))
        given, who, training, points = (np.concatenate(column) for column in zip(*parts, strict=True))
        slopes[model] = adjusted_slope(given, who, training, points, similarity)
    return slopes
