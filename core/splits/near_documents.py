"""How much of the similarity round the test documents lies on the other side of the split."""

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, record
from ..errors import SettingError
from ..progress import Progress

CELLS = 4_000_000  # similarities held at a time: 16 MB, and at worst four times that for their places
# Cosines this close are one: single precision rounds by about this much, and the order of the rows must not matter.
ROUNDING = 1e-6


@record
class Crossing:
    """Per test document (`rows`): the share of its similarity that lies in training, the part of it on the document's
    own topic, and the nearest training document with its cosine.

    `score` is the mean share; `chance` what it would be, on average, if the same number of documents were put into
    training at random.
    """

    neighbours: int
    rows: Ints
    share: Floats
    same_topic: Floats
    nearest: Ints
    similarity: Floats
    score: float
    chance: float

    @property
    def ratio(self) -> float:
        """Score over chance: 0 where nothing alike crosses, 1 where the split parts alike documents no better than a
        random one; NaN where no document is like another."""
        return self.score / self.chance if self.chance > 0 else float("nan")

    @property
    def other_topics(self) -> float:
        """The part of the score that comes from training documents on other topics: leakage between topics."""
        return self.score - float(self.same_topic.mean())


def crossing(
    vectors: NDArray[np.floating],
    topic_codes: Ints,
    train: Ints,
    test: Ints,
    *,
    asked: Ints | None = None,
    neighbours: int = 10,
    progress: Progress | None = None,
) -> Crossing:
    """c_i = Σ_{j ∈ N_i ∩ train} s_ij⁺ / Σ_{j ∈ N_i} s_ij⁺, averaged over test documents (all, or those `asked` for).

    N_i are the n documents of both sides most similar to i, itself left out, and s⁺ the cosine where it is positive.
    Only near documents count, because the many far ones of a dense space would drown them; a share, because cosines
    have another scale under every encoder. Documents as near as the n-th share the places left. A document like no
    other has c_i = 0. If training were drawn at random each neighbour would be in it with probability
    |train| / (N − 1), which is therefore the expectation of c_i.
    """
    if neighbours < 1:
        raise SettingError(f"{neighbours} neighbours asked for; ask for 1 or more.")
    asked = test if asked is None else asked
    everyone = np.concatenate([train, test])  # training first, so that one slice is the training side
    place = np.empty(len(vectors), dtype=np.int64)
    place[everyone] = np.arange(len(everyone))
    units = _units(vectors, everyone)
    codes = topic_codes[everyone]
    count = len(everyone)
    most = min(neighbours, count - 1)
    share, same, total = np.zeros(len(asked)), np.zeros(len(asked)), np.zeros(len(asked))
    nearest, similarity = np.empty(len(asked), dtype=np.int64), np.empty(len(asked))
    step = max(1, CELLS // count)
    for start in range(0, len(asked), step):
        if progress is not None:
            progress(start, len(asked), "nearest documents", None)
        here = slice(start, min(start + step, len(asked)))
        own = place[asked[here]]
        cosine = units[own] @ units.T
        each = np.arange(len(own))
        before = cosine[:, : len(train)].argmax(axis=1)
        nearest[here], similarity[here] = train[before], cosine[each, before]
        cosine[each, own] = -np.inf
        last = np.partition(cosine, count - most, axis=1)[:, count - most, None]
        row, column = np.nonzero((cosine >= last - ROUNDING) & (cosine > 0))
        value = cosine[row, column].astype(np.float64)
        tied = value <= last[row, 0] + ROUNDING
        above, ties = (np.bincount(row[these], minlength=len(own)) for these in (~tied, tied))
        weight = np.where(tied, (most - above[row]) / np.maximum(ties[row], 1), 1.0) * value
        trained = column < len(train)
        alike = trained & (codes[column] == codes[own][row])
        total[here] = np.bincount(row, weight, minlength=len(own))
        share[here] = np.bincount(row[trained], weight[trained], minlength=len(own))
        same[here] = np.bincount(row[alike], weight[alike], minlength=len(own))
    known = total > 0
    for part in (share, same):
        np.divide(part, total, out=part, where=known)
    for array in (share, same, nearest, similarity):
        array.setflags(write=False)
    chance = len(train) / (count - 1) * float(known.mean())
    return Crossing(neighbours, asked, share, same, nearest, similarity, float(share.mean()), chance)


def _units(vectors: NDArray[np.floating], rows: Ints) -> NDArray[np.float32]:
    """Rows at length one in single precision; rows of zeros stay zero."""
    units = vectors[rows].astype(np.float32)
    lengths = np.linalg.norm(units, axis=1, keepdims=True)
    units /= np.where(lengths > 0, lengths, 1.0)
    return units


SHINGLE = 3  # words in a row
PERMUTATIONS = 128
# A wrong candidate costs one comparison, a missed one is lost, so misses weigh more when the bands are chosen.
WEIGHTS = (0.1, 0.9)
FAMILY = 50  # near-identical training texts that are indexed; ten thousand forms would make the search quadratic
EVERY = 200  # documents between two signs of life
_WORD = re.compile(r"\w+")


@record
class NearDuplicates:
    """Rows of test documents with a near duplicate in training, the most alike training row for each, and their
    Jaccard index; `short` test documents have fewer words than a shingle and were not compared."""

    threshold: float
    test: Ints
    train: Ints
    jaccard: Floats
    short: int

    def __len__(self) -> int:
        return len(self.test)


def near_duplicates(
    texts: Sequence[str],
    train: Ints,
    test: Ints,
    *,
    threshold: float = 0.5,
    seed: int = 0,
    progress: Progress | None = None,
) -> NearDuplicates:
    """J(a, b) = |A ∩ B| / |A ∪ B| ≥ threshold, A and B the texts' sets of three words in a row, in lower case.

    Candidates share a band of MinHash values (Broder 1997), so a pair just above the threshold may be missed; what is
    found has been compared word for word. Ties go to the one that comes first in `train`.
    """
    if not 0.0 < threshold <= 1.0:
        raise SettingError(f"A Jaccard threshold of {threshold}; choose one above 0 and at most 1.")
    from datasketch import MinHash, MinHashLSH

    blank = MinHash(num_perm=PERMUTATIONS, seed=seed)
    index = MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS, weights=WEIGHTS)
    seen = 0

    def sketch(shingles: frozenset[str]) -> MinHash:
        mark = blank.copy()
        mark.update_batch([shingle.encode("utf-8", "surrogatepass") for shingle in shingles])
        return mark

    def sign_of_life() -> None:
        nonlocal seen
        if progress is not None and seen % EVERY == 0:
            progress(seen, len(train) + len(test), "near duplicates", None)
        seen += 1

    originals: dict[str, int] = {}  # the first training document of every wording: copies need no search
    for place, row in enumerate(train.tolist()):
        sign_of_life()
        wording = worded(texts[row])
        shingles = shingled(wording)
        if shingles and originals.setdefault(wording, place) == place:
            mark = sketch(shingles)
            if len(index.query(mark)) < FAMILY:
                index.insert(place, mark)
    shingles_of = lru_cache(maxsize=4_096)(lambda place: shingled(worded(texts[int(train[place])])))
    found: list[tuple[int, int, float]] = []
    short = 0
    for row in test.tolist():
        sign_of_life()
        wording = worded(texts[row])
        shingles = shingled(wording)
        if not shingles:
            short += 1
        elif wording in originals:
            found.append((row, int(train[originals[wording]]), 1.0))
        else:
            near = [(jaccard(shingles, shingles_of(place)), -place) for place in index.query(sketch(shingles))]
            value, place = max(near, default=(0.0, 0))
            if value >= threshold:
                found.append((row, int(train[-place]), value))
    columns = [np.array([pair[place] for pair in found]) for place in range(3)]
    return NearDuplicates(
        threshold, columns[0].astype(np.int64), columns[1].astype(np.int64), columns[2].astype(np.float64), short
    )


def worded(text: str) -> str:
    """The words of a text in lower case: case, punctuation and layout make no difference."""
    return " ".join(_WORD.findall(text.lower()))


def shingled(wording: str) -> frozenset[str]:
    """Every three words in a row; none where there are fewer."""
    words = wording.split(" ")
    return frozenset(" ".join(words[place : place + SHINGLE]) for place in range(len(words) - SHINGLE + 1))


def jaccard(one: frozenset[str], two: frozenset[str]) -> float:
    """What two sets share of what they hold together."""
    both = len(one & two)
    return both / (len(one) + len(two) - both) if both else 0.0
