"""Test documents that are nearly copies of a training document: MinHash finds candidates, true Jaccard decides."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.errors import SettingError, Stopped
from core.evaluate import Progress

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHINGLE = 3  # words in a row
PERMUTATIONS = 128
# A wrong candidate costs one comparison, a missed one is lost, so misses weigh more when the bands are chosen.
WEIGHTS = (0.1, 0.9)
FAMILY = 50  # near-identical training texts that are indexed; ten thousand forms would make the search quadratic
EVERY = 200  # documents between two signs of life
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, eq=False, slots=True)
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
    should_stop: Callable[[], bool] | None = None,
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
        if seen % EVERY == 0:
            if progress is not None:
                progress(seen, len(train) + len(test), "near duplicates", None)
            if should_stop is not None and should_stop():
                raise Stopped("Stopped while looking for near duplicates; a new run starts from the beginning.")
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
