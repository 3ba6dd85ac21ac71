"""The one flow of long work: asked for, computed once, refused in a sentence, bounded, stopped; on a page of its own."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from streamlit.testing.v1 import AppTest

from core.engine import Refusal
from pages.shared import jobs
from tests.core.engine.processes import within


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Jobs in processes of their own, as users have them, with pages that wait for hardly anything."""
    monkeypatch.delenv("LEAKSCOPE_ENGINE")
    monkeypatch.setenv("LEAKSCOPE_PATIENCE", "0.2")
    jobs.jobs.clear()
    yield
    jobs.jobs().end()
    jobs.jobs.clear()


@pytest.fixture(autouse=True)
def nothing_cached() -> None:
    jobs.caches().clear()


def work_page() -> None:
    """A call a name; what was computed is written to a file."""
    import streamlit as st

    from core.engine import Call
    from pages.shared import jobs
    from tests.pages.shared import errands

    state = st.session_state
    question = jobs.Question("Do it", caption="It takes a while.") if state.get("asks") else None
    does = errands.long if state.get("long") else errands.shout
    calls = {name: Call(does, (name, state["record"], state.get("fails"))) for name in state.get("names", "abc")}
    public = state.get("public", False)
    state["found"] = jobs.results("vectors", calls, name="Shouting", question=question, public=public)
    if state.get("twice"):
        state["found too"] = jobs.results("maps", calls, name="Shouting", question=question, public=public)
    st.button("Elsewhere")


def opened(record: Path, **state: object) -> AppTest:
    app = AppTest.from_function(work_page, default_timeout=30)
    app.session_state["record"] = str(record)
    for name, value in state.items():
        app.session_state[name] = value
    app.run()
    assert not app.exception, app.exception
    return app


