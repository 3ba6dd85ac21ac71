"""The vector store: what goes in comes out, and damage, rivals and full disks are survived."""

import hashlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import core.vectors.store
from core.vectors import VectorStore
from core.vectors.store import DAMAGED_FOR, WAIT
from tests.conftest import ROOT
from tests.core.read_only import open_folder, read_only  # noqa: F401


def hashes(count: int, start: int = 0) -> list[bytes]:
    return [hashlib.sha256(str(number).encode()).digest() for number in range(start, start + count)]


def vectors(count: int, size: int = 8, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, size)).astype(np.float32)


def filled(folder: Path, count: int = 200, size: int = 8) -> VectorStore:
    store = VectorStore(folder)
    assert store.put_many("key", hashes(count), vectors(count, size))
    return store


def change(store: VectorStore, statement: str) -> None:
    with sqlite3.connect(store.file) as db:
        db.execute(statement)
    db.close()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.lists(st.tuples(st.binary(min_size=32, max_size=32), st.floats(width=32)), min_size=1, max_size=20),
    size=st.integers(1, 5),
)
def test_what_goes_in_comes_out_bit_for_bit(tmp_path_factory, content, size):
    store = VectorStore(tmp_path_factory.mktemp("store"))
    known = dict(content)
    matrix = np.array([[value] * size for value in known.values()], dtype=np.float32)
    assert store.put_many("key", list(known), matrix)
    asked = [text for text, _ in content] + [b"absent".ljust(32)]
    found = store.get_many("key", asked)
    assert found.damaged == 0 and sorted(found.rows) == list(range(len(content)))
    for row, vector in zip(found.rows, found.vectors, strict=True):
        assert vector.tobytes() == matrix[list(known).index(asked[row])].tobytes()
    assert list(store.missing("key", asked)) == [len(content)]


def test_encoders_do_not_share_vectors(tmp_path):
    store = filled(tmp_path)
    assert len(store.get_many("other", hashes(200)).rows) == 0
    assert store.put_many("other", hashes(3), vectors(3, 5))
    assert store.get_many("other", hashes(3)).vectors.shape == (3, 5)
    assert store.get_many("key", hashes(3)).vectors.shape == (3, 8)


def test_a_second_write_replaces_the_first(tmp_path):
    store = filled(tmp_path, 3)
    assert store.put_many("key", hashes(1), vectors(1, seed=9))
    assert np.array_equal(store.get_many("key", hashes(1)).vectors, vectors(1, seed=9))


def test_counts_must_match(tmp_path):
    with pytest.raises(ValueError, match="2 texts but 3 vectors"):
        VectorStore(tmp_path).put_many("key", hashes(2), vectors(3))


@pytest.mark.parametrize(
    "damage",
    [
        "vector = zeroblob(32)",
        "vector = x'00'",
        "vector = 'text'",
        "vector = NULL",
        "sum = sum + 1",
        "vector = vector || x'00000000'",
    ],
)
def test_a_damaged_row_is_noticed(tmp_path, damage):
    store = filled(tmp_path, 5)
    with sqlite3.connect(store.file) as db:  # without NOT NULL, so that every kind of damage can be written
        db.execute("CREATE TABLE copy AS SELECT * FROM vectors")
        db.execute("DROP TABLE vectors")
        db.execute("ALTER TABLE copy RENAME TO vectors")
        db.execute(f"UPDATE vectors SET {damage} WHERE id = 3")
    db.close()
    found = store.get_many("key", hashes(5))
    assert found.damaged == 1 and sorted(found.rows) == [0, 1, 3, 4]


def test_a_vector_under_another_text_is_noticed(tmp_path):
    store = filled(tmp_path, 2)
    change(store, "UPDATE vectors SET vector = (SELECT vector FROM vectors WHERE id = 1) WHERE id = 2")
    change(store, "UPDATE vectors SET sum = (SELECT sum FROM vectors WHERE id = 1) WHERE id = 2")
    assert store.get_many("key", hashes(2)).damaged == 1


def test_notes_are_kept_per_encoder_and_set_of_texts(tmp_path):
    store = VectorStore(tmp_path)
    assert store.get_notes("key", "texts") is None
    assert store.put_notes("key", "texts", "[1]") and store.put_notes("key", "texts", "[2]")
    assert store.get_notes("key", "texts") == "[2]"
    assert store.get_notes("key", "others") is None and store.get_notes("other", "texts") is None


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1), junk=st.binary(min_size=1, max_size=3000), cut=st.booleans())
def test_a_damaged_file_never_gives_a_wrong_vector(tmp_path_factory, place, junk, cut):
    store = filled(tmp_path_factory.mktemp("store"), 60, 64)
    content = bytearray(store.file.read_bytes())
    at = int(place * (len(content) - 1))
    content[at : at + len(junk)] = b"" if cut else junk
    store.file.write_bytes(content[:at] if cut else content)
    found = store.get_many("key", hashes(60))
    assert np.array_equal(found.vectors, vectors(60, 64)[found.rows].reshape(found.vectors.shape))
    if store.put_many("key", hashes(60), vectors(60, 64)):
        again = VectorStore(store.folder).get_many("key", hashes(60))
        assert np.array_equal(again.vectors, vectors(60, 64)[again.rows].reshape(again.vectors.shape))


