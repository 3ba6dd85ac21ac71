"""What to do with the topics HITS leaves out: drop them, merge them, or merge only those that are close."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, record
from ..corpora import Corpus, take
from ..errors import SettingError, unknown
from ..evaluation import TASKS
from ..progress import Progress
from ..topics import (
    RANDOM_SEEDS,
    Setup,
    TopicPath,
    TopicSpace,
    hits_path,
    kept_and_lost,
    make_sample,
    make_setup,
    merged_space,
    random_path,
    sampled_documents,
    topic_space,
)
from ..vectors import Vectors
from .similarity import Row, checked_sizes, merged_leakage, sampled_leakage
from .stability import Outcome, Panel, Race

# Cosines to start from; what counts as close differs between encoders, so a page should offer its own.
THRESHOLDS = (0.5, 0.7, 0.9)


@record
class PolicyComparison:
    """`table` has a row a policy, from dropping all to merging all: documents kept, train/test topic similarity over
    k folds and, where models were run, ranking stability by metric."""

    m: int
    k: int
    labels: dict[str, str]
    table: list[Row]
    notes: tuple[str, ...]
    fresh: int


def compare_policies(
    corpus: Corpus,
    vectors: NDArray[np.float32],
    space: TopicSpace,
    *,
    m: int,
    k: int,
    thresholds: Sequence[float] = THRESHOLDS,
    panel: Panel | None = None,
    seed: int = 0,
    path: TopicPath | None = None,
    progress: Progress | None = None,
) -> PolicyComparison:
    """Cutting, hybrid at every threshold (which the paper left untried) and grouping at one m (HITS §7.2, table 9).

    The higher a threshold, the fewer topics are merged, so rows go from the strictest to the most generous.
    """
    (m,) = checked_sizes([m], len(space))
    order = (hits_path(space.similarity) if path is None else path).order[:m]
    policies: list[tuple[str, float]] = [("cutting", 0.0)]
    policies += [("hybrid", threshold) for threshold in sorted(set(thresholds), reverse=True)]
    policies += [("grouping", 0.0)]
    race = None
    if panel is not None:
        folds = min(k, m) * len(policies)
        race = Race(panel, k=k, seed=seed, folds=folds, progress=progress)
    table: list[Row] = []
    outcomes = []
    for policy, threshold in policies:
        sample = make_sample(space.similarity, order, policy=policy, threshold=threshold)
        kept = kept_and_lost(corpus, sample)
        leakage = merged_leakage(space, sample, k=k, seed=seed)
        merged = int(((sample.home >= 0) & (sample.home != np.arange(len(space)))).sum())
        row: Row = {
            "policy": f"hybrid, {threshold:g}" if policy == "hybrid" else policy,
            "topics merged": merged,
            "topics dropped": len(space) - m - merged,
            "documents": kept.documents,
            "share of documents": kept.documents / len(corpus),
            "mean similarity": leakage.average_mean,
            "max similarity": leakage.average_max,
        }
        if kept.authors is not None:
            row["authors"] = kept.authors
        table.append(row)
        if race is not None:
            setup = make_setup(corpus, vectors, space, sampler="hits", m=m, policy=policy, threshold=threshold)
            outcomes.append(race.outcome(setup))
    labels = {} if race is None else race.labels
    for row, outcome in zip(table, outcomes, strict=bool(outcomes)):
        row.update(outcome.labelled(labels))
    notes = tuple(note for outcome in outcomes for note in outcome.notes)
    return PolicyComparison(m, k, labels, table, notes, sum(outcome.fresh for outcome in outcomes))


@record
class EncoderComparison:
    """HITS under every encoder at one m.

    `mean[i, j]` and `max[i, j]`: train/test topic similarity of encoder i's selection measured in encoder j's space,
    the last row a random sample's (averaged over seeds). Numbers compare down a column, never across: each space has
    a scale of its own. `jaccard[i, j]`: topics both keep over topics either keeps, `chance` what two random selections
    share; `agreement[i, j]`: Spearman's ρ of the two paths over all topics. `table` has a row an encoder, with the
    similarity in its own space and in that of `reference`.
    """

    m: int
    k: int
    names: tuple[str, ...]
    reference: str
    selected: dict[str, tuple[str, ...]]
    mean: Floats
    max: Floats
    jaccard: Floats
    chance: float
    agreement: Floats
    labels: dict[str, str]
    table: list[Row]
    notes: tuple[str, ...]
    fresh: int


def compare_encoders(
    corpus: Corpus,
    vectors: Mapping[str, Vectors],
    *,
    m: int,
    k: int,
    reference: str | None = None,
    panel: Panel | None = None,
    seed: int = 0,
    random_seeds: Sequence[int] = RANDOM_SEEDS,
    progress: Progress | None = None,
) -> EncoderComparison:
    """Each encoder's own HITS selection: overlap, similarity, ranking stability (HITS §7.3, table 10).

    `vectors` holds the encoders at hand, by the name to show; `reference` is the one whose space all are measured in
    (SBERT where it is among them, else the first). That encoder has the advantage of its home ground.
    """
    names = tuple(vectors)
    if len(names) < 2:
        raise SettingError("One encoder has nothing to be compared with; give vectors of at least two.")
    sbert = next((name for name in names if vectors[name].name == "sbert"), None)
    reference = reference or sbert or names[0]
    if reference not in vectors:
        raise unknown("encoder among the vectors given", reference, names)
    spaces = {name: topic_space(each.matrix, corpus.topic_codes, corpus.topic_names) for name, each in vectors.items()}
    (m,) = checked_sizes([m], len(corpus.topic_names))
    paths = {name: hits_path(space.similarity) for name, space in spaces.items()}
    blind = [random_path(spaces[reference].similarity, seed=draw) for draw in random_seeds]  # looks at no similarity
    mean, maximum = _measured(spaces, [*([path] for path in paths.values()), blind], m=m, k=k, seed=seed)
    jaccard, agreement = _overlap([path.order for path in paths.values()], m)
    outcomes: list[Outcome] = []
    labels: dict[str, str] = {}
    if panel is not None:
        # The models stay the same whatever the encoder under test: those that compare vectors get SBERT's.
        if sbert is not None:
            panel = replace(panel, vectors_key=vectors[sbert].encoder_key)
        elif any(getattr(TASKS[panel.task].get(model), "vectors", False) for model in panel.models):
            raise SettingError(
                "A model that compares SBERT vectors is chosen; give these vectors too, or leave it out."
            )
        race = Race(panel, k=k, seed=seed, folds=min(k, m) * len(names), progress=progress)
        own = None if sbert is None else vectors[sbert].matrix
        outcomes = [race.outcome(_setup(corpus, own, spaces[name], paths[name], m, name)) for name in names]
        labels = race.labels
    table: list[Row] = []
    home = names.index(reference)
    for place, name in enumerate(names):
        others = [other for other in range(len(names)) if other != place]
        row: Row = {
            "encoder": name,
            "mean, own space": float(mean[place, place]),
            "max, own space": float(maximum[place, place]),
            f"mean, {reference} space": float(mean[place, home]),
            f"max, {reference} space": float(maximum[place, home]),
            "topics shared with others": float(jaccard[place, others].mean()),
            "agreement with other paths": float(agreement[place, others].mean()),
        }
        table.append({**row, **(outcomes[place].labelled(labels) if outcomes else {})})
    if blind:
        table.append(
            {
                "encoder": f"random, mean of {len(blind)}",
                f"mean, {reference} space": float(mean[-1, home]),
                f"max, {reference} space": float(maximum[-1, home]),
            }
        )
    return EncoderComparison(
        m,
        k,
        names,
        reference,
        {name: tuple(corpus.topic_names[topic] for topic in path.order[:m]) for name, path in paths.items()},
        mean,
        maximum,
        jaccard,
        chance_jaccard(m, len(corpus.topic_names)),
        agreement,
        labels,
        table,
        tuple(note for outcome in outcomes for note in outcome.notes),
        sum(outcome.fresh for outcome in outcomes),
    )


def chance_jaccard(m: int, topics: int) -> float:
    """The expected Jaccard index of two random selections of m topics: near 1 when m nears all topics."""
    from scipy.stats import hypergeom

    shared = np.arange(m + 1)
    return float((hypergeom.pmf(shared, topics, m, m) * shared / (2 * m - shared)).sum())


def _measured(
    spaces: Mapping[str, TopicSpace], selections: Sequence[Sequence[TopicPath]], *, m: int, k: int, seed: int
) -> tuple[Floats, Floats]:
    """Selections × spaces; a selection made of several paths counts with their mean."""
    found = np.full((2, len(selections), len(spaces)), np.nan)
    for row, paths in enumerate(selections):
        for column, space in enumerate(spaces.values()):
            leaks = [sampled_leakage(space, path, m=m, k=k, seed=seed) for path in paths]
            if leaks:
                found[0, row, column] = np.mean([leak.average_mean for leak in leaks])
                found[1, row, column] = np.mean([leak.average_max for leak in leaks])
    found.setflags(write=False)
    return found[0], found[1]


def _overlap(orders: Sequence[NDArray[np.int64]], m: int) -> tuple[Floats, Floats]:
    kept = np.zeros((len(orders), len(orders[0])))
    for row, order in enumerate(orders):
        kept[row, order[:m]] = 1.0
    both = kept @ kept.T
    jaccard = both / (2 * m - both)
    # A topic's step on the path is its rank, without ties, so Pearson's formula on steps is Spearman's ρ.
    agreement = np.corrcoef([np.argsort(order) for order in orders])
    for array in (jaccard, agreement):
        array.setflags(write=False)
    return jaccard, agreement


def _setup(
    corpus: Corpus, vectors: NDArray[np.float32] | None, space: TopicSpace, path: TopicPath, m: int, name: str
) -> Setup:
    sample = make_sample(space.similarity, path.order[:m])
    rows, _ = sampled_documents(corpus, sample)
    own = np.zeros((len(rows), 1), dtype=np.float32) if vectors is None else vectors[rows]
    return Setup(name, take(corpus, rows), own, merged_space(space, sample.home))
