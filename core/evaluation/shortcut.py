"""The topic shortcut test: what every system is asked, what HITS costs it, and whether its scores follow topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ..arrays import Bools, Floats, Interval, Ints, Singles, known_mean, record, unit_rows
from ..errors import SettingError, unknown
from ..models import METRICS, UNANSWERED, answered_right, verification_scores
from ..statistics import SetupComparison, common_folds, compare_setups, placebo_rate, rank_correlation
from ..topics import Setup
from .run import Evaluation
from .tasks import TASKS

Reading = Literal["leans", "does not", "cannot tell"]

ALPHA = 0.05
MARGIN = 0.02  # of a score: a smaller difference of HITS and random does not matter
CONTROL = "topic_fit"  # among the verifiers: made to rely on topic
RESAMPLES = 2_000
SETUP_GROUPS = ("hits", "random")  # topics unlike each other, by HITS or another sampler, and topics at random
# A vector's last bits depend on the machine's arithmetic; its cosine is written without them.
SIMILARITY_DECIMALS = 6
DIGITS = 12  # decimals beyond which two scores are one score
PAIR_KINDS = {"all": "all pairs", "same": "same-author pairs", "different": "different-author pairs"}
QUARTILES = 4


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system's scores under HITS and at random; intervals are 95%."""

    name: str
    hits: float
    random: float
    gap: float  # HITS − random
    avg: float  # mean of HITS and random
    diff: float  # |gap|
    rank_avg: float  # 1 is the highest
    rank_diff: float  # 1 is the lowest
    gap_interval: Interval
    avg_interval: Interval
    diff_interval: Interval
    p: float  # of the paper's unpaired t-test over folds; `placebo` is how often it errs
    adjusted_p: float  # after Holm's correction over systems
    undefined_folds: int
    reading: Reading  # follows the interval of the gap

    @property
    def within_noise(self) -> bool:
        """Return whether the gap's interval contains 0 or is unknown: the two setups do not differ significantly."""
        return not_apart(self.gap_interval)


@record
class ShortcutTest:
    """Every system's result."""

    metric: str
    results: tuple[SystemResult, ...]
    scores: Floats  # [system, fold], folds in the order asked; NaN where undefined
    margin: float
    control: str | None  # a system made to rely on topic
    power: bool | None  # whether the control is seen to rely on topic; None without a control
    placebo: float  # how often the t-test calls one random setup different from the others
    ranked_folds: int  # folds with a score of every system


def gap_interval(hits: float, random: float, drawn: Floats, samples: Floats) -> Interval:
    """Return the 95% interval of HITS − random: from the lower low to the higher high of two intervals.

    One is by the bootstrap over folds (`drawn` gaps). The other asks how far one more random setup would lie from the
    mean of these: gap ± t_{.975,R−1}·s·√(1 + 1/R), s over the means of the R random setups (`samples`), because HITS is
    one sample of topics and random samples differ as well. NaN for one random setup, which shows no such difference. Scores lie
    from 0 to 1, so no gap is past 1.
    """
    from scipy.special import stdtrit

    known = samples[~np.isnan(samples)]
    count, gap = len(known), hits - random
    if count < 2 or np.isnan(gap):
        return float("nan"), float("nan")
    half = stdtrit(count - 1, 1 - ALPHA / 2) * known.std(ddof=1) * np.sqrt(1 + 1 / count)
    low, high = percentiles(drawn)
    return max(float(min(low, gap - half)), -1.0), min(float(max(high, gap + half)), 1.0)


def percentiles(values: Floats) -> Interval:
    """Return the middle 95% of the defined values."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [ALPHA / 2, 1 - ALPHA / 2])
    return float(low), float(high)


def absolute(interval: Interval) -> Interval:
    """Return the interval of |gap| given that of the gap; resampling |gap| itself would never come near 0."""
    low, high = interval
    least = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return (least if not np.isnan(low) else low), max(abs(low), abs(high))


def not_apart(interval: Interval) -> bool:
    """Return whether 0 is in the interval, or the interval unknown."""
    return not (interval[0] > 0 or interval[1] < 0)


def loses(interval: Interval) -> bool:
    """Return whether all of the gap's interval lies below 0."""
    return interval[1] < 0


def within(interval: Interval, margin: float) -> bool:
    """Return whether all of the gap's interval lies within ±margin."""
    return -margin <= interval[0] and interval[1] <= margin


def reliance_of(interval: Interval, *, power: bool | None, margin: float) -> Reading:
    """Return one of three: "leans" where the gap's interval lies below 0; "does not" where all of it lies within ±margin; else
    "cannot tell".

    A loss is a loss whatever the control does. That there is none can only be shown where the control loses (`power`): a test
    that does not see the control's reliance on topic, or has no control (None), might be blind.
    """
    if loses(interval):
        return "leans"
    return "does not" if power and within(interval, margin) else "cannot tell"


@record
class TestPairs:
    """One fold's test pairs: whether one author wrote both texts, and how similar the two are in topic."""

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


