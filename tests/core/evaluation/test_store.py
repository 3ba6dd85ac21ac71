"""Answers on disk: what goes in comes out, and damage, rivals and folders that cannot be written are survived."""

import hashlib
import json
import os
import subprocess
import sys
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.demo import RESULTS
from core.evaluation import Answers, ResultStore, write_runs
from core.evaluation import store as store_module
from core.evaluation.store import LIBRARIES, MOST, read_runs, versions
from core.files import cache_folder
from tests.conftest import ROOT
from tests.core.read_only import open_folder, read_only  # noqa: F401

KEY = "ab" * 32


def run(*values: float, notes: tuple[str, ...] = ("A note – with a dash.",)) -> Answers:
    return Answers(np.array(values, dtype=np.float64), notes)


def same(one: Answers | None, two: Answers) -> bool:
    return one is not None and (one.answers.tobytes(), one.notes, one.problem) == (
        two.answers.tobytes(),
        two.notes,
        two.problem,
    )


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(st.floats(allow_nan=False), max_size=30),
    notes=st.lists(st.text(), max_size=3),
    problem=st.none() | st.text(),
)
def test_what_goes_in_comes_out_to_the_last_digit(tmp_path_factory, values, notes, problem):
    store = ResultStore(tmp_path_factory.mktemp("store"))
    kept = Answers(np.array(values), tuple(notes), problem)
    assert store.get(KEY) is None
    assert store.put(KEY, kept)
    found = store.get(KEY)
    assert same(found, kept)
    assert not found.answers.flags.writeable
    assert store.get("cd" * 32) is None


def test_all_runs_of_a_folder_are_given_by_key(tmp_path):
    store = ResultStore(tmp_path)
    assert store.runs() == {}
    store.put(KEY, run(0.1))
    store.put("cd" * 32, run(0.2, 0.3))
    (store.folder / "ab" / "broken.answers").write_bytes(b"nothing of ours")
    found = store.runs()
    assert found.keys() == {KEY, "cd" * 32}
    assert same(found[KEY], run(0.1))


def test_the_last_answers_put_are_the_ones_found(tmp_path):
    store = ResultStore(tmp_path)
    store.put(KEY, run(0.1))
    store.put(KEY, run(0.2, 0.3))
    assert same(store.get(KEY), run(0.2, 0.3))
    (file,) = store.folder.glob("*/*")
    assert file.name.startswith(KEY) and file.suffix == ".answers"


def test_any_byte_changed_or_missing_counts_as_absent(tmp_path):
    store = ResultStore(tmp_path)
    store.put(KEY, run(*np.linspace(0, 1, 20)))
    (file,) = store.folder.glob("*/*")
    whole = file.read_bytes()
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert store.get(KEY) is None
        file.write_bytes(whole[:place])
        assert store.get(KEY) is None
    file.write_bytes(whole + b"x")
    assert store.get(KEY) is None
    file.write_bytes(whole)
    assert store.get(KEY) is not None


def test_a_file_under_another_name_is_not_taken_for_it(tmp_path):
    store = ResultStore(tmp_path)
    store.put(KEY, run(0.1))
    (file,) = store.folder.glob("*/*")
    other = "ab" + "00" * 31
    file.rename(file.with_name(file.name.replace(KEY, other)))
    assert store.get(other) is None


def test_what_a_kill_leaves_behind_is_never_read(tmp_path):
    store = ResultStore(tmp_path)
    store.put(KEY, run(0.1))
    (file,) = store.folder.glob("*/*")
    file.rename(file.with_name("tmp123.partial"))
    assert store.get(KEY) is None
    assert store.put(KEY, run(0.2))
    assert same(store.get(KEY), run(0.2))


def packed(content: bytes, behind: bytes = b"") -> bytes:
    """Content with a checksum that fits it, as a forger would write it."""
    squeezed = zlib.compress(content) + behind
    return hashlib.sha256(squeezed).digest() + squeezed


def forged(runs: object, **more: object) -> bytes:
    return packed(json.dumps({"runs": runs, "versions": versions(), **more}).encode())


