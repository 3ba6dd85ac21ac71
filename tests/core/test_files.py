"""Our own files: where caches go, writing whole or not at all, and what killed writers leave."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.files import STALE, cache_folder, remove_leftovers, written_whole
from tests.conftest import ROOT


def test_the_cache_folder_comes_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("LEAKSCOPE_CACHE")
    assert cache_folder().name == "leakscope"


def test_a_file_or_a_folder_appears_when_it_is_whole(tmp_path):
    for target, content in ((tmp_path / "file", None), (tmp_path / "folder", "inner")):
        with written_whole(target) as partial:
            if content is None:
                partial.write_text("whole")
            else:
                partial.mkdir()
                (partial / content).write_text("whole")
            assert not target.exists() and partial.parent == tmp_path
    assert (tmp_path / "file").read_text() == (tmp_path / "folder" / "inner").read_text() == "whole"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.parametrize("folder", [False, True])
def test_an_error_leaves_what_was_there(tmp_path, folder):
    (tmp_path / "target").write_text("old")
    with pytest.raises(ZeroDivisionError), written_whole(tmp_path / "target") as partial:
        if folder:
            partial.mkdir()
            (partial / "inner").write_text("half")
        else:
            partial.write_text("half")
        raise ZeroDivisionError
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("target", "old")]


def test_two_writers_of_one_target_do_not_meet(tmp_path):
    with written_whole(tmp_path / "target") as one, written_whole(tmp_path / "target") as two:
        assert one != two
        one.write_text("one")
        two.write_text("two")
    assert (tmp_path / "target").read_text() == "one", "the one that ends last"


def test_a_place_that_cannot_be_written_is_an_ordinary_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(NotADirectoryError), written_whole(tmp_path / "file" / "target") as partial:
        partial.write_text("x")


WRITER = """
import sys, time
from pathlib import Path
from core.files import written_whole
with written_whole(Path(sys.argv[1])) as partial:
    if sys.argv[2] == "folder":
        partial.mkdir()
        (partial / "inner").write_text("half")
    else:
        partial.write_text("half")
    print("writing", flush=True)
    time.sleep(600)
"""


def writing(target: Path, kind: str) -> subprocess.Popen:
    """Another process in the middle of writing `target`."""
    command = [sys.executable, "-c", WRITER, str(target), kind]
    writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None and writer.stdout.readline() == "writing\n"
    return writer


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_writer_left_goes_and_what_a_living_one_writes_stays(tmp_path, kind):
    living, killed = (writing(tmp_path / name, kind) for name in ("living", "killed"))
    try:
        assert len(list(tmp_path.iterdir())) == 2 and remove_leftovers(tmp_path) == 0
        killed.kill()  # not yet waited for: a zombie, whose number is still taken
        os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)
        with written_whole(tmp_path / "other") as partial:
            partial.write_text("whole")
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names[1:] == ["other"] and names[0].startswith(".living.")
    finally:
        for process in (living, killed):
            process.kill()
            process.communicate()
    assert remove_leftovers(tmp_path) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_a_number_taken_over_by_another_process_is_no_writer(tmp_path):
    with written_whole(tmp_path / "target") as partial:
        partial.write_text("whole")
        writer, token = partial.name.rsplit("-", 1)
        host, process, started = writer.rsplit("-", 2)
        (tmp_path / f"{host}-{process}-{int(started) - 1}-{token}").write_text("of one before us")
        assert remove_leftovers(tmp_path) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_leftovers_of_another_machine_go_when_they_are_old(tmp_path):
    foreign = tmp_path / ".target.00000000-1-1-00000000.partial"
    foreign.mkdir()
    assert remove_leftovers(tmp_path) == 0
    os.utime(foreign, (time.time() - STALE - 60,) * 2)
    assert remove_leftovers(tmp_path) == 1 and not foreign.exists()


def test_no_other_file_is_taken_for_a_leftover(tmp_path):
    names = ["thesis.partial", ".thesis.partial", ".target.0123abcd.partial", "target.00000000-1-1-00000000.partial"]
    for name in names:
        (tmp_path / name).write_text("mine")
        os.utime(tmp_path / name, (0, 0))
    assert remove_leftovers(tmp_path) == 0 and remove_leftovers(tmp_path / "absent") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_a_link_that_looks_like_a_leftover_leads_nowhere(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("mine")
    link = tmp_path / ".target.00000000-1-1-00000000.partial"
    link.symlink_to(tmp_path / "kept")
    os.utime(link, (0, 0), follow_symlinks=False)
    assert remove_leftovers(tmp_path) == 1
    assert not link.is_symlink() and (tmp_path / "kept" / "file").read_text() == "mine"
