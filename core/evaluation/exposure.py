"""Similarity beside accuracy: every test topic with its nearest training topics and each model's score, and what that says."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from math import isnan, nan

import numpy as np

from ..arrays import Floats, Interval, Ints, record
from ..corpora import Corpus, largest_author_shares
from ..formats import listed
from ..splits import Folds, Leakage
from ..statistics import AdjustedSlope, Relation, WeightedSummary, adjusted_slope, holm, rank_relation
from ..topics import TopicSpace
from .run import Evaluation
from .scores import Score

MOST_CELLS = 150  # rows or columns; more are put together
LEVEL = 0.05
FEW_TOPICS = 10  # below this only a very close relation can show
NO_LABELS = (
    "It cannot be told: the labels do not separate these texts, so that topics are as alike as groups drawn at random, and "
    "similarity stands for nothing."
)
NOTHING_VARIES = (
    "It cannot be told: too few test topics have both a score and a similarity, or all of them have the same."
)


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


def similarity_answer(
    models: Mapping[str, str],
    found: Mapping[str, Relation],
    slopes: Mapping[str, AdjustedSlope],
    adjusted: Mapping[str, float],
    *,
    metric: str,
    meaningful: bool = True,
) -> str:
    """Who scores higher the more alike the nearest training topic is: by ranks at .05 after Holm's correction, and sure
    only where the slope without authors is above 0 as well. Where labels are not `meaningful` nothing is claimed."""
    known = [name for name in models if not isnan(found[name].rho)]
    if not meaningful:
        return NO_LABELS
    if not known:
        return NOTHING_VARIES
    told = [name for name in known if adjusted[name] <= LEVEL]
    rising = [name for name in told if found[name].rho > 0]
    sure = [name for name in rising if slopes[name].low > 0]  # NaN is not
    unsure = [name for name in rising if name not in sure]
    falling = [name for name in told if name not in rising]
    if not told:
        return (
            f"It does not show: over {max(found[name].n for name in known):,} test topics no model's {metric} clearly goes with "
            f"the similarity of the nearest training topic (least p {min(adjusted[name] for name in known):.3f}). "
            "That is no proof that there is nothing."
        )
    said = []
    if sure:
        said.append(
            f"Yes, for {_named(sure, models, found)}: {metric} rises with the similarity of the nearest training topic, "
            "also once authors are taken out."
        )
    if unsure:
        said.append(
            f"{'Perhaps also' if sure else 'Perhaps'}, for {_named(unsure, models, found)}: {metric} rises with the "
            "similarity of the nearest training topic, but once authors are taken out that is not sure."
        )
    if falling:
        said.append(
            f"{metric} of {_named(falling, models, found)} falls with that similarity, which leakage does not explain."
        )
    if rest := [models[name] for name in known if name not in told]:
        said.append(f"For {listed(rest)} it does not show.")
    return " ".join(said)


def similarity_cautions(
    models: Mapping[str, str], summary: Mapping[str, WeightedSummary], nearest: Sequence[float], *, chance: float
) -> list[str]:
    """What weakens the answer: few test topics, similarities that hardly differ, models that do no better than chance."""
    known = [round(value, 6) for value in nearest if not isnan(value)]
    same = max(known, key=known.count, default=0.0)
    ties = known.count(same)
    said = []
    if 3 <= len(known) < FEW_TOPICS:
        said.append(f"With {len(known)} test topics only a very close relation could show.")
    if len(known) >= 3 and ties > len(known) / 2:
        said.append(
            f"For {ties:,} of {len(known):,} test topics the nearest training topic is equally similar ({same:.2f}): what is "
            f"said of similarity rests on the other {len(known) - ties:,}."
        )
    if low := [label for name, label in models.items() if summary[name].mean <= chance]:
        said.append(
            f"{listed(low)} {'does' if len(low) == 1 else 'do'} no better than one who does not read ({chance:.2f}): "
            "there is hardly any accuracy to be bought."
        )
    return said


def _named(names: Sequence[str], models: Mapping[str, str], found: Mapping[str, Relation]) -> str:
    return listed([f"{models[name]} (ρ {found[name].rho:+.2f})" for name in names])
