"""A folder for each topic and a text file for each document, as 20 Newsgroups comes."""

import hashlib
import re
from email.utils import parseaddr
from pathlib import PurePosixPath

from ...errors import InputError
from ..corpus import LONGEST_TEXT, Corpus, make_corpus
from .files import REFUSED, decoded_together, signature, suffix
from .source import File, Source

_HEADER_LINE = re.compile(r"[!-9;-~]+:[ \t]|[!-9;-~]+:$|[ \t]+\S")
_TABLES = ("csv", "tsv", "jsonl", "ndjson", "parquet")


def read_folders(source: Source) -> Corpus:
    """A corpus whose topics are the folders that hold the files; a document's id is its path.

    A header block with a From: line gives the author, hashed, and leaves the text: it would name author and topic.
    """
    for file in source.files:
        _refuse(file, source.name)
    _refuse_mixed_depth(source)
    texts, _ = decoded_together([file.data for file in source.files], source.name)
    for file, text in zip(source.files, texts, strict=True):
        if len(text) > LONGEST_TEXT:
            fact = f"'{file.name}' has {len(text):,} characters; the limit is {LONGEST_TEXT:,}"
            raise InputError(f"{source.name}: {fact}. Split or drop it.")
    split = [split_header(text.replace("\r\n", "\n")) for text in texts]
    authors = [author for author, _ in split]
    return make_corpus(
        [text for _, text in split],
        [PurePosixPath(file.name).parent.name for file in source.files],
        authors=authors if any(authors) else None,
        ids=_short_ids([file.name for file in source.files]),
        name=source.name,
    )


def split_header(text: str) -> tuple[str, str]:
    """The hashed author of a message and its text below the header; an unsigned text comes back as it is."""
    header, _, body = text.partition("\n\n")
    lines = header.split("\n")
    if not all(_HEADER_LINE.match(line) for line in lines):
        return "", text
    author = sender_of(header)
    return (author, body) if author else ("", text)


def sender_of(header: str) -> str:
    """The hashed author that a message's header names; empty where there is none."""
    lines = (line for line in header.split("\n") if line.lower().startswith("from:"))
    return hashed_author(next(lines, "")[5:])


def hashed_author(sender: str) -> str:
    """A name for the sender that does not show the address: two spellings of one address get one name."""
    address = parseaddr(sender.strip())[1] or sender
    address = address.strip().lower()
    return "u" + hashlib.sha256(address.encode("utf-8", "replace")).hexdigest()[:10] if address else ""


def _refuse(file: File, name: str) -> None:
    kind = signature(file.data)
    if kind is not None and kind != "html":  # a page may be a document here
        fact, remedy = REFUSED.get(kind, ("a table or an archive", "give it by itself"))
        raise InputError(f"{name}: '{file.name}' is {fact}, not a text; remove it, or {remedy}.")
    if len(PurePosixPath(file.name).parts) < 2:
        extra = " Give one table at a time." if suffix(file.name) in _TABLES else ""
        remedy = f"move it into one, or remove it.{extra}"
        raise InputError(f"{name}: '{file.name}' lies outside every topic folder; {remedy}")
    nul = file.data.find(b"\0")
    if nul >= 0:
        line = file.data.count(b"\n", 0, nul) + 1
        raise InputError(f"{name}: '{file.name}', line {line}: a NUL byte, which no text holds; save it as UTF-8.")


def _refuse_mixed_depth(source: Source) -> None:
    first = source.files[0].name
    for file in source.files:
        if file.name.count("/") != first.count("/"):
            fact = f"'{first}' and '{file.name}' lie at different depths"
            raise InputError(f"{source.name}: {fact}; put every document directly into the folder of its topic.")


def _short_ids(names: list[str]) -> list[str]:
    """The paths without the folders that all of them share, the topic's own aside."""
    paths = [PurePosixPath(name).parts for name in names]
    shared = 0
    while all(len(path) > shared + 2 and path[shared] == paths[0][shared] for path in paths):
        shared += 1
    return ["/".join(path[shared:]) for path in paths]
