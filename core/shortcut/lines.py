"""The lines of a file of answers, whether PAN's JSON lines or a table, with their numbers for messages."""

import csv
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from core.errors import InputError
from core.readers.delimited import DELIMITERS
from core.readers.jsonlines import streamed_objects, text_of
from core.readers.limits import MOST_BYTES_HERE, size_of

AnswersFile: TypeAlias = str | os.PathLike[str] | BinaryIO

COLUMNS = {"id": ("id", "pair_id", "pair"), "score": ("score", "value"), "setup": ("setup",), "fold": ("fold",)}
ONE_LINE = 'write one object a line, such as {"id": "…", "value": 0.7}'


@dataclass(frozen=True, slots=True)
class Line:
    """One answer as it was written; setup and fold are empty where the file does not say."""

    number: int
    identity: str
    value: Any
    setup: str = ""
    fold: str = ""


def bytes_of(file: AnswersFile) -> tuple[str, bytes]:
    """A file's name for messages, and its content."""
    if not isinstance(file, str | os.PathLike):
        file.seek(0)
        label, data = Path(str(getattr(file, "name", "the answers"))).name, file.read(MOST_BYTES_HERE + 1)
    else:
        label = str(file)
        try:
            # A pipe or a device would block or never end.
            if not Path(file).is_file():
                raise InputError(f"{label}: there is no such file; check the path.")
            with Path(file).open("rb") as stream:
                data = stream.read(MOST_BYTES_HERE + 1)
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or problem
            raise InputError(
                f"{label}: the file cannot be read ({reason}); check the path and its rights."
            ) from problem
    if len(data) > MOST_BYTES_HERE:
        raise InputError(f"{label}: more than {size_of(MOST_BYTES_HERE)}, the limit for one file.")
    if not data.strip():
        raise InputError(f"{label}: the file is empty; {ONE_LINE}.")
    return label, data


def answer_lines(text: str, label: str) -> Iterator[Line]:
    """Each answer of a file: JSON lines if it opens with a brace, else a table with a header."""
    if not text.lstrip().startswith(("{", "[")):
        yield from _rows(text, label)
        return
    for number, record in streamed_objects(io.BytesIO(text.encode("utf-8", "replace")), label, remedy=ONE_LINE):
        for key in ("id", "value"):
            if key not in record:
                raise InputError(f"{label}: line {number}: no '{key}'; {ONE_LINE}.")
        yield Line(number, text_of(record["id"]), record["value"])


def _rows(text: str, label: str) -> Iterator[Line]:
    header = text.lstrip().partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        names = [cell.strip().lower().replace(" ", "_") for cell in next((row for row in rows if row), [])]
        column = {what: _column(names, spellings) for what, spellings in COLUMNS.items()}
        for what in ("id", "score"):
            if column[what] < 0:
                raise InputError(
                    f"{label}: neither JSON lines nor a table with a column '{what}'; name the columns id and score, "
                    "and setup and fold if you like."
                )
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(names):
                raise InputError(
                    f"{label}: line {rows.line_num} has {len(row)} field(s) where the header has {len(names)}; mend it."
                )
            cells = {what: row[place].strip() if place >= 0 else "" for what, place in column.items()}
            yield Line(rows.line_num, cells["id"], _number(cells["score"]), cells["setup"], cells["fold"])
    except csv.Error as error:
        raise InputError(f"{label}: line {rows.line_num} cannot be read ({error}); write it again.") from error


def _column(names: Sequence[str], spellings: Sequence[str]) -> int:
    return next((names.index(spelling) for spelling in spellings if spelling in names), -1)


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell
