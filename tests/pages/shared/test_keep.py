"""The visitor's own file: found again by its visitor and nobody else, named in links, forgotten on demand and when idle."""

import hashlib
import os
import time
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.corpora import Corpus
from pages.shared import jobs, keep
from tests.conftest import ROOT
from tests.pages.opened import all_text, metrics, press

OWN = "Your own file"
ME, OTHER = "a" * 32, "b" * 32


@pytest.fixture(autouse=True)
def a_cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    jobs.caches().clear()


def visit(token: str, page: str = "corpus", **query: str) -> AppTest:
    """A new session of the browser that has this cookie."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    app.session_state["token"] = token
    for name, value in {"encoder": "LSA", **query}.items():
        app.query_params[name] = value
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception, app.exception
    return app


def load(app: AppTest, content: bytes, name: str = "mine.csv") -> AppTest:
    (field,) = (each for each in app.get("file_uploader") if each.key.startswith("files"))
    field.set_value([(name, content, "text/csv")]).run()
    return press(app, "Use this corpus")


def folder_of(token: str) -> Path:
    return Path(os.environ["LEAKSCOPE_CACHE"]) / "sessions" / hashlib.sha256(token.encode()).hexdigest()


def test_a_reload_finds_the_file_and_another_browser_does_not(tiny_csv: bytes):
    assert metrics(load(visit(ME), tiny_csv))["Documents"] == "12"
    jobs.caches().clear()  # the server was started again
    app = visit(ME, corpus=OWN)
    assert metrics(app)["Documents"] == "12"
    other = visit(OTHER, corpus=OWN)
    assert "file_corpus" not in other.session_state
    assert any("No file is loaded" in info.value for info in other.info)


def test_the_token_is_in_no_name_on_disk(tiny_csv: bytes, tmp_path: Path):
    load(visit(ME), tiny_csv)
    names = [str(path) for path in tmp_path.rglob("*")]
    assert any("sessions" in name for name in names)
    assert not any(ME in name for name in names)


def test_a_second_tab_holds_the_same_corpus_not_a_copy(tiny_csv: bytes):
    first = load(visit(ME), tiny_csv)
    assert visit(ME, corpus=OWN).session_state["file_corpus"] is first.session_state["file_corpus"]


def test_nothing_is_hashed_or_written_twice(tiny_csv: bytes, monkeypatch: pytest.MonkeyPatch):
    done: list[str] = []

    def counted(name: str, module: str) -> None:
        before = getattr(__import__(module, fromlist=[name]), name)
        monkeypatch.setattr(f"{module}.{name}", lambda *given: (done.append(name), before(*given))[1])

    counted("_content_digest", "core.corpora.corpus")
    counted("write_cached", "core.corpora.uploads")
    app = load(visit(ME), tiny_csv)
    assert done.count("write_cached") == 1
    done.clear()
    for page in ("hits", "corpus", "overview"):
        app.switch_page(f"pages/{page}.py").run()
    assert done == []


def test_vectors_of_ones_own_are_kept_too(tiny_csv: bytes, tmp_path: Path):
    app = load(visit(ME), tiny_csv)
    np.save(tmp_path / "v.npy", np.eye(12, dtype=np.float32))
    data = (tmp_path / "v.npy").read_bytes()
    app.file_uploader(key="vectors_file").set_value(("v.npy", data, "application/octet-stream")).run()
    app.button(key="use_vectors").click().run()
    assert app.session_state["encoder"] == "precomputed"
    jobs.caches().clear()
    found = visit(ME, corpus=OWN, encoder="Precomputed").session_state["file_corpus"]
    np.testing.assert_array_equal(found.vectors, np.eye(12))


def test_a_damaged_file_is_said_once_and_removed(tiny_csv: bytes):
    load(visit(ME), tiny_csv)
    jobs.caches().clear()
    (folder_of(ME) / "corpus" / "documents.parquet").write_bytes(b"nothing")
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    app.session_state["token"] = ME
    app.query_params["corpus"] = OWN
    app.run()
    assert any("Load it again" in error.value for error in app.error)
    assert not (folder_of(ME) / "corpus").exists()
    assert not app.run().error


def test_a_link_names_the_file_it_was_made_with(tiny_csv: bytes):
    app = load(visit(ME), tiny_csv)
    corpus = app.session_state["file_corpus"]
    assert app.query_params["file"] == "mine.csv"
    assert app.query_params["print"] == corpus.content_digest[:8]
    link = {"corpus": OWN, "file": "mine.csv", "print": corpus.content_digest[:8]}

    other = visit(OTHER, "hits", **link)
    assert any(f"made with the file mine\\.csv (fingerprint {link['print']})" in info.value for info in other.info)
    assert other.query_params["print"] == link["print"], "the link still says what it wants"
    other.switch_page("pages/corpus.py").run()
    other = load(other, tiny_csv, "renamed.csv")  # what counts is the content
    assert not other.warning
    other.switch_page("pages/hits.py").run()
    assert other.slider(key="m").value <= 3, "the view of the link, on its file"

    wrong = load(visit("c" * 32, **link), tiny_csv.replace(b"flour", b"sugar"))
    assert any("is another file or has other columns" in warning.value for warning in wrong.warning)
    assert wrong.query_params["print"] == wrong.session_state["file_corpus"].content_digest[:8]


def test_a_kept_file_that_the_link_does_not_mean_says_so_and_the_link_stays(tiny_csv: bytes):
    load(visit(ME), tiny_csv)
    app = visit(ME, corpus=OWN, file="![x](y)", print="0" * 8)
    assert any("is another file" in warning.value and "![x]" not in warning.value for warning in app.warning)
    assert app.query_params["print"] == "0" * 8


def test_the_bundled_corpus_has_no_file_in_its_address():
    app = visit(ME, file="mine.csv", print="0" * 8)
    assert "file" not in app.query_params and "print" not in app.query_params


@pytest.mark.parametrize("print", ["", "xyz", "0" * 9, "<script>"])
def test_a_link_with_half_a_fingerprint_wants_nothing(print: str):
    app = visit(ME, corpus=OWN, file="mine.csv", print=print)
    assert any("No file is loaded" in info.value for info in app.info)


def test_a_forgotten_file_is_nowhere(tiny_csv: bytes):
    app = load(visit(ME), tiny_csv)
    app.button(key="forget").click().run()
    assert not app.exception
    assert app.selectbox(key="corpus").value == "courier"
    assert "file_corpus" not in app.session_state
    (field,) = (each for each in app.get("file_uploader") if each.key.startswith("files"))
    assert not field.value
    assert not folder_of(ME).exists()
    kept = [each for cache in jobs.caches().values() for each in cache.values() if isinstance(each, Corpus)]
    assert not [corpus for corpus in kept if corpus.name == "mine.csv"]
    assert "file_corpus" not in visit(ME, corpus=OWN).session_state


def idle(name: str, hours: float) -> Path:
    made = Path(os.environ["LEAKSCOPE_CACHE"]) / "sessions" / name
    (made / "corpus").mkdir(parents=True)
    (made / "corpus" / "about.json").write_text("{}")
    os.utime(made, (time.time() - hours * 3600,) * 2)
    return made


@pytest.mark.parametrize(("hosted", "kept_for"), [("", 24), ("1", 2)])
def test_idle_files_go_and_others_stay(hosted: str, kept_for: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_HOSTED", hosted)
    old, young = idle("1" * 64, kept_for + 1), idle("2" * 64, kept_for - 1)
    foreign = idle("not-ours", 1000)
    assert keep.sweep() == 1
    assert not old.exists() and young.exists() and foreign.exists()


def test_a_sweep_is_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(keep, "MOST_REMOVED", 3)
    for number in range(5):
        idle(f"{number:064x}", 1000)
    assert [keep.sweep(), keep.sweep(), keep.sweep()] == [3, 2, 0]


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("x")
    (tmp_path / "sessions").mkdir()
    link = tmp_path / "sessions" / ("3" * 64)
    link.symlink_to(elsewhere)
    os.utime(link, (0, 0), follow_symlinks=False)
    assert keep.sweep() == 0
    assert (elsewhere / "precious").exists()


def test_a_file_in_use_is_not_idle(tiny_csv: bytes):
    load(visit(ME), tiny_csv)
    before = time.time() - 23 * 3600
    os.utime(folder_of(ME), (before, before))
    visit(ME, corpus=OWN)
    assert folder_of(ME).stat().st_mtime > before + 3600


def test_privacy_is_stated_where_files_are_loaded(monkeypatch: pytest.MonkeyPatch):
    assert "24 hours" in all_text(visit(ME))
    monkeypatch.setenv("LEAKSCOPE_HOSTED", "1")
    told = all_text(visit(ME))
    assert "2 hours" in told and "Only this browser can open it" in told
