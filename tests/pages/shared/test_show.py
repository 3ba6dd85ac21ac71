"""What is shown in one way: labels and sentences as plain text, and tables as CSV. Figures, tables and documents: tests
of the pages."""

import ast
import base64
import csv
import hashlib
import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.shared.cards import spoken_time
from pages.shared.show import SCRIPT, csv_file, escaped, literal
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


FORMULAS = "=+-@\t\r"


def cells(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8", "surrogatepass"), newline="")))


@pytest.mark.parametrize("mark", [*FORMULAS, "\n", "＝", "＋", "－", "＠", " =", " \t@"])
def test_a_text_that_a_spreadsheet_would_compute_is_marked_as_text(mark):
    harmful = f"{mark}HYPERLINK(1)"
    frame = pd.DataFrame({"topic": [harmful, "bread"], harmful: [1, 2]})
    assert cells(csv_file(frame, safe=True)) == [["topic", f"'{harmful}"], [f"'{harmful}", "1"], ["bread", "2"]]
    assert cells(csv_file(frame, safe=False)) == [["topic", harmful], [harmful, "1"], ["bread", "2"]]
    assert frame["topic"][0] == harmful, "the table itself is as it was"


@given(
    st.lists(st.text(max_size=8) | st.sampled_from(["=1+1", "-2+3", "@a", "+a", "\tb", "\rc"]), min_size=1, max_size=8)
)
def test_no_cell_begins_with_a_formula_and_none_loses_a_letter(texts):
    frame = pd.DataFrame({"text": pd.Series(texts, dtype=object), "number": range(len(texts))})
    _, *rows = cells(csv_file(frame, safe=True))
    for (shown, number), (row, text) in zip(rows, enumerate(texts), strict=True):
        assert number == str(row) and shown in (text, f"'{text}")
        if shown[:1] in set(FORMULAS):
            assert re.fullmatch(r"[+-][\d.,]+(e[+-]?\d+)?\s?%?", shown, flags=re.IGNORECASE), "only a number may"


def test_numbers_stay_numbers():
    numbers = {
        "double": [-0.1, np.nan, -1e-9],
        "single": np.array([-0.1, 0.5, -2], dtype=np.float32),
        "whole": [-3, 0, 7],
        "truth": [True, False, True],
        "mixed": [-1.5, "=A1", None],
        "written": ["-12.5%", "+3", "-1.2e-05"],
        "group": pd.Categorical(["-a", "b", "b"]),
    }
    frame = pd.DataFrame(numbers)
    found, plain = (cells(csv_file(frame, safe=safe)) for safe in (True, False))
    changed = {(row, column) for row in range(4) for column in range(7) if found[row][column] != plain[row][column]}
    assert changed == {(2, 4), (1, 6)}
    assert (found[2][4], found[1][6]) == ("'=A1", "'-a")


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(), pd.DataFrame({"a": []}), pd.DataFrame([["=x", "-y"]], columns=["a", "a"])]
)
def test_tables_of_any_shape_are_written(frame):
    for row in cells(csv_file(frame, safe=True)):
        assert not any(cell.startswith(tuple(FORMULAS)) for cell in row)


def test_half_a_letter_is_written_as_it_is():
    assert csv_file(pd.DataFrame({"topic": ["\ud83d"]}, dtype=object), safe=True) == b"topic\r\n\xed\xa0\xbd\r\n"


def page_of_tables() -> None:
    import pandas as pd
    import streamlit as st

    from pages.shared import show

    frame = pd.DataFrame({"topic": ["=1+1"]})
    show.table(frame, alt="A table", csv=show.Csv("Table as CSV", "table.csv"))
    row = st.container()
    st.text(str(show.safe_for_spreadsheets(row, key="safe_data", default=False)))


def test_tables_are_safe_until_the_user_says_otherwise_and_data_are_as_they_are():
    app = AppTest.from_function(page_of_tables, default_timeout=60).run()
    assert not app.exception, app.exception
    table, data = app.checkbox(key="safe_table.csv"), app.checkbox(key="safe_data")
    assert (table.value, data.value) == (True, False)
    assert app.text[0].value == "False"
    assert data.check().run().text[0].value == "True"


def with_gaps() -> None:
    import pandas as pd

    from pages.shared import show

    rows = pd.DataFrame({"model": ["a", "b"], "score": [0.5, None], "n": [3, 4], "p": [None, 0.25]})
    show.table(rows, precision=3, formats={"p": "{:.1f}", "n": "{:g}"}, alt="made")


def test_a_missing_number_is_a_dash_and_the_others_are_rounded():
    app = AppTest.from_function(with_gaps, default_timeout=60).run()
    assert not app.exception
    shown = app.dataframe[0].value
    assert list(shown["score"]) == ["0.500", "–"] and list(shown["p"]) == ["–", "0.2"]
    assert list(shown["n"]) == [3, 4], "a column without gaps stays numbers, and can be sorted"


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


def test_the_proxys_policy_names_the_script_that_offers_svg():
    value = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    assert f"'sha256-{value}'" in (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    assert "</" not in SCRIPT and "innerHTML" not in SCRIPT
