"""The file: one script of plotly's, every figure once, user text as text everywhere, nothing fetched."""

import base64
import hashlib
import re
from dataclasses import replace

import pytest

from core.questions import ask
from core.render import report_html
from tests.core.made_corpora import HOSTILE, WHEN, Page, figure_texts, made, markup, page_of, report_of, study_of


@pytest.fixture(scope="module")
def plain():
    return report_of(made(split=True))


def test_every_figure_is_there_once_with_its_words(plain):
    page = page_of(plain)
    drawings = [drawing for answer in plain.answers for drawing in answer.figures]
    assert len(page.figures) == len(drawings) >= 10
    holders = [attrs for tag, attrs in page.tags if "data-figure" in attrs]
    assert [holder["aria-label"] for holder in holders] == [drawing.alt for drawing in drawings]
    assert all(drawing.alt for drawing in drawings), "a figure says itself what it shows"
    ids = [attrs["id"] for tag, attrs in page.tags if attrs.get("type") == "application/json"]
    assert ids == [holder["data-figure"] for holder in holders] and len(set(ids)) == len(ids)
    assert [int(number) for number in re.findall(r"Figure (\d+)\.", page.text)] == list(range(1, len(drawings) + 1))
    for answer in plain.answers:
        assert answer.headline in page.text and answer.question in page.text


def test_user_text_is_text_wherever_it_stands():
    hostile = report_of(
        made(4, 6, name=HOSTILE, split=True),
        pages=["overview", "corpus", "topic_map", "hits", "design", "split", "accuracy"],
    )
    html = report_html(hostile, when=WHEN)
    page = Page(html)
    ours = [attrs for tag, attrs in page.tags if tag == "script"]
    assert len(ours) == 3 + len(page.figures), "no script but ours"
    assert not [tag for tag, _ in page.tags if tag == "img"] and not re.search(
        r"<[^>]+\sonerror=", html.split("</head>")[1]
    )
    assert "alert(1)</script>" in page.text and "{{ 7 * 7 }}" in page.text, "shown word for word"
    for figure in page.figures:
        assert not markup(figure_texts(figure).replace("&lt;", ""))
    body = html.split("</head>")[1]
    assert (
        "\u2028" not in "".join(script for script in page.scripts if script.startswith("{"))
        and "</script><script>alert" not in body
    )


def test_nothing_is_fetched_and_no_script_but_ours_may_run(plain):
    html = report_html(plain, when=WHEN)
    page = Page(html)
    policy = next(attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe-inline" not in policy.split(";")[1]
    run = [script for script in page.scripts if not script.startswith("{")]
    for script in run:
        assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
    assert len(run) == 3 and policy.count("sha256-") == 3
    for tag, attrs in page.tags:
        assert not {"src", "action", "poster"} & set(attrs) and tag not in ("link", "iframe", "object", "img"), tag
        assert (attrs.get("href") or "#").startswith("#")
    ours = html.replace(run[1], "")
    assert not re.search(r"https?://|//cdn", ours), "no host is named but inside plotly's own script"
    assert html.count(run[1]) == 1


def test_figures_are_drawn_for_paper(plain):
    for figure in page_of(plain).figures:
        assert figure["layout"]["height"] <= 860 and figure["layout"]["template"]["layout"]["paper_bgcolor"] == "white"
        for trace in figure["data"]:
            assert trace["type"] != "scattergl", "a graphics card's drawing does not print"
            assert not (trace.get("mode") == "markers" and trace.get("marker", {}).get("opacity") == 0)


def test_it_is_small_and_the_same_every_time(plain):
    html = report_html(plain, when=WHEN)
    assert len(html.encode()) < 8_000_000 and html == report_html(plain, when=WHEN)
    assert "2026-01-02 03:04 UTC" in html


def test_an_answer_is_a_frame_of_its_first_table_or_of_its_facts():
    answer = ask(study_of(made()), "verdict", k=3)
    assert answer.tables and answer.to_frame().equals(answer.tables[0].frame)
    facts = replace(answer, tables=()).to_frame()
    assert (
        list(facts["fact"]) == [each.label for each in answer.facts] and facts["value"].iloc[0] == answer.facts[0].value
    )
