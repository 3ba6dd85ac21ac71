"""Parquet through pyarrow: bounded by the sizes of its pages, read in small batches so that a file that expands is refused.

A footer may lie about sizes, and pyarrow believes it; the header of each page may not, because pyarrow allocates what it
says and no more. So we read the footer and all page headers of the wanted columns ourselves (Thrift's compact protocol,
parquet.thrift in apache/parquet-format) before any page is unpacked.
"""

import io
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ...arrays import Singles
from ...errors import InputError
from ..corpus import LONGEST_TEXT
from .sources import Source, size_of
from .tables import Table, make_table, refuse_too_large

_Columns: TypeAlias = tuple[dict[str, list[str]], dict[str, Singles], dict[str, str]]  # cells, vectors, what is uneven
_BATCH = 4_096
_BATCH_OF_VECTORS = 256  # equal numbers take no space in the file, so the first rows show how large the rest will be
_CELL = 8  # bytes of a list item, whatever it holds
_STRING = 50  # bytes of a Python string besides its characters
_VALUE = 4  # bytes of a decoded number, or of an index into a dictionary
_ROOM = 64_000_000  # bytes of a batch in which any cell may be as long as a page
_PADDING = 100  # bytes by which old writers understate the length of a chunk; pyarrow allows for them too
_DEEPEST = 30
_AS_DICTIONARY = {0, 2, 3, 4, 8}  # encodings that pyarrow reads as dictionaries: plain, of indices, and of levels
_MOST_LISTED = 1_000  # topics or tags of a row
MOST_FOOTER = 20_000_000  # bytes of a text or items of a list in the footer; pyarrow sets no limit by default


