"""Uploads: columns chosen by hand, and everything that is refused in a sentence."""

import numpy as np
import pytest

from tests.pages.opened import metrics, press, upload


def test_columns_can_be_chosen_by_hand(tiny_csv):
    renamed = tiny_csv.replace(b"id,text,author,topic", b"a,b,c,d")
    app = upload(("my.csv", renamed))
    app.selectbox(key="role_text").set_value("b")
    app.selectbox(key="role_topic").set_value("d")
    app.selectbox(key="role_author").set_value("(none)").run()
    press(app, "Use this corpus")
    assert metrics(app)["Authors"] == "none"
    assert any("no authors" in info.value for info in app.info)


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
    assert metrics(app)["Topics"] == "24", "the corpus in hand is still there"


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


def test_vectors_of_the_wrong_length_are_refused(tiny_csv, tmp_path):
    app = press(upload(("my.csv", tiny_csv)), "Use this corpus")
    target = tmp_path / "v.npy"
    np.save(target, np.ones((3, 5), dtype=np.float32))
    app.file_uploader(key="vectors_file").set_value(("v.npy", target.read_bytes(), "application/octet-stream")).run()
    app.button(key="use_vectors").click().run()
    assert any("3 vectors for 12 documents" in error.value for error in app.error)


def test_a_refusal_quotes_markup_without_reading_it():
    app = upload(("odd.csv", b"![x](http://example.org/x.png),![x](http://example.org/x.png)\na,b\n"))
    assert len(app.error) == 1
    assert "![x]" not in app.error[0].value
    assert r"\[x\]" in app.error[0].value