FORGED = {
    "no JSON": packed(b"\xff\x00"),
    "nothing": packed(b""),
    "a list": packed(b"[]"),
    "the layout without versions": packed(json.dumps({KEY: [[0.1], [], None]}).encode()),
    "something more": forged({KEY: [[0.1], [], None]}, more=1),
    "runs in a list": forged([[[0.1], [], None]]),
    "a run of two parts": forged({KEY: [[0.1], []]}),
    "a run by name": forged({KEY: {"answers": [0.1], "notes": [], "problem": None}}),
    "a number as answers": forged({KEY: [0.1, [], None]}),
    "answers in rows": forged({KEY: [[[0.1], [0.2]], [], None]}),
    "ragged answers": forged({KEY: [[[0.1], 0.2], [], None]}),
    "words as answers": forged({KEY: [["0.1"], [], None]}),
    "truth as answers": forged({KEY: [[True], [], None]}),
    "no answer": forged({KEY: [[None], [], None]}),
    "not a number": forged({KEY: [[float("nan")], [], None]}),
    "a number too large": packed(json.dumps({"runs": {KEY: [[10**400], [], None]}, "versions": versions()}).encode()),
    "a number of many digits": packed(b'{"runs": {"' + KEY.encode() + b'": [[' + b"1" * 10_000 + b"], [], null]}}"),
    "notes of numbers": forged({KEY: [[0.1], [1], None]}),
    "one note": forged({KEY: [[0.1], "note", None]}),
    "a problem of numbers": forged({KEY: [[], [], 7]}),
    "nested too deep": packed(b"[" * 200_000),
    "something behind it": packed(
        json.dumps({"runs": {KEY: [[0.1], [], None]}, "versions": versions()}).encode(), b"x"
    ),
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_file_with_a_fitting_checksum_counts_as_damaged(tmp_path, kind):
    store = ResultStore(tmp_path)
    store.put(KEY, run(0.1))
    (file,) = store.folder.glob("*/*")
    file.write_bytes(forged({KEY: [[0.25, 1], ["as we write it"], None]}))
    assert same(store.get(KEY), run(0.25, 1.0, notes=("as we write it",))), "what is well-formed is read"
    file.write_bytes(FORGED[kind])
    assert read_runs(file) == {} and store.get(KEY) is None
    assert store.put(KEY, run(0.2)) and same(store.get(KEY), run(0.2))


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=12,
    )
)
def test_whatever_a_file_holds_it_never_breaks_its_reader(tmp_path_factory, content):
    file = tmp_path_factory.mktemp("forged") / "file"
    for runs in (content, {KEY: content}, {KEY: [content, [], None]}, {KEY: [[content], [], None]}):
        file.write_bytes(forged(runs))
        for found in read_runs(file).values():
            assert found.answers.ndim == 1 and found.answers.dtype == np.float64
            assert all(isinstance(note, str) for note in found.notes)


def test_a_file_that_expands_without_end_is_not_unpacked(tmp_path):
    squeezed = zlib.compress(json.dumps({"runs": {}, "versions": versions()}).encode() + b" " * (10 * MOST), 1)
    assert len(squeezed) < MOST / 10
    (tmp_path / "bomb").write_bytes(hashlib.sha256(squeezed).digest() + squeezed)
    tracemalloc.start()
    try:
        assert read_runs(tmp_path / "bomb") == {}
        assert tracemalloc.get_traced_memory()[1] < 3 * MOST
    finally:
        tracemalloc.stop()


def test_a_run_too_large_to_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "MOST", 2_000)
    store = ResultStore(tmp_path)
    assert store.put(KEY, run(*[0.5] * 300)) and store.get(KEY) is not None
    assert not store.put("cd" * 32, run(*[0.123456789] * 300))
    assert len(list(store.folder.glob("*/*"))) == 1


def test_answers_of_other_libraries_are_other_answers(tmp_path, monkeypatch):
    store, shipped = ResultStore(tmp_path / "mine"), tmp_path / "shipped.answers"
    store.put(KEY, run(0.1))
    with shipped.open("wb") as target:
        write_runs(target, {KEY: run(0.7)})
    here, read_once = versions(), store_module._read_once
    for library in LIBRARIES:
        elsewhere = here | {library: "0.0"}
        with monkeypatch.context() as patch:
            patch.setattr(store_module, "versions", lambda elsewhere=elsewhere: elsewhere)
            read_once.cache_clear()
            assert store.get(KEY) is None
            project = ResultStore(tmp_path / "mine", project=tmp_path)
            assert project.get(KEY) is None
            assert same(ResultStore(tmp_path / "mine", shipped=shipped).get(KEY), run(0.7)), (
                "the first page never waits"
            )
            store.put(KEY, run(0.2))
            assert same(store.get(KEY), run(0.2))
            (file,) = (file for file in store.folder.glob("*/*") if same(read_runs(file).get(KEY), run(0.2)))
        assert same(store.get(KEY), run(0.1)), "both are kept"
        assert read_runs(file) == {}, "a file renamed is known by what it holds"
    read_once.cache_clear()
    assert same(ResultStore(tmp_path / "none", shipped=shipped).get(KEY), run(0.7))


def test_versions_are_those_that_the_requirements_pin():
    lines = (line.split() for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line)
    pins = dict(line[0].split("==") for line in lines)
    assert versions() == {name: ".".join(pins[name].split(".")[:2]) for name in LIBRARIES}
    assert np.__version__.startswith(f"{versions()['numpy']}.")


def test_the_shipped_answers_are_found_here():
    found = read_runs(RESULTS)
    assert len(found) > 500
    key = next(iter(found))
    assert same(ResultStore("/proc/nowhere", shipped=RESULTS).get(key), found[key])


