"""A corpus to vectors: what the store has is read, the rest is encoded and stored batch by batch."""

import hashlib
import json
from collections.abc import Sequence

import numpy as np

from ..arrays import Bools, Ints, Singles, record
from ..corpora import Corpus
from ..progress import Pace, Progress
from .encoder import Encoder
from .precomputed import Precomputed
from .store import VectorStore


@record
class Vectors:
    """A vector a document, in document order; `encoded` + `from_store` is the number of documents."""

    matrix: Singles
    encoder_key: str
    name: str
    encoded: int
    from_store: int
    notes: tuple[str, ...]


@record
class _Distinct:
    """The distinct texts of a corpus: each is encoded once."""

    texts: list[str]
    hashes: list[bytes]
    index: Ints  # of each document's text in `texts`
    fingerprint: str  # of the set of texts, whatever their order

    @property
    def counts(self) -> Ints:
        return np.bincount(self.index, minlength=len(self.texts))


def embed(
    corpus: Corpus, encoder: Encoder, *, store: VectorStore | None = None, progress: Progress | None = None
) -> Vectors:
    """The vectors of a corpus; `progress` counts documents.

    Every batch is in the store before `progress` is called, so ending there loses nothing.
    """
    if isinstance(encoder, Precomputed):
        return _given(corpus, encoder)
    distinct = _distinct(corpus.texts)
    key = _store_key(encoder, distinct)
    matrix, stored, damaged = _stored(store, key, distinct)
    if not encoder.per_document and not stored.all():
        stored[:] = False
    from_store = int(distinct.counts[stored].sum())
    if not stored.all():
        matrix = _completed(matrix, stored, key, distinct, encoder, store, progress)
    notes = [*_notes(encoder, key, distinct, store)]
    if damaged:
        notes.append(f"{damaged:,} stored vector(s) were damaged and have been computed again.")
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
    done, pace = from_store, Pace()

    def report() -> None:
        if progress is not None:
            progress(done, total, "documents", pace.left(done - from_store, total - done))

    report()
    for rows, vectors in encoder.batches([distinct.texts[row] for row in missing]):
        if len(rows):
            encoded = missing[rows]
            if matrix.shape[1] != vectors.shape[1]:
                matrix = np.zeros((len(counts), vectors.shape[1]), dtype=np.float32)
            matrix[encoded] = vectors
            if store is not None:
                store.put_many(key, [distinct.hashes[row] for row in encoded], vectors)
            done += int(counts[encoded].sum())
        report()
    return matrix


def estimate(corpus: Corpus, encoder: Encoder, *, store: VectorStore | None = None) -> int:
    """How many documents `embed` would have to encode now."""
    if isinstance(encoder, Precomputed):
        return 0
    if store is None:
        return len(corpus)
    distinct = _distinct(corpus.texts)
    missing = store.missing(_store_key(encoder, distinct), distinct.hashes)
    if len(missing) and not encoder.per_document:
        return len(corpus)
    return int(distinct.counts[missing].sum())


def _distinct(texts: Sequence[str]) -> _Distinct:
    found: dict[str, int] = {}
    index = np.array([found.setdefault(text, len(found)) for text in texts], dtype=np.int64)
    hashes = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in found]
    return _Distinct(list(found), hashes, index, hashlib.sha256(b"".join(sorted(hashes))).hexdigest())


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
