"""Vectors of a corpus: what an encoder offers, vectors the user gives, and encoding with a store, batch by batch."""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal, Protocol, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..arrays import Bools, Floats, Ints, Singles, blocks, canonical, record, text_digest
from ..corpora import Corpus
from ..corpora.readers import File
from ..engine import each, on_a_cluster, one_thread, remember_pace
from ..errors import EncoderError, InputError
from ..formats import counted
from ..progress import Pace, Progress, heard_by
from ..registry import Setting
from .store import VectorStore

MOST_BYTES = 2 * 1024**3  # of an upload, which is held in memory
MOST_MAPPED = 64 * 1024**3  # of a file on the user's own machine, which is mapped
MOST_DIMENSIONS = 8_192
FIRST_ROUND = 4  # documents of every topic to encode before any topic gets more
PART = 1_024  # texts per task of a cluster: about a minute on one core for texts of 200 words


EncodedBatch = tuple[Ints, Singles]


class Encoder(Protocol):
    """A frozen record of settings that turns texts into vectors, one row per text."""

    name: ClassVar[str]
    per_document: ClassVar[bool]  # True if a vector depends on its own text alone, not on the whole corpus

    def key(self) -> str:
        """Return everything besides the texts that determines a vector, as canonical JSON."""

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        """Yield rows of `texts` and their vectors, in any order, each row once; an empty batch only reports progress."""

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return what the user should know about these texts under this encoder, one sentence each."""


@dataclass(frozen=True, slots=True)
class EncoderKind:
    """One choice of encoder, as pages, the command line and reports offer it."""

    label: str
    about: str
    make: Callable[..., Encoder]
    settings: Mapping[str, Setting] = field(default_factory=dict)
    reference: str = ""  # the work that a report cites
    brought: bool = False  # only for a corpus that comes with vectors
    english_only: bool = False  # warn about other languages
    reads_start: Mapping[str, str] | None = None  # settings with which it reads only the first 256 tokens of a text
    extra: str = ""  # of the installation, without which it reads only what ships
    reads: str = "whole texts"  # how much of a long text it reads, if that is not a setting

    @property
    def asks_for_model(self) -> bool:
        """Tell whether the user must name a model: a setting without choices."""
        return any(not setting.choices for setting in self.settings.values())

    @property
    def has_window(self) -> bool:
        """Tell whether it reads long texts in windows, or only their first."""
        return self.reads_start is not None

    def cuts(self, chosen: Mapping[str, str | None]) -> bool:
        """Tell whether it reads only the beginnings of long texts with these settings; others have their defaults."""
        if self.reads_start is None:
            return False
        settings = {name: chosen.get(name) or setting.default for name, setting in self.settings.items()}
        return all(settings[name] == value for name, value in self.reads_start.items())


@record
class Precomputed:
    """Use vectors as given; without `vectors`, those of the corpus."""

    vectors: Singles | None = None

    name: ClassVar[str] = "precomputed"
    per_document: ClassVar[bool] = False  # two documents with one text may carry two vectors

    def of(self, corpus: Corpus) -> "Precomputed":
        """Return this encoder with the corpus's own vectors if it has none, checked against the number of documents."""
        chosen = self if self.vectors is not None else replace(self, vectors=corpus.vectors)
        if chosen.vectors is None:
            raise EncoderError(f"{corpus.name} has no vectors. Add a .npy file of them, or choose another encoder.")
        return replace(chosen, vectors=_checked_matrix(chosen.vectors, len(corpus), "The vectors"))

    def key(self) -> str:
        if self.vectors is None:
            return canonical(self.name, 1, sha256=None)
        content = hashlib.sha256()
        for rows in blocks(*self.vectors.shape):
            content.update(np.ascontiguousarray(self.vectors[rows], dtype=np.float32).tobytes())
        return canonical(self.name, 1, sha256=content.hexdigest(), shape=self.vectors.shape)

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        if self.vectors is None:
            raise EncoderError("No vectors were given. Add a .npy file of them, or choose another encoder.")
        yield np.arange(len(texts), dtype=np.int64), _checked_matrix(self.vectors, len(texts), "The vectors")

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        if self.vectors is None:
            return ()
        zeros = sum(int((~self.vectors[rows].any(axis=1)).sum()) for rows in blocks(*self.vectors.shape))
        return (f"{zeros:,} of the vectors are all zero.",) if zeros else ()


