"""How alike training and test topics are: against the number of topics, and the closest pairs of every setup."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, record
from ..errors import SettingError
from ..progress import Progress
from ..splits import Fold, Folds, Leakage, check_k, fold_leakage
from ..topics import (
    RANDOM_SEEDS,
    Sample,
    TopicPath,
    TopicSpace,
    checked_m,
    hits_path,
    merged_space,
    part_of_space,
    random_path,
)

_NO_ROWS = np.empty(0, dtype=np.int64)
_NO_ROWS.setflags(write=False)


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """k folds, the seed that deals topics into them, and the seeds of the random samples that HITS is compared with."""

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
    """Mean and max cosine of training and test topics over k topic folds of m topics (HITS §7.1, table 7).

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
    """The most similar pairs of a training and a test topic in each setup (HITS, table 6)."""
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
    """What k topic folds of the first m topics of a path leak."""
    selected = np.sort(path.order[:m])
    part = part_of_space(space, selected)
    return fold_leakage(topics_dealt(part.names, k=min(plan.k, m), seed=plan.seed), part, nearest=1, worst=worst)


def merged_leakage(space: TopicSpace, sample: Sample, *, plan: FoldPlan) -> Leakage:
    """What k topic folds of a sample leak, from centroids alone: a merged topic's is its parts' weighted mean."""
    merged = merged_space(space, sample.assigned)
    folds = topics_dealt(merged.names, k=min(plan.k, len(merged)), seed=plan.seed)
    return fold_leakage(folds, merged, nearest=1, worst=0)


def topics_dealt(names: tuple[str, ...], *, k: int, seed: int) -> Folds:
    """The folds of `topic_kfold` without their documents: the same seeded deal of the sorted names."""
    check_k(k)
    codes = np.arange(len(names))
    parts = np.array_split(np.random.default_rng(seed).permutation(len(names)), k)
    folds = (Fold(_NO_ROWS, _NO_ROWS, np.setdiff1d(codes, part), np.sort(part)) for part in parts)
    return Folds("topic-kfold", names, tuple(folds))


def checked_sizes(m: Sequence[int], topics: int) -> tuple[int, ...]:
    """The numbers of topics to try, each once and rising, if folds can be made of them."""
    if not m:
        raise SettingError("No number of topics is given; name at least one m.")
    for size in m:
        if checked_m(size, topics) < 2:
            raise SettingError("m = 1 leaves no topic to train on; choose m of 2 or more.")
    return tuple(sorted(set(m)))
