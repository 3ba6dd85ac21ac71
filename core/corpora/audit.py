"""What a corpus holds and what in it would mislead: counts, lengths, vocabulary and warnings."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats, Ints, record
from ..errors import SettingError
from .corpus import Corpus

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DOMINATED = 0.9  # share of a topic from which its largest author counts as its only one
_WORD = re.compile(r"\w+")
_EXAMPLES = 5


@record
class Finding:
    """One warning: its kind, a sentence, how many it concerns, some of them by id or name, and their rows from 0."""

    kind: str
    message: str
    count: int
    examples: tuple[str, ...]
    rows: Ints


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

    Documents without an author have the column '(unknown)' in `counts`, which is no author elsewhere.
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
    warnings: tuple[Finding, ...]

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
        warnings=(
            *_short_texts(corpus, near_empty),
            *_duplicates(corpus),
            *_small_topics(corpus, at_least),
            *_merged_spellings(corpus),
            *_authorship(corpus, counts, per_topic),
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
        tokens = _WORD.findall(text.lower())
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


def _short_texts(corpus: Corpus, near_empty: int) -> list[Finding]:
    lengths = np.array([len(text.strip()) for text in corpus.texts])
    empty = np.flatnonzero(lengths == 0)
    short = np.flatnonzero((lengths > 0) & (lengths < near_empty))
    nothing = f"{_number(empty, 'text holds', 'texts hold')} nothing but white space."
    little = f"{_number(short, 'text has', 'texts have')} under {near_empty} characters."
    return _of_rows(corpus, "empty", empty, nothing) + _of_rows(corpus, "near-empty", short, little)


def _duplicates(corpus: Corpus) -> list[Finding]:
    """Equal texts, outer white space aside: within a topic they repeat, across topics they leak."""
    copies: dict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(corpus.texts):
        if stripped := text.strip():
            copies[stripped].append(row)
    repeats: list[int] = []
    across: list[list[int]] = []
    for rows in (rows for rows in copies.values() if len(rows) > 1):
        _, originals = np.unique(corpus.topic_codes[rows], return_index=True)  # the first of each topic
        repeats += np.delete(rows, originals).tolist()
        if len(originals) > 1:
            across.append(rows)
    message = f"{_number(repeats, 'document repeats', 'documents repeat')} the exact text of another document of the same topic."
    found = _of_rows(corpus, "duplicates-within", np.array(sorted(repeats), dtype=np.int64), message)
    if across:
        first = across[0][0]
        other = next(row for row in across[0] if corpus.topic_codes[row] != corpus.topic_codes[first])
        names = corpus.topic_names
        message = (
            f"{_number(across, 'text stands', 'texts stand')} word for word in two or more topics, which is leakage of its own: "
            f"document '{corpus.ids[first]}' of '{names[corpus.topic_codes[first]]}' and "
            f"'{corpus.ids[other]}' of '{names[corpus.topic_codes[other]]}', for example."
        )
        involved = np.array([row for group in across for row in group], dtype=np.int64)
        found.append(Finding("duplicates-across", message, len(across), _ids(corpus, involved), involved))
    return found


def _small_topics(corpus: Corpus, at_least: int) -> list[Finding]:
    small = np.flatnonzero(corpus.topic_sizes < at_least)
    total = len(corpus.topic_names)
    message = f"{_number(small, 'topic has', 'topics have')} under {at_least} documents, too few for a firm centroid ({total:,} topics in all)."
    return _of_labels("small-topics", message, corpus.topic_names, corpus.topic_codes, small)


def _merged_spellings(corpus: Corpus) -> list[Finding]:
    labels = (*corpus.merged_topics, *corpus.merged_authors)
    if not labels:
        return []
    message = (
        f"{_number(labels, 'label stands', 'labels stand')} in two spellings that look the same, "
        "with an accent as part of its letter or as a mark after it; each is taken as one."
    )
    by = zip(corpus.topics, corpus.authors or corpus.topics, strict=True)
    affected = [topic in corpus.merged_topics or author in corpus.merged_authors for topic, author in by]
    return [Finding("merged-spellings", message, len(labels), labels[:_EXAMPLES], np.flatnonzero(affected))]


def _authorship(corpus: Corpus, counts: "csr_array", per_topic: tuple[TopicRow, ...]) -> list[Finding]:
    if corpus.author_codes is None or corpus.author_names is None:
        return []
    known = corpus.known_authors
    alone = np.flatnonzero([row.largest_author_share >= DOMINATED for row in per_topic])
    local = np.flatnonzero((np.bincount(counts.indices, minlength=len(known)) == 1) & known)
    unknown = np.flatnonzero(~known[corpus.author_codes])
    one_author = (
        f"{_number(alone, 'topic owes', 'topics owe')} {DOMINATED:.0%} or more of the documents to one author, "
        "so topic and author can hardly be told apart there."
    )
    one_topic = (
        f"{_number(local, 'author writes', 'authors write')} in one topic only, "
        f"so no pair of their texts crosses topics ({known.sum():,} authors in all)."
    )
    nobody = f"{_number(unknown, 'document has', 'documents have')} no author; fill the column in, or expect no pairs from there."
    return [
        *_of_labels("one-author-topics", one_author, corpus.topic_names, corpus.topic_codes, alone),
        *_of_labels("one-topic-authors", one_topic, corpus.author_names, corpus.author_codes, local),
        *_of_rows(corpus, "unknown-authors", unknown, nobody),
    ]


def _of_rows(corpus: Corpus, kind: str, rows: Ints, message: str) -> list[Finding]:
    return [Finding(kind, message, len(rows), _ids(corpus, rows), rows)] if len(rows) else []


def _of_labels(kind: str, message: str, names: tuple[str, ...], codes: Ints, found: Ints) -> list[Finding]:
    """A warning of the topics or authors `found`: their names as examples, their documents as rows."""
    examples = tuple(names[code] for code in found[:_EXAMPLES])
    return [Finding(kind, message, len(found), examples, np.flatnonzero(np.isin(codes, found)))] if len(found) else []


def _ids(corpus: Corpus, rows: Ints) -> tuple[str, ...]:
    return tuple(corpus.ids[row] for row in rows[:_EXAMPLES])


def _number(found: Sized, one: str, many: str) -> str:
    return f"{len(found):,} {one if len(found) == 1 else many}"
