"""Who is here, on a host: this many tabs at once, and nothing left running or lying about by those who are gone or idle.

Streamlit releases a session's cached resources when its connection ends: when a tab is closed, but on a reload and when a
telephone sleeps, too. A visitor is gone only when all their tabs have been closed for a while.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.formats import counted
from pages.shared import keep, session, work
from pages.shared.limits import hosted, limit

EVERY = 5.0  # seconds between two looks
SWEPT_EVERY = 600.0
ENDED = "ended_idle"  # in the state of a tab that was ended: after how many minutes


@dataclass(slots=True)
class Visit:
    """A tab: whose it is, what Streamlit holds for it, when it was last used, and since when it is closed."""

    token: str
    state: Any
    files: Any
    used: float
    left: float | None = None


class Visits:
    """The tabs that are served."""

    def __init__(self, *, is_open: Callable[[str], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._is_open, self._clock = is_open, clock
        self._visits: dict[str, Visit] = {}
        self._lock = threading.RLock()

    def enter(self, tab: str, token: str, *, state: Any = None, files: Any = None) -> bool:
        """Return whether this tab is served; if so, it has been used now."""
        with self._lock:
            others = sum(self._is_open(other) for other in self._visits if other != tab)
            if tab not in self._visits and others >= limit("SESSIONS"):
                return False
            self._visits[tab] = Visit(token, state, files, self._clock())
            return True

    def note(self, tab: str) -> None:
        """This tab has been used now."""
        with self._lock:
            if tab in self._visits:
                self._visits[tab].used = self._clock()

    def leave(self, tab: str) -> None:
        """The connection of this tab has ended."""
        with self._lock:
            if tab in self._visits:
                self._visits[tab].left = self._clock()

    def minutes_to_wait(self) -> int:
        """After how many minutes at the latest a place is free if its holder does nothing."""
        with self._lock:
            used = [visit.used for tab, visit in self._visits.items() if self._is_open(tab)]
        left = limit("IDLE_MINUTES") * 60 - (self._clock() - min(used, default=self._clock()))
        return max(1, round(left / 60))

    def look(self) -> None:
        """Let go of the visitors who are gone, and end the tabs that have not been used for too long."""
        now, gone, idle = self._clock(), [], []
        with self._lock:
            for tab, visit in list(self._visits.items()):
                if self._is_open(tab):
                    visit.left = None
                    if now - visit.used > limit("IDLE_MINUTES") * 60 and not _works_for(visit.token):
                        idle.append((tab, self._visits.pop(tab)))
                elif visit.left is None:
                    visit.left = now
                elif now - visit.left > limit("AWAY_SECONDS"):
                    gone.append(self._visits.pop(tab).token)
            here = {visit.token for visit in self._visits.values()}
        for token in {*gone} - here:
            work.forget_scope(token)
        for tab, visit in idle:
            _let_go(tab, visit)
            if visit.token not in here:
                work.forget_scope(visit.token)
                keep.remove(session.folder_of(visit.token))


def _works_for(token: str) -> bool:
    return any(not job.over for job in work.jobs().of(token))


def _let_go(tab: str, visit: Visit) -> None:
    """Drop everything that Streamlit holds for a tab; what its widgets say comes back from the browser."""
    clear_session_resource_cache(tab)
    if visit.files is not None:
        visit.files.remove_session_files(tab)
    if visit.state is not None:
        for name in list(visit.state.filtered_state):
            with suppress(KeyError):
                del visit.state[name]
        visit.state[ENDED] = limit("IDLE_MINUTES")


def served() -> bool:
    """Return whether there is a place for this tab: always, unless this is a host and it is full."""
    context = get_script_run_ctx()
    if not hosted() or context is None:
        return True
    visits, tab = all_visits(), context.session_id
    if not visits.enter(tab, session.token(), state=context.session_state, files=context.uploaded_file_mgr):
        return False
    _connection(tab, visits)
    return True


def say_ended() -> None:
    """Once, where this tab was ended for not being used."""
    minutes = st.session_state.pop(ENDED, None)
    if minutes is not None:
        st.info(
            f"This tab was not used for {minutes} minutes, so its file and results were removed from the server.",
            icon=":material/bedtime:",
        )


def note_use() -> None:
    """In a part of a page that runs alone: its tab is in use."""
    context = get_script_run_ctx()
    if hosted() and context is not None:
        all_visits().note(context.session_id)


def full() -> None:
    """The page of a server that has no place: that it is so, and when to try again."""
    minutes = all_visits().minutes_to_wait()
    st.title("This server is full", anchor=False)
    st.markdown(
        f"It serves up to {limit('SESSIONS'):,} browser tabs at once, and all are in use. Try again in a few minutes. The tab "
        f"that has been idle longest will be closed in {counted(minutes, 'minute')}."
    )
    st.button("Try again", icon=":material/refresh:")


@st.cache_resource(show_spinner=False)
def all_visits() -> Visits:
    """Return the visits of this server, looked at by a thread of their own."""
    visits = Visits(is_open=_is_open)
    threading.Thread(target=_watch, args=(visits,), daemon=True, name="leakscope-visits").start()
    return visits


@dataclass(frozen=True, slots=True)
class _Connection:
    tab: str
    visits: Visits

    def end(self) -> None:
        """Note that the tab is closed, and let Streamlit drop its downloads."""
        self.visits.leave(self.tab)
        if runtime.exists():
            runtime.get_instance().media_file_mgr.clear_session_refs(self.tab)
            runtime.get_instance().media_file_mgr.remove_orphaned_files()


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda connection: connection.end())
def _connection(tab: str, _visits: Visits) -> _Connection:
    """Released by Streamlit when the connection ends."""
    return _Connection(tab, _visits)


def _is_open(tab: str) -> bool:
    return runtime.exists() and bool(runtime.get_instance().is_active_session(tab))


def _watch(visits: Visits) -> None:
    """For as long as the server runs: one look that fails must not be the last."""
    swept = time.monotonic()
    while True:
        time.sleep(EVERY)
        try:
            visits.look()
            if time.monotonic() - swept > SWEPT_EVERY:
                swept = time.monotonic()
                keep.sweep()
        except Exception:
            logging.getLogger(__name__).exception("Looking after visits failed")
