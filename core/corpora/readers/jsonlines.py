"""JSON lines: one object a line, whatever its keys."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from ...arrays import Singles
from ...errors import InputError
from .files import LONGEST_LINE, decoded, lines_of
from .source import Source
from .table import Table, make_table, refuse_too_large

_ABSENT = object()
_REMEDY = 'write one object a line, without line breaks inside it, such as {"text": "…", "topic": "…"}'


def read_jsonl(source: Source) -> Table:
    """A table with a column for every key; a key missing from a line leaves its cell empty."""
    text, encoding = decoded(source.files[0].data, source.name)
    columns: dict[str, list[Any]] = {}
    remedy = source.expected.remedy_or(_REMEDY)
    for count, (_, record) in enumerate(objects(text, source.name, remedy=remedy), start=1):
        for key in record:
            if key not in columns:
                columns[key] = [_ABSENT] * (count - 1)
                refuse_too_large(source.name, count, len(columns))
        for key, values in columns.items():
            values.append(record.get(key, _ABSENT))
        refuse_too_large(source.name, count, len(columns))
    vectors: dict[str, Singles] = {}
    cells: dict[str, list[str]] = {}
    notes = []
    for number, (key, values) in enumerate(columns.items(), start=1):
        name = _plain(key).strip() or f"column {number}"
        if name in cells or name in vectors:
            raise InputError(f"{source.name}: two keys are called '{name}'; rename one of them.")
        if not key.strip():
            notes.append(f"A key without a name is called '{name}' here.")
        matrix = _matrix(values)
        if matrix is None:
            cells[name] = [text_of(value) for value in values]
        else:
            vectors[name] = matrix
    return make_table(
        source.name, "jsonl", cells, encoding=encoding, notes=notes, vectors=vectors, expected=source.expected
    )


def objects(text: str, name: str, *, remedy: str = _REMEDY) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with their line numbers, counted from 1; blank lines are passed over."""
    for line, content in enumerate(lines_of(text, name, f"{remedy}."), start=1):
        if piece := content.strip():
            yield line, _object(piece, f"{name}: line {line}", remedy)


def streamed_objects(stream: BinaryIO, name: str, *, remedy: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Like `objects`, but a line at a time from a UTF-8 file of any size; `remedy` shows what a line should be."""
    line = 0
    while content := stream.readline(LONGEST_LINE + 1):
        line += 1
        where = f"{name}: line {line}"
        if len(content) > LONGEST_LINE:
            raise InputError(f"{where} has more than {LONGEST_LINE:,} bytes; {remedy}.")
        try:
            piece = content.decode("utf-8-sig" if line == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            raise InputError(f"{where} is not UTF-8 at byte {error.start + 1:,}; save the file as UTF-8.") from error
        if piece:
            yield line, _object(piece, where, remedy)


def _object(piece: str, where: str, remedy: str) -> dict[str, Any]:
    try:
        record = json.loads(piece)
    except json.JSONDecodeError as error:
        if piece.startswith("["):
            raise InputError(f"{where} opens a list; {remedy}.") from error
        raise InputError(f"{where} is not JSON ({error.msg} at character {error.colno:,}); {remedy}.") from error
    except RecursionError as error:
        raise InputError(f"{where} is nested too deeply; write a flat object of keys and values.") from error
    except ValueError as error:  # a whole number of thousands of digits
        raise InputError(f"{where} holds a number too long to read; write it as a string.") from error
    if not isinstance(record, dict):
        kind = "a list" if isinstance(record, list) else "a single value"
        raise InputError(f"{where} is {kind}; {remedy}.")
    return record


def text_of(value: Any) -> str:
    """A JSON value as text: null and absent are empty, numbers and objects as JSON writes them."""
    if isinstance(value, str):
        return _plain(value)
    if value is None or value is _ABSENT:
        return ""
    try:
        return _plain(json.dumps(value, ensure_ascii=False))
    except (RecursionError, ValueError) as error:
        raise InputError("A value is nested too deeply or too long a number; write it as a string.") from error


def _plain(value: str) -> str:
    # JSON can spell half of a surrogate pair, which no encoding can write again; NUL would end the text elsewhere.
    if not value.isascii():
        value = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value.replace("\0", "\ufffd")


def _matrix(values: list[Any]) -> Singles | None:
    first = values[0] if values else None
    if not isinstance(first, list) or not first:
        return None
    width = len(first)
    for value in values:
        if not isinstance(value, list) or len(value) != width:
            return None
        if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in value):
            return None
    try:
        with np.errstate(over="ignore"):
            return np.array(values, dtype=np.float64).astype(np.float32)
    except OverflowError:  # a whole number beyond any float
        return None
