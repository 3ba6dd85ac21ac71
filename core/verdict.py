"""Does a cross-topic split of this corpus leak? Near twins, how often folds part them, and what HITS would keep."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from core.sampling import TopicPath
from core.space import pair_similarities

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Level = Literal["clear", "some", "leaks"]


@dataclass(frozen=True, eq=False, slots=True)
class Verdict:
    """`twins[i]` counts topic i's near twins; `leaking_topics` is the number of test topics that meet one of
    theirs in training, expected over random topic folds; `keep` is the largest m of HITS without near twins."""

    level: Level
    typical: float
    threshold: float
    twins: Ints
    twin_pairs: int
    leaking_topics: float
    keep: int


def twin_threshold(similarity: Floats) -> float:
    """(1 + median pair similarity) / 2: past it, two topics are nearer to being one than to being a typical pair.

    Half-way, because similarity itself has no fixed scale: it depends on the encoder and on the genre.
    """
    return float((1.0 + np.median(pair_similarities(similarity))) / 2.0)


def judge(similarity: Floats, path: TopicPath, *, k: int, threshold: float | None = None) -> Verdict:
    """The verdict on k-fold cross-validation over all topics."""
    threshold = twin_threshold(similarity) if threshold is None else threshold
    alike = similarity >= threshold
    np.fill_diagonal(alike, False)
    twins = alike.sum(axis=1)
    leaking = expected_leaking_topics(twins, k=k)
    share = leaking / len(twins)
    return Verdict(
        level="clear" if leaking < 1 else "some" if share < 0.25 else "leaks",
        typical=float(np.median(pair_similarities(similarity))),
        threshold=threshold,
        twins=twins,
        twin_pairs=int(twins.sum()) // 2,
        leaking_topics=leaking,
        # The maximum never falls along the path, so counting the values below the threshold finds the last one.
        keep=1 + int((path.max[1:] < threshold).sum()),
    )


def expected_leaking_topics(twins: Ints, *, k: int) -> float:
    """Expected number of topics with a twin on the training side, over all ways to deal topics into k folds.

    A topic with w twins is safe only when all w share its fold of f topics, which happens with probability
    C(n − 1 − w, f − 1 − w) / C(n − 1, f − 1); folds of both sizes count by the topics they hold.
    """
    count = len(twins)
    k = min(k, count)
    small, larger = divmod(count, k)
    expected = 0.0
    for size, folds in ((small, k - larger), (small + 1, larger)):
        if folds:
            safe = comb(count - 1 - twins, np.maximum(size - 1 - twins, 0)) / comb(count - 1, size - 1)
            safe = np.where(twins <= size - 1, safe, 0.0)
            expected += float((1.0 - safe).sum()) * size * folds / count
    return expected
