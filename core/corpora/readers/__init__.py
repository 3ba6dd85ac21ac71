"""Files to corpora: `read_source` opens anything, `table_corpus` turns a table's columns into a Corpus."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from ...errors import InputError
from ..corpus import Corpus
from .delimited import DELIMITERS, read_csv, read_tsv
from .files import (
    MOST_BYTES,
    MOST_BYTES_HERE,
    MOST_FILES,
    MOST_UNPACKED,
    NO_TABLE,
    REFUSED,
    decoded,
    short_lines,
    signature,
    size_of,
    suffix,
)
from .folders import load_newsgroups, read_folders
from .jsonlines import pan_id, pan_kind, read_jsonl, read_pan, streamed_objects
from .parquet import read_parquet
from .source import CORPUS, Expected, File, Given, Source, open_source, unpacked
from .table import FOUND, TOPIC_SOURCE, Table, check_split, table_corpus


@dataclass(frozen=True, slots=True)
class Reader:
    """A format: what people call it, how its files are named, and the function that reads it."""

    label: str
    suffixes: tuple[str, ...]
    read: Callable[[Source], Table | Corpus]


READERS: dict[str, Reader] = {
    "csv": Reader("CSV", ("csv", "txt"), read_csv),
    "tsv": Reader("TSV", ("tsv", "tab"), read_tsv),
    "jsonl": Reader("JSON lines", ("jsonl", "ndjson", "json"), read_jsonl),
    "parquet": Reader("Parquet", ("parquet", "pq"), read_parquet),
    "folders": Reader("a zip or folder of topic folders", ("zip",), read_folders),
    "pan": Reader("PAN verification pairs and truth", ("jsonl", "zip"), read_pan),
}
_BY_SUFFIX = {end: name for name in ("csv", "tsv", "jsonl", "parquet") for end in READERS[name].suffixes}


def read_source(
    given: Given | Sequence[Given],
    *,
    name: str | None = None,
    most_bytes: int = MOST_BYTES,
    expected: Expected = CORPUS,
) -> Table | Corpus:
    """Read paths, bytes or uploads: a Table where columns must be chosen, a Corpus where nothing is left to ask."""
    source = open_source(given, name=name, most_bytes=most_bytes, expected=expected)
    format, source = sniff(source)
    return READERS[format].read(source)


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
    needed: Collection[str] = ("topic",),
) -> Corpus:
    """Read a file whose columns are known; 'author', 'id' and 'split' may be absent under these names, under others not.

    So may 'topic' where it is not `needed`, because topics are to be found; 'split' may not where it is.
    """
    found = read_source(given, name=name, most_bytes=MOST_BYTES_HERE)
    if isinstance(found, Corpus):
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
    return table_corpus(found, text=text, topic=topic, author=author, id=id, split=split, vectors=vectors)


def sniff(source: Source) -> tuple[str, Source]:
    """The format of a source by content and name together, and the source as that format's reader takes it."""
    kinds = {pan_kind(file) for file in source.files}
    if "pairs" in kinds:
        return "pan", source
    if "truth" in kinds and not source.files[1:]:
        raise InputError(f"{source.name}: this is the truth of PAN pairs; give the pairs.jsonl together with it.")
    if not source.bundle:
        return _single(source), source
    tables = [file for file in source.files if suffix(file.name) in _BY_SUFFIX and suffix(file.name) != "txt"]
    if len(source.files) == 1 and tables:
        only = replace(source, bundle=False)
        return _single(only), only
    if not source.files:
        raise InputError(f"{source.name}: the folder holds no files; give a folder for each topic.")
    if len(tables) == len(source.files) and all("/" not in file.name for file in tables):
        remedy = "give one at a time, or PAN's pairs.jsonl with its truth.jsonl"
        raise InputError(f"{source.name}: {len(tables)} tables at once; {remedy}.")
    return "folders", source


def _single(source: Source) -> str:
    file = source.files[0]
    kind, end = signature(file.data), suffix(file.name)
    named = _BY_SUFFIX.get(end)
    known = ", ".join(f".{known}" for known in (*_BY_SUFFIX, "zip"))
    if kind is not None and kind in REFUSED:
        fact, remedy = REFUSED[kind]
        remedy = source.expected.remedy_or(remedy) if kind in NO_TABLE else remedy
        but = f", though its name ends in .{end}" if named else ""
        raise InputError(f"{file.name}: this is {fact}{but}; {remedy}.")
    if kind == "zip":
        if end in ("xlsx", "xlsm", "ods"):
            raise InputError(f"{file.name}: this is a spreadsheet; open it and save it as CSV (UTF-8).")
        raise InputError(f"{file.name}: this is a zip archive, though its name ends in .{end}; rename it to .zip.")
    if end in ("xls", "xlsx", "ods"):
        raise InputError(f"{file.name}: spreadsheets are not read; open it and save it as CSV (UTF-8).")
    head = file.data[:1_000].removeprefix(b"\xef\xbb\xbf").lstrip()
    content = kind or ("jsonl" if head.startswith((b'{"', b"{ ")) else "csv")
    if named is None:
        if end:
            raise InputError(f"{file.name}: files ending in .{end} are not read; give one of {known}.")
        return content
    if (content == "parquet") != (named == "parquet") or (content == "jsonl" and named in ("csv", "tsv")):
        is_one = READERS[content].label if content in ("parquet", "jsonl") else "no Parquet file"
        remedy = f"rename it to .{content}" if content in ("parquet", "jsonl") else "write it again, or rename it"
        raise InputError(f"{file.name}: this is {is_one}, though its name ends in .{end}; {remedy}.")
    return named