def test_threads_at_one_key_leave_one_whole_file(tmp_path):
    kept = [run(*[float(number)] * 2_000) for number in range(8)]
    stores = [ResultStore(tmp_path) for _ in kept]

    def work(number: int) -> bool:
        written = all(stores[number].put(KEY, kept[number]) for _ in range(20))
        found = stores[number].get(KEY)  # whichever thread wrote last
        return written and any(same(found, one) for one in kept)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    (file,) = stores[0].folder.glob("*/*")
    assert file.name.startswith(KEY) and file.suffix == ".answers"


def test_processes_at_one_key_leave_one_whole_file(tmp_path):
    script = (
        "import sys, numpy as np; from core.evaluation.store import *\n"
        f"store, run = ResultStore(sys.argv[1]), Answers(np.full(3000, float(sys.argv[2])), ())\n"
        f"assert all(store.put('{KEY}', run) and len(store.get('{KEY}').answers) == 3000 for _ in range(100))"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path), str(number)], cwd=ROOT) for number in (1, 2)
    ]
    assert [process.wait(timeout=60) for process in started] == [0, 0]
    answers = ResultStore(tmp_path).get(KEY).answers
    assert set(answers.tolist()) in ({1.0}, {2.0})
    assert len(list(ResultStore(tmp_path).folder.glob("*/*"))) == 1


def test_a_folder_that_cannot_be_written_keeps_nothing_and_raises_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    store = ResultStore(tmp_path / "file")
    assert not store.put(KEY, run(0.1))
    assert store.get(KEY) is None and store.prune() == 0
    # A disk that fills up in the middle leaves nothing behind either.
    full = ResultStore(tmp_path / "full")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.evaluation.store.write_runs", refuse)
    assert not full.put(KEY, run(0.1))
    assert list(full.folder.glob("*/*")) == []


def test_a_read_only_folder_is_read(open_folder):  # noqa: F811
    store = ResultStore(open_folder)
    store.put(KEY, run(0.1))
    with read_only(open_folder):
        assert not store.put(KEY, run(0.2))
        assert same(store.get(KEY), run(0.1))


def test_shipped_answers_serve_where_the_folder_has_none(tmp_path):
    shipped, other = tmp_path / "shipped.answers", "cd" * 32
    with shipped.open("wb") as target:
        write_runs(target, {KEY: run(0.1), other: run(0.2, 0.3)})
    assert read_runs(shipped).keys() == {KEY, other}
    store = ResultStore(tmp_path / "mine", shipped=shipped)
    assert same(store.get(other), run(0.2, 0.3))
    store.put(KEY, run(0.9))
    assert same(store.get(KEY), run(0.9))
    with shipped.open("wb") as target:
        write_runs(target, {other: run(0.4)})
    assert same(store.get(other), run(0.4))
    for content in (b"", b"nonsense", shipped.read_bytes()[:-1]):
        shipped.write_bytes(content)
        assert store.get(other) is None
    shipped.unlink()
    assert store.get(other) is None


def test_pruning_drops_the_files_written_first(tmp_path):
    store = ResultStore(tmp_path)
    keys = [f"{number:02d}" * 32 for number in range(20)]
    for number, key in enumerate(keys):
        store.put(key, run(0.5))
        (file,) = (store.folder / key[:2]).glob(f"{key}*")
        os.utime(file, (number, number))
    size = sum(file.stat().st_size for file in store.folder.glob("*/*"))
    assert store.prune() == store.prune(size) == 0
    dropped = store.prune(size // 2)
    assert 10 <= dropped <= 12
    assert [store.get(key) is None for key in keys] == [number < dropped for number in range(20)]
    assert store.prune(0) == 20 - dropped


def test_a_store_keeps_its_size_while_it_is_written(tmp_path):
    values = run(*np.random.default_rng(0).random(100))
    limit = 40_000
    store = ResultStore(tmp_path, limit=limit)
    keys = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(150)]
    for key in keys:  # and nobody calls prune, as when a run is stopped
        assert store.put(key, values)
        size = sum(file.stat().st_size for file in store.folder.glob("*/*"))
        assert size <= limit * 1.05 + 2_000
    assert size > limit / 2 and sum(store.get(key) is not None for key in keys) > 20
    assert store.get(keys[-1]) is not None
    # Another process knows nothing of what this one has counted, and looks at the folder first.
    store_module._room.clear()
    smaller = ResultStore(tmp_path, limit=limit // 2)
    smaller.put(KEY, values)
    assert sum(file.stat().st_size for file in store.folder.glob("*/*")) <= limit / 2


def test_pruning_removes_what_killed_writers_left_and_no_file_being_written(tmp_path):
    store = ResultStore(tmp_path)
    store.put(KEY, run(0.1))
    folder = store.folder / "ab"
    old, new = (folder / f".{KEY}.answers.00000000-1-1-0000000{each}.partial" for each in (0, 1))
    old.write_bytes(b"x" * 10_000)
    new.write_bytes(b"x" * 10_000)
    os.utime(old, (0, 0))
    store.prune(0)
    assert list(folder.iterdir()) == [new]


def test_the_folder_is_that_of_all_caches():
    assert ResultStore().folder.parent == cache_folder()
