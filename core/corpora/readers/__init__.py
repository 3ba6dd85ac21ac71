"""Readers: `read_source` opens any file, `table_corpus` turns a table's columns into a Corpus."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ...engine import bounded
from ...errors import InputError
from ..cleaning import JSON, separator_of, topics_in
from ..corpus import Corpus, LabelledCorpus, make_labelled
from .bundles import load_newsgroups, pan_id, pan_kind, read_folders, read_pan
from .parquet import opened_parquet, parquet_bytes, read_parquet, unpacked_size
from .sources import (
    CORPUS,
    MOST_BYTES,
    MOST_BYTES_HERE,
    MOST_FILES,
    MOST_UNPACKED,
    NO_TABLE,
    READ_MEMORY,
    REFUSED,
    Expected,
    File,
    Given,
    Source,
    decoded,
    fetch_file,
    open_source,
    short_lines,
    signature,
    size_of,
    suffix,
    unpacked,
)
from .tables import (
    DELIMITERS,
    FOUND,
    TOPIC_SOURCE,
    Table,
    check_split,
    read_csv,
    read_jsonl,
    read_tsv,
    streamed_objects,
    table_corpus,
)


@dataclass(frozen=True, slots=True)
class Reader:
    """A file format."""

    label: str
    suffixes: tuple[str, ...]  # extensions of its files
    read: Callable[[Source], Table | Corpus]


READERS: dict[str, Reader] = {
    "csv": Reader("CSV", ("csv", "txt"), read_csv),
    "tsv": Reader("TSV", ("tsv", "tab"), read_tsv),
    "jsonl": Reader("JSON lines", ("jsonl", "ndjson", "json"), read_jsonl),
    "parquet": Reader("Parquet", ("parquet", "pq"), read_parquet),
    "folders": Reader("a zip or folder of topic folders", ("zip",), read_folders),
    "pan": Reader("PAN verification pairs and truth", ("jsonl", "zip"), read_pan),
}
_LABELLED = ("text", "topics", "split")  # columns
_BY_SUFFIX = {end: name for name in ("csv", "tsv", "jsonl", "parquet") for end in READERS[name].suffixes}


def read_source(
    given: Given | Sequence[Given],
    *,
    name: str | None = None,
    most_bytes: int = MOST_BYTES,
    expected: Expected = CORPUS,
    wanted: Collection[str | None] | None = None,
) -> Table | Corpus:
    """Read paths, bytes or uploads into a Table whose columns must be chosen, or a Corpus if nothing is left to ask.

    Of a Parquet file only the columns `wanted` are read.
    """
    source = open_source(given, name=name, most_bytes=most_bytes, expected=expected)
    format, source = sniff(source)
    if wanted is not None:
        columns = frozenset(column for column in (*wanted, TOPIC_SOURCE) if column is not None)
        source = replace(source, wanted=columns)
    return READERS[format].read(source)


@contextmanager
def read_within_memory(given: Given | Sequence[Given]) -> Iterator[None]:
    """Read under the memory limit of an upload, or ten times the size of a large file of the user's own."""
    path = given if isinstance(given, str | os.PathLike) and os.path.isfile(given) else None
    try:
        with bounded(None if path is None else max(READ_MEMORY, 10 * os.path.getsize(path)), more=True):
            yield
    except MemoryError as problem:
        raise InputError(
            f"{os.path.basename(path or 'the file')}: reading it takes more memory than is allowed. Take a sample, or keep "
            "only the columns you need."
        ) from problem


def read_corpus(
    given: Given | Sequence[Given],
    *,
    name: str | None = None,
    text: str = "text",
    topic: str | None = "topic",
    author: str | None = "author",
    id: str | None = "id",
    split: str | None = "split",
    vectors: str | None = None,
    label: str | None = None,
    needed: Collection[str] = ("topic",),
) -> Corpus:
    """Read a file with known columns; columns called 'author', 'id' and 'split' are optional, others must exist.

    So is 'topic' unless it is `needed`, because topics can be found; 'split' is not optional if it is `needed`. Models
    predict the column `label` if it is named, and the author otherwise.
    """
    wanted = text, topic, label or author, id, split, vectors
    with read_within_memory(given):
        found = read_source(given, name=name, most_bytes=MOST_BYTES_HERE, wanted=wanted)
    if isinstance(found, Corpus):
        if label is not None:
            raise InputError(f"{found.name}: this file has no column '{label}'. A label needs a table, such as CSV.")
        return found
    if "topic" not in needed and topic == "topic" and topic not in found.columns:
        topic = None
    if author == "author" and author not in found.columns:
        author = None
    if id == "id" and id not in found.columns:
        id = None
    if "split" in needed and split is not None:
        check_split(found, split)
    elif split == "split" and found.roles["split"] != "split":
        split = None
    return table_corpus(found, text=text, topic=topic, author=author, id=id, split=split, vectors=vectors, label=label)


