"""What a sample keeps at every m at once, so that a slider never waits: documents, authors, similarity, and where topics go."""

from collections.abc import Callable

import numpy as np

from ..arrays import Bools, Floats, Ints, record
from ..corpora import Corpus
from ..errors import SettingError
from .export import pair_summary
from .hits import TopicPath
from .sampling import POLICIES, make_sample
from .space import TopicPoints, TopicSpace

MOST_MERGED = 150  # topics up to which the similarity of merged topics is computed for every m: it costs their cube


@record
class EveryM:
    """The samples of m = 1, 2, … topics under one policy; entry m − 1 of an array is the sample of m topics, `totals` are
    the topics, documents and authors there are.

    `mean` and `max` are those of `pair_summary` (NaN for one topic, and where merged topics are too many to try every m);
    topic i keeps its documents from m = `since[i]` on (0: never). `moves` are rows of topic, m and kept topic: from that m
    on, until its next row or until it is kept itself, the topic is merged into that one; in order of topic and m.
    """

    totals: tuple[int, int, int | None]
    documents: Ints
    authors: Ints | None
    mean: Floats
    max: Floats
    since: Ints
    moves: Ints

    def largest_without_twins(self, line: float) -> int | None:
        """The largest m whose topics, with what is merged into them, hold no pair as similar as the line (1: no m of two or
        more does); None where similarities are not known at every m. Merged topics may come nearer and part again."""
        if len(self.max) > 1 and np.isnan(self.max[1:]).all():
            return None
        return max((m for m, highest in enumerate(self.max.tolist(), start=1) if highest < line), default=1)


def sample_at_every_m(
    corpus: Corpus,
    space: TopicSpace | TopicPoints,
    path: TopicPath,
    *,
    policy: str = "cutting",
    threshold: float = 0.0,
) -> EveryM:
    """`make_sample` and what is counted of it, for all m that the path offers.

    Along the path the nearest kept topic only comes nearer, so that a topic once merged stays so, and all that is kept can
    be counted from the m at which each topic comes in.
    """
    since = np.zeros(len(corpus.topic_names), dtype=np.int64)
    since[path.order[: path.placed]] = np.arange(1, path.placed + 1)
    mean, maximum = path.mean[: path.placed].copy(), path.max[: path.placed].copy()
    moves = np.empty((0, 3), dtype=np.int64)
    joins = POLICIES[policy].joins
    if joins is not None:
        if isinstance(space, TopicPoints):
            raise SettingError(
                f"{len(space):,} topics are too many to merge; choose cutting, or leave out small topics."
            )
        moves = _moves(space.similarity, path, lambda nearest: joins(nearest, threshold))
        first, at = np.unique(moves[:, 0], return_index=True)
        since[first] = moves[at, 1]
        samples = [
            make_sample(space.similarity, path.order[:m], policy=policy, threshold=threshold)
            for m in range(1, path.placed + 1 if path.placed <= MOST_MERGED else 1)
        ]
        found = [pair_summary(space, sample) for sample in samples] or [{"mean": None, "max": None}] * path.placed
        mean, maximum = (np.array([each[what] for each in found], dtype=np.float64) for what in ("mean", "max"))
    return EveryM(
        (len(corpus.topic_names), len(corpus), None if corpus.author_names is None else len(corpus.author_names)),
        _counted(since, corpus.topic_sizes, path.placed),
        _authors(corpus, since, path.placed),
        mean,
        maximum,
        since,
        moves,
    )


def _moves(similarity: Floats, path: TopicPath, joins: Callable[[Floats], Bools]) -> Ints:
    """Every change of where a topic left out goes, as m grows by one."""
    count = len(similarity)
    nearest, target = np.full(count, -np.inf), np.full(count, count)
    now, left = np.full(count, -1), np.full(count, True)
    found = []
    for m, taken in enumerate(path.order[: path.placed], start=1):
        left[taken] = False
        row = similarity[taken]
        nearer = (row > nearest) | ((row == nearest) & (taken < target))  # ties go to the name that sorts first
        nearest[nearer], target[nearer] = row[nearer], taken
        goes = np.where(joins(nearest) & np.isfinite(nearest), target, -1)
        changed = np.flatnonzero(left & (goes != now))
        now[changed] = goes[changed]
        found.append(np.stack([changed, np.full(len(changed), m), goes[changed]], axis=1))
    moves = np.concatenate([np.empty((0, 3), dtype=np.int64), *found])
    return moves[np.lexsort((moves[:, 1], moves[:, 0]))]


def _counted(since: Ints, weights: Ints, placed: int) -> Ints:
    """For every m the weights of what has come in by then."""
    return np.cumsum(np.bincount(since, weights=weights, minlength=placed + 1)[1:]).astype(np.int64)


def _authors(corpus: Corpus, since: Ints, placed: int) -> Ints | None:
    """For every m the authors with a document that stays: each comes in with the first of their topics."""
    if corpus.author_names is None or corpus.author_codes is None:
        return None
    never = placed + 1
    first = np.full(len(corpus.author_names), never)
    np.minimum.at(first, corpus.author_codes, np.where(since > 0, since, never)[corpus.topic_codes])
    return _counted(np.where(first == never, 0, first), np.ones(len(first), dtype=np.int64), placed)
