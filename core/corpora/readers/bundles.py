"""Collections with a layout of their own: topic folders, 20 Newsgroups as published, and PAN's verification pairs."""

import hashlib
import http.client
import json
import os
import re
import tarfile
import urllib.request
import zlib
from collections.abc import Iterator
from email.utils import parseaddr
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from ...errors import InputError
from ...files import written_whole
from ...formats import counted
from ...progress import Progress
from ..corpus import LONGEST_TEXT, MOST_DOCUMENTS, Corpus, make_corpus
from .sources import MOST_UNPACKED, REFUSED, File, Source, decoded_together, opened_text, signature, suffix
from .tables import json_objects, json_text

_HEADER_LINE = re.compile(r"[!-9;-~]+:[ \t]|[!-9;-~]+:$|[ \t]+\S")
_TABLES = ("csv", "tsv", "jsonl", "ndjson", "parquet")

NAME = "20 Newsgroups"
# The archive of scikit-learn's fetch_20newsgroups, under the same name, so that one copy serves both.
FILENAME = "20news-bydate.tar.gz"
ADDRESS = "https://ndownloader.figshare.com/files/5975967"
SHA256 = "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610"
_FIX = "Try again, or upload the corpus as a file or as a zip of topic folders."
_MOST_BYTES = 100_000_000  # the archive has 14 MB
_CHUNK = 1 << 16
_TIMEOUT = 20  # seconds without a response
_QUOTING = re.compile(r"writes in|writes:|wrote:|says:|said:|^In article|^Quoted from|^\||^>")
_TOPIC_KEYS = ("fandoms", "discourse_types")  # PAN 2020 and 2021; PAN 2022 and 2023
_PEEK = 4_000
_PAIR_KEY = re.compile(rb'"pair"\s*:')  # a cell may hold the word too


def read_folders(source: Source) -> Corpus:
    """Read a corpus whose topics are the folders of its files; a document's id is its path.

    A header block with a From: line gives the author, hashed, and is removed: it would name author and topic.
    """
    for file in source.files:
        _refuse_member(file, source.name)
    _refuse_mixed_depth(source)
    texts, _ = decoded_together([file.data for file in source.files], source.name)
    for file, text in zip(source.files, texts, strict=True):
        if len(text) > LONGEST_TEXT:
            raise InputError(
                f"{source.name}: '{file.name}' has {len(text):,} characters; the limit is {LONGEST_TEXT:,}. Split or delete it."
            )
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
    """Return the hashed author of a message and its text below the header; an unsigned text as it is."""
    header, _, body = text.partition("\n\n")
    lines = header.split("\n")
    if not all(_HEADER_LINE.match(line) for line in lines):
        return "", text
    author = sender_of(header)
    return (author, body) if author else ("", text)


def sender_of(header: str) -> str:
    """Return a hash of the sender's address in a header, the same for all its spellings, or an empty text."""
    sender = next((line[5:] for line in header.split("\n") if line.lower().startswith("from:")), "")
    address = (parseaddr(sender.strip())[1] or sender).strip().lower()
    return "u" + hashlib.sha256(address.encode("utf-8", "replace")).hexdigest()[:10] if address else ""


def _refuse_member(file: File, name: str) -> None:
    kind = signature(file.data)
    if kind is not None and kind != "html":  # a page may be a document here
        fact, fix = REFUSED.get(kind, ("a table or an archive", "Or give it by itself"))
        raise InputError(f"{name}: '{file.name}' is {fact}, not a text. Delete it. {fix}.")
    if len(PurePosixPath(file.name).parts) < 2:
        extra = " Give one table at a time." if suffix(file.name) in _TABLES else ""
        raise InputError(f"{name}: '{file.name}' is in no topic folder. Move it into one, or delete it.{extra}")
    nul = file.data.find(b"\0")
    if nul >= 0:
        line = file.data.count(b"\n", 0, nul) + 1
        raise InputError(f"{name}: '{file.name}' contains a NUL byte in line {line}. Save it as UTF-8.")


def _refuse_mixed_depth(source: Source) -> None:
    first = source.files[0].name
    for file in source.files:
        if file.name.count("/") != first.count("/"):
            raise InputError(
                f"{source.name}: '{first}' and '{file.name}' are at different depths. Put every document directly into the "
                "folder of its topic."
            )


