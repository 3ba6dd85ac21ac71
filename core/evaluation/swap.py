"""What the nearest topic in training buys: the same test topic, authors and training size, with the twin and without it."""

from collections.abc import Mapping, Sequence
from math import isnan, nan, sqrt
from typing import Any

import numpy as np

from ..arrays import Floats, known_mean, record
from ..corpora import Corpus
from ..errors import SettingError
from ..progress import Progress
from ..splits import Folds, Swaps
from ..statistics import holm, signed_points
from ..topics import TopicSpace, twin_line
from .run import Evaluation, evaluate
from .scores import fold_scores
from .tasks import TASKS

RESAMPLES = 4_000
NO_TWINS = "The topic labels do not separate these texts, so no topic here has a twin in any real sense."
SIGNIFICANT = 0.05
FEWEST_TOPICS = 8  # resampling fewer gives intervals that are too narrow (of 5 values .89 for .95)


@record
class SwapEffect:
    """Of one model: score with the twin in training minus score without, a number a topic (NaN where it has no score) and
    draw; `effect` is the mean over topics with its 95 % interval, `p` the sign test's over topics."""

    by_draw: Floats
    effect: float
    low: float
    high: float
    p: float

    @property
    def by_topic(self) -> Floats:
        return known_mean(self.by_draw, axis=1)

    @property
    def topics(self) -> int:
        return int((~np.isnan(self.by_topic)).sum())


def swap_effects(
    corpus: Corpus, swaps: Swaps, *, metric: str | None = None, progress: Progress | None = None, **choices: Any
) -> dict[str, SwapEffect]:
    """Every model's effect; choices are those of `evaluate`. Test questions are the same on both sides."""
    evaluations = evaluate_sides(corpus, (swaps.without, *swaps.with_twin), progress=progress, **choices)
    return effects_of(evaluations, corpus, metric=metric, seed=choices.get("seed", 0))


def evaluate_sides(
    corpus: Corpus, sides: Sequence[Folds], *, progress: Progress | None = None, **choices: Any
) -> list[Evaluation]:
    """The same models on several sets of folds; answers are kept and found again as in `evaluate`."""
    return [
        evaluate(corpus, folds, progress=part_of_progress(progress, number, len(sides)), **choices)
        for number, folds in enumerate(sides)
    ]


def dose_effects(
    corpus: Corpus, doses: Mapping[int, Swaps], *, progress: Progress | None = None, **choices: Any
) -> dict[str, dict[int, SwapEffect]]:
    """Every model's effect at every dose, the number of nearest topics swapped together; choices are those of `swap_effects`."""
    found = {
        dose: swap_effects(corpus, swaps, progress=part_of_progress(progress, number, len(doses)), **choices)
        for number, (dose, swaps) in enumerate(doses.items())
    }
    models = next(iter(found.values()), {})
    return {model: {dose: effects[model] for dose, effects in found.items()} for model in models}


def effects_of(
    evaluations: Sequence[Evaluation], corpus: Corpus, *, metric: str | None = None, seed: int = 0
) -> dict[str, SwapEffect]:
    """Every model's effect, of the evaluation of the folds without the twin and of those with it, one a draw."""
    metric = metric or TASKS[evaluations[0].task].default_metric
    without, *with_twin = (_table(each, corpus, metric) for each in evaluations)
    return {
        model: _summed_up(np.stack([side[model] - without[model] for side in with_twin], axis=1), seed)
        for model in without
    }


def part_of_progress(progress: Progress | None, number: int, parts: int) -> Progress | None:
    """Progress of one of several evaluations of equal size, told as that of all."""
    if progress is None:
        return None

    def report(done: int, total: int, label: str, left: float | None) -> None:
        rest = None if left is None or not total else left * (1 + (parts - number - 1) * total / max(total - done, 1))
        progress(number * total + done, parts * total, label, rest)

    return report


def _table(evaluation: Evaluation, corpus: Corpus, metric: str) -> dict[str, Floats]:
    """A model's scores, one a fold; NaN where the fold could not be run."""
    found = {model: np.full(len(evaluation.folds), nan) for model in evaluation.models}
    for score in fold_scores(evaluation, corpus):
        if metric not in score.values:
            raise SettingError(f"There is no metric '{metric}' here; choose from: {', '.join(score.values)}.")
        found[score.model][score.fold] = score.values[metric]
    return found


def _summed_up(by_draw: Floats, seed: int) -> SwapEffect:
    by_topic = known_mean(by_draw, axis=1)
    known = by_topic[~np.isnan(by_topic)]
    if not len(known):
        return SwapEffect(by_draw, nan, nan, nan, nan)
    from scipy.stats import binomtest

    rises, falls = int((known > 0).sum()), int((known < 0).sum())
    p = float(binomtest(rises, rises + falls).pvalue) if rises + falls else 1.0
    return SwapEffect(by_draw, float(known.mean()), *resampled_mean(known, seed=seed), p)