def test_a_damaged_database_is_set_aside_and_a_new_one_begun(tmp_path):
    store = filled(tmp_path)
    store.file.write_bytes(b"not a database at all" * 1000)
    assert len(store.get_many("key", hashes(200)).rows) == 0
    aside = list(tmp_path.glob("*.damaged-*"))
    assert [file.read_bytes()[:21] for file in aside] == [b"not a database at all"]
    assert str(aside[0]) in store.warnings[0]
    assert store.put_many("key", hashes(2), vectors(2))
    assert len(store.get_many("key", hashes(2)).rows) == 2


def set_aside(store: VectorStore) -> set[str]:
    return {file.name for file in store.folder.glob("*.damaged-*")}


def test_one_damaged_database_is_kept_and_only_for_a_while(tmp_path, monkeypatch):
    store = filled(tmp_path)
    seen = []
    for number in range(3):
        store.file.write_bytes(b"not a database at all" * 1000)
        assert len(store.get_many("key", hashes(200)).rows) == 0
        assert store.put_many("key", hashes(2, number), vectors(2))
        seen.append(set_aside(store))
    assert [len(names) for names in seen] == [1, 1, 1] and len(set.union(*seen)) == 3
    (tmp_path / f"{store.file.name}.damaged-mine").write_text("not one of ours")
    store.prune()
    assert set_aside(store) == seen[-1] | {f"{store.file.name}.damaged-mine"}
    now = core.vectors.store.time.time_ns()
    monkeypatch.setattr(core.vectors.store.time, "time_ns", lambda: now + (DAMAGED_FOR + 1) * 10**9)
    store.prune()
    assert set_aside(store) == {f"{store.file.name}.damaged-mine"}


@pytest.mark.parametrize(
    "statement", ["DROP TABLE vectors", "ALTER TABLE vectors RENAME COLUMN text TO texts", "DROP TABLE encoders"]
)
def test_a_database_without_our_tables_is_damaged(tmp_path, statement):
    store = filled(tmp_path)
    change(store, statement)
    assert len(store.get_many("key", hashes(2)).rows) == 0
    assert len(set_aside(store)) == 1 and "started again" in store.warnings[0]
    assert store.put_many("key", hashes(2), vectors(2))
    assert len(store.get_many("key", hashes(2)).rows) == 2


def test_reading_begins_no_database(tmp_path):
    store = VectorStore(tmp_path / "nowhere")
    assert len(store.get_many("key", hashes(2)).rows) == 0 and store.get_notes("key", "texts") is None
    assert list(store.missing("key", hashes(2))) == [0, 1] and store.prune() == 0
    assert not store.folder.exists() and store.warnings == ()


@pytest.mark.parametrize("place", ["a file", "a folder that cannot be made"])
def test_without_a_usable_folder_nothing_is_kept_and_it_says_so(tmp_path, place):
    blocked = tmp_path / "file"
    blocked.write_text("")
    store = VectorStore(blocked if place == "a file" else blocked / "folder")
    assert not store.put_many("key", hashes(2), vectors(2))
    assert len(store.get_many("key", hashes(2)).rows) == 0
    assert list(store.missing("key", hashes(2))) == [0, 1] and store.get_notes("key", "texts") is None
    assert store.prune() == 0
    assert store.warnings[0].startswith("Vectors are not stored:")


def test_a_full_disk_loses_the_batch_and_nothing_else(tmp_path, monkeypatch):
    store = filled(tmp_path)
    connect = sqlite3.connect

    def small(*args, **options):
        db = connect(*args, **options)
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        return db

    monkeypatch.setattr(core.vectors.store.sqlite3, "connect", small)
    assert not store.put_many("key", hashes(5000, start=1000), vectors(5000))
    assert "full" in store.warnings[0]
    assert len(store.get_many("key", hashes(200)).rows) == 200


@pytest.fixture
def waits(monkeypatch) -> list[float]:
    """Every wait that SQLite was allowed, in seconds; none is really waited."""
    found: list[float] = []
    connect = sqlite3.connect

    def impatient(*args, timeout: float, **options):
        found.append(timeout)
        return connect(*args, timeout=0, **options)

    monkeypatch.setattr(core.vectors.store.sqlite3, "connect", impatient)
    return found


def test_a_held_lock_is_waited_for_once_and_the_work_goes_on(tmp_path, waits):
    store = filled(tmp_path)
    holder = sqlite3.connect(store.file, isolation_level=None, timeout=0)
    holder.execute("BEGIN IMMEDIATE")
    waits.clear()
    for start in range(1000, 1050, 10):
        assert not store.put_many("key", hashes(10, start), vectors(10))
    assert not store.put_notes("key", "texts", "[]") and store.prune(0) == 0
    assert waits[0] == WAIT / 1000 and set(waits[1:]) == {0}
    assert len(store.warnings) == 1 and str(store.file) in store.warnings[0]
    assert len(store.get_many("key", hashes(200)).rows) == 200, "a writer keeps nobody from reading"
    holder.execute("COMMIT")
    holder.close()
    assert store.put_many("key", hashes(10, 2000), vectors(10)), "what comes after the lock is kept"
    assert VectorStore(tmp_path).put_notes("key", "texts", "[]") and waits[-1] == WAIT / 1000, "another run may wait"


