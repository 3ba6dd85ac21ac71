"""A corpus to vectors: what the store has is read, the rest is encoded and stored batch by batch."""

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import closing

import numpy as np

from ..arrays import Bools, Ints, Singles, record, text_digest
from ..corpora import Corpus
from ..engine import each, on_a_cluster, remember_pace
from ..errors import EncoderError
from ..formats import counted
from ..progress import Pace, Progress
from .encoder import EncodedBatch, Encoder
from .precomputed import Precomputed
from .store import VectorStore

FIRST_ROUND = 4  # documents of every topic that are encoded before any topic gets more
PART = 1_024  # texts a task of a cluster: about a minute of one core for texts of 200 words


@record
class Vectors:
    """A vector a document, in document order; `encoded` + `from_store` is the number of documents. `shipped`: they come with
    the app, and need not be taken along."""

    matrix: Singles
    encoder_key: str
    name: str
    encoded: int
    from_store: int
    notes: tuple[str, ...]
    shipped: bool = False


@record
class _Distinct:
    """The distinct texts of a corpus: each is encoded once."""

    texts: list[str]
    hashes: list[bytes]
    index: Ints  # of each document's text in `texts`
    topics: Ints  # of each text: that of the first document that has it
    fingerprint: str  # of the set of texts, whatever their order

    @property
    def counts(self) -> Ints:
        return np.bincount(self.index, minlength=len(self.texts))

    def some(self, rows: Ints) -> list[str]:
        """The texts at these rows."""
        return [self.texts[row] for row in rows]


def embed(
    corpus: Corpus, encoder: Encoder, *, store: VectorStore | None = None, progress: Progress | None = None
) -> Vectors:
    """The vectors of a corpus; `progress` counts documents.

    Every batch is in the store before `progress` is called, so ending there loses nothing.
    """
    if isinstance(encoder, Precomputed):
        return _given(corpus, encoder)
    if not any(text.strip() for text in corpus.texts):
        fact = "Every text is empty" if len(corpus) > 1 else "The text is empty"
        raise EncoderError(
            f"{fact}, and nothing can be told of empty texts; choose another column for the text (--text)."
        )
    distinct = _distinct(corpus)
    key = _store_key(encoder, distinct)
    matrix, stored, damaged = _stored(store, key, distinct)
    if not encoder.per_document and not stored.all():
        stored[:] = False
    from_store = int(distinct.counts[stored].sum())
    if not stored.all():
        matrix = _completed(matrix, stored, key, distinct, encoder, store, progress)
    notes = [*_notes(encoder, key, distinct, store)]
    if damaged:
        notes.append(f"{counted(damaged, 'stored vector', 'was', 'were')} damaged and computed again.")
    if store is not None:
        if not stored.all():
            store.prune()
        notes += store.warnings
    whole = np.ascontiguousarray(matrix[distinct.index])
    return Vectors(whole, key, encoder.name, len(corpus) - from_store, from_store, tuple(notes))


def _completed(
    matrix: Singles,
    stored: Bools,
    key: str,
    distinct: _Distinct,
    encoder: Encoder,
    store: VectorStore | None,
    progress: Progress | None,
) -> Singles:
    """The matrix with the rows that were not stored, which are stored batch by batch."""
    counts, missing = distinct.counts, np.flatnonzero(~stored)
    total, from_store = int(counts.sum()), int(counts[stored].sum())
    done, pace, start = from_store, Pace(), time.monotonic()

    def report() -> None:
        if progress is not None:
            progress(done, total, "documents", pace.left(done - from_store, total - done))

    report()
    for encoded, vectors in _batches(encoder, key, distinct, missing):
        if len(encoded):
            if matrix.shape[1] != vectors.shape[1]:
                matrix = np.zeros((len(counts), vectors.shape[1]), dtype=np.float32)
            matrix[encoded] = vectors
            if store is not None:
                store.put_many(key, [distinct.hashes[row] for row in encoded], vectors)
            done += int(counts[encoded].sum())
        report()
    remember_pace(encoder.name, done - from_store, time.monotonic() - start)
    return matrix


def _batches(encoder: Encoder, key: str, distinct: _Distinct, missing: Ints) -> Iterator[EncodedBatch]:
    """Rows of texts and their vectors: encoded here, on all cores, or part by part on the workers of a cluster.

    The parts are the same on both: together with which others a text is encoded may change its last digits.
    """
    if not encoder.per_document:
        parts = [missing]
    else:
        rounds = _rounds(distinct, missing)
        parts = [rows[start : start + PART] for rows in rounds for start in range(0, len(rows), PART)]
    if encoder.per_document and on_a_cluster():
        with closing(each(_encoded, [distinct.some(part) for part in parts], shared=(encoder, key))) as found:
            for index, vectors in found:
                yield parts[index], vectors
        return
    for part in parts:
        for rows, vectors in encoder.batches(distinct.some(part)):
            yield part[rows], vectors


