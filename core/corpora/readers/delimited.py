"""Comma-separated values and their relatives, read strictly: a row that does not fit is named, not mended."""

import csv
from collections.abc import Iterator

from ...errors import InputError
from ...formats import counted
from ..corpus import LONGEST_TEXT
from .files import Text, opened_text
from .source import Expected, Source
from .table import Table, alone_enough, make_table, refuse_too_large

# The module's default of 131,072 characters is shorter than a chapter; the setting holds for the whole process.
csv.field_size_limit(LONGEST_TEXT)

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
_SNIFF_ROWS = 100
_SNIFF_LINES = 20_000
_SNIFF_CHARACTERS = 2_000_000


def read_csv(source: Source) -> Table:
    """A table separated by commas, semicolons, tabs or pipes, whichever fits its rows best."""
    text = opened_text(source.files[0].data, source.name)
    return _table(source, "csv", text, _delimiter(text, source.name, source.expected))


def read_tsv(source: Source) -> Table:
    """A table separated by tabs."""
    text = opened_text(source.files[0].data, source.name)
    if "\t" not in next((line for line in _lines(text) if line.strip()), ""):
        raise InputError(f"{source.name}: the header has no tab, though the name ends in .tsv; name it .csv instead.")
    return _table(source, "tsv", text, "\t")


def _lines(text: Text) -> Iterator[str]:
    if b"\n" in text.data:
        return text.lines()
    return (line.replace("\r", "\n") for line in text.lines(end="\r"))  # line ends of the old Macintosh


def _delimiter(text: Text, name: str, expected: Expected) -> str:
    best, found = (0.0, 1), ""
    for delimiter in DELIMITERS:
        widths = _widths(text, delimiter)
        if not widths or widths[0] < 2:
            continue
        rank = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
        if rank > best:
            best, found = rank, delimiter
    if not found and alone_enough(next(csv.reader(_lines(text)), [])):
        return ","
    if not found:
        usual = "separate columns by commas, semicolons, tabs or pipes, one of them for the text and one for the topic"
        raise InputError(f"{name}: the header has one column only; {expected.remedy_or(usual)}.")
    return found


def _widths(text: Text, delimiter: str) -> list[int]:
    """Fields per row in the first rows; -1 stands for the row where reading broke off."""
    widths: list[int] = []
    seen = 0
    try:
        reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
        for row in reader:
            if row:
                widths.append(len(row))
            seen += sum(map(len, row))
            if len(widths) >= _SNIFF_ROWS or seen > _SNIFF_CHARACTERS or reader.line_num > _SNIFF_LINES:
                break
    except csv.Error:
        widths.append(-1)
    return widths


def _table(source: Source, format: str, text: Text, delimiter: str) -> Table:
    name = source.name
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    line = 1
    try:
        names, notes = _header(next((row for row in reader if row), []), name)
        line = reader.line_num + 1
        for row in reader:
            if row and len(row) != len(names):
                usual = f"put a text that holds a {DELIMITERS[delimiter]} or a line break in double quotes"
                raise InputError(
                    f"{name}: line {line} (row {len(rows) + 1}) has {counted(len(row), 'field')} where the header has "
                    f"{len(names)}; {source.expected.remedy_or(usual)}."
                )
            if row:  # no blank line
                rows.append(row)
                refuse_too_large(name, len(rows), len(names))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{name}: line {line} (row {len(rows) + 1}) {_reason(str(error), delimiter)}") from error
    columns = {column: [row[index] for row in rows] for index, column in enumerate(names)}
    return make_table(name, format, columns, encoding=text.encoding, notes=notes, expected=source.expected)


def _header(fields: list[str], name: str) -> tuple[list[str], list[str]]:
    refuse_too_large(name, 1, len(fields))
    names: list[str] = []
    notes = []
    for number, field in enumerate(fields, start=1):
        column = field.strip().removeprefix("\ufeff")
        if not column:
            column = f"column {number}"
            notes.append(f"Column {number} has no name in the header; it is called '{column}' here.")
        if column in names:
            raise InputError(
                f"{name}: the header names '{column[:100]}' twice, in columns {names.index(column) + 1} and {number}; "
                "rename one of them."
            )
        names.append(column)
    return names, notes


def _reason(error: str, delimiter: str) -> str:
    if "field larger" in error:
        remedy = "split or drop it, or close the double quote that opens it"
        return f"has a cell of more than {LONGEST_TEXT:,} characters; {remedy}."
    if "unexpected end" in error:
        return "opens a double quote that is never closed; close it, or double the quotes inside a text."
    if "expected after" in error:
        remedy = "put the whole text in double quotes and double those inside it"
        return f"goes on after a closing double quote where a {DELIMITERS[delimiter]} should stand; {remedy}."
    return f"cannot be read ({error}); put a text that holds a line break in double quotes."
