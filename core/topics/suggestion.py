"""How many topics to keep: a suggestion with its reason, for the user to take or leave."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..corpora import Corpus
from ..errors import SettingError
from ..formats import choose, counted, percent
from .every_m import EveryM
from .export import pair_summary
from .hits import TopicPath
from .sampling import make_sample
from .space import TopicSpace
from .uncertainty import Resampled
from .verdict import Verdict, keep_interval, largest_without_twins, twin_line

CLEAR_ELBOW = 0.1  # of the curve's height below its chord: less is a straight line with noise


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A number of topics and the sentence that says why; nothing applies it by itself."""

    m: int
    reason: str


def suggest_m(
    path: TopicPath,
    space: TopicSpace,
    corpus: Corpus,
    k: int,
    stability: Mapping[int, float] | None = None,
    resampled: Resampled | None = None,
) -> Suggestion:
    """The largest m of HITS whose topics hold no near twins, if that is enough for k folds.

    If it is not, the elbow of the maximum-similarity curve from m = k on: the point furthest below the straight line
    between its ends, after which another topic costs more than the average one. `stability` holds the ranking
    stability by m where it is known; it is reported and decides nothing.
    """
    count = len(path)
    if len(space) != count or corpus.topic_names != space.names:
        raise SettingError("Path, similarities and corpus are of other topics; compute all from this corpus.")
    if not 2 <= k <= path.placed:
        which = "topics" if path.placed == count else "topics that can be placed"
        raise SettingError(f"k = {k}, but the corpus has {path.placed} {which}; {choose('k', 2, path.placed)}.")
    line = twin_line(space.similarity, kind=space.kind)
    m, why = _without_twins(path, k, line) or _despite_twins(path, k, line)
    sure = ""
    if resampled is not None:
        low, high = keep_interval(resampled, kind=space.kind)
        sure = f"; with other documents of these topics it might have been {low} to {high}"
    return Suggestion(m, f"m = {m}: {why}{sure}; {_left(corpus, path, m, k)}; {_stable(stability, m)}.")


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
    """What merging does to the topics that HITS takes; None where it merges nothing."""
    if not len(samples.moves):
        return None
    most, before = samples.largest_without_twins(verdict.line), max(verdict.keep, 2)
    sample = make_sample(space.similarity, path.order[:before], policy=policy, threshold=threshold)
    closest = pair_summary(space, sample)["max"]
    documents = int(samples.documents[(before if most is None or most < 2 else most) - 1])
    return MergedTopics(policy, most, documents, float("nan") if closest is None else closest)


def keep_sentence(verdict: Verdict, merged: MergedTopics | None = None) -> str:
    """How many topics to keep so that no two are near twins, how sure that is, and what it leaves; `merged` says what becomes
    of that where the others are not dropped."""
    if (
        merged is not None
        and verdict.level != "meaningless"
        and not verdict.all_alike
        and verdict.keep < verdict.topics
    ):
        return _merged_sentence(verdict, merged)
    if verdict.level == "meaningless":
        return verdict.sentence
    if verdict.all_alike:
        return (
            f"Leaving topics out gains nothing here: all {verdict.topics:,} are much alike (median similarity "
            f"{verdict.typical:.2f}), and no pair stands out as near twins."
        )
    sure = ""
    if verdict.keep_interval is not None and verdict.keep_interval[0] < verdict.keep_interval[1]:
        low, high = verdict.keep_interval
        sure = f" ({low:,} to {high:,} with other documents)"
    if verdict.keep < 2:
        return (
            f"No two topics that HITS would keep are free of near twins{sure}: its first pair is one. *Grouping* merges alike "
            "topics, but merged ones may be near twins again."
        )
    which = "all" if verdict.keep == verdict.topics else f"{verdict.keep:,} of the"
    answer = f"Keep {which} {verdict.topics:,} topics{sure}: the most that HITS takes without near twins."
    left = f"They hold {verdict.keep_documents:,} of {verdict.documents:,} documents"
    if verdict.keep_documents < verdict.documents / 2:
        return (
            f"{answer} {left}, less than half: *grouping* keeps the others' documents too, but merged topics may be near "
            "twins again."
        )
    return f"{answer} {left}."


def _merged_sentence(verdict: Verdict, merged: MergedTopics) -> str:
    past = merged.closest >= verdict.line
    side = f"{'past' if past else 'below'} the near-twin line of {verdict.line:.3f}"
    how = f"merged into them (*{merged.policy}*)"
    held = f"They hold {merged.documents:,} of {verdict.documents:,} documents."
    before = max(verdict.keep, 2)
    if merged.m is None:
        again = "near twins again" if past else "still no near twins"
        return (
            f"HITS takes {verdict.keep:,} of the {verdict.topics:,} topics without near twins. With others {how}, the closest "
            f"two have a similarity of {merged.closest:.3f}, {side}: {again}. {held}"
        )
    if merged.m < 2:
        instead = f" *Cutting* keeps {verdict.keep:,} topics without any." if verdict.keep > 1 else ""
        return (
            f"With others {how}, the topics that HITS takes hold near twins at every *m*: at {before:,} the closest two have "
            f"a similarity of {merged.closest:.3f}, {side}.{instead}"
        )
    answer = (
        f"Keep {merged.m:,} of the {verdict.topics:,} topics, with others {how}: the most that then hold no near twins."
    )
    if merged.m >= verdict.keep or not past:
        return f"{answer} {held}"
    return (
        f"{answer} {held} At {verdict.keep:,}, the most before any are merged, merging makes near twins again: similarity "
        f"{merged.closest:.3f}, {side}."
    )


def _without_twins(path: TopicPath, k: int, line: float) -> tuple[int, str] | None:
    """The most topics without near twins, and why; None where they do not fill the folds."""
    m = largest_without_twins(path, line)
    if m == path.placed:
        rest = "" if m == len(path) else f"; {len(path) - m} more cannot be placed"
        return m, f"no two of the {m} topics are near twins (similarity {line:.2f} or more), so none need go{rest}"
    up_to, beyond = path.max[m - 1], path.max[m]
    why = (
        f"up to here the closest pair kept has a similarity of {up_to:.2f}; the next topic brings it to {beyond:.2f}, "
        f"past the near-twin line of {line:.2f}"
    )
    return (m, why) if m >= k else None


def _despite_twins(path: TopicPath, k: int, line: float) -> tuple[int, str]:
    elbow = _elbow(path.max[: path.placed], k)
    m = k if elbow is None else elbow
    clean, closest = largest_without_twins(path, line), path.max[m - 1]
    no_elbow = "the closest pair's similarity has no clear elbow, so the fewest topics that fill the folds leak least"
    rises = f"from here on the closest pair's similarity, {closest:.2f}, rises faster than before"
    return m, (
        f"only {counted(clean, 'topic')} can be kept without near twins (similarity {line:.2f} or more), too few for {k} folds; "
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
        f"{documents:,} of {len(corpus):,} documents stay ({percent(documents / len(corpus))}), "
        f"{topics} topic{'s' * (topics != '1')} and about {documents / k:,.0f} documents a fold"
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
