"""What a corpus holds and what in it would mislead: counts, lengths, vocabulary and warnings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats, Ints, record
from ..errors import SettingError
from ..formats import counted, listed
from .corpus import Corpus
from .findings import Finding, findings_of_authors, findings_of_texts, findings_of_topics
from .scripts import counted_words, without_spaces

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True)
class TopicRow:
    """One topic; the largest author is None, and its share 0, where no author is known."""

    topic: str
    documents: int
    authors: int
    largest_author: str | None
    largest_author_share: float
    median_words: float


@record
class Audit:
    """Counts of a corpus; `counts` is topics by authors, sparse because most authors write in one topic.

    Documents without an author have the column '(unknown)' in `counts`, which is no author elsewhere. `by_character`: most
    texts are in a script without spaces, so that what is counted as words is mostly characters.
    """

    documents: int
    topics: int
    authors: int
    topic_names: tuple[str, ...]
    author_names: tuple[str, ...]
    counts: "csr_array"
    per_topic: tuple[TopicRow, ...]
    words: Ints
    vocabulary: int
    by_character: bool
    warnings: tuple[Finding, ...]

    @property
    def sentence(self) -> str:
        """What the corpus is and what should be mended in it, in words."""
        mend = [finding.advice.short for finding in self.warnings if finding.advice.mend]
        if mend:
            return f"{self._size}. To mend before you evaluate: {listed(mend)}."
        known = len(self.warnings)
        rest = f"; {known} thing{'s are' if known > 1 else ' is'} to be known" if known else ""
        return f"{self._size}. Nothing in it needs mending{rest}."

    @property
    def _size(self) -> str:
        sizes = [row.documents for row in self.per_topic]
        by = f" by {counted(self.authors, 'author')}" if self.authors else " without authors"
        each = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
        return f"{counted(self.documents, 'document')} in {counted(self.topics, 'topic')}{by}, {each} document{'s' * (each != '1')} a topic"

    @property
    def counted(self) -> str:
        """What lengths are counted in."""
        return "characters" if self.by_character else "words"

    @property
    def largest_author_share(self) -> Floats:
        """Per topic, the share of its documents that its most frequent author wrote."""
        return np.array([row.largest_author_share for row in self.per_topic])


def audit(corpus: Corpus, *, at_least: int = 10, near_empty: int = 20) -> Audit:
    """Count a corpus and warn of topics under `at_least` documents and texts under `near_empty` characters."""
    if at_least < 1 or near_empty < 1:
        raise SettingError("The least number of documents and of characters must be 1 or more.")
    counts = _counts(corpus)
    words, vocabulary = _words(corpus.texts)
    per_topic = _per_topic(corpus, counts, words)
    one_topic = np.bincount(counts.indices, minlength=len(corpus.author_names or ())) == 1
    return Audit(
        documents=len(corpus),
        topics=len(corpus.topic_names),
        authors=int(corpus.known_authors.sum()),
        topic_names=corpus.topic_names,
        author_names=corpus.author_names or (),
        counts=counts,
        per_topic=per_topic,
        words=words,
        vocabulary=vocabulary,
        by_character=without_spaces(corpus.texts, share=0.5),
        warnings=(
            *findings_of_texts(corpus, near_empty=near_empty),
            *findings_of_topics(corpus, at_least=at_least),
            *findings_of_authors(corpus, [row.largest_author_share for row in per_topic], one_topic),
        ),
    )


def _counts(corpus: Corpus) -> "csr_array":
    from scipy.sparse import csr_array

    shape = (len(corpus.topic_names), len(corpus.author_names or ()))
    if corpus.author_codes is None:
        return csr_array(shape, dtype=np.int64)
    # Two entries for one cell are added up.
    ones = np.ones(len(corpus), dtype=np.int64)
    counts = csr_array((ones, (corpus.topic_codes, corpus.author_codes)), shape=shape)
    counts.sum_duplicates()
    counts.data.setflags(write=False)
    return counts


def _words(texts: tuple[str, ...]) -> tuple[Ints, int]:
    lengths = np.zeros(len(texts), dtype=np.int64)
    vocabulary: set[str] = set()
    for row, text in enumerate(texts):
        tokens = counted_words(text.lower())
        lengths[row] = len(tokens)
        vocabulary.update(tokens)
    return lengths, len(vocabulary)


def largest_author_shares(corpus: Corpus) -> Floats:
    """Per topic, the share of its documents that its most frequent author wrote; without the rest of an audit."""
    return np.array([share for _, share, _ in _main_authors(corpus, _counts(corpus))])


def _main_authors(corpus: Corpus, counts: "csr_array") -> Iterator[tuple[str | None, float, int]]:
    """Topic by topic, the author with most documents, their share of it, and how many authors it has."""
    sizes, known = corpus.topic_sizes, corpus.known_authors
    for code, size in enumerate(sizes):
        cells = slice(counts.indptr[code], counts.indptr[code + 1])
        authors, numbers = counts.indices[cells], counts.data[cells]
        authors, numbers = authors[known[authors]], numbers[known[authors]]
        if len(authors):
            # Names are in order, so among equals the author whose name sorts first is taken.
            top = int(authors[numbers == numbers.max()].min())
            yield (corpus.author_names or ())[top], float(numbers.max() / size), len(authors)
        else:
            yield None, 0.0, 0


def _per_topic(corpus: Corpus, counts: "csr_array", words: Ints) -> tuple[TopicRow, ...]:
    sizes = corpus.topic_sizes
    by_topic = np.split(words[np.argsort(corpus.topic_codes, kind="stable")], np.cumsum(sizes)[:-1])
    rows = []
    for code, (author, share, authors) in enumerate(_main_authors(corpus, counts)):
        topic = corpus.topic_names[code]
        rows.append(TopicRow(topic, int(sizes[code]), authors, author, share, float(np.median(by_topic[code]))))
    return tuple(rows)
