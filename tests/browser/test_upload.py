"""An upload in a real browser: it is there after a reload, after Back and in a second tab, and gone when it is to be."""

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import new_context
from tests.browser.test_app import metric, settled


@pytest.fixture
def page(visitor: Page) -> Page:
    """A new visitor for every test: a cookie finds what was uploaded."""
    return visitor


def load(page: Page, address: str, content: bytes, name: str = "mine.csv") -> None:
    page.goto(f"{address}/corpus?encoder=LSA")
    settled(page)
    page.get_by_text("Load your own corpus", exact=True).first.click()
    page.locator("input[type=file]").first.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})
    page.get_by_role("button", name="Use this corpus").click()
    expect(page.get_by_role("heading", name="mine")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]print=[0-9a-f]{8}"))


def test_a_reload_back_and_a_second_tab_find_the_file(page: Page, address: str, tiny_csv: bytes):
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    load(page, address, tiny_csv)
    (cookie,) = [cookie for cookie in page.context.cookies() if cookie["name"] == "leakscope"]
    assert cookie["sameSite"] == "Strict" and cookie["path"] == "/" and cookie["httpOnly"]
    assert "leakscope=" not in page.evaluate("document.cookie")
    assert cookie["value"] not in page.url

    page.reload()
    settled(page)
    expect(page.get_by_role("heading", name="mine")).to_be_visible()
    assert metric(page, "Documents") == "12"

    page.get_by_test_id("stSidebarNav").get_by_text("HITS").click()
    expect(page.locator('[data-card="Topics kept"]')).to_contain_text("of 3")
    go_back_to(page, "/corpus")
    expect(page.get_by_role("heading", name="mine")).to_be_visible()
    assert metric(page, "Documents") == "12"
    assert wrong == []

    second = page.context.new_page()
    second.goto(page.url)
    settled(second)
    expect(second.get_by_role("heading", name="mine")).to_be_visible()


def go_back_to(page: Page, path: str) -> None:
    """Back, once the page has come to rest: Streamlit drops a step back that comes while a page is being drawn."""
    settled(page)
    page.go_back()
    expect(page).to_have_url(re.compile(re.escape(path)))


def test_a_link_says_which_file_it_wants_a_stranger_cannot_open_it_and_a_forgotten_file_is_gone(
    page: Page, address: str, tiny_csv: bytes
):
    load(page, address, tiny_csv)
    link = parse_qs(urlparse(page.url).query)
    assert link["file"] == ["mine.csv"]
    stranger = new_context(page.context.browser).new_page()
    stranger.goto(page.url)
    settled(stranger)
    expect(
        stranger.get_by_text(f"This link was made with the file mine.csv (fingerprint {link['print'][0]})")
    ).to_be_visible()
    stranger.locator("input[type=file]").first.set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": tiny_csv}
    )
    stranger.get_by_role("button", name="Use this corpus").click()
    expect(stranger.get_by_role("heading", name="mine")).to_be_visible()
    stranger.context.close()
    address_then = page.url
    page.get_by_role("button", name="Forget my file").click()
    expect(page).not_to_have_url(re.compile("print="))
    page.goto(address_then)
    settled(page)
    expect(page.get_by_text("This link was made with the file mine.csv")).to_be_visible()
