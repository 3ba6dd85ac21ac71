"""The report in a real browser: nothing fetched, every figure drawn, and on paper whole."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.evaluation import ResultStore
from core.render import report_html
from core.report import asked_by, make_report, page_names
from core.study import Study, kept_only
from core.vectors import make_encoder
from tests.browser.test_app import settled
from tests.core.made_corpora import HOSTILE, WHEN, made, report_of

PAPER = 688  # pixels between the margins of a sheet of A4


@pytest.fixture
def page(visitor: Page) -> Page:
    """A new visitor for every test: it is offline."""
    return visitor


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The report of the bundled corpus as a file, and how many figures it should show."""
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    study = Study(corpus, vectors, results=ResultStore(shipped=RESULTS), work=kept_only)
    report = make_report(study, asked_by(study, list(page_names()), {}))
    file = tmp_path_factory.mktemp("report") / "r.html"
    file.write_text(report_html(report, when=WHEN), encoding="utf-8")
    return file, sum(len(answer.figures) for answer in report.answers)


def drawn(page: Page, file: Path) -> list[str]:
    """Open the file without a network; what it asked for besides itself, and what it complained of."""
    said: list[str] = []
    page.context.set_offline(True)
    page.on("request", lambda request: said.append(request.url) if request.url != file.as_uri() else None)
    page.on("pageerror", lambda problem: said.append(str(problem)))
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.goto(file.as_uri())
    expect(page.locator("html[data-drawn=yes]")).to_have_count(1)
    return said


def objects(pdf: bytes) -> dict[int, str]:
    found = re.finditer(rb"\n(\d+) 0 obj\n(<<.*?>>)\nendobj", pdf, re.DOTALL)
    return {int(each[1]): each[2].decode("latin-1") for each in found}


def pages_of(element: int, known: dict[int, str]) -> set[str]:
    """The pages on which a part of the document's structure has anything."""
    text = known.get(element, "")
    held = set(re.findall(r"/Pg (\d+) 0 R", text))
    children = re.search(r"/K (\[[^\]]*\]|\d+ 0 R)", text)
    for child in re.findall(r"(\d+) 0 R", children[1]) if children else ():
        held |= pages_of(int(child), known)
    return held


def test_it_opens_anywhere_and_draws_every_figure(page: Page, demo: tuple[Path, int]):
    file, figures = demo
    assert drawn(page, file) == [] and figures >= 10 and file.stat().st_size < 8_000_000
    charts = page.locator("[data-figure]")
    expect(charts).to_have_count(figures)
    for number in range(figures):
        chart = charts.nth(number)
        assert chart.locator("svg.main-svg").count() >= 1, chart.get_attribute("aria-label")
        box, svg = chart.bounding_box(), chart.locator("svg.main-svg").first.bounding_box()
        assert box and svg and svg["width"] <= PAPER and 100 < svg["height"] <= 900
    assert page.locator(".modebar").count() == 0
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_paper_every_figure_is_there_and_none_is_cut(page: Page, demo: tuple[Path, int]):
    file, figures = demo
    drawn(page, file)
    pdf = page.pdf(prefer_css_page_size=True, print_background=True, tagged=True)
    known = objects(pdf)
    shown = [number for number, text in known.items() if "/Alt " in text]
    assert len(shown) == figures
    for number in shown:
        assert len(pages_of(number, known)) == 1, "a figure is on two sheets, or on none"
    sheets = len(re.findall(rb"/Type /Page\n", pdf))
    assert figures / 2 <= sheets <= 3 * figures, "neither crammed nor mostly white"


def test_names_with_mark_up_run_nothing(page: Page, tmp_path: Path):
    file = tmp_path / "h.html"
    report = report_of(
        made(4, 6, name=HOSTILE, split=True), pages=["overview", "corpus", "topic_map", "hits", "design"]
    )
    file.write_text(report_html(report, when=WHEN), encoding="utf-8")
    boxes: list[str] = []
    page.on("dialog", lambda dialog: (boxes.append(dialog.message), dialog.dismiss()))
    assert drawn(page, file) == [] and not boxes
    assert page.locator("img").count() == 0
    assert "<img src=x onerror=alert(2)>" in page.locator("body").inner_text()


def test_one_button_in_the_sidebar_makes_it(page: Page, address: str, chromium: Browser):
    page.goto(address)
    settled(page)
    page.get_by_text("Export", exact=True).first.click()
    page.get_by_role("button", name="Make report").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("Download report")).click()
    assert waiting.value.suggested_filename == "leakscope_the_tarnbeck_courier_fictional.html"
    content = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert "Does my evaluation leak" in content and "Which model is best" not in content