def load_vectors(source: str | PathLike[str] | BinaryIO | File, documents: int) -> Singles:
    """Read a .npy file of one finite vector per document; nothing in it is ever executed.

    A path is mapped into memory: of float32 rows only what is used is read.
    """
    if isinstance(source, str | PathLike):
        try:
            with Path(source).open("rb") as file:
                return _read_npy(file, Path(source).name, documents, mapped=True)
        except OSError as problem:
            raise InputError(f"{source}: {problem.strerror or problem}. Check the path and its permissions.") from None
    source = source.stream() if isinstance(source, File) else source
    return _read_npy(source, Path(getattr(source, "name", "vectors.npy")).name, documents)


def _read_npy(file: BinaryIO, name: str, documents: int, *, mapped: bool = False) -> Singles:
    try:
        version = npy.read_magic(file)
        header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, by_column, kind = header(file)
    except OSError:
        raise
    except Exception:  # numpy lets Python's own parser read the header, which fails in many ways
        raise InputError(f"{name}: this is not a .npy file. Write it with numpy.save(name, vectors).") from None
    # Checked by the header alone, so that a false shape cannot reserve memory.
    if kind.hasobject or kind.kind not in "fiu":
        raise InputError(
            f"{name}: the values have the type {kind}. Save plain numbers, such as vectors.astype('float32')."
        )
    _check_shape(shape, documents, name)
    size = int(np.prod(shape, dtype=object)) * kind.itemsize
    most = MOST_MAPPED if mapped else MOST_BYTES
    order: Literal["C", "F"] = "F" if by_column else "C"
    if size > most:
        raise InputError(f"{name}: {size / 1024**3:.1f} GiB; the limit is {most / 1024**3:.0f} GiB. Use float32.")
    start = file.tell() if mapped else 0
    content = b"" if mapped else file.read(size + 1)
    found = os.fstat(file.fileno()).st_size - start if mapped else len(content)
    if found != size:
        raise InputError(f"{name}: {found:,} bytes where {shape} needs {size:,}. The file is damaged; write it again.")
    if mapped:
        matrix: NDArray[Any] = np.memmap(cast(Any, file), dtype=kind, mode="r", offset=start, shape=shape, order=order)
    else:
        matrix = np.frombuffer(content, dtype=kind).reshape(shape, order=order)
    return _checked_matrix(matrix, documents, name)


def _check_shape(shape: tuple[int, ...], documents: int, name: str) -> None:
    if len(shape) != 2:
        raise InputError(f"{name}: the array has the shape {shape}. Give a table with one row per document.")
    if shape[0] != documents:
        raise InputError(f"{name}: {shape[0]:,} vectors for {documents:,} documents. Give one each, in document order.")
    if not 1 <= shape[1] <= MOST_DIMENSIONS:
        raise InputError(f"{name}: {shape[1]:,} dimensions. Give between 1 and {MOST_DIMENSIONS:,}.")


def _checked_matrix(vectors: NDArray[np.generic], documents: int, name: str) -> Singles:
    _check_shape(vectors.shape, documents, name)
    with np.errstate(over="ignore"):  # a float64 beyond float32 becomes infinite and is named below
        matrix = np.ascontiguousarray(vectors, dtype=np.float32)
    finite = [np.isfinite(matrix[rows]).all(axis=1) for rows in blocks(*matrix.shape)]
    bad = np.flatnonzero(~np.concatenate(finite))
    if len(bad):
        raise InputError(
            f"{name}: row {bad[0] + 1} has a value that is not a finite number, as {counted(len(bad), 'row', 'does', 'do')} in all. "
            "Compute these vectors again."
        )
    return matrix