def pairs_and_answers(
    runs: Sequence[tuple[Setup, Evaluation]],
) -> tuple[tuple[TestPairs, ...], tuple[SystemAnswers, ...]]:
    """Return test pairs and answers of models run in the app: one verification of the same models on HITS and on each random setup."""
    models = list(dict.fromkeys(model for _, evaluation in runs for model in evaluation.models))
    pairs: list[TestPairs] = []
    answers: dict[str, list[Floats | None]] = {model: [] for model in models}
    notes: dict[str, list[str]] = {model: [] for model in models}
    for setup, evaluation in runs:
        if setup.sampler not in SETUP_GROUPS:
            raise SettingError(
                f"'{setup.name}' is neither a HITS nor a random setup; the shortcut test compares those."
            )
        if evaluation.task != "verification" or set(evaluation.models) != set(models):
            raise SettingError("The shortcut test needs one verification of the same models on every setup.")
        for fold, questions in enumerate(evaluation.questions):
            assert questions.other is not None
            similarity = pair_similarity(setup.vectors, questions.lead, questions.other)
            pairs.append(TestPairs(setup.key, setup.sampler, fold, questions.truth.astype(np.bool_), similarity))
        for model in models:
            for run in evaluation.of(model):
                answers[model].append(None if run.problem is not None else run.answers)
                if run.problem is not None:
                    notes[model].append(f"{setup.key}, fold {run.fold}: {run.problem}")
    labels = TASKS["verification"].models
    systems = (SystemAnswers(labels[model].label, tuple(answers[model]), tuple(notes[model])) for model in models)
    return tuple(pairs), tuple(systems)


def pair_similarity(vectors: Singles, first: Ints, second: Ints) -> Floats:
    """Return the cosine of the two texts' vectors, pair by pair; 0 where a text has a zero vector."""
    used, index = np.unique(np.concatenate([first, second]), return_inverse=True)
    units = unit_rows(vectors[used].astype(np.float64))
    # Row by row and not as one product: how a library splits a product over threads changes last digits.
    cosine = np.einsum("ij,ij->i", units[index[: len(first)]], units[index[len(first) :]])
    rounded: Floats = np.round(np.clip(cosine, -1.0, 1.0), SIMILARITY_DECIMALS) + 0.0  # no −0
    return rounded


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
    """Compute means over folds and seeds, Avg and Diff of the two setups, and ranks by both (Sawatphol et al. 2024, §8.2).

    `control` names the system that is made to rely on topic, by default the one that is called TopicFit, if any: only
    where it loses under HITS can the test show that others do not rely on topic (docs/methods.md, "The topic shortcut test").
    An undefined score is left out of its mean, and ranks are over the folds in which every system has a score. The bootstrap of the means draws folds with replacement within each setup, the same for all
    systems, and takes percentiles; for the interval of the gap see `gap_interval`.
    """
    if metric not in METRICS:
        raise unknown("metric", metric, METRICS)
    if not margin > 0:
        raise SettingError(f"A margin of {margin:g}: name a difference above 0 that does not matter, such as 0.02.")
    if not systems:
        raise SettingError("No system is given; the shortcut test needs the answers of at least one.")
    names = [system.name for system in systems]
    scores = np.array([_scores_of_pairs(pairs, system, metric) for system in systems])
    folds = [scores[:, columns] for columns in _hits_and_random(pairs)]
    samples = [scores[:, columns] for columns in _setups(pairs, "random")]
    drawn = np.array([_resampled_gaps(scores, pairs, group, seed, resamples) for group in SETUP_GROUPS])
    means, by_sample = (np.array([known_mean(each, axis=-1) for each in parts]) for parts in (folds, samples))
    gaps = [gap_interval(*each) for each in zip(*means, drawn[0] - drawn[1], by_sample.T, strict=True)]
    control = _control(names, control)
    power = None if control is None else loses(gaps[names.index(control)])
    common = [common_folds(each) for each in folds]
    everywhere = np.array([known_mean(each[:, here], axis=-1) for each, here in zip(folds, common, strict=True)])
    ranks = np.array(
        [_ranks_of_scores(-everywhere.mean(axis=0)), _ranks_of_scores(np.abs(everywhere[0] - everywhere[1]))]
    )
    compared = compare_setups(*(dict(enumerate(each)) for each in folds))
    results = tuple(
        SystemResult(
            name,
            undefined_folds=int(np.isnan(scores[row]).sum()),
            reading=reliance_of(gaps[row], power=power, margin=margin),
            **_system_numbers(means[:, row], ranks[:, row], drawn[:, row], gaps[row], compared[row]),
        )
        for row, name in enumerate(names)
    )
    return ShortcutTest(
        metric, results, scores, margin, control, power, placebo_rate(samples), sum(int(each.sum()) for each in common)
    )


def _system_numbers(
    means: Floats, ranks: Floats, drawn: Floats, gap: Interval, compared: SetupComparison
) -> dict[str, Any]:
    """Return one system's numbers by the names of its result; the first of every array is of HITS or by Avg."""
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
    spelled = {_folded_name(CONTROL), _folded_name(TASKS["verification"].models[CONTROL].label)}
    return next((name for name in names if _folded_name(name) in spelled), None)


