"""Why topics are similar: the words two of them share, their closest documents, and the matrix of all pairs in blocks."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, largest, record, unit_rows
from ..corpora import Corpus, word_options
from ..vectors import small_words

if TYPE_CHECKING:
    from scipy import sparse

# Words of three letters or more, so that markup, numbers and initials do not pass for subject matter.
WORD = r"(?u)\b[^\W\d_]{3,}\b"
MOST_TERMS = 20_000
COMMON = 0.8  # share of the documents above which a word tells no topic from another, in any language
BLOCK = 2_000  # documents of one topic compared at a time: bounds memory at a few tens of megabytes
BLOCKS = 60  # of topics in a row of the matrix


@record
class TermWeights:
    """`weights[i, t]`: how distinctive term t is of topic i (c-TF-IDF)."""

    terms: tuple[str, ...]
    weights: "sparse.csr_array"


@record
class SharedTerms:
    """Terms distinctive of both topics, the strongest bond first, with their weight in each."""

    terms: tuple[str, ...]
    first: Floats
    second: Floats


@record
class ClosestDocuments:
    """Pairs of corpus rows, one from each topic, the most similar first."""

    first: Ints
    second: Ints
    similarity: Floats


def term_weights(corpus: Corpus) -> TermWeights:
    """c-TF-IDF: W_{t,c} = tf_{t,c} · ln(1 + A / f_t), tf as a share of the topic's words, f_t the term's count
    in all topics, A the mean number of words per topic (Grootendorst 2022)."""
    from scipy import sparse
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    counter = CountVectorizer(
        stop_words=sorted(ENGLISH_STOP_WORDS | small_words(corpus.texts)),
        min_df=2 if len(corpus) > 50 else 1,
        max_df=COMMON if len(corpus) > 50 else 1.0,
        **word_options(corpus.texts, WORD),
    )
    try:
        counts = counter.fit_transform(corpus.texts)
    except ValueError:  # no word at all: stop words and numbers only
        return TermWeights((), sparse.csr_array((len(corpus.topic_names), 0)))
    kept = largest(np.asarray(counts.sum(axis=0)).ravel(), MOST_TERMS)
    counts = counts[:, kept]
    belongs = sparse.csr_array(
        (np.ones(len(corpus)), (corpus.topic_codes, np.arange(len(corpus)))),
        shape=(len(corpus.topic_names), len(corpus)),
    )
    per_topic = sparse.csr_array(belongs @ counts, dtype=np.float64)
    words = per_topic.sum(axis=1)
    frequency = per_topic.sum(axis=0)
    shares = sparse.diags_array(np.divide(1.0, words, out=np.zeros_like(words), where=words > 0)) @ per_topic
    weights = shares @ sparse.diags_array(np.log1p(words.mean() / frequency))
    return TermWeights(tuple(counter.get_feature_names_out()[kept]), sparse.csr_array(weights))


def shared_terms(weights: TermWeights, first: int, second: int, *, most: int = 15) -> SharedTerms:
    """Terms by the geometric mean of their two weights: high only where the term is distinctive of both topics."""
    one, two = weights.weights[[first]].toarray()[0], weights.weights[[second]].toarray()[0]
    bond = np.sqrt(one * two)
    order = np.argsort(-bond, kind="stable")[:most]
    order = order[bond[order] > 0]
    return SharedTerms(tuple(weights.terms[i] for i in order), one[order], two[order])


def closest_documents(
    vectors: NDArray[np.floating], topic_codes: Ints, first: int, second: int, *, most: int = 5
) -> ClosestDocuments:
    """Return the most similar documents across two topics; each document appears once, so one odd text cannot fill the list."""
    ours, theirs = np.flatnonzero(topic_codes == first), np.flatnonzero(topic_codes == second)
    units = unit_rows(vectors[theirs].astype(np.float64))
    candidates: list[tuple[float, int, int]] = []
    for start in range(0, len(ours), BLOCK):
        rows = ours[start : start + BLOCK]
        cosine = unit_rows(vectors[rows].astype(np.float64)) @ units.T
        # A document can be ruled out by at most `most` better pairs on either side, so this many per block suffice.
        enough = min(cosine.size, most * (most + max(cosine.shape)))
        flat = np.argpartition(-cosine, enough - 1, axis=None)[:enough]
        row, column = np.unravel_index(flat, cosine.shape)
        near = cosine[row, column], rows[row], theirs[column]
        candidates += zip(*(each.tolist() for each in near), strict=True)
    candidates.sort(key=lambda pair: (-pair[0], pair[1], pair[2]))
    used: set[int] = set()
    chosen: list[tuple[float, int, int]] = []
    for cosine_value, one, two in candidates:
        if len(chosen) == most:
            break
        if one not in used and two not in used:
            used |= {one, two}
            chosen.append((cosine_value, one, two))
    pairs = np.array([pair for _, *pair in chosen], dtype=np.int64).reshape(-1, 2)
    return ClosestDocuments(pairs[:, 0], pairs[:, 1], np.array([value for value, *_ in chosen]))


@record
class MatrixBlocks:
    """A matrix of similarities in blocks of neighbouring topics: the mean over pairs of different topics in each block (NaN
    where none is known), the closest of these pairs, and its similarity. Block b holds `order[edges[b]:edges[b + 1]]`."""

    order: Ints
    edges: Ints
    mean: Floats
    closest: Ints  # block × block × 2: two topics, −1 where none is known
    highest: Floats


def matrix_blocks(similarity: Floats, order: Ints, *, most: int = BLOCKS) -> MatrixBlocks:
    """Return topics in this order, cut into at most `most` blocks of nearly equal size."""
    edges = np.linspace(0, len(order), min(most, len(order)) + 1).round().astype(np.int64)
    count = len(edges) - 1
    ordered = np.array(similarity[np.ix_(order, order)], dtype=np.float64)
    np.fill_diagonal(ordered, np.nan)
    known = ~np.isnan(ordered)
    sums, pairs = np.where(known, ordered, 0.0), known.astype(np.float64)
    for axis in (0, 1):
        sums, pairs = (np.add.reduceat(each, edges[:-1], axis=axis) for each in (sums, pairs))
    mean = np.divide(sums, pairs, out=np.full((count, count), np.nan), where=pairs > 0)
    ordered[~known] = -np.inf
    closest, highest = np.full((count, count, 2), -1, dtype=np.int64), np.full((count, count), np.nan)
    for row, column in zip(*np.nonzero(pairs), strict=True):
        block = ordered[edges[row] : edges[row + 1], edges[column] : edges[column + 1]]
        one, two = np.unravel_index(int(block.argmax()), block.shape)
        closest[row, column] = order[edges[row] + one], order[edges[column] + two]
        highest[row, column] = block[one, two]
    return MatrixBlocks(order, edges, mean, closest, highest)
