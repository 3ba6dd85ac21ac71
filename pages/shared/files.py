"""Downloads: one button for every file, tables as CSV, documents in every format."""

import hashlib
import mimetypes
import re
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.topics import FORMATS

_FORMULA = (*"=+-@＝＋－＠\t\r\n",)  # what spreadsheets compute; wide signs where East Asian ones are set
_NUMBER = re.compile(r"[+-]?\d[\d.,]*(?:[eE][+-]?\d+)?\s?%?")  # a number as text is a number still
_OWNED = "{kind}; owner={owner}; content={content}"  # the type of a download, as Streamlit keeps it


def offer(
    place: DeltaGenerator,
    label: str,
    content: bytes | Callable[[], bytes | str],
    name: str,
    *,
    key: str | None = None,
    icon: str = ":material/download:",
    **look: Any,
) -> None:
    """Draw the button of a download; a function makes the file on a click. The page is not drawn again."""
    kind = _OWNED.format(
        kind=mimetypes.guess_type(name)[0] or "application/octet-stream", owner=_tab(), content=_mark(content)
    )
    # By its key alone the button stays the same one from run to run; its mark is another each time.
    place.download_button(label, content, name, kind, icon=icon, key=key or name, on_click="ignore", **look)


def _mark(content: bytes | Callable[[], bytes | str]) -> str:
    """Return what tells this file from every other of its session.

    Streamlit addresses a file above 1 MiB by its length, three samples of 64 KiB, its name and its type, and keeps the first
    of an address: two files that differ elsewhere would be one (docs/decisions.md).
    """
    return secrets.token_hex(16) if callable(content) else hashlib.sha256(content).hexdigest()


def _tab() -> str:
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def kind_and_owner(kind: str) -> tuple[str, str | None]:
    """Return the plain type of a file that `offer` made, and the session it belongs to; None where it made no such file."""
    found = re.fullmatch(r"(.*?); owner=(.*); content=[0-9a-f]+(; charset=.*)?", kind)
    return (found[1] + (found[3] or ""), found[2]) if found else (kind, None)


def table(frame: pd.DataFrame, label: str, name: str, *, key: str | None) -> None:
    """A table as a CSV file, and beside it how that is written: safe for spreadsheets until one says otherwise."""
    row = st.container(horizontal=True, vertical_alignment="center", gap="xxsmall")
    button = row.empty()
    safe = _safe_for_spreadsheets(row, key=f"safe_{key or name}", default=True)
    offer(button, label, lambda: csv_file(frame, safe=safe), name, key=key)


def documents(
    frame: Callable[[], pd.DataFrame],
    *,
    stem: str,
    key: str,
    label: str = "Documents",
    settings: Callable[[], bytes] | None = None,
) -> None:
    """Documents in every format and the settings that made them, where there are any; and beside them how a CSV is
    written: as the data are until one asks for one that is safe for spreadsheets."""
    row = st.container(horizontal=True, vertical_alignment="center")
    buttons = {format: row.empty() for format in FORMATS}
    if settings is not None:
        name = f"{stem}.settings.json"
        offer(row, "Settings (json)", settings, name, key=f"{key}_settings", icon=":material/settings:")
    safe = _safe_for_spreadsheets(row, key=f"safe_{key}", default=False)

    def content(format: str) -> bytes:
        return csv_file(frame(), safe=safe) if format == "csv" else FORMATS[format](frame())

    for format, button in buttons.items():
        offer(button, f"{label} ({format})", partial(content, format), f"{stem}.{format}", key=f"{key}_{format}")


def csv_file(frame: pd.DataFrame, *, safe: bool) -> bytes:
    """Return a table as CSV; `safe` puts an apostrophe before headings and texts that a spreadsheet would compute."""
    if safe:
        frame = frame.rename(columns=_as_text)
        for column, kind in enumerate(frame.dtypes):
            if not pd.api.types.is_numeric_dtype(kind):
                texts: Any = pd.Series([_as_text(cell) for cell in frame.iloc[:, column]], frame.index, object)
                frame.isetitem(column, texts)
    return FORMATS["csv"](frame)


def _as_text(cell: object) -> object:
    if not isinstance(cell, str) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}" if cell.startswith(_FORMULA) or cell.lstrip().startswith(_FORMULA) else cell


def _safe_for_spreadsheets(place: DeltaGenerator, *, key: str, default: bool) -> bool:
    """Ask whether what a spreadsheet would compute is marked as text: yes for a table to look at, no for data."""
    with place.popover(":material/more_vert:", type="tertiary", help="CSV options"):
        return st.checkbox(
            "Safe for spreadsheets",
            default,
            key=key,
            help="Spreadsheets run texts that begin with =, +, − or @ as formulas, which can do harm. This puts an apostrophe before "
            "them. Turn it off if a program reads the file.",
        )
