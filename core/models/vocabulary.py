"""Terms of texts: counted once a text however many folds ask, as rows of indicators or of TF-IDF, and masked by how frequent they are.

Masking is text distortion (Stamatatos 2017) turned round: the frequent words, which carry style, are hidden as in HITS §5.2, and
what is left is mostly topic. Masks hold no letter, so that words are compared by leaving the hidden ones out.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, largest
from ..errors import SettingError

TermsOf: TypeAlias = Callable[[str], Sequence[str]]  # a function or frozen record, so that it can be a key
HELD = 1_000_000_000  # bytes of counts that are held: past them a text is counted whenever it is asked for
_SPACES = re.compile(r"\s\s+")
# Letters, also round an apostrophe: "don't" is one word, and neither digits nor masks are words.
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

# Words masked by default: 3·√V of V distinct words. A share would not do: function words are a closed class while the
# vocabulary grows with the corpus. In 3,333 newsgroup texts (V = 44,246) the cosine of what is left tells pairs of one
# topic from others with AUC 0.61 here and 0.52 when a tenth is masked. The factor 3 is a compromise, not an optimum:
# masking less keeps more topic there (0.64 at 221 words) and, in the bundled corpus, more of the authors too.
PER_ROOT = 3.0


@dataclass(frozen=True, slots=True)
class CharacterNgrams:
    """The terms of a text: its sequences of `shortest` to `longest` characters, several blanks taken for one."""

    shortest: int
    longest: int
    lower: bool

    def __call__(self, text: str) -> list[str]:
        text = _SPACES.sub(" ", text.lower() if self.lower else text)
        lengths = range(self.shortest, self.longest + 1)
        return [text[start : start + n] for n in lengths for start in range(len(text) - n + 1)]


class TermCounts:
    """How often each term stands in a text, by one way to find terms; a text is read once.

    Reading takes most of the time of a fold, and the training sides of ten folds have nearly all texts in common. A term is
    known by a code, in the order in which terms are met.
    """

    def __init__(self, terms_of: TermsOf) -> None:
        self._terms_of = terms_of
        self._codes: dict[str, int] = {}
        self._rows: dict[str, tuple[NDArray[np.int32], NDArray[np.int32]]] = {}  # codes and counts of a text, by term
        self._held = 0
        self._ranked: tuple[list[str], Ints] = (
            [],
            np.empty(0, dtype=np.int64),
        )  # every term, and its place among them sorted

    def of(self, texts: Sequence[str]) -> tuple[Any, list[str]]:
        """Return the counts in these texts, sparse, with a column for each of their terms, and the terms, sorted."""
        codes, counts, ends = self._counted(texts)
        names, ranks = self._sorted_terms()
        used = np.flatnonzero(np.bincount(codes, minlength=len(names)))
        order = used[np.argsort(ranks[used])]
        columns = np.zeros(len(names), dtype=np.int32)
        columns[order] = np.arange(len(order))
        return _sparse(counts, columns[codes], ends, len(order)), [names[code] for code in order]

    def over(self, texts: Sequence[str], terms: Sequence[str]) -> Any:
        """Return the counts of these terms in these texts, sparse, in columns of their order; other terms are passed over."""
        codes, counts, ends = self._counted(texts)
        known = np.fromiter((self._codes.get(term, -1) for term in terms), np.int64, len(terms))
        columns = np.full(len(self._codes) + 1, -1, dtype=np.int32)  # the last for terms that no text has
        columns[known] = np.arange(len(terms))
        columns[-1] = -1
        chosen = columns[codes]
        found = chosen >= 0
        ends = np.concatenate([[0], np.cumsum(found)])[ends]
        return _sparse(counts[found], chosen[found], ends, len(terms))

    def _sorted_terms(self) -> tuple[list[str], Ints]:
        """Return every term by its code, and the place of each among all of them sorted; sorted again only after new terms."""
        names, ranks = self._ranked
        if len(names) < len(self._codes):
            names = list(self._codes)
            ranks = np.empty(len(names), dtype=np.int64)
            ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
            self._ranked = names, ranks
        return names, ranks

    def _counted(self, texts: Sequence[str]) -> tuple[Ints, Floats, Ints]:
        """Return codes and counts of all texts in a row, and where each text's end, the first being 0."""
        rows = [self._row(text) for text in texts]
        ends = np.cumsum([0, *(len(codes) for codes, _ in rows)])
        nothing = np.empty(0, dtype=np.int32)
        codes, counts = (np.concatenate([nothing, *(row[side] for row in rows)]) for side in (0, 1))
        return codes.astype(np.int64), counts.astype(np.float64), ends

    def _row(self, text: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        if text in self._rows:
            return self._rows[text]
        counted, codes = Counter(self._terms_of(text)), self._codes
        terms = sorted(counted)  # so that rows of sorted columns need no sorting
        coded = (codes.setdefault(term, len(codes)) for term in terms)
        row = np.fromiter(coded, np.int32, len(terms)), np.fromiter((counted[term] for term in terms), np.int32)
        if self._held < HELD:
            self._rows[text] = row
            self._held += row[0].nbytes + row[1].nbytes
        return row


def _sparse(values: Floats, columns: NDArray[np.int32], ends: Ints, width: int) -> Any:
    from scipy.sparse import csr_matrix

    made = csr_matrix((values, columns, ends), shape=(len(ends) - 1, width))
    made.sort_indices()
    return made


class Vocabulary:
    """The terms of texts it is fitted on, and rows over them; without any term, rows of no column."""

    def __init__(self, counted: TermCounts) -> None:
        self._counted = counted
        self.terms: list[str] = []  # a column each

    def fit_transform(self, texts: Sequence[str]) -> Any:
        """Choose terms by these texts, and give their rows."""
        raise NotImplementedError

    def transform(self, texts: Sequence[str]) -> Any:
        """Return rows of other texts over the same terms."""
        raise NotImplementedError


class Occurrences(Vocabulary):
    """Rows that say which terms occur in a text, or with `counts` how often each does."""

    def __init__(self, counted: TermCounts, *, counts: bool = False) -> None:
        super().__init__(counted)
        self._counts = counts

    def fit_transform(self, texts: Sequence[str]) -> Any:
        """Return the rows of these texts over all of their terms."""
        counts, self.terms = self._counted.of(texts)
        return self._weighed(counts)

    def transform(self, texts: Sequence[str]) -> Any:
        """Return rows of other texts over the same terms."""
        return self._weighed(self._counted.over(texts, self.terms))

    def _weighed(self, counts: Any) -> Any:
        if not self._counts:
            counts.data.fill(1.0)
        return counts


class FrequentShares(Vocabulary):
    """Rows of shares: how many of a text's terms are each of the `most` frequent terms of the texts it is fitted on."""

    def __init__(self, counted: TermCounts, *, most: int) -> None:
        super().__init__(counted)
        self._most = most

    def fit_transform(self, texts: Sequence[str]) -> Any:
        """Choose terms by these texts, and give their rows."""
        counts, terms = self._counted.of(texts)
        self.terms = [terms[column] for column in largest(np.asarray(counts.sum(axis=0)).ravel(), self._most)]
        return self.transform(texts)

    def transform(self, texts: Sequence[str]) -> Any:
        """Return rows of other texts over the same terms."""
        lengths = np.asarray(self._counted.of(texts)[0].sum(axis=1)).ravel()
        return self._counted.over(texts, self.terms).toarray() / np.maximum(lengths, 1.0)[:, None]


class FrequentTfidf(Vocabulary):
    """TF-IDF rows of length one over the `most` frequent terms of the texts it is fitted on, or all; none of `without`, and
    where `only` is given no others.

    scikit-learn's `max_features` leaves it to the processor which of equally frequent terms it keeps (its sort is unstable, and
    faster ones are used where there are wider registers). Here the one that sorts first stays.
    """

    def __init__(
        self,
        counted: TermCounts,
        *,
        most: int | None = None,
        without: frozenset[str] = frozenset(),
        only: frozenset[str] | None = None,
        sublinear: bool = False,
    ) -> None:
        from sklearn.feature_extraction.text import TfidfTransformer

        super().__init__(counted)
        self._most, self._without, self._only = most, without, only
        self._weights = TfidfTransformer(sublinear_tf=sublinear)

    def fit_transform(self, texts: Sequence[str]) -> Any:
        """Choose and weigh terms by these texts, and give their rows."""
        counts, terms = self._counted.of(texts)
        kept = np.arange(len(terms))
        if self._without or self._only is not None:
            chosen = ((self._only is None or term in self._only) and term not in self._without for term in terms)
            kept = np.flatnonzero(np.fromiter(chosen, np.bool_, len(terms)))
        if self._most is not None:
            kept = kept[largest(np.asarray(counts.sum(axis=0)).ravel()[kept], self._most)]
        self.terms = [terms[column] for column in kept]
        return self._weights.fit_transform(counts[:, kept]) if self.terms else counts[:, kept]

    def transform(self, texts: Sequence[str]) -> Any:
        """Return rows of other texts over the same terms."""
        return self._weights.transform(self._counted.over(texts, self.terms))


@dataclass(frozen=True, slots=True)
class Masking:
    """The words to hide, lower-cased, out of `distinct` in the texts they were counted in."""

    words: frozenset[str]
    distinct: int

    @property
    def note(self) -> str:
        return f"The {len(self.words):,} most frequent of {self.distinct:,} distinct training words are masked."


def fit_masking(texts: Sequence[str], *, k: int | None = None, counted: TermCounts | None = None) -> Masking:
    """Return the k most frequent words of the texts, or by default 3·√V of all V; of equally frequent ones the first by name.

    `counted` are counts of `words` that others use too.
    """
    counts, found = (counted or TermCounts(words)).of(texts)
    distinct = len(found)
    if not distinct:
        raise SettingError("The training documents hold no words to mask; check which column is the text.")
    chosen = min(int(PER_ROOT * sqrt(distinct)), distinct // 2) if k is None else k
    if chosen >= distinct:
        raise SettingError(f"k = {chosen:,} masks all {distinct:,} distinct words of the training texts; lower k.")
    frequent = largest(np.asarray(counts.sum(axis=0)).ravel(), chosen)
    return Masking(frozenset(found[column] for column in frequent), distinct)


def words(text: str) -> list[str]:
    """Return the words of a text, lower-cased."""
    return [word.lower() for word in WORD.findall(text)]


def checked_k(k: int | None) -> None:
    """Refuse a number of words that cannot be masked."""
    if k is not None and k < 0:
        raise SettingError(f"k = {k} words to mask: choose 0 or more, or leave it open for what fits the vocabulary.")
