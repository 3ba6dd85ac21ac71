"""What stays on this machine, and what a downloaded table does in a spreadsheet: seen from a real browser."""

import csv
import io
import socket
import tomllib
from pathlib import Path
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_app import settled
from tests.conftest import ROOT
from tests.pages.opened import PAGES


def hosts(addresses: set[str]) -> set[str | None]:
    """Whom these addresses belong to; data: and blob: belong to the page itself."""
    parts = (urlparse(each) for each in addresses)
    return {each.hostname for each in parts if each.scheme not in ("data", "blob")}


@pytest.mark.parametrize("name", PAGES)
def test_no_request_leaves_this_machine(page: Page, address: str, name: str):
    asked: set[str] = set()
    page.context.on("request", lambda request: asked.add(request.url))
    page.on("websocket", lambda opened: asked.add(opened.url))
    page.goto(address if name == "overview" else f"{address}/{name}")
    settled(page)
    # Chromium without a window asks for no icon, so the link to it is looked at; so is all else that would be fetched.
    asked |= set(page.locator("link[href]").evaluate_all("links => links.map(link => link.href)"))
    asked |= set(page.locator("[src]").evaluate_all("shown => shown.map(each => each.src)"))
    icons = page.locator("link[rel~=icon]").evaluate_all("links => links.map(link => link.href)")
    assert icons and all(each.startswith("data:image/svg+xml") for each in icons)
    assert any(each.startswith("ws://127.0.0.1:") for each in asked), "what is asked for is seen"
    assert hosts(asked) == {"127.0.0.1"}


def test_the_app_listens_to_this_machine_alone(address: str):
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["address"] == "127.0.0.1"
    port = urlparse(address).port
    socket.create_connection(("127.0.0.1", port), timeout=5).close()
    # Another address of this same machine: whoever listens on every interface answers here too.
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", port), timeout=5).close()


def downloaded(page: Page, name: str) -> list[dict[str, str]]:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name).click()
    content = Path(waiting.value.path()).read_bytes().decode()
    return list(csv.DictReader(io.StringIO(content, newline="")))


def test_a_table_is_safe_for_spreadsheets_until_asked_otherwise_and_data_the_other_way(page: Page, address: str):
    formula = "=HYPERLINK(1)"
    lines = ["text,topic"] + [f'"a text on matter {i} of {t}","{t}"' for t in (formula, "two", "six") for i in range(4)]
    page.goto(f"{address}/corpus?encoder=LSA")
    settled(page)
    page.get_by_text("Load your own file", exact=True).first.click()
    file = {"name": "x.csv", "mimeType": "text/csv", "buffer": "\n".join(lines).encode()}
    page.locator("input[type=file]").first.set_input_files(file)
    page.get_by_role("button", name="Use this corpus").click()
    expect(page.get_by_test_id("stMetric").filter(has_text="Documents")).to_contain_text("12")
    settled(page)
    assert {row["topic"] for row in downloaded(page, "Topics as CSV")} == {f"'{formula}", "two", "six"}
    switch(page)
    assert {row["topic"] for row in downloaded(page, "Topics as CSV")} == {formula, "two", "six"}
    # Streamlit's own button for the same table would ask nobody.
    own = page.locator("button[aria-label^='Download as CSV']")
    expect(own).not_to_have_count(0)
    assert not any(button.is_visible() for button in own.all())

    page.get_by_test_id("stSidebarNav").get_by_text("HITS").click()
    expect(page.get_by_role("button", name="Documents (csv)")).to_be_visible()
    settled(page)
    plain = {row["original_topic"] for row in downloaded(page, "Documents (csv)")}
    switch(page)
    marked = {row["original_topic"] for row in downloaded(page, "Documents (csv)")}
    assert plain <= {formula, "two", "six"} and marked == {f"'{each}" if each == formula else each for each in plain}


def switch(page: Page) -> None:
    """Open the small menu beside the downloads, change the one choice in it and close it."""
    page.get_by_role("button", name="more_vert").click()
    page.get_by_text("Safe for spreadsheets").click()
    page.wait_for_timeout(1000)  # until the page says that it is being drawn anew
    settled(page)
    page.keyboard.press("Escape")
    expect(page.get_by_text("Safe for spreadsheets")).to_have_count(0)
