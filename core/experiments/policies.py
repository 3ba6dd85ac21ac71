"""What to do with the topics HITS leaves out: drop them, merge them, or merge only those that are close."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.corpus import Corpus
from core.evaluate import Progress
from core.experiments.similarity import Row, checked_sizes, merged_leakage
from core.experiments.stability import Panel, Race
from core.kept import kept_and_lost
from core.sampling import TopicPath, hits_path, make_sample
from core.setups import make_setup
from core.space import TopicSpace

# Cosines to start from; what counts as close differs between encoders, so a page should offer its own.
THRESHOLDS = (0.5, 0.7, 0.9)


@dataclass(frozen=True, eq=False, slots=True)
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
    should_stop: Callable[[], bool] | None = None,
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
        race = Race(panel, k=k, seed=seed, folds=folds, progress=progress, should_stop=should_stop)
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
