"""Every page through Streamlit's own test runner: the bundled corpus, uploads good and bad, and empty states."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.demo import bundled_corpus
from core.errors import InputError
from tests.conftest import ROOT

PAGES = [
    "overview",
    "corpus",
    "topic_map",
    "hits",
    "accuracy",
    "ranking",
    "shortcut",
    "split",
    "significance",
    "trust",
    "methods",
]
HOSTILE = "<img src=x onerror=alert(1)> **bold** [x](javascript:alert) $x$ :red[y]"


def open_app(page: str = "overview", **query: str) -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    if page != "overview":
        app.switch_page(f"pages/{page}.py").run()
    assert not app.exception, app.exception
    return app


def upload(*files: tuple[str, bytes], encoder: str = "LSA") -> AppTest:
    app = open_app("corpus", encoder=encoder)
    app.file_uploader(key="files").set_value(
        [(name, content, "application/octet-stream") for name, content in files]
    ).run()
    assert not app.exception, app.exception
    return app


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception, app.exception
    return app


def all_text(app: AppTest) -> str:
    return "\n".join(
        element.value for kind in (app.markdown, app.caption, app.subheader, app.title) for element in kind
    )


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_the_bundled_corpus(page):
    app = open_app(page)
    assert not app.error
    assert any("made" in element.value for element in app.sidebar.caption), "the bundled corpus is labelled as made"


def test_overview_judges_the_bundled_corpus():
    app = open_app()
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics["Topics"] == "24"
    assert "would leak" in app.subheader[0].value


def test_moving_the_slider_keeps_the_first_m_of_the_path():
    app = open_app("hits")
    app.slider(key="m").set_value(5).run()
    kept_five = {metric.label: metric.value for metric in app.metric}
    app.slider(key="m").set_value(24).run()
    kept_all = {metric.label: metric.value for metric in app.metric}
    assert kept_five["Topics kept"] == "5"
    assert kept_all["Documents kept"] == f"{len(bundled_corpus()):,}"
    assert float(kept_five["Mean similarity"]) < float(kept_all["Mean similarity"])


def test_one_topic_kept_has_no_similarity():
    app = open_app("hits")
    app.slider(key="m").set_value(1).run()
    assert {metric.label: metric.value for metric in app.metric}["Max similarity"] == "–"
    assert not app.exception


def test_grouping_keeps_every_document():
    app = open_app("hits", policy="grouping", m="4")
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics["Topics kept"] == "4"
    assert metrics["Documents kept"] == f"{len(bundled_corpus()):,}"


def test_settings_come_from_the_url_and_nonsense_in_it_is_ignored():
    assert open_app("hits", m="7").slider(key="m").value == 7
    assert 1 <= open_app("hits", m="9999").slider(key="m").value <= 24
    assert open_app("hits", m="abc", policy="nonsense", corpus="nothing").slider(key="m").value >= 1


def test_an_uploaded_table_becomes_the_corpus_on_every_page(tiny_csv):
    app = press(upload(("my.csv", tiny_csv)), "Use this corpus")
    assert app.selectbox(key="corpus").value == "file"
    assert {metric.label: metric.value for metric in app.metric}["Documents"] == "12"
    for page in PAGES:
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception, (page, app.exception)
        assert not app.error, (page, app.error[0].value if app.error else "")


def test_columns_can_be_chosen_by_hand(tiny_csv):
    renamed = tiny_csv.replace(b"id,text,author,topic", b"a,b,c,d")
    app = upload(("my.csv", renamed))
    app.selectbox(key="role_text").set_value("b")
    app.selectbox(key="role_topic").set_value("d")
    app.selectbox(key="role_author").set_value("(none)").run()
    press(app, "Use this corpus")
    assert {metric.label: metric.value for metric in app.metric}["Authors"] == "none"
    assert any("no authors" in info.value for info in app.info)


def test_a_topic_that_is_markup_is_shown_and_never_read(tiny_csv):
    hostile = tiny_csv.replace(b",bread", b',"' + HOSTILE.encode() + b'"')
    app = press(upload(("my.csv", hostile)), "Use this corpus")
    for page in PAGES:
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception, (page, app.exception)
        assert not re.search(r"(?<!\\)(<img|\]\(javascript|\*\*bold|:red\[y)", all_text(app)), "an unescaped mark"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.csv", b"", "empty"),
        ("header.csv", b"text,topic\n", "no documents"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(40), "picture.csv"),
        ("broken.parquet", b"text,topic\na,b\n", "Parquet"),
        (
            "long.csv",
            b"text,topic\n" + b"x" * 1_000_001 + b",a\nworld,b\n",
            "row 1) has a cell of more than 1,000,000 characters",
        ),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence_and_nothing_is_lost(name, content, words):
    app = upload((name, content))
    assert len(app.error) == 1
    assert words.lower() in app.error[0].value.lower()
    assert {metric.label: metric.value for metric in app.metric}["Topics"] == "24", "the corpus in hand is still there"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"text,topic\nhello,\nworld,b\n", "row 1: empty 'topic'"),
        (b"text,topic\nhello,a\nworld,a\n", "at least 2 topics"),
    ],
)
def test_a_bad_row_is_named_with_its_remedy(content, words):
    app = press(upload(("rows.csv", content)), "Use this corpus")
    assert any(words in error.value for error in app.error), [error.value for error in app.error]
    assert app.selectbox(key="corpus").value == "courier"


def test_an_id_given_twice_is_named_with_both_rows():
    app = upload(("ids.csv", b"id,text,topic\n1,hello,a\n1,world,b\n"))
    app.selectbox(key="role_id").set_value("id").run()
    press(app, "Use this corpus")
    assert "row 2: id '1' already stands in row 1" in app.error[0].value


def test_two_topics_two_documents_still_draw():
    app = press(upload(("two.csv", b"text,topic\nthe red apple pie,a\nthe green pear tart,b\n")), "Use this corpus")
    for page in PAGES:
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception, (page, app.exception)


def test_a_link_to_a_file_that_is_not_here_says_so():
    app = open_app("hits", corpus="Your own file")
    assert any("No file is loaded" in info.value for info in app.info)
    assert not app.slider


def test_filters_that_leave_too_little_say_so():
    app = open_app("overview", min_docs="5000")
    assert any("lower the minimum" in error.value for error in app.error)


def test_the_cap_cuts_every_topic():
    app = open_app("corpus", cap="10")
    assert {metric.label: metric.value for metric in app.metric}["Documents"] == "240"


def test_own_vectors_are_used(tiny_csv, tmp_path):
    app = press(upload(("my.csv", tiny_csv)), "Use this corpus")
    target = tmp_path / "v.npy"
    np.save(target, np.random.default_rng(0).normal(size=(12, 5)).astype(np.float32))
    app.file_uploader(key="vectors_file").set_value(("v.npy", target.read_bytes(), "application/octet-stream")).run()
    app.button(key="use_vectors").click().run()
    assert not app.exception
    assert app.selectbox(key="encoder").value == "precomputed"
    app.switch_page("pages/hits.py").run()
    assert not app.exception
    assert {metric.label: metric.value for metric in app.metric}["Topics kept"].isdigit()


def test_vectors_of_the_wrong_length_are_refused(tiny_csv, tmp_path):
    app = press(upload(("my.csv", tiny_csv)), "Use this corpus")
    target = tmp_path / "v.npy"
    np.save(target, np.ones((3, 5), dtype=np.float32))
    app.file_uploader(key="vectors_file").set_value(("v.npy", target.read_bytes(), "application/octet-stream")).run()
    app.button(key="use_vectors").click().run()
    assert any("3 vectors for 12 documents" in error.value for error in app.error)


def test_newsgroups_without_internet_says_what_to_do(monkeypatch):
    def no_internet(**_):
        raise InputError("20 Newsgroups could not be downloaded; upload the corpus as a file.")

    monkeypatch.setattr("core.corpora.readers.newsgroups.load_newsgroups", no_internet)
    app = press(open_app("corpus", corpus="20 Newsgroups"), "Load 20 Newsgroups")
    assert "upload the corpus" in app.error[0].value
    assert not app.metric


def test_a_refusal_quotes_markup_without_reading_it():
    app = upload(("odd.csv", b"![x](http://example.org/x.png),![x](http://example.org/x.png)\na,b\n"))
    assert len(app.error) == 1
    assert "![x]" not in app.error[0].value
    assert r"\[x\]" in app.error[0].value
