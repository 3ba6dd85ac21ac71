"""The lines of a file of answers, PAN's JSON lines or a table, in whatever encoding and at any size."""

import codecs
import csv
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from ..corpora.readers import DELIMITERS, MOST_BYTES_HERE, decoded, identity_of, size_of, streamed_objects
from ..errors import InputError

AnswersFile: TypeAlias = str | os.PathLike[str] | BinaryIO

COLUMNS = {"id": ("id", "pair_id", "pair"), "score": ("score", "value"), "setup": ("setup",), "fold": ("fold",)}
ANSWER_LINE = 'write one object a line, such as {"id": "…", "value": 0.7}'
_LONGEST_ROW = 1_000_000  # characters of a table's line
_PIECE = 1 << 20  # bytes looked at together when the encoding is told


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One answer as it was written; setup and fold are empty where the file does not say."""

    number: int
    identity: str
    value: Any
    setup: str = ""
    fold: str = ""


@contextmanager
def opened(file: AnswersFile) -> Iterator[tuple[BinaryIO, str]]:
    """The file from its beginning, and its name for messages."""
    if not isinstance(file, str | os.PathLike):
        file.seek(0)  # a page may have read the upload before
        yield file, Path(str(getattr(file, "name", "the file"))).name
        return
    try:
        # A pipe or a device would block or never end.
        if not Path(file).is_file():
            raise InputError(f"{file}: there is no such file; check the path.")
        with Path(file).open("rb") as stream:
            yield stream, str(file)
    except OSError as problem:
        reason = problem.strerror or problem
        raise InputError(f"{file}: the file cannot be read ({reason}); check the path and its rights.") from problem


def as_utf8(stream: BinaryIO, name: str) -> tuple[BinaryIO, str]:
    """The content as UTF-8, and the encoding it is in: any other can only be told from the whole file."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    mark = stream.read(len(codecs.BOM_UTF8))
    stream.seek(0)
    try:
        while piece := stream.read(_PIECE):
            if "\0" in decoder.decode(piece):
                break
        else:
            decoder.decode(b"", final=True)
            stream.seek(0)
            return stream, "UTF-8 with BOM" if mark == codecs.BOM_UTF8 else "UTF-8"
    except UnicodeDecodeError:
        pass
    stream.seek(0)
    data = stream.read(MOST_BYTES_HERE + 1)
    if len(data) > MOST_BYTES_HERE:
        raise InputError(f"{name}: more than {size_of(MOST_BYTES_HERE)}, and not UTF-8; save it as UTF-8.")
    text, encoding = decoded(data, name)
    return io.BytesIO(text.encode("utf-8", "replace")), encoding


def answer_lines(stream: BinaryIO, name: str) -> Iterator[AnswerLine]:
    """Each answer of a file: JSON lines if it opens with a brace, else a table with a header."""
    opening = b""
    while not opening and (line := stream.readline(_LONGEST_ROW)):
        opening = line.removeprefix(codecs.BOM_UTF8).strip()
    stream.seek(0)
    if not opening:
        raise InputError(f"{name}: the file is empty; {ANSWER_LINE}.")
    if not opening.startswith((b"{", b"[")):
        yield from _table_lines(stream, name, opening.decode("utf-8", "replace"))
        return
    for number, answer in streamed_objects(stream, name, remedy=ANSWER_LINE):
        identity = identity_of(answer, f"{name}: line {number}")
        if "value" not in answer:
            raise InputError(f"{name}: line {number}: no 'value'; {ANSWER_LINE}.")
        yield AnswerLine(number, identity, answer["value"])


def _table_lines(stream: BinaryIO, name: str, header: str) -> Iterator[AnswerLine]:
    text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
    rows = csv.reader(_short_lines(text, name), delimiter=max(DELIMITERS, key=header.count))
    try:
        names = [
            cell.strip().lower().replace(" ", "_") for cell in next((row for row in rows if "".join(row).strip()), [])
        ]
        column = {
            what: next((names.index(spelling) for spelling in spellings if spelling in names), None)
            for what, spellings in COLUMNS.items()
        }
        for what in ("id", "score"):
            if column[what] is None:
                raise InputError(
                    f"{name}: neither JSON lines nor a table with a column '{what}'; name the columns id and score, "
                    "and setup and fold if you like."
                )
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(names):
                raise InputError(
                    f"{name}: line {rows.line_num} has {len(row)} field(s) where the header has {len(names)}; mend it."
                )
            cells = {what: "" if index is None else row[index].strip() for what, index in column.items()}
            yield AnswerLine(rows.line_num, cells["id"], _number(cells["score"]), cells["setup"], cells["fold"])
    except csv.Error as error:
        raise InputError(f"{name}: line {rows.line_num} cannot be read ({error}); write it again.") from error
    finally:
        text.detach()  # else it would close a file that is not its own


def _short_lines(text: io.TextIOWrapper, name: str) -> Iterator[str]:
    number = 0
    while line := text.readline(_LONGEST_ROW + 1):
        number += 1
        if len(line) > _LONGEST_ROW:
            raise InputError(f"{name}: line {number} has more than {_LONGEST_ROW:,} characters; is this a table?")
        yield line


def _number(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell
