"""What stands between the network and the app: bounds on uploads, headers, the visitor's cookie, doors that stay closed.

`Gate` is ASGI middleware, so it holds without a proxy. The rest is what a host sets before anybody comes in: a log without
the words of errors, and what to show somebody who is not served.

`Visits` knows who is here: this many tabs at once, and nothing left running or lying about by those who are gone or idle.
Streamlit releases a session's cached resources when its connection ends: when a tab is closed, but on a reload and when a
telephone sleeps, too. A visitor is gone only when all their tabs have been closed for a while.
"""

import asyncio
import base64
import hashlib
import logging
import os
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.formats import counted
from pages.shared import history, jobs, keep, session, show
from pages.shared.session import hosted, limit
from pages.shared.show import refuse

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
        """Note that this tab was used now."""
        with self._lock:
            if tab in self._visits:
                self._visits[tab].used = self._clock()

    def leave(self, tab: str) -> None:
        """Note that the connection of this tab has ended."""
        with self._lock:
            if tab not in self._visits:
                return
            visit = self._visits[tab]
            visit.left = self._clock()
            others = [other for other, each in self._visits.items() if each.token == visit.token and other != tab]
            stays = any(map(self._is_open, others))
        _empty(visit.state)
        if not stays:  # in a thread, because a process may take a second to end
            threading.Thread(target=_stop_reading, args=(visit.token,), daemon=True).start()

    def minutes_to_wait(self) -> int:
        """Return after how many minutes at most a place is free if its visitor does nothing."""
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
            jobs.forget_scope(token)
        for tab, visit in idle:
            _let_go(tab, visit)
            if visit.token not in here:
                jobs.forget_scope(visit.token)
                keep.remove(session.folder_of(visit.token))


def _works_for(token: str) -> bool:
    return any(not job.over for job in jobs.jobs().of(token))


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


def _empty(state: Any) -> None:
    """Let go of the bytes in upload fields: Streamlit keeps a closed tab's state for two minutes, files and all."""
    values = [] if state is None else state.filtered_state.values()
    for value in values:
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, UploadedFile):
                each.truncate(0)


def _stop_reading(token: str) -> None:
    """Stop the jobs that read a visitor's uploads: each holds a file, and nobody waits for what is in it."""
    for job in jobs.jobs().of(token):
        if job.limits.strict:
            jobs.jobs().stop(job, token)
            jobs.jobs().forget(job, token)


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
    """Report once that this tab was closed because nobody used it."""
    minutes = st.session_state.pop(ENDED, None)
    if minutes is not None:
        st.info(
            f"This tab was not used for {counted(minutes, 'minute')}, so its file and results were removed from the server.",
            icon=":material/bedtime:",
        )


def note_use() -> None:
    """Note that this tab is in use, in a part of a page that runs alone."""
    context = get_script_run_ctx()
    if hosted() and context is not None:
        all_visits().note(context.session_id)


def full() -> None:
    """Show that the server is full, and when to try again."""
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
        """Note that the tab is closed, empty its upload fields, and let Streamlit drop its downloads."""
        self.visits.leave(self.tab)
        if runtime.exists():
            runtime.get_instance().media_file_mgr.clear_session_refs(self.tab)
            runtime.get_instance().media_file_mgr.remove_orphaned_files()


@st.cache_resource(scope="session", show_spinner=False, on_release=lambda connection: connection.end())
def _connection(tab: str, _visits: Visits) -> _Connection:
    """Return this tab's connection, which Streamlit releases when it ends."""
    return _Connection(tab, _visits)


def _is_open(tab: str) -> bool:
    return runtime.exists() and bool(runtime.get_instance().is_active_session(tab))


def _watch(visits: Visits) -> None:
    """Watch for as long as the server runs; one failed look must not be the last."""
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


LEFT_OUT = "its words are left out here: they may quote a visitor's text"
FRAMES = "LEAKSCOPE_FRAMES"
_UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/([^/]+)$")
_MEDIA = re.compile(r"/media/[^/]+$")
_CLOSED = re.compile(r"/_stcore/metrics/?$")
_MANAGER = (
    "get_upload_urls",
    "file_storage",
    "remove_session_files",
)  # what bounds on uploads need of Streamlit's store
_ORDERS = ("clear_cache", "set_run_on_save", "load_git_info")  # Streamlit obeys them from any browser
_MOST_IDS = 1_000  # uploads that a session may ask for
_CONNECTIONS_A_TAB = 2  # for every tab that is served: as many more are told that the server is full
_LONGEST = 600.0  # seconds of an upload: one that never ends would hold its share of memory from others
_LONGEST_REFUSED = 60.0  # seconds that are given to the body of a refused one
_AFTER_USE = 24  # hours that the cookie outlives the file: a tab that stays open renews it with no request


