"""The forecast: the score to expect on topics that are unlike those of the corpus.

Every topic is tested twice: under topic k-fold, where similar topics are on both sides, and with its whole family held out.
A line through accuracy against the similarity of the nearest training topic is read off at the similarity of the target.
"""

import time
from collections.abc import Mapping
from contextlib import closing
from itertools import product
from math import asin, isnan, nan, pi, sin, sqrt

import numpy as np

from ..arrays import Bools, Floats, Ints, Singles, digest, known_mean, record, seeded
from ..corpora import Corpus
from ..engine import each, remember_pace
from ..errors import LeakscopeError, SettingError
from ..models import Classifier, Documents
from ..progress import Pace, Progress
from ..statistics import MeanEffect, mean_effect
from ..topics import CORRECTED, TopicSpace, check_documents, nearest_similarity
from .curve import (
    MOST_LABELS,
    fit_clock,
    fits_estimate,
    frequent_labels,
    label_counts,
    name_of,
    named_rows,
    not_learnable,
    rows_by_content,
)
from .run import Estimate
from .store import Answers, ResultStore

FOLDS = 6
MOST_FAMILY_FOLDS = 10
CONFIDENCE = 0.9
SPLITS = ("random", "topics", "families")
FEWEST_TOPICS, FEWEST_FAMILIES = 4, 3  # families: two are taken by the line, and a spread needs one more
LARGEST_COMPARED = (
    0.25  # share of the documents: without a larger family, accuracy falls for lack of training in any case
)
VERSION = 1  # raised by a change of code that changes answers


@record
class ForecastPlan:
    """Three splits of the same documents; the fold of each document is −1 where it takes no part."""

    k: int
    seed: int
    labels: Ints  # the class of every document, −1 where it takes no part
    family: Ints  # of each topic, −1 where it takes no part
    family_fold: Ints  # the fold that tests each topic together with its family, −1 where it takes no part
    folds: Mapping[str, Ints]  # split → fold of every document
    nearest: Mapping[str, Floats]  # "topics" and "families" → similarity of each topic's nearest training topic
    order: Ints  # rows that take part, in an order that does not depend on the file

    @property
    def families(self) -> int:
        """Return the number of families."""
        return int(self.family.max()) + 1


