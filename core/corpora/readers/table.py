"""A table of texts: which column is what, by the names people use and by what the cells hold, and the corpus they make."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

import pandas as pd

from ...arrays import Singles, record
from ...errors import InputError, SettingError
from ...formats import counted, first_few
from ..corpus import MOST_DOCUMENTS, Corpus, make_corpus
from .files import MOST_CELLS, MOST_COLUMNS
from .roles import USUAL_NAMES, guessed_roles, list_columns, plain_name
from .source import CORPUS, Expected

SIDES = ("train", "test")
PREVIEW_ROWS = 20
PREVIEW_LENGTH = 200
TOPIC_SOURCE, FOUND = "topic_source", "found"  # a column, and its cells, of files with topics that were found


@record
class Table:
    """Every value as the text it was; `vectors` are the columns of numbers, `left_out` those we cannot use.

    `roles` maps 'text', 'topic', 'author', 'split', 'id' and 'vectors' to a guessed column or None.
    `lists` maps columns whose cells hold several names to what separates these.
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
    vectors: Mapping[str, Singles]
    left_out: Mapping[str, str]
    lists: Mapping[str, str]


def make_table(
    name: str,
    format: str,
    columns: Mapping[str, Sequence[str]],
    *,
    encoding: str = "UTF-8",
    notes: Sequence[str] = (),
    vectors: Mapping[str, Singles] | None = None,
    left_out: Mapping[str, str] | None = None,
    expected: Expected = CORPUS,
) -> Table:
    """Join columns of equal length into a Table and guess their roles."""
    vectors, left_out = vectors or {}, left_out or {}
    names = (*columns, *vectors)
    if len(names) < 2 and not alone_enough(names):
        remedy = expected.remedy_or("a column of texts and one of topics are needed")
        raise InputError(f"{name}: only {counted(len(names), 'usable column')}; {remedy}.")
    rows = len(next(iter(columns.values()), ()))
    if rows == 0:
        remedy = expected.remedy_or("the file has no rows below its header")
        raise InputError(f"{name}: no {expected.rows}; {remedy}.")
    refuse_too_large(name, rows, len(names))
    frame = pd.DataFrame({column: pd.Series(list(values), dtype=object) for column, values in columns.items()})
    shown = [list(map(_short, values[:PREVIEW_ROWS])) for values in columns.values()]
    shown += [[_short_vector(row) for row in matrix[:PREVIEW_ROWS]] for matrix in vectors.values()]
    preview, roles = tuple(zip(*shown, strict=True)), guessed_roles(columns, list(vectors))
    notes = (*notes, *(f"Column '{column}' is left out: it holds {why}." for column, why in left_out.items()))
    return Table(
        name=name,
        format=format,
        encoding=encoding,
        columns=names,
        rows=rows,
        preview=preview,
        roles=roles,
        notes=notes,
        frame=frame,
        vectors=dict(vectors),
        left_out=dict(left_out),
        lists=list_columns(columns),
    )


def alone_enough(names: Sequence[str]) -> bool:
    """Whether a single column is called what texts are: its topics are to be found."""
    return len(names) == 1 and plain_name(names[0]) in USUAL_NAMES["text"]


def refuse_too_large(name: str, rows: int, columns: int) -> None:
    """Stop before a table, were it of empty cells, fills the memory."""
    if rows > MOST_DOCUMENTS:
        raise InputError(f"{name}: more than {MOST_DOCUMENTS:,} rows; draw a sample first.")
    if columns > MOST_COLUMNS:
        raise InputError(f"{name}: {columns:,} columns; at most {MOST_COLUMNS} are read. Keep those that are needed.")
    if rows * columns > MOST_CELLS:
        raise InputError(f"{name}: {rows:,} rows of {columns} columns are too many; keep the columns that are needed.")


def table_corpus(
    table: Table,
    *,
    text: str,
    topic: str | None,
    author: str | None = None,
    id: str | None = None,
    split: str | None = None,
    vectors: str | None = None,
) -> Corpus:
    """The corpus that the named columns make; rows in messages are data rows, the first below the header being 1.

    Without a topic column the documents have none, until some are found.
    """
    taken: dict[str, str] = {}
    for role, column in {"text": text, "topic": topic, "author": author, "id": id, "split": split}.items():
        if column is not None and taken.setdefault(column, role) != role:
            raise SettingError(
                f"Column '{column}' cannot be both the {taken[column]} and the {role}; choose two columns."
            )
    return make_corpus(
        _values(table, text, "text"),
        None if topic is None else _values(table, topic, "topic"),
        authors=None if author is None else _values(table, author, "author"),
        ids=None if id is None else _values(table, id, "id"),
        splits=None if split is None else _values(table, split, "split"),
        vectors=None if vectors is None else _matrix(table, vectors),
        found=topic is not None and _found(table),
        name=table.name,
    )


def check_split(table: Table, column: str) -> None:
    """Refuse a column that does not part the documents into 'train' and 'test', and say what it holds instead."""
    held = Counter(cell.strip().lower() for cell in _values(table, column, "split"))
    other = {label: rows for label, rows in held.items() if label not in SIDES}
    remedy = "or name another column with --split"
    if other:
        said = [f"{repr(label) if label else 'nothing'} in {counted(rows, 'row')}" for label, rows in other.items()]
        raise InputError(
            f"{table.name}: column '{column}' holds {first_few(said, 5)}; write 'train' or 'test' into every row, leave out "
            f"rows that are neither, {remedy}."
        )
    if len(held) == 1:
        raise InputError(
            f"{table.name}: column '{column}' holds '{next(iter(held))}' in every row; label some 'train' and some 'test', {remedy}."
        )


def _found(table: Table) -> bool:
    """Whether the file says of itself that its topics were found, as Leakscope writes it."""
    return TOPIC_SOURCE in table.frame.columns and set(table.frame[TOPIC_SOURCE]) == {FOUND}


def _values(table: Table, column: str, role: str) -> list[str]:
    if column in table.frame.columns:
        return list(table.frame[column])
    if column in table.vectors:
        raise InputError(f"{table.name}: column '{column}' holds vectors, so it cannot be the {role}; choose another.")
    raise _absent(table, column, role, table.frame.columns)


def _matrix(table: Table, column: str) -> Singles:
    if column in table.vectors:
        return table.vectors[column]
    if column in table.frame.columns:
        remedy = "give each row a list of equally many numbers"
        raise InputError(f"{table.name}: column '{column}' holds no vectors; {remedy}.")
    raise _absent(table, column, "vectors", table.vectors)


def _absent(table: Table, column: str, role: str, usable: Iterable[object]) -> InputError:
    if column in table.left_out:
        fact = f"column '{column}' holds {table.left_out[column]}, so it cannot be the {role}"
        return InputError(f"{table.name}: {fact}; turn it into plain text first.")
    names = [str(name) for name in usable]
    near = get_close_matches(column, names, n=1) or [guess for guess in [table.roles.get(role)] if guess]
    hint = f" Did you mean '{near[0]}'?" if near else ""
    there = ", ".join(f"'{name}'" for name in names[:30]) or "none"
    fact = f"there is no column '{column}' for the {role}.{hint}"
    return InputError(f"{table.name}: {fact} Name one of the columns there are: {there}.")


def _short(value: str) -> str:
    return value if len(value) <= PREVIEW_LENGTH else value[: PREVIEW_LENGTH - 1] + "…"


def _short_vector(row: Singles) -> str:
    return ", ".join(f"{value:.3g}" for value in row[:3]) + f" … ({len(row)} numbers)"
