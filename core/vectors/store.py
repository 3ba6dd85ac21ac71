"""Vectors on disk: SQLite in WAL mode, one row per text and encoder, safe against kills and other processes.

A row holds the SHA-256 of a text, never the text. A row whose checksum fails counts as absent. A database that SQLite
finds damaged is renamed and a new one started. If nothing can be written, stored vectors are read, nothing is kept,
with a warning.
"""

import os
import re
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..arrays import Ints, Singles, record
from ..files import cache_folder

SCHEMA = 1
IN_ONE_QUERY = 500
IN_ONE_DROP = 20_000  # rows; another process that wants to write waits no longer than this takes
_TABLES = """
CREATE TABLE IF NOT EXISTS encoders (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY, encoder INTEGER NOT NULL, text BLOB NOT NULL, sum INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS by_text ON vectors (encoder, text);
CREATE TABLE IF NOT EXISTS notes (encoder INTEGER NOT NULL, texts TEXT NOT NULL, notes TEXT NOT NULL,
    PRIMARY KEY (encoder, texts));
"""
_CANNOT_WRITE = ("SQLITE_CANTOPEN", "SQLITE_READONLY")
LIMIT = 4 * 1024**3  # bytes: 2.5 million SBERT vectors
WAIT = 5_000  # milliseconds to wait for the write lock, once; a batch of another process takes a few
DAMAGED_FOR = 7 * 24 * 3600  # seconds for which a damaged database is kept
# SQLITE_ERROR: a table or column is missing.
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ", "SQLITE_ERROR")
_ASIDE = re.compile(r"\.damaged-(\d+)(?:-wal|-shm)?$")

Result = TypeVar("Result")


@record
class Found:
    """What the store had."""

    rows: Ints  # indices into the hashes asked for
    vectors: Singles  # of these rows
    damaged: int  # rows whose checksum failed


