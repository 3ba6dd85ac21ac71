"""An answer on a terminal: made for reading, and plain text where it is piped."""

import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..formats import number, one_line
from .answer import Answer, Rows

if TYPE_CHECKING:
    import pandas as pd

LOOKS = {"good": "green", "warning": "yellow", "bad": "red", "neutral": "blue", "unknown": "magenta"}
PIPED = 160  # characters a line where nobody looks at the width
MOST_ROWS = 10  # of a table, unless all is asked for
GAP = 2  # between columns
MORE = "--all prints everything, --json prints data."


def print_answer(answer: Answer, *, all: bool = False, then: str = "") -> None:
    """Print the headline, what it rests on, its numbers, cautions and what to do next; `then` is a command to try."""
    console = make_console()
    console.print(Text(one_line(answer.headline), style=f"bold {LOOKS[answer.level]}"))
    for each in answer.lines:
        console.print(Text.assemble((f"{each.label}: ", LOOKS[each.level]), one_line(each.text)))
    for reason in answer.reasons:
        console.print(Text(one_line(reason)))
    if answer.facts:
        console.print(_grid((each.label, each.value, each.note) for each in answer.facts))
    shown = [each for each in answer.tables if all or each.lead]
    cut = [print_rows(each, all=all, console=console) for each in shown]
    explained = any(each.name == "warnings" for each in answer.tables)
    for caution in answer.cautions:
        more = f" (leakscope explain {caution.code})" if explained else ""
        console.print(Text.assemble(("! ", "yellow"), one_line(caution.text), (more, "dim")))
    for step in answer.next_steps:
        console.print(Text.assemble(("→ ", "blue"), one_line(step)))
    if then:
        console.print(Text.assemble("Next: ", (one_line(then), "bold")))
    if all and answer.settings:
        console.print(Text("Settings", style="bold"))
        console.print(_grid((label, value, "") for label, value in answer.settings))
    if not all and (any(cut) or len(shown) < len(answer.tables)):
        console.print(Text(MORE, style="dim"))


class _Console(Console):
    """rich's console, but a reader that has seen enough (head, say) is no failure: `run_program` ends quietly."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def make_console() -> Console:
    """Return a console on standard output, wide and without colour where it is piped."""
    # Without a colour system, for rich would still print bold and dim where NO_COLOR is set.
    system: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    console = _Console(highlight=False, emoji=False, soft_wrap=False, color_system=system)
    return console if console.is_terminal else _Console(highlight=False, emoji=False, width=PIPED, no_color=True)


def print_rows(rows: Rows, *, all: bool, console: Console) -> bool:
    """Print a table; return whether some of it is left out."""
    frame = rows.frame
    if not len(frame):
        return False
    part = frame if all else frame.iloc[:MOST_ROWS]
    texts = cell_texts(part, rows)
    blocks = _columns_that_fit(part, texts, console.width)
    for block in blocks if all else blocks[:1]:
        title = Text(one_line(rows.title)) if block is blocks[0] else None
        table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
        for column in (frame.columns[place] for place in block):
            right = getattr(frame[column].dtype, "kind", "O") in "iuf"
            table.add_column(Text(one_line(str(column))), justify="right" if right else "left", overflow="fold")
        for cells in texts:
            table.add_row(*(Text(one_line(cells[place])) for place in block))
        console.print(Padding(table, (1, 0, 0, 0), expand=False))
    if all and rows.note:
        console.print(Text(one_line(rows.note), style="dim"))
    left = len(frame) - len(part)
    if left:
        console.print(Text(f"… {left:,} more", style="dim"))
    return not all and (bool(left) or len(blocks) > 1)


def _columns_that_fit(frame: "pd.DataFrame", texts: list[list[str]], width: int) -> list[list[int]]:
    """Return the places of columns that fit beside each other, in blocks that all begin with the first column."""
    widths = [max(len(str(column)), *(len(row[place]) for row in texts)) for place, column in enumerate(frame.columns)]
    blocks = [[0]]
    used = widths[0]
    for place, needed in enumerate(widths[1:], start=1):
        used += GAP + needed
        if used > width and len(blocks[-1]) > 1:  # at least two, which wrap
            blocks.append([0])
            used = widths[0] + GAP + needed
        blocks[-1].append(place)
    return blocks


def cell_texts(frame: "pd.DataFrame", rows: Rows) -> list[list[str]]:
    """Return a table's cells as text, numbers rounded."""
    return [
        [
            _cell(value, rows.formats.get(str(column), f".{rows.precision}f"))
            for column, value in zip(frame.columns, row, strict=True)
        ]
        for row in frame.itertuples(index=False, name=None)
    ]


def _cell(value: Any, form: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return f"{value:,}"
    return number(float(value), form) if isinstance(value, Real) else str(value)


def _grid(lines: Iterable[tuple[str, str, str]]) -> Padding:
    table, looks = Table.grid(padding=(0, 2)), ("dim", "bold", "dim")
    given = [[one_line(part) for part in line] for line in lines]
    columns = 3 if any(note for *_, note in given) else 2  # an empty one would make the others too narrow
    for line in given:
        table.add_row(*(Text(part, style=look) for part, look in zip(line[:columns], looks, strict=False)))
    return Padding(table, (1, 0, 0, 0), expand=False)