def _encoded(shared: tuple[Encoder, str], texts: list[str]) -> Singles:
    """The vectors of a part, in the order of its texts; the key holds what a processor computes in."""
    encoder, key = shared
    if encoder.key() != key:
        raise EncoderError(
            f"A worker of the cluster would encode otherwise than the machine that asks ({encoder.key()} there, {key} "
            "here); use machines with like processors."
        )
    batches = [(rows, vectors) for rows, vectors in encoder.batches(texts) if len(rows)]
    rows, vectors = (np.concatenate([batch[part] for batch in batches]) for part in (0, 1))
    return np.asarray(vectors[np.argsort(rows)], dtype=np.float32)


def _rounds(distinct: _Distinct, missing: Ints) -> list[Ints]:
    """The missing texts breadth first: a few of every topic, then twice as many, and so on.

    Texts come in the order of their hashes, which is as good as drawn: what is there at any time, also in the middle of
    a round, is a sample of every topic.
    """
    drawn = np.array(sorted(range(len(distinct.texts)), key=distinct.hashes.__getitem__), dtype=np.int64)
    by_topic = drawn[np.argsort(distinct.topics[drawn], kind="stable")]
    sizes = np.bincount(distinct.topics)
    turn = np.empty(len(drawn), dtype=np.int64)  # of each text within its topic
    turn[by_topic] = np.arange(len(drawn)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    to_come = drawn[np.isin(drawn, missing)]
    number = np.maximum(np.ceil(np.log2((turn[to_come] + 1) / FIRST_ROUND)), 0).astype(np.int64)
    return [to_come[number == each] for each in np.unique(number)]


def embedded_so_far(corpus: Corpus, encoder: Encoder, *, store: VectorStore) -> tuple[Ints, Vectors]:
    """The rows of the documents whose vectors the store has by now, and these vectors: a sample of every topic."""
    if not any(text.strip() for text in corpus.texts):
        fact = "Every text is empty" if len(corpus) > 1 else "The text is empty"
        raise EncoderError(
            f"{fact}, and nothing can be told of empty texts; choose another column for the text (--text)."
        )
    distinct = _distinct(corpus)
    key = _store_key(encoder, distinct)
    matrix, stored, _ = _stored(store, key, distinct)
    rows = np.flatnonzero(stored[distinct.index])
    note = f"{len(rows):,} of {len(corpus):,} documents are encoded so far."
    return rows, Vectors(matrix[distinct.index[rows]], f"{key}:{len(rows)}", encoder.name, 0, len(rows), (note,))


def estimate(corpus: Corpus, encoder: Encoder, *, store: VectorStore | None = None) -> int:
    """How many documents `embed` would have to encode now."""
    if isinstance(encoder, Precomputed):
        return 0
    if store is None:
        return len(corpus)
    distinct = _distinct(corpus)
    missing = store.missing(_store_key(encoder, distinct), distinct.hashes)
    if len(missing) and not encoder.per_document:
        return len(corpus)
    return int(distinct.counts[missing].sum())


def vectors_key(corpus: Corpus, encoder: Encoder) -> str:
    """The key of the vectors that `embed` gives: the encoder's, and the texts' where it is fitted on them."""
    return _store_key(encoder, _distinct(corpus))


def _distinct(corpus: Corpus) -> _Distinct:
    found: dict[str, int] = {}
    index = np.array([found.setdefault(text, len(found)) for text in corpus.texts], dtype=np.int64)
    hashes = list(map(text_digest, found))
    topics = np.empty(len(found), dtype=np.int64)
    topics[index[::-1]] = corpus.topic_codes[::-1]  # the first document's is written last
    return _Distinct(list(found), hashes, index, topics, hashlib.sha256(b"".join(sorted(hashes))).hexdigest())


def _store_key(encoder: Encoder, distinct: _Distinct) -> str:
    if encoder.per_document:
        return encoder.key()
    return json.dumps({"encoder": encoder.key(), "texts": distinct.fingerprint}, sort_keys=True)


def _stored(store: VectorStore | None, key: str, distinct: _Distinct) -> tuple[Singles, Bools, int]:
    stored = np.zeros(len(distinct.texts), dtype=bool)
    if store is None:
        return np.zeros((len(stored), 0), dtype=np.float32), stored, 0
    found = store.get_many(key, distinct.hashes)
    matrix = np.zeros((len(stored), found.vectors.shape[1]), dtype=np.float32)
    matrix[found.rows] = found.vectors
    stored[found.rows] = True
    return matrix, stored, found.damaged


def _notes(encoder: Encoder, key: str, distinct: _Distinct, store: VectorStore | None) -> tuple[str, ...]:
    """The encoder's facts about these texts, which cost a pass over them, from the store where it has them."""
    cached = None if store is None else store.get_notes(key, distinct.fingerprint)
    if cached is not None:
        return tuple(json.loads(cached))
    notes = encoder.describe(distinct.texts)
    if store is not None:
        store.put_notes(key, distinct.fingerprint, json.dumps(notes))
    return notes


def _given(corpus: Corpus, encoder: Precomputed) -> Vectors:
    """The user's own vectors need no store: they are already at hand."""
    given = encoder.of(corpus)
    (_, vectors), *_ = given.batches(corpus.texts)
    matrix = vectors.copy() if vectors.flags.writeable else vectors  # the caller's array stays writable
    return Vectors(matrix, given.key(), given.name, 0, 0, given.describe(corpus.texts))
