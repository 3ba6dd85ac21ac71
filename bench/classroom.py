"""A class: thirty users open a page together and then move the slider of HITS, each now and then, as people do.

Users without a browser: they speak Streamlit's own messages over websockets to a server on this machine. Printed are the
slider's p95 with one user, with all of them, and with all of them while three jobs run; the processor seconds that a
page load takes, beside a blank Streamlit page in the same run; how long everybody waits when all open a page together, at
first and again; how long a class waits for Overview of files of their own, from the upload; and the server's memory after
many sessions came and went. The machine's load stands beside every time.
"""

import argparse
import asyncio
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from bench import ROOT, exit_code, sized, tiny

BLANK = 'import streamlit as st\nst.title("Nothing")\n'
AWAY = 10  # seconds that a visitor's results outlive their last tab
PAUSE = sized(10.0, 0.1)  # seconds between two moves of one user, on average
SLIDER = "-m"  # how the slider's id ends: by its key
BUSY = "view=simulated+groups&trials=2000&instances=1000&resamples=50&groups=50"
MOST_TIMES_ALONE, MOST_TIMES_IDLE = 3.0, 2.0
PAGES = (
    *("overview", "corpus", "topic_map", "hits", "design", "split", "accuracy", "ranking", "shortcut"),
    *("significance", "trust", "lesson", "methods"),
)
# Page loads over a blank page, both in processor seconds, at version 0.1 (`--root`, in one run): the heaviest, the Shortcut
# test, of which half must be reached, and the mean.
HEAVIEST_BEFORE, MEAN_BEFORE = 6.9, 3.3
JOINT = ("overview", "hits", "lesson")  # pages that a class opens together
LEAST_ELEMENTS = 15  # of any page, its frame included
MOST_JOINT = 1.5  # seconds, p95, on two quiet cores
MOST_KEPT = 1.1  # of the memory after the first visits, once all of the later ones have expired
PATIENCE = 120.0
USE = "Use this corpus"
LOOK = 0.5  # seconds between two looks at a job
DONE = ("FINISHED_SUCCESSFULLY", "FINISHED_FRAGMENT_RUN_SUCCESSFULLY")


class User:
    """One tab: what the server has sent it, and the messages a browser would send back."""

    def __init__(self, connection: Any, page: str, query: str) -> None:
        self._connection, self._page, self._query = connection, page, query
        self.fragment = self.slider = ""
        self.low = self.high = 0
        self.errors: list[str] = []
        self.elements = 0
        self.widgets: dict[str, str] = {}  # ids of upload fields by key, of buttons by label
        self.headings: list[str] = []

    async def open(self) -> float:
        """Load the page; the seconds that took."""
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_name = "" if self._page == "overview" else self._page
        return await self._ask(message)

    async def move(self, value: int) -> float:
        """Move the slider; the seconds until all that follows from it is here."""
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.fragment_id = self._query, self.fragment
        state = message.rerun_script.widget_states.widgets.add()
        state.id = self.slider
        state.double_array_value.data.append(value)
        return await self._ask(message)

    async def upload(self, port: int, content: bytes) -> None:
        """Upload a table of one's own on Corpus, and use it."""
        message = BackMsg()
        message.file_urls_request.request_id = "1"
        message.file_urls_request.file_names.append("my.csv")
        await self._connection.send(message.SerializeToString())
        found = ForwardMsg()
        while found.WhichOneof("type") != "file_urls_response":
            found.ParseFromString(await asyncio.wait_for(self._connection.recv(), PATIENCE))
        (given,) = found.file_urls_response.file_urls
        await asyncio.to_thread(_put, port, given.upload_url, content)
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.page_name = self._query, self._page
        field = message.rerun_script.widget_states.widgets.add()
        field.id = self.widgets["files"]
        file = field.file_uploader_state_value.uploaded_file_info.add()
        file.file_id, file.name, file.size = given.file_id, "my.csv", len(content)
        file.file_urls.CopyFrom(given)
        while USE not in self.widgets:
            await self._ask(message)
            await asyncio.sleep(LOOK)
        pressed = message.rerun_script.widget_states.widgets.add()
        pressed.id, pressed.trigger_value = self.widgets[USE], True
        await self._ask(message)
        del message.rerun_script.widget_states.widgets[-1]  # a button is pressed once, and the file stays in its field
        while "file=my.csv" not in self._query:
            await asyncio.sleep(LOOK)
            await self._ask(message)

    async def turn_to(self, page: str) -> None:
        """Open another page in this tab, until its answer is there."""
        self._page, self.headings = page, []
        while not any(body.startswith(":") for body in self.headings):  # the headline, in the colour of its level
            await self.open()
            await asyncio.sleep(LOOK)

    async def _ask(self, message: BackMsg) -> float:
        start = time.perf_counter()
        await self._connection.send(message.SerializeToString())
        while True:
            found = ForwardMsg()
            found.ParseFromString(await asyncio.wait_for(self._connection.recv(), PATIENCE))
            kind = found.WhichOneof("type")
            if kind == "delta" and found.delta.WhichOneof("type") == "new_element":
                self._look_at(found.delta)
            elif kind == "page_info_changed":
                self._query = found.page_info_changed.query_string
            elif kind == "script_finished":
                status = ForwardMsg.ScriptFinishedStatus.Name(found.script_finished)
                if status in DONE:
                    return time.perf_counter() - start
                if status != "FINISHED_EARLY_FOR_RERUN":
                    self.errors.append(status)
                    return time.perf_counter() - start

    def _look_at(self, delta: Any) -> None:
        element = delta.new_element
        self.elements += 1
        if element.WhichOneof("type") == "exception":
            self.errors.append(f"{element.exception.type}: {element.exception.message}")
        elif element.WhichOneof("type") == "slider" and element.slider.id.endswith(SLIDER):
            self.fragment, self.slider = delta.fragment_id, element.slider.id
            self.low, self.high = int(element.slider.min), int(element.slider.max)
        elif element.WhichOneof("type") == "file_uploader" and element.file_uploader.id.endswith("-files"):
            self.widgets["files"] = element.file_uploader.id
        elif element.WhichOneof("type") == "button":
            self.widgets[element.button.label] = element.button.id
        elif element.WhichOneof("type") == "heading":
            self.headings.append(element.heading.body)


