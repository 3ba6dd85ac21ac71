"""Who is here: a place each, none for one too many; who is gone or idle leaves nothing running and nothing behind."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from streamlit.runtime.caching import clear_session_resource_cache

from core.engine import Call, Jobs, Limits
from core.questions import verdict
from pages.shared import hosting, jobs, session
from pages.shared.hosting import Visits
from tests.core.engine import tasks
from tests.pages.opened import all_text, open_app
from tests.pages.shared import errands

ANN, BOB = "a" * 32, "b" * 32


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def hosted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv(session.HOSTED, "1")
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    hosting.all_visits.clear()
    yield
    hosting.all_visits.clear()
    jobs.caches().clear()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tabs() -> set[str]:
    """The tabs whose connection is open."""
    return set()


@pytest.fixture
def here(clock: Clock, tabs: set[str]) -> Visits:
    return Visits(is_open=tabs.__contains__, clock=clock)


def enter(here: Visits, tabs: set[str], tab: str, token: str) -> bool:
    tabs.add(tab)
    return here.enter(tab, token)


def remember(token: str) -> None:
    """A result and a file of this visitor."""
    jobs.cache(token, "runs")["key"] = "result"
    folder = session.folder_of(token)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "file").write_text("text")


def remembered(token: str) -> tuple[bool, bool]:
    """Whether a visitor's results are in memory, and their files on disk."""
    return (token, "runs") in jobs.caches(), (session.folder_of(token) / "file").exists()


