"""The topic shortcut test: what every system is asked, fold by fold, what each answers, and what HITS costs it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats, record
from ..errors import SettingError, unknown
from ..evaluation import TASKS, Evaluation
from ..models import METRICS, verification_scores
from ..statistics import compare_setups
from ..topics import Setup
from .raven.benchmark import GROUPS, Benchmark, pair_similarity

Interval = tuple[float, float]

ALPHA = 0.05
RESAMPLES = 2_000
ROUNDING = 12  # decimals beyond which two scores are one score


@record
class TestPairs:
    """One fold's test pairs: whether one author wrote both texts, and how alike the two are in topic."""

    __test__: ClassVar[bool] = False  # pytest takes classes of such names for tests

    setup: str
    group: str
    fold: int
    same: Bools
    similarity: Floats

    def __len__(self) -> int:
        return len(self.same)


@record
class SystemAnswers:
    """One system's scores for each fold asked, in that order; None where it could not be run, which the notes say."""

    name: str
    answers: tuple[Floats | None, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for scores in self.answers:
            if scores is not None:
                scores.setflags(write=False)


def benchmark_pairs(benchmark: Benchmark) -> tuple[TestPairs, ...]:
    """The test pairs of every fold of every setup of a benchmark."""
    return tuple(
        TestPairs(setup.key, setup.group, number, fold.test.same, fold.test.similarity)
        for setup in benchmark.setups
        for number, fold in enumerate(setup.folds)
    )


def pairs_and_answers(
    runs: Sequence[tuple[Setup, Evaluation]],
) -> tuple[tuple[TestPairs, ...], tuple[SystemAnswers, ...]]:
    """The same from models run in the app: one verification of the same models on HITS and on each random setup."""
    models = list(dict.fromkeys(model for _, evaluation in runs for model in evaluation.models))
    pairs: list[TestPairs] = []
    answers: dict[str, list[Floats | None]] = {model: [] for model in models}
    notes: dict[str, list[str]] = {model: [] for model in models}
    for setup, evaluation in runs:
        if setup.sampler not in GROUPS:
            raise SettingError(
                f"'{setup.name}' is neither a HITS nor a random setup; the shortcut test compares those."
            )
        if evaluation.task != "verification" or set(evaluation.models) != set(models):
            raise SettingError("The shortcut test needs one verification of the same models on every setup.")
        for number, questions in enumerate(evaluation.questions):
            assert questions.other is not None
            similarity = pair_similarity(setup.vectors, questions.lead, questions.other)
            pairs.append(TestPairs(setup.key, setup.sampler, number, questions.truth.astype(np.bool_), similarity))
        for model in models:
            for run in evaluation.of(model):
                answers[model].append(None if run.problem is not None else run.answers)
                if run.problem is not None:
                    notes[model].append(f"{setup.key}, fold {run.fold}: {run.problem}")
    labels = TASKS["verification"].models
    systems = (SystemAnswers(labels[model].label, tuple(answers[model]), tuple(notes[model])) for model in models)
    return tuple(pairs), tuple(systems)


@dataclass(frozen=True, slots=True)
class SystemResult:
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
    """Every system's result, and `scores[system, fold]` by the metric, folds in the order asked (NaN: undefined)."""

    metric: str
    results: tuple[SystemResult, ...]
    scores: Floats
    resamples: int
    seed: int


def shortcut_test(
    pairs: Sequence[TestPairs],
    systems: Sequence[SystemAnswers],
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
    groups = np.array([each.group for each in pairs])
    for group, label in zip(GROUPS, ("HITS", "random"), strict=True):
        if not (groups == group).any():
            raise SettingError(f"There is no {label} setup; the shortcut test compares HITS with random ones.")
    if not systems:
        raise SettingError("No system is given; the shortcut test needs the answers of at least one.")
    scores = np.array([_scores(pairs, system, metric) for system in systems])
    folds = tuple(scores[:, groups == group] for group in GROUPS)
    means = tuple(map(_mean, folds))
    drawn = tuple(_resampled(scores, pairs, group, seed, resamples) for group in GROUPS)
    ranks = _ranks(-(means[0] + means[1]) / 2), _ranks(np.abs(means[0] - means[1]))
    results = (
        _result(system.name, *([part[row] for part in parts] for parts in (folds, means, drawn, ranks)))
        for row, system in enumerate(systems)
    )
    return ShortcutTest(metric, tuple(results), scores, resamples, seed)


def _result(
    name: str, folds: Sequence[Floats], means: Sequence[Floats], drawn: Sequence[Floats], ranks: Sequence[Floats]
) -> SystemResult:
    """One system's result; of every argument the first is of HITS or by Avg, the second of random or by Diff."""
    hits, random = map(float, means)
    between = _interval(drawn[0] - drawn[1])
    compared = compare_setups({"score": folds[0]}, {"score": folds[1]})["score"]
    apart = compared.p < ALPHA and not between[0] <= 0 <= between[1]  # NaN is not below alpha
    return SystemResult(
        name,
        hits=hits,
        random=random,
        gap=hits - random,
        avg=(hits + random) / 2,
        diff=abs(hits - random),
        rank_avg=float(ranks[0]),
        rank_diff=float(ranks[1]),
        hits_interval=_interval(drawn[0]),
        random_interval=_interval(drawn[1]),
        gap_interval=between,
        avg_interval=_interval((drawn[0] + drawn[1]) / 2),
        diff_interval=_absolute(between),
        p=compared.p,
        within_noise=not apart,
        undefined_folds=int(np.isnan(np.concatenate(folds)).sum()),
    )


def _scores(pairs: Sequence[TestPairs], system: SystemAnswers, metric: str) -> list[float]:
    if len(system.answers) != len(pairs):
        raise SettingError(f"{system.name}: answers for {len(system.answers)} folds where {len(pairs)} are asked.")
    return [
        float("nan") if answers is None else verification_scores(each.same, answers).named()[metric]
        for each, answers in zip(pairs, system.answers, strict=True)
    ]


def _mean(values: Floats) -> Floats:
    """The mean along the last axis of what is defined."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=-1)
    total = np.where(defined, values, 0.0).sum(axis=-1)
    mean: Floats = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean


def _resampled(scores: Floats, pairs: Sequence[TestPairs], group: str, seed: int, resamples: int) -> Floats:
    """Means of a group (`[system, resample]`), each from folds drawn anew within every setup of it."""
    rng = np.random.default_rng([seed, group == "hits"])
    setups = dict.fromkeys(each.setup for each in pairs if each.group == group)
    columns = []
    for setup in setups:
        folds = np.flatnonzero([each.setup == setup for each in pairs])
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
