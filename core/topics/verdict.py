"""Does a cross-topic split of this corpus leak? Near twins, how often folds part them, and how many topics to keep."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import Floats, Ints, record
from ..corpora import Corpus
from ..errors import SettingError
from .hits import TopicPath
from .space import TopicSpace, pair_similarities

Level = Literal["clear", "some", "leaks"]

LEAKING_SHARE = 0.25  # of the topics, from which a split leaks and no longer leaks a little
CLEAR_ELBOW = 0.1  # of the curve's height below its chord: less is a straight line with noise


@record
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


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A number of topics and the sentence that says why; nothing applies it by itself."""

    m: int
    reason: str


def twin_threshold(similarity: Floats) -> float:
    """(1 + median pair similarity) / 2: from there on, two topics are nearer to being one than to being a typical pair.

    Half-way, because similarity itself has no fixed scale: it depends on the encoder and on the genre.
    """
    return float((1.0 + np.median(pair_similarities(similarity))) / 2.0)


def largest_without_twins(path: TopicPath, threshold: float) -> int:
    """The largest m whose topics hold no pair as similar as `threshold`; the maximum never falls along the path."""
    return 1 + int((path.max[1:] < threshold).sum())


def judge(similarity: Floats, path: TopicPath, *, k: int, threshold: float | None = None) -> Verdict:
    """The verdict on k-fold cross-validation over all topics."""
    threshold = twin_threshold(similarity) if threshold is None else threshold
    alike = similarity >= threshold
    np.fill_diagonal(alike, False)
    twins = alike.sum(axis=1)
    leaking = expected_leaking_topics(twins, k=k)
    return Verdict(
        level="clear" if leaking < 1 else "some" if leaking / len(twins) < LEAKING_SHARE else "leaks",
        typical=float(np.median(pair_similarities(similarity))),
        threshold=threshold,
        twins=twins,
        twin_pairs=int(twins.sum()) // 2,
        leaking_topics=leaking,
        keep=largest_without_twins(path, threshold),
    )


def expected_leaking_topics(twins: Ints, *, k: int) -> float:
    """Expected number of topics with a twin on the training side, over all ways to deal topics into k folds.

    A topic with w twins is safe only when all w share its fold of f topics, which happens with probability
    C(n − 1 − w, f − 1 − w) / C(n − 1, f − 1); folds of both sizes count by the topics they hold.
    """
    from scipy.special import comb

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


def suggest_m(
    path: TopicPath, space: TopicSpace, corpus: Corpus, k: int, stability: Mapping[int, float] | None = None
) -> Suggestion:
    """The largest m of HITS whose topics hold no near twins, if that is enough for k folds.

    If it is not, the elbow of the maximum-similarity curve from m = k on: the point furthest below the straight line
    between its ends, after which another topic costs more than the average one. `stability` holds the ranking
    stability by m where it is known; it is reported and decides nothing.
    """
    count = len(path)
    if len(space) != count or corpus.topic_names != space.names:
        raise SettingError("Path, similarities and corpus are of other topics; compute all from this corpus.")
    if not 2 <= k <= count:
        raise SettingError(f"k = {k}, but the corpus has {count} topics; choose k from 2 to {count}.")
    line = twin_threshold(space.similarity)
    m, why = _without_twins(path, k, line) or _despite_twins(path, k, line)
    return Suggestion(m, f"m = {m}: {why}; {_left(corpus, path, m, k)}; {_stable(stability, m)}.")


def _without_twins(path: TopicPath, k: int, line: float) -> tuple[int, str] | None:
    """The most topics without near twins, and why; None where they do not fill the folds."""
    m = largest_without_twins(path, line)
    if m == len(path):
        return m, f"no two of the {m} topics are near twins (similarity {line:.2f} or more), so none need go"
    up_to, beyond = path.max[m - 1], path.max[m]
    why = (
        f"up to here the closest pair kept has a similarity of {up_to:.2f}; the next topic brings it to {beyond:.2f}, "
        f"past the near-twin line of {line:.2f}"
    )
    return (m, why) if m >= k else None


def _despite_twins(path: TopicPath, k: int, line: float) -> tuple[int, str]:
    elbow = _elbow(path.max, k)
    m = k if elbow is None else elbow
    clean, closest = largest_without_twins(path, line), path.max[m - 1]
    no_elbow = "the closest pair's similarity has no clear elbow, so the fewest topics that fill the folds leak least"
    rises = f"from here on the closest pair's similarity, {closest:.2f}, rises faster than before"
    return m, (
        f"only {clean} topic(s) can be kept without near twins (similarity {line:.2f} or more), too few for {k} folds; "
        + (f"{no_elbow} ({closest:.2f})" if elbow is None else rises)
    )


def _elbow(maximum: Floats, k: int) -> int | None:
    """The m from k on at which the curve lies furthest below its chord, both axes scaled to 0–1."""
    curve = maximum[k - 1 :]
    height = curve[-1] - curve[0]
    if len(curve) < 3 or height <= 0:
        return None
    below = np.linspace(0.0, 1.0, len(curve)) - (curve - curve[0]) / height
    return k + int(below.argmax()) if below.max() >= CLEAR_ELBOW else None


def _left(corpus: Corpus, path: TopicPath, m: int, k: int) -> str:
    documents = int(corpus.topic_sizes[path.order[:m]].sum())
    fewest, most = m // k, -(-m // k)
    topics = f"{fewest}" if fewest == most else f"{fewest} or {most}"
    return (
        f"{documents:,} of {len(corpus):,} documents stay ({documents / len(corpus):.0%}), "
        f"{topics} topic(s) and about {documents / k:,.0f} documents a fold"
    )


def _stable(stability: Mapping[int, float] | None, m: int) -> str:
    known = {size: value for size, value in (stability or {}).items() if np.isfinite(value)}
    if not known:
        return "how stable rankings are here is not known yet"
    best = max(known, key=lambda size: (known[size], size))
    near = min(known, key=lambda size: (abs(size - m), size))
    where = "here" if near == m else f"at m = {near}, the nearest tried,"
    said = f"folds {where} agree on the models' ranking with a mean ρ of {known[near]:.2f}"
    return said if best == near else f"{said} (best of those tried: {known[best]:.2f} at m = {best})"
