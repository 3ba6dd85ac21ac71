"""Folds & accuracy in a real browser: answer and charts at first sight, a topic clicked, links old and new, Back and Forward."""

import csv
import io
import re
from pathlib import Path
from urllib.parse import parse_qs, urlparse

from playwright.sync_api import Page, expect

from tests.browser.test_app import settled
from tests.browser.test_upload import go_back_to


def test_answer_and_charts_are_above_the_fold_and_a_topic_clicked_is_in_focus_everywhere(page: Page, address: str):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{address}/accuracy?accuracy_view=topic+by+topic")
    settled(page)
    expect(page.locator(".js-plotly-plot .nsewdrag").nth(2)).to_be_visible()
    answer, rows, against = (
        place.bounding_box()
        for place in (page.locator("h3").first, *(page.locator(".js-plotly-plot").nth(index) for index in (0, 1)))
    )
    assert answer is not None and rows is not None and against is not None
    assert answer["y"] < rows["y"] < 720 and against["y"] < 720, "both charts begin without scrolling"
    assert against["x"] >= rows["x"] + rows["width"], "beside it, not below"
    chart = page.locator(".js-plotly-plot").first
    box = chart.locator(".nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 20, box["y"] + 4.5 * box["height"] / 24)
    expect(page).to_have_url(re.compile("[?&]focus="))
    topic = parse_qs(urlparse(page.url).query)["focus"][0]
    expect(page.get_by_role("heading", name=f"In focus: {topic}")).to_be_visible()
    expect(page.get_by_text("What the models answered")).to_be_visible()
    page.get_by_text("Test topics (24)").click()
    with page.expect_download() as waiting:
        page.get_by_test_id("stExpander").filter(has_text="Test topics (24)").get_by_text("Download CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
    assert len(rows) == 24
    assert topic in {row["topic"] for row in rows}


def test_an_old_link_opens_the_view_it_was_made_of(page: Page, address: str):
    page.goto(f"{address}/accuracy?k=4&scheme=Topic+k-fold&models_attribution=TopicFit&focus=chess")
    settled(page)
    expect(page).to_have_url(re.compile("run_k=4"))
    expect(page.get_by_text("Number of folds (k): 4")).to_be_visible()
    page.get_by_role("button", name="More").click()
    expect(page.get_by_role("slider", name="Number of folds (k)")).to_have_attribute("aria-valuetext", "4")
    given = parse_qs(urlparse(page.url).query)
    assert given.pop("accuracy_view", ["topic by topic"]) == ["topic by topic"]
    assert given == {"run_k": ["4"], "run_models_attribution": ["TopicFit"], "focus": ["chess"]}


def test_back_and_forward_restore_a_page_as_it_was_and_pages_leave_each_other_alone(
    page: Page, address: str, server_log: Path
):
    page.goto(f"{address}/hits?m=11")
    settled(page)
    page.get_by_role("radio", name="grouping", exact=True).click()
    expect(page).to_have_url(re.compile("policy=grouping"))
    settled(page)
    hits = page.url
    page.get_by_test_id("stSidebarNav").get_by_text("Folds & accuracy").click()
    expect(page.get_by_role("heading", name="How much does topic similarity inflate accuracy?")).to_be_visible()
    settled(page)
    assert "m=" not in page.url and "policy=" not in page.url
    page.get_by_role("radio", name="topic by topic", exact=True).click()
    settled(page)
    page.get_by_role("combobox", name="Topic in focus").click()
    page.get_by_role("option", name="chess").click()
    expect(page).to_have_url(re.compile("focus=chess"))
    settled(page)
    accuracy = page.url
    page.get_by_test_id("stSidebarNav").get_by_text("Overview").click()
    expect(page.get_by_role("heading", name="Does my evaluation leak, and what does it cost?")).to_be_visible()
    go_back_to(page, "focus=chess")
    expect(page.get_by_role("heading", name="In focus: chess")).to_be_visible()
    assert parse_qs(urlparse(page.url).query) == parse_qs(urlparse(accuracy).query)
    go_back_to(page, "/hits?")
    expect(page.get_by_role("radio", name="grouping", exact=True)).to_be_checked()
    assert parse_qs(urlparse(page.url).query) == parse_qs(urlparse(hits).query)
    settled(page)
    page.go_forward()
    expect(page.get_by_role("heading", name="In focus: chess")).to_be_visible()
    assert "created with a default value" not in server_log.read_text(), "no control is given two values"


def test_a_topic_clicked_on_the_leakage_curve_shows_its_documents(page: Page, address: str):
    page.set_viewport_size({"width": 1280, "height": 2400})
    page.goto(f"{address}/accuracy")
    settled(page)
    point = page.locator(".st-key-differences .scatterlayer .trace .points path").last
    expect(point).to_be_visible()
    box = point.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile("[?&]curve_topic="))
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
