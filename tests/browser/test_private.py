"""Who can reach the app, and what a downloaded table does in a spreadsheet."""

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


@pytest.fixture
def page(visitor: Page) -> Page:
    """A new visitor for every test: a cookie finds what was uploaded."""
    return visitor


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
    page.get_by_text("Load your own corpus", exact=True).first.click()
    file = {"name": "x.csv", "mimeType": "text/csv", "buffer": "\n".join(lines).encode()}
    page.locator("input[type=file]").first.set_input_files(file)
    page.get_by_role("button", name="Use this corpus").click()
    expect(page.get_by_test_id("stMetric").filter(has_text="Documents").first).to_contain_text("12")
    settled(page)
    assert {row["topic"] for row in downloaded(page, "Download topics")} == {f"'{formula}", "two", "six"}
    switch(page)
    assert {row["topic"] for row in downloaded(page, "Download topics")} == {formula, "two", "six"}
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
    page.wait_for_timeout(500)  # until the script has started
    settled(page)
    page.keyboard.press("Escape")
    expect(page.get_by_text("Safe for spreadsheets")).to_have_count(0)
    settled(page)