def _short_ids(names: list[str]) -> list[str]:
    """Return the paths without the folders that all share, but with the topic's own."""
    paths = [PurePosixPath(name).parts for name in names]
    shared = 0
    while all(len(path) > shared + 2 and path[shared] == paths[0][shared] for path in paths):
        shared += 1
    return ["/".join(path[shared:]) for path in paths]


def load_newsgroups(*, progress: Progress | None = None, data_home: str | os.PathLike[str] | None = None) -> Corpus:
    """Load both subsets, with hashed authors from the From: line and headers, footers and quotes removed as scikit-learn does.

    The archive is kept in scikit-learn's data folder (or `data_home`), so the next call needs no internet. `progress`
    counts bytes (of 0 if the server does not say how many) and may raise to stop; no partial file remains.
    """
    documents = sorted(_pan_documents(_archive(data_home, progress)), key=lambda document: document[0])
    return make_corpus(
        [stripped(raw) for _, raw in documents],
        [identity.split("/")[1] for identity, _ in documents],
        authors=[sender_of(raw.partition("\n\n")[0]) for _, raw in documents],
        ids=[identity for identity, _ in documents],
        name=NAME,
    )


def stripped(raw: str) -> str:
    """Return a message without header, signature and quotes, by the rules of scikit-learn's `remove`."""
    text = raw.partition("\n\n")[2]
    # A signature follows the last line that is blank or has only hyphens.
    lines = text.strip().split("\n")
    last = next((row for row in reversed(range(len(lines))) if not lines[row].strip().strip("-")), 0)
    lines = lines[:last] if last else text.split("\n")
    text = "\n".join(line for line in lines if not _QUOTING.search(line))
    # A few messages contain NUL, which ends a text in other programs.
    return text.replace("\0", " ").strip()


def _archive(data_home: str | os.PathLike[str] | None, progress: Progress | None) -> Path:
    # Imported here because it takes a second that no other page needs.
    from sklearn.datasets import get_data_home

    try:
        path = Path(get_data_home(None if data_home is None else str(data_home))) / FILENAME
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == SHA256:
            return path
    except OSError as error:
        raise InputError(
            f"{NAME}: the folder for downloads cannot be used ({error.strerror or error}). Set SCIKIT_LEARN_DATA to a "
            "folder you can write to."
        ) from error
    with written_whole(path) as partial:
        with partial.open("xb") as target:
            found = _download(ADDRESS, target, progress)
        if found != SHA256:
            raise InputError(f"{NAME}: the download is damaged (wrong checksum). {_FIX}")
    return path


def _download(url: str, target: BinaryIO, progress: Progress | None) -> str:
    """Write the archive to `target` in pieces and return its SHA-256."""
    digest, done = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT) as answer:
            length = answer.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else 0
            while chunk := answer.read(_CHUNK):
                done += len(chunk)
                if done > _MOST_BYTES:
                    raise InputError(f"{NAME}: the download is larger than the archive. {_FIX}")
                target.write(chunk)
                digest.update(chunk)
                if progress is not None:
                    progress(done, total, "bytes", None)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = str(getattr(error, "reason", None) or error) or type(error).__name__
        raise InputError(
            f"{NAME}: the corpus could not be downloaded ({reason}). Check the internet connection. {_FIX}"
        ) from error
    return digest.hexdigest()


def _pan_documents(archive: Path) -> Iterator[tuple[str, str]]:
    """Yield each message with an id such as 'test/sci.space/61000'."""
    total = 0
    try:
        with tarfile.open(archive, "r|gz") as opened:
            for member in opened:
                parts = PurePosixPath(member.name).parts
                stream = opened.extractfile(member) if member.isreg() and len(parts) >= 3 else None
                if stream is None:
                    continue
                total += member.size
                if total > MOST_UNPACKED:
                    raise InputError(f"{NAME}: the archive is larger than it should be. {_FIX}")
                subset = parts[-3].rpartition("-")[2]
                # scikit-learn reads these messages as Latin-1, in which every byte is valid.
                yield f"{subset}/{parts[-2]}/{parts[-1]}", stream.read().decode("latin-1")
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise InputError(f"{NAME}: the archive at {archive} cannot be read. Delete it. {_FIX}") from error


