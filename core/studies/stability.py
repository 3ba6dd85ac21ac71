"""Do folds agree on which model wins? Per metric, against the number of topics."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Singles, known_mean, record
from ..corpora import Corpus
from ..errors import SettingError
from ..evaluation import NamedVectors, ResultStore, evaluate, fold_scores, metric_labels, score_table
from ..progress import Pace, Progress
from ..splits import topic_kfold
from ..statistics import stability_interval
from ..topics import Setup, TopicSpace, make_setup
from .similarity import FoldPlan, checked_sizes

# The paper averages over these five; Brier and its Overall came with PAN 2021.
AVERAGED = ("auc", "c@1", "f_05_u", "F1", "overall", "accuracy", "macro_f1")
AVERAGE = "average"


@record
class Panel:
    """The models to be ranked, on which task, where their answers are kept, and the name of the setups' vectors."""

    task: str
    models: tuple[str, ...]
    results: ResultStore | None = None
    vectors_key: str = ""

    def __post_init__(self) -> None:
        if len(set(self.models)) < 2:
            raise SettingError("A ranking needs at least two models; choose another.")


@dataclass(frozen=True, slots=True)
class SetupStability:
    """One setup's ranking stability by metric, `average` the mean over the paper's metrics; NaN where undefined.

    `intervals` are 95 %, by a jackknife over folds.
    """

    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    notes: tuple[str, ...]
    fresh: int


@record
class StabilityAgainstM:
    """Ranking stability of HITS (`hits[m, metric]`) and random samples (`random[m, seed, metric]`), metrics in the
    order of `labels` and their average last; `fresh` runs were computed now; `hits_interval[m, metric]` is 95 %."""

    m: tuple[int, ...]
    k: int
    labels: dict[str, str]
    hits: Floats
    random: Floats
    notes: tuple[str, ...]
    fresh: int
    hits_interval: Floats | None = None

    @property
    def averages(self) -> dict[int, float]:
        """The average under HITS by m, as `suggest_m` takes it."""
        return {size: float(row[-1]) for size, row in zip(self.m, self.hits, strict=True)}

    @property
    def random_mean(self) -> Floats:
        """The mean over the random samples that rank at all (`[m, metric]`); NaN where none does."""
        return known_mean(self.random, axis=1)


def stability_against_m(
    corpus: Corpus,
    vectors: Singles,
    space: TopicSpace,
    *,
    panel: Panel,
    m: Sequence[int],
    plan: FoldPlan,
    progress: Progress | None = None,
) -> StabilityAgainstM:
    """Mean Spearman ρ between the model rankings of all pairs of folds, per m and metric (HITS §7.1, table 8)."""
    sizes = checked_sizes(m, len(space))
    samplers = [("hits", 0), *(("random", draw) for draw in plan.random_seeds)]
    folds = sum(min(plan.k, size) for size in sizes) * len(samplers)
    runs = RankingRuns(panel, plan, folds=folds, progress=progress)
    found = [
        runs.stability(make_setup(corpus, vectors, space, sampler=sampler, m=size, seed=draw), f"m = {size}")
        for size in sizes
        for sampler, draw in samplers
    ]
    order = [*runs.labels, AVERAGE]
    values = np.array([[each.values[key] for key in order] for each in found])
    values = values.reshape(len(sizes), len(samplers), len(order))
    notes = tuple(note for each in found for note in each.notes)
    fresh = sum(each.fresh for each in found)
    between = np.array([[each.intervals[key] for key in order] for each in found[:: len(samplers)]])
    return StabilityAgainstM(sizes, plan.k, runs.labels, values[:, 0], values[:, 1:], notes, fresh, between)


class RankingRuns:
    """Runs a panel on one setup after the other, so that one bar covers them all and no sample is run twice.

    Two samplers that select the same documents (at m = all topics they do) are one run. The time left is an upper
    bound: answers found in the panel's store cost nothing.
    """

    def __init__(self, panel: Panel, plan: FoldPlan, *, folds: int, progress: Progress | None = None) -> None:
        self.panel, self.plan, self.progress = panel, plan, progress
        self.total = folds * len(set(panel.models))
        self.labels: dict[str, str] = {}
        self._done = self._fresh = 0
        self._pace = Pace()
        self._known: dict[str, SetupStability] = {}

    def stability(self, setup: Setup, where: str = "") -> SetupStability:
        """The stability of the panel's ranking over k topic folds of a setup; `where` goes before labels and notes."""
        name = ", ".join(part for part in (where, setup.name) if part)
        runs = min(self.plan.k, len(setup.corpus.topic_names)) * len(set(self.panel.models))
        known = self._known.get(setup.corpus.fingerprint)
        if known is None:
            known = self._known[setup.corpus.fingerprint] = self._run(setup, name)
            self._fresh += known.fresh
        else:
            known = SetupStability(known.values, known.intervals, (), 0)
        self._done += runs
        if self.progress is not None:
            self.progress(self._done, self.total, name, None if self._done < self.total else 0.0)
        return known

    def _run(self, setup: Setup, name: str) -> SetupStability:
        folds = topic_kfold(setup.corpus, k=min(self.plan.k, len(setup.corpus.topic_names)), seed=self.plan.seed)
        started = 0

        def show(done: int, total: int, label: str, left: float | None) -> None:
            nonlocal started
            if self.progress is None or done == total:
                return
            fresh = self._fresh + started  # evaluate speaks up only before a run it has to compute
            started += 1
            ahead = self._pace.left(fresh, self.total - self._done - done)
            self.progress(self._done + done, self.total, f"{name}: {label}", ahead)

        evaluation = evaluate(
            setup.corpus,
            folds,
            task=self.panel.task,
            models=self.panel.models,
            seed=self.plan.seed,
            vectors=NamedVectors(setup.vectors, self.panel.vectors_key),
            results=self.panel.results,
            progress=show,
        )
        labels = metric_labels(evaluation, setup.corpus)
        # A sample may hold just two authors where the corpus holds more; metrics that only some setups have are left out.
        self.labels = labels if not self.labels else {key: self.labels[key] for key in self.labels if key in labels}
        scores = fold_scores(evaluation, setup.corpus)
        tables = {key: score_table(scores, key) for key in labels}
        found = {key: stability_interval(table) for key, table in tables.items()}
        found[AVERAGE] = stability_interval([table for key, table in tables.items() if key in AVERAGED])
        problems = dict.fromkeys(f"{name}: {run.problem}" for run in evaluation.runs if run.problem is not None)
        means, intervals = {key: each[0] for key, each in found.items()}, {key: each[1:] for key, each in found.items()}
        return SetupStability(means, intervals, tuple(problems), evaluation.fresh)