def topic_families(similarity: Floats) -> Ints:
    """Return the family of each topic: average-linkage clusters, as many as give the highest mean silhouette.

    Similarities must be known. A family with more than two thirds of the topics would leave too little to train on, and is cut. Families
    are numbered by their first topic.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    count = len(similarity)
    if count < 3:
        return np.arange(count)
    distance = (1.0 - similarity).clip(0.0)
    distance = (distance + distance.T) / 2
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), "average")
    tried = [np.asarray(fcluster(tree, number, "maxclust") - 1, dtype=np.int64) for number in range(2, count)]
    tried = [
        label for label in tried if 1 < len(np.unique(label)) < count and 3 * np.bincount(label).max() <= 2 * count
    ]
    if not tried or not np.ptp(distance[~np.eye(count, dtype=bool)]):
        return np.arange(count)
    best = max(tried, key=lambda label: _silhouette_of_distances(distance, label))
    _, first = np.unique(best, return_index=True)
    return np.asarray(np.argsort(np.argsort(first))[best])


def _silhouette_of_distances(distance: Floats, label: Ints) -> float:
    """Return the mean of (b − a)/max(a, b), a being the mean distance to one's own cluster and b to the nearest other one
    (Rousseeuw 1987); 0 for a cluster of one. scikit-learn has the same, and takes half a second to import.
    """
    sizes, rows = np.bincount(label), np.arange(len(label))
    order = np.argsort(label, kind="stable")
    sums = np.add.reduceat(distance[:, order], np.cumsum(sizes) - sizes, axis=1)
    own = sums[rows, label] / np.maximum(sizes[label] - 1, 1)
    means = sums / sizes
    means[rows, label] = np.inf
    other = means.min(axis=1)
    larger = np.maximum(own, other)
    known = (sizes[label] > 1) & (larger > 0)
    return float(np.where(known, (other - own) / np.where(known, larger, 1.0), 0.0).mean())


def forecast_plan(corpus: Corpus, space: TopicSpace, labels: Ints, *, k: int = FOLDS, seed: int = 0) -> ForecastPlan:
    """Plan the three splits: k random folds stratified by class, k folds of topics, and a fold per family (ten at most).

    More than ten families are merged, the most similar first, as long as a fold holds at most a fifth of the documents. Topics that
    cannot be compared take no part.
    """
    check_documents(corpus, space)
    if k < 2:
        raise SettingError(f"k = {k}; choose 2 or more folds.")
    used, _ = frequent_labels(labels, space.comparable[corpus.topic_codes], MOST_LABELS)
    order = rows_by_content(corpus, np.flatnonzero(used >= 0))
    topics = np.unique(corpus.topic_codes[order])
    if len(topics) < max(k, FEWEST_TOPICS):
        raise SettingError(
            f"{len(topics)} topics can be tested, and the forecast needs {max(k, FEWEST_TOPICS)} or more."
        )
    if reason := not_learnable(corpus, label_counts(corpus, used)):
        raise SettingError(reason)
    inside = space.similarity[np.ix_(topics, topics)]
    family = np.full(len(space), -1, dtype=np.int64)
    family[topics] = topic_families(inside)
    if family.max() < 1:
        raise SettingError("All topics form one family, so no family can be held out. Add topics on other subjects.")
    family_fold = np.full(len(space), -1, dtype=np.int64)
    documents = np.bincount(corpus.topic_codes[order], minlength=len(space))[topics]
    family_fold[topics] = _merged_families(inside, family[topics], documents, MOST_FAMILY_FOLDS)
    topic_fold = np.full(len(space), -1, dtype=np.int64)
    for number, part in enumerate(np.array_split(topics[seeded(seed, "topic folds").permutation(len(topics))], k)):
        topic_fold[part] = number
    spread = order[seeded(seed, "random folds").permutation(len(order))]
    spread = spread[np.argsort(used[spread], kind="stable")]
    random = np.full(len(corpus), -1, dtype=np.int64)
    random[spread] = np.arange(len(spread)) % k
    by_topic = {"topics": topic_fold, "families": family_fold}
    return ForecastPlan(
        k=k,
        seed=seed,
        labels=used,
        family=family,
        family_fold=family_fold,
        folds={
            "random": random,
            **{name: np.where(used >= 0, fold[corpus.topic_codes], -1) for name, fold in by_topic.items()},
        },
        nearest={name: _nearest_elsewhere(space, fold) for name, fold in by_topic.items()},
        order=order,
    )


def _merged_families(similarity: Floats, family: Ints, documents: Ints, most: int) -> Ints:
    """Merge the two most similar families that together hold at most 2/`most` of the documents, until there are at most `most`.

    Without the limit one fold grows by chaining, and is tested on little training. The two smallest of more than `most` are within it.
    """
    label = family.copy()
    while (count := int(label.max()) + 1) > most:
        member = np.eye(count)[label]
        means = member.T @ similarity @ member / np.outer(member.sum(axis=0), member.sum(axis=0))
        held = documents @ member
        means[most * np.add.outer(held, held) > 2 * documents.sum()] = -np.inf
        np.fill_diagonal(means, -np.inf)
        first, second = sorted(np.unravel_index(int(np.argmax(means)), means.shape))
        label[label == second] = first
        label[label > second] -= 1
    return label


def _nearest_elsewhere(space: TopicSpace, fold: Ints) -> Floats:
    """Return the similarity of each topic's nearest topic in another fold; NaN where it takes no part."""
    others = (fold[:, None] != fold) & (fold >= 0) & (fold >= 0)[:, None]
    return nearest_similarity(space, np.where(others, space.similarity, nan))


@record
class ForecastRun:
    """Every model's answers to the three splits."""

    plan: ForecastPlan
    predicted: Mapping[str, Mapping[str, Ints]]  # model → split → class per document, −1 where not asked
    problems: Mapping[str, str]  # model → why some of its fits failed
    fresh: int  # fits that were computed now


