"""HITS under the hand: what the browser draws is what core computes, at every m; the server hears of m on release."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from bench.drag import made_view, mounted
from core.demo import bundled_corpus, bundled_layout, bundled_vectors
from core.questions.hits import sample_sentence, view_json
from core.topics import (
    POLICIES,
    bootstrap_topics,
    hits_path,
    hits_view,
    judge,
    make_sample,
    optimum_curve,
    pair_summary,
    random_band,
    sample_at_every_m,
    sample_counts,
    topic_space,
)
from core.vectors import make_encoder
from tests.browser.conftest import new_context
from tests.browser.test_app import settled

HOSTILE = '<img src=x onerror="window.hacked=1">'
THRESHOLD = 0.4
INKED = """(canvas) =>
  canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((each) => each > 0)"""


@pytest.fixture(scope="module")
def courier() -> dict[str, Any]:
    """The bundled corpus, and its view under every policy."""
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    path = hits_path(space.similarity)
    shared = {
        "band": random_band(space.similarity, path, samples=50),
        "bootstrap": bootstrap_topics(vectors.matrix, corpus.topic_codes, len(space), kind=space.kind, samples=40),
        "layout": bundled_layout(corpus, vectors),
        "verdict": judge(space, path, k=2),
    }
    views = {
        policy: hits_view(
            space, path, sample_at_every_m(corpus, space, path, policy=policy, threshold=THRESHOLD), **shared
        )
        for policy in POLICIES
    }
    return {"corpus": corpus, "space": space, "path": path, "views": views, **shared}


@pytest.fixture
def empty(chromium: Browser) -> Iterator[Page]:
    """An empty page to mount the component on; whatever goes wrong in it fails the test."""
    context = new_context(chromium, viewport={"width": 980, "height": 900})
    tab, wrong = context.new_page(), []
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    yield tab
    context.close()
    assert not wrong


def slider(page: Page) -> Any:
    return page.get_by_role("slider", name="Topics to keep (m)")


def card(page: Page, label: str) -> Any:
    return page.locator(f'[data-card="{label}"]')


SAYS = """(data) => {
  const view = script.readView(data);
  const topics = Array.from({ length: view.count }, (_, topic) => topic);
  return Array.from({ length: view.placed }, (_, at) => {
    const m = at + 1;
    return {
      ...script.figuresAt(view, m),
      sentence: script.sentenceAt(view, m),
      targets: topics.map((topic) => script.targetAt(view, topic, m)),
      shares: topics.map((topic) => script.shareAt(view, topic, m)),
      pair: script.closestPair(view, m),
    };
  });
}"""


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_the_script_says_at_every_m_what_core_says(empty: Page, courier: dict[str, Any], policy: str):
    corpus, space, path, view = courier["corpus"], courier["space"], courier["path"], courier["views"][policy]
    mounted(empty, view, m=3)
    step = np.argsort(path.order)
    for m, said in enumerate(empty.evaluate(SAYS, view_json(view)), start=1):
        sample = make_sample(space.similarity, path.order[:m], policy=policy, threshold=THRESHOLD)
        counts, similarity = sample_counts(corpus, sample), pair_summary(space, sample)
        authors = len(corpus.author_names)
        assert (said["documents"], said["documentsLost"]) == (counts.documents, len(corpus) - counts.documents)
        assert (said["authors"], said["authorsLost"]) == (counts.authors, authors - counts.authors)
        for what in ("mean", "max"):
            assert said[what] == (None if similarity[what] is None else f"{similarity[what]:.3f}")
            middle = getattr(courier["band"], what)[1, m - 1]
            assert said[f"random{what.capitalize()}"] == (None if m == 1 else f"{middle:.3f}")
        assert said["sentence"] == sample_sentence(view, m)
        joined = [int(step[target]) if target >= 0 else -1 for target in sample.assigned[path.order]]
        assert said["targets"] == joined
        shares = courier["bootstrap"].selected_share(m)[path.order]
        assert [f"{share}%" for share in said["shares"]] == [f"{share:.0%}" for share in shares]
        if m > 1:
            first, second = path.order[said["pair"]]
            assert space.similarity[first, second] == path.max[m - 1]


def test_names_on_the_map_overlap_nothing_and_are_not_cut(empty: Page, courier: dict[str, Any]):
    mounted(empty, courier["views"]["cutting"], m=3)
    for count, width in ((24, 440), (300, 440), (24, 330)):
        places = np.random.default_rng(count).random((count, 2))
        boxes = empty.evaluate(
            """([places, size]) => {
              const points = places.map(([x, y]) => ({ x: x * size.width, y: y * size.height, radius: 6 }));
              return script.placeLabels(points, () => 90, size);
            }""",
            [places.tolist(), {"width": width, "height": 440}],
        )
        drawn = [box for box in boxes if box]
        assert boxes[0] is not None and len(drawn) >= 5
        assert all(box["x"] >= 0 and box["x"] + 90 <= width and 0 <= box["y"] <= 440 - 14 for box in drawn)
        for at, box in enumerate(drawn):
            for other in drawn[at + 1 :]:
                assert abs(box["x"] - other["x"]) >= 90 - 1e-6 or abs(box["y"] - other["y"]) >= 14 - 1e-6


def test_what_is_said_of_hits_comes_before_what_is_said_of_random(empty: Page, courier: dict[str, Any]):
    best = optimum_curve(courier["space"].similarity)
    mounted(empty, replace(courier["views"]["cutting"], optimum=best), m=14)
    below = card(empty, "Max similarity").locator(".below")
    remark, random, mean = below.inner_text().split("\n")
    assert re.fullmatch(r"the optimum|(0\.\d{3} above the optimum)", remark)
    assert random == f"random {courier['band'].max[1, 13]:.3f}"
    assert mean.startswith("mean 0.") and mean.endswith(f"random {courier['band'].mean[1, 13]:.3f}")


def test_no_two_names_are_cut_to_the_same(empty: Page, courier: dict[str, Any]):
    names = [f"judicial administration: {each}" for each in ("untimely filing", "res judicata", "stays", "stays (2)")]
    names += [
        "federal or state regulation of transportation",
        "federal and state regulation of transportation",
        "line-up",
    ]
    mounted(empty, courier["views"]["cutting"], m=3)
    for room in (110, 150, 400):
        cut, widths = empty.evaluate(
            """([names, room]) => {
              const pen = document.createElement("canvas").getContext("2d");
              pen.font = "12px sans-serif";
              const cut = script.fittedAll(pen, names, room);
              return [cut, cut.map((each) => pen.measureText(each).width)];
            }""",
            [names, room],
        )
        assert len(set(cut)) == len(names) and max(widths) <= room, cut
        assert cut[-1] == "line-up" and (room < 400 or cut == names)


def test_keys_move_one_step_and_the_server_hears_once_the_hand_rests(empty: Page, courier: dict[str, Any]):
    view = courier["views"]["cutting"]
    mounted(empty, view, m=10)
    handle = slider(empty)
    handle.focus()
    for key, expected in (
        ("ArrowRight", 11),
        ("ArrowUp", 12),
        ("ArrowLeft", 11),
        ("End", 24),
        ("Home", 1),
        ("ArrowRight", 2),
    ):
        handle.press(key)
        expect(card(empty, "Topics kept")).to_contain_text(f"{expected}of 24")
        expect(handle).to_have_attribute("aria-valuetext", re.compile(rf"^{expected} of 24 topics, "))
    expect(card(empty, "Max similarity")).to_contain_text(f"{view.path.max[1]:.3f}")
    empty.wait_for_function("told.at(-1) === 2")
    handle.press("PageUp")
    assert int(handle.input_value()) > 3


def test_an_answer_on_its_way_never_moves_the_slider_back_and_another_m_does(empty: Page, courier: dict[str, Any]):
    view = view_json(courier["views"]["cutting"])
    mounted(empty, courier["views"]["cutting"], m=10)
    base = {"view": view, "key": "made", "here": None, "colours": {"blue": "#00f", "orange": "#f80", "grey": "#888"}}
    handle = slider(empty)
    handle.focus()
    for count, key in enumerate(("ArrowRight", "ArrowRight"), start=1):
        handle.press(key)
        empty.wait_for_function(f"told.length === {count}")
    empty.evaluate("data => show(data)", {**base, "m": 11})
    assert handle.input_value() == "12", "the answer to the first step comes after the second"
    empty.evaluate("data => show(data)", {**base, "m": 12})
    assert handle.input_value() == "12"
    empty.evaluate("data => show(data)", {**base, "m": 5})
    assert handle.input_value() == "5", "Back, or another link"
    empty.evaluate("data => show(data)", {**base, "m": 999})
    assert handle.input_value() == "24", "never past what can be compared"


def test_dragging_draws_every_m_and_tells_none(empty: Page):
    mounted(empty, made_view(300), m=1)
    box = slider(empty).bounding_box()
    assert box is not None
    empty.mouse.move(box["x"] + 9, box["y"] + box["height"] / 2)
    empty.mouse.down()
    empty.evaluate("""() => {
      window.seen = new Set();
      const root = shadow.querySelector(".view");
      new MutationObserver(() => seen.add(root.dataset.drawn)).observe(root, { attributes: true });
    }""")
    empty.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=20)
    m = slider(empty).input_value()
    empty.wait_for_function("m => seen.has(m)", arg=m)
    assert empty.evaluate("seen.size") > 5
    assert empty.evaluate("told.length") == 0
    empty.mouse.up()
    empty.wait_for_function("told.length === 1")
    assert empty.evaluate("told[0]") == int(m)


def test_a_finger_moves_it_too(chromium: Browser, courier: dict[str, Any]):
    context = new_context(chromium, viewport={"width": 390, "height": 800}, has_touch=True)
    touched = context.new_page()
    mounted(touched, courier["views"]["cutting"], m=20)
    box = slider(touched).bounding_box()
    assert box is not None and box["width"] < 390
    touched.touchscreen.tap(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    touched.wait_for_function("told.length === 1")
    m = touched.evaluate("told[0]")
    assert 4 <= m <= 9 and int(slider(touched).input_value()) == m
    expect(card(touched, "Topics kept")).to_contain_text(f"{m}of 24")
    context.close()


def test_charts_are_saved_and_names_stay_text(empty: Page, courier: dict[str, Any]):
    view = courier["views"]["hybrid"]
    mounted(empty, replace(view, names=(HOSTILE, *view.names[1:])), m=6, theme="dark")
    empty.get_by_role("searchbox", name="Find a topic").fill("<IMG")
    expect(empty.locator(".details")).to_contain_text(f"{HOSTILE}: kept, step 1")
    for title, name in (("Kept topics on the map", "map"), ("Similarity of every two topics", "matrix")):
        for format, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
            with empty.expect_download() as waiting:
                empty.get_by_role("button", name=f"{title} as {format}").click()
            assert waiting.value.suggested_filename == f"hits_m6_{name}.{format.lower()}"
            content = Path(waiting.value.path()).read_bytes()
            assert content.startswith(start)
            if (format, name) == ("SVG", "map"):
                assert b"&lt;img" in content and b"<img" not in content
    assert empty.evaluate("window.hacked") is None
    assert empty.locator("img").count() == 0


def test_a_topic_clicked_in_the_list_shows_its_figures_at_every_m(empty: Page, courier: dict[str, Any]):
    view = courier["views"]["cutting"]
    mounted(empty, view, m=2)
    empty.locator(".path canvas").click(position={"x": 60, "y": 22 + 2 * 22 + 11})
    details = empty.locator(".details")
    expect(details).to_contain_text(f"{view.names[2]}: dropped")
    expect(details).to_contain_text(f"leakage when taken {view.path.leakage[2]:.3f}")
    slider(empty).focus()
    slider(empty).press("ArrowRight")
    expect(details).to_contain_text(f"{view.names[2]}: kept, step 3")


def test_letting_go_changes_address_and_what_the_server_says(page: Page, address: str):
    page.goto(f"{address}/hits?m=9&policy=hybrid&threshold=0.5")
    settled(page)
    expect(card(page, "Topics kept")).to_contain_text("9of 24")
    handle = slider(page)
    handle.focus()
    handle.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"[?&]m=10(&|$)"))
    expect(page.get_by_text("of 10 topics").or_(page.get_by_text("the same 10 topics")).first).to_be_visible()
    assert parse_qs(urlparse(page.url).query)["policy"] == ["hybrid"]
    page.reload()
    settled(page)
    expect(card(page, "Topics kept")).to_contain_text("10of 24")
    other = new_context(page.context.browser).new_page()
    other.goto(page.url)
    settled(other)
    expect(card(other, "Topics kept")).to_contain_text("10of 24")
    expect(other.get_by_role("radio", name="hybrid", exact=True)).to_be_checked()
    other.context.close()


def test_downloads_hold_what_the_page_says(page: Page, address: str, courier: dict[str, Any]):
    page.goto(f"{address}/hits?m=5")
    settled(page)
    order = list(courier["views"]["cutting"].names)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Documents (csv)").click()
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
    assert {row["topic"] for row in rows} == set(order[:5])
    expect(card(page, "Documents kept")).to_contain_text(f"{len(rows):,}")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Settings (json)").click()
    settings = json.loads(Path(waiting.value.path()).read_text(encoding="utf-8"))
    assert (settings["selected"], settings["m"]) == (order[:5], 5)


def test_a_phone_shows_all_of_it_without_scrolling_sideways(page: Page, address: str):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{address}/hits?m=7")
    settled(page)
    expect(card(page, "Max similarity")).to_be_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    widths = page.locator(".view canvas").evaluate_all("found => found.map(each => each.getBoundingClientRect().right)")
    assert len(widths) == 4 and max(widths) <= 390
    shown = page.get_by_role("group", name="Chart shown")
    for name, chart in (("Path", "path"), ("Map", "map"), ("Matrix", "matrix"), ("Similarity", "curve")):
        shown.get_by_role("button", name=name).click()
        expect(page.locator(f".view .{chart} canvas")).to_be_visible()
        expect(page.locator(".view canvas:visible")).to_have_count(1)
        expect(page.get_by_role("searchbox", name="Find a topic")).to_be_visible()
        page.wait_for_function(INKED, arg=page.locator(f".view .{chart} canvas").element_handle())
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator(".view canvas:visible")).to_have_count(4)
    expect(shown).to_be_hidden()
