"""Near duplicates and nearest neighbours across the two sides of a split."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, Singles, record
from ..corpora import OF_A_WORD, in_order, weight_of
from ..errors import SettingError
from ..progress import Progress

if TYPE_CHECKING:
    from datasketch import MinHash

CELLS = 4_000_000  # similarities held at a time: 16 MB, and at worst four times that for their positions
# Cosines this close are one: single precision rounds by about this much, and the order of the rows must not matter.
ROUNDING = 1e-6
SHINGLE = 3  # words in a row, or as many characters of a script without spaces as tell as much
PERMUTATIONS = 128
# A wrong candidate costs one comparison, a missed one is lost, so misses weigh more when the bands are chosen.
WEIGHTS = (0.1, 0.9)
HIGHEST_BANDED = 0.99  # above, the library finds no two bands; what is found is compared in any case
FAMILY = 50  # near-identical training texts that are indexed; ten thousand forms would make the search quadratic
EVERY = 200  # documents between two signs of life
SAMPLED = 3  # one in this many shingles finds excerpts
MOST_HOLDERS = 10  # documents that are compared for one excerpt
FEWEST_SHARED = 8  # shingles: fewer are a phrase, not an excerpt


@record
class NeighbourLeakage:
    """How much of the similarity of test documents to their neighbours is to training documents."""

    neighbours: int
    rows: Ints  # test documents
    share: Floats  # of the similarity that is to training documents
    same_topic: Floats  # the part of the share that is to documents of the same topic
    similarity: Floats  # cosine of the nearest training document
    score: float  # mean share
    chance: float  # mean share if as many training documents were random

    @property
    def ratio(self) -> float:
        """Score over chance: 0 where nothing similar crosses, 1 where the split separates similar documents no better than a
        random one; NaN where no document is like another."""
        return self.score / self.chance if self.chance > 0 else float("nan")

    @property
    def other_topics(self) -> float:
        """Return the part of the score that comes from training documents on other topics: leakage between topics."""
        return self.score - float(self.same_topic.mean())


@record
class NearDuplicates:
    """Test documents with a near duplicate in training."""

    threshold: float
    test: Ints  # rows
    train: Ints  # the most similar training row of each
    jaccard: Floats  # index; of an excerpt, how much of the shorter text is in the longer
    short: int  # test documents with fewer words than a shingle, not compared

    def __len__(self) -> int:
        return len(self.test)


def neighbour_leakage(
    vectors: NDArray[np.floating],
    topic_codes: Ints,
    train: Ints,
    test: Ints,
    *,
    tested: Ints | None = None,
    neighbours: int = 10,
    progress: Progress | None = None,
) -> NeighbourLeakage:
    """Return c_i = Σ_{j ∈ N_i ∩ train} s_ij⁺ / Σ_{j ∈ N_i} s_ij⁺, averaged over test documents (all, or those in `tested`).

    N_i are the n documents of both sides most similar to i, itself left out, and s⁺ the cosine where it is positive.
    Only near documents count, because the many far ones of a dense space would drown them; a share, because cosines
    have another scale under every encoder. Documents as near as the n-th share the weight left. A document like no
    other has c_i = 0. If training were drawn at random each neighbour would be in it with probability
    |train| / (N − 1), which is therefore the expectation of c_i.
    """
    if neighbours < 1:
        raise SettingError(f"{neighbours} neighbours asked for; ask for 1 or more.")
    tested = test if tested is None else tested
    everyone = np.concatenate([train, test])  # training first, so that one slice is the training side
    index = np.empty(len(vectors), dtype=np.int64)
    index[everyone] = np.arange(len(everyone))
    units, codes, count = _unit_rows(vectors, everyone), topic_codes[everyone], len(everyone)
    total, share, same, similarity = (np.zeros(len(tested)) for _ in range(4))
    step = max(1, CELLS // count)
    for start in range(0, len(tested), step):
        if progress is not None:
            progress(start, len(tested), "nearest documents", None)
        here = slice(start, start + step)
        own = index[tested[here]]
        cosine = units[own] @ units.T
        similarity[here] = cosine[:, : len(train)].max(axis=1)
        cosine[np.arange(len(own)), own] = -np.inf
        row, column, weight = _nearest_weights(cosine, min(neighbours, count - 1))
        leaks = column < len(train)
        on_topic = leaks & (codes[column] == codes[own][row])
        for sums, these in ((total, slice(None)), (share, leaks), (same, on_topic)):
            sums[here] = np.bincount(row[these], weight[these], minlength=len(own))
    known = total > 0
    for part in (share, same):
        np.divide(part, total, out=part, where=known)
    chance = len(train) / (count - 1) * float(known.mean())
    return NeighbourLeakage(neighbours, tested, share, same, similarity, float(share.mean()), chance)


def near_duplicates(
    texts: Sequence[str],
    train: Ints,
    test: Ints,
    *,
    threshold: float = 0.5,
    seed: int = 0,
    progress: Progress | None = None,
) -> NearDuplicates:
    """Return J(a, b) = |A ∩ B| / |A ∪ B| ≥ threshold, A and B the texts' sets of three words in a row, in lower case; of scripts
    without spaces five characters (Han, kana) or ten (Thai, Lao, Burmese, Khmer). Or |A ∩ B| / min(|A|, |B|) ≥ threshold, which
    finds excerpts and texts with something added.

    Candidates share a band of MinHash values (Broder 1997), so a pair just above the threshold may be missed; what is
    found has been compared word for word. Ties go to the one that comes first in `train`.
    """
    if not 0.0 < threshold <= 1.0:
        raise SettingError(f"A Jaccard threshold of {threshold}; choose one above 0 and at most 1.")
    index = WordingIndex(threshold=threshold, seed=seed)
    shingles_of = lru_cache(maxsize=4_096)(lambda row: shingled(worded(texts[row])))
    found: list[tuple[int, int, float]] = []
    short = 0
    rows = [*train.tolist(), *test.tolist()]
    for done, row in enumerate(rows):
        if progress is not None and done % EVERY == 0:
            progress(done, len(rows), "near duplicates", None)
        wording = worded(texts[row])
        shingles = shingled(wording)
        if done < len(train):
            index.add(row, wording, shingles)
        elif not shingles:
            short += 1
        elif wording in index.first_row:
            found.append((row, index.first_row[wording], 1.0))
        else:
            candidates = index.candidates(shingles)
            near = [(jaccard(shingles, shingles_of(other)), -order, other) for order, other in candidates]
            value, _, other = max(near, default=(0.0, 0, 0))
            if value < threshold:
                holders = index.holders(shingles)
                near = [(containment(shingles, shingles_of(other)), -order, other) for order, other in holders]
                value, _, other = max(near, default=(0.0, 0, 0))
            if value >= threshold:
                found.append((row, other, value))
    pairs = np.array([pair for *pair, _ in found], dtype=np.int64).reshape(-1, 2)
    return NearDuplicates(threshold, pairs[:, 0], pairs[:, 1], np.array([value for *_, value in found]), short)


def worded(text: str) -> str:
    """Return the words of a text in lower case: case, punctuation and layout make no difference."""
    return " ".join(in_order(text.lower()))


def shingled(wording: str) -> frozenset[str]:
    """Return every three words in a row, or characters that tell as much; none where there are fewer."""
    words = wording.split(" ")
    if wording.isascii():
        return frozenset(" ".join(words[start : start + SHINGLE]) for start in range(len(words) - SHINGLE + 1))
    weights, found = list(map(weight_of, words)), set()
    end = held = 0
    for start, weight in enumerate(weights):
        while held < SHINGLE * OF_A_WORD and end < len(words):
            held += weights[end]
            end += 1
        if held < SHINGLE * OF_A_WORD:
            break
        found.add(" ".join(words[start:end]))
        held -= weight
    return frozenset(found)


def jaccard(one: frozenset[str], two: frozenset[str]) -> float:
    """Return what two sets share of what they hold together."""
    both = len(one & two)
    return both / (len(one) + len(two) - both) if both else 0.0


def containment(one: frozenset[str], two: frozenset[str]) -> float:
    """Return how much of the shorter text is in the longer; 0 where they share too little to be more than a phrase."""
    both = len(one & two)
    return both / min(len(one), len(two)) if both >= FEWEST_SHARED else 0.0


class WordingIndex:
    """Training documents by wording, and by bands of MinHash values those that are worded similarly."""

    def __init__(self, *, threshold: float, seed: int) -> None:
        from datasketch import MinHash, MinHashLSH

        self.first_row: dict[str, int] = {}  # the first document of every wording: copies need no search
        self._rows: list[int] = []
        self._blank = MinHash(num_perm=PERMUTATIONS, seed=seed)
        self._bands = MinHashLSH(threshold=min(threshold, HIGHEST_BANDED), num_perm=PERMUTATIONS, weights=WEIGHTS)
        self._all_rows: list[int] = []
        self._holders: dict[str, list[int]] = {}  # of a part of all shingles, the documents that have them

    def add(self, row: int, wording: str, shingles: frozenset[str]) -> None:
        if not shingles or wording in self.first_row:
            return
        self.first_row[wording] = row
        for shingle in filter(_is_sampled, shingles):
            holders = self._holders.setdefault(shingle, [])
            if len(holders) < FAMILY:  # a phrase that many texts have tells nothing
                holders.append(len(self._all_rows))
        self._all_rows.append(row)
        sketch = self._sketch(shingles)
        if len(self._bands.query(sketch)) < FAMILY:
            self._bands.insert(len(self._rows), sketch)
            self._rows.append(row)

    def candidates(self, shingles: frozenset[str]) -> list[tuple[int, int]]:
        """Return documents that may be near duplicates: the order in which they were added, and their rows."""
        return [(order, self._rows[order]) for order in self._bands.query(self._sketch(shingles))]

    def holders(self, shingles: frozenset[str]) -> list[tuple[int, int]]:
        """Return the documents that share most of a sample of these shingles: their order of addition, and their rows.

        MinHash compares wholes, so a short part of a long text is not among its candidates.
        """
        shared = Counter(order for shingle in filter(_is_sampled, shingles) for order in self._holders.get(shingle, ()))
        return [(order, self._all_rows[order]) for order, count in shared.most_common(MOST_HOLDERS) if count > 1]

    def _sketch(self, shingles: frozenset[str]) -> "MinHash":
        sketch = self._blank.copy()
        sketch.update_batch([shingle.encode("utf-8", "surrogatepass") for shingle in shingles])
        return sketch


def _is_sampled(shingle: str) -> bool:
    return crc32(shingle.encode("utf-8", "surrogatepass")) % SAMPLED == 0


def _unit_rows(vectors: NDArray[np.floating], rows: Ints) -> Singles:
    """Return rows at length one in single precision; rows of zeros stay zero."""
    units = vectors[rows].astype(np.float32)
    lengths = np.linalg.norm(units, axis=1, keepdims=True)
    units /= np.where(lengths > 0, lengths, 1.0)
    return units


def _nearest_weights(cosine: Singles, most: int) -> tuple[Ints, Ints, Floats]:
    """Return rows and columns of each row's `most` highest positive cosines, and those cosines as weights; columns as high as
    the last one share what is left for it."""
    last = np.partition(cosine, cosine.shape[1] - most, axis=1)[:, cosine.shape[1] - most, None]
    row, column = np.nonzero((cosine >= last - ROUNDING) & (cosine > 0))
    value = cosine[row, column].astype(np.float64)
    tied = value <= last[row, 0] + ROUNDING
    above, ties = (np.bincount(row[these], minlength=len(cosine)) for these in (~tied, tied))
    return row, column, np.where(tied, (most - above[row]) / np.maximum(ties[row], 1), 1.0) * value


def near_copies(
    texts: Sequence[str], *, threshold: float = 0.5, seed: int = 0, progress: Progress | None = None
) -> NearDuplicates:
    """Return every text with an earlier one that shares so much of its three words in a row, and the most similar of these.

    As in `near_duplicates`, with all texts before a text as its training side.
    """
    index = WordingIndex(threshold=threshold, seed=seed)
    shingles_of = lru_cache(maxsize=4_096)(lambda row: shingled(worded(texts[row])))
    found: list[tuple[int, int, float]] = []
    short = 0
    for row, text in enumerate(texts):
        if progress is not None and row % EVERY == 0:
            progress(row, len(texts), "near duplicates", None)
        wording = worded(text)
        shingles = shingled(wording)
        short += not shingles
        if wording in index.first_row:
            found.append((row, index.first_row[wording], 1.0))
            continue
        near = [(jaccard(shingles, shingles_of(other)), -other) for _, other in index.candidates(shingles) if shingles]
        value, other = max(near, default=(0.0, 0))
        if value < threshold:
            holders = index.holders(shingles)
            near = [(containment(shingles, shingles_of(other)), -other) for _, other in holders]
            value, other = max(near, default=(0.0, 0))
        if value >= threshold:
            found.append((row, -other, value))
        index.add(row, wording, shingles)
    rows, earlier, values = zip(*found, strict=True) if found else ((), (), ())
    return NearDuplicates(
        threshold, np.array(rows, np.int64), np.array(earlier, np.int64), np.array(values, float), short
    )