def _put(port: int, path: str, content: bytes) -> None:
    """Send a file as a browser does."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=60) as answer:
        cookies = [value.split(";")[0] for value in answer.headers.get_all("set-cookie") or ()]
    (xsrf,) = [cookie for cookie in cookies if cookie.startswith("_streamlit_xsrf=")]
    head = b'--x\r\nContent-Disposition: form-data; name="f"; filename="my.csv"\r\n\r\n'
    heads = {"Content-Type": "multipart/form-data; boundary=x", "Cookie": xsrf, "X-Xsrftoken": xsrf.partition("=")[2]}
    body = head + content + b"\r\n--x--\r\n"
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, heads, method="PUT")
    urllib.request.urlopen(request, timeout=60).close()


@contextmanager
def server(script: Path, folder: str, root: Path) -> Iterator[tuple[int, psutil.Process]]:
    """A Streamlit server of one's own, for users who do not know each other: its port and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--server.headless=true", f"--server.port={port}", "--server.address=127.0.0.1"]
    command = [sys.executable, "-m", "streamlit", "run", str(script), *options, "--server.fileWatcherType=none"]
    settings = {"LEAKSCOPE_HOSTED": "1", "LEAKSCOPE_SESSIONS": "100", "LEAKSCOPE_JOBS_AT_ONCE": "3"}
    settings |= {"LEAKSCOPE_AWAY_SECONDS": str(AWAY)}
    process = subprocess.Popen(
        command,
        cwd=root,
        env=os.environ | settings | {"LEAKSCOPE_CACHE": folder},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(480):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.25)
        yield port, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)


def tab(port: int) -> Any:
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    return connect(
        address, subprotocols=["streamlit"], open_timeout=PATIENCE, max_size=None, compression=None, proxy=None
    )  # type: ignore[list-item]


async def load(port: int, page: str, query: str = "") -> list[str]:
    """Open a page in a tab of its own and close it; what went wrong."""
    async with tab(port) as connection:
        user = User(connection, page, query)
        await user.open()
        return user.errors


async def processor_seconds(port: int, process: psutil.Process, page: str, loads: int) -> float:
    """Of the server for one page load, once everything that is shared is there; a tab stays open, as in a class."""
    async with tab(port) as connection:
        await User(connection, page, "").open()
        for _ in range(2):
            assert not await load(port, page)
        before = process.cpu_times()
        for _ in range(loads):
            assert not await load(port, page)
        after = process.cpu_times()
    return (after.user + after.system - before.user - before.system) / loads


