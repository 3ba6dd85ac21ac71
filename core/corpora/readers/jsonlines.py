"""JSON lines, one object a line: a table whatever the keys, or PAN's pairs of texts and the truth about their authors."""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from ...arrays import Singles
from ...errors import InputError
from ...formats import counted
from ..corpus import LONGEST_TEXT, MOST_DOCUMENTS, Corpus, make_corpus
from .files import LONGEST_LINE, Text, opened_text
from .source import File, Source
from .table import Table, make_table, refuse_too_large

_TOPIC_KEYS = ("fandoms", "discourse_types")  # PAN 2020 and 2021; PAN 2022 and 2023
_PEEK = 4_000
_PAIR_KEY = re.compile(rb'"pair"\s*:')  # a cell may hold the word too
_ABSENT = object()
_REMEDY = 'write one object a line, without line breaks inside it, such as {"text": "…", "topic": "…"}'


def read_jsonl(source: Source) -> Table:
    """A table with a column for every key; a key missing from a line leaves its cell empty."""
    text = opened_text(source.files[0].data, source.name)
    columns: dict[str, list[Any]] = {}
    remedy = source.expected.remedy_or(_REMEDY)
    for count, (_, record) in enumerate(_objects(text, remedy), start=1):
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
            cells[name] = [_text(value) for value in values]
        else:
            vectors[name] = matrix
    return make_table(
        source.name, "jsonl", cells, encoding=text.encoding, notes=notes, vectors=vectors, expected=source.expected
    )


def _objects(text: Text, remedy: str = _REMEDY) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with their line numbers, counted from 1; blank lines are passed over."""
    for line, content in enumerate(text.lines(f"{remedy}."), start=1):
        if piece := content.strip():
            yield line, _object(piece, f"{text.name}: line {line}", remedy)


def streamed_objects(stream: BinaryIO, name: str, *, remedy: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Like `_objects`, but a line at a time from a UTF-8 file of any size; `remedy` shows what a line should be."""
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


def _text(value: Any) -> str:
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
    for value in values:
        numbers = isinstance(value, list) and all(type(number) in (int, float) for number in value)
        if not numbers or len(value) != len(first):
            return None
    try:
        with np.errstate(over="ignore"):
            return np.array(values, dtype=np.float64).astype(np.float32)
    except OverflowError:  # a whole number beyond any float
        return None


def read_pan(source: Source) -> Corpus:
    """A corpus of the pairs' texts, each once: the same text of one author and topic is one document.

    A document's id is its pair's id with /1 or /2, from the pair where it first stands.
    """
    pairs, truths = ([file for file in source.files if pan_kind(file) == kind] for kind in ("pairs", "truth"))
    if len(pairs) != 1 or len(truths) > 1:
        fact = f"{counted(len(pairs), 'file')} of pairs and {len(truths)} of truth"
        remedy = "give one pairs.jsonl and, for the authors, the truth.jsonl that belongs to it"
        raise InputError(f"{source.name}: {fact}; {remedy}.")
    truth = _truth(truths[0]) if truths else None
    return _corpus(pairs[0], truth, source.name)


def pan_kind(file: File) -> str | None:
    """'pairs' or 'truth' as the opening of a file shows; None for any other file."""
    head = file.data[:_PEEK]
    line = head.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n")[0]
    if not line.startswith(b"{"):
        return None
    if _PAIR_KEY.search(line):
        return "pairs"
    try:
        keys = set(json.loads(line))
    except (ValueError, RecursionError):
        return None
    return "truth" if "same" in keys and keys <= {"id", "same", "authors"} else None


def _corpus(file: File, truth: dict[str, list[str]] | None, name: str) -> Corpus:
    documents: dict[tuple[str, str, str], str] = {}
    seen: dict[str, int] = {}
    for line, record in _objects(opened_text(file.data, file.name)):
        where = f"{file.name}: line {line}"
        identity = pan_id(record, where)
        if identity in seen:
            raise InputError(f"{where}: id '{identity}' already stands in line {seen[identity]}; keep one of them.")
        seen[identity] = line
        topic_key = next((key for key in _TOPIC_KEYS if key in record), _TOPIC_KEYS[0])
        texts, topics = _two(record, "pair", where), _two(record, topic_key, where)
        longest = max(map(len, texts))
        if longest > LONGEST_TEXT:
            fact = f"a text has {longest:,} characters; the limit is {LONGEST_TEXT:,}"
            raise InputError(f"{where}: {fact}. Split or drop it.")
        if not all(topic.strip() for topic in topics):
            raise InputError(f"{where}: an empty topic in '{topic_key}'; fill it or drop the line.")
        if truth is not None and identity not in truth:
            raise InputError(f"{where}: id '{identity}' is not in the truth file; give the one that belongs to it.")
        authors = truth[identity] if truth is not None else ["", ""]
        for side, document in enumerate(zip(texts, topics, authors, strict=True), start=1):
            documents.setdefault(document, f"{identity}/{side}")
        if len(documents) > MOST_DOCUMENTS:
            raise InputError(f"{name}: more than {MOST_DOCUMENTS:,} documents; draw a sample first.")
    if not documents:
        raise InputError(f"{file.name}: no pairs; write one object with 'id', 'fandoms' and 'pair' a line.")
    every_text, every_topic, every_author = zip(*documents, strict=True)
    known = every_author if any(every_author) else None
    return make_corpus(every_text, every_topic, authors=known, ids=list(documents.values()), name=name)


def _truth(file: File) -> dict[str, list[str]]:
    truth: dict[str, list[str]] = {}
    for line, record in _objects(opened_text(file.data, file.name)):
        where = f"{file.name}: line {line}"
        identity = pan_id(record, where)
        if identity in truth:
            raise InputError(f"{where}: id '{identity}' stands in the truth file twice; keep one of them.")
        authors = _two(record, "authors", where) if "authors" in record else ["", ""]
        same = record.get("same")
        if all(authors) and isinstance(same, bool) and same != (authors[0] == authors[1]):
            fact = f"the authors are '{authors[0][:50]}' and '{authors[1][:50]}'"
            raise InputError(f"{where}: 'same' is {str(same).lower()}, but {fact}; put one of the two right.")
        truth[identity] = authors
    return truth


def pan_id(record: dict[str, Any], where: str) -> str:
    """The id of a pair, a truth or an answer; a number is taken as its digits."""
    identity = _text(record.get("id"))
    if not identity.strip():
        raise InputError(f"{where}: no 'id'; give every pair one.")
    return identity


def _two(record: dict[str, Any], key: str, where: str) -> list[str]:
    values = record.get(key)
    if not isinstance(values, list) or len(values) != 2 or any(isinstance(value, list | dict) for value in values):
        raise InputError(f"{where}: '{key}' must be a list of two texts; PAN pairs have 'id', 'fandoms' and 'pair'.")
    return [_text(value) for value in values]
