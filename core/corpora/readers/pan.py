"""PAN's authorship verification files: pairs of texts, and beside them the truth about their authors."""

import json
import re
from typing import Any

from ...errors import InputError
from ..corpus import LONGEST_TEXT, MOST_DOCUMENTS, Corpus, make_corpus
from .files import decoded
from .jsonlines import objects, text_of
from .source import File, Source

_TOPIC_KEYS = ("fandoms", "discourse_types")  # PAN 2020 and 2021; PAN 2022 and 2023
_PEEK = 4_000
_PAIR_KEY = re.compile(rb'"pair"\s*:')  # a cell may hold the word too


def read_pan(source: Source) -> Corpus:
    """A corpus of the pairs' texts, each once: the same text of one author and topic is one document.

    A document's id is its pair's id with /1 or /2, from the pair where it first stands.
    """
    kinds = [pan_kind(file) for file in source.files]
    pairs = [file for file, kind in zip(source.files, kinds, strict=True) if kind == "pairs"]
    truths = [file for file, kind in zip(source.files, kinds, strict=True) if kind == "truth"]
    if len(pairs) != 1 or len(truths) > 1:
        raise InputError(
            f"{source.name}: {len(pairs)} file(s) of pairs and {len(truths)} of truth; "
            "give one pairs.jsonl and, for the authors, the truth.jsonl that belongs to it."
        )
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
    text, _ = decoded(file.data, file.name)
    for line, record in objects(text, file.name):
        where = f"{file.name}: line {line}"
        identity = identity_of(record, where)
        if identity in seen:
            raise InputError(f"{where}: id '{identity}' already stands in line {seen[identity]}; keep one of them.")
        seen[identity] = line
        topic_key = next((key for key in _TOPIC_KEYS if key in record), _TOPIC_KEYS[0])
        texts, topics = _two(record, "pair", where), _two(record, topic_key, where)
        longest = max(map(len, texts))
        if longest > LONGEST_TEXT:
            raise InputError(
                f"{where}: a text has {longest:,} characters; the limit is {LONGEST_TEXT:,}. Split or drop it."
            )
        for topic in topics:
            if not topic.strip():
                raise InputError(f"{where}: an empty topic in '{topic_key}'; fill it or drop the line.")
        if truth is not None and identity not in truth:
            raise InputError(f"{where}: id '{identity}' is not in the truth file; give the one that belongs to it.")
        authors = truth[identity] if truth is not None else ["", ""]
        for side in (0, 1):
            documents.setdefault((texts[side], topics[side], authors[side]), f"{identity}/{side + 1}")
        if len(documents) > MOST_DOCUMENTS:
            raise InputError(f"{name}: more than {MOST_DOCUMENTS:,} documents; draw a sample first.")
    if not documents:
        raise InputError(f"{file.name}: no pairs; write one object with 'id', 'fandoms' and 'pair' a line.")
    return make_corpus(
        [key[0] for key in documents],
        [key[1] for key in documents],
        authors=[key[2] for key in documents] if any(key[2] for key in documents) else None,
        ids=list(documents.values()),
        name=name,
    )


def _truth(file: File) -> dict[str, list[str]]:
    truth: dict[str, list[str]] = {}
    text, _ = decoded(file.data, file.name)
    for line, record in objects(text, file.name):
        where = f"{file.name}: line {line}"
        identity = identity_of(record, where)
        if identity in truth:
            raise InputError(f"{where}: id '{identity}' stands in the truth file twice; keep one of them.")
        authors = _two(record, "authors", where) if "authors" in record else ["", ""]
        same = record.get("same")
        if all(authors) and isinstance(same, bool) and same != (authors[0] == authors[1]):
            raise InputError(
                f"{where}: 'same' is {str(same).lower()}, but the authors are '{authors[0][:50]}' and "
                f"'{authors[1][:50]}'; put one of the two right."
            )
        truth[identity] = authors
    return truth


def identity_of(record: dict[str, Any], where: str) -> str:
    """The id of a pair, a truth or an answer; a number is taken as its digits."""
    identity = text_of(record.get("id"))
    if not identity.strip():
        raise InputError(f"{where}: no 'id'; give every pair one.")
    return identity


def _two(record: dict[str, Any], key: str, where: str) -> list[str]:
    values = record.get(key)
    if not isinstance(values, list) or len(values) != 2 or any(isinstance(value, list | dict) for value in values):
        raise InputError(f"{where}: '{key}' must be a list of two texts; PAN pairs have 'id', 'fandoms' and 'pair'.")
    return [text_of(value) for value in values]