@record
class Vectors:
    """One vector per document, in document order."""

    matrix: Singles
    encoder_key: str
    name: str  # of the encoder
    encoded: int  # documents encoded now
    from_store: int  # documents whose vectors were stored; with `encoded`, all documents
    notes: tuple[str, ...]
    shipped: bool = False  # they come with the app, so a project file need not hold them
    similarity: Floats | None = None  # of topics, given in place of vectors, which then have no columns


def without_vectors(corpus: Corpus, similarity: Floats) -> Vectors:
    """Return what a study has in place of vectors where the similarities of topics are given."""
    key = f"similarity:{hashlib.sha256(np.ascontiguousarray(similarity).tobytes()).hexdigest()[:32]}"
    note = "The similarities of topics are your own. What needs the documents' vectors is left out."
    return Vectors(np.zeros((len(corpus), 0), np.float32), key, "precomputed", 0, 0, (note,), similarity=similarity)


@record
class _Distinct:
    """The distinct texts of a corpus, each of which is encoded once."""

    texts: list[str]
    hashes: list[bytes]
    index: Ints  # of each document's text in `texts`
    topics: Ints  # of each text: the topic of the first document with it
    fingerprint: str  # of the set of texts, whatever their order

    @property
    def counts(self) -> Ints:
        return np.bincount(self.index, minlength=len(self.texts))

    def some(self, rows: Ints) -> list[str]:
        """Return the texts at these rows."""
        return [self.texts[row] for row in rows]


def embed(
    corpus: Corpus,
    encoder: Encoder,
    *,
    store: VectorStore | None = None,
    progress: Progress | None = None,
    notes: bool = True,
) -> Vectors:
    """Return the vectors of a corpus; `progress` counts documents.

    Every batch is stored before `progress` is called, so stopping there loses nothing. The encoder's `notes` on the
    texts take another pass over them.
    """
    if isinstance(encoder, Precomputed):
        return _vectors_as_given(corpus, encoder)
    distinct = _distinct_texts(corpus, refuse_blank=True)
    key = _store_key(encoder, distinct)
    matrix, stored, damaged = _stored(store, key, distinct)
    if not encoder.per_document and not stored.all():
        stored[:] = False
    from_store = int(distinct.counts[stored].sum())
    if not stored.all():
        matrix = _completed(matrix, stored, key, distinct, encoder, store, progress)
    said = [*_vector_notes(encoder, key, distinct, store)] if notes else []
    if damaged:
        said.append(f"{counted(damaged, 'stored vector', 'was', 'were')} damaged and computed again.")
    if store is not None:
        if not stored.all():
            store.prune()
        said += store.warnings
    whole = np.ascontiguousarray(matrix[distinct.index])
    return Vectors(whole, key, encoder.name, len(corpus) - from_store, from_store, tuple(said))


