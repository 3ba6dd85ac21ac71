"""The experiments of the HITS paper's §7: similarity and stability against m, other policies, other encoders."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, Singles, known_mean, record
from ...corpora import Corpus, take
from ...errors import LeakscopeError, SettingError, unknown
from ...evaluation import TASKS, NamedVectors, ResultStore, evaluate, fold_scores, metric_labels, score_table
from ...progress import Pace, Progress
from ...splits import Fold, Folds, Leakage, check_k, fold_leakage, topic_kfold
from ...statistics import stability_interval
from ...topics import (
    CORRECTED,
    RANDOM_SEEDS,
    Sample,
    Setup,
    TopicPath,
    TopicSpace,
    checked_m,
    hits_path,
    make_sample,
    make_setup,
    merged_space,
    part_of_space,
    random_path,
    sample_counts,
    sampled_documents,
    topic_space,
)
from ...vectors import ENCODERS, USUAL_ENCODER, Vectors, VectorStore, embed, estimate, make_encoder

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
    return fold_leakage(topic_folds_of(part.names, k=min(plan.k, m), seed=plan.seed), part, nearest=1, worst=worst)


def merged_leakage(space: TopicSpace, sample: Sample, *, plan: FoldPlan) -> Leakage:
    """Return what k topic folds of a sample leak, from centroids alone: a merged topic's is its parts' weighted mean."""
    merged = merged_space(space, sample.assigned)
    folds = topic_folds_of(merged.names, k=min(plan.k, len(merged)), seed=plan.seed)
    return fold_leakage(folds, merged, nearest=1, worst=0)


def topic_folds_of(names: tuple[str, ...], *, k: int, seed: int) -> Folds:
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
    """One setup's ranking stability; NaN where undefined."""

    values: dict[str, float]  # by metric, and "average" over the paper's metrics
    intervals: dict[str, tuple[float, float]]  # 95%, by a jackknife over folds
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


# Cosines to start from; what counts as close differs between encoders, so a page should offer its own.
THRESHOLDS = (0.5, 0.7, 0.9)
EVERY_M_TO = 60  # topics: past it similarity is measured at a few m only


@dataclass(frozen=True, slots=True)
class PolicyOutcome:
    """What one policy for the topics that HITS leaves out gives."""

    policy: str
    threshold: float | None
    merged: int  # topics
    dropped: int  # topics
    documents: int  # that stay
    share: float  # of the documents that stay
    authors: int | None  # that stay
    mean: float  # train–test similarity, over k folds
    max: float  # the same
    stability: Mapping[str, float]  # of rankings by metric, where models were run

    @property
    def name(self) -> str:
        """Return the policy, with its threshold where it has one."""
        return self.policy if self.threshold is None else f"{self.policy}, {self.threshold:g}"


@record
class PolicyComparison:
    """The policies from dropping all to merging all; `labels` name the metrics of their stability."""

    m: int
    k: int
    labels: dict[str, str]
    policies: tuple[PolicyOutcome, ...]
    notes: tuple[str, ...]