def resampled_mean(values: Floats, *, seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of a mean by resampling its values.

    Resampled means scatter too little, by √(1 − 1/n), and their tails are a normal's where a t's are due: the quantiles
    are taken further out by both (Hesterberg 2015, the expanded percentile interval). Values that are all the same say
    nothing of how far others might lie, and have none.
    """
    n = len(values)
    if n < FEWEST_TOPICS or not np.ptp(values):
        return nan, nan
    from scipy.stats import norm, t

    tail = float(norm.sf(sqrt(n / (n - 1)) * t.ppf(0.975, n - 1)))
    rng = np.random.default_rng(seed)
    means = values[rng.integers(0, n, (RESAMPLES, n))].mean(axis=1)
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def sign_tests(effects: Mapping[str, SwapEffect]) -> dict[str, float]:
    """Of every model that could be scored the sign test's p, corrected where there are several (Holm)."""
    known = {label: each.p for label, each in effects.items() if each.topics}
    adjusted = holm(list(known.values()))
    return {label: p for label, p in zip(known, adjusted, strict=True) if p is not None}


def swap_sentences(effects: Mapping[str, SwapEffect], *, metric: str, twins: int = 1) -> list[str]:
    """A sentence a model (keys are labels); of several the sign tests quoted are corrected, as those beside the chart are."""
    adjusted = sign_tests(effects) if len(effects) > 1 else {}
    return [
        swap_sentence(label, found, metric=metric, twins=twins, adjusted=adjusted.get(label))
        for label, found in effects.items()
    ]


def swap_sentence(label: str, found: SwapEffect, *, metric: str, twins: int = 1, adjusted: float | None = None) -> str:
    """What the nearest topics buy one model, whether that can be told from nothing, and where the sign test disagrees; by its
    `adjusted` p where it is one of several models."""
    what = "The nearest topic in training" if twins == 1 else f"The nearest {twins} topics in training"
    buys = "buys" if twins == 1 else "buy"
    if not found.topics:
        return (
            f"{label}: no topic could be scored with and without its nearest; attribution needs test topics whose authors write "
            "on others too, and verification several texts of two authors in each."
        )
    if not np.nan_to_num(found.by_topic).any():
        return (
            f"{what} changed no score of {label} on any of {found.topics:,} topics: what changed places was too little to tell "
            f"what {'it buys' if twins == 1 else 'they buy'}."
        )
    points, over = (
        f"{signed_points(found.effect)} points of {metric}",
        f"{found.topics:,} topic{'s' * (found.topics > 1)}",
    )
    if isnan(found.low):
        return f"{what}, {label}: {points} over {over}, too few for an interval."
    interval, signs = f"from {signed_points(found.low)} to {signed_points(found.high)}, {over}", _signs(found, adjusted)
    if found.low > 0:
        return f"{what} {buys} {label} {points} ({interval}){signs}."
    if found.high < 0:
        cost = f"{-100 * found.effect:.1f} points of {metric} (from {-100 * found.high:.1f} to {-100 * found.low:.1f}, "
        verb, but = ("costs", "it does not help") if twins == 1 else ("cost", "they do not help")
        return f"{what} {verb} {label} {cost}{over}); {but}{signs}."
    return f"{what} {buys} {label} nothing that can be told from chance: {points} ({interval}){signs}."


def _signs(found: SwapEffect, adjusted: float | None) -> str:
    """What the sign test says, where it does not agree with the interval: a mean can hang on a few topics."""
    p, corrected = (found.p, "") if adjusted is None else (adjusted, " after Holm")
    if (p <= SIGNIFICANT) == (found.low > 0 or found.high < 0):
        return ""
    rises, falls = int((found.by_topic > 0).sum()), int((found.by_topic < 0).sum())
    so = "which is more than chance does" if p <= SIGNIFICANT else "which chance does as well"
    return f"; but {rises:,} topics gain and {falls:,} lose, {so} (sign test, p = {p:.2g}{corrected})"


def twins_note(swaps: Swaps, space: TopicSpace) -> str:
    """How many of the nearest topics that were swapped are near twins at all."""
    line = twin_line(space.similarity, kind=space.kind)
    twins, tested = int((swaps.similarity >= line).sum()), len(swaps.similarity)
    said = f"{twins:,} of the {tested:,}" if twins else f"None of the {tested:,}"
    past = "or more" if twins else "or more would be one"
    return (
        f"{said} nearest topics {'is a near twin' if twins == 1 else 'are near twins'} (similarity {line:.2f} {past})."
    )


def dose_sentence(label: str, found: Sequence[SwapEffect], doses: Mapping[int, Swaps]) -> str:
    """What one, two, four … of the nearest topics buy a model, and whether more of them buy more than one: by the greatest
    dose minus the least on the same topics."""
    said = [
        f"{signed_points(each.effect)} with the nearest {dose}"
        for each, dose in zip(found, doses, strict=True)
        if each.topics
    ]
    if not said:
        return f"{label}: no topic could be scored."
    swaps = list(doses.values())
    _, least, greatest = np.intersect1d(swaps[0].topics, swaps[-1].topics, return_indices=True)
    more = found[-1].by_topic[greatest] - found[0].by_topic[least]
    low, high = resampled_mean(more[~np.isnan(more)])
    if len(found) < 2 or isnan(low):
        verdict = "too few topics to tell whether more of them buy more"
    else:
        interval = (
            f"(from {signed_points(low)} to {signed_points(high)} more than with the nearest {next(iter(doses))})"
        )
        verdict = f"that more of them buy more cannot be told from chance {interval}"
        if low > 0 or high < 0:
            verdict = f"more of them buy {'more' if low > 0 else 'less'} {interval}"
    return f"{label}, points: {', '.join(said)}; {verdict}."
