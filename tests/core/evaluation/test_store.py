"""Answers on disk: what goes in comes out, and damage, rivals and folders that cannot be written are survived."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.evaluation import Answers, ResultStore, write_runs
from core.evaluation.store import read_runs
from core.files import cache_folder
from tests.conftest import ROOT

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


def test_the_last_answers_put_are_the_ones_found(tmp_path):
    store = ResultStore(tmp_path)
    store.put(KEY, run(0.1))
    store.put(KEY, run(0.2, 0.3))
    assert same(store.get(KEY), run(0.2, 0.3))
    assert [file.name for file in store.folder.glob("*/*")] == [f"{KEY}.answers"]


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
    file.rename(file.with_name(f"{other}.answers"))
    assert store.get(other) is None


def test_what_a_kill_leaves_behind_is_never_read(tmp_path):
    store = ResultStore(tmp_path)
    store.put(KEY, run(0.1))
    (file,) = store.folder.glob("*/*")
    file.rename(file.with_name("tmp123.partial"))
    assert store.get(KEY) is None
    assert store.put(KEY, run(0.2))
    assert same(store.get(KEY), run(0.2))


def test_threads_at_one_key_leave_one_whole_file(tmp_path):
    kept = [run(*[float(number)] * 2_000) for number in range(8)]
    stores = [ResultStore(tmp_path) for _ in kept]

    def work(number: int) -> bool:
        written = all(stores[number].put(KEY, kept[number]) for _ in range(20))
        found = stores[number].get(KEY)  # whichever thread wrote last
        return written and any(same(found, one) for one in kept)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert [file.name for file in stores[0].folder.glob("*/*")] == [f"{KEY}.answers"]


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


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_read(tmp_path):
    store = ResultStore(tmp_path)
    store.put(KEY, run(0.1))
    folders = [tmp_path, store.folder, *store.folder.iterdir()]
    for folder in folders:
        folder.chmod(0o500)
    try:
        assert not store.put(KEY, run(0.2))
        assert same(store.get(KEY), run(0.1))
    finally:
        for folder in folders:
            folder.chmod(0o700)


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
        os.utime(store.folder / key[:2] / f"{key}.answers", (number, number))
    size = sum(file.stat().st_size for file in store.folder.glob("*/*"))
    assert store.prune() == store.prune(size) == 0
    dropped = store.prune(size // 2)
    assert 10 <= dropped <= 12
    assert [store.get(key) is None for key in keys] == [number < dropped for number in range(20)]
    assert store.prune(0) == 20 - dropped


def test_the_folder_is_that_of_all_caches():
    assert ResultStore().folder.parent == cache_folder()