def run_forecast(
    corpus: Corpus,
    plan: ForecastPlan,
    models: Mapping[str, Classifier],
    *,
    vectors: Singles | None = None,
    results: ResultStore | None = None,
    progress: Progress | None = None,
) -> ForecastRun:
    """Fit every model on every fold of the three splits, on all cores; what is in `results` is not computed again."""
    tasks, keys = _forecast_tasks(corpus, plan, models)
    known = [_kept_answers(results, key, plan, task) for key, task in zip(keys, tasks, strict=True)]
    missing = [index for index, found in enumerate(known) if found is None]
    taking_part = np.zeros(len(corpus), dtype=np.bool_)
    taking_part[plan.order] = True
    texts = [text if part else "" for text, part in zip(corpus.texts, taking_part, strict=True)]
    work, pace = _ForecastWork(Documents(texts, vectors, corpus.author_names or ()), plan, dict(models)), Pace()
    with closing(each(_fit_fold, [tasks[index] for index in missing], shared=work)) as answered:
        for done, (place, found) in enumerate(answered, start=1):
            index = missing[place]
            known[index] = found
            if results is not None:
                results.put(keys[index], found)
            if progress is not None:
                left = pace.left(done, len(missing) - done)
                progress(len(tasks) - len(missing) + done, len(tasks), name_of(tasks[index][0]), left)
    predicted = {name: {split: np.full(len(corpus), -1, dtype=np.int64) for split in SPLITS} for name in models}
    problems: dict[str, str] = {}
    for (name, split, fold), given in zip(tasks, known, strict=True):
        assert given is not None
        if given.problem is None:
            predicted[name][split][_sides_of(plan, split, fold)[1]] = given.answers.astype(np.int64)
        else:
            problems.setdefault(name, given.problem)
    return ForecastRun(plan, predicted, problems, len(missing))


def forecast_estimate(
    corpus: Corpus, plan: ForecastPlan, models: Mapping[str, Classifier], *, results: ResultStore | None = None
) -> Estimate:
    """Estimate the fits that are not in `results`, and their time and memory."""
    pairs = zip(*_forecast_tasks(corpus, plan, models), strict=True)
    missing = [task for task, key in pairs if _kept_answers(results, key, plan, task) is None]
    units = [(name, _fit_units(plan, _sides_of(plan, split, fold)[0])) for name, split, fold in missing]
    return fits_estimate(units, models, fits=len(missing))


def _forecast_tasks(
    corpus: Corpus, plan: ForecastPlan, models: Mapping[str, Classifier]
) -> tuple[list[tuple[str, str, int]], list[str]]:
    """Return every model, split and fold, and what determines its answers."""
    tasks = [
        (name, split, fold)
        for name, split in product(models, SPLITS)
        for fold in range(int(plan.folds[split].max()) + 1)
    ]
    named, keys = named_rows(corpus, plan.labels, plan.order), []
    for name, split, fold in tasks:
        sides = [named(rows) for rows in _sides_of(plan, split, fold)]
        keys.append(digest(["forecast", VERSION, models[name].key(), plan.seed, *sides]))
    return tasks, keys


def _fit_units(plan: ForecastPlan, train: Ints) -> float:
    """Return what a fit's time grows with: training documents, once per class."""
    return float(len(train) * len(np.unique(plan.labels[train])))


@record
class _ForecastWork:
    """What all fits share."""

    documents: Documents
    plan: ForecastPlan
    models: dict[str, Classifier]


def _sides_of(plan: ForecastPlan, split: str, fold: int) -> tuple[Ints, Ints]:
    """Return training and test rows of a fold."""
    tested = plan.folds[split][plan.order] == fold
    return plan.order[~tested], plan.order[tested]


def _fit_fold(work: _ForecastWork, task: tuple[str, str, int]) -> Answers:
    (name, split, fold), start = task, fit_clock()
    model, (train, test) = work.models[name], _sides_of(work.plan, split, fold)
    try:
        fitted = model.fit(work.documents.part(train), work.plan.labels[train], seed=work.plan.seed)
        given = fitted.predict(work.documents.part(test)).astype(np.float64)
    except LeakscopeError as problem:
        return Answers(np.empty(0), (), str(problem))
    remember_pace(f"curve:{model.name}", _fit_units(work.plan, train), time.process_time() - start)
    return Answers(given, ())


def _kept_answers(
    results: ResultStore | None, key: str, plan: ForecastPlan, task: tuple[str, str, int]
) -> Answers | None:
    found = None if results is None else results.get(key)
    if found is None or found.problem is not None:
        return found
    return found if len(found.answers) == len(_sides_of(plan, task[1], task[2])[1]) else None


# --- Reading it off -----------------------------------------------------------------------------------------------------


@record
class Forecast:
    """What one model's score is under each split, and what to expect on the target; NaN where it could not be run."""

    random: float  # share of right answers in a random split
    topic_kfold: float
    held_out: float  # with whole families held out
    expected: float  # read off the line at the target's similarity
    low: float  # of one new family: interval at `CONFIDENCE`, from the errors on families that the line had not seen
    high: float
    intercept: float
    slope: float
    errors: Floats  # true minus forecast accuracy, per family fold
    x: Floats  # the line's points: similarity of the nearest training topic,
    y: Floats  # and accuracy, of every topic under topic k-fold and then with its family held out
    mean_low: float = nan  # of the mean over many new families: interval at `CONFIDENCE`
    mean_high: float = nan
    excess: MeanEffect | None = None  # per family: accuracy under topic k-fold minus that with the family held out


