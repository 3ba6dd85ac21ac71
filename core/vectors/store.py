"""Vectors on disk: SQLite in WAL, a row a text and encoder, safe against kills and other processes.

A row holds the sha256 of a text, never the text. A row whose checksum fails is treated as absent. A database that
SQLite itself finds damaged is renamed, and a new one begun. Where nothing can be written, nothing is kept, and it says so.
"""

import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..arrays import Ints, Singles, record
from ..files import cache_folder

LIMIT = 4 * 1024**3  # bytes: 2.5 million SBERT vectors
WAIT = 30_000  # milliseconds another process may hold the write lock
IN_ONE_QUERY = 500
SCHEMA = 1
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ")
_TABLES = """
CREATE TABLE IF NOT EXISTS encoders (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY, encoder INTEGER NOT NULL, text BLOB NOT NULL, sum INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS by_text ON vectors (encoder, text);
CREATE TABLE IF NOT EXISTS notes (encoder INTEGER NOT NULL, texts TEXT NOT NULL, notes TEXT NOT NULL,
    PRIMARY KEY (encoder, texts));
"""

Result = TypeVar("Result")


@record
class Found:
    """What the store had: `rows` are indices into the list of hashes asked for, `vectors` theirs."""

    rows: Ints
    vectors: Singles
    damaged: int


class VectorStore:
    """A folder with one database of vectors; may be shared by threads and processes."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = Path(folder) if folder is not None else cache_folder()
        self.file = self.folder / f"vectors-{SCHEMA}.sqlite3"
        self._warnings: dict[str, None] = {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What went wrong so far and what it means, a sentence each."""
        return tuple(self._warnings)

    def get_many(self, encoder_key: str, text_hashes: Sequence[bytes]) -> Found:
        """The stored vectors of these texts under that encoder."""
        nothing: tuple[list[int], list[bytes], int] = [], [], 0
        rows, blobs, damaged = self._run(lambda db: _read(db, encoder_key, text_hashes), nothing)
        width = len(blobs[0]) // 4 if blobs else 0
        matrix = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), width).astype(np.float32, copy=False)
        return Found(np.array(rows, dtype=np.int64), matrix, damaged)

    def missing(self, encoder_key: str, text_hashes: Sequence[bytes]) -> Ints:
        """Indices into `text_hashes` that have no row; checksums are not read."""
        nothing: set[bytes] = set()
        known = self._run(lambda db: {text for (text,) in _selected(db, "text", encoder_key, text_hashes)}, nothing)
        return np.array([row for row, text in enumerate(text_hashes) if text not in known], dtype=np.int64)

    def put_many(self, encoder_key: str, text_hashes: Sequence[bytes], vectors: Singles) -> bool:
        """Keep these vectors, all or none; False (and a warning) when they could not be written."""
        matrix = np.ascontiguousarray(vectors, dtype="<f4")
        if len(matrix) != len(text_hashes):
            raise ValueError(f"{len(text_hashes)} texts but {len(matrix)} vectors")
        blobs = [row.tobytes() for row in matrix]

        def write(db: sqlite3.Connection) -> bool:
            encoder = _encoder(db, encoder_key)
            db.executemany(
                "INSERT OR REPLACE INTO vectors (encoder, text, sum, vector) VALUES (?, ?, ?, ?)",
                [(encoder, text, _sum(text, blob), blob) for text, blob in zip(text_hashes, blobs, strict=True)],
            )
            return True

        return self._run(write, False, writing=True)

    def get_notes(self, encoder_key: str, texts: str) -> str | None:
        """What was noted about this set of texts under that encoder."""
        query = "SELECT notes FROM notes JOIN encoders ON id = encoder WHERE key = ? AND texts = ?"
        row = self._run(lambda db: db.execute(query, (encoder_key, texts)).fetchone(), None)
        return None if row is None else str(row[0])

    def put_notes(self, encoder_key: str, texts: str, notes: str) -> bool:
        """Keep a note about a set of texts under an encoder."""

        def write(db: sqlite3.Connection) -> bool:
            db.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (_encoder(db, encoder_key), texts, notes))
            return True

        return self._run(write, False, writing=True)

    def prune(self, limit_bytes: int = LIMIT) -> int:
        """Drop the vectors written first until the database is at most `limit_bytes`; the number dropped."""
        dropped = 0
        while True:
            gone = self._run(lambda db: _drop_oldest(db, limit_bytes), 0, writing=True)
            if not gone:
                return dropped
            dropped += gone
            self._run(lambda db: db.executescript("PRAGMA incremental_vacuum"), None)

    def _run(self, work: Callable[[sqlite3.Connection], Result], otherwise: Result, *, writing: bool = False) -> Result:
        """Do `work` on a connection of its own; set a damaged database aside and try once more."""
        for attempt in (1, 2):
            identity = _identity(self.file)
            try:
                with _connected(self.file, writing) as db:
                    return work(db)
            except (OSError, sqlite3.Error) as problem:
                kind = getattr(problem, "sqlite_errorname", None) or ""
                if attempt == 1 and kind.startswith(_DAMAGE) and self._set_aside(identity, problem):
                    continue
                self._warnings[f"Vectors are not kept: {self.file} cannot be used ({problem})."] = None
                return otherwise
        return otherwise

    def _set_aside(self, identity: tuple[int, int] | None, problem: Exception) -> bool:
        """Rename the damaged database, unless another process has already put a new one there."""
        if _identity(self.file) != identity:
            return True
        aside = self.file.with_name(f"{self.file.name}.damaged-{time.time_ns()}")
        try:
            for tail in ("", "-wal", "-shm"):
                part = Path(f"{self.file}{tail}")
                if part.exists():
                    part.rename(f"{aside}{tail}")
        except OSError:
            return False
        self._warnings[f"The vector database was damaged ({problem}) and begun anew; the old one is {aside}."] = None
        return True


