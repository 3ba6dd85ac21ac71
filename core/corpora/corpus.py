"""A corpus in memory: texts with a topic each and, where known, an author; labels have one spelling and sorted names."""

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from ..arrays import Bools, Ints, Singles, digest, record
from ..errors import InputError

UNKNOWN_AUTHOR = "(unknown)"  # stands where the author's cell is empty, and is no author
LONGEST_TEXT = 1_000_000  # characters; a longer cell is a file pasted into a cell
LONGEST_LABEL = 300
MOST_DOCUMENTS = 2_000_000
MOST_TOPICS = 200_000  # HITS takes so many; what needs the similarity of all pairs refuses earlier
_HASHED_AT_ONCE = 4_096  # cells
NO_TOPIC = "(no topic)"  # of every document of a file without topics, until some are found


def one_spelling(labels: Iterable[str]) -> tuple[list[str], tuple[str, ...]]:
    """The labels without outer white space in Unicode's composed form (NFC), and those that this merges.

    An accented letter can be one character or a letter and a mark; both look the same, so they are the same label.
    """
    stripped = [label.strip() for label in labels]
    composed = {label: unicodedata.normalize("NFC", label) for label in set(stripped)}
    once: set[str] = set()
    twice: set[str] = set()
    for label in composed.values():
        (twice if label in once else once).add(label)
    return [composed[label] for label in stripped], tuple(sorted(twice))


def coded(labels: Sequence[str]) -> tuple[tuple[str, ...], Ints, tuple[str, ...]]:
    """The sorted names, the index of each label in them, and the names that two spellings share."""
    spelt, merged = one_spelling(labels)
    spelt = [label or UNKNOWN_AUTHOR for label in spelt]  # only authors may be empty
    names = tuple(sorted(set(spelt)))
    codes = {label: code for code, label in enumerate(names)}
    return names, np.array([codes[label] for label in spelt], dtype=np.int64), merged


def present(names: tuple[str, ...], codes: Ints) -> tuple[tuple[str, ...], Ints]:
    """The names that occur in `codes`, and the codes among these alone."""
    found, recoded = np.unique(codes, return_inverse=True)
    return tuple(names[code] for code in found), recoded.astype(np.int64)


@record
class Corpus:
    """Documents in file order; build one with `make_corpus`, never directly.

    `topic_names` is sorted and `topic_codes[i]` is the index of document i's topic in it;
    the same holds for authors, which are None where the file had none.
    `splits` are the file's own train/test labels and `vectors` its own vectors, where it brought them.
    `merged_topics` and `merged_authors` are labels that the file had in two spellings which look the same.
    `found`: the topics were found in the texts, not given with them.
    """

    name: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    topic_names: tuple[str, ...]
    topic_codes: Ints
    author_names: tuple[str, ...] | None = None
    author_codes: Ints | None = None
    splits: tuple[str, ...] | None = None
    vectors: Singles | None = None
    merged_topics: tuple[str, ...] = ()
    merged_authors: tuple[str, ...] = ()
    found: bool = False
    content_digest: str = field(init=False)  # of the documents, whatever the corpus is called
    fingerprint: str = field(init=False)  # of everything a page can show: every cache in the app is keyed on it

    def __post_init__(self) -> None:
        content = _content_digest(self)
        object.__setattr__(self, "content_digest", content)
        shown = [self.name, content, self.merged_topics, self.merged_authors, *(["found"] if self.found else [])]
        object.__setattr__(self, "fingerprint", digest(shown)[:32])

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def has_topics(self) -> bool:
        """Whether documents have topics, given or found."""
        return self.topic_names != (NO_TOPIC,)

    @property
    def topic_sizes(self) -> Ints:
        """Documents per topic, in the order of `topic_names`."""
        return np.bincount(self.topic_codes, minlength=len(self.topic_names))

    @property
    def topics(self) -> list[str]:
        """The topic of each document."""
        return [self.topic_names[code] for code in self.topic_codes]

    @property
    def authors(self) -> list[str] | None:
        """The author of each document."""
        if self.author_names is None or self.author_codes is None:
            return None
        return [self.author_names[code] for code in self.author_codes]

    @property
    def known_authors(self) -> Bools:
        """Which of `author_names` are authors: texts by nobody known are not texts by one person."""
        return np.array([name != UNKNOWN_AUTHOR for name in self.author_names or ()], dtype=np.bool_)