async def opened_together(port: int, page: str, users: int) -> np.ndarray:
    """Return the seconds that each of these users waits for a page that all of them open at once."""

    async def wait() -> float:
        async with tab(port) as connection:
            user = User(connection, page, "")
            await together.wait()
            seconds = await user.open()
            assert not user.errors, user.errors
            assert not page or user.elements > LEAST_ELEMENTS, "not the page, perhaps that of a full server"
            return seconds

    together = asyncio.Barrier(users)
    return np.array(await asyncio.gather(*(wait() for _ in range(users))))


async def joint_openings(
    ours: tuple[int, psutil.Process], blank: int, users: int, pages: Sequence[str]
) -> dict[str, bool]:
    """Print how long a class waits for a page, at its first opening and then; return what was claimed of the latter."""
    reached = {}
    await opened_together(blank, "", users)
    nothing = float(np.quantile(await opened_together(blank, "", users), 0.95))
    for page in pages:
        first, then = [await opened_together(ours[0], page, users) for _ in range(2)]
        (median, p95), cold = np.quantile(then, (0.5, 0.95)), float(np.quantile(first, 0.95))
        print(
            f"{users} open {page:14} first p95 {cold:5.2f} s, then p50 {median:5.2f} s, p95 {p95:5.2f} s, "
            f"{p95 / nothing:4.1f} times a blank page  (load {os.getloadavg()[0]:.1f})",
            flush=True,
        )
        if page in JOINT and not tiny():
            reached[f"{users} open {page}: p95 {p95:.2f} s, at most {MOST_JOINT}"] = bool(p95 <= MOST_JOINT)
    return reached


async def with_own_files(port: int, users: int, documents: int) -> None:
    """Print how long a class waits for Overview of their own files, each another one, from the upload on."""

    async def bring(number: int) -> float:
        drawn = random.Random(number)
        words = [[f"word{topic}x{each}" for each in range(60)] for topic in range(8)]
        rows = [(drawn.randrange(8), drawn.randrange(12)) for _ in range(documents)]
        texts = [" ".join(drawn.choices(words[topic] + words[0], k=60)) for topic, _ in rows]
        lines = [f"{text},topic {topic},author {author}" for text, (topic, author) in zip(texts, rows, strict=True)]
        async with tab(port) as connection:
            user = User(connection, "corpus", "encoder=LSA")
            await user.open()
            await together.wait()
            start = time.perf_counter()
            await user.upload(port, "\n".join(["text,topic,author", *lines]).encode())
            await user.turn_to("")
            assert not user.errors, user.errors
            return time.perf_counter() - start

    together = asyncio.Barrier(users)
    seconds = np.array(await asyncio.gather(*map(bring, range(users))))
    median, p95 = np.quantile(seconds, (0.5, 0.95))
    print(
        f"{users} load {documents:,} documents each: Overview p50 {median:.1f} s, p95 {p95:.1f} s after the upload  "
        f"(load {os.getloadavg()[0]:.1f})",
        flush=True,
    )


