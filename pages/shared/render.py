"""Answers on a page: the headline first, then numbers, figures and tables."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.render import Answer, Drawing, Fact, JudgedPart, Rows
from pages.shared import show
from pages.shared.show import Csv, escaped

LOOKS = {
    "good": ("green", ":material/check_circle:"),
    "warning": ("orange", ":material/error:"),
    "bad": ("red", ":material/warning:"),
    "neutral": ("blue", ":material/info:"),
    "unknown": ("violet", ":material/help:"),
}


def headline(answer: Answer, place: DeltaGenerator | None = None) -> None:
    """Draw the headline in the colour of its level, its reasons and its cautions."""
    where = place or st.container(border=True)
    colour, icon = LOOKS[answer.level]
    where.subheader(f":{colour}[{icon}] {escaped(answer.headline)}", anchor=False)
    if answer.lines:
        where.markdown("  \n".join(_line(each) for each in answer.lines))
    if answer.reasons:
        where.markdown("  \n".join(escaped(reason) for reason in answer.reasons))
    if answer.cautions:
        where.markdown(
            "  \n".join(f":orange[:material/priority_high:] {escaped(each.text)}" for each in answer.cautions)
        )


def _line(each: JudgedPart) -> str:
    colour, icon = LOOKS[each.level]
    return f":{colour}[{icon}] **{each.label}.** {escaped(each.text)}"


def facts(answer: Answer, *, columns: int | None = None, cards: int | None = None) -> None:
    """Draw the answer's numbers as cards: in one row, or in this many columns; those after the first `cards` as a line."""
    if not answer.facts:
        return
    first, rest = answer.facts[:cards], answer.facts[cards:] if cards else ()
    row = st.grid(columns or len(first), min_column_width=130 if columns else 150)
    for each in first:
        show.card(row, each.label, each.value, each.note, help=each.help or None)
    facts_line(rest)


def facts_line(found: Sequence[Fact]) -> None:
    """Draw numbers as one line of small print."""
    if found:
        st.caption(
            " · ".join(f"{escaped(each.label)}: **{escaped(each.value)}** {escaped(each.note)}" for each in found)
        )


def figure(drawing: Drawing, *, title: bool = True) -> None:
    """Draw one figure under its title, with its caption."""
    if title:
        st.markdown(f"**{drawing.title}**")
    show.figure(drawing.figure, key=drawing.name, alt=drawing.alt)
    if drawing.caption:
        st.caption(drawing.caption)


def figures(answer: Answer, *names: str) -> None:
    """Draw figures side by side: those named, or all."""
    chosen = [answer.figure(name) for name in names] or list(answer.figures)
    if not chosen:
        return
    row = st.grid(min(2, len(chosen)), min_column_width=360, gap="medium")
    for drawing in chosen:
        with row.cell():
            figure(drawing)


def table(rows: Rows, *, stem: str | None = None) -> None:
    """Draw a table with its CSV file; the file's values are not rounded."""
    name = stem or rows.name
    show.table(
        rows.frame,
        alt=rows.title,
        precision=rows.precision,
        formats={column: f"{{:{form}}}" for column, form in rows.formats.items()},
        csv=Csv("Download CSV", f"{name}.csv", f"csv_{name}"),
    )
    if rows.note:
        st.caption(rows.note)


def tables(answer: Answer) -> None:
    """Draw every table of the answer, each closed until it is asked for."""
    for rows in answer.tables:
        closed_table(rows)


def closed_table(rows: Rows) -> None:
    """Draw a table behind its title; nothing where it has no rows."""
    if len(rows.frame):
        with st.expander(f"{rows.title} ({len(rows.frame):,})", icon=":material/table_rows:"):
            table(rows)


def next_steps(answer: Answer) -> None:
    """Draw what to do next."""
    if answer.next_steps:
        st.markdown("**What to do**\n\n" + "\n".join(f"- {escaped(step)}" for step in answer.next_steps))