def _completed(
    matrix: Singles,
    stored: Bools,
    key: str,
    distinct: _Distinct,
    encoder: Encoder,
    store: VectorStore | None,
    progress: Progress | None,
) -> Singles:
    """Return the matrix with the missing rows encoded, storing them batch by batch."""
    counts, missing = distinct.counts, np.flatnonzero(~stored)
    total, from_store = int(counts.sum()), int(counts[stored].sum())
    done, pace, start = from_store, Pace(), time.monotonic()

    def report() -> None:
        if progress is not None:
            progress(done, total, "documents", pace.left(done - from_store, total - done))

    report()
    batches = iter(_batches(encoder, key, distinct, missing))
    while True:
        with heard_by(progress):  # an encoder that reads all texts at once tells its stages
            encoded, vectors = next(batches, (None, None))
        if encoded is None or vectors is None:
            break
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
    """Yield rows of texts and their vectors, encoded here on all cores or part by part on a cluster.

    The parts are the same on both: the texts encoded together may change the last digits.
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
    # What is fitted to the corpus has other last digits with another number of threads, and jobs have one.
    with nullcontext() if encoder.per_document else one_thread:
        for part in parts:
            for rows, vectors in encoder.batches(distinct.some(part)):
                yield part[rows], vectors


def _encoded(shared: tuple[Encoder, str], texts: list[str]) -> Singles:
    """Return the vectors of a part, in the order of its texts; the key names the arithmetic of the processor."""
    encoder, key = shared
    if encoder.key() != key:
        raise EncoderError(
            f"A worker of the cluster would encode differently from this machine ({encoder.key()} there, {key} here). "
            "Use machines with similar processors."
        )
    batches = [(rows, vectors) for rows, vectors in encoder.batches(texts) if len(rows)]
    rows, vectors = (np.concatenate([batch[part] for batch in batches]) for part in (0, 1))
    return np.asarray(vectors[np.argsort(rows)], dtype=np.float32)


def _rounds(distinct: _Distinct, missing: Ints) -> list[Ints]:
    """Return the missing texts breadth first: a few of every topic, then twice as many, and so on.

    Texts come in the order of their hashes, which is random: at any time, even within a round, a sample of every topic
    is done.
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
    """Return the rows whose vectors are stored by now, and these vectors: a sample of every topic."""
    distinct = _distinct_texts(corpus, refuse_blank=True)
    key = _store_key(encoder, distinct)
    matrix, stored, _ = _stored(store, key, distinct)
    rows = np.flatnonzero(stored[distinct.index])
    note = f"{len(rows):,} of {len(corpus):,} documents are encoded so far."
    return rows, Vectors(matrix[distinct.index[rows]], f"{key}:{len(rows)}", encoder.name, 0, len(rows), (note,))


def estimate(corpus: Corpus, encoder: Encoder, *, store: VectorStore | None = None) -> int:
    """Return how many documents `embed` would have to encode now."""
    if isinstance(encoder, Precomputed):
        return 0
    if store is None:
        return len(corpus)
    distinct = _distinct_texts(corpus)
    missing = store.missing(_store_key(encoder, distinct), distinct.hashes)
    if len(missing) and not encoder.per_document:
        return len(corpus)
    return int(distinct.counts[missing].sum())


def vectors_key(corpus: Corpus, encoder: Encoder) -> str:
    """Return the key of the vectors that `embed` gives: the encoder's, and the texts' if it is fitted on them."""
    return _store_key(encoder, _distinct_texts(corpus))


def _distinct_texts(corpus: Corpus, *, refuse_blank: bool = False) -> _Distinct:
    if refuse_blank and not any(text.strip() for text in corpus.texts):
        fact = "Every text is empty" if len(corpus) > 1 else "The text is empty"
        raise EncoderError(f"{fact}. Choose another column for the text (--text).")
    found: dict[str, int] = {}
    index = np.array([found.setdefault(text, len(found)) for text in corpus.texts], dtype=np.int64)
    hashes = list(map(text_digest, found))
    topics = np.empty(len(found), dtype=np.int64)
    topics[index[::-1]] = corpus.topic_codes[::-1]  # the first document is written last
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


def _vector_notes(encoder: Encoder, key: str, distinct: _Distinct, store: VectorStore | None) -> tuple[str, ...]:
    """Return the encoder's notes on these texts, from the store if it has them: they take a pass over all texts."""
    cached = None if store is None else store.get_notes(key, distinct.fingerprint)
    if cached is not None:
        return tuple(json.loads(cached))
    notes = encoder.describe(distinct.texts)
    if store is not None:
        store.put_notes(key, distinct.fingerprint, json.dumps(notes))
    return notes


def _vectors_as_given(corpus: Corpus, encoder: Precomputed) -> Vectors:
    """Return the user's own vectors, which need no store."""
    given = encoder.of(corpus)
    (_, vectors), *_ = given.batches(corpus.texts)
    matrix = vectors.copy() if vectors.flags.writeable else vectors  # the caller's array stays writable
    return Vectors(matrix, given.key(), given.name, 0, 0, given.describe(corpus.texts))
