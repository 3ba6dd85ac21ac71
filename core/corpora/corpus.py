"""A corpus in memory: texts with a topic each and, where known, an author."""

import hashlib
import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays import record
from ..errors import InputError, SettingError

LONGEST_TEXT = 1_000_000  # characters; a longer cell is a file pasted into a cell
LONGEST_LABEL = 300
MOST_DOCUMENTS = 500_000
MOST_TOPICS = 5_000  # the topic matrix grows with the square: 5,000 topics already take 200 MB


@record
class Corpus:
    """Documents in file order; build one with `make_corpus`, never directly.

    `topic_names` is sorted and `topic_codes[i]` is the place of document i's topic in it;
    the same holds for authors, which are None where the file had none.
    `splits` are the file's own train/test labels and `vectors` its own vectors, where it brought them.
    """

    name: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    topic_names: tuple[str, ...]
    topic_codes: NDArray[np.int64]
    author_names: tuple[str, ...] | None
    author_codes: NDArray[np.int64] | None
    splits: tuple[str, ...] | None
    vectors: NDArray[np.float32] | None
    fingerprint: str

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def topic_sizes(self) -> NDArray[np.int64]:
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


def make_corpus(
    texts: Sequence[str],
    topics: Sequence[str],
    *,
    authors: Sequence[str] | None = None,
    ids: Sequence[str] | None = None,
    splits: Sequence[str] | None = None,
    vectors: NDArray[np.float32] | None = None,
    name: str = "corpus",
    first_row: int = 1,
) -> Corpus:
    """Validate the columns and join them into a Corpus; rows in messages count from `first_row`."""
    count = len(texts)
    if count == 0:
        raise InputError(f"{name}: no documents; the file has no rows below its header.")
    if count > MOST_DOCUMENTS:
        raise InputError(f"{name}: {count:,} documents; at most {MOST_DOCUMENTS:,} are read. Draw a sample first.")
    for what, column in (("topic", topics), ("author", authors), ("id", ids), ("split", splits)):
        if column is not None and len(column) != count:
            raise InputError(f"{name}: {count:,} texts but {len(column):,} values of '{what}'; they must match.")
    for row, (text, topic) in enumerate(zip(texts, topics, strict=True), start=first_row):
        if len(text) > LONGEST_TEXT:
            raise InputError(
                f"row {row}: the text has {len(text):,} characters; the limit is {LONGEST_TEXT:,}. Split or drop it."
            )
        if not topic.strip():
            raise InputError(f"row {row}: empty 'topic'; fill it or drop the row.")
        if len(topic) > LONGEST_LABEL:
            raise InputError(
                f"row {row}: the topic has {len(topic):,} characters; the limit is {LONGEST_LABEL}. "
                "Is another column the topic?"
            )
    clean_ids = _checked_ids(ids, count, first_row)
    topic_names, topic_codes = _coded([topic.strip() for topic in topics])
    if len(topic_names) < 2:
        raise InputError(f"{name}: every document has the topic '{topic_names[0]}'; at least 2 topics are needed.")
    if len(topic_names) > MOST_TOPICS:
        raise InputError(
            f"{name}: {len(topic_names):,} topics; at most {MOST_TOPICS:,} are handled. Is another column the topic?"
        )
    author_names = author_codes = None
    if authors is not None:
        for row, author in enumerate(authors, start=first_row):
            if len(author) > LONGEST_LABEL:
                raise InputError(f"row {row}: the author has {len(author):,} characters; the limit is {LONGEST_LABEL}.")
        author_names, author_codes = _coded([author.strip() or "(unknown)" for author in authors])
    if vectors is not None:
        vectors = _checked_vectors(vectors, count, name)
    labels = None if splits is None else tuple(splits)
    return _frozen(name, clean_ids, tuple(texts), topic_names, topic_codes, author_names, author_codes, labels, vectors)


def take(corpus: Corpus, rows: NDArray[np.int64]) -> Corpus:
    """The documents at `rows`, in that order; topics and authors without documents fall away."""
    topics = [corpus.topic_names[code] for code in corpus.topic_codes[rows]]
    topic_names, topic_codes = _coded(topics)
    author_names = author_codes = None
    if corpus.author_names is not None and corpus.author_codes is not None:
        author_names, author_codes = _coded([corpus.author_names[code] for code in corpus.author_codes[rows]])
    return _frozen(
        corpus.name,
        tuple(corpus.ids[row] for row in rows),
        tuple(corpus.texts[row] for row in rows),
        topic_names,
        topic_codes,
        author_names,
        author_codes,
        None if corpus.splits is None else tuple(corpus.splits[row] for row in rows),
        None if corpus.vectors is None else corpus.vectors[rows],
    )


