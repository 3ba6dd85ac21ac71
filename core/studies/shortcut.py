"""The topic shortcut test: what every system is asked, fold by fold, what each answers, and what HITS costs it."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..arrays import Bools, Floats, Ints, known_mean, record
from ..errors import SettingError, unknown
from ..evaluation import TASKS, Evaluation
from ..models import METRICS, verification_scores
from ..statistics import SetupComparison, compare_setups, placebo_rate
from ..topics import Setup
from .raven.benchmark import GROUPS, Benchmark
from .raven.build import pair_similarity
from .shortcut_results import (
    MARGIN,
    Interval,
    ShortcutTest,
    SystemResult,
    absolute,
    gap_interval,
    leaning_of,
    loses,
    percentiles,
    system_sentence,
)

CONTROL = "topic_fit"  # among the verifiers: made to lean on topic
RESAMPLES = 2_000
DIGITS = 12  # decimals beyond which two scores are one score


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


def shortcut_test(
    pairs: Sequence[TestPairs],
    systems: Sequence[SystemAnswers],
    *,
    metric: str = "overall",
    control: str | None = None,
    margin: float = MARGIN,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> ShortcutTest:
    """Means over folds and seeds, Avg and Diff of the two setups, and ranks by both (Sawatphol et al. 2024, §8.2).

    `control` names the system that is made to lean on topic, by default the one that is called TopicFit, if any: only
    where it loses under HITS can the test see anything (docs/methods.md, "The topic shortcut test"). An undefined score is
    left out of its mean. The bootstrap of the means draws folds with replacement within each setup, the same for all
    systems, and takes percentiles; for the interval of the gap see `gap_interval`.
    """
    if metric not in METRICS:
        raise unknown("metric", metric, METRICS)
    if not margin > 0:
        raise SettingError(f"A margin of {margin:g}: name a difference above 0 that does not matter, such as 0.02.")
    if not systems:
        raise SettingError("No system is given; the shortcut test needs the answers of at least one.")
    names = [system.name for system in systems]
    scores = np.array([_scores(pairs, system, metric) for system in systems])
    folds = [scores[:, columns] for columns in _groups(pairs)]
    samples = [scores[:, columns] for columns in _setups(pairs, "random")]
    drawn = np.array([_resampled(scores, pairs, group, seed, resamples) for group in GROUPS])
    means, by_sample = (np.array([known_mean(each, axis=-1) for each in parts]) for parts in (folds, samples))
    gaps = [gap_interval(*each) for each in zip(*means, drawn[0] - drawn[1], by_sample.T, strict=True)]
    told = [(float(hits), float(random), gap) for hits, random, gap in zip(*means, gaps, strict=True)]
    control = _control(names, control)
    power = None if control is None else loses(gaps[names.index(control)])
    ranks = np.array([_ranks(-means.mean(axis=0)), _ranks(np.abs(means[0] - means[1]))])
    compared = compare_setups(*(dict(enumerate(each)) for each in folds))
    results = tuple(
        SystemResult(
            name,
            undefined_folds=int(np.isnan(scores[row]).sum()),
            reading=leaning_of(gaps[row], power=power, margin=margin),
            sentence=system_sentence(name, *told[row], control=control, power=power, margin=margin),
            **_numbers(means[:, row], ranks[:, row], drawn[:, row], gaps[row], compared[row]),
        )
        for row, name in enumerate(names)
    )
    return ShortcutTest(metric, results, scores, margin, control, power, placebo_rate(samples))


def _numbers(means: Floats, ranks: Floats, drawn: Floats, gap: Interval, compared: SetupComparison) -> dict[str, Any]:
    """One system's numbers by the names of its result; of every array the first is of HITS or by Avg."""
    hits, random = map(float, means)
    return {
        "hits": hits,
        "random": random,
        "gap": hits - random,
        "avg": (hits + random) / 2,
        "diff": abs(hits - random),
        "rank_avg": float(ranks[0]),
        "rank_diff": float(ranks[1]),
        "gap_interval": gap,
        "avg_interval": percentiles(drawn.mean(axis=0)),
        "diff_interval": absolute(gap),
        "p": compared.p,
        "adjusted_p": compared.adjusted,
    }


def _control(names: Sequence[str], named: str | None) -> str | None:
    if named is not None:
        if named not in names:
            raise unknown("system", named, dict.fromkeys(names))
        return named
    spelled = {_plain(CONTROL), _plain(TASKS["verification"].models[CONTROL].label)}
    return next((name for name in names if _plain(name) in spelled), None)


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _groups(pairs: Sequence[TestPairs]) -> list[Ints]:
    """The folds of HITS and those at random."""
    folds = [np.flatnonzero([each.group == group for each in pairs]) for group in GROUPS]
    for found, label in zip(folds, ("HITS", "random"), strict=True):
        if not len(found):
            raise SettingError(f"There is no {label} setup; the shortcut test compares HITS with random ones.")
    return folds


def _setups(pairs: Sequence[TestPairs], group: str) -> list[Ints]:
    """The folds of each setup of a group."""
    setups = dict.fromkeys(each.setup for each in pairs if each.group == group)
    return [np.flatnonzero([each.setup == setup for each in pairs]) for setup in setups]


def _scores(pairs: Sequence[TestPairs], system: SystemAnswers, metric: str) -> list[float]:
    if len(system.answers) != len(pairs):
        raise SettingError(f"{system.name}: answers for {len(system.answers)} folds where {len(pairs)} are asked.")
    return [
        float("nan") if answers is None else verification_scores(each.same, answers).named()[metric]
        for each, answers in zip(pairs, system.answers, strict=True)
    ]


def _resampled(scores: Floats, pairs: Sequence[TestPairs], group: str, seed: int, resamples: int) -> Floats:
    """Means of a group (`[system, resample]`), each from folds drawn anew within every setup of it."""
    rng = np.random.default_rng([seed, group == "hits"])
    setups = _setups(pairs, group)
    columns = [folds[rng.integers(0, len(folds), size=(resamples, len(folds)))] for folds in setups]
    drawn = np.concatenate(columns, axis=1)
    return np.array([known_mean(row[drawn], axis=-1) for row in scores])


def _ranks(values: Floats) -> Floats:
    """1 for the lowest, equal ones sharing their mean rank; NaN has no rank."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(np.round(values, DIGITS), nan_policy="omit"), dtype=np.float64)
