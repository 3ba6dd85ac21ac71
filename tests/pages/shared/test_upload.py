"""Uploads: columns chosen by hand, and everything that is refused in a sentence."""

import codecs
import csv
import json
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.lib import format as npy
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.testing.v1 import AppTest

from core.corpora.readers import File
from core.engine import Job, Jobs, Limits
from core.evaluation import plan_lines
from core.papers.hits_2024 import answer_sheet, benchmark_zip
from core.questions import ask
from pages.shared import jobs
from pages.shared.upload import _limits, read_strictly
from tests.conftest import ROOT
from tests.core.made_corpora import NETWORK, SCORES, labelled_file, made
from tests.core.questions.studies import bundled
from tests.core.raven_runs import answers_file, small_benchmark
from tests.core.test_project import saved
from tests.pages.opened import metrics, open_app, press, upload
from tests.pages.shared import errands
from tests.pages.test_accuracy import own_file


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
    assert metrics(app)["Topics"] == "24", "the corpus loaded is still there"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"text,topic\nhello,\nworld,b\n", "Row 1 has no topic"),
        (b"text,topic\nhello,a\nworld,a\n", "at least 2 topics"),
    ],
)
def test_a_bad_row_is_named_with_its_fix(content, words):
    app = press(upload(("rows.csv", content)), "Use this corpus")
    assert any(words in error.value for error in app.error), [error.value for error in app.error]
    assert app.selectbox(key="corpus").value == "courier"


def test_an_id_given_twice_is_named_with_both_rows():
    app = upload(("ids.csv", b"id,text,topic\n1,hello,a\n1,world,b\n"))
    app.selectbox(key="role_id").set_value("id").run()
    press(app, "Use this corpus")
    assert "Rows 1 and 2 have the same id, '1'" in app.error[0].value


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
    assert not [key for cache in jobs.caches().values() for key in cache if "picture.csv" in str(key)]
    assert not app.run().error, "the refusal is shown once"
    app.file_uploader(key="files_1").set_value([("my.csv", tiny_csv, "text/csv")]).run()
    assert metrics(press(app, "Use this corpus"))["Documents"] == "12"


def test_a_file_with_a_bad_row_stays_for_another_choice_of_columns(removed: list[str]):
    app = upload(("rows.csv", b"text,topic,kind\nhello,,x\nworld,b,y\n"))
    app.selectbox(key="role_topic").set_value("topic").run()
    app = press(app, "Use this corpus")
    assert any("Row 1 has no topic" in error.value for error in app.error)
    assert not removed
    app.selectbox(key="role_topic").set_value("kind").run()
    assert metrics(press(app, "Use this corpus"))["Topics"] == "2"


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Files read as users have them read, by a page that waits for the end."""
    monkeypatch.delenv("LEAKSCOPE_ENGINE")
    monkeypatch.setenv("LEAKSCOPE_PATIENCE", "120")
    jobs.jobs.clear()
    jobs.caches().clear()
    yield
    jobs.jobs().end()
    jobs.jobs.clear()


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


@pytest.fixture
def opened_elsewhere(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Uploads that something looked into outside a strict job: their bytes, or a function with which every reader starts."""
    strict, found = [False], list[str]()
    before = Jobs._carry_out_here

    def carry_out_here(self: Jobs, job: Job) -> None:
        strict.append(job.limits.strict)
        try:
            before(self, job)
        finally:
            strict.pop()

    def watched(module: ModuleType, name: str) -> None:
        function = getattr(module, name)

        def call(*given: Any, **more: Any) -> Any:
            if not strict[-1]:
                found.append(name)
            return function(*given, **more)

        monkeypatch.setattr(module, name, call)

    def reading(name: str) -> Callable[..., Any]:
        function = getattr(UploadedFile, name)

        def call(self: UploadedFile, *given: Any) -> Any:
            if sys._getframe(1).f_globals["__name__"] != read_strictly.__module__:
                found.append(f"UploadedFile.{name}")
            return function(self, *given)

        return call

    content: Any = vars(File)["data"]

    def data(self: File) -> bytes:
        if not strict[-1]:
            found.append("File.data")
        return bytes(content.__get__(self))

    monkeypatch.setattr(Jobs, "_carry_out_here", carry_out_here)
    monkeypatch.setattr(File, "data", property(data, content.__set__))
    for name in READING:
        monkeypatch.setattr(UploadedFile, name, reading(name))
    for module, names in READERS_OF_FILES.items():
        for name in names:
            watched(module, name)
    return found