def compare_policies(
    corpus: Corpus,
    vectors: Singles,
    space: TopicSpace,
    *,
    m: int,
    plan: FoldPlan,
    thresholds: Sequence[float] = THRESHOLDS,
    panel: Panel | None = None,
    path: TopicPath | None = None,
    progress: Progress | None = None,
) -> PolicyComparison:
    """Compare cutting, hybrid at every threshold (which the paper left untried) and grouping at one m (HITS §7.2, table 9).

    The higher a threshold, the fewer topics are merged, so policies go from the strictest to the most generous.
    """
    (m,) = checked_sizes([m], len(space))
    order = (hits_path(space.similarity) if path is None else path).order[:m]
    hybrids = (("hybrid", threshold) for threshold in sorted(set(thresholds), reverse=True))
    policies: list[tuple[str, float | None]] = [("cutting", None), *hybrids, ("grouping", None)]
    setups = (
        make_setup(corpus, vectors, space, sampler="hits", m=m, policy=policy, threshold=threshold or 0.0)
        for policy, threshold in policies
    )
    ranked, labels, notes = _panel_stability(
        panel, plan, setups, folds=min(plan.k, m) * len(policies), progress=progress
    )
    outcomes = []
    for (policy, threshold), stability in zip(policies, ranked or [{}] * len(policies), strict=True):
        sample = make_sample(space.similarity, order, policy=policy, threshold=threshold or 0.0)
        counts, leakage = sample_counts(corpus, sample), merged_leakage(space, sample, plan=plan)
        merged = int((sample.assigned >= 0).sum()) - m
        outcomes.append(
            PolicyOutcome(
                policy,
                threshold,
                merged=merged,
                dropped=len(space) - m - merged,
                documents=counts.documents,
                share=counts.documents / len(corpus),
                authors=counts.authors,
                mean=leakage.average_mean,
                max=leakage.average_max,
                stability=stability,
            )
        )
    return PolicyComparison(m, plan.k, labels, tuple(outcomes), notes)


@record
class EncoderComparison:
    """HITS under every encoder at one m.

    `mean[i, j]` and `max[i, j]`: train/test topic similarity of encoder i's selection measured in encoder j's space,
    the last row the mean of `random_samples` random ones'. Numbers compare down a column, never across: each space has
    a scale of its own. `jaccard[i, j]`: topics both select over topics either selects, `chance` what two random
    selections share; `agreement[i, j]`: Spearman's ρ of the two paths over all topics. `stability` has the ranking
    stability of every encoder's selection by metric, where models were run.
    """

    m: int
    k: int
    names: tuple[str, ...]
    reference: str
    random_samples: int
    selected: dict[str, tuple[str, ...]]
    mean: Floats
    max: Floats
    jaccard: Floats
    chance: float
    agreement: Floats
    labels: dict[str, str]
    stability: tuple[Mapping[str, float], ...]
    notes: tuple[str, ...]


def compare_encoders(
    corpus: Corpus,
    vectors: Mapping[str, Vectors],
    *,
    m: int,
    plan: FoldPlan,
    reference: str | None = None,
    similarity: str = CORRECTED,
    panel: Panel | None = None,
    progress: Progress | None = None,
) -> EncoderComparison:
    """Return each encoder's own HITS selection: overlap, similarity, ranking stability (HITS §7.3, table 10).

    `vectors` holds the available encoders, by the name to show; `reference` is the one whose space all are measured in
    (SBERT where it is among them, else the first). That encoder has the advantage of its home ground.
    """
    names = tuple(vectors)
    if len(names) < 2:
        raise SettingError("One encoder has nothing to be compared with; give vectors of at least two.")
    reference = reference or next((name for name, each in vectors.items() if each.name == USUAL_ENCODER), names[0])
    if reference not in vectors:
        raise unknown("encoder among the vectors given", reference, names)
    topics = corpus.topic_codes, corpus.topic_names
    spaces = {name: topic_space(each.matrix, *topics, similarity=similarity) for name, each in vectors.items()}
    (m,) = checked_sizes([m], len(corpus.topic_names))
    paths = {name: hits_path(space.similarity) for name, space in spaces.items()}
    # A random path looks at no similarity, so any space will do.
    blind = [random_path(spaces[reference].similarity, seed=draw) for draw in plan.random_seeds]
    mean, maximum = _measured_folds(spaces, [*([path] for path in paths.values()), blind], m=m, plan=plan)
    jaccard, agreement = _path_overlap([path.order for path in paths.values()], m)
    panel, own = (None, None) if panel is None else _panel_and_vectors(panel, vectors)
    setups = (_hits_setup(corpus, own, spaces[name], paths[name], m, name) for name in names)
    ranked, labels, notes = _panel_stability(panel, plan, setups, folds=min(plan.k, m) * len(names), progress=progress)
    return EncoderComparison(
        m,
        plan.k,
        names,
        reference,
        random_samples=len(blind),
        selected={name: tuple(corpus.topic_names[topic] for topic in path.order[:m]) for name, path in paths.items()},
        mean=mean,
        max=maximum,
        jaccard=jaccard,
        chance=chance_jaccard(m, len(corpus.topic_names)),
        agreement=agreement,
        labels=labels,
        stability=tuple(ranked),
        notes=notes,
    )


