"""What a report is made of: a section a page, with its answer in words, its figures, its tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from ..arrays import record
from ..plots import style

MOST_ROWS = 40  # of a table on paper; the rest is counted


@record
class Drawing:
    """A figure under its title, and small print."""

    title: str
    figure: go.Figure
    caption: str = ""

    @property
    def alt(self) -> str:
        """What the figure shows in words."""
        return style.alt_of(self.figure)


@record
class Table:
    """A table of words, a row a line; `left_out` rows are not in it, and `note` is small print."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0
    note: str = ""


@record
class Section:
    """One page's answer: the question, the sentence, what keeps one from making more of it, and what shows it.

    `settings` are those of the page alone, seeds among them.
    """

    page: str
    title: str
    answer: str
    cautions: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    drawings: tuple[Drawing, ...] = ()
    tables: tuple[Table, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()


def table(title: str, columns: Mapping[str, Sequence[Any]], *, most: int = MOST_ROWS, note: str = "") -> Table:
    """A table from columns by name, cut to `most` rows."""
    rows = list(zip(*columns.values(), strict=True))
    shown = tuple(tuple(str(cell) for cell in row) for row in rows[:most])
    return Table(title, tuple(columns), shown, len(rows) - len(shown), note)
