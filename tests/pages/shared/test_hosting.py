"""What passes between the network and the app, what does not, and the log of a host without the words of errors."""

import asyncio
import base64
import hashlib
import io
import logging
import os
import re
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from pages.shared import history, hosting, show
from pages.shared.hosting import Gate, keep_words_out
from tests.conftest import ROOT

MB = 1024**2
Found = TypeVar("Found")


def completed(coroutine: Coroutine[Any, Any, Found]) -> Found:
    """Run a coroutine in a thread of its own: Playwright leaves a running loop in the tests' thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


class Host:
    """A gate with a server behind it that stores uploads as Streamlit does, and has these tabs open."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.manager, self.open = MemoryUploadedFileManager("/_stcore/upload_file"), {"a", "b"}
        instance = SimpleNamespace(uploaded_file_mgr=self.manager, is_active_session=self.open.__contains__)
        monkeypatch.setattr(hosting, "runtime", SimpleNamespace(exists=lambda: True, get_instance=lambda: instance))
        self.gate, self.kind = Gate(self._server), "text/html"
        self.pause: asyncio.Event | None = None

    async def _server(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            return
        if scope["method"] == "PUT":
            *_, tab, file = scope["path"].split("/")
            if self.pause is not None:
                await self.pause.wait()
            self.manager.add_file(tab, UploadedFileRec(file, "x", "x", (await receive())["body"]))
        headers = [(b"content-type", self.kind.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"here"})

    def ids(self, tab: str, count: int = 1) -> list[str]:
        """Ids as the browser's upload field gets them, over an open connection."""
        completed(self.gate({"type": "websocket", "path": "/_stcore/stream", "headers": []}, None, None))  # type: ignore[arg-type]
        return [each.file_id for each in self.manager.get_upload_urls(tab, ["x"] * count)]

    async def send(
        self, path: str, method: str = "GET", body: bytes = b"", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        found: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body}

        async def send(message: Any) -> None:
            found.append(message)

        scope = {"type": "http", "method": method, "path": path, "scheme": "http", "headers": given}
        await self.gate(scope, receive, send)
        heads = {name.decode(): value.decode() for name, value in found[0]["headers"]}
        return found[0]["status"], heads, b"".join(each.get("body", b"") for each in found[1:])

    def put(self, tab: str, file: str, size: int, *, told: bool = True) -> int:
        length = {"content_length": str(size)} if told else {}
        return completed(self.send(f"/_stcore/upload_file/{tab}/{file}", "PUT", b"x" * size, **length))[0]


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    monkeypatch.setenv("LEAKSCOPE_HOSTED", "1")
    monkeypatch.setenv("LEAKSCOPE_UPLOADS_A_TAB", "3")
    monkeypatch.setenv("LEAKSCOPE_UPLOADS_AT_ONCE", "4")
    monkeypatch.setattr("pages.shared.session.bound_uploads", lambda: None)
    return Host(monkeypatch)


def test_an_id_that_no_upload_field_asked_for_is_refused(host: Host):
    (asked,) = host.ids("a")
    assert host.put("a", "guessed", 10) == 403
    assert host.put("b", asked, 10) == 403, "an id of another tab"
    assert host.put("a", asked, 10) == 200
    assert sum(map(len, host.manager.file_storage.values())) == 1


def test_a_streamlit_that_does_not_tell_its_uploads_keeps_a_host_closed_to_them_alone(
    host: Host, monkeypatch: pytest.MonkeyPatch
):
    """What holds uploads is no public part of Streamlit: another version may have other names."""
    instance = SimpleNamespace()
    monkeypatch.setattr(hosting, "runtime", SimpleNamespace(exists=lambda: True, get_instance=lambda: instance))
    host.ids("a")  # a connection comes and goes
    assert hosting._has_connection("a"), "a version that cannot tell keeps everything"
    assert host.put("a", "any", 10) == 503 and not host.manager.file_storage
    assert completed(host.send("/"))[0] == 200 and completed(host.send("/media/file"))[0] == 200
    monkeypatch.setenv("LEAKSCOPE_HOSTED", "0")
    assert host.put("a", "any", 10) == 200, "on one's own machine Streamlit's own rules hold"


def test_uploads_are_bounded_by_tab_and_over_all_tabs(host: Host):
    first, second, third = host.ids("a", 3)
    assert [host.put("a", first, MB), host.put("a", second, 2 * MB), host.put("a", third, 1)] == [200, 200, 413]
    assert host.put("a", first, MB) == 200, "in place of the file that it replaces"
    one, other = host.ids("b", 2)
    assert [host.put("b", one, MB + 1), host.put("b", other, MB)] == [413, 200]
    host.manager.remove_file("a", second)
    assert host.put("a", third, MB) == 200, "what is removed makes room"


def test_an_upload_of_unknown_length_counts_as_the_largest(host: Host, monkeypatch: pytest.MonkeyPatch):
    assert host.put("a", *host.ids("a"), 10, told=False) == 413
    monkeypatch.setenv("LEAKSCOPE_UPLOAD_SIZE", "1")
    assert host.put("a", *host.ids("a"), 10, told=False) == 200


def test_an_upload_in_chunks_counts_as_the_largest_whatever_its_header_says(host: Host):
    (asked,) = host.ids("a")
    heads = {"content_length": "10", "transfer_encoding": "chunked"}
    assert completed(host.send(f"/_stcore/upload_file/a/{asked}", "PUT", b"x" * MB, **heads))[0] == 413


def test_connections_are_bounded(host: Host, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAKSCOPE_SESSIONS", "1")
    reached, sent = [], []

    async def server(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope)
        await asyncio.sleep(0.05)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    gate = Gate(server)

    async def connections(count: int) -> None:
        scope = {"type": "websocket", "path": "/_stcore/stream", "headers": []}
        await asyncio.gather(*(gate(dict(scope), receive, send) for _ in range(count)))

    completed(connections(5))
    assert len(reached) == 2 and sent == ["websocket.close"] * 3
    completed(connections(2))
    assert len(reached) == 4, "those that ended make room"


def test_uploads_on_their_way_count_before_they_are_there(host: Host):
    ids = host.ids("a", 30)

    async def all_at_once() -> list[int]:
        host.pause = asyncio.Event()
        asyncio.get_running_loop().call_later(0.05, host.pause.set)
        paths = [f"/_stcore/upload_file/a/{each}" for each in ids]
        found = await asyncio.gather(*(host.send(path, "PUT", b"x" * MB, content_length=str(MB)) for path in paths))
        return [status for status, *_ in found]

    found = completed(all_at_once())
    assert found.count(200) == 3 and found.count(413) == 27


def test_a_closed_tab_holds_no_files(host: Host):
    assert host.put("a", *host.ids("a"), MB) == 200
    host.open.remove("a")
    host.ids("b")  # a connection has ended
    assert not host.manager.file_storage.get("a")
    assert host.put("a", "any", 10) == 403


def test_no_visitor_clears_the_caches_of_all(host: Host):
    """Streamlit does it for any browser that asks, and jobs and results are in these caches."""
    clear, rerun, got = BackMsg(clear_cache=True), BackMsg(), []
    rerun.rerun_script.query_string = "a=1"
    sent = [clear.SerializeToString(), rerun.SerializeToString(), clear.SerializeToString(), b"\xff\xff", None]

    async def server(scope: Any, receive: Any, send: Any) -> None:
        got.extend([(await receive())["bytes"] for _ in range(3)])

    async def receive() -> Any:
        return {"type": "websocket.receive", "bytes": sent.pop(0)}

    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": []}
    completed(Gate(server)(scope, receive, None))  # type: ignore[arg-type]
    assert got == [rerun.SerializeToString(), b"\xff\xff", None]


def test_the_upload_fields_of_a_closed_tab_are_empty(host: Host):
    """Streamlit keeps the state of a closed tab for two minutes, and files in it."""
    file = UploadedFile(UploadedFileRec("1", "x.csv", "text/csv", b"x" * 100), None)  # type: ignore[arg-type]
    visits = hosting.Visits(is_open=lambda tab: True)
    visits.enter("a", "token", state=SimpleNamespace(filtered_state={"files": [file], "more": 1, "one": file}))
    assert file.getvalue()
    visits.leave("a")
    assert not file.getvalue()


def test_the_visitors_cookie_is_out_of_reach_of_scripts_and_other_sites(host: Host, monkeypatch: pytest.MonkeyPatch):
    _, heads, _ = completed(host.send("/corpus"))
    token = re.fullmatch(
        r"leakscope=([0-9a-f]{32}); Max-Age=93600; Path=/; HttpOnly; SameSite=Strict", heads["set-cookie"]
    )
    assert token is not None
    for cookie in (f"leakscope={token[1]}", f"_streamlit_xsrf=2|x; leakscope={token[1]}; more=1"):
        _, again, _ = completed(host.send("/", cookie=cookie, x_forwarded_proto="https"))
        assert again["set-cookie"] == f"{heads['set-cookie']}; Secure"
    _, other, _ = completed(host.send("/", cookie="leakscope=chosen-by-somebody"))
    assert "chosen" not in other["set-cookie"]
    host.kind = "text/javascript"
    assert "set-cookie" not in completed(host.send("/static/x.js"))[1]


def test_the_metrics_are_closed(host: Host):
    status, _, body = completed(host.send("/_stcore/metrics"))
    assert status == 404 and body != b"here"


def test_every_response_has_the_policy_and_it_names_our_scripts(host: Host, monkeypatch: pytest.MonkeyPatch):
    hosting.policy_headers.cache_clear()
    for path in ("/", "/_stcore/metrics", "/static/x.js"):
        heads = completed(host.send(path))[1]
        policy = heads["content-security-policy"]
        assert "default-src 'self'" in policy and policy.endswith("frame-ancestors 'self'")
        assert (heads["x-frame-options"], heads["x-content-type-options"]) == ("SAMEORIGIN", "nosniff")
    for script in (history.SCRIPT, show.SCRIPT):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
    assert "'unsafe-inline'" not in re.findall("script-src ([^;]*)", policy)[0]
    drawn = [file.read_text(encoding="utf-8") for file in (ROOT / "pages").rglob("*.py")]
    assert sum(text.count("unsafe_allow_javascript") for text in drawn) == 2, "a script that the policy does not name"
    monkeypatch.setenv(hosting.FRAMES, "https://course.example.org")
    hosting.policy_headers.cache_clear()
    heads = completed(host.send("/"))[1]
    assert heads["content-security-policy"].endswith("frame-ancestors 'self' https://course.example.org")
    assert "x-frame-options" not in heads
    hosting.policy_headers.cache_clear()


def test_a_download_goes_with_its_tab(host: Host):
    host.kind = "text/csv; owner=a; content=00ff; charset=utf-8"
    status, heads, body = completed(host.send("/media/abc.csv"))
    assert (status, heads["content-type"], body) == (200, "text/csv; charset=utf-8", b"here")
    host.open.remove("a")
    status, heads, body = completed(host.send("/media/abc.csv"))
    assert status == 404 and body != b"here"
    host.kind = "image/svg+xml"
    assert completed(host.send("/media/logo.svg"))[0] == 200, "what belongs to nobody"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A host as its operator starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--server.headless=true", f"--server.port={port}", "--server.fileWatcherType=none"]
    settings = {"LEAKSCOPE_HOSTED": "1", "LEAKSCOPE_CACHE": str(tmp_path_factory.mktemp("cache"))}
    with subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", *options],
        cwd=ROOT,
        env=os.environ | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            for _ in range(480):
                assert server.poll() is None, "the app ended while starting"
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
                    break
                except OSError:
                    time.sleep(0.25)
            yield f"127.0.0.1:{port}"
        finally:
            server.terminate()


def status(address: str, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> int:
    request = urllib.request.Request(f"http://{address}{path}", body, headers, method=method)
    try:
        return int(urllib.request.urlopen(request, timeout=60).status)
    except urllib.error.HTTPError as problem:
        return problem.code


def test_the_real_server_keeps_its_gate(address: str):
    """An upload by Streamlit's own messages: asked for, stored, and one that was not asked for."""
    with urllib.request.urlopen(f"http://{address}/", timeout=60) as page:
        assert "frame-ancestors" in page.headers["content-security-policy"] and "HttpOnly" in page.headers["set-cookie"]
    assert status(address, "/_stcore/metrics") == 404
    form = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\na,b\r\n--x--\r\n'
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    with connect(f"ws://{address}/_stcore/stream", subprotocols=["streamlit"], max_size=None, proxy=None) as tab:  # type: ignore[list-item]
        asked = BackMsg()
        asked.file_urls_request.request_id = "1"
        asked.file_urls_request.file_names.append("f.csv")
        tab.send(asked.SerializeToString())
        while True:
            found = ForwardMsg()
            found.ParseFromString(tab.recv(60))  # type: ignore[arg-type]
            if found.WhichOneof("type") == "file_urls_response":
                break
        path = found.file_urls_response.file_urls[0].upload_url
        with urllib.request.urlopen(f"http://{address}/_stcore/health", timeout=60) as answer:
            cookies = [value.split(";")[0] for value in answer.headers.get_all("set-cookie") or ()]
        (xsrf,) = [cookie for cookie in cookies if cookie.startswith("_streamlit_xsrf=")]
        allowed = kind | {"Cookie": xsrf, "X-Xsrftoken": xsrf.partition("=")[2]}
        assert status(address, path, "PUT", form, **allowed) == 204
        assert status(address, f"{path}0", "PUT", form, **allowed) == 403, "Streamlit itself would take it"
    assert status(address, path, "PUT", form, **allowed) == 403


def test_a_message_that_does_not_end_is_ended(address: str):
    """The server holds what has come of a message, for every connection."""
    stream = f"ws://{address}/_stcore/stream"
    with (
        pytest.raises(ConnectionClosed),
        connect(stream, subprotocols=["streamlit"], proxy=None) as tab,  # type: ignore[list-item]
    ):
        tab.send(b"x" * MB for _ in range(200))
        tab.recv(10)
    with (
        pytest.raises(ConnectionClosed, match="1009"),
        connect(stream, subprotocols=["streamlit"], proxy=None) as tab,  # type: ignore[list-item]
    ):
        tab.send(b"x" * 3 * MB)
        tab.recv(10)


def test_what_the_server_writes_its_own_user_alone_may_read(tmp_path: Path, tiny_csv: bytes):
    code = (
        "import app\n"
        "from pathlib import Path\n"
        "from core.corpora import make_of\n"
        "from core.corpora.readers import File\n"
        f"file, place = File('my.csv', {tiny_csv!r}), Path({str(tmp_path / 'session')!r})\n"
        "make_of([file], {'text': 'text', 'topic': 'topic'}, keep=place)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert written and {stat.S_IMODE(file.stat().st_mode) for file in written} == {0o600}


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    before, written = logging.getLogRecordFactory(), io.StringIO()
    logging.setLogRecordFactory(logging.LogRecord)
    handler, logger = logging.StreamHandler(written), logging.getLogger("streamlit.error_util")
    logger.addHandler(handler)
    yield written
    logger.removeHandler(handler)
    logging.setLogRecordFactory(before)


def fail() -> None:
    try:
        raise KeyError("a visitor's words")
    except KeyError as problem:
        raise ValueError("more of a visitor's words") from problem


def logged() -> None:
    try:
        fail()
    except ValueError as problem:
        logging.getLogger("streamlit.error_util").error("Uncaught app execution", exc_info=problem)


def test_the_words_of_an_error_are_left_out(log: io.StringIO):
    logged()
    assert log.getvalue().count("visitor's words") == 2 + 2, "both messages, and the two lines of code"
    log.truncate(0)
    keep_words_out()
    keep_words_out()
    logged()
    written = log.getvalue()
    assert "Uncaught app execution" in written and "ValueError, its words are left out" in written
    assert 'in fail\n    raise ValueError("more of' in written, "the line of code is ours"
    assert written.count("visitor's words") == 1 and "KeyError" not in written


def test_what_is_no_error_is_logged_as_it_is(log: io.StringIO):
    keep_words_out()
    logging.getLogger("streamlit.error_util").warning("%s went by", "A cloud")
    assert "A cloud went by" in log.getvalue()
