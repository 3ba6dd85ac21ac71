"""A corpus to vectors: what the store has is read, the rest is encoded and kept batch by batch."""

import hashlib
import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays import record
from ..corpora import Corpus
from ..progress import Pace, Progress
from .encoder import Encoder
from .precomputed import Precomputed
from .store import VectorStore


@record
class Vectors:
    """A vector a document, in document order; `encoded` + `from_store` is the number of documents."""

    matrix: NDArray[np.float32]
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
    place: NDArray[np.int64]  # of each document's text in `texts`
    fingerprint: str  # of the set of texts, whatever their order

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.bincount(self.place, minlength=len(self.texts))


def embed(
    corpus: Corpus,
    encoder: Encoder,
    *,
    store: VectorStore | None = None,
    progress: Progress | None = None,
) -> Vectors:
    """The vectors of a corpus; `progress` counts documents.

    Every batch is in the store before `progress` is called, so ending there loses nothing.
    """
    if isinstance(encoder, Precomputed):
        return _given(corpus, encoder)
    distinct = _distinct(corpus.texts)
    key = _store_key(encoder, distinct)
    counts = distinct.counts
    matrix, have, damaged = _stored(store, key, distinct)
    if not encoder.per_document and not have.all():
        have[:] = False
    missing = np.flatnonzero(~have)
    from_store = done = int(counts[have].sum())
    pace = Pace()

    def report() -> None:
        if progress is not None:
            progress(done, len(corpus), "documents", pace.left(done - from_store, len(corpus) - done))

    if len(missing):
        report()
        for rows, vectors in encoder.batches([distinct.texts[row] for row in missing]):
            if len(rows):
                places = missing[rows]
                if matrix.shape[1] != vectors.shape[1]:
                    matrix = np.zeros((len(counts), vectors.shape[1]), dtype=np.float32)
                matrix[places] = vectors
                if store is not None:
                    store.put_many(key, [distinct.hashes[place] for place in places], vectors)
                done += int(counts[places].sum())
            report()
    notes = list(_notes(encoder, key, distinct, store))
    if damaged:
        notes.append(f"{damaged:,} stored vector(s) were damaged and have been computed again.")
    if store is not None:
        if len(missing):
            store.prune()
        notes.extend(store.warnings)
    result = np.ascontiguousarray(matrix[distinct.place])
    result.setflags(write=False)
    return Vectors(result, key, encoder.name, len(corpus) - from_store, from_store, tuple(notes))


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
    places: dict[str, int] = {}
    place = np.array([places.setdefault(text, len(places)) for text in texts], dtype=np.int64)
    hashes = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in places]
    return _Distinct(list(places), hashes, place, hashlib.sha256(b"".join(sorted(hashes))).hexdigest())


def _store_key(encoder: Encoder, distinct: _Distinct) -> str:
    if encoder.per_document:
        return encoder.key()
    return json.dumps({"encoder": encoder.key(), "texts": distinct.fingerprint}, sort_keys=True)


def _stored(
    store: VectorStore | None, key: str, distinct: _Distinct
) -> tuple[NDArray[np.float32], NDArray[np.bool_], int]:
    have = np.zeros(len(distinct.texts), dtype=bool)
    if store is None:
        return np.zeros((len(have), 0), dtype=np.float32), have, 0
    found = store.get_many(key, distinct.hashes)
    matrix = np.zeros((len(have), found.vectors.shape[1]), dtype=np.float32)
    matrix[found.rows] = found.vectors
    have[found.rows] = True
    return matrix, have, found.damaged


def _notes(encoder: Encoder, key: str, distinct: _Distinct, store: VectorStore | None) -> tuple[str, ...]:
    """The encoder's facts about these texts, which cost a pass over them, from the store where it has them."""
    kept = None if store is None else store.get_notes(key, distinct.fingerprint)
    if kept is not None:
        return tuple(json.loads(kept))
    notes = encoder.describe(distinct.texts)
    if store is not None:
        store.put_notes(key, distinct.fingerprint, json.dumps(notes))
    return notes


def _given(corpus: Corpus, encoder: Precomputed) -> Vectors:
    """The user's own vectors need no store: they are already at hand."""
    given = encoder.of(corpus)
    (_, vectors), *_ = given.batches(corpus.texts)
    matrix = vectors.copy() if vectors.flags.writeable else vectors
    matrix.setflags(write=False)
    return Vectors(matrix, given.key(), given.name, 0, 0, given.describe(corpus.texts))
