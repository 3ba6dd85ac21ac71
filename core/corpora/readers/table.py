"""A table of texts: which column is what, by the names people use and by what the cells hold, and the corpus they make."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

import pandas as pd

from ...arrays import Singles, record
from ...errors import InputError, SettingError
from ..corpus import MOST_DOCUMENTS, Corpus, make_corpus
from .files import MOST_CELLS, MOST_COLUMNS
from .source import CORPUS, Expected

PREVIEW_ROWS = 20
PREVIEW_LENGTH = 200
_SAMPLE = 5_000  # rows looked at; more change no guess
USUAL_NAMES: dict[str, tuple[str, ...]] = {
    "text": (
        "text", "texts", "body", "content", "contents", "document", "article", "post", "message", "review",
        "abstract", "story", "comment", "tweet", "sentence", "plaintext", "rawtext", "fulltext",
    ),
    "topic": (
        "topic", "topics", "category", "categories", "label", "class", "fandom", "subject", "section", "newsgroup",
        "group", "genre", "domain", "theme", "subreddit", "target", "tag", "field",
    ),
    "author": (
        "author", "authors", "authorid", "authorname", "writer", "user", "userid", "username", "from", "by",
        "byline", "speaker", "poster", "sender", "name",
    ),
    "split": ("split", "subset", "partition", "set", "fold"),
    "id": ("id", "docid", "documentid", "textid", "uid", "uuid", "key", "index", "doc", "filename", "file", "path"),
}  # fmt: skip
_NEVER_TOPIC = {
    "split", "fold", "set", "subset", "partition", "lang", "language", "date", "year", "month", "day", "time",
}  # fmt: skip


@record
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
    vectors: Mapping[str, Singles]
    left_out: Mapping[str, str]


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
    if len(names) < 2:
        remedy = expected.remedy_or("a column of texts and one of topics are needed")
        raise InputError(f"{name}: only {len(names)} usable column(s); {remedy}.")
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
    return Table(name, format, encoding, names, rows, preview, roles, notes, frame, dict(vectors), dict(left_out))


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


def guessed_roles(columns: Mapping[str, Sequence[str]], vector_columns: Sequence[str]) -> dict[str, str | None]:
    """A column for each role, or None where no column looks like it."""
    sample = {name: values[:_SAMPLE] for name, values in columns.items()}
    roles: dict[str, str | None] = dict.fromkeys((*USUAL_NAMES, "vectors"))
    for role in USUAL_NAMES:
        free = [name for name in columns if name not in roles.values()]
        roles[role] = _by_name(role, free, columns)
    free = [name for name in columns if name not in roles.values()]
    if roles["text"] is None and free:
        longest = max(free, key=lambda name: sum(map(len, sample[name])))  # every column has as many cells
        roles["text"] = longest
        free.remove(longest)
    if roles["topic"] is None:
        roles["topic"] = _few_valued(free, sample)
    roles["vectors"] = vector_columns[0] if vector_columns else None
    return roles


def _by_name(role: str, free: Sequence[str], columns: Mapping[str, Sequence[str]]) -> str | None:
    plain = {name: _plain_name(name) for name in free}
    for usual in USUAL_NAMES[role]:
        for name in free:
            if plain[name] == usual and (role not in _FITS or _FITS[role](columns[name])):
                return name
    return None


def _plain_name(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _parts(values: Sequence[str]) -> bool:
    # Any other label, a validation part say, has no part in one pair of train and test.
    return {value.strip().lower() for value in values} == {"train", "test"}


def _identifies(values: Sequence[str]) -> bool:
    # Ids must be unique and filled; a column that merely is called 'id' would only be refused later.
    return len(set(values)) == len(values) and all(value.strip() for value in values)


def _few_valued(free: Sequence[str], sample: Mapping[str, Sequence[str]]) -> str | None:
    distinct = {name: len(set(sample[name])) for name in free if _plain_name(name) not in _NEVER_TOPIC}
    repeated = [name for name, count in distinct.items() if 2 <= count <= max(2, len(sample[name]) // 2)]
    # Two values are more often a flag (train/test, yes/no) than a set of topics.
    return min(repeated, key=lambda name: (distinct[name] == 2, distinct[name]), default=None)


_FITS = {"id": _identifies, "split": _parts}
