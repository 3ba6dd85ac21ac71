"""Significance: models compared, tables of one's own, text categorization."""

import json

import pytest

from tests.pages.opened import open_app

SCORES = b"category,SVM,kNN,NB\ngrain,.80,.70,.60\ntrade,.75,.75,.61\ncrude,.90,.85,.70\nship,.60,.65,.40\nwheat,.55,.40,.35\n"
DECISIONS = b"A,B\n" + b"1,0\n" * 12 + b"0,1\n" * 3 + b"1,1\n" * 20


def with_table(content: bytes):
    app = open_app("significance", compare="a table of your own")
    app.file_uploader(key="comparison_file").set_value(("table.csv", content, "text/csv")).run()
    assert not app.exception, app.exception
    return app


def test_models_run_here_are_compared():
    app = open_app("significance")
    assert not app.error
    assert any("by decisions" in heading.value for heading in app.subheader)
    assert any("topics** are needed" in text.value for text in app.markdown)


@pytest.mark.parametrize("content", [SCORES, DECISIONS])
def test_a_table_of_ones_own_is_compared(content):
    app = with_table(content)
    assert not app.error
    assert app.dataframe


@pytest.mark.parametrize(
    "content", [b"", b"category,A\nx,1\n", b"category,A,B\nx,1\n", b"category,A,B\nx,one,two\n", b"category,A,B\n"]
)
def test_a_bad_table_is_refused_in_a_sentence(content):
    assert len(with_table(content).error) == 1


def test_ties_everywhere_give_no_p_value():
    app = with_table(b"category,A,B\nx,.5,.5\ny,.6,.6\nz,.7,.7\n")
    assert not app.exception
    assert not app.error


def test_a_multi_label_corpus_is_categorized_when_asked():
    lines = [
        json.dumps(
            {
                "text": f"wheat corn {n}" if n % 2 else f"ship port {n}",
                "topics": ["grain"] if n % 2 else ["ship"],
                "split": part,
            }
        )
        for n, part in ((number, "train" if number % 3 else "test") for number in range(60))
    ]
    app = open_app("significance", compare="text categorization", categorizers=["SVM", "NB"])
    app.file_uploader(key="labelled_file").set_value(("c.jsonl", "\n".join(lines).encode(), "application/json")).run()
    app.button(key="run_categorizers").click().run()
    assert not app.exception, app.exception
    assert not app.error, app.error[0].value
    assert app.dataframe
