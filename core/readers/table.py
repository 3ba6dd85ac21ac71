"""A table as it was read, a guess at what its columns mean, and the corpus they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.corpus import Corpus, make_corpus
from core.errors import InputError, SettingError
from core.readers.guessing import guessed_roles
from core.readers.limits import MOST_CELLS, MOST_COLUMNS

PREVIEW_ROWS = 20
PREVIEW_LENGTH = 200


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Every value as the text it was; `vectors` are the columns of numbers, `left_out` those we cannot use.

    `roles` maps 'text', 'topic', 'author', 'split', 'id' and 'vectors' to a guessed column or None.
    `notes` are sentences for the user about what was done to the header.
    """

    name: str
    format: str
    encoding: str
    columns: tuple[str, ...]
    rows: int
    preview: tuple[tuple[str, ...], ...]
    roles: Mapping[str, str | None]
    notes: tuple[str, ...]
    frame: pd.DataFrame
    vectors: Mapping[str, NDArray[np.float32]]
    left_out: Mapping[str, str]


def make_table(
    name: str,
    format: str,
    columns: Mapping[str, Sequence[str]],
    *,
    encoding: str = "UTF-8",
    notes: Sequence[str] = (),
    vectors: Mapping[str, NDArray[np.float32]] | None = None,
    left_out: Mapping[str, str] | None = None,
) -> Table:
    """Join columns of equal length into a Table and guess their roles."""
    vectors, left_out = vectors or {}, left_out or {}
    names = (*columns, *vectors)
    if len(names) < 2:
        raise InputError(f"{name}: only {len(names)} usable column(s); a column of texts and one of topics are needed.")
    rows = len(next(iter(columns.values()), ()))
    if rows == 0:
        raise InputError(f"{name}: no documents; the file has no rows below its header.")
    refuse_too_wide(name, rows, len(names))
    frame = pd.DataFrame({column: pd.Series(list(values), dtype=object) for column, values in columns.items()})
    shown = [list(map(_short, values[:PREVIEW_ROWS])) for values in columns.values()]
    shown += [[_short_vector(row) for row in matrix[:PREVIEW_ROWS]] for matrix in vectors.values()]
    notes = (*notes, *(f"Column '{column}' is left out: it holds {why}." for column, why in left_out.items()))
    return Table(
        name,
        format,
        encoding,
        names,
        rows,
        tuple(zip(*shown, strict=True)),
        guessed_roles(columns, list(vectors)),
        notes,
        frame,
        dict(vectors),
        dict(left_out),
    )


def refuse_too_wide(name: str, rows: int, columns: int) -> None:
    """Stop before a table of empty cells fills the memory."""
    if columns > MOST_COLUMNS:
        raise InputError(f"{name}: {columns:,} columns; at most {MOST_COLUMNS} are read. Keep those that are needed.")
    if rows * columns > MOST_CELLS:
        raise InputError(f"{name}: {rows:,} rows of {columns} columns are too many; keep the columns that are needed.")


def table_corpus(
    table: Table,
    *,
    text: str,
    topic: str,
    author: str | None = None,
    id: str | None = None,
    split: str | None = None,
    vectors: str | None = None,
) -> Corpus:
    """The corpus that the named columns make; rows in messages are data rows, the first below the header being 1."""
    if text == topic:
        raise SettingError(f"Column '{text}' cannot be both the text and the topic; choose two columns.")
    return make_corpus(
        _values(table, text, "text"),
        _values(table, topic, "topic"),
        authors=None if author is None else _values(table, author, "author"),
        ids=None if id is None else _values(table, id, "id"),
        splits=None if split is None else _values(table, split, "split"),
        vectors=None if vectors is None else _matrix(table, vectors),
        name=table.name,
    )


def _values(table: Table, column: str, role: str) -> list[str]:
    if column in table.frame.columns:
        return list(table.frame[column])
    if column in table.vectors:
        raise InputError(f"{table.name}: column '{column}' holds vectors, so it cannot be the {role}; choose another.")
    raise _absent(table, column, role, table.frame.columns)


def _matrix(table: Table, column: str) -> NDArray[np.float32]:
    if column in table.vectors:
        return table.vectors[column]
    if column in table.frame.columns:
        raise InputError(
            f"{table.name}: column '{column}' holds no vectors; give each row a list of equally many numbers."
        )
    raise _absent(table, column, "vectors", table.vectors)


def _absent(
    table: Table, column: str, role: str, usable: Sequence[str] | pd.Index | Mapping[str, object]
) -> InputError:
    if column in table.left_out:
        return InputError(
            f"{table.name}: column '{column}' holds {table.left_out[column]}, so it cannot be the {role}; "
            "turn it into plain text first."
        )
    names = [str(name) for name in usable]
    near = get_close_matches(column, names, n=1) or [guess for guess in [table.roles.get(role)] if guess]
    hint = f" Did you mean '{near[0]}'?" if near else ""
    there = ", ".join(f"'{name}'" for name in names[:30]) or "none"
    return InputError(
        f"{table.name}: there is no column '{column}' for the {role}.{hint} Name one of the columns there are: {there}."
    )


def _short(value: str) -> str:
    return value if len(value) <= PREVIEW_LENGTH else value[: PREVIEW_LENGTH - 1] + "…"


def _short_vector(row: NDArray[np.float32]) -> str:
    return ", ".join(f"{value:.3g}" for value in row[:3]) + f" … ({len(row)} numbers)"