def read_pan(source: Source) -> Corpus:
    """Read the texts of the pairs, each once: the same text of one author and topic is one document.

    A document's id is the id of the first pair that has it, with /1 or /2.
    """
    pairs, truths = ([file for file in source.files if pan_kind(file) == kind] for kind in ("pairs", "truth"))
    if len(pairs) != 1 or len(truths) > 1:
        raise InputError(
            f"{source.name}: {counted(len(pairs), 'file')} of pairs and {len(truths)} of truth. Give one pairs.jsonl and, for "
            "the authors, its truth.jsonl."
        )
    truth = _truth(truths[0]) if truths else None
    return _pan_corpus(pairs[0], truth, source.name)


def pan_kind(file: File) -> str | None:
    """Return 'pairs' or 'truth' by the first line of a file, or None for any other file."""
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


def _pan_corpus(file: File, truth: dict[str, list[str]] | None, name: str) -> Corpus:
    documents: dict[tuple[str, str, str], str] = {}
    seen: dict[str, int] = {}
    for line, found in json_objects(opened_text(file.data, file.name)):
        where = f"{file.name}: line {line}"
        identity = pan_id(found, where)
        if identity in seen:
            raise InputError(f"{where}: id '{identity}' is also in line {seen[identity]}. Keep one of them.")
        seen[identity] = line
        topic_key = next((key for key in _TOPIC_KEYS if key in found), _TOPIC_KEYS[0])
        texts, topics = _two(found, "pair", where), _two(found, topic_key, where)
        longest = max(map(len, texts))
        if longest > LONGEST_TEXT:
            raise InputError(
                f"{where}: a text has {longest:,} characters; the limit is {LONGEST_TEXT:,}. Split or delete it."
            )
        if not all(topic.strip() for topic in topics):
            raise InputError(f"{where}: a topic in '{topic_key}' is empty. Fill it in or delete the line.")
        if truth is not None and identity not in truth:
            raise InputError(f"{where}: id '{identity}' is not in the truth file. Give the truth file of these pairs.")
        authors = truth[identity] if truth is not None else ["", ""]
        for side, document in enumerate(zip(texts, topics, authors, strict=True), start=1):
            documents.setdefault(document, f"{identity}/{side}")
        if len(documents) > MOST_DOCUMENTS:
            raise InputError(
                f"{name}: the pairs have more than {MOST_DOCUMENTS:,} documents, the limit. Take a sample first."
            )
    if not documents:
        raise InputError(
            f"{file.name}: the file has no pairs. Write one object per line with 'id', 'fandoms' and 'pair'."
        )
    every_text, every_topic, every_author = zip(*documents, strict=True)
    known = every_author if any(every_author) else None
    return make_corpus(every_text, every_topic, authors=known, ids=list(documents.values()), name=name)


def _truth(file: File) -> dict[str, list[str]]:
    truth: dict[str, list[str]] = {}
    for line, found in json_objects(opened_text(file.data, file.name)):
        where = f"{file.name}: line {line}"
        identity = pan_id(found, where)
        if identity in truth:
            raise InputError(f"{where}: id '{identity}' is in the truth file twice. Keep one of them.")
        authors = _two(found, "authors", where) if "authors" in found else ["", ""]
        same = found.get("same")
        if all(authors) and isinstance(same, bool) and same != (authors[0] == authors[1]):
            raise InputError(
                f"{where}: 'same' is {str(same).lower()}, but the authors are '{authors[0][:50]}' and '{authors[1][:50]}'. "
                "Correct one of the two."
            )
        truth[identity] = authors
    return truth


def pan_id(found: dict[str, Any], where: str) -> str:
    """Return the id of a pair, a truth or an answer; a number as its digits."""
    identity = json_text(found.get("id"))
    if not identity.strip():
        raise InputError(f"{where} has no 'id'. Give every pair one.")
    return identity


def _two(found: dict[str, Any], key: str, where: str) -> list[str]:
    values = found.get(key)
    if not isinstance(values, list) or len(values) != 2 or any(isinstance(value, list | dict) for value in values):
        raise InputError(
            f"{where}: '{key}' is not a list of two texts. Write PAN pairs with 'id', 'fandoms' and 'pair'."
        )
    return [json_text(value) for value in values]
