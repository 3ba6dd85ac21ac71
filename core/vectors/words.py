"""Words counted per document, and the vocabulary of LSA, LDA and NMF, in the ranges of Sawatphol et al. 2024."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np

from ..arrays import Ints, canonical, record
from ..errors import EncoderError

ENOUGH_TERMS = 1_000
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
    """Count English-stopped, lower-cased words of two or more letters and keep at most `most_terms` of them.

    A term is kept when at most `max_share` of the texts hold it and at least min_df of them do. min_df starts at
    `from_share` and falls until ENOUGH_TERMS remain; without `from_share` it is two texts. Single-text terms are kept
    only when there are hardly any others. The result does not depend on the order of the texts.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    # Summation order and seeded starts follow the rows, so the rows get an order of their own.
    digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
    order = np.array(sorted(range(len(texts)), key=digests.__getitem__), dtype=np.int64)
    try:
        matrix = CountVectorizer(stop_words="english", dtype=np.int32).fit_transform([texts[row] for row in order])
    except ValueError as problem:
        if "empty vocabulary" not in str(problem):
            raise
        raise EncoderError(
            "No document holds a word that can be counted (all are empty, or only stop words); "
            "check which column is the text, or choose the encoder 'sbert'."
        ) from None
    held = np.bincount(matrix.indices, minlength=matrix.shape[1])
    most = max(1, int(max_share * len(texts)))
    allowed = held <= most
    if not allowed.any():  # few texts that share all their words: better those words than none
        most, allowed = len(texts), np.ones_like(allowed)
    least = _least_texts(held[allowed], len(texts), from_share)
    terms = np.flatnonzero(allowed & (held >= least))
    if len(terms) > most_terms:
        totals = np.asarray(matrix.sum(axis=0)).ravel()[terms]
        terms = np.sort(terms[np.argsort(-totals, kind="stable")[:most_terms]])
    note = (
        f"{len(terms):,} term(s) kept: each in at least {least:,} of {len(texts):,} distinct texts "
        f"(min_df {least / len(texts):.2g}) and in at most {most:,}."
    )
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


class WordEncoder:
    """What LSA, LDA and NMF share: vectors of counted words, fitted on the whole corpus."""

    __slots__ = ()
    name: ClassVar[str]
    per_document: ClassVar[bool] = False
    vocabulary: ClassVar[Mapping[str, Any]] = {"most_terms": 5_000, "max_share": 0.5, "from_share": 0.1}

    def key(self) -> str:
        return canonical(self.name, 1, **asdict(self))  # type: ignore[call-overload]

    def counts(self, texts: Sequence[str]) -> WordCounts:
        """The words that this encoder sees."""
        return count_words(texts, **self.vocabulary)

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        counts = self.counts(texts)
        empty = len(counts.wordless)
        if not empty:
            return (counts.note,)
        return counts.note, f"{empty:,} distinct text(s) hold none of these terms and get a zero vector."