def chance_jaccard(m: int, topics: int) -> float:
    """Return the expected Jaccard index of two random selections of m topics: near 1 when m nears all topics."""
    from scipy.stats import hypergeom

    shared = np.arange(m + 1)
    return float((hypergeom.pmf(shared, topics, m, m) * shared / (2 * m - shared)).sum())


def _panel_and_vectors(panel: Panel, vectors: Mapping[str, Vectors]) -> tuple[Panel, Singles | None]:
    """Return the panel and the vectors it was made for: the models stay the same whatever the encoder under test."""
    kinds = [kind for name, kind in TASKS[panel.task].models.items() if name in panel.models]
    needed = [encoder for kind in kinds for encoder in kind.encoders]
    anything = any(kind.any_vectors for kind in kinds)
    own = next((each for each in vectors.values() if anything or each.name in needed), None)
    if own is not None:
        return replace(panel, vectors_key=own.encoder_key), own.matrix
    if needed:
        label = ENCODERS[needed[0]].label
        raise SettingError(f"A model that compares {label} vectors is chosen; give these vectors too, or leave it out.")
    return panel, None


def _panel_stability(
    panel: Panel | None, plan: FoldPlan, setups: Iterable[Setup], *, folds: int, progress: Progress | None
) -> tuple[list[dict[str, float]], dict[str, str], tuple[str, ...]]:
    """Return the panel's ranking stability on each setup, what its metrics are called, and notes; nothing without a panel."""
    if panel is None:
        return [], {}, ()
    runs = RankingRuns(panel, plan, folds=folds, progress=progress)
    ranked = [runs.stability(setup) for setup in setups]
    return [each.values for each in ranked], runs.labels, tuple(note for each in ranked for note in each.notes)


def _measured_folds(
    spaces: Mapping[str, TopicSpace], selections: Sequence[Sequence[TopicPath]], *, m: int, plan: FoldPlan
) -> tuple[Floats, Floats]:
    """Measure selections × spaces; a selection of several paths counts with their mean."""
    found = np.full((2, len(selections), len(spaces)), np.nan)
    for row, paths in enumerate(selections):
        for column, space in enumerate(spaces.values()):
            leaks = [sampled_leakage(space, path, m=m, plan=plan) for path in paths]
            if leaks:
                found[0, row, column] = np.mean([leak.average_mean for leak in leaks])
                found[1, row, column] = np.mean([leak.average_max for leak in leaks])
    return found[0], found[1]


def _path_overlap(orders: Sequence[Ints], m: int) -> tuple[Floats, Floats]:
    selected = np.zeros((len(orders), len(orders[0])))
    for row, order in enumerate(orders):
        selected[row, order[:m]] = 1.0
    both = selected @ selected.T
    jaccard = both / (2 * m - both)
    # A topic's step on the path is its rank, without ties, so Pearson's formula on steps is Spearman's ρ.
    agreement = np.corrcoef([np.argsort(order) for order in orders])
    return jaccard, agreement


def _hits_setup(
    corpus: Corpus, vectors: Singles | None, space: TopicSpace, path: TopicPath, m: int, name: str
) -> Setup:
    sample = make_sample(space.similarity, path.order[:m])
    rows, _ = sampled_documents(corpus, sample)
    own = np.zeros((len(rows), 1), dtype=np.float32) if vectors is None else vectors[rows]
    return Setup(name, "hits", None, take(corpus, rows), own, merged_space(space, sample.assigned))


