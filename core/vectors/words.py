"""Encoders of counted words, fitted on the whole corpus: LSA, LDA and NMF, in the ranges of Sawatphol et al. 2024."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Ints, canonical, largest, record, text_digest
from ..corpora import has_terms, without_spaces, word_options
from ..errors import EncoderError, SettingError
from ..formats import counted
from .encoder import EncodedBatch
from .language import small_words

WORD = r"(?u)\b\w\w+\b"
ENOUGH_TERMS = 1_000
STRAY = 0.05  # of the texts: so many may hold a misread letter of another script without its being worth a word
CHUNK = 1_024  # documents of LDA between two signs of life
# The paper's 0.1 comes first; the later steps serve corpora of short texts.
SHARES = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


@record
class WordCounts:
    """Counts of the kept terms: a row a text in the order of `order`, a column a term in alphabetical order."""

    matrix: Any  # scipy.sparse.csr_matrix, typed loosely because scipy is imported only when used
    order: Ints  # row r of `matrix` is text order[r]
    note: str

    @property
    def wordless(self) -> Ints:
        """Rows of `matrix` without any kept term."""
        return np.flatnonzero(np.diff(self.matrix.indptr) == 0)


def count_words(
    texts: Sequence[str], *, most_terms: int, max_share: float = 1.0, from_share: float | None = None
) -> WordCounts:
    """Count lower-cased words of two or more letters but the small ones, and keep at most `most_terms` of them.

    Small are English stop words and those of the languages that the texts look to be in (language.py); in scripts without
    spaces pairs of characters stand for words (scripts.py).
    A term is kept when at most `max_share` of the texts hold it and at least min_df of them do. min_df starts at
    `from_share` and falls until ENOUGH_TERMS remain; without `from_share` it is two texts. Single-text terms are kept
    only when there are hardly any others. The result does not depend on the order of the texts.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    # Summation order and seeded starts follow the rows, so the rows get an order of their own.
    digests = list(map(text_digest, texts))
    order = np.array(sorted(range(len(texts)), key=digests.__getitem__), dtype=np.int64)
    ordered = [texts[row] for row in order]
    stopped = sorted(ENGLISH_STOP_WORDS | small_words(ordered))
    counter = CountVectorizer(stop_words=stopped, dtype=np.int32, **word_options(ordered, WORD))
    if not has_terms(counter, ordered):
        raise EncoderError(
            "No document holds a word that can be counted, but stop words and marks alone; check which column is the text, or "
            "choose the encoder 'sbert'."
        )
    matrix = counter.fit_transform(ordered)
    held = np.bincount(matrix.indices, minlength=matrix.shape[1])
    most = max(1, int(max_share * len(texts)))
    allowed = held <= most
    if not allowed.any():  # few texts that share all their words: better those words than none
        most, allowed = len(texts), np.ones_like(allowed)
    least = _least_texts(held[allowed], len(texts), from_share)
    terms = np.flatnonzero(allowed & (held >= least))
    if len(terms) > most_terms:
        totals = np.asarray(matrix.sum(axis=0)).ravel()[terms]
        terms = terms[largest(totals, most_terms)]
    note = (
        f"{counted(len(terms), 'term')} kept: each in at least {least:,} of {len(texts):,} distinct texts "
        f"(min_df {least / len(texts):.2g}) and in at most {most:,}."
    )
    if without_spaces(ordered, share=STRAY):
        note += " Where a script has no spaces, pairs of neighbouring characters count as words."
    return WordCounts(matrix[:, terms], order, note)


def _least_texts(held: Ints, texts: int, from_share: float | None) -> int:
    shared = int((held >= 2).sum())
    if shared < min(50, len(held)):
        return 1
    if from_share is not None:
        for share in (step for step in SHARES if step <= from_share):
            least = int(np.ceil(share * texts))
            if least > 2 and (held >= least).sum() >= ENOUGH_TERMS:
                return least
    return 2


