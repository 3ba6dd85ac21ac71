"""What only a real browser can show: links, clicks in charts, uploads, downloads, and what the first page loads."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENCE

# Streamlit fetches plotly when the first chart is there, and draws it after the script has run.
DRAWN = """() => !document.querySelector("[data-testid=stSkeleton]")
  && [...document.querySelectorAll("[data-testid=stPlotlyChart]")].every((each) => each.querySelector(".main-svg"))"""


def settled(page: Page) -> None:
    """Wait until the script has run and every chart is drawn. Streamlit's own mark shows it at once; its widget later."""
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_have_count(1)
    expect(page.locator("h1").first).to_be_visible()
    page.wait_for_function(DRAWN, timeout=PATIENCE)


def lasting(page: Page, look: Callable[[], list[Any]]) -> list[Any]:
    """What is wrong with a page and stays so: one that is still being drawn is looked at again."""
    found = look()
    for _ in range(10):
        if not found:
            break
        page.wait_for_timeout(1000)
        found = look()
    return found


def metric(page: Page, label: str) -> str:
    card = page.get_by_test_id("stMetric").filter(has=page.get_by_text(label, exact=True))
    return card.get_by_test_id("stMetricValue").inner_text().strip()


def test_a_deep_link_opened_first_on_a_fresh_server_has_its_frame_and_its_setting(page: Page, address: str):
    page.goto(f"{address}/hits?m=6")
    settled(page)
    expect(page.get_by_role("slider", name="Topics to keep (m)")).to_have_value("6")
    expect(page.get_by_test_id("stSidebar").get_by_text("Encoder", exact=True)).to_be_visible()


def test_the_first_page_is_complete_without_torch(page: Page, address: str, server_log: Path):
    page.goto(address)
    settled(page)
    expect(page.get_by_text("tested while a near twin is in training")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(3)
    imported = re.findall(r"^import time:.*\|\s*([\w.]+)\s*$", server_log.read_text(), flags=re.MULTILINE)
    assert "core.demo" in imported, "the log lists imports"
    assert not {"torch", "transformers", "sentence_transformers", "umap"} & {name.split(".")[0] for name in imported}


def test_a_click_in_the_matrix_explains_that_pair(page: Page, address: str):
    page.goto(f"{address}/topic_map")
    settled(page)
    chart = page.locator(".js-plotly-plot").nth(1)
    chart.scroll_into_view_if_needed()
    area = chart.locator(".nsewdrag").first
    box = area.bounding_box()
    assert box is not None
    cell = box["width"] / 24, box["height"] / 24
    page.mouse.click(box["x"] + 2.5 * cell[0], box["y"] + 0.5 * cell[1])
    expect(page).to_have_url(re.compile("[?&]a="))
    settled(page)
    chosen = parse_qs(urlparse(page.url).query)
    first, second = chosen["a"][0], chosen["b"][0]
    assert first != second
    expect(page.get_by_role("heading", name=f"What {first} and {second} share")).to_be_visible()


def test_names_on_the_map_lie_on_the_page_s_own_colour(page: Page, address: str):
    page.goto(f"{address}/topic_map")
    settled(page)
    behind = page.locator(".st-key-documents .annotation rect.bg")
    expect(behind.first).to_be_attached()
    fill = "each => [getComputedStyle(each).fill, getComputedStyle(each).fillOpacity]"
    assert {tuple(each.evaluate(fill)) for each in behind.all()} == {("rgb(255, 255, 255)", "0.75")}


def test_back_to_another_corpus_restores_what_its_address_does_not_name(visitor: Page, address: str, tiny_csv: bytes):
    def expect_folds(value: str) -> None:
        visitor.get_by_test_id("stPopover").filter(has_text="Folds").get_by_role("button").click()
        expect(visitor.get_by_role("slider", name="Folds of topics (k)")).to_have_value(value)
        visitor.keyboard.press("Escape")

    visitor.goto(f"{address}/?encoder=LSA")
    settled(visitor)
    expect_folds("6")
    visitor.get_by_test_id("stSidebarNav").get_by_text("Corpus").click()
    expect(visitor.get_by_role("heading", name="What is in my corpus?")).to_be_visible()
    visitor.get_by_text("Load your own corpus", exact=True).first.click()
    visitor.locator("input[type=file]").first.set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": tiny_csv}
    )
    visitor.get_by_role("button", name="Use this corpus").click()
    expect(visitor.get_by_role("heading", name="mine")).to_be_visible()
    visitor.get_by_test_id("stSidebarNav").get_by_text("Overview").click()
    expect_folds("3")
    for title in ("What is in my corpus?", "Does my evaluation leak, and what does it cost?"):
        visitor.go_back()
        expect(visitor.get_by_role("heading", name=title)).to_be_visible()
        settled(visitor)
    expect(visitor.get_by_text("of 1,500 documents").first).to_be_visible()
    expect_folds("6")


def test_a_link_with_a_toggle_on_opens_the_part_that_holds_it(page: Page, address: str):
    page.goto(f"{address}/accuracy?accuracy_view=topic+by+topic&ordinary=true")
    settled(page)
    switch = page.get_by_text("Compare with ordinary folds").first
    expect(switch).to_be_visible()
    switch.click()
    expect(page).not_to_have_url(re.compile("ordinary=true"))
    settled(page)
    expect(switch).to_be_visible()


def test_the_chosen_split_is_in_the_address_and_found_by_a_reload(page: Page, address: str):
    page.goto(f"{address}/design")
    settled(page)
    assert "design_choice" not in page.url
    choice = page.get_by_role("combobox", name="Your choice")
    choice.click()
    choice.fill("HITS, m = 10")
    page.get_by_role("option", name="HITS, m = 10", exact=True).click()
    expect(page).to_have_url(re.compile("design_choice=HITS"))
    card = page.get_by_test_id("stMetric").filter(has_text="Documents kept")
    expect(card.get_by_test_id("stMetricValue")).not_to_have_text("1,500")
    settled(page)
    kept = metric(page, "Documents kept")
    page.reload()
    settled(page)
    assert metric(page, "Documents kept") == kept != "1,500"


def test_markup_in_a_topic_name_never_becomes_an_element(visitor: Page, address: str):
    hostile = '<img src=x onerror="window.hacked=1">'
    lines = ["text,topic"] + [f'"a text on matter {i} of {t}","{t}"' for t in ("one", "two") for i in range(3)]
    content = "\n".join(lines).replace('"two"', '"' + hostile.replace('"', '""') + '"')
    visitor.goto(f"{address}/corpus?encoder=LSA")
    settled(visitor)
    visitor.get_by_text("Load your own corpus", exact=True).first.click()
    visitor.locator("input[type=file]").first.set_input_files(
        {"name": "x.csv", "mimeType": "text/csv", "buffer": content.encode()}
    )
    visitor.get_by_role("button", name="Use this corpus").click()
    expect(visitor.get_by_test_id("stMetric").filter(has_text="Documents").first).to_contain_text("6")
    for name in ("Overview", "Topic map", "HITS"):
        visitor.get_by_test_id("stSidebarNav").get_by_text(name).click()
        settled(visitor)
        expect(visitor.locator(".view" if name == "HITS" else ".js-plotly-plot").first).to_be_visible()
        assert visitor.evaluate("window.hacked") is None
        assert visitor.locator("img[src=x]").count() == 0
