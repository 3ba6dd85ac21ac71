"""Do folds agree on which model wins? Per metric, against the number of topics."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, record
from ..corpora import Corpus
from ..errors import SettingError
from ..evaluation import ResultStore, evaluate, fold_scores, metric_labels
from ..progress import Progress
from ..splits import topic_kfold
from ..statistics import stability
from ..topics import RANDOM_SEEDS, Setup, TopicSpace, make_setup
from .similarity import Row, checked_sizes

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
class Outcome:
    """One setup's ranking stability by metric, `average` the mean over the paper's metrics; NaN where undefined."""

    name: str
    values: dict[str, float]
    notes: tuple[str, ...]
    fresh: int

    def labelled(self, labels: dict[str, str]) -> dict[str, float]:
        """The values under the metrics' labels, the average last."""
        return {label: self.values[key] for key, label in labels.items()} | {AVERAGE: self.values[AVERAGE]}


@record
class StabilityAgainstM:
    """Ranking stability of HITS (`hits[m, metric]`) and random samples (`random[m, seed, metric]`), metrics in the
    order of `labels` and their average last; `fresh` runs were computed now."""

    m: tuple[int, ...]
    k: int
    labels: dict[str, str]
    hits: Floats
    random: Floats
    table: list[Row]
    notes: tuple[str, ...]
    fresh: int

    @property
    def averages(self) -> dict[int, float]:
        """The average under HITS by m, as `suggest_m` takes it."""
        return {size: float(row[-1]) for size, row in zip(self.m, self.hits, strict=True)}


def stability_against_m(
    corpus: Corpus,
    vectors: NDArray[np.float32],
    space: TopicSpace,
    *,
    panel: Panel,
    m: Sequence[int],
    k: int,
    seed: int = 0,
    random_seeds: Sequence[int] = RANDOM_SEEDS,
    progress: Progress | None = None,
) -> StabilityAgainstM:
    """Mean Spearman ρ between the model rankings of all pairs of folds, per m and metric (HITS §7.1, table 8)."""
    sizes = checked_sizes(m, len(space))
    samplers = [("hits", 0), *(("random", draw) for draw in random_seeds)]
    folds = sum(min(k, size) for size in sizes) * len(samplers)
    race = Race(panel, k=k, seed=seed, folds=folds, progress=progress)
    setups = (
        (f"m = {size}", make_setup(corpus, vectors, space, sampler=sampler, m=size, seed=draw))
        for size in sizes
        for sampler, draw in samplers
    )
    outcomes = [race.outcome(setup, where) for where, setup in setups]
    order = [*race.labels, AVERAGE]
    values = np.array([[outcome.values[key] for key in order] for outcome in outcomes])
    values = values.reshape(len(sizes), len(samplers), len(order))
    values.setflags(write=False)
    table: list[Row] = []
    for place, size in enumerate(sizes):
        for name, row in (
            ("HITS", values[place, 0]),
            (f"random, mean of {len(random_seeds)}", _mean(values[place, 1:])),
        ):
            if name == "HITS" or random_seeds:
                cells = zip([*race.labels.values(), AVERAGE], row.tolist(), strict=True)
                table.append({"m": size, "folds": min(k, size), "setup": name, **dict(cells)})
    notes = tuple(note for outcome in outcomes for note in outcome.notes)
    fresh = sum(outcome.fresh for outcome in outcomes)
    return StabilityAgainstM(sizes, k, race.labels, values[:, 0], values[:, 1:], table, notes, fresh)


class Race:
    """Runs a panel on one setup after the other, so that one bar covers them all and no sample is run twice.

    Two samplers that keep the same documents (at m = all topics they do) are one run. The time left is an upper bound:
    answers found in the panel's store cost nothing.
    """

    def __init__(
        self,
        panel: Panel,
        *,
        k: int,
        seed: int,
        folds: int,
        progress: Progress | None = None,
    ) -> None:
        self.panel, self.k, self.seed = panel, k, seed
        self.total = folds * len(set(panel.models))
        self.progress = progress
        self.labels: dict[str, str] = {}
        self._done = self._fresh = 0
        self._start = time.monotonic()
        self._known: dict[str, Outcome] = {}

    def outcome(self, setup: Setup, where: str = "") -> Outcome:
        """The stability of the panel's ranking over k topic folds of a setup; `where` goes before labels and notes."""
        name = ", ".join(part for part in (where, setup.name) if part)
        runs = min(self.k, len(setup.corpus.topic_names)) * len(set(self.panel.models))
        known = self._known.get(setup.corpus.fingerprint)
        if known is None:
            known = self._known[setup.corpus.fingerprint] = self._run(setup, name)
            self._fresh += known.fresh
        else:
            known = Outcome(name, known.values, (), 0)
        self._done += runs
        if self.progress is not None:
            self.progress(self._done, self.total, name, None if self._done < self.total else 0.0)
        return known

    def _run(self, setup: Setup, name: str) -> Outcome:
        folds = topic_kfold(setup.corpus, k=min(self.k, len(setup.corpus.topic_names)), seed=self.seed)
        started = 0

        def show(done: int, total: int, label: str, left: float | None) -> None:
            nonlocal started
            if self.progress is None or done == total:
                return
            fresh = self._fresh + started  # evaluate speaks up only before a run it has to compute
            started += 1
            ahead = (time.monotonic() - self._start) / fresh * (self.total - self._done - done) if fresh else None
            self.progress(self._done + done, self.total, f"{name}: {label}", ahead)

        evaluation = evaluate(
            setup.corpus,
            folds,
            task=self.panel.task,
            models=self.panel.models,
            seed=self.seed,
            vectors=setup.vectors,
            vectors_key=self.panel.vectors_key,
            results=self.panel.results,
            progress=show,
        )
        labels = metric_labels(evaluation, setup.corpus)
        # A sample may hold just two authors where the corpus holds more; metrics that only some setups have are left out.
        self.labels = labels if not self.labels else {key: self.labels[key] for key in self.labels if key in labels}
        scores = fold_scores(evaluation, setup.corpus)
        values = {
            key: stability(np.array([score.values[key] for score in scores]).reshape(len(evaluation.models), -1))
            for key in labels
        }
        problems = dict.fromkeys(f"{name}: {run.problem}" for run in evaluation.runs if run.problem is not None)
        means = {key: found.mean for key, found in values.items()}
        return Outcome(name, means | {AVERAGE: averaged(means)}, tuple(problems), evaluation.fresh)


def averaged(values: dict[str, float]) -> float:
    """The mean over the paper's metrics; NaN as soon as one of them is, so that averages are over the same metrics."""
    return float(np.mean([value for key, value in values.items() if key in AVERAGED]))


def _mean(table: Floats) -> Floats:
    """The mean over seeds (rows) of those that rank at all."""
    defined = np.isfinite(table)
    count = defined.sum(axis=0)
    total = np.where(defined, table, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))