class VectorStore:
    """A folder with one database of vectors, kept below `limit` bytes; threads and processes may share it."""

    def __init__(self, folder: str | os.PathLike[str] | None = None, *, limit: int = LIMIT) -> None:
        self.folder = Path(folder) if folder is not None else cache_folder()
        self.file = self.folder / f"vectors-{SCHEMA}.sqlite3"
        self.limit = limit
        self._wait = WAIT
        self._warnings: dict[str, None] = {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what went wrong so far and what it means, one sentence each."""
        return tuple(self._warnings)

    def get_many(self, encoder_key: str, text_hashes: Sequence[bytes]) -> Found:
        """Return the stored vectors of these texts under that encoder."""
        nothing: tuple[list[int], list[bytes], int] = [], [], 0
        rows, blobs, damaged = self._run(lambda db: read_vectors(db, encoder_key, text_hashes), nothing)
        width = len(blobs[0]) // 4 if blobs else 0
        matrix = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), width).astype(np.float32, copy=False)
        return Found(np.array(rows, dtype=np.int64), matrix, damaged)

    def missing(self, encoder_key: str, text_hashes: Sequence[bytes]) -> Ints:
        """Return the indices into `text_hashes` without a row; checksums are not read."""
        nothing: set[bytes] = set()
        known = self._run(lambda db: {text for (text,) in selected(db, "text", encoder_key, text_hashes)}, nothing)
        return np.array([row for row, text in enumerate(text_hashes) if text not in known], dtype=np.int64)

    def put_many(self, encoder_key: str, text_hashes: Sequence[bytes], vectors: Singles) -> bool:
        """Store these vectors, all or none; return False, with a warning, if they cannot be written."""
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
        with suppress(OSError):  # not only at the end, because a run may be stopped or killed before
            if kept and self.file.stat().st_size > self.limit:
                self.prune()
        return kept

    def get_notes(self, encoder_key: str, texts: str) -> str | None:
        """Return the note on this set of texts under that encoder."""
        query = "SELECT notes FROM notes JOIN encoders ON id = encoder WHERE key = ? AND texts = ?"
        row = self._run(lambda db: db.execute(query, (encoder_key, texts)).fetchone(), None)
        return None if row is None else str(row[0])

    def put_notes(self, encoder_key: str, texts: str, notes: str) -> bool:
        """Store a note on a set of texts under an encoder."""

        def write(db: sqlite3.Connection) -> bool:
            db.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (encoder_id(db, encoder_key), texts, notes))
            return True

        return self._run(write, False, writing=True)

    def prune(self, limit_bytes: int | None = None) -> int:
        """Drop the oldest vectors above `limit_bytes` until a twentieth is free, and return the number dropped.

        Old damaged databases are removed too.
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
        """Do `work` on a new connection; set a damaged database aside and try once more."""
        for attempt in (1, 2):
            identity = _file_identity(self.file)
            try:
                with (writable if writing else readable)(self.file, self._wait) as db:
                    return work(db)
            except (OSError, sqlite3.Error, UnicodeDecodeError) as problem:
                if isinstance(problem, FileNotFoundError) and not writing:
                    return otherwise  # nothing has been stored yet
                # SQLite's message quotes the damage, which need not be text.
                damaged = "SQLITE_CORRUPT" if isinstance(problem, UnicodeDecodeError) else ""
                kind = getattr(problem, "sqlite_errorname", None) or damaged
                if attempt == 1 and kind.startswith(_DAMAGE) and self._set_aside(identity, problem):
                    continue
                self._give_up(kind, problem)
                return otherwise
        return otherwise

    def _give_up(self, kind: str, problem: Exception) -> None:
        """Warn why; after waiting for a lock once, do not wait again with the next batches."""
        if kind.startswith("SQLITE_BUSY"):
            self._wait = 0
            held = (
                f"Vectors are not stored while another program locks {self.file}. They will be encoded again next time."
            )
            self._warnings[held] = None
        else:
            self._warnings[f"Vectors are not stored: {self.file} cannot be used ({problem})."] = None

    def _set_aside(self, identity: tuple[int, int] | None, problem: Exception) -> bool:
        """Rename the damaged database, unless another process has already replaced it."""
        if _file_identity(self.file) != identity:
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
            f"The vector database was damaged ({problem}) and started again. The old one is kept for a week as {aside}."
        ] = None
        return True

    def _remove_damaged(self, *, before: int) -> None:
        for file in self.folder.glob(f"{self.file.name}.damaged-*"):
            named = _ASIDE.search(file.name)
            if named is not None and int(named[1]) < before:
                with suppress(OSError):
                    file.unlink(missing_ok=True)


