"""Files made to expand, and what a process says of its memory: for the tests of uploads."""

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from core.corpora import look_into
from core.corpora.readers import File
from core.errors import LeakscopeError


def in_memory(what: str) -> int:
    """Bytes of this process: 'VmRSS' now, 'VmHWM' at most so far."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[what].split()[0]) * 1024


def told_of(files: list[File]) -> tuple[str, int]:
    """In a worker: why the files are refused ('' where they are not), and the most that this process ever held."""
    try:
        look_into(files)
        sentence = ""
    except LeakscopeError as problem:
        sentence = str(problem)
    return sentence, in_memory("VmHWM")


def equal_rows() -> File:
    """A thousand million rows of one word: a row group of a million, which the footer names a thousand times."""
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, dtype=np.int8)), ["word"])
    return File("rows.parquet", _repeated(_parquet(pa.table({"text": column, "topic": column})), 1_000))


def equal_numbers() -> File:
    """A hundred rows, each a list of ten million equal numbers; the footer names one row a hundred times."""
    values = pa.array(np.zeros(10_000_000, dtype=np.int8))
    lists = pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)
    return File("numbers.parquet", _repeated(_parquet(pa.table({"text": ["a"], "topic": ["b"], "v": lists})), 100))


def long_texts() -> File:
    """480 texts of a million letters: each of them is allowed, and so is their sum; the parser cannot hold both copies."""
    sink = io.BytesIO()
    schema = pa.schema([("text", pa.large_string()), ("topic", pa.string())])
    with pq.ParquetWriter(sink, schema, compression="zstd", use_dictionary=False) as writer:
        for row in range(480):
            text = chr(0x4E00 + row) + "x" * 999_999
            writer.write_table(pa.table({"text": [text], "topic": [f"t{row % 2}"]}, schema=schema))
    return File("long.parquet", sink.getvalue())


def forged_footer(letters: int) -> File:
    """Three texts of this many equal letters; the footer says that they are as short as a number of its length can say."""
    sink = io.BytesIO()
    schema = pa.schema([("text", pa.large_string()), ("topic", pa.string())])
    with pq.ParquetWriter(sink, schema, compression="zstd", use_dictionary=False) as writer:
        for row in range(3):
            writer.write_table(pa.table({"text": [chr(97 + row) * letters], "topic": [f"t{row % 2}"]}, schema=schema))
    data = sink.getvalue()
    footer = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    said = pq.read_metadata(io.BytesIO(data)).row_group(0).total_byte_size
    true = _varint(said)
    false = _varint(2 ** (7 * len(true) - 8))
    assert data[footer:].count(true) >= 3 and len(false) == len(true)
    return File("forged.parquet", data[:footer] + data[footer:].replace(true, false))


def _varint(number: int) -> bytes:
    """An integer as a footer writes it."""
    number, found = 2 * number, bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def unused_columns(columns: int = 36, rows: int = 400_000) -> File:
    """A small corpus beside many columns of different numbers, which take almost no space in the file."""
    numbers = np.arange(rows) % 10_000
    more = {f"c{n}": pa.array(numbers + n * 10_000) for n in range(columns)}
    cells = pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int8) % 2), ["one text", "another"])
    return File("unused.parquet", _parquet(pa.table({"text": cells, "topic": cells, **more})))


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", row_group_size=len(table))
    return sink.getvalue()


def _repeated(data: bytes, times: int) -> bytes:
    """The same file with a footer that names its row groups this many times, each time in the same place."""
    footer = pq.read_metadata(io.BytesIO(data))
    once, repeated = pq.read_metadata(io.BytesIO(data)), footer
    for _ in range(times - 1):
        repeated.append_row_groups(once)
    sink = io.BytesIO()
    repeated.write_metadata_file(sink)
    content = data[: -8 - struct.unpack("<I", data[-8:-4])[0]]
    return content + sink.getvalue()[4:]  # after the opening PAR1 that a file of metadata has too


def cell() -> File:
    return File("cell.csv", b'text,topic\n"' + b"x" * 190_000_000 + b'",a\n"b",b\n')


def cell_of_lines() -> File:
    return File("lines.csv", b'text,topic\n"' + b"x y z\n" * 31_000_000 + "\N{GRINNING FACE}".encode() + b'",a\n')


def line() -> File:
    return File("line.jsonl", b'{"text": "' + b"x" * 190_000_000 + b'", "topic": "a"}\n')


def nested_lists() -> File:
    """Three bytes in the file are sixty-four in memory."""
    row = b'{"text": "a", "topic": "b", "v": [' + b"[]," * 5_000_000 + b"[]]}\n"
    return File("lists.jsonl", row * 5)


def flat_zip() -> File:
    return File("flat.zip", _zipped({"t/a.txt": bytes(300_000_000)}))


def nested_zip() -> File:
    inner = _zipped({"a.txt": bytes(50_000_000)})
    return File("nested.zip", _zipped({f"t/{number}.zip": inner for number in range(100)}))


def _zipped(entries: dict[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return sink.getvalue()


TOO_MUCH = "takes more memory than is allowed"
# Each with words of the sentence that refuses it.
BOMBS: dict[Callable[[], File], str] = {
    equal_rows: "rows, the limit",
    equal_numbers: f"unpacks to|{TOO_MUCH}",
    long_texts: TOO_MUCH,
    cell: "line 2 has more than 16,000,000 characters",
    cell_of_lines: "a cell of more than 1,000,000 characters",
    line: "line 1 has more than 16,000,000 characters",
    nested_lists: TOO_MUCH,
    flat_zip: "unpacks to more than 200 times its size",
    nested_zip: "an archive inside the archive",
}
