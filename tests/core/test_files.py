"""Our own files: where caches go, and writing whole or not at all."""

import pytest

from core.files import cache_folder, written_whole


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