READING = (*("getvalue", "getbuffer", "read", "read1", "readinto", "readline", "readlines"), "__iter__", "__next__")


READERS_OF_FILES: dict[ModuleType, tuple[str, ...]] = {
    csv: ("reader",),
    zipfile: ("ZipFile",),
    npy: ("read_magic",),
    pq: ("ParquetFile",),
    codecs: ("getincrementaldecoder",),
}


def test_every_upload_of_every_page_is_read_by_the_strict_worker_alone(
    opened_elsewhere: list[str], tiny_csv: bytes, tmp_path: Path
):
    given: set[str] = set()

    def give(app: AppTest, **files: tuple[str, bytes]) -> AppTest:
        for key, (name, content) in files.items():
            field = app.file_uploader(key=key)
            file = (name, content, "application/octet-stream")
            field.set_value([file] if field.proto.multiple_files else file)
        jobs.caches().clear()
        del opened_elsewhere[:]
        app.run()
        assert not app.exception, app.exception
        assert not opened_elsewhere, f"{opened_elsewhere[0]} opened a file of {', '.join(files)} outside a strict job"
        assert not app.error, app.error[0].value
        given.update(files)
        return app

    np.save(tmp_path / "v.npy", np.eye(12, dtype=np.float32))
    app = press(give(open_app("corpus", encoder="LSA"), files=("my.csv", tiny_csv)), "Use this corpus")
    app = press(give(app, vectors_file=("v.npy", (tmp_path / "v.npy").read_bytes())), "Use these vectors")
    assert app.selectbox(key="encoder").value == "precomputed"
    give(open_app("corpus"), project_file_0=("p.zip", saved(made(4, 5)).data))
    give(open_app("split", split_source="a list of ids"), split_ids=("test.txt", bundled().corpus.ids[0].encode()))
    table = open_app("significance", significance_compare="a table of your own")
    give(table, comparison_file=("table.csv", SCORES))
    labelled = open_app("significance", significance_compare="text categorization", categorizers="NB")
    press(give(labelled, labelled_file=("many.csv", labelled_file())), "Run them")
    networks = {key: (f"{key}.csv", content) for key, content in NETWORK.items()}
    give(open_app("trust", view="networks", net_source="your own"), **networks)
    benchmark = small_benchmark()
    answers = answers_file(tmp_path / "mine.jsonl", answer_sheet(benchmark), lambda index: index % 10 / 10)
    shortcut = open_app("shortcut", systems="answers of your own")
    give(
        shortcut,
        benchmark_file=("raven.zip", benchmark_zip(benchmark)),
        answer_files=("mine.jsonl", Path(answers).read_bytes()),
    )
    curve = open_app("accuracy")
    give(curve, curve_answers=("mine.jsonl", curve_answers()))
    give(open_app("accuracy", accuracy_view="forecast", encoder="LSA"), forecast_target=("new.csv", tiny_csv))
    app = give(open_app("accuracy", accuracy_view="topic by topic"), own_models_answers_0=own_file()[:2])
    assert "mine" in app.session_state["own_answers"][bundled().corpus.fingerprint]
    uploaders = sum(file.read_text(encoding="utf-8").count("file_uploader(") for file in (ROOT / "pages").rglob("*.py"))
    assert len(given) == uploaders, "a page has an uploader that this test does not fill"


def curve_answers() -> bytes:
    """Return right answers to the plan of the leakage curve that the page opens with."""
    study = bundled()
    authors = dict(zip(study.corpus.ids, study.corpus.authors or (), strict=True))
    _, *lines = map(json.loads, plan_lines(study.corpus, ask(study, "curve").numbers.plan))
    answers = ({**line, "answers": [authors[id] for id in line["test"]]} for line in lines)
    return "\n".join(map(json.dumps, answers)).encode()


def test_only_one_module_has_the_bytes_of_uploads():
    words = re.compile(r"\.(getvalue|getbuffer|read|readline|readlines|seek)\(")
    files = {file.name for file in (ROOT / "pages").rglob("*.py") if words.search(file.read_text(encoding="utf-8"))}
    assert files <= {"upload.py"}