def _file_identity(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextmanager
def writable(file: Path, wait: int) -> Iterator[sqlite3.Connection]:
    """Open a transaction that holds the write lock, taken within `wait` milliseconds; create the database if absent."""
    file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(file, timeout=wait / 1000, isolation_level=None)
    try:
        if _schema(db) != SCHEMA:
            _begin_writing(db, wait)
        db.execute(
            "PRAGMA synchronous = NORMAL"
        )  # in WAL mode a kill loses nothing, a power cut at most the last batch
        # IMMEDIATE takes the write lock at once; upgrading a read lock later would fail without waiting.
        db.execute("BEGIN IMMEDIATE")
        yield db
        db.execute("COMMIT")
    finally:
        db.close()


@contextmanager
def readable(file: Path, wait: int) -> Iterator[sqlite3.Connection]:
    """Open the database for reading; raise FileNotFoundError if there is none."""
    if not file.exists():
        raise FileNotFoundError(file)
    db = _opened_to_read(file, wait)
    try:
        if _schema(db) != SCHEMA:
            raise FileNotFoundError(file)
        yield db
    finally:
        db.close()


def _opened_to_read(file: Path, wait: int) -> sqlite3.Connection:
    """Open for reading, also in a folder that cannot be written.

    SQLite needs files beside a database in WAL mode. If it cannot create them, nobody writes here, and the database is
    read as unchanging; what a killed writer left in the log is not seen.
    """
    for mode in ("mode=rw", "immutable=1"):
        db = sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", uri=True, timeout=wait / 1000, isolation_level=None)
        try:
            _schema(db)
        except sqlite3.Error as problem:
            db.close()
            if mode != "mode=rw" or not getattr(problem, "sqlite_errorname", "").startswith(_CANNOT_WRITE):
                raise
        else:
            break
    return db


def _schema(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _begin_writing(db: sqlite3.Connection, wait: int) -> None:
    db.execute("PRAGMA page_size = 8192")  # five SBERT vectors per page
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    pause = 50  # milliseconds
    for left in range(wait // pause, -1, -1):  # SQLite does not wait for this lock if two processes start at once
        try:
            db.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorname != "SQLITE_BUSY" or not left:
                raise
            time.sleep(pause / 1000)
    db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;")


def checksum(text: bytes, blob: bytes) -> int:
    """Return a checksum of a vector and its text, so that neither is mistaken for another's."""
    return zlib.crc32(blob, zlib.crc32(text))


def encoder_id(db: sqlite3.Connection, key: str) -> int:
    """Return the number of this encoder in the database, creating one if needed."""
    db.execute("INSERT OR IGNORE INTO encoders (key) VALUES (?)", (key,))
    return int(db.execute("SELECT id FROM encoders WHERE key = ?", (key,)).fetchone()[0])


def selected(db: sqlite3.Connection, columns: str, key: str, texts: Sequence[bytes]) -> Iterator[tuple[Any, ...]]:
    """Yield these columns of the rows that this encoder has for these texts."""
    for start in range(0, len(texts), IN_ONE_QUERY):
        asked = texts[start : start + IN_ONE_QUERY]
        yield from db.execute(
            f"SELECT {columns} FROM vectors WHERE encoder = (SELECT id FROM encoders WHERE key = ?) "
            f"AND text IN ({','.join('?' * len(asked))})",
            (key, *asked),
        )


def read_vectors(db: sqlite3.Connection, key: str, texts: Sequence[bytes]) -> tuple[list[int], list[bytes], int]:
    """Return the indices into `texts` with sound vectors, these vectors as bytes, and the number of damaged rows."""
    rows, blobs, damaged = list[int](), list[bytes](), 0
    rows_of: dict[bytes, list[int]] = {}
    for row, text in enumerate(texts):
        rows_of.setdefault(text, []).append(row)
    for text, check, blob in selected(db, "text, sum, CAST(vector AS BLOB)", key, list(rows_of)):
        sound = isinstance(blob, bytes) and len(blob) % 4 == 0 and checksum(text, blob) == check
        if not sound or (blobs and len(blob) != len(blobs[0])):
            damaged += 1
            continue
        rows += rows_of[text]
        blobs += [blob] * len(rows_of[text])
    return rows, blobs, damaged


def used_bytes(db: sqlite3.Connection) -> int:
    """Return the size of the database without its free pages."""
    numbers = ("page_count", "freelist_count", "page_size")
    pages, free, size = (int(db.execute(f"PRAGMA {name}").fetchone()[0]) for name in numbers)
    return (pages - free) * size


def drop_oldest(db: sqlite3.Connection, goal: float) -> int:
    """Drop the oldest rows until the database has about `goal` bytes, at most IN_ONE_DROP; return their number."""
    used = used_bytes(db)
    rows = int(db.execute("SELECT count(*) FROM vectors").fetchone()[0])
    if used <= goal or rows == 0:
        return 0
    count = min(IN_ONE_DROP, max(1, int(rows * max(0.01, 1 - goal / used))))
    # REPLACE gives a new id, so the order of ids is the order of writing.
    query = "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY id LIMIT ?)"
    gone = int(db.execute(query, (count,)).rowcount)
    db.execute("DELETE FROM notes WHERE encoder NOT IN (SELECT encoder FROM vectors)")
    db.execute("DELETE FROM encoders WHERE id NOT IN (SELECT encoder FROM vectors)")
    return gone


def give_back(db: sqlite3.Connection) -> None:
    """Return free pages to the disk, outside a transaction; `execute` would stop after the first one."""
    db.executescript("PRAGMA incremental_vacuum")
