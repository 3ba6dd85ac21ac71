"""A running app and a real Chromium. Where there is none the tests skip and report it, unless LEAKSCOPE_BROWSER=required."""

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from tests.conftest import ROOT

PATIENCE = 60_000  # milliseconds; the machine may be busy, and a test must fail for a reason
expect.set_options(timeout=PATIENCE)
LONGEST = 200  # seconds of one test


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))  # a browser may crash, or a busy machine starve it: once more


# Where shared memory is scarce, as in many containers, a tab would crash; and nothing asks other machines for anything.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
ENGINE = ("LEAKSCOPE_ENGINE", "LEAKSCOPE_CORES")  # of the tests: here jobs run in processes, on all cores


@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    """The address of an app started for these tests."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-X", "importtime", "-m", "streamlit", "run", "app.py"]
    options = ["--server.headless=true", f"--server.port={port}", "--server.fileWatcherType=none"]
    log = Path(os.environ["LEAKSCOPE_CACHE"]) / "server.log"
    as_users_have_it = {name: value for name, value in os.environ.items() if name not in ENGINE}
    with log.open("w") as sink:
        server = subprocess.Popen([*command, *options], cwd=ROOT, stdout=sink, stderr=sink, env=as_users_have_it)
        try:
            _wait_until_healthy(f"http://127.0.0.1:{port}", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(timeout=20)


def _wait_until_healthy(address: str, server: subprocess.Popen) -> None:
    for _ in range(240):
        assert server.poll() is None, "the app ended while starting"
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.25)
    raise AssertionError("the app did not come up")


@pytest.fixture(scope="package")
def server_log(address: str) -> Path:
    """What the server wrote, among it every module it imported (-X importtime)."""
    return Path(os.environ["LEAKSCOPE_CACHE"]) / "server.log"


class Launcher:
    """The system's Chromium, started again where it has gone."""

    def __init__(self, playwright: Playwright, program: str) -> None:
        self._playwright, self._program = playwright, program
        self._browser: Browser | None = None
        self._shared: tuple[str, BrowserContext] | None = None

    def browser(self) -> Browser:
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._playwright.chromium.launch(executable_path=self._program, args=ARGUMENTS)
            self._shared = None
        return self._browser

    def shared(self, file: str) -> BrowserContext:
        """Return the context that a file's tests share: what one has fetched, the next need not fetch."""
        browser = self.browser()
        if self._shared is None or self._shared[0] != file:
            if self._shared is not None:
                self._shared[1].close()
            self._shared = file, new_context(browser)
        return self._shared[1]

    def kill(self) -> None:
        """End every process of it, whatever it is doing: what waits for it then fails and says where."""
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                if "chrom" in process.name():
                    process.kill()


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """Return what a new visitor has: no cookie, nothing fetched. Nothing moves that need not: drawing takes a processor here."""
    usual = {"viewport": {"width": 1280, "height": 1000}, "accept_downloads": True, "reduced_motion": "reduce"}
    context = browser.new_context(**(usual | options))
    context.set_default_timeout(PATIENCE)
    return context


@pytest.fixture(scope="package")
def launcher() -> Iterator[Launcher]:
    """Playwright with its loop, which ends with these tests: tests after them in the same process run loops of their own."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        if os.environ.get("LEAKSCOPE_BROWSER") == "required":
            pytest.fail("no chromium on this machine, and LEAKSCOPE_BROWSER=required")
        pytest.skip("browser tests skipped: no chromium on this machine")
    with sync_playwright() as playwright:
        made = Launcher(playwright, program)
        yield made
        made.kill()


@pytest.fixture
def chromium(launcher: Launcher) -> Iterator[Browser]:
    """A browser that is there. Playwright waits for one that hangs without end in some calls (a tab that is opened or closed), so
    that it is killed after LONGEST seconds."""
    watch = threading.Timer(LONGEST, launcher.kill)
    watch.start()
    yield launcher.browser()
    watch.cancel()


@pytest.fixture
def page(chromium: Browser, launcher: Launcher, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh tab of the visitor that all tests of a file share."""
    tab = launcher.shared(str(request.path)).new_page()
    yield tab
    tab.close()


@pytest.fixture
def visitor(chromium: Browser) -> Iterator[Page]:
    """A tab of a new visitor, for tests of cookies, uploads and what is fetched."""
    context = new_context(chromium)
    yield context.new_page()
    context.close()
