"""What every system is asked, fold by fold, and what each answers: from a benchmark, or from models run in the app."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, record
from ..errors import SettingError, unknown
from ..evaluation import TASKS, Evaluation
from ..models import METRICS, verification_scores
from ..statistics import compare_setups
from ..topics import Setup
from .raven.benchmark import GROUPS, Benchmark
from .raven.build import pair_similarity, setup_key


@record
class Asked:
    """One fold's test pairs: whether one author wrote both texts, and how alike the two are in topic."""

    setup: str
    group: str
    fold: int
    same: Bools
    similarity: Floats

    def __len__(self) -> int:
        return len(self.same)


@record
class System:
    """One system's scores for each fold asked, in that order; None where it could not be run, which the notes say."""

    name: str
    answers: tuple[Floats | None, ...]
    notes: tuple[str, ...] = ()


def asked_of(benchmark: Benchmark) -> tuple[Asked, ...]:
    """The test pairs of every fold of every setup of a benchmark."""
    return tuple(
        Asked(setup.key, setup.group, number, fold.test.same, fold.test.similarity)
        for setup in benchmark.setups
        for number, fold in enumerate(setup.folds)
    )


def from_evaluations(runs: Sequence[tuple[Setup, Evaluation]]) -> tuple[tuple[Asked, ...], tuple[System, ...]]:
    """The same from models run in the app: one verification of the same models on HITS and on each random setup."""
    models = list(dict.fromkeys(model for _, evaluation in runs for model in evaluation.models))
    asked: list[Asked] = []
    answers: dict[str, list[Floats | None]] = {model: [] for model in models}
    notes: dict[str, list[str]] = {model: [] for model in models}
    for setup, evaluation in runs:
        key = setup_key(setup.name)
        group = next((group for group in GROUPS if key.startswith(group)), None)
        if group is None:
            raise SettingError(
                f"'{setup.name}' is neither a HITS nor a random setup; the shortcut test compares those."
            )
        if evaluation.task != "verification" or set(evaluation.models) != set(models):
            raise SettingError("The shortcut test needs one verification of the same models on every setup.")
        for number, trial in enumerate(evaluation.trials):
            assert trial.other is not None
            similarity = pair_similarity(setup.vectors, trial.lead, trial.other)
            asked.append(Asked(key, group, number, trial.truth.astype(np.bool_), similarity))
        for model in models:
            for run in evaluation.of(model):
                answers[model].append(None if run.problem is not None else run.answers)
                if run.problem is not None:
                    notes[model].append(f"{key}, fold {run.fold}: {run.problem}")
    labels = TASKS["verification"]
    systems = tuple(System(labels[model].label, tuple(answers[model]), tuple(notes[model])) for model in models)
    return tuple(asked), systems


Interval = tuple[float, float]

ALPHA = 0.05
RESAMPLES = 2_000
ROUNDING = 12  # decimals beyond which two scores are one score


@dataclass(frozen=True, slots=True)
class Reading:
    """One system: `gap` = HITS − random, Avg = their mean, Diff = |gap|; rank 1 is the highest Avg, the lowest Diff.

    Intervals are 95 %; `p` is the unpaired t-test's over folds. `within_noise` is True unless that test and the
    interval of the gap both tell the two setups apart: such a Diff says nothing about the system.
    """

    name: str
    hits: float
    random: float
    gap: float
    avg: float
    diff: float
    rank_avg: float
    rank_diff: float
    hits_interval: Interval
    random_interval: Interval
    gap_interval: Interval
    avg_interval: Interval
    diff_interval: Interval
    p: float
    within_noise: bool
    undefined_folds: int

    @property
    def sentence(self) -> str:
        """What the numbers allow one to say."""
        if np.isnan(self.gap):
            return f"{self.name}: no fold of one of the setups has a defined score, so nothing can be compared."
        facts = f"{self.hits:.3f} under HITS, {self.random:.3f} at random"
        if self.within_noise:
            return f"{self.name}: {facts}; the difference of {self.diff:.3f} is within what folds vary by."
        if self.gap < 0:
            return f"{self.name}: {facts}; it loses {self.diff:.3f} where topics are heterogeneous, more than folds vary by."
        return f"{self.name}: {facts}; it gains {self.diff:.3f} where topics are heterogeneous, so topic leakage did not help it."


@record
class ShortcutTest:
    """Every system's reading, and `scores[system, fold]` by the metric, folds in the order asked (NaN: undefined)."""

    metric: str
    readings: tuple[Reading, ...]
    scores: Floats
    resamples: int
    seed: int


