"""The experiments of the HITS paper's §7: other policies, other encoders, and every experiment as one call."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, Singles, record
from ...corpora import Corpus, take
from ...errors import LeakscopeError, SettingError, unknown
from ...evaluation import TASKS
from ...progress import Progress
from ...topics import (
    CORRECTED,
    Setup,
    TopicPath,
    TopicSpace,
    hits_path,
    make_sample,
    make_setup,
    merged_space,
    random_path,
    sample_counts,
    sampled_documents,
    topic_space,
)
from ...vectors import ENCODERS, USUAL_ENCODER, Vectors, VectorStore, embed, estimate, make_encoder
from .against_m import (
    ClosestAcross,
    FoldPlan,
    Panel,
    RankingRuns,
    SimilarityAgainstM,
    StabilityAgainstM,
    checked_sizes,
    closest_across,
    merged_leakage,
    sampled_leakage,
    similarity_against_m,
    stability_against_m,
)

# Cosines to start from; what counts as close differs between encoders, so a page should offer its own.
THRESHOLDS = (0.5, 0.7, 0.9)
EVERY_M_TO = 60  # topics: past it similarity is measured at a few m only


@dataclass(frozen=True, slots=True)
class PolicyOutcome:
    """One policy: topics merged and dropped, documents and authors that stay, mean and max train/test similarity over
    k folds and, where models were run, ranking stability by metric."""

    policy: str
    threshold: float | None
    merged: int
    dropped: int
    documents: int
    share: float
    authors: int | None
    mean: float
    max: float
    stability: Mapping[str, float]

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
    ranked, labels, notes = _ranked(panel, plan, setups, folds=min(plan.k, m) * len(policies), progress=progress)
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
    mean, maximum = _measured(spaces, [*([path] for path in paths.values()), blind], m=m, plan=plan)
    jaccard, agreement = _overlap([path.order for path in paths.values()], m)
    panel, own = (None, None) if panel is None else _panel_and_vectors(panel, vectors)
    setups = (_setup(corpus, own, spaces[name], paths[name], m, name) for name in names)
    ranked, labels, notes = _ranked(panel, plan, setups, folds=min(plan.k, m) * len(names), progress=progress)
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
    kinds = (kind for name, kind in TASKS[panel.task].models.items() if name in panel.models)
    needed = [encoder for kind in kinds for encoder in kind.encoders]
    own = next((each for each in vectors.values() if each.name in needed), None)
    if own is not None:
        return replace(panel, vectors_key=own.encoder_key), own.matrix
    if needed:
        label = ENCODERS[needed[0]].label
        raise SettingError(f"A model that compares {label} vectors is chosen; give these vectors too, or leave it out.")
    return panel, None


def _ranked(
    panel: Panel | None, plan: FoldPlan, setups: Iterable[Setup], *, folds: int, progress: Progress | None
) -> tuple[list[dict[str, float]], dict[str, str], tuple[str, ...]]:
    """Return the panel's ranking stability on each setup, what its metrics are called, and notes; nothing without a panel."""
    if panel is None:
        return [], {}, ()
    runs = RankingRuns(panel, plan, folds=folds, progress=progress)
    ranked = [runs.stability(setup) for setup in setups]
    return [each.values for each in ranked], runs.labels, tuple(note for each in ranked for note in each.notes)


def _measured(
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


def _overlap(orders: Sequence[Ints], m: int) -> tuple[Floats, Floats]:
    selected = np.zeros((len(orders), len(orders[0])))
    for row, order in enumerate(orders):
        selected[row, order[:m]] = 1.0
    both = selected @ selected.T
    jaccard = both / (2 * m - both)
    # A topic's step on the path is its rank, without ties, so Pearson's formula on steps is Spearman's ρ.
    agreement = np.corrcoef([np.argsort(order) for order in orders])
    return jaccard, agreement


def _setup(corpus: Corpus, vectors: Singles | None, space: TopicSpace, path: TopicPath, m: int, name: str) -> Setup:
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


def _similarity(given: Inputs, progress: Progress | None) -> SimilarityAgainstM:
    count = given.path.comparable
    sizes = range(2, count + 1) if count <= EVERY_M_TO else given.sizes
    return similarity_against_m(given.space, m=sizes, path=given.path, plan=given.plan, progress=progress)


def _stability(given: Inputs, progress: Progress | None) -> StabilityAgainstM:
    if given.panel is None:
        raise LeakscopeError("Ranking stability needs models, and models need two authors or more.")
    matrix = given.vectors.matrix
    return stability_against_m(
        given.corpus, matrix, given.space, panel=given.panel, m=given.sizes, plan=given.plan, progress=progress
    )


def _policies(given: Inputs, progress: Progress | None) -> PolicyComparison:
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


def _encoders(given: Inputs, progress: Progress | None) -> EncoderComparison:
    return compare_encoders(
        given.corpus,
        _all_vectors(given, progress),
        m=given.m,
        similarity=given.space.kind,
        panel=given.panel,
        plan=given.plan,
        progress=progress,
    )


def compared_encoders() -> tuple[str, ...]:
    """List the encoders that need nothing from the user: neither vectors nor the name of a model."""
    return tuple(name for name, kind in ENCODERS.items() if not kind.brought and not kind.asks_for_model)


def _all_vectors(given: Inputs, progress: Progress | None) -> dict[str, Vectors]:
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


def _closest(given: Inputs, progress: Progress | None) -> ClosestAcross:
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
    "similarity": Experiment("similarity against m", _similarity, quick=True, suggests_m=True),
    "stability": Experiment("ranking stability against m", _stability, runs_models=True, suggests_m=True),
    "left out": Experiment("cutting, hybrid, grouping", _policies, runs_models=True),
    "encoders": Experiment("encoders", _encoders, runs_models=True),
    "closest": Experiment("closest train/test pairs", _closest, quick=True),
}


def run_experiment(name: str, given: Inputs, progress: Progress | None = None) -> Any:
    """Run the experiment of that name and return its record."""
    return EXPERIMENTS[name].run(given, progress)
