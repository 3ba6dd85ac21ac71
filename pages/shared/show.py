"""What every page shows in one way: figures, tables, downloads, refusals, notes, texts.

Whatever may quote a user's file (sentences, labels, texts) is shown word for word, never read as mark-up.
"""

import hashlib
import mimetypes
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.corpora import Corpus
from core.formats import counted
from core.plots import style
from core.questions import incomparable_records
from core.topics import FORMATS, TopicPoints, TopicSpace

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


def table_file(frame: pd.DataFrame, label: str, name: str, *, key: str | None) -> None:
    """Offer a table as a CSV file, safe for spreadsheets unless the menu beside it is changed."""
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
    """Offer documents in every format with the settings that made them. A menu decides how a CSV is
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


# Of plotly's tools only the picture stays, seen while the pointer is on the figure.
TOOLS = ("zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d", "select2d", "lasso2d")
QUIET = {"modeBarButtonsToRemove": TOOLS}
# Word for word the same for everyone, so that a policy on scripts can name it by its hash (docs/hosting.md).
SCRIPT = (Path(__file__).parent / "figures.js").read_text(encoding="utf-8")
LONG_NAME, LONG_TEXT = 30, 150  # characters: what is longer than a name is a text, and has the room it asks for
LONGEST_SHOWN = 4_000  # characters of one text; a page of long documents must stay readable


def literal(sentence: str) -> str:
    """Return a sentence whose marks for links, images, formulas and emphasis are taken as they stand."""
    return re.sub(r"([\\`*_\[\]<>~$|])", r"\\\1", sentence)


def escaped(label: str) -> str:
    """Return a user's label inside markdown: every mark that could start formatting is taken literally."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~:$&@])", r"\\\1", " ".join(label.split()))


def refuse(problem: Exception | str, *, icon: str = ":material/error:") -> None:
    """Say why something was not done."""
    st.error(literal(str(problem)), icon=icon)


def warn(problem: Exception | str) -> None:
    """Say why a part of something was not done."""
    st.warning(literal(str(problem)), icon=":material/warning:")


def notes(sentences: Iterable[str]) -> None:
    """Show remarks in small print, one per line."""
    for sentence in sentences:
        st.caption(escaped(sentence))


def figure(
    drawn: go.Figure,
    *,
    key: str,
    alt: str | None = None,
    on_select: Callable[[], None] | Literal["rerun", "ignore"] = "ignore",
    selection_mode: Any = "points",
    config: Mapping[str, Any] = QUIET,
) -> Any:
    """Draw a figure that can be downloaded as PNG and SVG; what is selected in it comes back where that is asked for.

    It says itself what it shows; `alt` says it where that depends on what a page has chosen.
    """
    picture = {"format": "png", "scale": 2, "filename": f"leakscope_{key}"}
    return st.plotly_chart(
        drawn,
        key=key,
        alt=alt or style.alt_of(drawn),
        on_select=on_select,
        selection_mode=selection_mode,
        config={"displaylogo": False, "toImageButtonOptions": picture} | dict(config),
    )


def figure_formats() -> None:
    """Let every figure be taken away as SVG too; plotly's own button makes PNG."""
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)


@dataclass(frozen=True, slots=True)
class Csv:
    """The download under a table: its button and its file."""

    label: str
    file: str
    key: str | None = None


def table(
    rows: pd.DataFrame | list[dict[str, Any]],
    *,
    alt: str,
    precision: int | None = None,
    absent: str = "–",
    formats: Mapping[str, Any] | None = None,
    csv: Csv | None = None,
    **more: Any,
) -> Any:
    """Draw a table without row numbers; numbers rounded to `precision` where given, and a CSV of the unrounded ones.

    Without one is only what the user has brought, what is no finding, and what has a file of its own: csv=None marks it.
    """
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows)
    shown: Any = frame
    if precision is not None:
        filled = _without_gaps(frame, precision, formats or {}, absent)
        fractions = [column for column in filled.columns if pd.api.types.is_float_dtype(filled[column])]
        given = dict.fromkeys(fractions, f"{{:.{precision}f}}") | dict(formats or {})
        spoken: Any = {column: partial(_said, form) for column, form in given.items() if not frame[column].isna().any()}
        shown = filled.style.format(spoken, precision=precision)
    widths = {name: st.column_config.Column(width="medium") for name in _of_long_names(frame)}
    more["column_config"] = widths | dict(more.get("column_config") or {})
    selected = st.dataframe(shown, hide_index=True, alt=alt, **more)
    if csv is not None:
        download(frame, csv)
    return selected