class Uploads:
    """The uploads that Streamlit holds and those on their way, bounded by session and over all sessions."""

    def __init__(self) -> None:
        self._ids: dict[str, set[str]] = defaultdict(set)
        self._coming: dict[tuple[str, str], int] = {}
        self._watched: Any = None

    def watch(self) -> bool:
        """Note from now on which ids Streamlit gives to upload widgets; return whether it tells us.

        What holds uploads is no public part of Streamlit: another version may not have it.
        """
        manager: Any = getattr(runtime.get_instance(), "uploaded_file_mgr", None) if runtime.exists() else None
        if not all(hasattr(manager, each) for each in _MANAGER):
            return False
        if manager is self._watched:
            return True
        self._watched, give = manager, manager.get_upload_urls

        def get_upload_urls(session_id: str, file_names: Iterable[str]) -> Any:
            given, ids = give(session_id, file_names), self._ids[session_id]
            ids.update(each.file_id for each in given[: max(0, _MOST_IDS - len(ids))])
            return given

        manager.get_upload_urls = get_upload_urls
        return True

    def refusal(self, tab: str, file: str, size: int) -> tuple[int, str] | None:
        """Return the status and the sentence by which an upload is refused; None where there is room for it."""
        if file not in self._ids.get(tab, ()):
            return 403, "No upload field asked for this file."
        held = {each: self._held(each, without=file) for each in (*self._watched.file_storage, *self._ids)}
        for name, total, whose in (
            ("UPLOADS_A_TAB", held[tab], "this tab"),
            ("UPLOADS_AT_ONCE", sum(held.values()), "all visitors"),
        ):
            if total + size > limit(name) * 1024**2:
                return 413, f"The server holds at most {limit(name):,} MB of uploads for {whose}."
        return None

    def _held(self, tab: str, *, without: str) -> int:
        stored = {each: len(record.data) for each, record in list(self._watched.file_storage.get(tab, {}).items())}
        stored |= {file: size for (owner, file), size in self._coming.items() if owner == tab}
        return sum(size for each, size in stored.items() if each != without)

    async def receive(
        self, server: ASGIApp, scope: Scope, receive: Receive, send: Send, *, tab: str, file: str
    ) -> None:
        """Let Streamlit store an upload for which there is room."""
        if not self.watch():
            if hosted():
                await _pass_over(receive)
                await _answer(send, 503, "Uploads are closed: this version of Streamlit cannot bound them.")
            else:
                await server(scope, receive, send)
            return
        told = _header(scope, b"content-length")
        # A body in chunks is read to its end, whatever length its header tells.
        known = told.isdigit() and not _header(scope, b"transfer-encoding")
        size = int(told) if known else (limit("UPLOAD_SIZE") + 1) * 1024**2
        problem = self.refusal(tab, file, size)
        if problem is None and (tab, file) in self._coming:
            problem = 409, "This file is being uploaded already."
        if problem is not None:
            await _pass_over(receive)
            await _answer(send, *problem)
            return
        self._coming[tab, file] = size
        try:
            async with asyncio.timeout(_LONGEST):
                await server(scope, receive, send)
        except TimeoutError:
            logging.getLogger(__name__).warning("An upload was ended after %s seconds", _LONGEST)
        finally:
            del self._coming[tab, file]
            self.free()

    def free(self) -> None:
        """Let go of the files of sessions whose connection has ended."""
        if not self.watch():
            return
        for tab in {*self._watched.file_storage, *self._ids}:
            if not _has_connection(tab):
                self._ids.pop(tab, None)
                if hosted():  # on one's own machine a laptop that wakes up finds its file again
                    self._watched.remove_session_files(tab)


def _has_connection(tab: str) -> bool:
    """Return whether the connection of a tab is there; a version of Streamlit that cannot tell keeps everything."""
    tells = getattr(runtime.get_instance(), "is_active_session", None)
    return tells is None or bool(tells(tab))


