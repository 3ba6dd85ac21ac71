"""Texts without topics on the pages: loaded, topics found, taken loaded, marked as found, and given back."""

import csv
import io

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.core.vectors.other_languages import texts_in
from tests.pages.opened import all_text, links, open_app, press, upload

WORDS = ("flour oven dough yeast crust loaf", "telescope orbit galaxy comet planet lens")


def file_of(texts: list[str], *, column: str = "text") -> tuple[str, bytes]:
    written = io.StringIO()
    csv.writer(written).writerows([[column, "number"], *([text, str(row)] for row, text in enumerate(texts))])
    return "bare.csv", written.getvalue().encode()


@pytest.fixture(scope="module")
def texts() -> list[str]:
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(words.split(), 14)) for words in WORDS for _ in range(15)]


def current(texts: list[str]) -> AppTest:
    app = upload(file_of(texts))
    assert app.selectbox(key="role_topic").value == "(none)"
    return press(app, "Use this corpus")


def test_a_file_without_topics_gets_some_and_every_page_says_that_they_were_found(texts: list[str]):
    app = current(texts)
    assert any("no topics yet" in each.value for each in app.info)
    assert "2 topics found in 30 documents" in all_text(app)
    press(app, "Use these topics")
    assert app.session_state["file_corpus"].found
    assert "found in its texts, not given" in all_text(app)
    assert any("Topics found, not given" in each.value for each in app.sidebar.caption)
    app.switch_page("pages/overview.py").run()
    assert not app.exception and "separate by construction" in all_text(app)


def test_other_pages_point_to_where_topics_are_found(texts: list[str]):
    app = current(texts)
    app.switch_page("pages/hits.py").run()
    assert not app.exception and "Go to Corpus to find topics" in links(app)


def test_given_topics_are_compared_and_can_be_had_back():
    app = open_app("corpus", encoder="LSA", topics_k="24")
    press(app, "Find topics")
    assert app.number_input(key="topics_k").value == 24
    assert "24 topics found in 1,500 documents" in all_text(app) and "Agreement with the given topics" in all_text(app)
    press(app, "Use these topics")
    assert app.selectbox(key="corpus").value == "file" and app.session_state["file_corpus"].found
    press(app, "Restore the given topics")
    assert app.selectbox(key="corpus").value == "courier"


def test_where_texts_are_not_english_the_sidebar_says_what_to_choose():
    german, _ = texts_in("German", each=10)
    written = io.StringIO()
    csv.writer(written).writerows([["text", "topic"], *([text, str(row % 2)] for row, text in enumerate(german))])
    app = press(upload(("german.csv", written.getvalue().encode())), "Use this corpus")
    assert not any("German" in each.value for each in app.sidebar.caption), "LSA counts the words of any language"
    app.selectbox(key="encoder").set_value("sbert").run()
    assert any("Most texts look to be German" in each.value for each in app.sidebar.caption)


def test_another_model_is_named_in_a_field_and_refused_in_words(monkeypatch: pytest.MonkeyPatch):
    app = open_app(encoder="Another model")
    assert any("No model is named" in each.value for each in app.error)
    app.text_input(key="model").set_value("/no/such/[folder](x)").run()
    assert not app.exception
    (said,) = [each.value for each in app.error if "There is no folder" in each.value]
    assert r"\[folder\]" in said, "a user's words are not markdown"
    monkeypatch.setenv("LEAKSCOPE_HOSTED", "1")
    app = open_app()
    assert "Another model" not in app.selectbox(key="encoder").options
    monkeypatch.setenv("LEAKSCOPE_MODELS", "owner/one, owner/two")
    app = open_app(encoder="Another model", model="/etc")
    assert app.selectbox(key="model").options == ["owner/one", "owner/two"]