def _of_long_names(frame: pd.DataFrame) -> list[str]:
    """Return the columns whose longest entry is a long name: as wide as that, each would hide the columns beside it."""
    texts = frame.head(1000).select_dtypes(exclude="number")
    longest = {name: texts.iloc[:, at].astype(str).str.len().max() for at, name in enumerate(texts) if len(texts)}
    return [str(name) for name, length in longest.items() if LONG_NAME < length <= LONG_TEXT]


def _without_gaps(frame: pd.DataFrame, precision: int, formats: Mapping[str, Any], absent: str) -> pd.DataFrame:
    """Return the table with every column that misses a value as text: Streamlit shows a missing number as None, whatever the style."""
    gaps = [column for column in frame.columns if frame[column].isna().any()]
    texts = {
        column: [
            absent if pd.isna(cell) else _said(formats.get(column, f"{{:.{precision}f}}"), cell)
            for cell in frame[column]
        ]
        for column in gaps
    }
    return frame.assign(**texts)


def _said(form: Any, cell: Any) -> str:
    """Return a cell as text, a number with a true minus sign as in sentences."""
    if isinstance(cell, str):
        return cell
    return str(form(cell) if callable(form) else form.format(cell)).replace("-", "−")


def download(frame: pd.DataFrame, csv: Csv) -> None:
    """Offer a table as a CSV file, written when it is asked for, with a menu for its format."""
    table_file(frame, csv.label, csv.file, key=csv.key)


def expander(title: str, *, toggle: str, icon: str) -> DeltaGenerator:
    """Draw a part of a page that is closed until it is asked for: by hand, or by an address in which its toggle is on."""
    state, opened = st.session_state, f"opened {toggle}"
    asked = state[toggle] if toggle in state else st.query_params.get(toggle) == "true"
    # Once open it is left so: switched off again, it must not shut under the hand.
    state[opened] = state.get(opened, False) or bool(asked)
    return st.expander(title, icon=icon, expanded=state[opened])


def card(where: DeltaGenerator, label: str, value: str, below: str, *, help: str | None = None) -> None:
    """Show a number with a remark under it, as high as its neighbours."""
    where.metric(label, value, below, delta_color="off", delta_arrow="off", border=True, height="stretch", help=help)


def one_document(corpus: Corpus, row: int) -> None:
    """Show one text under its id, topic and author."""
    author = ""
    if corpus.author_names is not None and corpus.author_codes is not None:
        author = f" · {escaped(corpus.author_names[corpus.author_codes[row]])}"
    topic = escaped(corpus.topic_names[corpus.topic_codes[row]])
    st.markdown(f"**{escaped(corpus.ids[row])}** · {topic}{author}")
    text = corpus.texts[row]
    st.text(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + " …")


def incomparable_topics(space: TopicSpace | TopicPoints) -> None:
    """List the topics with too few documents to compare, and why."""
    found = space.incomparable
    if not found:
        return
    documents = int(space.sizes[~space.comparable].sum())
    title = (
        f"{len(found):,} of {len(space):,} topics have too few documents to compare ({counted(documents, 'document')})"
    )
    with st.expander(title, icon=":material/location_off:"):
        table(
            [
                row | {"documents": int(space.sizes[each.topic])}
                for row, each in zip(incomparable_records(space), found, strict=True)
            ],
            alt="Topics with too few documents to compare, and why",
            csv=Csv("These topics as CSV", "topics_not_placed.csv"),
        )