def shortcut_test(
    asked: Sequence[Asked],
    systems: Sequence[System],
    *,
    metric: str = "overall",
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> ShortcutTest:
    """Means over folds and seeds, Avg and Diff of the two setups, and ranks by both (Sawatphol et al. 2024, §8.2).

    The bootstrap draws folds with replacement within each setup, the same folds for all systems, and takes
    percentiles; with few folds it is somewhat too narrow, which is why the t-test must agree. An undefined score is
    left out of its mean.
    """
    if metric not in METRICS:
        raise unknown("metric", metric, METRICS)
    groups = np.array([each.group for each in asked])
    for group, label in (("hits", "HITS"), ("random", "random")):
        if not (groups == group).any():
            raise SettingError(f"There is no {label} setup; the shortcut test compares HITS with random ones.")
    if not systems:
        raise SettingError("No system is given; the shortcut test needs the answers of at least one.")
    scores = np.array([_scores(asked, system, metric) for system in systems])
    hits, random = (_mean(scores[:, groups == group]) for group in ("hits", "random"))
    avg, gap = (hits + random) / 2, hits - random
    by_avg, by_diff = _ranks(-avg), _ranks(np.abs(gap))
    drawn = {group: _resampled(scores, asked, group, seed, resamples) for group in ("hits", "random")}
    gaps, avgs = drawn["hits"] - drawn["random"], (drawn["hits"] + drawn["random"]) / 2
    readings = []
    for i, system in enumerate(systems):
        compared = compare_setups({metric: scores[i, groups == "hits"]}, {metric: scores[i, groups == "random"]})[
            metric
        ]
        between = _interval(gaps[i])
        apart = compared.p < ALPHA and not between[0] <= 0 <= between[1]  # NaN is not below alpha
        readings.append(
            Reading(
                system.name,
                hits=float(hits[i]),
                random=float(random[i]),
                gap=float(gap[i]),
                avg=float(avg[i]),
                diff=float(abs(gap[i])),
                rank_avg=float(by_avg[i]),
                rank_diff=float(by_diff[i]),
                hits_interval=_interval(drawn["hits"][i]),
                random_interval=_interval(drawn["random"][i]),
                gap_interval=between,
                avg_interval=_interval(avgs[i]),
                diff_interval=_absolute(between),
                p=compared.p,
                within_noise=not apart,
                undefined_folds=int(np.isnan(scores[i]).sum()),
            )
        )
    scores.setflags(write=False)
    return ShortcutTest(metric, tuple(readings), scores, resamples, seed)


def _scores(asked: Sequence[Asked], system: System, metric: str) -> list[float]:
    if len(system.answers) != len(asked):
        raise SettingError(f"{system.name}: answers for {len(system.answers)} folds where {len(asked)} are asked.")
    return [
        float("nan") if answers is None else verification_scores(each.same, answers).named()[metric]
        for each, answers in zip(asked, system.answers, strict=True)
    ]


def _mean(values: Floats) -> Floats:
    """The mean along the last axis of what is defined."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=-1)
    total = np.where(defined, values, 0.0).sum(axis=-1)
    mean: Floats = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean


def _resampled(scores: Floats, asked: Sequence[Asked], group: str, seed: int, resamples: int) -> Floats:
    """Means of a group (`[system, resample]`), each from folds drawn anew within every setup of it."""
    rng = np.random.default_rng([seed, group == "hits"])
    setups = dict.fromkeys(each.setup for each in asked if each.group == group)
    columns = []
    for setup in setups:
        folds = np.flatnonzero([each.setup == setup for each in asked])
        columns.append(folds[rng.integers(0, len(folds), size=(resamples, len(folds)))])
    drawn = np.concatenate(columns, axis=1)
    return np.array([_mean(row[drawn]) for row in scores])


def _interval(values: Floats) -> Interval:
    defined = values[~np.isnan(values)]
    if not len(defined):
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [ALPHA / 2, 1 - ALPHA / 2])
    return float(low), float(high)


def _absolute(interval: Interval) -> Interval:
    """Where |gap| lies when the gap lies in this interval; resampling |gap| itself would never come near 0."""
    low, high = interval
    least = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return (least if not np.isnan(low) else low), max(abs(low), abs(high))


def _ranks(values: Floats) -> Floats:
    """1 for the lowest, equal ones sharing their mean rank; NaN has no rank."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(np.round(values, ROUNDING), nan_policy="omit"), dtype=np.float64)