def opened_parquet(given: bytes | Path, *, words: Sequence[str] = ()) -> Any:
    """Return pyarrow's ParquetFile with only the footer read; the columns `words` are read as dictionaries."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.ParquetFile(
        pa.BufferReader(given) if isinstance(given, bytes) else given,
        read_dictionary=list(words),
        memory_map=False,
        pre_buffer=False,
        thrift_string_size_limit=MOST_FOOTER,
        thrift_container_size_limit=MOST_FOOTER,
    )


@dataclass(slots=True)
class PageSizes:
    """What the pages of a column hold, by their own headers."""

    size: int = 0  # bytes of all pages, unpacked
    values: int = 0
    largest: int = 0  # bytes of the largest page, unpacked
    encodings: frozenset[int] = frozenset()

    def __add__(self, other: "PageSizes") -> "PageSizes":
        return PageSizes(
            self.size + other.size,
            self.values + other.values,
            max(self.largest, other.largest),
            self.encodings | other.encodings,
        )

    @property
    def unpacked(self) -> int:
        """Return the bytes that the pages and their decoded values take at least."""
        return self.size + _VALUE * self.values


def unpacked_size(given: bytes | Path) -> int:
    """Return the bytes that all columns unpack to, by the headers of their pages."""
    return sum(sizes.unpacked for sizes in page_sizes(given).values())


def page_sizes(given: bytes | Path, columns: Collection[str] | None = None) -> dict[tuple[str, ...], PageSizes]:
    """Return what the pages of each leaf column hold, by its path; of these top-level columns only."""
    try:
        if isinstance(given, Path):
            with given.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as mapped:
                return _page_sizes(mapped, columns)
        return _page_sizes(given, columns)
    except (AttributeError, IndexError, KeyError, TypeError) as problem:  # a field that is missing or of another kind
        raise ValueError("a damaged footer or page header") from problem


def _page_sizes(data: bytes | mmap, columns: Collection[str] | None) -> dict[tuple[str, ...], PageSizes]:
    length = int.from_bytes(data[-8:-4], "little")
    if data[-4:] != b"PAR1" or not 0 < length <= min(len(data) - 12, MOST_FOOTER):
        raise ValueError("no footer")
    footer = _Thrift(data, len(data) - 8 - length, len(data) - 8).struct()
    found: dict[tuple[str, ...], PageSizes] = {}
    seen: dict[tuple[int, int, int], PageSizes] = {}  # a footer may name the same pages a thousand times
    for group in footer.get(4, []):
        for chunk in group[1]:
            about = chunk[3]
            path = tuple(part.decode("utf-8") for part in about[3])
            if columns is not None and path[0] not in columns:
                continue
            start = min(about[9], about.get(11) or about[9])
            where = start, about[7], about[5]
            if where not in seen:
                seen[where] = _chunk_sizes(data, *where)
            found[path] = found.get(path, PageSizes()) + seen[where]
    return found


def _chunk_sizes(data: bytes | mmap, start: int, length: int, values: int) -> PageSizes:
    """Add up the pages of one chunk, until it has as many values as its footer promises, as pyarrow reads it."""
    at, end, found = start, min(start + length + _PADDING, len(data)), PageSizes()
    if start < 0 or length < 0:
        raise ValueError("a column chunk outside the file")
    while found.values < values and at < end:
        thrift = _Thrift(data, at, end)
        header = thrift.struct()
        unpacked, packed = header[2], header[3]
        about = header.get(5) or header.get(8) or {}
        count = about.get(1, 0)
        if min(unpacked, packed, count) < 0:
            raise ValueError("a page of negative size")
        encoding = about.get(2 if 5 in header else 4)
        encodings = frozenset() if encoding is None else frozenset([encoding])
        found += PageSizes(unpacked, count, unpacked, encodings)
        at = thrift.at + packed
    return found


class _Thrift:
    """A reader of Thrift's compact protocol; a struct is read as {field number: value}."""

    def __init__(self, data: bytes | mmap, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read a struct."""
        if depth > _DEEPEST:
            raise ValueError("a footer nested too deeply")
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            found[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return found

    def _byte(self) -> int:
        if self.at >= self.end:
            raise ValueError("a footer or page header that breaks off")
        self.at += 1
        return self.data[self.at - 1]

    def _varint(self) -> int:
        found = shift = 0
        while (byte := self._byte()) > 127:
            found |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("an integer of more than 64 bits")
        return found | byte << shift

    def _integer(self) -> int:
        found = self._varint()
        return found >> 1 ^ -(found & 1)

    def _taken(self, length: int) -> bytes:
        if length > self.end - self.at:
            raise ValueError("a footer or page header that breaks off")
        self.at += length
        return self.data[self.at - length : self.at]

    def _value(self, kind: int, depth: int) -> Any:
        match kind:
            case 1 | 2 | 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._integer()
            case 7:
                return self._taken(8)
            case 8:
                return self._taken(self._varint())
            case 9 | 10:
                head = self._byte()
                count = self._varint() if head >> 4 == 15 else head >> 4
                if count > self.end - self.at:  # an item takes a byte or more
                    raise ValueError("a list longer than the file")
                return [self._item(head & 15, depth) for _ in range(count)]
            case 12:
                return self.struct(depth + 1)
        raise ValueError(f"a value of the unknown kind {kind}")

    def _item(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("a footer nested too deeply")
        return self._value(kind, depth + 1)


def parquet_bytes(table: Any, **options: Any) -> bytes:
    """Return the bytes of a Parquet file, the same for the same pyarrow table and options."""
    import pyarrow.parquet as pq

    target = io.BytesIO()
    pq.write_table(table, target, compression="zstd", **options)
    return target.getvalue()


def read_parquet(source: Source) -> Table:
    """Read the plain columns as a table, and each column with one vector per row as a matrix."""
    import pyarrow as pa

    name, refuse_above = source.name, partial(_refuse_above, source.most_unpacked, source.name)
    try:
        footer = opened_parquet(source.files[0].data)
        schema = footer.schema_arrow
        names = _checked_names(schema.names, name)
        left_out = {field.name: why for field in schema if (why := _unusable(field.type))}
        usable = [column for column in names if column not in left_out]
        wanted = [column for column in usable if source.wanted is None or column in source.wanted]
        selected = wanted if len(wanted) > 1 else usable  # with one or none, what is missing is named
        refuse_too_large(name, footer.metadata.num_rows, len(selected))
        pages = page_sizes(source.files[0].data, selected)
        refuse_above(sum(sizes.unpacked for sizes in pages.values()))
        texts = {field.name for field in schema if _is_text_type(_leaf(field.type))}
        # As a dictionary, a long text that is repeated a million times takes memory once.
        words = [path for path, sizes in pages.items() if path[0] in texts and sizes.encodings <= _AS_DICTIONARY]
        grown = {path[0]: sizes.largest for path, sizes in pages.items() if path[0] in texts and path not in words}
        for column in (field.name for field in schema if field.name in grown and _leaf(field.type) != field.type):
            left_out[column] = "lists of texts in an encoding that is not supported"
            selected.remove(column)
        opened = opened_parquet(source.files[0].data, words=[".".join(path) for path in words])
        rows = max(1, min(_BATCH, _ROOM // max(1, *grown.values()))) if grown else _BATCH
        columns, matrices, uneven = _read_columns(opened, selected, name, refuse_above, rows)
    except MemoryError:  # pyarrow's own is one too, and does not mean that the file is damaged
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        reason = str(error).strip().split("\n")[0][:150] or type(error).__name__
        raise InputError(f"{name}: the Parquet file is damaged ({reason}). Write it again.") from error
    left_out |= uneven
    others = tuple(column for column in usable if column not in selected)
    return make_table(
        name, "parquet", columns, vectors=matrices, left_out=left_out, unread=others, expected=source.expected
    )


def _checked_names(names: list[str], file: str) -> list[str]:
    for index, column in enumerate(names):
        if not column.strip():
            raise InputError(f"{file}: column {index + 1} has no name. Name it and write the file again.")
        if column in names[:index]:
            raise InputError(f"{file}: two columns are called '{column[:100]}'. Rename one.")
    return names


def _is_text_type(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _leaf(kind: Any) -> Any:
    """Return the type of a list's items, of dictionaries that of their values, else the type itself."""
    import pyarrow.types as types

    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _leaf(kind.value_type)
    return kind.value_type if types.is_dictionary(kind) else kind


def _unusable(kind: Any) -> str | None:
    """Return why a column of this type is neither labels nor vectors, or None if it is."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return _unusable(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        value = kind.value_type
        numbers = types.is_floating(value) or types.is_integer(value)
        return None if numbers or _is_text_type(value) else "nested values"
    if types.is_nested(kind):
        return "nested values"
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return "binary values"
    plain = types.is_primitive(kind) or types.is_decimal(kind) or types.is_null(kind) or _is_text_type(kind)
    return None if plain else f"values of the type {kind}"


def _refuse_above(most: int, name: str, total: int) -> None:
    if total > most:
        raise InputError(f"{name}: unpacks to {size_of(total)}; the limit is {size_of(most)}. Take a sample first.")


def _read_columns(
    opened: Any, selected: list[str], name: str, refuse_above: Callable[[int], None], most_rows: int
) -> _Columns:
    import pyarrow.compute as pc
    import pyarrow.types as types

    columns: dict[str, list[str]] = {column: [] for column in selected}
    matrices: dict[str, Singles] = {}  # allocated whole: joining parts would take the memory twice
    seen: dict[str, str] = {}
    uneven: dict[str, str] = {}
    letters = dict.fromkeys(selected, 0)
    total = rows = 0
    lists = any(types.is_nested(field.type) for field in opened.schema_arrow if field.name in selected)
    size = min(most_rows, _BATCH_OF_VECTORS if lists else _BATCH)
    for batch in opened.iter_batches(batch_size=size, columns=selected, use_threads=False):
        batch.validate(full=True)  # pyarrow itself trusts the indices into a dictionary
        rows += batch.num_rows
        total += _CELL * batch.num_rows * len(selected)
        refuse_too_large(name, rows, len(selected))  # the footer may understate them
        for column in selected:
            array = batch.column(column)
            nested, text = types.is_nested(array.type), _is_text_type(_leaf(array.type))
            if not nested and not types.is_dictionary(array.type) and not types.is_null(array.type):
                array = array.dictionary_encode()
            if types.is_dictionary(array.type):
                cells, new = _looked_up(array, seen, f"{name}: column '{column}'")
                columns[column] += cells
                total += new
                letters[column] += sum(map(len, cells))
                refuse_above(letters[column])  # two texts that are repeated take no memory here, and all of it later
            elif nested and not text:
                matrix, odd = _list_rows(array, matrices[column].shape[1] if column in matrices else None)
                if odd is not None:
                    uneven.setdefault(column, f"lists of different lengths (row {rows - batch.num_rows + odd + 1})")
                elif column not in uneven:
                    shape = opened.metadata.num_rows, matrix.shape[1]
                    refuse_above(4 * shape[0] * shape[1])
                    whole = matrices.setdefault(column, np.empty(shape, dtype=np.float32))
                    whole[rows - batch.num_rows : rows] = matrix
                    total += matrix.nbytes
            elif nested and (pc.max(pc.list_value_length(array)).as_py() or 0) > _MOST_LISTED:
                uneven.setdefault(column, f"lists of more than {_MOST_LISTED:,} texts")
            else:
                refuse_above(total + _letters(array) if nested else total)
                cells = ["" if value is None else _text_of_cell(value) for value in array.to_pylist()]
                columns[column] += cells
                total += sum(map(len, cells)) + (_STRING * len(cells) if nested else 0)
        refuse_above(total)
    words = {column: values for column, values in columns.items() if column not in matrices and column not in uneven}
    return words, {column: whole for column, whole in matrices.items() if column not in uneven}, uneven


def _letters(lists: Any) -> int:
    """Return the bytes of all texts in lists of dictionary-encoded texts."""
    import pyarrow.compute as pc

    flat = lists.flatten()
    return pc.sum(pc.binary_length(flat.dictionary).take(flat.indices)).as_py() or 0


def _looked_up(array: Any, seen: dict[str, str], where: str) -> tuple[list[str], int]:
    """Return the cells of a column and the length of those not seen before: every batch has its own dictionary."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as types

    if types.is_large_string(array.dictionary.type) or types.is_string(array.dictionary.type):
        longest = pc.max(pc.binary_length(array.dictionary)).as_py() or 0
        if longest > 4 * LONGEST_TEXT:  # no character takes more than four bytes
            raise InputError(f"{where} has a cell of more than {LONGEST_TEXT:,} characters. Split or delete it.")
    # Only the values of this batch: the dictionary grows from batch to batch within a row group.
    used, places = np.unique(array.indices.cast(pa.int64()).fill_null(-1).to_numpy(), return_inverse=True)
    nulls = int(used[0] < 0) if len(used) else 0
    values, new = [""] * nulls, 0
    for value in array.dictionary.take(pa.array(used[nulls:])).to_pylist():
        cell = "" if value is None else _text_of_cell(value)
        new += 0 if cell in seen else len(cell) + _STRING
        values.append(seen.setdefault(cell, cell))
    return [values[index] for index in places.tolist()], new


def _text_of_cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):  # of texts
        return json.dumps([_text_of_cell(each) for each in value if each is not None], ensure_ascii=False)
    return value.replace("\0", "\ufffd") if isinstance(value, str) else str(value)


def _list_rows(array: Any, width: int | None) -> tuple[Singles, int | None]:
    """Return the lists as rows of `width` (the first list's, if None), or the index of the first that does not fit."""
    import pyarrow.compute as pc

    widths = np.array([width or 0 for width in pc.list_value_length(array).to_pylist()], dtype=np.int64)
    width = width or int(widths[0])
    odd = np.flatnonzero((widths != width) | (widths == 0))
    if len(odd):
        return np.empty((0, 0), dtype=np.float32), int(odd[0])
    with np.errstate(over="ignore"):
        numbers = array.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
    return numbers.reshape(len(array), width), None
