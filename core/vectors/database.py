"""The database of vectors as SQLite has it: opened to write or only to read, begun, asked, and cut to size."""

import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SCHEMA = 1
IN_ONE_QUERY = 500
IN_ONE_DROP = 20_000  # rows: another process that wants to write waits no longer than this takes
_TABLES = """
CREATE TABLE IF NOT EXISTS encoders (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY, encoder INTEGER NOT NULL, text BLOB NOT NULL, sum INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS by_text ON vectors (encoder, text);
CREATE TABLE IF NOT EXISTS notes (encoder INTEGER NOT NULL, texts TEXT NOT NULL, notes TEXT NOT NULL,
    PRIMARY KEY (encoder, texts));
"""
_CANNOT_WRITE = ("SQLITE_CANTOPEN", "SQLITE_READONLY")


@contextmanager
def writable(file: Path, wait: int) -> Iterator[sqlite3.Connection]:
    """A transaction that holds the write lock, taken within `wait` milliseconds; the database is begun where absent."""
    file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(file, timeout=wait / 1000, isolation_level=None)
    try:
        if _schema(db) != SCHEMA:
            _begin(db, wait)
        db.execute("PRAGMA synchronous = NORMAL")  # in WAL a kill loses nothing; a power cut the last batch at most
        # IMMEDIATE takes the write lock at once; a read lock that is raised later would fail without waiting.
        db.execute("BEGIN IMMEDIATE")
        yield db
        db.execute("COMMIT")
    finally:
        db.close()


@contextmanager
def readable(file: Path, wait: int) -> Iterator[sqlite3.Connection]:
    """The database as it stands, for reading; FileNotFoundError where none has been begun."""
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
    """SQLite reads a database in WAL with the help of files beside it. Where it may not make them, nobody writes here
    either, and the database is read as one that does not change; what a killed writer left in its log is not seen."""
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


def _begin(db: sqlite3.Connection, wait: int) -> None:
    db.execute("PRAGMA page_size = 8192")  # five SBERT vectors a page
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    pause = 50  # milliseconds
    for left in range(wait // pause, -1, -1):  # SQLite does not wait for the lock here when two processes begin at once
        try:
            db.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorname != "SQLITE_BUSY" or not left:
                raise
            time.sleep(pause / 1000)
    db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;")


def checksum(text: bytes, blob: bytes) -> int:
    """Of a vector under a text: neither is taken for another's."""
    return zlib.crc32(blob, zlib.crc32(text))


def encoder_id(db: sqlite3.Connection, key: str) -> int:
    """The number under which this encoder's rows stand, given now where it has none."""
    db.execute("INSERT OR IGNORE INTO encoders (key) VALUES (?)", (key,))
    return int(db.execute("SELECT id FROM encoders WHERE key = ?", (key,)).fetchone()[0])


def selected(db: sqlite3.Connection, columns: str, key: str, texts: Sequence[bytes]) -> Iterator[tuple[Any, ...]]:
    """These columns of the rows that this encoder has for these texts."""
    for start in range(0, len(texts), IN_ONE_QUERY):
        asked = texts[start : start + IN_ONE_QUERY]
        yield from db.execute(
            f"SELECT {columns} FROM vectors WHERE encoder = (SELECT id FROM encoders WHERE key = ?) "
            f"AND text IN ({','.join('?' * len(asked))})",
            (key, *asked),
        )


def read_vectors(db: sqlite3.Connection, key: str, texts: Sequence[bytes]) -> tuple[list[int], list[bytes], int]:
    """Indices into `texts` whose vectors are sound, these vectors as bytes, and the number of rows that are damaged."""
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
    """What the database takes without its free pages."""
    numbers = ("page_count", "freelist_count", "page_size")
    pages, free, size = (int(db.execute(f"PRAGMA {name}").fetchone()[0]) for name in numbers)
    return (pages - free) * size


def drop_oldest(db: sqlite3.Connection, goal: float) -> int:
    """Drop the rows written first, as many as bring the database near `goal` bytes and no more than one lock allows."""
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
    """Give free pages back to the disk, outside of a transaction; `execute` would stop after the first of them."""
    db.executescript("PRAGMA incremental_vacuum")