def _folded_name(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _hits_and_random(pairs: Sequence[TestPairs]) -> list[Ints]:
    """Return the folds of HITS and those at random."""
    folds = [np.flatnonzero([each.group == group for each in pairs]) for group in SETUP_GROUPS]
    for found, label in zip(folds, ("HITS", "random"), strict=True):
        if not len(found):
            raise SettingError(f"There is no {label} setup; the shortcut test compares HITS with random ones.")
    return folds


def _setups(pairs: Sequence[TestPairs], group: str) -> list[Ints]:
    """Return the folds of each setup of a group."""
    setups = dict.fromkeys(each.setup for each in pairs if each.group == group)
    return [np.flatnonzero([each.setup == setup for each in pairs]) for setup in setups]


def _scores_of_pairs(pairs: Sequence[TestPairs], system: SystemAnswers, metric: str) -> list[float]:
    if len(system.answers) != len(pairs):
        raise SettingError(f"{system.name}: answers for {len(system.answers)} folds where {len(pairs)} are asked.")
    return [
        float("nan") if answers is None else verification_scores(each.same, answers).named()[metric]
        for each, answers in zip(pairs, system.answers, strict=True)
    ]


def _resampled_gaps(scores: Floats, pairs: Sequence[TestPairs], group: str, seed: int, resamples: int) -> Floats:
    """Bootstrap the means of a group (`[system, resample]`), resampling folds within every setup of it."""
    rng = np.random.default_rng([seed, group == "hits"])
    setups = _setups(pairs, group)
    columns = [folds[rng.integers(0, len(folds), size=(resamples, len(folds)))] for folds in setups]
    drawn = np.concatenate(columns, axis=1)
    return np.array([known_mean(row[drawn], axis=-1) for row in scores])


def _ranks_of_scores(values: Floats) -> Floats:
    """Return ranks from 1 for the lowest; equal values share their mean rank, NaN has no rank."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(np.round(values, DIGITS), nan_policy="omit"), dtype=np.float64)


@record
class Reliance:
    """One system: Spearman's ρ of score and similarity by kind of pair, and accuracy by quartile of similarity.

    ρ over all pairs also rises because same-author pairs are more similar; within one kind nothing but topic and chance
    is left. `rho` are means over folds; accuracies are of answered pairs, `answered` of which there are. Quartiles are
    the same for all systems.
    """

    name: str
    rho: Mapping[str, float]
    accuracy: Mapping[str, Floats]
    answered: Mapping[str, Ints]

    def __post_init__(self) -> None:
        for values in (*self.accuracy.values(), *self.answered.values()):
            values.setflags(write=False)


@record
class _Fold:
    """What one fold's pairs are compared with, the same for every system: which pairs are of each kind, how similar the two
    texts of each pair are, and every pair's quartile."""

    same: Bools
    kinds: Mapping[str, Bools]
    similarity: Floats
    quartile: Ints


def topical_reliance(pairs: Sequence[TestPairs], systems: Sequence[SystemAnswers]) -> tuple[Reliance, ...]:
    """Compare every system's scores with the cosine of the two texts' vectors, fold by fold.

    Folds are not pooled for ρ: each fold's model has a scale of its own.
    """
    edges = np.quantile(np.concatenate([each.similarity for each in pairs]), [0.25, 0.5, 0.75])
    folds = []
    for each in pairs:
        everything = np.ones(len(each), dtype=np.bool_)
        kinds = dict(zip(PAIR_KINDS, (everything, each.same, ~each.same), strict=True))
        quartile = np.searchsorted(edges, each.similarity, side="left")
        folds.append(_Fold(each.same, kinds, each.similarity, quartile))
    return tuple(_reliance(system, folds) for system in systems)


def _reliance(system: SystemAnswers, folds: Sequence[_Fold]) -> Reliance:
    rho: dict[str, list[float]] = {kind: [] for kind in PAIR_KINDS}
    right = {kind: np.zeros(QUARTILES) for kind in PAIR_KINDS}
    answered = {kind: np.zeros(QUARTILES, dtype=np.int64) for kind in PAIR_KINDS}
    for fold, scores in zip(folds, system.answers, strict=True):
        if scores is None:
            continue
        said, correct = scores != UNANSWERED, answered_right(fold.same, scores)
        for kind, here in fold.kinds.items():
            rho[kind].append(rank_correlation(fold.similarity[here], scores[here]))
            right[kind] += np.bincount(fold.quartile[here & correct], minlength=QUARTILES)
            answered[kind] += np.bincount(fold.quartile[here & said], minlength=QUARTILES)
    accuracy = {
        kind: np.divide(right[kind], count, out=np.full(QUARTILES, np.nan), where=count > 0)
        for kind, count in answered.items()
    }
    means = {kind: float(known_mean(np.array(values))) for kind, values in rho.items()}
    return Reliance(system.name, means, accuracy, answered)