async def come_and_go(ours: tuple[int, psutil.Process], sessions: int) -> dict[str, bool]:
    """Print the server's memory after some sessions, after many more, and once these have expired."""
    port, process = ours
    memory = {}
    for name, count in ("the first", sessions // 3), ("all", sessions - sessions // 3):
        for number in range(count):
            assert not await load(port, ("overview", "hits", "corpus")[number % 3])
        memory[f"after {name} {count} sessions"] = process.memory_info().rss
    await asyncio.sleep(sized(AWAY + 130, 0))  # Streamlit keeps a session two minutes for a tab that comes back
    memory["once they expired"] = process.memory_info().rss
    print("memory: " + ", ".join(f"{name} {held / 1e6:.0f} MB" for name, held in memory.items()), flush=True)
    before, _, after = memory.values()
    return {f"memory returns: {after / before:.2f} times, at most {MOST_KEPT}": after <= MOST_KEPT * before or tiny()}


async def sit(port: int, moves: int, together: asyncio.Barrier, seed: int) -> tuple[list[float], list[str]]:
    """One user of a class: opens the page with the others, then moves the slider now and then."""
    drawn = random.Random(seed)
    async with tab(port) as connection:
        user = User(connection, "hits", "")
        await together.wait()
        await user.open()
        await together.wait()
        seconds: list[float] = []
        for _ in range(moves if user.slider else 0):
            await asyncio.sleep(drawn.uniform(0, 2 * PAUSE) if together.parties > 1 else 0.2)
            seconds.append(await user.move(drawn.randint(user.low, user.high)))
        return seconds, user.errors if user.slider else [*user.errors, "no slider came"]


async def sitting(port: int, users: int, moves: int, label: str) -> float:
    """The p95 of the slider's seconds; anything that went wrong ends the bench."""
    together = asyncio.Barrier(users)
    found = await asyncio.gather(*(sit(port, moves, together, seed) for seed in range(users)))
    wrong = [error for _, errors in found for error in errors]
    assert not wrong, wrong[:5]
    seconds = np.array([each for times, _ in found for each in times])
    p95 = float(np.quantile(seconds, 0.95))
    print(
        f"{label:34} p50 {1e3 * np.median(seconds):6.0f} ms  p95 {1e3 * p95:6.0f} ms  ({len(seconds)} moves)",
        flush=True,
    )
    return p95


async def with_jobs(port: int, process: psutil.Process, users: int, moves: int) -> tuple[float, int]:
    """The same while simulations run, three at a time, and how many processes worked when it was over."""
    async with AsyncExitStack() as open_tabs:
        for error in np.linspace(0.05, 0.45, 9):  # one is done in seconds: as many wait as the class takes
            connection = await open_tabs.enter_async_context(tab(port))
            await User(connection, "trust", f"{BUSY}&error={error:.2f}").open()
        p95 = await sitting(port, users, moves, f"{users} users, three jobs")
        return p95, sum(child.cpu_percent(0.2) > 1 for child in process.children(recursive=True))


async def measured(
    chosen: argparse.Namespace, ours: tuple[int, psutil.Process], blank: tuple[int, psutil.Process]
) -> bool:
    joint = await joint_openings(ours, blank[0], chosen.users, chosen.pages)
    await with_own_files(ours[0], chosen.users, chosen.documents)
    nothing = await processor_seconds(*blank, "", chosen.loads)
    costs = {page: await processor_seconds(*ours, page, chosen.loads) for page in chosen.pages}
    for page, cost in costs.items():
        print(
            f"page load, {page:14} {cost:.3f} processor seconds, blank {nothing:.3f}: {cost / nothing:.1f} times",
            flush=True,
        )
    heaviest, mean = (float(of(list(costs.values()))) / nothing for of in (np.max, np.mean))
    print(f"page load, mean of all {mean:.1f} times a blank page; {MEAN_BEFORE} at version 0.1")
    port, process = ours
    alone = await sitting(port, 1, chosen.moves * 6, "one user")
    shared = await sitting(port, chosen.users, chosen.moves, f"{chosen.users} users")
    reached = joint | await come_and_go(ours, chosen.sessions)
    reached |= {
        f"heaviest page over blank: {heaviest:.1f}, at most {HEAVIEST_BEFORE / 2:.2f}": heaviest <= HEAVIEST_BEFORE / 2,
        f"{chosen.users} users over one: {shared / alone:.1f}, at most {MOST_TIMES_ALONE}": shared
        <= MOST_TIMES_ALONE * alone,
    }
    if chosen.jobs:
        busy, working = await with_jobs(port, process, chosen.users, chosen.moves)
        ratio = f"with jobs over without: {busy / shared:.1f}, at most {MOST_TIMES_IDLE}"
        reached |= {
            ratio: busy <= MOST_TIMES_IDLE * shared,
            f"jobs at work to the end ({working} processes)": working >= 2,
        }
    for claim, holds in reached.items():
        print(f"{'yes' if holds else 'NO ':3} {claim}")
    return all(reached.values())


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--users", type=int, default=sized(30, 2))
    options.add_argument("--moves", type=int, default=sized(6, 1), help="of each user")
    options.add_argument("--documents", type=int, default=sized(1_000, 100), help="in each file of a class's own")
    options.add_argument("--loads", type=int, default=sized(30, 1))
    options.add_argument("--sessions", type=int, default=sized(300, 3), help="that come and go")
    options.add_argument("--pages", nargs="+", choices=PAGES, default=sized(PAGES, ("overview", "hits")))
    options.add_argument("--root", type=Path, default=ROOT, help="another checkout to measure")
    options.add_argument("--jobs", action=argparse.BooleanOptionalAction, default=not tiny())
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "nothing.py"
        empty.write_text(BLANK)
        with server(chosen.root / "app.py", folder, chosen.root) as ours, server(empty, folder, Path(folder)) as blank:
            return exit_code(measured=asyncio.run(measured(chosen, ours, blank)))


if __name__ == "__main__":
    sys.exit(main())