def test_there_are_this_many_places(here: Visits, tabs: set[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_SESSIONS", "2")
    assert enter(here, tabs, "1", ANN) and enter(here, tabs, "2", BOB)
    assert not enter(here, tabs, "3", ANN)
    assert enter(here, tabs, "1", ANN)  # who is in stays in
    tabs.remove("2")
    assert enter(here, tabs, "3", ANN)  # a closed tab holds no place


def test_a_full_server_says_when_a_place_may_be_free(here: Visits, tabs: set[str], clock: Clock):
    enter(here, tabs, "1", ANN)
    clock.now = 600
    enter(here, tabs, "2", BOB)
    assert here.minutes_to_wait() == 50  # the first has been idle for ten of its sixty minutes
    here.note("1")
    assert here.minutes_to_wait() == 60


def test_who_closes_the_last_tab_is_gone_after_a_while(here: Visits, tabs: set[str], clock: Clock):
    enter(here, tabs, "1", ANN)
    enter(here, tabs, "2", BOB)
    remember(ANN)
    remember(BOB)
    tabs.remove("1")
    here.leave("1")
    clock.now = 59
    here.look()
    assert remembered(ANN) == (True, True)
    clock.now = 61
    here.look()
    assert remembered(ANN) == (False, True)  # the file is found again within KEEP_HOURS
    assert remembered(BOB) == (True, True)


def test_a_reload_and_a_second_tab_are_the_same_visitor(here: Visits, tabs: set[str], clock: Clock):
    enter(here, tabs, "1", ANN)
    remember(ANN)
    tabs.remove("1")
    here.leave("1")
    clock.now = 30
    enter(here, tabs, "2", ANN)
    clock.now = 1_000
    here.look()
    assert remembered(ANN) == (True, True)


def test_reading_stops_when_the_last_tab_closes(
    here: Visits, tabs: set[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """A job that reads holds the file; any number of tabs could come and leave one each."""
    queue = Jobs(at_once=1)
    monkeypatch.setattr(jobs, "jobs", lambda: queue)
    try:
        waits = {"call": Call(tasks.sleeps, (str(tmp_path),))}
        strict = [queue.ask(name, waits, name=name, owner=ANN, limits=Limits(strict=True)) for name in "ab"]
        other = queue.ask("c", waits, name="c", owner=ANN)
        for tab in "12":
            enter(here, tabs, tab, ANN)
        for tab in "12":
            assert not any(job.over for job in strict), "another tab of the same visitor is open"
            tabs.remove(tab)
            here.leave(tab)
        assert all(job.ended.wait(10) and not job.calls for job in strict)
        assert not other.over, "other work goes on: a reload finds it"
    finally:
        queue.end()


def test_a_connection_that_comes_back_was_never_gone(here: Visits, tabs: set[str], clock: Clock):
    enter(here, tabs, "1", ANN)
    remember(ANN)
    here.leave("1")  # and Streamlit takes the same session up again
    clock.now = 100
    here.look()
    assert remembered(ANN) == (True, True)


def test_a_connection_that_ended_unnoticed_is_noticed(here: Visits, tabs: set[str], clock: Clock):
    enter(here, tabs, "1", ANN)
    remember(ANN)
    tabs.remove("1")
    here.look()
    clock.now = 61
    here.look()
    assert remembered(ANN) == (False, True)


class Held(dict):
    """What Streamlit holds for a tab, as `Visits` asks for it."""

    @property
    def filtered_state(self) -> dict:
        return dict(self)

    def remove_session_files(self, tab: str) -> None:
        self["files removed of"] = tab


def test_an_idle_tab_is_ended_with_all_it_holds(here: Visits, tabs: set[str], clock: Clock):
    tabs.add("1")
    state, files = Held(file_corpus="texts"), Held()
    here.enter("1", ANN, state=state, files=files)
    remember(ANN)
    clock.now = 3_599
    here.look()
    assert remembered(ANN) == (True, True) and state == {"file_corpus": "texts"}
    clock.now = 3_601
    here.look()
    assert remembered(ANN) == (False, False)
    assert state == {hosting.ENDED: 60} and files == {"files removed of": "1"}


def test_a_tab_in_use_is_not_idle_and_keeps_what_its_neighbour_shares(here: Visits, tabs: set[str], clock: Clock):
    enter(here, tabs, "1", ANN)
    enter(here, tabs, "2", ANN)
    remember(ANN)
    clock.now = 3_000
    here.note("2")
    clock.now = 3_700
    here.look()
    assert remembered(ANN) == (True, True)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("LEAKSCOPE_ENGINE")
    monkeypatch.setattr(jobs, "warm_layout", errands.nothing)  # a host makes ready for maps first, which takes a minute
    jobs.jobs.clear()
    yield
    jobs.jobs().end()
    jobs.jobs.clear()


def long_job(token: str, record: Path) -> psutil.Process:
    """A job of this visitor, once its process works."""
    job = jobs.jobs().ask((token, "long"), {"a": Call(errands.long, ("a", str(record)))}, name="Shouting", owner=token)
    while not record.exists() and not job.over:
        time.sleep(0.05)
    assert job.worker is not None, job.problem
    assert job.worker.pid != os.getpid()
    return psutil.Process(job.worker.pid)


def test_jobs_end_with_the_visit(processes: None, here: Visits, tabs: set[str], clock: Clock, tmp_path: Path):
    enter(here, tabs, "1", ANN)
    enter(here, tabs, "2", BOB)
    long_job(BOB, tmp_path / "bob")
    working = long_job(ANN, tmp_path / "ann")
    tabs.remove("1")
    here.leave("1")
    clock.now = 61
    here.look()
    assert not working.is_running() and jobs.jobs().of(ANN) == []
    (other,) = jobs.jobs().of(BOB)
    assert other.state != "stopped"


def test_who_waits_for_a_job_is_not_idle(processes: None, here: Visits, tabs: set[str], clock: Clock, tmp_path: Path):
    enter(here, tabs, "1", ANN)
    remember(ANN)
    working = long_job(ANN, tmp_path / "ann")
    clock.now = 3_700
    here.look()
    assert working.is_running() and remembered(ANN) == (True, True)


def test_a_full_server_is_a_plain_page(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_SESSIONS", "1")
    hosting.all_visits().enter("another tab", ANN)
    app = open_app()
    assert [title.value for title in app.title] == ["This server is full"]
    assert "Try again in a few minutes" in all_text(app) and "closed in 60 minutes" in all_text(app)
    assert not app.selectbox and not app.error
    hosting.all_visits.clear()  # everybody has gone
    assert [title.value for title in app.run().title] == [verdict.QUESTION]


def test_a_tab_that_was_ended_says_so_once():
    app = open_app()
    app.session_state[hosting.ENDED] = 60
    assert ["not used for 60 minutes" in each.value for each in app.run().info] == [True]
    assert not app.run().info


def test_streamlit_tells_when_a_connection_ends():
    clear_session_resource_cache("test session id")  # of other tests
    open_app()
    visit = hosting.all_visits()._visits["test session id"]
    assert visit.left is None
    clear_session_resource_cache("test session id")  # as it does when the tab is closed
    assert visit.left is not None


def test_a_machine_of_ones_own_counts_nobody(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(session.HOSTED)
    monkeypatch.setenv("LEAKSCOPE_SESSIONS", "1")
    hosting.all_visits().enter("another tab", ANN)
    assert [title.value for title in open_app().title] == [verdict.QUESTION]
    assert list(hosting.all_visits()._visits) == ["another tab"]