class Gate:
    """ASGI middleware: every request passes here before it reaches Streamlit."""

    def __init__(self, app: ASGIApp) -> None:
        self._server, self._uploads = app, Uploads()
        self._connections = 0
        session.bound_uploads()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            if hosted() and self._connections >= _CONNECTIONS_A_TAB * limit("SESSIONS"):
                await receive()
                await send({"type": "websocket.close", "code": 1013})
                return
            self._uploads.watch()
            self._connections += 1
            try:
                await self._server(scope, _without_orders(receive) if hosted() else receive, send)
            finally:
                self._connections -= 1
                self._uploads.free()
        elif scope["type"] == "http":
            await self._request(scope, receive, _with_headers(scope, send))
        else:
            await self._server(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        upload = _UPLOAD.search(scope["path"])
        if _CLOSED.search(scope["path"]):
            await _answer(send, 404, "Not found")
        elif upload and scope["method"] == "PUT":
            await self._uploads.receive(self._server, scope, receive, send, tab=upload[1], file=upload[2])
        elif _MEDIA.search(scope["path"]):
            await self._server(scope, receive, _while_open(send))
        else:
            await self._server(scope, receive, send)


def _without_orders(receive: Receive) -> Receive:
    """Return a `receive` that drops what only a developer may ask: any visitor could clear the caches of all, and all jobs."""

    async def received() -> Message:
        while True:
            message, asked = await receive(), BackMsg()
            with suppress(DecodeError):  # Streamlit itself ends the connection
                asked.ParseFromString(message.get("bytes") or b"")
            if asked.WhichOneof("type") not in _ORDERS:
                return message

    return received


def _with_headers(scope: Scope, send: Send) -> Send:
    """Return a `send` that adds the policy to every response, and the visitor's cookie to every page."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            added = policy_headers()
            kind = dict(message.get("headers", ())).get(b"content-type", b"").decode("latin-1")
            if message["status"] == 304:  # what the browser has already, without its type
                kind = _header(scope, b"accept")
            if "text/html" in kind:
                added = [*added, (b"set-cookie", _cookie(scope).encode())]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return sent


def _while_open(send: Send) -> Send:
    """Return a `send` for media: a download is served while its session is open, without the words that name it."""
    gone = False

    async def sent(message: Message) -> None:
        nonlocal gone
        if message["type"] == "http.response.start":
            headers = [(name, value) for name, value in message["headers"] if name != b"content-type"]
            kind, owner = show.kind_and_owner(dict(message["headers"]).get(b"content-type", b"").decode("latin-1"))
            gone = owner is not None and not _has_connection(owner)
            if gone:
                await _answer(send, 404, "File not found")
                return
            message = {**message, "headers": [*headers, (b"content-type", kind.encode("latin-1"))]}
        if not gone:
            await send(message)

    return sent


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for each, value in scope["headers"] if each == name), "")


async def _pass_over(receive: Receive) -> None:
    """Read the body of a refused upload and keep none of it: a browser reads the answer only after it has sent all."""
    left = (limit("UPLOAD_SIZE") + 1) * 1024**2
    with suppress(TimeoutError):
        async with asyncio.timeout(_LONGEST_REFUSED):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body"):
                    return


async def _answer(send: Send, status: int, words: str) -> None:
    body = words.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": body})


def _cookie(scope: Scope) -> str:
    """Return the visitor's cookie: their own token again, or a new one."""
    given = re.search(rf"(?:^|;\s*){session.COOKIE}=([^;]*)", _header(scope, b"cookie"))
    token = session.checked(given[1] if given else "") or session.new_token()
    hours = limit("KEEP_HOURS") + _AFTER_USE
    secure = "https" in (scope.get("scheme"), _header(scope, b"x-forwarded-proto").split(",")[0].strip())
    cookie = f"{session.COOKIE}={token}; Max-Age={hours * 3600}; Path=/; HttpOnly; SameSite=Strict"
    return f"{cookie}; Secure" if secure else cookie


@cache
def policy_headers() -> list[tuple[bytes, bytes]]:
    """Return the headers that keep other sites from framing the app and foreign scripts from running in it.

    'unsafe-eval' is for plotly's WebGL charts, blob: for the script of the HITS page, inline styles are Streamlit's; inline
    scripts are its own and our two, by their hashes. LEAKSCOPE_FRAMES names the sites that may show the app in a frame.
    """
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    scripts = [*re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL), history.SCRIPT, show.SCRIPT]
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()}'" for each in scripts
    )
    frames = os.environ.get(FRAMES, "").split()
    ancestors = " ".join(["'self'", *frames])
    policy = (
        f"default-src 'self'; script-src 'self' 'unsafe-eval' blob: {hashes}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; "
        f"form-action 'self'; frame-ancestors {ancestors}"
    )
    headers = {
        "content-security-policy": policy,
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
    }
    if not frames:  # it knows no list of sites
        headers["x-frame-options"] = "SAMEORIGIN"
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def closed() -> Callable[[], None] | None:
    """Return what to show in place of the app, where this tab is not served."""
    if hosted():
        keep_words_out()
    if session.limit_problems():
        return _say_problems
    session.bound_uploads()
    return None if served() else full


def _say_problems() -> None:
    for problem in session.limit_problems():
        refuse(problem, icon=":material/settings:")


class WithoutWords(Exception):
    """Stands in the log for an error whose words are left out."""


def keep_words_out() -> None:
    """Log only the kind of an error and its lines of code from now on."""
    if logging.getLogRecordFactory() is not _record:
        logging.setLogRecordFactory(_record)
        st.set_option("logger.enableRich", False)  # it would print past the log


def _record(*arguments: Any, **keywords: Any) -> logging.LogRecord:
    record = logging.LogRecord(*arguments, **keywords)
    if record.exc_info and record.exc_info[0] is not None:
        kind, _, trace = record.exc_info
        problem = WithoutWords(f"{kind.__name__}, {LEFT_OUT}").with_traceback(trace)
        record.exc_info = WithoutWords, problem, trace
    return record