def make_corpus(
    texts: Sequence[str],
    topics: Sequence[str] | None,
    *,
    authors: Sequence[str] | None = None,
    ids: Sequence[str] | None = None,
    splits: Sequence[str] | None = None,
    vectors: Singles | None = None,
    found: bool = False,
    name: str = "corpus",
) -> Corpus:
    """Validate the columns and join them into a Corpus; rows in messages count from 1. Topics may be absent, to be found."""
    count = len(texts)
    given = topics is not None
    topics = [NO_TOPIC] * count if topics is None else topics
    _check_counts(count, {"topic": topics, "author": authors, "id": ids, "split": splits}, name)
    for row, topic in enumerate(topics, start=1):
        if not topic.strip():
            raise InputError(f"row {row}: empty 'topic'; fill it or drop the row.")
    _check_lengths(texts, "text", LONGEST_TEXT, " Split or drop it.")
    _check_lengths(topics, "topic", hint=" Is another column the topic?")
    clean_ids = _checked_ids(ids, count)
    topic_names, topic_codes, merged_topics = coded(topics)
    if given and len(topic_names) < 2:
        raise InputError(f"{name}: every document has the topic '{topic_names[0]}'; at least 2 topics are needed.")
    if len(topic_names) > MOST_TOPICS:
        fact = f"{len(topic_names):,} topics; at most {MOST_TOPICS:,} are handled"
        raise InputError(f"{name}: {fact}. Is another column the topic?")
    if authors is not None:
        _check_lengths(authors, "author")
    author_names, author_codes, merged_authors = (None, None, ()) if authors is None else coded(authors)
    return Corpus(
        name=name,
        ids=clean_ids,
        texts=tuple(texts),
        topic_names=topic_names,
        topic_codes=topic_codes,
        author_names=author_names,
        author_codes=author_codes,
        splits=None if splits is None else tuple(splits),
        vectors=None if vectors is None else _checked_vectors(vectors, count, name),
        merged_topics=merged_topics,
        merged_authors=merged_authors,
        found=found,
    )


def _check_counts(count: int, columns: Mapping[str, Sequence[str] | None], name: str) -> None:
    """Refuse no documents, too many, and a column with another number of values."""
    if count == 0:
        raise InputError(f"{name}: no documents; the file has no rows below its header.")
    if count > MOST_DOCUMENTS:
        raise InputError(f"{name}: {count:,} documents; at most {MOST_DOCUMENTS:,} are read. Draw a sample first.")
    for what, column in columns.items():
        if column is not None and len(column) != count:
            raise InputError(f"{name}: {count:,} texts but {len(column):,} values of '{what}'; they must match.")


def with_vectors(corpus: Corpus, vectors: Singles) -> Corpus:
    """The same documents with these vectors as their own."""
    return replace(corpus, vectors=_checked_vectors(vectors, len(corpus), corpus.name))


def with_labels(corpus: Corpus, *, topics: Sequence[str] | None = None, authors: Sequence[str] | None = None) -> Corpus:
    """The same documents under other topics, other authors or both, a label a document."""
    changed: dict[str, Any] = {}
    for what, labels in (("topic", topics), ("author", authors)):
        if labels is not None:
            names, codes, _ = coded(labels)
            merged = tuple(label for label in getattr(corpus, f"merged_{what}s") if label in names)
            changed |= {f"{what}_names": names, f"{what}_codes": codes, f"merged_{what}s": merged}
    return replace(corpus, **changed)


def _check_lengths(cells: Sequence[str], what: str, longest: int = LONGEST_LABEL, hint: str = "") -> None:
    for row, cell in enumerate(cells, start=1):
        if len(cell) > longest:
            fact = f"the {what} has {len(cell):,} characters; the limit is {longest:,}"
            raise InputError(f"row {row}: {fact}.{hint}")


def _checked_ids(ids: Sequence[str] | None, count: int) -> tuple[str, ...]:
    if ids is None:
        return tuple(str(row) for row in range(1, count + 1))
    _check_lengths(ids, "id")
    seen: dict[str, int] = {}
    for row, identity in enumerate(ids, start=1):
        if not identity.strip():
            raise InputError(f"row {row}: empty 'id'; fill it, or choose no id column (--id none) to number the rows.")
        if identity in seen:
            fact = f"id '{identity}' already stands in row {seen[identity]}; ids must be unique"
            raise InputError(f"row {row}: {fact}. Rename one, or choose no id column (--id none) to number the rows.")
        seen[identity] = row
    return tuple(ids)


def _checked_vectors(vectors: Singles, count: int, name: str) -> Singles:
    with np.errstate(over="ignore"):
        vectors = np.array(vectors, dtype=np.float32, order="C")  # a copy: ours is frozen, the caller's stays writable
    if vectors.ndim != 2 or len(vectors) != count or vectors.shape[1] == 0:
        raise InputError(f"{name}: vectors of shape {vectors.shape} for {count:,} documents; one row each is needed.")
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise InputError(f"{name}: the vector of document {bad[0] + 1} holds a value that is not a finite number.")
    return vectors


def _content_digest(corpus: Corpus) -> str:
    """A SHA-256 of the columns as JSON and of the arrays, taken in parts: as one text they would fill the memory again."""
    content = hashlib.sha256()
    for part in (corpus.ids, corpus.texts, corpus.topic_names, corpus.author_names, corpus.splits):
        if part is None:
            content.update(b"null")
        else:
            content.update(b"[")
            for start in range(0, len(part), _HASHED_AT_ONCE):
                cells = json.dumps(part[start : start + _HASHED_AT_ONCE], ensure_ascii=False)[1:-1]
                content.update(f"{', ' if start else ''}{cells}".encode("utf-8", "surrogatepass"))
            content.update(b"]")
        content.update(b"\0")
    for array in (corpus.topic_codes, corpus.author_codes, corpus.vectors):
        content.update(b"\0" if array is None else memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8)))
    return content.hexdigest()[:32]
