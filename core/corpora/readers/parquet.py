"""Parquet through pyarrow, in small batches so that a file that expands is stopped early."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ...arrays import Singles
from ...errors import InputError
from ...parquet import opened_parquet, unpacked_size
from ..corpus import LONGEST_TEXT
from .files import size_of
from .source import Source
from .table import Table, make_table, refuse_too_large

_Columns: TypeAlias = tuple[dict[str, list[str]], dict[str, Singles], dict[str, str]]  # cells, vectors, what is uneven
_BATCH = 4_096
_BATCH_OF_VECTORS = 256  # equal numbers take no room in the file, so the first rows tell how large the rest will be
_CELL = 8  # bytes that a cell takes in a list, whatever it holds
_MOST_LISTED = 1_000  # topics or tags of a row


def read_parquet(source: Source) -> Table:
    """A table of the plain columns, and a matrix of each column that holds a vector a row."""
    import pyarrow as pa

    name, refuse_above = source.name, partial(_refuse_above, source.most_unpacked, source.name)
    try:
        schema = opened_parquet(source.files[0].data).schema_arrow
        names = _checked_names(schema.names, name)
        left_out = {field.name: why for field in schema if (why := _unusable(field.type))}
        selected = [column for column in names if column not in left_out]
        words = [field.name for field in schema if _is_text(field.type)]
        # Kept as a dictionary, a long text repeated a million times takes its own length once.
        opened = opened_parquet(source.files[0].data, words=words)
        refuse_too_large(name, opened.metadata.num_rows, len(selected))
        refuse_above(unpacked_size(opened))
        columns, matrices, uneven = _read(opened, selected, name, refuse_above)
    except MemoryError:  # pyarrow's own is one too, and says nothing against the file
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        reason = str(error).strip().split("\n")[0][:150] or type(error).__name__
        raise InputError(f"{name}: the Parquet file is damaged ({reason}); write it again.") from error
    left_out |= uneven
    return make_table(name, "parquet", columns, vectors=matrices, left_out=left_out, expected=source.expected)


def _checked_names(names: list[str], file: str) -> list[str]:
    for index, column in enumerate(names):
        if not column.strip():
            raise InputError(f"{file}: column {index + 1} has no name; name it and write the file again.")
        if column in names[:index]:
            raise InputError(f"{file}: two columns are called '{column[:100]}'; rename one of them.")
    return names


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _unusable(kind: Any) -> str | None:
    """Why a column of this type is neither labels nor vectors; None if it is one of them."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return _unusable(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        value = kind.value_type
        numbers = types.is_floating(value) or types.is_integer(value)
        return None if numbers or _is_text(value) else "nested values"
    if types.is_nested(kind):
        return "nested values"
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return "binary values"
    plain = types.is_primitive(kind) or types.is_decimal(kind) or types.is_null(kind) or _is_text(kind)
    return None if plain else f"values of the type {kind}"


def _refuse_above(most: int, name: str, total: int) -> None:
    if total > most:
        raise InputError(f"{name}: unpacks to {size_of(total)}; the limit is {size_of(most)}. Draw a sample first.")


def _read(opened: Any, selected: list[str], name: str, refuse_above: Callable[[int], None]) -> _Columns:
    import pyarrow.compute as pc
    import pyarrow.types as types

    columns: dict[str, list[str]] = {column: [] for column in selected}
    matrices: dict[str, Singles] = {}  # each in one piece from the start: joining parts would take their room twice
    seen: dict[str, str] = {}
    uneven: dict[str, str] = {}
    total = rows = 0
    size = _BATCH_OF_VECTORS if any(types.is_nested(field.type) for field in opened.schema_arrow) else _BATCH
    for batch in opened.iter_batches(batch_size=size, columns=selected, use_threads=False):
        batch.validate(full=True)  # pyarrow itself trusts the indices into a dictionary
        rows += batch.num_rows
        total += _CELL * batch.num_rows * len(selected)
        refuse_too_large(name, rows, len(selected))  # what the footer says may be less
        for column in selected:
            array = batch.column(column)
            if types.is_dictionary(array.type):
                cells, new = _looked_up(array, seen, f"{name}: column '{column}'")
                columns[column] += cells
                total += new
            elif types.is_nested(array.type) and not _is_text(array.type.value_type):
                matrix, odd = _matrix(array, matrices[column].shape[1] if column in matrices else None)
                if odd is not None:
                    uneven.setdefault(column, f"lists of different lengths (row {rows - batch.num_rows + odd + 1})")
                elif column not in uneven:
                    shape = opened.metadata.num_rows, matrix.shape[1]
                    refuse_above(4 * shape[0] * shape[1])
                    whole = matrices.setdefault(column, np.empty(shape, dtype=np.float32))
                    whole[rows - batch.num_rows : rows] = matrix
                    total += matrix.nbytes
            elif types.is_nested(array.type) and (pc.max(pc.list_value_length(array)).as_py() or 0) > _MOST_LISTED:
                uneven.setdefault(column, f"lists of more than {_MOST_LISTED:,} texts")
            else:
                cells = ["" if value is None else _text(value) for value in array.to_pylist()]
                columns[column] += cells
                total += sum(map(len, cells))
        refuse_above(total)
    words = {column: values for column, values in columns.items() if column not in matrices and column not in uneven}
    return words, {column: whole for column, whole in matrices.items() if column not in uneven}, uneven


def _looked_up(array: Any, seen: dict[str, str], where: str) -> tuple[list[str], int]:
    """The cells of a column and the length of those not seen before: every batch brings its dictionary anew."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as types

    if types.is_large_string(array.dictionary.type) or types.is_string(array.dictionary.type):
        longest = pc.max(pc.binary_length(array.dictionary)).as_py() or 0
        if longest > 4 * LONGEST_TEXT:  # no character takes more than four bytes
            raise InputError(f"{where} has a cell of more than {LONGEST_TEXT:,} characters; split or drop it.")
    # Only what this batch holds: the dictionary grows from batch to batch to all that a group of rows holds.
    used, places = np.unique(array.indices.cast(pa.int64()).fill_null(-1).to_numpy(), return_inverse=True)
    nulls = int(used[0] < 0) if len(used) else 0
    values, new = [""] * nulls, 0
    for value in array.dictionary.take(pa.array(used[nulls:])).to_pylist():
        cell = "" if value is None else _text(value)
        new += 0 if cell in seen else len(cell)
        values.append(seen.setdefault(cell, cell))
    return [values[index] for index in places.tolist()], new


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):  # of texts
        return json.dumps([_text(each) for each in value if each is not None], ensure_ascii=False)
    return value.replace("\0", "\ufffd") if isinstance(value, str) else str(value)


def _matrix(array: Any, width: int | None) -> tuple[Singles, int | None]:
    """The lists as rows of `width` (the first list's, if None); or the index of the first that does not fit."""
    import pyarrow.compute as pc

    widths = np.array([width or 0 for width in pc.list_value_length(array).to_pylist()], dtype=np.int64)
    width = width or int(widths[0])
    odd = np.flatnonzero((widths != width) | (widths == 0))
    if len(odd):
        return np.empty((0, 0), dtype=np.float32), int(odd[0])
    with np.errstate(over="ignore"):
        numbers = array.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
    return numbers.reshape(len(array), width), None
