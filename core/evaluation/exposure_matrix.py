"""Every test topic against the training topics of its fold, as a matrix that stays readable at any size."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..arrays import Floats, Ints, record
from ..splits import Folds
from ..topics import TopicSpace
from .exposure import ExposedTopic

MOST_CELLS = 150  # rows or columns; more are put together


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
