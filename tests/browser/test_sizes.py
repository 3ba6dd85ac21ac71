"""Corpora of any size in a real browser: a blog of 47 topics, 160 topics, 4,000; at a desk and on a telephone.

Of 4,000 topics the view of HITS is drawn by itself: to read and judge them, pages compute for half a minute."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect
from plotly.offline import get_plotlyjs

from bench.drag import made_view, mounted
from core.plots import topic_map
from core.questions.topic_map import MOST_COLOURED
from core.topics import Layout, map_labels, matrix_blocks, topic_space
from tests.browser.conftest import PATIENCE, new_context
from tests.browser.test_app import lasting, settled
from tests.browser.test_contrast import HIGHEST, misplaced, past_the_edge, too_high
from tests.conftest import REAL

LOOK = (Path(__file__).parent / "places.js").read_text(encoding="utf-8")
DESK, TELEPHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 800}
TITLES = {
    "": "Does my evaluation leak, and what does it cost?",
    "topic_map": "Which topics are similar, and why?",
    "hits": "Which topics should I keep?",
}


def made_csv(sizes: list[int], *, words: int, authors: int) -> bytes:
    """Topics of these sizes, in families of four that share half of their words, with long names."""
    rng = np.random.default_rng(0)
    rows = ["text,topic,author"]
    for topic, size in enumerate(sizes):
        own = [f"own{topic}x{number}" for number in range(20)]
        shared = [f"family{topic // 4}x{number}" for number in range(20)]
        name = f"communication practices and tools no {topic:04d}" if topic % 3 else f"topic {topic:04d}"
        for _ in range(size):
            text = " ".join(rng.choice([*own, *shared, *(f"common{number}" for number in range(40))], words))
            rows.append(f"{text},{name},author {rng.integers(authors):03d}")
    return "\n".join(rows).encode()


def blog() -> tuple[str, bytes]:
    """18F's blog where it is available, the start of each text; elsewhere synthetic texts of its shape."""
    real = REAL / "18f_blog.parquet"
    if real.is_file():
        frame = pd.read_parquet(real)
        return "blog.csv", frame.assign(text=frame["text"].str.slice(0, 400)).to_csv(index=False).encode()
    sizes = [int(151 * 0.88**topic) or 1 for topic in range(47)]
    return "blog.csv", made_csv(sizes, words=60, authors=183)


CORPORA = {
    "47 topics": blog,
    "160 topics": lambda: ("made.csv", made_csv([4] * 160, words=40, authors=40)),  # past 150, cells are put together
}


def load(page: Page, address: str, name: str, content: bytes) -> None:
    page.goto(f"{address}/corpus?encoder=LSA")
    settled(page)
    page.get_by_text("Load your own corpus", exact=True).first.click()
    page.locator("input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )
    page.get_by_role("button", name="Use this corpus").click()
    expect(page).to_have_url(re.compile(r"[?&]print=[0-9a-f]{8}"))


def places(page: Page) -> dict[str, Any]:
    """How high and wide the page is, where its first chart stands, and texts in charts that are cut or overlap."""
    found: dict[str, Any] = page.evaluate(LOOK)
    return found


@pytest.mark.parametrize("size", CORPORA)
def test_pages_answer_above_the_fold_and_fit_at_any_size(chromium: Browser, address: str, size: str):
    context = new_context(chromium, viewport=DESK)
    context.set_default_timeout(2 * PATIENCE)
    page = context.new_page()
    load(page, address, *CORPORA[size]())
    settings = f"{urlparse(page.url).query}&layout=PCA"  # at once: UMAP would compute for minutes
    for name, title in TITLES.items():
        page.set_viewport_size(DESK)  # type: ignore[arg-type]
        page.goto(f"{address}/{name}?{settings}")
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        settled(page)
        expect(page.locator(".js-plotly-plot, .view canvas").first).to_be_visible(timeout=3 * PATIENCE)
        running = page.get_by_test_id("stMain").get_by_role("button", name="Stop")
        expect(running).to_have_count(0, timeout=3 * PATIENCE)  # a job's card stands above the charts
        settled(page)
        page.wait_for_timeout(500)
        found = places(page)
        assert found["height"] <= HIGHEST and found["sideways"] <= 0, (size, name, found)
        assert found["chart"] is None or found["chart"] < 800, (size, name, "most of the first chart is seen at once")
        assert not lasting(page, lambda: misplaced(page)), (size, name)
        assert page.get_by_test_id("stException").count() == 0
        page.set_viewport_size(TELEPHONE)  # type: ignore[arg-type]
        page.wait_for_timeout(500)
        assert not lasting(page, lambda: past_the_edge(page)), (size, name)
        assert not lasting(page, lambda: too_high(page)), (size, name)
    context.close()


def test_four_thousand_topics_fit_at_a_desk_and_on_a_telephone(chromium: Browser):
    view = made_view(4_000)
    for width in (980, 358):
        context = new_context(chromium, viewport={"width": width, "height": 800})
        page = context.new_page()
        mounted(page, view, m=40)
        handle = page.get_by_role("slider", name="Topics to keep (m)")
        handle.focus()
        handle.press("ArrowRight")
        expect(page.locator('[data-card="Topics kept"]')).to_contain_text("41of 4,000")
        box = page.locator(".view").bounding_box()
        assert box is not None and box["height"] <= HIGHEST
        edges = page.locator(".view canvas").evaluate_all(
            "all => all.map((each) => each.getBoundingClientRect().right)"
        )
        assert len(edges) == 4 and max(edges) <= width
        assert (box["height"] <= HIGHEST / 3) == (width == 358), "on a telephone one chart at a time"
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        context.close()


def test_the_map_and_the_matrix_of_four_thousand_topics_are_legible(page: Page):
    """The figures alone, of made vectors: the page round them computes for half a minute."""
    rng = np.random.default_rng(0)
    names = tuple(f"communication practices and tools no {topic:04d}" for topic in range(4_000))
    codes = np.repeat(np.arange(4_000), 2)
    space = topic_space(rng.normal(1, 0.6, size=(8_000, 12)), codes, names)
    layout = Layout("made", np.arange(0, 8_000, 4), rng.normal(size=(2_000, 2)), rng.normal(size=(4_000, 2)))
    coloured = np.where(codes < MOST_COLOURED, codes, -1)
    leakage = rng.random(4_000)
    below_a_legend = topic_map.MAP_HEIGHT * (1 - topic_map.LEGEND)
    labels = map_labels(layout, names, leakage, height=below_a_legend)
    figures = [
        topic_map.document_map(
            layout, space, names, coloured, [str(row) for row in range(8_000)], labels, topics=codes
        ),
        topic_map.block_matrix(space, matrix_blocks(space.similarity, np.arange(4_000)), (0, 1)),
    ]
    page.set_viewport_size(DESK)  # type: ignore[arg-type]
    page.set_content(f'<div data-testid="stMain"><script>{get_plotlyjs()}</script></div>')
    for figure in figures:
        page.evaluate(
            """async (spec) => {
              const place = document.querySelector("[data-testid=stMain]").appendChild(document.createElement("div"));
              place.style.width = "900px";
              await Plotly.newPlot(place, JSON.parse(spec));
            }""",
            figure.to_json(),
        )
    assert page.locator(".js-plotly-plot").count() == 2
    assert not lasting(page, lambda: misplaced(page))
    assert 8 <= page.locator(".infolayer .annotation").count() <= 40, "the most important are named, the rest on hover"
    assert len(figures[1].data[0].z) <= 60, "a cell is a block of topics"
