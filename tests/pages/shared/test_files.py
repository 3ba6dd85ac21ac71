"""What is taken away: tables and documents as files, one way to offer them, and nothing in a CSV that a spreadsheet computes."""

import csv
import io
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.testing.v1 import AppTest

from core.topics import FORMATS
from pages.shared import show
from pages.shared.show import csv_file
from tests.conftest import ROOT

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

    from pages.shared import show

    frame = pd.DataFrame({"topic": ["=1+1"]})
    show.table(frame, alt="A table", csv=show.Csv("Table as CSV", "table.csv"))
    show.documents(lambda: frame, stem="data", key="data", settings=lambda: b"{}")


def test_tables_are_safe_until_the_user_says_otherwise_and_data_are_as_they_are(monkeypatch: pytest.MonkeyPatch):
    made: dict[str, Any] = {}
    monkeypatch.setattr(show, "offer", lambda place, label, content, name, **look: made.update({name: content}))
    app = AppTest.from_function(page_of_tables, default_timeout=60).run()
    assert not app.exception, app.exception
    assert list(made) == ["table.csv", "data.settings.json", *(f"data.{format}" for format in FORMATS)]
    formula, text = b"topic\r\n=1+1\r\n", b"topic\r\n'=1+1\r\n"
    assert (made["table.csv"](), made["data.csv"]()) == (text, formula)
    app.checkbox(key="safe_table.csv").uncheck().run()
    app.checkbox(key="safe_data").check().run()
    assert (made["table.csv"](), made["data.csv"]()) == (formula, text)
    assert b"=1+1" in made["data.jsonl"]() and b"'=1+1" not in made["data.jsonl"](), "no spreadsheet opens these"


def page_of_a_file() -> None:
    import streamlit as st

    from pages.shared import show

    show.offer(st.container(), "A summary", lambda: "text", "summary.html", key="summary")


def test_a_file_is_one_button():
    app = AppTest.from_function(page_of_a_file, default_timeout=60).run()
    assert not app.exception, app.exception
    (button,) = app.get("download_button")
    assert button.proto.label == "A summary"


def page_of_large_files() -> None:
    import streamlit as st

    from pages.shared import show

    for number in (1, 2):
        content = bytes(2_000_000) if number == 1 else bytes(300_000) + b"x" + bytes(1_699_999)
        show.offer(st.container(), "Bytes", content, "same.csv", key=f"bytes {number}")
        show.offer(st.container(), "Made", lambda content=content: content, "same.csv", key=f"made {number}")


def test_no_two_downloads_share_an_address(monkeypatch: pytest.MonkeyPatch):
    """Above 1 MiB Streamlit looks at three samples of a file, and two of the same length were one (seen with 1.67)."""
    storage, calls = MemoryMediaFileStorage("/media"), list[tuple[bytes, str, str]]()

    def download_button(self: DeltaGenerator, label: str, content: Any, name: str, kind: str, **more: Any) -> None:
        calls.append((content() if callable(content) else content, kind, name))

    monkeypatch.setattr(DeltaGenerator, "download_button", download_button)
    for tab in ("one", "two", "one"):
        monkeypatch.setattr(show, "_tab", lambda tab=tab: tab)
        app = AppTest.from_function(page_of_large_files, default_timeout=60).run()
        assert not app.exception, app.exception
    ids = [storage.load_and_get_id(content, kind, MediaFileKind.DOWNLOADABLE, name) for content, kind, name in calls]
    assert len({content for content, *_ in calls}) == 2
    assert [storage.get_file(each).content for each in ids] == [content for content, *_ in calls]
    once, again = ids[:4], ids[8:]
    assert len({*ids[:8]}) == 8, "within a session and between two"
    assert (once[0], once[2]) == (again[0], again[2]), "bytes that are the same are stored once"
    assert not {once[1], once[3]} & {again[1], again[3]}, "what is made may be made of other data in the next run"
    assert {show.kind_and_owner(kind) for _, kind, _ in calls} == {("text/csv", "one"), ("text/csv", "two")}


def test_no_other_file_of_the_pages_makes_a_download():
    """Else some downloads would not ask how a CSV is written, and would draw the page again."""
    makers = [file for file in (ROOT / "pages").rglob("*.py") if "download_button(" in file.read_text(encoding="utf-8")]
    assert [file.relative_to(ROOT).as_posix() for file in makers] == ["pages/shared/show.py"]