def with_vectors(corpus: Corpus, vectors: NDArray[np.float32]) -> Corpus:
    """The same documents with these vectors as their own."""
    return _frozen(
        corpus.name,
        corpus.ids,
        corpus.texts,
        corpus.topic_names,
        corpus.topic_codes,
        corpus.author_names,
        corpus.author_codes,
        corpus.splits,
        _checked_vectors(vectors, len(corpus), corpus.name),
    )


def filtered(corpus: Corpus, *, at_least: int = 1, at_most: int | None = None, seed: int = 0) -> Corpus:
    """Keep topics with `at_least` documents and draw `at_most` documents from each (METHODS §3).

    The draw depends on ids, not on the order of the file.
    """
    if at_least < 1 or (at_most is not None and at_most < 1):
        raise SettingError("The minimum and the cap of documents per topic must be 1 or more.")
    if at_least == 1 and at_most is None:
        return corpus
    kept = []
    for code, topic in enumerate(corpus.topic_names):
        rows = np.flatnonzero(corpus.topic_codes == code)
        if len(rows) < at_least:
            continue
        if at_most is not None and len(rows) > at_most:
            rows = rows[np.argsort([corpus.ids[row] for row in rows], kind="stable")]
            digest = hashlib.sha256(f"{seed}\0{topic}".encode()).digest()
            rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
            rows = rng.choice(rows, at_most, replace=False)
        kept.append(rows)
    if len(kept) < 2:
        raise SettingError(
            f"Only {len(kept)} topic(s) have {at_least} or more documents; lower the minimum to keep at least 2."
        )
    return take(corpus, np.sort(np.concatenate(kept)))


def _coded(labels: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    names = tuple(sorted(set(labels)))
    place = {label: code for code, label in enumerate(names)}
    return names, np.array([place[label] for label in labels], dtype=np.int64)


def _checked_ids(ids: Sequence[str] | None, count: int, first_row: int) -> tuple[str, ...]:
    if ids is None:
        return tuple(str(row) for row in range(first_row, first_row + count))
    seen: dict[str, int] = {}
    for row, identity in enumerate(ids, start=first_row):
        if not identity.strip():
            raise InputError(f"row {row}: empty 'id'; fill it, or choose no id column to number the rows.")
        if len(identity) > LONGEST_LABEL:
            raise InputError(f"row {row}: the id has {len(identity):,} characters; the limit is {LONGEST_LABEL}.")
        if identity in seen:
            raise InputError(
                f"row {row}: id '{identity}' already stands in row {seen[identity]}; ids must be unique. "
                "Rename one, or choose no id column to number the rows."
            )
        seen[identity] = row
    return tuple(ids)


def _checked_vectors(vectors: NDArray[np.float32], count: int, name: str) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        vectors = np.array(vectors, dtype=np.float32, order="C")  # a copy: ours is frozen, the caller's stays writable
    if vectors.ndim != 2 or len(vectors) != count or vectors.shape[1] == 0:
        raise InputError(f"{name}: vectors of shape {vectors.shape} for {count:,} documents; one row each is needed.")
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise InputError(f"{name}: the vector of document {bad[0] + 1} holds a value that is not a finite number.")
    return vectors


def _frozen(
    name: str,
    ids: tuple[str, ...],
    texts: tuple[str, ...],
    topic_names: tuple[str, ...],
    topic_codes: NDArray[np.int64],
    author_names: tuple[str, ...] | None,
    author_codes: NDArray[np.int64] | None,
    splits: tuple[str, ...] | None,
    vectors: NDArray[np.float32] | None,
) -> Corpus:
    for array in (topic_codes, author_codes, vectors):
        if array is not None:
            array.setflags(write=False)
    # Every cache in the app is keyed on this, so it covers everything that a page can show.
    digest = hashlib.sha256()
    for part in (ids, texts, topic_names, author_names, splits):
        digest.update(json.dumps(part, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    for array in (topic_codes, author_codes, vectors):
        digest.update(b"\0" if array is None else np.ascontiguousarray(array).tobytes())
    fingerprint = digest.hexdigest()[:32]
    return Corpus(name, ids, texts, topic_names, topic_codes, author_names, author_codes, splits, vectors, fingerprint)
