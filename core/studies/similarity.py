"""How alike training and test topics are: against the number of topics, and the closest pairs of every setup."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Floats, record
from ..errors import SettingError
from ..progress import Progress
from ..splits import Fold, Folds, Leakage, fold_leakage
from ..topics import RANDOM_SEEDS, Sample, TopicPath, TopicSpace, checked_m, hits_path, merged_space, random_path

Row = dict[str, str | int | float]

_NO_ROWS = np.empty(0, dtype=np.int64)
_NO_ROWS.setflags(write=False)


@record
class SimilarityAgainstM:
    """Mean and max train/test topic similarity, averaged over folds: a value an m for HITS, a row a seed for random
    (`random_mean[seed, m]`); `table` has a row an m."""

    m: tuple[int, ...]
    k: int
    hits_mean: Floats
    hits_max: Floats
    random_mean: Floats
    random_max: Floats
    table: list[Row]


@record
class ClosestAcross:
    """The most similar train/test pairs of HITS and of every random sample; `table` has a row a pair."""

    m: int
    k: int
    table: list[Row]


def similarity_against_m(
    space: TopicSpace,
    *,
    m: Sequence[int],
    k: int,
    seed: int = 0,
    random_seeds: Sequence[int] = RANDOM_SEEDS,
    path: TopicPath | None = None,
    progress: Progress | None = None,
) -> SimilarityAgainstM:
    """Mean and max cosine of training and test topics over k topic folds of m topics (HITS §7.1, table 7).

    A topic's centroid does not depend on the topics beside it, so one matrix serves every m and no document is read.
    With fewer than k topics there are m folds.
    """
    sizes = checked_sizes(m, len(space))
    paths = [hits_path(space.similarity) if path is None else path]
    paths += [random_path(space.similarity, seed=draw) for draw in random_seeds]
    found = np.empty((len(paths), len(sizes), 2))
    total = len(paths) * len(sizes)
    for done, (which, column) in enumerate(np.ndindex(len(paths), len(sizes))):
        if progress is not None:
            progress(done, total, f"m = {sizes[column]}", None)
        leakage = sampled_leakage(space, paths[which], m=sizes[column], k=k, seed=seed)
        found[which, column] = leakage.average_mean, leakage.average_max
    if progress is not None:
        progress(total, total, "done", 0.0)
    found.setflags(write=False)
    means, maxima = found[:, :, 0], found[:, :, 1]
    table: list[Row] = []
    for place, size in enumerate(sizes):
        row: Row = {"m": size, "folds": min(k, size)}
        for what, values in (("mean", means[:, place]), ("max", maxima[:, place])):
            row |= {f"{what}, HITS": float(values[0])} | _spread(f"{what}, random", values[1:])
        table.append(row)
    return SimilarityAgainstM(sizes, k, means[0], maxima[0], means[1:], maxima[1:], table)


def closest_across(
    space: TopicSpace,
    *,
    m: int,
    k: int,
    most: int = 5,
    seed: int = 0,
    random_seeds: Sequence[int] = RANDOM_SEEDS,
) -> ClosestAcross:
    """The most similar pairs of a training and a test topic in each setup (HITS, table 6)."""
    paths = {"HITS": hits_path(space.similarity)}
    paths |= {f"random {draw}": random_path(space.similarity, seed=draw) for draw in random_seeds}
    table: list[Row] = []
    for setup, path in paths.items():
        leakage = sampled_leakage(space, path, m=checked_sizes([m], len(space))[0], k=k, seed=seed, worst=most)
        table += [
            {
                "setup": setup,
                "train topic": leakage.topic_names[pair.train],
                "test topic": leakage.topic_names[pair.test],
                "similarity": pair.similarity,
            }
            for pair in leakage.worst
        ]
    return ClosestAcross(m, k, table)


def sampled_leakage(space: TopicSpace, path: TopicPath, *, m: int, k: int, seed: int, worst: int = 0) -> Leakage:
    """What k topic folds of the first m topics of a path leak."""
    kept = np.sort(path.order[:m])
    names = tuple(space.names[topic] for topic in kept)
    part = TopicSpace(names, space.sizes[kept], space.centroids[kept], space.similarity[np.ix_(kept, kept)])
    return fold_leakage(topics_dealt(names, k=min(k, m), seed=seed), part, nearest=1, worst=worst)


def merged_leakage(space: TopicSpace, sample: Sample, *, k: int, seed: int) -> Leakage:
    """What k topic folds of a sample leak, from centroids alone: a merged topic's is its parts' weighted mean."""
    merged = merged_space(space, sample.home)
    return fold_leakage(topics_dealt(merged.names, k=min(k, len(merged)), seed=seed), merged, nearest=1, worst=0)


def topics_dealt(names: tuple[str, ...], *, k: int, seed: int) -> Folds:
    """The folds of `topic_kfold` without their documents: the same seeded deal of the sorted names."""
    if k < 2:
        raise SettingError(f"k = {k}; cross-validation needs at least 2 folds.")
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


def _spread(name: str, values: Floats) -> Row:
    if not len(values):
        return {}
    return {name: float(values.mean()), f"{name}, lowest": float(values.min()), f"{name}, highest": float(values.max())}
