"""Every page, in light and dark: every text stands out at least 4.5 to 1 from what it stands on (WCAG 2.2, AA), none in a chart is
cut, a telephone shows it without endless scrolling, and no request leaves this machine; figures are downloaded in both formats."""

import re
from pathlib import Path
from urllib.parse import urlparse

from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.conftest import new_context
from tests.browser.test_app import lasting, settled
from tests.pages.opened import PAGES

LOOK = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
PLACES = (Path(__file__).parent / "places.js").read_text(encoding="utf-8")
LEAST = 4.5
HIGHEST, HIGHEST_ON_A_TELEPHONE = 3_000, 3_600  # pixels of a page, about
TALL = ViewportSize(width=1280, height=3000)
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


def foreign_hosts(page: Page, asked: set[str]) -> list[object]:
    """Return the hosts other than this machine that a page asks, or would ask, for anything."""
    # Chromium without a window asks for no icon, so the link to it is looked at; so is all else that would be fetched.
    asked |= set(page.locator("link[href]").evaluate_all("links => links.map(link => link.href)"))
    asked |= set(page.locator("[src]").evaluate_all("shown => shown.map(each => each.src)"))
    icons = page.locator("link[rel~=icon]").evaluate_all("links => links.map(link => link.href)")
    assert icons and all(each.startswith("data:image/svg+xml") for each in icons)
    assert any(each.startswith("ws://127.0.0.1:") for each in asked), "what is asked for is seen"
    parts = (urlparse(each) for each in asked)
    return sorted({str(each.hostname) for each in parts if each.scheme not in ("data", "blob")} - {"127.0.0.1"})


def test_every_page_can_be_read_fits_a_telephone_and_asks_nobody_else(chromium: Browser, address: str):
    context = new_context(chromium, viewport=TALL, color_scheme="light")
    page, asked = context.new_page(), set[str]()
    context.on("request", lambda request: asked.add(request.url))
    page.on("websocket", lambda opened: asked.add(opened.url))
    offenders: dict[tuple[str, str], list[object]] = {}
    for name in PAGES:
        asked.clear()
        page.goto(f"{address}/{path_of(name)}")
        settled(page)
        offenders[name, "asks others"] = foreign_hosts(page, asked)
        offenders[name, "pale"] = lasting(page, lambda: poor(page))
        offenders[name, "cut or on one another"] = lasting(page, lambda: misplaced(page))
        page.set_viewport_size({"width": 390, "height": 800})
        page.wait_for_timeout(300)
        offenders[name, "past the edge of a telephone"] = lasting(page, lambda: past_the_edge(page))
        if name != DOCUMENT:
            offenders[name, "too high on a telephone"] = lasting(page, lambda: too_high(page))
        page.set_viewport_size(TALL)
    context.close()
    assert not {where: found for where, found in offenders.items() if found}


def test_every_page_can_be_read_in_the_dark(chromium: Browser, address: str):
    """Pages follow one another as a reader opens them; where things stand does not depend on colours."""
    context = new_context(chromium, viewport=TALL, color_scheme="dark")
    page, offenders = context.new_page(), dict[str, list[object]]()
    page.goto(address)
    settled(page)
    for name in PAGES:
        page.locator(f"[data-testid=stSidebarNavLink][href='{address}/{path_of(name)}']").click()
        expect(page).to_have_url(re.compile(rf"/{path_of(name)}(\?|$)"))
        settled(page)
        offenders[name] = lasting(page, lambda: poor(page))
    context.close()
    assert not {name: found for name, found in offenders.items() if found}


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


def test_a_figure_is_taken_away_as_png_and_svg(page: Page, address: str):
    page.goto(address)
    settled(page)
    chart = page.locator(".js-plotly-plot").first
    expect(chart.locator(".modebar-btn").first).to_be_attached()
    chart.hover()
    for format, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        expect(chart.get_by_label(f"Download as {format}")).to_have_count(1)
        with page.expect_download() as waiting:
            chart.get_by_label(f"Download as {format}").click()
        assert waiting.value.suggested_filename == f"leakscope_twins.{format.lower()}"
        assert Path(waiting.value.path()).read_bytes().startswith(start)