@record
class ForecastSummary:
    """The forecasts of all models for one target."""

    models: Mapping[str, Forecast]
    target: float  # the target's similarity, as it was used
    wanted: float  # before it was clipped to the similarities observed
    topic_kfold: float  # mean similarity of the nearest training topic under topic k-fold
    held_out: float  # with families held out
    families: int
    observed: tuple[float, float]  # lowest and highest similarity of the line's points
    guessing: float = 0.0  # accuracy of always answering training's largest class, under topic k-fold
    guessing_high: float = 0.0  # the most that guessing reaches in 95% of corpora of this size

    @property
    def clipped(self) -> bool:
        """Return whether the target lies outside what was observed."""
        return self.target != self.wanted


def forecast(corpus: Corpus, run: ForecastRun, *, target: float | None = None) -> ForecastSummary:
    """Read every model's line off at `target`, the similarity of new topics to their nearest training topic.

    Without one the target is a family that the corpus does not have: the mean similarity with families held out.
    """
    plan = run.plan
    documents = np.bincount(corpus.topic_codes[plan.order], minlength=len(corpus.topic_names)).astype(np.float64)
    topics = np.flatnonzero(plan.family >= 0)
    weights = np.sqrt(documents[topics])
    x = np.stack([plan.nearest[split][topics] for split in ("topics", "families")])
    means = [float(np.average(row, weights=weights)) for row in x]
    wanted = means[1] if target is None else float(target)
    low, high = float(x.min()), float(x.max())
    used = min(max(wanted, low), high)
    found = {
        name: _forecast(corpus, plan, answers, topics, weights, x, used) for name, answers in run.predicted.items()
    }
    guesses = _guessing(plan)
    return ForecastSummary(found, used, wanted, means[0], means[1], plan.families, (low, high), *guesses)


def _guessing(plan: ForecastPlan) -> tuple[float, float]:
    """Return the accuracy of always answering training's largest class under topic k-fold, and the most it reaches in 95% of cases."""
    from scipy.special import bdtr

    right = 0
    for fold in range(int(plan.folds["topics"].max()) + 1):
        train, test = _sides_of(plan, "topics", fold)
        right += int((plan.labels[test] == np.bincount(plan.labels[train]).argmax()).sum())
    count = len(plan.order)
    most = int(np.searchsorted(bdtr(np.arange(count + 1), count, right / count), 0.95))
    return right / count, most / count


def _forecast(
    corpus: Corpus,
    plan: ForecastPlan,
    answers: Mapping[str, Ints],
    topics: Ints,
    weights: Floats,
    x: Floats,
    target: float,
) -> Forecast:
    right = {split: _marked_answers(corpus, plan, given) for split, given in answers.items()}
    score = {split: float(known_mean(values[plan.order])) for split, values in right.items()}
    scores = score["random"], score["topics"], score["families"]
    y = np.stack([_mean_per_topic(corpus, right[split], topics) for split in ("topics", "families")])
    if np.isnan(y).any() or isnan(score["random"]):
        nothing = np.empty(0)
        return Forecast(*scores, nan, nan, nan, nan, nan, nothing, x.ravel(), y.ravel())
    both = np.concatenate([weights, weights])
    intercept, slope = _weighted_line(x.ravel(), y.ravel(), both)
    expected = min(max(intercept + slope * target, 0.0), 1.0)
    fold = plan.family_fold[topics]
    left_out = [_left_out(x, y, weights, corpus, right, plan, topics, fold == one) for one in np.unique(fold)]
    truth, forecasts = np.array(left_out).T
    one, mean = family_intervals(expected, truth, forecasts)
    errors, excess = truth - forecasts, _kfold_excess(right, plan.folds["families"])
    return Forecast(*scores, expected, *one, intercept, slope, errors, x.ravel(), y.ravel(), *mean, excess)


def _kfold_excess(right: Mapping[str, Floats], family_fold: Ints) -> MeanEffect | None:
    """Return how much higher the accuracy on each family is under topic k-fold than with the family held out.

    Both train on about as many documents: a family with more than a quarter of them does not count. None where fewer than three do,
    or those that do hold fewer than half of the documents.
    """
    used = family_fold >= 0
    documents = np.bincount(family_fold[used])
    higher = np.bincount(family_fold[used], weights=(right["topics"] - right["families"])[used]) / documents
    compared = documents <= LARGEST_COMPARED * documents.sum()
    known = compared.sum() >= FEWEST_FAMILIES and 2 * documents[compared].sum() >= documents.sum()
    return mean_effect(higher[compared]) if known else None