def pressed(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception, app.exception
    return app


def computed(record: Path) -> list[str]:
    return [line.split()[0] for line in record.read_text(encoding="utf-8").splitlines()] if record.exists() else []


STOPPED = "Shouting: Stopped. What was finished by then is kept and not computed again."


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "record"


def test_work_is_done_once(record: Path):
    app = opened(record)
    assert app.session_state["found"] == {"a": "A", "b": "B", "c": "C"}
    pressed(app, "Elsewhere")
    assert opened(record).session_state["found"] == {"a": "A", "b": "B", "c": "C"}  # another tab
    assert computed(record) == ["a", "b", "c"]


def test_a_call_that_is_refused_says_why_and_leaves_the_others_alone(record: Path):
    app = opened(record, fails="b")
    assert app.session_state["found"] == {"a": "A", "c": "C"}
    assert [error.value for error in app.error] == [r"b \*cannot\* be had."]
    assert [error.value for error in pressed(app, "Elsewhere").error] == [r"b \*cannot\* be had."]
    assert computed(record) == ["a", "b", "c"]


def test_work_that_is_asked_for_waits_for_the_answer(record: Path):
    app = opened(record, asks=True)
    assert computed(record) == []
    assert [caption.value for caption in app.caption] == ["It takes a while."]
    assert pressed(app, "Do it").session_state["found"] == {"a": "A", "b": "B", "c": "C"}
    assert "Do it" not in [button.label for button in pressed(app, "Elsewhere").button]


@pytest.mark.parametrize("asked", [0, 1])
def test_two_panels_may_ask_in_the_same_words(record: Path, asked: int):
    app = opened(record, asks=True, twice=True)
    both = [button for button in app.button if button.label == "Do it"]
    assert len(both) == 2
    both[asked].click().run()
    assert not app.exception
    assert [bool(app.session_state[name]) for name in ("found", "found too")] == [asked == 0, asked == 1]


def test_it_is_asked_once_where_one_call_was_refused_and_another_is_missing(record: Path):
    jobs.store("own", "vectors", "a", Refusal("No."))
    app = opened(record, asks=True, names=["a", "b"])
    assert [error.value for error in app.error] == ["No."]
    assert [button.label for button in app.button].count("Do it") == 1


def test_two_panels_may_have_to_wait_for_jobs(processes: None, record: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_JOBS_A_SESSION", "1")
    app = opened(record, long=True, names=["a"])
    app.session_state["names"], app.session_state["twice"] = ["b"], True
    app.run()
    assert not app.exception and [button.label for button in app.button].count("Try again") == 2


def test_what_is_there_is_not_computed_again(record: Path):
    opened(record, names=["a"])
    assert opened(record, names=["a", "b"]).session_state["found"] == {"a": "A", "b": "B"}
    assert computed(record) == ["a", "b"]


def test_the_cache_is_bounded_and_the_least_recently_used_goes_first(record: Path):
    app = opened(record, names=["a", "b", "c"])
    for names in (["a"], ["d", "e"]):
        app.session_state["names"] = names
        app.run()
    assert set(jobs.caches()["own", "vectors"]) == {"c", "a", "d", "e"}


def test_what_is_wanted_now_is_never_dropped(record: Path):
    app = opened(record, names=list("abcdef"))
    assert len(app.session_state["found"]) == 6
    app.session_state["names"] = list("fghi")
    app.run()
    assert set(app.session_state["found"]) == set("fghi")
    assert len(jobs.caches()["own", "vectors"]) == 6


def test_a_job_runs_elsewhere_and_its_card_is_drawn(processes: None, record: Path):
    app = opened(record, long=True, names=["a"])
    assert app.session_state["found"] == {}
    assert "**Shouting**" in [each.value for each in app.markdown]
    assert "Stop" in [button.label for button in app.button]
    again = opened(record, long=True, names=["a"])  # a second tab, a reload: the same job
    assert "Stop" in [button.label for button in again.button]
    (job,) = jobs.jobs().of(app.session_state["token"])
    assert job.owners == {app.session_state["token"], again.session_state["token"]}
    assert computed(record) == ["a"]
    assert job.worker is not None and job.worker.pid != os.getpid()


def test_a_stopped_job_is_gone_and_can_be_asked_for_again(
    processes: None, record: Path, monkeypatch: pytest.MonkeyPatch
):
    app = opened(record, long=True, names=["a"])
    (job,) = jobs.jobs().of(app.session_state["token"])
    assert within(30, lambda: job.worker is not None)
    process = psutil.Process(job.worker.pid)
    start = time.monotonic()
    app = pressed(app, "Stop")
    assert not process.is_running() and time.monotonic() - start < 5
    app.run()
    assert [info.value for info in app.info] == [STOPPED] and not app.error
    app.session_state["long"] = False
    monkeypatch.setenv("LEAKSCOPE_PATIENCE", "60")
    assert pressed(app, "Try again").session_state["found"] == {"a": "A"}


def test_a_job_that_ended_while_nobody_looked_is_found(processes: None, record: Path):
    app = opened(record, long=True, names=["a"])
    (job,) = jobs.jobs().of(app.session_state["token"])
    jobs.jobs().stop(job)
    assert [info.value for info in app.run().info] == [STOPPED]


def test_what_was_taken_and_dropped_is_computed_again_at_once(
    processes: None, record: Path, monkeypatch: pytest.MonkeyPatch
):
    """As a file that is loaded for the second time in one browser: its first reading ended behind a card."""
    monkeypatch.setenv("LEAKSCOPE_PATIENCE", "0")
    app = opened(record, names=["a"])
    (job,) = jobs.jobs().of(app.session_state["token"])
    assert within(30, lambda: job.over)
    app.run()
    assert app.session_state["found"] == {"a": "A"}
    jobs.caches().clear()
    monkeypatch.setenv("LEAKSCOPE_PATIENCE", "60")
    assert app.run().session_state["found"] == {"a": "A"}


def test_short_work_needs_no_card(processes: None, record: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_PATIENCE", "60")
    app = opened(record, names=["a", "b"])
    assert app.session_state["found"] == {"a": "A", "b": "B"}
    assert str(os.getpid()) not in record.read_text(encoding="utf-8")


def test_a_visitor_has_only_this_many_jobs(processes: None, record: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_JOBS_A_SESSION", "1")
    app = opened(record, long=True, names=["a"])
    app.session_state["names"] = ["b"]
    app.run()
    (sentence,) = [warning.value for warning in app.warning]
    assert sentence.startswith("You have 1 jobs running or waiting; the limit of this server is 1.")
    (job,) = jobs.jobs().of(app.session_state["token"])
    jobs.jobs().stop(job)
    app.session_state["long"] = False
    monkeypatch.setenv("LEAKSCOPE_PATIENCE", "60")
    assert pressed(app, "Try again").session_state["found"] == {"b": "B"}


def stops(app: AppTest) -> int:
    return [button.label for button in app.button].count("Stop")


def test_on_a_host_nobody_stops_what_others_wait_for(processes: None, record: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_HOSTED", "1")
    first = opened(record, long=True, names=["a"], public=True)
    assert stops(first) == 1
    second = opened(record, long=True, names=["a"], public=True)
    (one,), (other,) = (jobs.jobs().of(app.session_state["token"]) for app in (first, second))
    assert one is other, "one job for both"
    assert stops(second) == stops(first.run()) == 0
    assert "Other users need this job" in second.caption[0].value
    jobs.jobs().leave(second.session_state["token"])
    assert stops(first.run()) == 1


def test_on_a_host_work_of_ones_own_is_ones_own(record: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_HOSTED", "1")
    opened(record, names=["a"])
    opened(record, names=["a"])
    assert computed(record) == ["a", "a"]
    opened(record, names=["b"], public=True)
    opened(record, names=["b"], public=True)
    assert computed(record) == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("hosted", "at_once", "memory", "asked"),
    [
        ("1", "2", "2000", ["warm"]),
        ("", "2", "2000", []),
        ("1", "1", "2000", []),  # a visitor's first job would wait for it
        ("1", "2", "900", []),  # its worker would hold too much to be kept
    ],
)
def test_a_host_with_room_makes_ready_for_maps_before_anybody_asks(
    hosted: str, at_once: str, memory: str, asked: list[str], monkeypatch: pytest.MonkeyPatch, processes: None
) -> None:
    monkeypatch.setenv("LEAKSCOPE_HOSTED", hosted)
    monkeypatch.setenv("LEAKSCOPE_JOBS_AT_ONCE", at_once)
    monkeypatch.setenv("LEAKSCOPE_JOB_MEMORY", memory)
    keys: list[object] = []
    monkeypatch.setattr(jobs.Jobs, "ask", lambda self, key, call, **_: keys.append(key))
    jobs.jobs.clear()
    jobs.jobs()
    assert keys == asked
