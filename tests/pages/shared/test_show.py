"""What is shown in one way: labels and sentences as plain text. Figures, tables and documents: tests of the pages."""

import ast
import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.jobs import spoken_time
from pages.shared.show import SCRIPT, _said, escaped, literal
from tests.conftest import ROOT

MARKS = r"\`*_{}[]()#+-.!|<>~:$&@"


@pytest.mark.parametrize("mark", MARKS)
def test_every_mark_of_a_label_is_taken_literally(mark):
    assert escaped(f"a{mark}b") == f"a\\{mark}b"


def test_a_label_of_several_lines_is_one_line():
    assert escaped("two\n\n# lines") == r"two \# lines"


def test_a_sentence_keeps_its_words_and_loses_its_marks():
    sentence = "row 2 (of 3): [x](http://a.b) *is* `empty`; fill it."
    assert re.sub(r"\\(.)", r"\1", literal(sentence)) == sentence
    assert not re.search(r"(?<!\\)[\[*`]", literal(sentence))


@pytest.mark.parametrize(("seconds", "spoken"), [(0.2, "1 s"), (89.4, "89 s"), (90, "2 min"), (600, "10 min")])
def test_times_are_said_as_one_says_them(seconds, spoken):
    assert spoken_time(seconds) == spoken


def with_gaps() -> None:
    import pandas as pd

    from pages.shared import show

    rows = pd.DataFrame({"model": ["a", "b" * 40], "score": [0.5, None], "n": [3, 4], "p": [None, 0.25]})
    show.table(rows, precision=3, formats={"p": "{:.1f}", "n": "{:g}"}, alt="made")


def test_a_missing_number_is_a_dash_and_the_others_are_rounded():
    app = AppTest.from_function(with_gaps, default_timeout=60).run()
    assert not app.exception
    shown = app.dataframe[0].value
    assert list(shown["score"]) == ["0.500", "–"] and list(shown["p"]) == ["–", "0.2"]
    assert list(shown["n"]) == [3, 4], "a column without gaps stays numbers, and can be sorted"
    columns = json.loads(app.dataframe[0].proto.columns)
    assert {name: each["width"] for name, each in columns.items() if "width" in each} == {"model": "medium"}


def test_every_table_says_how_it_is_taken_away_and_all_figures_go_one_way():
    for file in sorted((ROOT / "pages").rglob("*.py")):
        for call in (
            node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)
        ):
            name = ast.unparse(call.func)
            where = f"{file.name}:{call.lineno}"
            if name == "show.table":
                assert "csv" in {keyword.arg for keyword in call.keywords}, (
                    f"{where}: name a Csv, or None and the reason"
                )
            assert name not in ("st.plotly_chart", "st.dataframe", "st.table") or file.name == "show.py", where


def test_the_script_that_offers_svg_stays_within_its_tag():
    assert "</" not in SCRIPT and "innerHTML" not in SCRIPT


@pytest.mark.parametrize(
    ("form", "cell", "shown"),
    [("{:.3f}", -0.5, "−0.500"), (lambda each: f"{each:+.1f}", -2.0, "−2.0"), ("{}", "a-b", "a-b")],
)
def test_numbers_of_a_table_have_the_minus_sign_of_sentences(form, cell, shown):
    assert _said(form, cell) == shown