@dataclass(frozen=True, slots=True)
class WordEncoder:
    """What LSA, LDA and NMF share: `components` dimensions of counted words, the same for the same seed."""

    components: int = 50
    seed: int = 0

    name: ClassVar[str]
    per_document: ClassVar[bool] = False
    vocabulary: ClassVar[Mapping[str, Any]] = {"most_terms": 5_000, "max_share": 0.5, "from_share": 0.1}

    def __post_init__(self) -> None:
        if self.components < 2:
            raise SettingError(f"{self.name.upper()} with {counted(self.components, 'component')}: choose 2 or more.")

    def key(self) -> str:
        return canonical(self.name, 2, **asdict(self))

    def counts(self, texts: Sequence[str]) -> WordCounts:
        """The words that this encoder sees."""
        return count_words(texts, **self.vocabulary)

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        counts = self.counts(texts)
        empty = len(counts.wordless)
        if not empty:
            return (counts.note,)
        return (
            counts.note,
            f"{counted(empty, 'distinct text', 'holds', 'hold')} none of these terms and {'gets' if empty == 1 else 'get'} a zero vector.",
        )


@dataclass(frozen=True, slots=True)
class Lsa(WordEncoder):
    """TF-IDF with sublinear counts, then U·S of a truncated singular value decomposition (Deerwester et al. 1990)."""

    components: int = 100

    name: ClassVar[str] = "lsa"
    vocabulary: ClassVar[Mapping[str, Any]] = {"most_terms": 50_000}

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.utils.extmath import randomized_svd

        counts = self.counts(texts)
        weights = TfidfTransformer(sublinear_tf=True).fit_transform(counts.matrix.astype(np.float32))
        left, scale, _ = randomized_svd(weights, min(self.components, *weights.shape), random_state=self.seed)
        vectors = (left * scale).astype(np.float32)
        vectors[counts.wordless] = 0.0  # and not the direction of a rounding error
        yield counts.order, vectors


@dataclass(frozen=True, slots=True)
class Nmf(WordEncoder):
    """The non-negative W of X ≈ W·H, X the TF-IDF matrix (Sawatphol et al. 2024)."""

    name: ClassVar[str] = "nmf"

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        from sklearn.decomposition import NMF
        from sklearn.feature_extraction.text import TfidfTransformer

        counts = self.counts(texts)
        weights = TfidfTransformer().fit_transform(counts.matrix.astype(np.float32))
        size = min(self.components, *weights.shape)
        model = NMF(size, init="nndsvd" if size > 1 else "random", random_state=self.seed, max_iter=200, tol=1e-3)
        with np.errstate(invalid="ignore"):  # a perfect fit has a rounding error below zero, whose root sklearn takes
            parts = model.fit_transform(weights)
        yield counts.order, parts.astype(np.float32)


@dataclass(frozen=True, slots=True)
class Lda(WordEncoder):
    """The expected topic proportions of each document by word presence, learned online (Hoffman et al. 2010)."""

    passes: int = 5

    name: ClassVar[str] = "lda"

    def __post_init__(self) -> None:
        if self.components < 2 or self.passes < 1:
            raise SettingError("LDA needs 2 or more components and 1 or more passes.")

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        from sklearn.decomposition import LatentDirichletAllocation

        counts = self.counts(texts)
        present = (counts.matrix > 0).astype(np.float32)
        chunks = [slice(start, start + CHUNK) for start in range(0, present.shape[0], CHUNK)]
        model = LatentDirichletAllocation(
            self.components, learning_offset=50.0, batch_size=256, total_samples=len(texts), random_state=self.seed
        )
        nothing = np.empty(0, dtype=np.int64), np.empty((0, self.components), dtype=np.float32)
        for _ in range(self.passes):
            for chunk in chunks:
                model.partial_fit(present[chunk])
                yield nothing  # so that a long fit can be stopped
        # Without a word the model answers with its prior, which would lie close to every mixed document.
        known = np.ones(len(texts), dtype=np.float32)
        known[counts.wordless] = 0.0
        for chunk in chunks:
            yield counts.order[chunk], model.transform(present[chunk]).astype(np.float32) * known[chunk, None]