def test_a_database_that_cannot_be_begun_is_waited_for_once(tmp_path, waits, monkeypatch):
    pauses: list[float] = []
    monkeypatch.setattr(core.vectors.store.time, "sleep", pauses.append)
    store = VectorStore(tmp_path)
    holder = sqlite3.connect(store.file, isolation_level=None, timeout=0)
    holder.execute("BEGIN EXCLUSIVE")
    for start in range(0, 50, 10):
        assert not store.put_many("key", hashes(10, start), vectors(10))
    assert sum(pauses) <= WAIT / 1000 and waits.count(WAIT / 1000) == 1
    assert len(store.warnings) == 1
    holder.close()


def test_a_filled_read_only_cache_is_read(open_folder):  # noqa: F811
    folder = open_folder / "cache of #1?"
    store = filled(folder)
    store.put_notes("key", "texts", "[1]")
    with read_only(open_folder):
        store = VectorStore(folder)
        found = store.get_many("key", hashes(201))
        assert sorted(found.rows) == list(range(200)) and np.array_equal(found.vectors, vectors(200)[found.rows])
        assert list(store.missing("key", hashes(201))) == [200] and store.get_notes("key", "texts") == "[1]"
        assert store.warnings == ()
        assert not store.put_many("key", hashes(1, 300), vectors(1)) and store.prune(0) == 0
        assert store.warnings and all(each.startswith("Vectors are not stored") for each in store.warnings)
        assert len(store.get_many("key", hashes(200)).rows) == 200
    assert VectorStore(folder).put_many("key", hashes(1, 300), vectors(1))


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from tests.core.vectors.test_store import VectorStore, filled
import sqlite3
store = filled(sys.argv[2])
other = sqlite3.connect(store.file)  # an open reader: nothing is moved out of the log when others close
other.execute("SELECT count(*) FROM vectors").fetchone()
filled(sys.argv[2], 400)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_read_only_cache_that_a_kill_left_open_gives_no_wrong_vector(open_folder):  # noqa: F811
    folder = open_folder / "cache"
    assert subprocess.run([sys.executable, "-c", KILLED, str(ROOT), str(folder)]).returncode == -9
    assert (folder / "vectors-1.sqlite3-wal").stat().st_size > 0
    (folder / "vectors-1.sqlite3-shm").unlink()
    with read_only(open_folder):
        found = VectorStore(folder).get_many("key", hashes(400))
        assert 200 <= len(found.rows) <= 400 and np.array_equal(found.vectors, vectors(400)[found.rows])
    assert len(VectorStore(folder).get_many("key", hashes(400)).rows) == 400


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from tests.core.vectors.test_store import VectorStore, hashes, vectors
store = VectorStore(sys.argv[2])
start = int(sys.argv[3])
for number in range(start, start + 1500, 10):
    assert store.put_many("key", hashes(10, number), vectors(10, seed=number)), store.warnings
"""


def test_two_processes_write_at_once(tmp_path):
    # The ranges overlap, so that the same rows are also written by both.
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(ROOT), str(tmp_path), str(start)], stderr=subprocess.PIPE)
        for start in (0, 1000)
    ]
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors.decode()
    found = VectorStore(tmp_path).get_many("key", hashes(2500))
    assert len(found.rows) == 2500 and found.damaged == 0


def test_prune_drops_the_oldest_first_and_shrinks_the_file(tmp_path):
    store = VectorStore(tmp_path)
    for start in range(0, 2000, 500):
        store.put_many(f"key {start}", hashes(500, start), vectors(500, 384))
    store.put_notes("key 0", "texts", "[]")
    before = store.file.stat().st_size
    assert store.prune(before) == 0
    dropped = store.prune(before // 2)
    assert 1000 <= dropped < 1300 and store.file.stat().st_size <= before // 2
    assert len(store.get_many("key 0", hashes(500)).rows) == 0 and store.get_notes("key 0", "texts") is None
    assert len(store.get_many("key 1500", hashes(500, 1500)).rows) == 500
    assert store.prune(0) == 2000 - dropped


def test_a_store_keeps_its_size_while_it_is_written(tmp_path):
    limit = 1_500_000
    store = VectorStore(tmp_path, limit=limit)
    batch = vectors(100, 384)
    for start in range(0, 4000, 100):  # and nobody calls prune, as when a run is stopped
        assert store.put_many("key", hashes(100, start), batch)
        assert store.file.stat().st_size <= limit + 2 * batch.nbytes
    kept = 4000 - len(store.missing("key", hashes(4000)))
    assert limit / 2 < kept * batch[0].nbytes < limit
    assert set(store.missing("key", hashes(4000))) == set(range(4000 - kept)), "the oldest go first"
    assert not store.warnings


def test_the_folder_is_that_of_all_caches(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    assert VectorStore().folder == tmp_path
