"""Suggest how many topics to keep, for the user to take or leave."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import Floats, record
from ..corpora import Corpus
from ..errors import SettingError
from ..formats import choose
from .bootstrap import Bootstrap
from .hits import TopicPath
from .sampling import EveryM, make_sample, pair_summary
from .space import TopicSpace
from .verdict import Verdict, keep_interval, largest_without_twins, twin_threshold

CLEAR_ELBOW = 0.1  # of the curve's height below its chord: less is a straight line with noise


@record
class Suggestion:
    """How many topics to keep, and why; nothing applies it by itself."""

    m: int
    why: Literal["no twins", "before twins", "elbow", "fewest"]
    threshold: float  # from which two topics are near twins
    free: int  # the most topics without near twins
    closest: float  # the similarity of the closest pair kept
    beyond: float  # the same with one more topic; NaN where there is none
    interval: tuple[int, int] | None  # of `free`, over bootstrap samples
    documents: int  # that stay


def suggest_m(
    path: TopicPath, space: TopicSpace, corpus: Corpus, k: int, bootstrap: Bootstrap | None = None
) -> Suggestion:
    """Return the largest m of HITS whose topics hold no near twins, if that is enough for k folds.

    If it is not, the elbow of the maximum-similarity curve from m = k on: the point furthest below the straight line
    between its ends, after which another topic costs more than the average one.
    """
    count = len(path)
    if len(space) != count or corpus.topic_names != space.names:
        raise SettingError("Path, similarities and corpus are of other topics; compute all from this corpus.")
    if not 2 <= k <= path.comparable:
        which = "topics" if path.comparable == count else "topics that can be compared"
        raise SettingError(f"k = {k}, but the corpus has {path.comparable} {which}; {choose('k', 2, path.comparable)}.")
    threshold = twin_threshold(space.similarity, kind=space.kind)
    free = largest_without_twins(path, threshold)
    why: Literal["no twins", "before twins", "elbow", "fewest"]
    if free == path.comparable:
        m, why = free, "no twins"
    elif free >= k:
        m, why = free, "before twins"
    else:
        elbow = _elbow(path.max[: path.comparable], k)
        m, why = (k, "fewest") if elbow is None else (elbow, "elbow")
    return Suggestion(
        m,
        why,
        threshold,
        free,
        closest=float(path.max[m - 1]),
        beyond=float(path.max[m]) if m < path.comparable else float("nan"),
        interval=None if bootstrap is None else keep_interval(bootstrap, kind=space.kind),
        documents=int(corpus.topic_sizes[path.order[:m]].sum()),
    )


@dataclass(frozen=True, slots=True)
class MergedTopics:
    """The topics of HITS once those left out are merged into them under a policy: `m` is the most of them without near twins
    (1: none at all, None: too many to try every m), `documents` what these hold, and `closest` the highest similarity among
    as many as HITS takes without near twins before any are merged."""

    policy: str
    m: int | None
    documents: int
    closest: float


def merged_topics(
    samples: EveryM, verdict: Verdict, space: TopicSpace, path: TopicPath, *, policy: str, threshold: float
) -> MergedTopics | None:
    """Return what merging does to the topics that HITS takes; None where it merges nothing."""
    if not len(samples.moves):
        return None
    most, before = samples.largest_without_twins(verdict.threshold), max(verdict.keep, 2)
    sample = make_sample(space.similarity, path.order[:before], policy=policy, threshold=threshold)
    closest = pair_summary(space, sample)["max"]
    documents = int(samples.documents[(before if most is None or most < 2 else most) - 1])
    return MergedTopics(policy, most, documents, float("nan") if closest is None else closest)


def _elbow(maximum: Floats, k: int) -> int | None:
    """Return the m from k on at which the curve lies furthest below its chord, both axes scaled to 0–1."""
    curve = maximum[k - 1 :]
    height = curve[-1] - curve[0]
    if len(curve) < 3 or height <= 0:
        return None
    below = np.linspace(0.0, 1.0, len(curve)) - (curve - curve[0]) / height
    return k + int(below.argmax()) if below.max() >= CLEAR_ELBOW else None
