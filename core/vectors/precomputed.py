"""The user's own vectors, a row a document."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Literal, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..arrays import Singles, blocks, canonical, record
from ..corpora import Corpus
from ..errors import EncoderError, InputError
from ..formats import counted
from .encoder import EncodedBatch

MOST_BYTES = 2 * 1024**3  # of an upload, which is held in memory
MOST_MAPPED = 64 * 1024**3  # of a file on the user's own machine, which is read where it lies
MOST_DIMENSIONS = 8_192


@record
class Precomputed:
    """Vectors as given; without `vectors`, those the corpus brought along."""

    vectors: Singles | None = None

    name: ClassVar[str] = "precomputed"
    per_document: ClassVar[bool] = False  # two documents with one text may carry two vectors

    def of(self, corpus: Corpus) -> "Precomputed":
        """This encoder with the corpus's own vectors where it has none, checked against the number of documents."""
        chosen = self if self.vectors is not None else replace(self, vectors=corpus.vectors)
        if chosen.vectors is None:
            raise EncoderError(f"{corpus.name} brings no vectors; add a .npy file of them or choose another encoder.")
        return replace(chosen, vectors=_checked(chosen.vectors, len(corpus), "The vectors"))

    def key(self) -> str:
        if self.vectors is None:
            return canonical(self.name, 1, sha256=None)
        content = hashlib.sha256()
        for rows in blocks(*self.vectors.shape):
            content.update(np.ascontiguousarray(self.vectors[rows], dtype=np.float32).tobytes())
        return canonical(self.name, 1, sha256=content.hexdigest(), shape=self.vectors.shape)

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        if self.vectors is None:
            raise EncoderError("No vectors were given; add a .npy file of them or choose another encoder.")
        yield np.arange(len(texts), dtype=np.int64), _checked(self.vectors, len(texts), "The vectors")

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        if self.vectors is None:
            return ()
        zeros = sum(int((~self.vectors[rows].any(axis=1)).sum()) for rows in blocks(*self.vectors.shape))
        return (f"{zeros:,} of the vectors are all zero.",) if zeros else ()


def load_vectors(source: str | PathLike[str] | BinaryIO, documents: int) -> Singles:
    """Read a .npy file of one finite vector per document; nothing in it is ever executed.

    A file named by its path is mapped into memory: only what is looked at is read, where it holds float32 row by row.
    """
    if isinstance(source, str | PathLike):
        try:
            with Path(source).open("rb") as file:
                return _read(file, Path(source).name, documents, mapped=True)
        except OSError as problem:
            raise InputError(f"{source}: {problem.strerror or problem}; check the path and its permissions.") from None
    return _read(source, Path(getattr(source, "name", "vectors.npy")).name, documents)


def _read(file: BinaryIO, name: str, documents: int, *, mapped: bool = False) -> Singles:
    try:
        version = npy.read_magic(file)
        header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, by_column, kind = header(file)
    except OSError:
        raise
    except Exception:  # numpy lets Python's own parser read the header, which fails in many ways
        raise InputError(f"{name}: not a .npy file; write it with numpy.save(name, vectors).") from None
    # The header alone decides, so that a false shape cannot make us reserve memory.
    if kind.hasobject or kind.kind not in "fiu":
        raise InputError(f"{name}: holds values of type {kind}; save plain numbers, e.g. vectors.astype('float32').")
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
        raise InputError(f"{name}: {found:,} bytes where {shape} needs {size:,}; the file is cut or damaged.")
    if mapped:
        matrix: NDArray[Any] = np.memmap(cast(Any, file), dtype=kind, mode="r", offset=start, shape=shape, order=order)
    else:
        matrix = np.frombuffer(content, dtype=kind).reshape(shape, order=order)
    return _checked(matrix, documents, name)


def _check_shape(shape: tuple[int, ...], documents: int, name: str) -> None:
    if len(shape) != 2:
        raise InputError(f"{name}: an array of shape {shape}; a table with a row per document is needed.")
    if shape[0] != documents:
        raise InputError(f"{name}: {shape[0]:,} vectors for {documents:,} documents; one each, in document order.")
    if not 1 <= shape[1] <= MOST_DIMENSIONS:
        raise InputError(f"{name}: {shape[1]:,} dimensions; between 1 and {MOST_DIMENSIONS:,} are handled.")


def _checked(vectors: NDArray[np.generic], documents: int, name: str) -> Singles:
    _check_shape(vectors.shape, documents, name)
    with np.errstate(over="ignore"):  # a float64 beyond float32 becomes infinite and is named below
        matrix = np.ascontiguousarray(vectors, dtype=np.float32)
    finite = [np.isfinite(matrix[rows]).all(axis=1) for rows in blocks(*matrix.shape)]
    bad = np.flatnonzero(~np.concatenate(finite))
    if len(bad):
        raise InputError(
            f"{name}: row {bad[0] + 1} holds a value that is not a finite number; {counted(len(bad), 'row', 'does', 'do')}."
        )
    return matrix
