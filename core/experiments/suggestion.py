"""How many topics to keep: a suggestion with its reason, for the user to take or leave."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.corpus import Corpus
from core.errors import SettingError
from core.sampling import TopicPath
from core.space import TopicSpace
from core.verdict import twin_threshold

Floats = NDArray[np.float64]
Basis = Literal["no near twins", "near-twin line", "elbow", "fewest for the folds"]

CLEAR_ELBOW = 0.1  # of the curve's height below its chord: less is a straight line with noise


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A number of topics and the sentence that says why; nothing applies it by itself."""

    m: int
    reason: str
    basis: Basis


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
    # The maximum never falls along the path, so counting the values below the line finds the last one.
    clean = 1 + int((path.max[1:] < line).sum())
    basis: Basis
    if clean == count:
        m, basis = count, "no near twins"
        why = f"no two of the {count} topics are near twins (similarity {line:.2f} or more), so none need go"
    elif clean >= k:
        m, basis = clean, "near-twin line"
        why = (
            f"up to here the closest pair kept has a similarity of {path.max[m - 1]:.2f}; the next topic brings it to "
            f"{path.max[m]:.2f}, past the near-twin line of {line:.2f}"
        )
    else:
        elbow = _elbow(path.max, k)
        m, basis = (k, "fewest for the folds") if elbow is None else (elbow, "elbow")
        why = f"only {clean} topic(s) can be kept without near twins (similarity {line:.2f} or more), too few for {k} folds; "
        why += (
            f"the closest pair's similarity has no clear elbow, so the fewest topics that fill the folds leak least "
            f"({path.max[m - 1]:.2f})"
            if elbow is None
            else f"from here on the closest pair's similarity, {path.max[m - 1]:.2f}, rises faster than before"
        )
    return Suggestion(m, f"m = {m}: {why}; {_left(corpus, path, m, k)}; {_stable(stability, m)}.", basis)


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