def _marked_answers(corpus: Corpus, plan: ForecastPlan, given: Ints) -> Floats:
    """Return 1 where an answer is right, 0 where it is wrong, NaN where there is none; all NaN where a fold could not be run."""
    right = np.full(len(corpus), nan)
    if (given[plan.order] >= 0).all():
        right[plan.order] = given[plan.order] == plan.labels[plan.order]
    return right


def _mean_per_topic(corpus: Corpus, right: Floats, topics: Ints) -> Floats:
    return np.array([float(known_mean(right[corpus.topic_codes == topic])) for topic in topics])


def _weighted_line(x: Floats, y: Floats, weights: Floats) -> tuple[float, float]:
    """Return intercept and slope by weighted least squares; no slope where x does not vary."""
    share = weights / weights.sum()
    from_mean = x - share @ x
    spread = float(share @ from_mean**2)
    slope = float(share @ (from_mean * y)) / spread if spread > 1e-12 else 0.0
    return float(share @ y - slope * (share @ x)), slope


def _left_out(
    x: Floats,
    y: Floats,
    weights: Floats,
    corpus: Corpus,
    right: Mapping[str, Floats],
    plan: ForecastPlan,
    topics: Ints,
    held: Bools,
) -> tuple[float, float]:
    """Return the true accuracy on a fold of families, and its forecast by the line through all other topics."""
    rest = ~held
    both = np.concatenate([weights[rest], weights[rest]])
    intercept, slope = _weighted_line(x[:, rest].ravel(), y[:, rest].ravel(), both)
    observed = x[:, rest]
    target = float(np.average(x[1, held], weights=weights[held]))
    expected = intercept + slope * min(max(target, observed.min()), observed.max())
    truth = float(known_mean(right["families"][np.isin(corpus.topic_codes, topics[held])]))
    return truth, min(max(expected, 0.0), 1.0)


def family_intervals(
    expected: float, truth: Floats, forecasts: Floats
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return intervals for the accuracy on one new family, and for the mean over many, around an expected accuracy.

    `forecasts` were made without the families whose accuracy is `truth`. Errors are differences of arcsin √accuracy, in which
    binomial noise is the same everywhere, so that intervals stay within 0 and 1 and are longer to the side with more room. With s
    the root mean square of F errors and t of F − 1 degrees of freedom, half a width is t·s·√(1 + 1/F), and t·s/√F for the mean.
    """
    from scipy.special import stdtrit

    families = len(truth)
    if families < FEWEST_FAMILIES:
        return (nan, nan), (nan, nan)
    angle, real, given = asin(sqrt(expected)), np.arcsin(np.sqrt(truth)), np.arcsin(np.sqrt(forecasts))
    scale = float(stdtrit(families - 1, (1 + CONFIDENCE) / 2)) * sqrt(float(((real - given) ** 2).mean()))
    halves = scale * sqrt(1 + 1 / families), scale / sqrt(families)
    one, mean = ((_accuracy_of_angle(angle - half), _accuracy_of_angle(angle + half)) for half in halves)
    return one, mean


def _accuracy_of_angle(angle: float) -> float:
    """Return the accuracy whose arcsin √ this is, 0 or 1 beyond its ends."""
    return sin(min(max(angle, 0.0), pi / 2)) ** 2


def target_similarity(space: TopicSpace, target: TopicSpace) -> Floats:
    """Return, for each topic of the target, the similarity of the nearest topic of the corpus; NaN where it is unknown."""
    if space.centroids.shape[1] != target.centroids.shape[1] or space.kind != target.kind:
        raise SettingError("The target's vectors are of another encoder or similarity. Use the same for both.")
    points = [_unit_points(each) for each in (target, space)]
    return nearest_similarity(space, np.clip(points[0] @ points[1].T, -1.0, 1.0))


def _unit_points(space: TopicSpace) -> Floats:
    """Return centroids over the length that similarity divides them by; NaN for a topic that cannot be compared."""
    length = np.linalg.norm(space.centroids, axis=1)
    if space.kind == CORRECTED and space.coherence is not None:
        length = np.sqrt(np.where(space.comparable, space.coherence, nan))
    known = np.where(space.comparable & (length > 0), length, nan)
    return np.asarray(space.centroids / known[:, None])
