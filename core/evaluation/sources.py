"""Where a difference between two samplers comes from: training size, author coverage, or what is left, topic."""

from collections.abc import Sequence
from math import isnan, nan, sqrt
from typing import Any

import numpy as np

from ..arrays import Floats, record
from ..corpora import Corpus
from ..progress import Progress
from ..splits import Folds, match_training
from ..statistics import signed_points
from .run import Evaluation
from .scores import fold_scores, summarise
from .swap import evaluate_sides
from .tasks import TASKS

STEPS = ("documents", "authors", "topic")
STEP_NAMES = {"documents": "fewer documents", "authors": "authors not met in training", "topic": "topic (what is left)"}
FEWEST_SAMPLES = 3  # random ones, for an interval


@record
class Sources:
    """Of one model, the score under random topics minus that under HITS: as it stands (`raw`), with equally large training
    sides (`equal_size`), and with equally many training documents of every author too (`equal_authors`); a number a
    random sample."""

    raw: Floats
    equal_size: Floats
    equal_authors: Floats

    def step(self, name: str) -> Floats:
        """What a step takes of the difference, a number a random sample: fewer `documents`, fewer `authors`, and what is
        left to `topic` (and to which documents happen to be tested); all of them are `raw`."""
        if name == "raw":
            return self.raw
        steps = (self.raw - self.equal_size, self.equal_size - self.equal_authors, self.equal_authors)
        return dict(zip(STEPS, steps, strict=True))[name]

    def interval(self, name: str) -> tuple[float, float]:
        """The 95 % interval of a step, or of the `raw` difference, mean ± t·s·√(1 + 1/n) over n random samples; NaN for fewer than three.

        HITS is one choice of topics, as each random sample is. So it reaches as far as one more random sample in HITS's
        place would: an interval of the mean alone leaves 0 out in half of the cases in which there is nothing.
        """
        values = self.step(name)
        n = len(values)
        if n < FEWEST_SAMPLES:
            return nan, nan
        from scipy.stats import t

        mean, reach = float(values.mean()), float(t.ppf(0.975, n - 1) * values.std(ddof=1) * sqrt(1 + 1 / n))
        return mean - reach, mean + reach


def difference_sources(
    corpus: Corpus,
    hits: Folds,
    random: Sequence[Folds],
    *,
    metric: str | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> dict[str, Sources]:
    """Every model's difference, step by step, between HITS folds and each set of random ones (all of the whole corpus);
    choices are those of `evaluate`."""
    sides = source_folds(corpus, hits, random, seed=choices.get("seed", 0))
    return sources_of(evaluate_sides(corpus, sides, progress=progress, **choices), corpus, metric=metric)


def source_folds(corpus: Corpus, hits: Folds, random: Sequence[Folds], *, seed: int = 0) -> list[Folds]:
    """The folds to be run: HITS and random by turns, as they are, then matched in size, then in authors."""
    pairs = [(hits, one) for one in random]
    for by_author in (False, True):
        pairs += [
            match_training(corpus, hits, one, by_author=by_author, seed=seed + number)
            for number, one in enumerate(random)
        ]
    return [folds for pair in pairs for folds in pair]


def sources_of(evaluations: Sequence[Evaluation], corpus: Corpus, *, metric: str | None = None) -> dict[str, Sources]:
    """Every model's difference, of the evaluations of `source_folds` in its order."""
    metric = metric or TASKS[evaluations[0].task].default_metric
    models = evaluations[0].models
    summaries = [summarise(fold_scores(each, corpus), metric) for each in evaluations]
    means = np.array([[summary[model].mean for model in models] for summary in summaries])
    by_step = (means[1::2] - means[::2]).reshape(3, -1, len(models))
    return {model: Sources(*by_step[:, :, index]) for index, model in enumerate(models)}


def sources_sentence(label: str, found: Sources, *, metric: str) -> str:
    """Whether a model loses under HITS what another random sample would not, and what each step takes of it, in the order of
    the chart and with its sign: points lost are positive."""
    raw = float(found.raw.mean())
    if isnan(raw):
        return f"{label} could not be scored under both samplers."
    low, high = found.interval("raw")
    lost = f"{signed_points(raw)} points of {metric}{_reach(low, high)}"
    steps = "; ".join(_step_said(found, name) for name in STEPS)
    if isnan(low):
        return f"{label}, random − HITS: {lost}, too few random samples to tell it from chance. In it: {steps}."
    if low <= 0 <= high:
        return f"{label}: no loss that can be told from another random sample: {lost}, random − HITS. In it: {steps}."
    verdict = "loses under HITS" if low > 0 else "scores higher under HITS"
    return f"{label} {verdict}: {lost}, random − HITS. In it: {steps}."


def _step_said(found: Sources, name: str) -> str:
    low, high = found.interval(name)
    chance = ", not told from chance" if low <= 0 <= high else ""
    return f"{STEP_NAMES[name]} {signed_points(float(found.step(name).mean()))}{_reach(low, high)}{chance}"


def _reach(low: float, high: float) -> str:
    return "" if isnan(low) else f" (from {signed_points(low)} to {signed_points(high)})"
