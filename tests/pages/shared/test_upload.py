"""Uploads: columns chosen by hand, and everything that is refused in a sentence."""

from collections.abc import Iterator

import numpy as np
import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from core.engine import Job, Jobs, Limits
from pages.shared import result_cache, work
from pages.shared.upload import _limits
from tests.pages.opened import metrics, press, upload
from tests.pages.shared import errands


def test_columns_can_be_chosen_by_hand(tiny_csv):
    renamed = tiny_csv.replace(b"id,text,author,topic", b"a,b,c,d")
    app = upload(("my.csv", renamed))
    app.selectbox(key="role_text").set_value("b")
    app.selectbox(key="role_topic").set_value("d")
    app.selectbox(key="role_author").set_value("(none)").run()
    press(app, "Use this corpus")
    assert metrics(app)["Authors"] == "none"
    assert any("no authors" in info.value for info in app.info)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.csv", b"", "empty"),
        ("header.csv", b"text,topic\n", "no documents"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(40), "picture.csv"),
        ("broken.parquet", b"text,topic\na,b\n", "Parquet"),
        (
            "long.csv",
            b"text,topic\n" + b"x" * 1_000_001 + b",a\nworld,b\n",
            "row 1) has a cell of more than 1,000,000 characters",
        ),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence_and_nothing_is_lost(name, content, words):
    app = upload((name, content))
    assert len(app.error) == 1
    assert words.lower() in app.error[0].value.lower()
    assert metrics(app)["Topics"] == "24", "the corpus in hand is still there"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"text,topic\nhello,\nworld,b\n", "row 1: empty 'topic'"),
        (b"text,topic\nhello,a\nworld,a\n", "at least 2 topics"),
    ],
)
def test_a_bad_row_is_named_with_its_remedy(content, words):
    app = press(upload(("rows.csv", content)), "Use this corpus")
    assert any(words in error.value for error in app.error), [error.value for error in app.error]
    assert app.selectbox(key="corpus").value == "courier"


def test_an_id_given_twice_is_named_with_both_rows():
    app = upload(("ids.csv", b"id,text,topic\n1,hello,a\n1,world,b\n"))
    app.selectbox(key="role_id").set_value("id").run()
    press(app, "Use this corpus")
    assert "row 2: id '1' already stands in row 1" in app.error[0].value


def test_vectors_of_the_wrong_length_are_refused(tiny_csv, tmp_path):
    app = press(upload(("my.csv", tiny_csv)), "Use this corpus")
    target = tmp_path / "v.npy"
    np.save(target, np.ones((3, 5), dtype=np.float32))
    app.file_uploader(key="vectors_file").set_value(("v.npy", target.read_bytes(), "application/octet-stream")).run()
    app.button(key="use_vectors").click().run()
    assert any("3 vectors for 12 documents" in error.value for error in app.error)


def test_a_refusal_quotes_markup_without_reading_it():
    app = upload(("odd.csv", b"![x](http://example.org/x.png),![x](http://example.org/x.png)\na,b\n"))
    assert len(app.error) == 1
    assert "![x]" not in app.error[0].value
    assert r"\[x\]" in app.error[0].value


@pytest.fixture
def removed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of files that the server has let go of."""
    ids: list[str] = []
    before = MemoryUploadedFileManager.remove_file

    def remove_file(self: MemoryUploadedFileManager, session_id: str, file_id: str) -> None:
        ids.append(file_id)
        before(self, session_id, file_id)

    monkeypatch.setattr(MemoryUploadedFileManager, "remove_file", remove_file)
    return ids


def test_a_refused_file_is_let_go_of(removed: list[str], tiny_csv: bytes):
    app = upload(("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(40)))
    assert len(app.error) == 1
    assert len(removed) == 1
    assert not app.file_uploader(key="files_1").value, "the field is empty again"
    assert not [key for cache in result_cache.caches().values() for key in cache if "picture.csv" in str(key)]
    assert not app.run().error, "the refusal is said once"
    app.file_uploader(key="files_1").set_value([("my.csv", tiny_csv, "text/csv")]).run()
    assert metrics(press(app, "Use this corpus"))["Documents"] == "12"


def test_a_file_with_a_bad_row_stays_for_another_choice_of_columns(removed: list[str]):
    app = upload(("rows.csv", b"text,topic,kind\nhello,,x\nworld,b,y\n"))
    app.selectbox(key="role_topic").set_value("topic").run()
    app = press(app, "Use this corpus")
    assert any("row 1: empty 'topic'" in error.value for error in app.error)
    assert not removed
    app.selectbox(key="role_topic").set_value("kind").run()
    assert metrics(press(app, "Use this corpus"))["Topics"] == "2"


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Files read as users have them read, by a page that waits for the end."""
    monkeypatch.delenv("LEAKSCOPE_ENGINE")
    monkeypatch.setenv("LEAKSCOPE_PATIENCE", "120")
    work.jobs.clear()
    result_cache.caches().clear()
    yield
    work.jobs().end()
    work.jobs.clear()


def test_files_are_read_in_a_process_with_a_limit(processes: None, tiny_csv: bytes, monkeypatch: pytest.MonkeyPatch):
    asked: list[Limits] = []
    before = Jobs.ask

    def ask(self: Jobs, *given: object, **more: object) -> Job:
        asked.append(more["limits"])  # type: ignore[arg-type]
        return before(self, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Jobs, "ask", ask)
    app = press(upload(("my.csv", tiny_csv)), "Use this corpus")
    assert metrics(app)["Documents"] == "12"
    reading = [limits for limits in asked if limits is not None and limits.strict]
    assert reading == [_limits(), _limits()], "to look into it, and to make a corpus of it"
    assert _limits().memory is not None and _limits().memory <= 1024**3


def test_a_reader_that_breaks_off_is_a_sentence(processes: None, monkeypatch: pytest.MonkeyPatch, tiny_csv: bytes):
    monkeypatch.setattr("pages.shared.upload.look_into", errands.break_off)
    app = upload(("my.csv", tiny_csv))
    assert [error.value[:35] for error in app.error] == ["Reading my.csv: Ended: it broke off"]
    assert metrics(app)["Topics"] == "24"
