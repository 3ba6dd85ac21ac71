"""Limits: a default each, the environment before it, and none that is passed over in silence."""

import re

import pytest
from streamlit import config

from pages.shared import session
from tests.conftest import ROOT
from tests.pages.opened import open_app, upload

HOSTING = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(session.HOSTED, "1")


@pytest.fixture(autouse=True)
def uploads_as_before():
    before = config.get_option("server.maxUploadSize")
    yield
    config.set_option("server.maxUploadSize", before)


@pytest.mark.parametrize("name", session.settings())
def test_the_environment_comes_before_the_default(name: str, monkeypatch: pytest.MonkeyPatch):
    each = session.settings()[name]
    assert session.limit(name) == each.own
    monkeypatch.setenv(session.HOSTED, "1")
    assert session.limit(name) == each.hosted <= each.own
    monkeypatch.setenv(f"LEAKSCOPE_{name}", "7")
    assert session.limit(name) == 7


@pytest.mark.parametrize("said", ["", "0"])
def test_a_host_says_so(said: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(session.HOSTED, said)
    assert not session.hosted()


@pytest.mark.parametrize("said", ["many", "0", "-3", "1.5", "²", "9" * 12])
def test_a_setting_that_says_nothing_usable_keeps_the_server_closed(said: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_JOB_MINUTES", said)
    sentence = f"LEAKSCOPE_JOB_MINUTES is '{said}'; give an integer of minutes above 0, or unset it."
    assert session.limit_problems() == [sentence]


def test_a_closed_server_says_what_is_wrong(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_JOB_MINUTES", "many")
    app = open_app()
    assert ["is 'many'; give an integer of minutes" in error.value for error in app.error] == [True]
    assert not app.metric and not app.selectbox


def test_every_limit_is_documented_with_its_default():
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", HOSTING, flags=re.MULTILINE))
    assert set(rows) == set(session.settings())
    for name, each in session.settings().items():
        if name not in ("JOB_MEMORY", "JOBS_AT_ONCE"):  # the machine's
            assert rows[name] == f"{each.hosted:,} {each.unit}"


def test_a_host_lists_its_limits_where_files_are_loaded(hosted: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_JOB_MINUTES", "7")
    app = open_app("corpus")
    table = next(each.value for each in app.dataframe if "setting" in each.value)
    assert list(table["setting"]) == [f"LEAKSCOPE_{name}" for name in session.settings()]
    assert table.set_index("setting").loc["LEAKSCOPE_JOB_MINUTES", "value"] == "7 minutes"


def test_a_machine_of_ones_own_lists_none():
    assert "Limits of this server" not in [each.label for each in open_app("corpus").expander]


def test_streamlit_refuses_larger_uploads_itself(hosted: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_UPLOAD_SIZE", "3")
    app = open_app("corpus")
    assert config.get_option("server.maxUploadSize") == 3
    assert app.file_uploader(key="files").proto.max_upload_size_mb == 3


def test_one_s_own_machine_keeps_streamlit_s_setting():
    config.set_option("server.maxUploadSize", 123)
    session.bound_uploads()
    assert config.get_option("server.maxUploadSize") == 123


def refusals(app) -> list[str]:
    return [error.value for error in app.error]


def test_files_count_together(tiny_csv: bytes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_UPLOAD_SIZE", "1")
    large = b"x" * 600_000
    app = upload(("pairs.jsonl", large), ("truth.jsonl", large))
    assert refusals(app) == ["1.1 MB together; the limit of this server is 1 MB. Load fewer files."]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("ROWS", "my.csv: 12 rows"),
        ("DOCUMENTS", "my.csv: 12 documents"),
        ("AUTHORS", "my.csv: 3 authors"),
    ],
)
def test_a_corpus_that_is_too_large_is_refused(
    name: str, sentence: str, tiny_csv: bytes, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(f"LEAKSCOPE_{name}", "2")
    app = upload(("my.csv", tiny_csv))
    if name != "ROWS":  # known once the columns are
        next(button for button in app.button if button.label == "Use this corpus").click().run()
    (refusal,) = refusals(app)
    assert refusal.startswith(sentence) and "limit of this server is 2" in refusal
    assert "file_corpus" not in app.session_state
