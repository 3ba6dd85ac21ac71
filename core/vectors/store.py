"""Vectors on disk: SQLite in WAL, a row a text and encoder, safe against kills and other processes.

A row holds the sha256 of a text, never the text. A row whose checksum fails is treated as absent. A database that
SQLite itself finds damaged is renamed, and a new one begun. Where nothing can be written, what is there is read, nothing
is kept, and it says so.
"""

import os
import re
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..arrays import Ints, Singles, record
from ..files import cache_folder
from .database import (
    SCHEMA,
    checksum,
    drop_oldest,
    encoder_id,
    give_back,
    read_vectors,
    readable,
    selected,
    used_bytes,
    writable,
)

LIMIT = 4 * 1024**3  # bytes: 2.5 million SBERT vectors
WAIT = 5_000  # milliseconds another process may hold the write lock, once; batches of others take a few
DAMAGED_FOR = 7 * 24 * 3600  # seconds a damaged database is there to be looked at
# SQLITE_ERROR: a table or column of ours is not there.
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ", "SQLITE_ERROR")
_ASIDE = re.compile(r"\.damaged-(\d+)(?:-wal|-shm)?$")

Result = TypeVar("Result")


@record
class Found:
    """What the store had: `rows` are indices into the list of hashes asked for, `vectors` theirs."""

    rows: Ints
    vectors: Singles
    damaged: int


class VectorStore:
    """A folder with one database of vectors, cut to `limit` bytes as it is written; shared by threads and processes."""

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, limit: int = LIMIT) -> None:
        self.folder = Path(folder) if folder is not None else cache_folder()
        self.file = self.folder / f"vectors-{SCHEMA}.sqlite3"
        self.limit = limit
        self._wait = WAIT
        self._warnings: dict[str, None] = {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What went wrong so far and what it means, a sentence each."""
        return tuple(self._warnings)

    def get_many(self, encoder_key: str, text_hashes: Sequence[bytes]) -> Found:
        """The stored vectors of these texts under that encoder."""
        nothing: tuple[list[int], list[bytes], int] = [], [], 0
        rows, blobs, damaged = self._run(lambda db: read_vectors(db, encoder_key, text_hashes), nothing)
        width = len(blobs[0]) // 4 if blobs else 0
        matrix = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), width).astype(np.float32, copy=False)
        return Found(np.array(rows, dtype=np.int64), matrix, damaged)

    def missing(self, encoder_key: str, text_hashes: Sequence[bytes]) -> Ints:
        """Indices into `text_hashes` that have no row; checksums are not read."""
        nothing: set[bytes] = set()
        known = self._run(lambda db: {text for (text,) in selected(db, "text", encoder_key, text_hashes)}, nothing)
        return np.array([row for row, text in enumerate(text_hashes) if text not in known], dtype=np.int64)

    def put_many(self, encoder_key: str, text_hashes: Sequence[bytes], vectors: Singles) -> bool:
        """Keep these vectors, all or none; False (and a warning) when they could not be written."""
        matrix = np.ascontiguousarray(vectors, dtype="<f4")
        if len(matrix) != len(text_hashes):
            raise ValueError(f"{len(text_hashes)} texts but {len(matrix)} vectors")
        blobs = [row.tobytes() for row in matrix]

        def write(db: sqlite3.Connection) -> bool:
            encoder = encoder_id(db, encoder_key)
            db.executemany(
                "INSERT OR REPLACE INTO vectors (encoder, text, sum, vector) VALUES (?, ?, ?, ?)",
                [(encoder, text, checksum(text, blob), blob) for text, blob in zip(text_hashes, blobs, strict=True)],
            )
            return True

        kept = self._run(write, False, writing=True)
        with suppress(OSError):  # here and not only at the end, for a run may be stopped or killed before its end
            if kept and self.file.stat().st_size > self.limit:
                self.prune()
        return kept

    def get_notes(self, encoder_key: str, texts: str) -> str | None:
        """What was noted about this set of texts under that encoder."""
        query = "SELECT notes FROM notes JOIN encoders ON id = encoder WHERE key = ? AND texts = ?"
        row = self._run(lambda db: db.execute(query, (encoder_key, texts)).fetchone(), None)
        return None if row is None else str(row[0])

    def put_notes(self, encoder_key: str, texts: str, notes: str) -> bool:
        """Keep a note about a set of texts under an encoder."""

        def write(db: sqlite3.Connection) -> bool:
            db.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (encoder_id(db, encoder_key), texts, notes))
            return True

        return self._run(write, False, writing=True)

    def prune(self, limit_bytes: int | None = None) -> int:
        """Past `limit_bytes`, drop the vectors written first until a twentieth is free again; the number dropped.

        Damaged databases that were set aside long ago go too.
        """
        self._remove_damaged(before=time.time_ns() - DAMAGED_FOR * 10**9)
        limit = self.limit if limit_bytes is None else limit_bytes
        dropped = 0
        if self._run(used_bytes, 0) > limit:
            while gone := self._run(lambda db: drop_oldest(db, 0.95 * limit), 0, writing=True):
                dropped += gone
                self._run(give_back, None)
        return dropped

    def _run(self, work: Callable[[sqlite3.Connection], Result], otherwise: Result, *, writing: bool = False) -> Result:
        """Do `work` on a connection of its own; set a damaged database aside and try once more."""
        for attempt in (1, 2):
            identity = _identity(self.file)
            try:
                with (writable if writing else readable)(self.file, self._wait) as db:
                    return work(db)
            except (OSError, sqlite3.Error, UnicodeDecodeError) as problem:
                if isinstance(problem, FileNotFoundError) and not writing:
                    return otherwise  # nothing has been stored yet
                # SQLite's own sentence quotes the damage, which need not be text.
                damaged = "SQLITE_CORRUPT" if isinstance(problem, UnicodeDecodeError) else ""
                kind = getattr(problem, "sqlite_errorname", None) or damaged
                if attempt == 1 and kind.startswith(_DAMAGE) and self._set_aside(identity, problem):
                    continue
                self._give_up(kind, problem)
                return otherwise
        return otherwise

    def _give_up(self, kind: str, problem: Exception) -> None:
        """Say why; and whoever has waited for a lock once waits no more, but passes by with the next batches."""
        if kind.startswith("SQLITE_BUSY"):
            self._wait = 0
            held = f"Vectors are not kept while another program holds {self.file}: what it misses is encoded again."
            self._warnings[held] = None
        else:
            self._warnings[f"Vectors are not kept: {self.file} cannot be used ({problem})."] = None

    def _set_aside(self, identity: tuple[int, int] | None, problem: Exception) -> bool:
        """Rename the damaged database, unless another process has already put a new one there; one is enough."""
        if _identity(self.file) != identity:
            return True
        now = time.time_ns()
        aside = self.file.with_name(f"{self.file.name}.damaged-{now}")
        try:
            for tail in ("", "-wal", "-shm"):
                part = Path(f"{self.file}{tail}")
                if part.exists():
                    part.rename(f"{aside}{tail}")
        except OSError:
            return False
        self._remove_damaged(before=now)
        self._warnings[
            f"The vector database was damaged ({problem}) and begun anew; the old one is {aside} for a week."
        ] = None
        return True

    def _remove_damaged(self, *, before: int) -> None:
        for file in self.folder.glob(f"{self.file.name}.damaged-*"):
            named = _ASIDE.search(file.name)
            if named is not None and int(named[1]) < before:
                with suppress(OSError):
                    file.unlink(missing_ok=True)


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
