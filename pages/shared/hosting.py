"""What stands between the network and the app: bounds on uploads, headers, the visitor's cookie, doors that stay closed.

`Gate` is ASGI middleware, so it holds without a proxy. The rest is what a host sets before anybody comes in: a log without
the words of errors, and what to show somebody who is not served.
"""

import asyncio
import base64
import hashlib
import logging
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from pages.shared import files, limits, links, session, show, visits
from pages.shared.limits import hosted, limit
from pages.shared.show import refuse

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
_MOST_IDS = 1_000  # uploads that a session may ask for
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
        size = int(told) if told.isdigit() else (limit("UPLOAD_SIZE") + 1) * 1024**2
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
            if not _is_open(tab):
                self._ids.pop(tab, None)
                if hosted():  # on one's own machine a laptop that wakes up finds its file again
                    self._watched.remove_session_files(tab)


def _is_open(tab: str) -> bool:
    """Return whether the connection of a tab is there; a version of Streamlit that cannot tell keeps everything."""
    tells = getattr(runtime.get_instance(), "is_active_session", None)
    return tells is None or bool(tells(tab))


class Gate:
    """ASGI middleware: every request passes here before it reaches Streamlit."""

    def __init__(self, app: ASGIApp) -> None:
        self._server, self._uploads = app, Uploads()
        limits.bound_uploads()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            self._uploads.watch()
            try:
                await self._server(scope, receive, send)
            finally:
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
            kind, owner = files.kind_and_owner(dict(message["headers"]).get(b"content-type", b"").decode("latin-1"))
            gone = owner is not None and not _is_open(owner)
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
    scripts = [*re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL), links.SCRIPT, show.SCRIPT]
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
    if limits.problems():
        return _say_problems
    limits.bound_uploads()
    return None if visits.served() else visits.full


def _say_problems() -> None:
    for problem in limits.problems():
        refuse(problem, icon=":material/settings:")


class WithoutWords(Exception):
    """Stands in the log for an error whose words are left out."""


def keep_words_out() -> None:
    """From now on the log names the kind of an error and its lines of code alone."""
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
