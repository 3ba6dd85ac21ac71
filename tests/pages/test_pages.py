"""Every page: on the bundled corpus, on an upload, with hostile labels, and with next to nothing."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.widgets import methods_section
from tests.conftest import ROOT
from tests.pages.opened import PAGES, all_text, lines_before_the_first_chart, metrics, press, shown_page, upload

MOST_LINES = 3  # between a page's headline and its first chart
HOSTILE = "<img src=x onerror=alert(1)> **bold** [x](javascript:alert) $x$ :red[y]"


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_the_bundled_corpus(page):
    app = shown_page(page)
    assert not app.error
    assert any("Fictional" in element.value for element in app.sidebar.caption), "the bundled corpus is labelled so"
    assert all(chart.proto.alt for chart in app.get("plotly_chart")), "every figure says in words what it shows"
    assert len(lines_before_the_first_chart(app)) <= MOST_LINES, lines_before_the_first_chart(app)


def test_many_reasons_and_cautions_leave_three_lines_and_a_list_to_open():
    def page() -> None:
        import plotly.graph_objects as go
        import streamlit as st

        from core.render import Answer, Caution
        from pages.shared import render

        cautions = tuple(Caution(f"code-{at}", f"Caution {at}.") for at in range(4))
        render.headline(Answer("name", "Why?", "unknown", "Maybe.", ("Reason 0.", "Reason 1."), cautions))
        st.plotly_chart(go.Figure())

    app = AppTest.from_function(page).run()
    lines = lines_before_the_first_chart(app)
    assert len(lines) == MOST_LINES and "Reason 1" in lines[1] and "Caution 0" in lines[2], lines
    [more] = app.get("popover")
    assert more.proto.popover.label == "3 more cautions"
    assert [f"Caution {at}" in more.markdown[0].value for at in range(4)] == [False, True, True, True]


def test_an_uploaded_table_becomes_the_corpus_on_every_page(tiny_csv):
    app = press(upload(("my.csv", tiny_csv)), "Use this corpus")
    assert app.selectbox(key="corpus").value == "file"
    assert metrics(app)["Documents"] == "12"
    for page in PAGES:
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception, (page, app.exception)
        few = ("four topics", "No topic has 10 documents")
        assert all(any(why in each.value for why in few) for each in app.error), (page, app.error[0].value)


def test_a_topic_that_is_markup_is_shown_and_never_read(tiny_csv):
    hostile = tiny_csv.replace(b",bread", b',"' + HOSTILE.encode() + b'"')
    app = press(upload(("my.csv", hostile)), "Use this corpus")
    for page in PAGES:
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception, (page, app.exception)
        assert not re.search(r"(?<!\\)(<img|\]\(javascript|\*\*bold|:red\[y)", all_text(app)), "an unescaped mark"


def test_two_topics_two_documents_still_draw():
    app = press(upload(("two.csv", b"text,topic\nthe red apple pie,a\nthe green pear tart,b\n")), "Use this corpus")
    for page in PAGES:
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception, (page, app.exception)


def test_every_header_names_a_section_of_the_methods():
    for name in set(PAGES) - {"methods"}:
        section = re.search(
            r'(?:section=|SECTION = )"([^"]+)"', (ROOT / "pages" / f"{name}.py").read_text(encoding="utf-8")
        )
        assert section is not None, name
        assert len(methods_section(section[1]).splitlines()) > 2
