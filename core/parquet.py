"""Parquet: a file opened with a footer that is bounded, how large it unpacks, and a table as the bytes of one."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MOST_FOOTER = 20_000_000  # bytes of a text in it, or items of a list: no limit is pyarrow's own default


def opened_parquet(given: bytes | Path, *, words: Sequence[str] = ()) -> Any:
    """pyarrow's ParquetFile, its footer read and none of its cells; the columns `words` will come as dictionaries."""
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


def unpacked_size(opened: Any) -> int:
    """The bytes that all cells take by what the footer says, which may be less than the truth."""
    # Not the sizes of single columns: pyarrow 26 ends the whole process when their footer is damaged.
    groups = map(opened.metadata.row_group, range(opened.metadata.num_row_groups))
    return sum(group.total_byte_size for group in groups)


def parquet_bytes(table: Any, **options: Any) -> bytes:
    """A table of pyarrow's as a file, the same for the same table and options."""
    import pyarrow.parquet as pq

    target = io.BytesIO()
    pq.write_table(table, target, compression="zstd", **options)
    return target.getvalue()
