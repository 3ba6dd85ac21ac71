"""Long work in a real browser: a card, other pages meanwhile, a reload, Stop."""

import re
import time

import psutil
from playwright.sync_api import Page, expect

from tests.browser.test_app import settled


def workers(address: str) -> list[psutil.Process]:
    """The processes that the server has started."""
    port = int(address.rsplit(":", 1)[1])
    server = next(
        process
        for process in psutil.process_iter(["cmdline"])
        if f"--server.port={port}" in (process.info["cmdline"] or [])
    )
    return server.children(recursive=True)


def start(page: Page, address: str, seed: int) -> None:
    """A run that nobody has asked for yet, long enough to be looked at."""
    page.goto(f"{address}/accuracy?task=verification&seed={seed}")
    page.get_by_role("button", name="Run them").click()
    expect(page.get_by_role("button", name="Stop").first).to_be_visible()


def test_a_job_goes_on_while_the_user_is_elsewhere_and_survives_a_reload(page: Page, address: str):
    start(page, address, 41)
    page.get_by_role("link", name="Methods").click()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_text("Running")).to_be_visible()
    expect(sidebar.get_by_text(re.compile("Verification: .* runs"))).to_be_visible()
    page.goto(f"{address}/accuracy?task=verification&seed=41")  # a new session, as after a reload
    expect(page.get_by_role("button", name="Stop").first.or_(page.get_by_test_id("stMetric").first)).to_be_visible()
    expect(page.get_by_role("button", name="Run them")).to_have_count(0)
    page.get_by_role("button", name="Stop").first.click()
    settled(page)


def test_stop_ends_the_processes(page: Page, address: str):
    start(page, address, 42)
    deadline = time.monotonic() + 60
    while len(busy := workers(address)) < 3 and time.monotonic() < deadline:  # a job and one process a core
        time.sleep(0.1)
    page.get_by_test_id("stMain").get_by_role("button", name="Stop").click()
    _, alive = psutil.wait_procs(busy, timeout=2)
    assert len(alive) < len(busy), "the job's processes are gone"
    expect(page.get_by_text("Stopped.")).to_be_visible()
    expect(page.get_by_role("button", name="Run them")).to_be_visible()