@contextmanager
def _connected(file: Path, writing: bool) -> Iterator[sqlite3.Connection]:
    file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(file, timeout=WAIT / 1000, isolation_level=None)
    try:
        if db.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
            _begin(db)
        db.execute("PRAGMA synchronous = NORMAL")  # in WAL a kill loses nothing; a power cut the last batch at most
        if writing:
            # IMMEDIATE takes the write lock at once; a read lock that is raised later would fail without waiting.
            db.execute("BEGIN IMMEDIATE")
        yield db
        if writing:
            db.execute("COMMIT")
    finally:
        db.close()


def _begin(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA page_size = 8192")  # five SBERT vectors a page
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    for _ in range(100):  # SQLite does not wait for the lock here when two processes begin at once
        try:
            db.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorname != "SQLITE_BUSY":
                raise
            time.sleep(0.05)
    db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;")


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _sum(text: bytes, blob: bytes) -> int:
    return zlib.crc32(blob, zlib.crc32(text))


def _encoder(db: sqlite3.Connection, key: str) -> int:
    db.execute("INSERT OR IGNORE INTO encoders (key) VALUES (?)", (key,))
    return int(db.execute("SELECT id FROM encoders WHERE key = ?", (key,)).fetchone()[0])


def _selected(db: sqlite3.Connection, columns: str, key: str, texts: Sequence[bytes]) -> Iterator[tuple[Any, ...]]:
    for start in range(0, len(texts), IN_ONE_QUERY):
        asked = texts[start : start + IN_ONE_QUERY]
        yield from db.execute(
            f"SELECT {columns} FROM vectors WHERE encoder = (SELECT id FROM encoders WHERE key = ?) "
            f"AND text IN ({','.join('?' * len(asked))})",
            (key, *asked),
        )


def _read(db: sqlite3.Connection, key: str, texts: Sequence[bytes]) -> tuple[list[int], list[bytes], int]:
    rows, blobs, damaged = list[int](), list[bytes](), 0
    rows_of: dict[bytes, list[int]] = {}
    for row, text in enumerate(texts):
        rows_of.setdefault(text, []).append(row)
    for text, check, blob in _selected(db, "text, sum, CAST(vector AS BLOB)", key, list(rows_of)):
        sound = isinstance(blob, bytes) and len(blob) % 4 == 0 and _sum(text, blob) == check
        if not sound or (blobs and len(blob) != len(blobs[0])):
            damaged += 1
            continue
        rows += rows_of[text]
        blobs += [blob] * len(rows_of[text])
    return rows, blobs, damaged


def _drop_oldest(db: sqlite3.Connection, limit: int) -> int:
    numbers = ("page_count", "freelist_count", "page_size")
    pages, free, size = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in numbers)
    used = (pages - free) * size
    rows = db.execute("SELECT count(*) FROM vectors").fetchone()[0]
    if used <= limit or rows == 0:
        return 0
    share = min(1.0, 1.05 - limit / used)
    # REPLACE gives a new id, so the order of ids is the order of writing.
    query = "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY id LIMIT ?)"
    gone = db.execute(query, (max(1, int(rows * share)),)).rowcount
    db.execute("DELETE FROM notes WHERE encoder NOT IN (SELECT encoder FROM vectors)")
    db.execute("DELETE FROM encoders WHERE id NOT IN (SELECT encoder FROM vectors)")
    return int(gone)
