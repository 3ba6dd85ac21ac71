"""What every page shows in one way: figures, tables with their downloads, refusals, notes, texts.

Whatever may quote a user's file (sentences, labels, texts) is shown word for word, never read as mark-up.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.topics import TopicSpace

QUIET = {"displayModeBar": False}
LONGEST_SHOWN = 4_000  # characters of one text; a page of long documents must stay readable


def literal(sentence: str) -> str:
    """A sentence whose marks for links, images, formulas and emphasis are taken as they stand."""
    return re.sub(r"([\\`*_\[\]<>~$|])", r"\\\1", sentence)


def escaped(label: str) -> str:
    """A user's label inside markdown: every mark that could start formatting is taken literally."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~:$&@])", r"\\\1", " ".join(label.split()))


def refuse(problem: Exception | str, *, icon: str = ":material/error:") -> None:
    """Say why something was not done."""
    st.error(literal(str(problem)), icon=icon)


def warn(problem: Exception | str) -> None:
    """Say why a part of something was not done."""
    st.warning(literal(str(problem)), icon=":material/warning:")


def notes(sentences: Iterable[str]) -> None:
    """Remarks in small print, a line each."""
    for sentence in sentences:
        st.caption(escaped(sentence))


def figure(
    drawn: go.Figure,
    *,
    key: str,
    alt: str,
    on_select: Callable[[], None] | Literal["rerun", "ignore"] = "ignore",
    selection_mode: Any = "points",
    config: Mapping[str, Any] = QUIET,
) -> Any:
    """A figure without plotly's tool bar; what is selected in it comes back where that is asked for."""
    return st.plotly_chart(
        drawn, key=key, alt=alt, on_select=on_select, selection_mode=selection_mode, config=dict(config)
    )


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
    """A table without row numbers; numbers rounded to `precision` where given, and a CSV of the unrounded ones."""
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows)
    shown: Any = frame
    if precision is not None:
        shown = frame.style.format(precision=precision, na_rep=absent)
        for column, format in (formats or {}).items():
            shown = shown.format(format, subset=[column])
    selected = st.dataframe(shown, hide_index=True, alt=alt, **more)
    if csv is not None:
        download(frame, csv)
    return selected


def download(frame: pd.DataFrame, csv: Csv) -> None:
    """A table as a CSV file, written when it is asked for."""
    st.download_button(
        csv.label,
        lambda: frame.to_csv(index=False),
        csv.file,
        "text/csv",
        icon=":material/download:",
        key=csv.key,
    )


def card(where: DeltaGenerator, label: str, value: str, below: str, *, help: str | None = None) -> None:
    """A number with a remark under it, as high as its neighbours."""
    where.metric(label, value, below, delta_color="off", delta_arrow="off", border=True, height="stretch", help=help)


def one_document(corpus: Corpus, row: int) -> None:
    """One text under its id, topic and author."""
    author = ""
    if corpus.author_names is not None and corpus.author_codes is not None:
        author = f" · {escaped(corpus.author_names[corpus.author_codes[row]])}"
    topic = escaped(corpus.topic_names[corpus.topic_codes[row]])
    st.markdown(f"**{escaped(corpus.ids[row])}** · {topic}{author}")
    text = corpus.texts[row]
    st.text(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + " …")


def unplaced_topics(space: TopicSpace) -> None:
    """The topics that cannot be placed, with their documents and the reason."""
    found = space.unplaced
    if not found:
        return
    documents = int(space.sizes[~space.placed].sum())
    title = f"{len(found)} of {len(space)} topics cannot be placed ({documents:,} documents)"
    with st.expander(title, icon=":material/location_off:"):
        table(
            [
                {"topic": space.names[each.topic], "documents": int(space.sizes[each.topic]), "reason": each.reason}
                for each in found
            ],
            alt="Topics that cannot be placed, and why",
        )
