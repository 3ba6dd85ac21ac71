"""Every text on every page, in light and dark, stands out at least 4.5 to 1 from what it stands on (WCAG 2.2, AA), none in a
chart is cut, and a telephone shows every page without endless scrolling; figures can be taken away in both formats."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE
from tests.browser.test_app import lasting, settled
from tests.browser.test_upload import WITH_POLICY
from tests.conftest import ROOT
from tests.pages.opened import PAGES

LOOK = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
PLACES = (Path(__file__).parent / "places.js").read_text(encoding="utf-8")
LEAST = 4.5
HIGHEST, HIGHEST_ON_A_TELEPHONE = 3_000, 3_200  # pixels of a page, about
DOCUMENT = "methods"  # the one page to be read from top to end, under a table of contents


def path_of(page: str) -> str:
    return "" if page == "overview" else page


def poor(page: Page, least: float = LEAST) -> list[list[object]]:
    """Texts of too little contrast: words, ratio, colour, ground and place."""
    found: list[list[object]] = page.evaluate(LOOK, least)
    return found


def misplaced(page: Page) -> list[object]:
    """Texts in charts that are cut, and pairs of them that lie on one another."""
    found = page.evaluate(PLACES)
    return [*found["cut"], *found["collide"]]


def past_the_edge(page: Page) -> list[object]:
    """What sticks out at the right, and by how much the page is wider than its window."""
    found = page.evaluate(PLACES)
    return [*found["outside"], *([found["sideways"]] if found["sideways"] > 0 else [])]


def too_high(page: Page, most: int = HIGHEST_ON_A_TELEPHONE) -> list[object]:
    """How high a page is that is higher than this."""
    height = page.evaluate(PLACES)["height"]
    return [height] if height > most else []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read_and_a_telephone_shows_every_page(chromium: Browser, address: str, scheme: str):
    context = chromium.new_context(viewport={"width": 1280, "height": 3000}, color_scheme=scheme)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    offenders: dict[tuple[str, str], list[object]] = {}
    for name in PAGES:
        page.goto(f"{address}/{path_of(name)}")
        settled(page)
        offenders[name, "pale"] = lasting(page, lambda: poor(page))
        offenders[name, "cut or on one another"] = lasting(page, lambda: misplaced(page))
        page.set_viewport_size({"width": 390, "height": 800})
        page.wait_for_timeout(300)
        offenders[name, "past the edge of a telephone"] = lasting(page, lambda: past_the_edge(page))
        if name != DOCUMENT:
            offenders[name, "too high on a telephone"] = lasting(page, lambda: too_high(page))
        page.set_viewport_size({"width": 1280, "height": 3000})
    context.close()
    assert not {where: found for where, found in offenders.items() if found}


def test_the_check_finds_pale_text_wherever_it_stands(page: Page):
    page.set_content(
        """<body style="background: #fff; color: #000"><p>black</p>
        <p style="color: #999">pale</p><p style="opacity: .4">faded</p>
        <div style="background: #222"><p>lost</p><p style="color: #fff">white</p></div>
        <div style="background: rgba(0, 0, 0, .5)"><p style="color: #666">half</p></div>
        <p style="display: none; color: #fff">hidden</p>
        <svg class="js-plotly-plot" width="300" height="40"><g class="barlayer"><path d="M0 0H300V40H0Z" fill="#333"/></g>
        <text x="10" y="25" fill="#000">on a bar</text></svg></body>"""
    )
    assert [words for words, *_ in poor(page)] == ["pale", "faded", "lost", "half", "on a bar"]
    assert "black" not in [words for words, *_ in poor(page, 20.9)]


def test_a_figure_is_taken_away_as_png_and_svg_under_the_proxys_policy(page: Page, address: str):
    told = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy "([^"]+); frame-ancestors \'none\'"', told)
    page.add_init_script(WITH_POLICY % json.dumps(policy))
    page.goto(address)
    settled(page)
    chart = page.locator(".js-plotly-plot").first
    expect(chart.locator(".modebar-btn").first).to_be_attached()
    chart.hover()
    for format, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        expect(chart.get_by_label(f"Download as {format}")).to_have_count(1)
        with page.expect_download() as waiting:
            chart.get_by_label(f"Download as {format}").click()
        assert waiting.value.suggested_filename == f"leakscope_worst.{format.lower()}"
        assert Path(waiting.value.path()).read_bytes().startswith(start)
