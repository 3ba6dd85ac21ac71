"""The Parquet members of a project that came from anywhere: bounded before they are read, then looked at cell by cell."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arrays import Singles
from ..corpora import MOST_DOCUMENTS
from ..corpora.readers import MOST_BYTES
from ..errors import InputError
from ..parquet import opened_parquet, unpacked_size
from ..vectors import ENCODERS
from .project import ABOUT, DOCUMENTS, VECTORS, Identity, SavedVectors

LONGEST = 1_000  # letters of a name, a note, a value
MOST_VECTORS = 8


def not_ours(name: str, member: str) -> InputError:
    """What is said of a member that anything is wrong with."""
    return InputError(f"{name}: '{member}' is not written as Leakscope writes it; save the project again.")


def _table(name: str, member: str, content: bytes, most: int) -> Any:
    """A Parquet member, bounded before its cells are read."""
    import pyarrow as pa

    try:
        opened = opened_parquet(content)
        metadata = opened.metadata
        if metadata.num_rows > MOST_DOCUMENTS or unpacked_size(opened) > most or metadata.num_columns > 2:
            raise not_ours(name, member)
        return opened.read(use_threads=False)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError) as problem:
        raise not_ours(name, member) from problem


def documents(name: str, members: Mapping[str, bytes], identity: Identity) -> tuple[tuple[bytes, ...], tuple[str, ...]]:
    """Every document's text, as a hash, and its topic."""
    table = _table(name, DOCUMENTS, members.get(DOCUMENTS, b""), 4 * MOST_BYTES)
    if table.column_names != ["text", "topic"] or table.num_rows != identity.documents:
        raise not_ours(name, DOCUMENTS)
    hashes, topics = (table.column(column).to_pylist() for column in ("text", "topic"))
    if not all(isinstance(each, bytes) and len(each) == 32 for each in hashes):
        raise not_ours(name, DOCUMENTS)
    if not all(isinstance(each, bytes) and len(each) <= 4 * LONGEST for each in topics):
        raise not_ours(name, DOCUMENTS)
    try:
        return tuple(hashes), tuple(str(topic, "utf-8", "surrogatepass") for topic in topics)
    except UnicodeDecodeError as problem:
        raise not_ours(name, DOCUMENTS) from problem


def all_vectors(name: str, about: Any, members: Mapping[str, bytes]) -> tuple[SavedVectors, ...]:
    """Every set of vectors that the project says it has."""
    if not isinstance(about, list) or len(about) > MOST_VECTORS:
        raise not_ours(name, ABOUT)
    return tuple(_vectors(name, VECTORS.format(number), each, members) for number, each in enumerate(about, start=1))


def _vectors(name: str, member: str, about: Any, members: Mapping[str, bytes]) -> SavedVectors:
    if not isinstance(about, dict) or not isinstance(about.get("key"), str) or about.get("encoder") not in ENCODERS:
        raise not_ours(name, ABOUT)
    notes = about.get("notes")
    if not isinstance(notes, list) or not all(isinstance(note, str) and len(note) <= LONGEST for note in notes):
        raise not_ours(name, ABOUT)
    table = _table(name, member, members.get(member, b""), 4 * MOST_BYTES)
    if table.column_names != ["text", "vector"] or not table.num_rows:
        raise not_ours(name, member)
    hashes = table.column("text").to_pylist()
    cells = table.column("vector").combine_chunks()
    width = getattr(cells.type, "list_size", 0)
    flat = cells.values.to_numpy(zero_copy_only=False) if width else np.empty(0, dtype=np.float32)
    whole = width and flat.dtype == np.float32 and len(flat) == width * len(hashes) and not cells.null_count
    keyed = all(isinstance(each, bytes) and len(each) == 32 for each in hashes) and len({*hashes}) == len(hashes)
    if not whole or not keyed or not np.isfinite(flat).all():
        raise not_ours(name, member)
    matrix: Singles = flat.reshape(len(hashes), width).astype(np.float32)
    return SavedVectors(about["key"], about["encoder"], tuple(notes), tuple(hashes), matrix)
