"""How similar training and test topics are, and how stable rankings are, against the number of topics (HITS §7.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Singles, known_mean, record
from ...corpora import Corpus
from ...errors import SettingError
from ...evaluation import NamedVectors, ResultStore, evaluate, fold_scores, metric_labels, score_table
from ...progress import Pace, Progress
from ...splits import Fold, Folds, Leakage, check_k, fold_leakage, topic_kfold
from ...statistics import stability_interval
from ...topics import (
    RANDOM_SEEDS,
    Sample,
    Setup,
    TopicPath,
    TopicSpace,
    checked_m,
    hits_path,
    make_setup,
    merged_space,
    part_of_space,
    random_path,
)

_NO_ROWS = np.empty(0, dtype=np.int64)
_NO_ROWS.setflags(write=False)
# The paper averages over these five; Brier and its Overall came with PAN 2021.
AVERAGED = ("auc", "c@1", "f_05_u", "F1", "overall", "accuracy", "macro_f1")
AVERAGE = "average"


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """k folds, the seed that splits topics into them, and the seeds of the random samples that HITS is compared with."""

    k: int
    seed: int = 0
    random_seeds: Sequence[int] = RANDOM_SEEDS


@record
class SimilarityCurve:
    """One measure of train/test topic similarity, averaged over folds: `hits[m]`, and `random[seed, m]`."""

    hits: Floats
    random: Floats


@record
class SimilarityAgainstM:
    """Mean and max train/test topic similarity of HITS and of random samples at every m."""

    m: tuple[int, ...]
    k: int
    mean: SimilarityCurve
    max: SimilarityCurve
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClosestPair:
    """A training and a test topic in a setup of a sampler, by name, and how similar they are."""

    setup: str
    sampler: str
    train: str
    test: str
    similarity: float


@record
class ClosestAcross:
    """The most similar train/test pairs of HITS and of every random sample."""

    m: int
    k: int
    pairs: tuple[ClosestPair, ...]
    notes: tuple[str, ...] = ()


def similarity_against_m(
    space: TopicSpace,
    *,
    m: Sequence[int],
    plan: FoldPlan,
    path: TopicPath | None = None,
    progress: Progress | None = None,
) -> SimilarityAgainstM:
    """Compute mean and max cosine of training and test topics over k topic folds of m topics (HITS §7.1, table 7).

    A topic's centroid does not depend on the topics beside it, so one matrix serves every m and no document is read.
    With fewer than k topics there are m folds.
    """
    sizes = checked_sizes(m, len(space))
    paths = [hits_path(space.similarity) if path is None else path]
    paths += [random_path(space.similarity, seed=draw) for draw in plan.random_seeds]
    found = np.empty((2, len(paths), len(sizes)))
    total = len(paths) * len(sizes)
    for done, (row, column) in enumerate(np.ndindex(len(paths), len(sizes))):
        if progress is not None:
            progress(done, total, f"m = {sizes[column]}", None)
        leakage = sampled_leakage(space, paths[row], m=sizes[column], plan=plan)
        found[:, row, column] = leakage.average_mean, leakage.average_max
    if progress is not None:
        progress(total, total, "done", 0.0)
    mean, maximum = (SimilarityCurve(each[0], each[1:]) for each in found)
    return SimilarityAgainstM(sizes, plan.k, mean, maximum)


def closest_across(space: TopicSpace, *, m: int, plan: FoldPlan, most: int = 5) -> ClosestAcross:
    """Return the most similar pairs of a training and a test topic in each setup (HITS, table 6)."""
    (m,) = checked_sizes([m], len(space))
    paths = [("HITS", "hits", hits_path(space.similarity))]
    paths += [(f"random {draw}", "random", random_path(space.similarity, seed=draw)) for draw in plan.random_seeds]
    pairs = []
    for setup, sampler, path in paths:
        leakage = sampled_leakage(space, path, m=m, plan=plan, worst=most)
        names = leakage.topic_names
        pairs += [
            ClosestPair(setup, sampler, names[pair.train], names[pair.test], pair.similarity) for pair in leakage.worst
        ]
    return ClosestAcross(m, plan.k, tuple(pairs))


def sampled_leakage(space: TopicSpace, path: TopicPath, *, m: int, plan: FoldPlan, worst: int = 0) -> Leakage:
    """Return what k topic folds of the first m topics of a path leak."""
    selected = np.sort(path.order[:m])
    part = part_of_space(space, selected)
    return fold_leakage(topics_dealt(part.names, k=min(plan.k, m), seed=plan.seed), part, nearest=1, worst=worst)


def merged_leakage(space: TopicSpace, sample: Sample, *, plan: FoldPlan) -> Leakage:
    """Return what k topic folds of a sample leak, from centroids alone: a merged topic's is its parts' weighted mean."""
    merged = merged_space(space, sample.assigned)
    folds = topics_dealt(merged.names, k=min(plan.k, len(merged)), seed=plan.seed)
    return fold_leakage(folds, merged, nearest=1, worst=0)


def topics_dealt(names: tuple[str, ...], *, k: int, seed: int) -> Folds:
    """Return the folds of `topic_kfold` without their documents: the same seeded split of the sorted names."""
    check_k(k)
    codes = np.arange(len(names))
    parts = np.array_split(np.random.default_rng(seed).permutation(len(names)), k)
    folds = (Fold(_NO_ROWS, _NO_ROWS, np.setdiff1d(codes, part), np.sort(part)) for part in parts)
    return Folds("topic-kfold", names, tuple(folds))


def checked_sizes(m: Sequence[int], topics: int) -> tuple[int, ...]:
    """Return the numbers of topics to try, each once and rising, if folds can be made of them."""
    if not m:
        raise SettingError("No number of topics is given; name at least one m.")
    for size in m:
        if checked_m(size, topics) < 2:
            raise SettingError("m = 1 leaves no topic to train on; choose m of 2 or more.")
    return tuple(sorted(set(m)))


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

    `intervals` are 95%, by a jackknife over folds.
    """

    values: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    notes: tuple[str, ...]
    fresh: int


@record
class StabilityAgainstM:
    """Ranking stability of HITS (`hits[m, metric]`) and random samples (`random[m, seed, metric]`), metrics in the
    order of `labels` and their average last; `fresh` runs were computed now; `hits_interval[m, metric]` is 95%."""

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
        """Return the average under HITS by m."""
        return {size: float(row[-1]) for size, row in zip(self.m, self.hits, strict=True)}

    @property
    def random_mean(self) -> Floats:
        """Return the mean over the random samples that rank at all (`[m, metric]`); NaN where none does."""
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
    """Compute the mean Spearman ρ between the model rankings of all pairs of folds, per m and metric (HITS §7.1, table 8)."""
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
        """Return the stability of the panel's ranking over k topic folds of a setup; `where` goes before labels and notes."""
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