def sniff(source: Source) -> tuple[str, Source]:
    """Return the format of a source by its content and name, and the source as that format's reader takes it."""
    kinds = {pan_kind(file) for file in source.files}
    if "pairs" in kinds:
        return "pan", source
    if "truth" in kinds and not source.files[1:]:
        raise InputError(f"{source.name}: this is the truth file of PAN pairs. Give the pairs.jsonl together with it.")
    if not source.bundle:
        return _single(source), source
    tables = [file for file in source.files if suffix(file.name) in _BY_SUFFIX and suffix(file.name) != "txt"]
    if len(source.files) == 1 and tables:
        only = replace(source, bundle=False)
        return _single(only), only
    if not source.files:
        raise InputError(f"{source.name}: the folder has no files. Give a folder for each topic.")
    if len(tables) == len(source.files) and all("/" not in file.name for file in tables):
        raise InputError(
            f"{source.name}: {len(tables)} tables at once. Give one at a time, or PAN's pairs.jsonl with its truth.jsonl."
        )
    return "folders", source


def _single(source: Source) -> str:
    file = source.files[0]
    kind, end = signature(file.data), suffix(file.name)
    named = _BY_SUFFIX.get(end)
    known = ", ".join(f".{known}" for known in (*_BY_SUFFIX, "zip"))
    if kind is not None and kind in REFUSED:
        fact, fix = REFUSED[kind]
        fix = source.expected.fix_or(fix) if kind in NO_TABLE else f"{fix}."
        but = f", though its name ends in .{end}" if named else ""
        raise InputError(f"{file.name}: this is {fact}{but}. {fix}")
    if kind == "zip":
        if end in ("xlsx", "xlsm", "ods"):
            raise InputError(f"{file.name}: this is a spreadsheet. Open it and save it as CSV (UTF-8).")
        raise InputError(f"{file.name}: this is a zip archive, though its name ends in .{end}. Rename it to .zip.")
    if end in ("xls", "xlsx", "ods"):
        raise InputError(f"{file.name}: spreadsheets are not supported. Open it and save it as CSV (UTF-8).")
    head = file.data[:1_000].removeprefix(b"\xef\xbb\xbf").lstrip()
    content = kind or ("jsonl" if head.startswith((b'{"', b"{ ")) else "csv")
    if named is None:
        if end:
            raise InputError(f"{file.name}: files ending in .{end} are not supported. Give one of {known}.")
        return content
    if (content == "parquet") != (named == "parquet") or (content == "jsonl" and named in ("csv", "tsv")):
        is_one = READERS[content].label if content in ("parquet", "jsonl") else "not a Parquet file"
        fix = f"Rename it to .{content}" if content in ("parquet", "jsonl") else "Write it again, or rename it"
        raise InputError(f"{file.name}: this is {is_one}, though its name ends in .{end}. {fix}.")
    return named


def read_labelled(given: Given) -> LabelledCorpus:
    """Read CSV, TSV, JSON lines or Parquet; topics are a list, or names joined by | ; or , (see `separator_of`)."""
    with read_within_memory(given):
        table = read_source(given, most_bytes=MOST_BYTES_HERE, wanted=_LABELLED)
    if not isinstance(table, Table):
        raise InputError(f"{table.name}: this is not a table. Give one with the columns {', '.join(_LABELLED)}.")
    texts, topics, split = (_column_cells(table, column) for column in _LABELLED)
    return make_labelled(texts, _separated_topics(topics, table.name), split, name=table.name)


def _separated_topics(cells: Sequence[str], name: str) -> list[tuple[str, ...]]:
    """Return the topics of each cell, separated as everywhere else; an empty cell has none."""
    separator = separator_of(cells) or JSON  # a list of one topic is a list too
    found = [topics_in(cell, separator) for cell in cells]
    for row, (cell, topics) in enumerate(zip(cells, found, strict=True), start=1):
        if separator == JSON and cell.lstrip().startswith("[") and topics == (cell.strip(),):
            raise InputError(f'{name}: the topics of row {row} are not a JSON list of texts. Write ["a", "b"].')
    return found


def _column_cells(table: Table, column: str) -> list[str]:
    if column in table.frame.columns:
        return list(table.frame[column])
    holds = "numbers" if column in table.vectors else table.left_out.get(column)
    if holds is not None:
        raise InputError(
            f"{table.name}: column '{column}' has {holds}. Write text there, and topics as lists of names."
        )
    raise InputError(
        f"{table.name}: there is no column '{column}'. Categorization needs {', '.join(_LABELLED)}; the file has "
        f"{', '.join(table.columns[:30])}."
    )
