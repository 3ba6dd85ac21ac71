"""Answers on a page: the headline first, then numbers, figures and tables."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.formats import counted
from core.render import Answer, Drawing, Fact, JudgedPart, Rows
from pages.shared import show
from pages.shared.show import Csv, escaped, literal

LOOKS = {
    "good": ("green", ":material/check_circle:"),
    "warning": ("orange", ":material/error:"),
    "bad": ("red", ":material/warning:"),
    "neutral": ("blue", ":material/info:"),
    "unknown": ("violet", ":material/help:"),
}

MOST_LINES = 3  # under a headline; more stand behind a button
MOST_CARDS = 3  # in the first row


def headline(answer: Answer, place: DeltaGenerator | None = None) -> None:
    """Draw the headline in the colour of its level, with its number, its reasons and its cautions."""
    where = place or st.container(border=True)
    colour, icon = LOOKS[answer.level]
    if answer.hero is not None:
        number, where = where.columns([1, 3], vertical_alignment="center", gap="medium")
        hero, value = answer.hero, f":{colour}[{escaped(answer.hero.value)}]"  # style.css draws coloured values large
        number.metric(
            hero.label, value, hero.note or None, delta_color="off", delta_arrow="off", help=hero.help or None
        )
    where.subheader(f":{colour}[{icon}] {escaped(answer.headline)}", anchor=False)
    reasons = [*map(_line, answer.lines), *map(escaped, answer.reasons)]
    said = [*reasons, *(f":orange[:material/priority_high:] {escaped(each.text)}" for each in answer.cautions)]
    if said:
        where.markdown("  \n".join(said[:MOST_LINES]))
    if rest := said[MOST_LINES:]:
        what = "more caution" if len(reasons) <= MOST_LINES else "more note"
        where.popover(counted(len(rest), what), icon=":material/priority_high:").markdown("  \n".join(rest))


def _line(each: JudgedPart) -> str:
    colour, icon = LOOKS[each.level]
    return f":{colour}[{icon}] **{each.label}.** {escaped(each.text)}"


def facts(answer: Answer, *, columns: int | None = None, most: int | None = None) -> None:
    """Draw the answer's numbers as three cards, side by side or in this many columns, and the rest as a line; `most`: no more."""
    shown = answer.hero and (answer.hero.label, answer.hero.value)
    numbers = [each for each in answer.facts if (each.label, each.value) != shown][:most]
    if not numbers:
        return
    row = st.grid(columns or min(len(numbers), MOST_CARDS), min_column_width=150)
    for each in numbers[:MOST_CARDS]:
        show.card(row, each.label, each.value, each.note, help=each.help or None)
    facts_line(numbers[MOST_CARDS:])


def facts_line(found: Sequence[Fact]) -> None:
    """Draw numbers as one line of small print."""
    if found:
        about = [f"- **{escaped(each.label)}**: {literal(each.help)}" for each in found if each.help]
        st.caption(
            " · ".join(
                f"{escaped(each.label)}: **{escaped(each.value)}** {escaped(_aside(each.note))}" for each in found
            ),
            help="\n".join(about) or None,
        )


def _aside(note: str) -> str:
    """Put a note with numbers of its own in brackets: beside a value they would run into it."""
    return f"({note})" if any(map(str.isdigit, note)) and not note.startswith("of ") else note


def chart_title(title: str, about: str = "") -> None:
    """Draw the title of a chart; how to read it stands behind an info mark."""
    st.markdown(f"**{escaped(title)}**", help=literal(about) or None)


def figure(drawing: Drawing, *, title: bool = True) -> None:
    """Draw one figure under its title."""
    if title:
        chart_title(drawing.title, drawing.caption)
    show.figure(drawing.figure, key=drawing.name, alt=drawing.alt)
    if not title and drawing.caption:
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


def table(rows: Rows) -> None:
    """Draw a table with its CSV file; the file's values are not rounded."""
    show.table(
        rows.frame,
        alt=rows.title,
        precision=rows.precision,
        formats={column: f"{{:{form}}}" for column, form in rows.formats.items()},
        csv=Csv("Download CSV", f"{rows.name}.csv", f"csv_{rows.name}"),
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