@record
class Inputs:
    """What every experiment works on: `panel` are the models to run, where the corpus has authors, `shipped` the vectors
    that need not be computed, by encoder, and `store` where others are looked for and kept."""

    corpus: Corpus
    vectors: Vectors
    space: TopicSpace
    path: TopicPath
    m: int
    plan: FoldPlan
    panel: Panel | None
    shipped: Mapping[str, Vectors]
    store: VectorStore

    @property
    def sizes(self) -> list[int]:
        """Return a quarter, a half and three quarters of the topics."""
        return sorted({max(2, round(self.path.comparable * share)) for share in (0.25, 0.5, 0.75)})


def _run_similarity(given: Inputs, progress: Progress | None) -> SimilarityAgainstM:
    count = given.path.comparable
    sizes = range(2, count + 1) if count <= EVERY_M_TO else given.sizes
    return similarity_against_m(given.space, m=sizes, path=given.path, plan=given.plan, progress=progress)


def _run_stability(given: Inputs, progress: Progress | None) -> StabilityAgainstM:
    if given.panel is None:
        raise LeakscopeError("Ranking stability needs models, and models need two authors or more.")
    matrix = given.vectors.matrix
    return stability_against_m(
        given.corpus, matrix, given.space, panel=given.panel, m=given.sizes, plan=given.plan, progress=progress
    )


def _run_policies(given: Inputs, progress: Progress | None) -> PolicyComparison:
    return compare_policies(
        given.corpus,
        given.vectors.matrix,
        given.space,
        m=given.m,
        panel=given.panel,
        path=given.path,
        plan=given.plan,
        progress=progress,
    )


def _run_encoders(given: Inputs, progress: Progress | None) -> EncoderComparison:
    return compare_encoders(
        given.corpus,
        _quick_vectors(given, progress),
        m=given.m,
        similarity=given.space.kind,
        panel=given.panel,
        plan=given.plan,
        progress=progress,
    )


def compared_encoders() -> tuple[str, ...]:
    """List the encoders that need nothing from the user: neither vectors nor the name of a model."""
    return tuple(name for name, kind in ENCODERS.items() if not kind.brought and not kind.asks_for_model)


def _quick_vectors(given: Inputs, progress: Progress | None) -> dict[str, Vectors]:
    """Return every encoder's vectors that need no long wait: SBERT only where it is stored or shipped."""
    found = {ENCODERS[given.vectors.name].label: given.vectors}
    compared = compared_encoders()
    for index, name in enumerate(compared):
        encoder, label = make_encoder(name), ENCODERS[name].label
        if progress is not None:
            progress(index, len(compared), f"{label} …", None)
        if label in found:
            continue
        shipped = given.shipped.get(name)
        if shipped is not None or not encoder.per_document or estimate(given.corpus, encoder, store=given.store) == 0:
            found[label] = shipped or embed(given.corpus, encoder, store=given.store)
    return found


def _run_closest(given: Inputs, progress: Progress | None) -> ClosestAcross:
    return closest_across(given.space, m=given.m, plan=given.plan)


@dataclass(frozen=True, slots=True)
class Experiment:
    """What it is called and how it is run; a quick one runs without being asked for."""

    label: str
    run: Callable[[Inputs, Progress | None], Any]
    runs_models: bool = False
    quick: bool = False
    suggests_m: bool = False


EXPERIMENTS = {
    "similarity": Experiment("similarity against m", _run_similarity, quick=True, suggests_m=True),
    "stability": Experiment("ranking stability against m", _run_stability, runs_models=True, suggests_m=True),
    "left out": Experiment("cutting, hybrid, grouping", _run_policies, runs_models=True),
    "encoders": Experiment("encoders", _run_encoders, runs_models=True),
    "closest": Experiment("closest train/test pairs", _run_closest, quick=True),
}


def run_experiment(name: str, given: Inputs, progress: Progress | None = None) -> Any:
    """Run the experiment of that name and return its record."""
    return EXPERIMENTS[name].run(given, progress)
