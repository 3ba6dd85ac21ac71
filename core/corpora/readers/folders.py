"""A folder for each topic and a text file for each document, as 20 Newsgroups comes; and that corpus in one click, its
archive fetched once with a progress bar and read without unpickling."""

import hashlib
import http.client
import os
import re
import tarfile
import urllib.request
import zlib
from collections.abc import Iterator
from email.utils import parseaddr
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ...errors import InputError
from ...files import written_whole
from ...progress import Progress
from ..corpus import LONGEST_TEXT, Corpus, make_corpus
from .files import MOST_UNPACKED, REFUSED, decoded_together, signature, suffix
from .source import File, Source

_HEADER_LINE = re.compile(r"[!-9;-~]+:[ \t]|[!-9;-~]+:$|[ \t]+\S")
_TABLES = ("csv", "tsv", "jsonl", "ndjson", "parquet")

NAME = "20 Newsgroups"
# The archive that scikit-learn's fetch_20newsgroups reads, under the name it has there, so that one copy serves both.
FILENAME = "20news-bydate.tar.gz"
ADDRESS = "https://ndownloader.figshare.com/files/5975967"
SHA256 = "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610"
_REMEDY = "Try again, or upload the corpus as a file or as a zip of topic folders."
_MOST_BYTES = 100_000_000  # the archive has 14 MB
_CHUNK = 1 << 16
_TIMEOUT = 20  # seconds without an answer
_QUOTING = re.compile(r"writes in|writes:|wrote:|says:|said:|^In article|^Quoted from|^\||^>")


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
    """A name for the sender in a message's header that does not show the address, one for all its spellings; or empty."""
    sender = next((line[5:] for line in header.split("\n") if line.lower().startswith("from:")), "")
    address = (parseaddr(sender.strip())[1] or sender).strip().lower()
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


def load_newsgroups(*, progress: Progress | None = None, data_home: str | os.PathLike[str] | None = None) -> Corpus:
    """Both subsets, the author from the hashed From: line; headers, footers and quotes stripped as scikit-learn does.

    The archive is kept in scikit-learn's data folder (or `data_home`), so the next call needs no internet.
    `progress` counts bytes, of 0 where the server does not say how many; it may raise to stop the download; nothing half-finished stays behind.
    """
    documents = sorted(_documents(_archive(data_home, progress)), key=lambda document: document[0])
    return make_corpus(
        [stripped(raw) for _, raw in documents],
        [identity.split("/")[1] for identity, _ in documents],
        authors=[sender_of(raw.partition("\n\n")[0]) for _, raw in documents],
        ids=[identity for identity, _ in documents],
        name=NAME,
    )


def stripped(raw: str) -> str:
    """A message without its header, its signature and what it quotes (scikit-learn's `remove`, rule by rule)."""
    text = raw.partition("\n\n")[2]
    # A signature stands below the last line that is blank or of hyphens only.
    lines = text.strip().split("\n")
    last = next((row for row in reversed(range(len(lines))) if not lines[row].strip().strip("-")), 0)
    lines = lines[:last] if last else text.split("\n")
    text = "\n".join(line for line in lines if not _QUOTING.search(line))
    # A few messages hold NUL, which ends a text in other programs.
    return text.replace("\0", " ").strip()


def _archive(data_home: str | os.PathLike[str] | None, progress: Progress | None) -> Path:
    # Imported here because scikit-learn's datasets take a second that no other page needs.
    from sklearn.datasets import get_data_home

    try:
        path = Path(get_data_home(None if data_home is None else str(data_home))) / FILENAME
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == SHA256:
            return path
    except OSError as error:
        fact = f"the folder for downloads cannot be used ({error.strerror or error})"
        raise InputError(f"{NAME}: {fact}; set SCIKIT_LEARN_DATA to a folder that can be written.") from error
    with written_whole(path) as partial:
        with partial.open("xb") as target:
            found = _download(ADDRESS, target, progress)
        if found != SHA256:
            raise InputError(f"{NAME}: the download arrived damaged (its checksum does not fit). {_REMEDY}")
    return path


def _download(url: str, target: BinaryIO, progress: Progress | None) -> str:
    """Write the archive to `target` piece by piece and return its sha256."""
    digest, done = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT) as answer:
            length = answer.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else 0
            while chunk := answer.read(_CHUNK):
                done += len(chunk)
                if done > _MOST_BYTES:
                    raise InputError(f"{NAME}: the download does not end where the archive should. {_REMEDY}")
                target.write(chunk)
                digest.update(chunk)
                if progress is not None:
                    progress(done, total, "bytes", None)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = str(getattr(error, "reason", None) or error) or type(error).__name__
        fact = f"the corpus could not be downloaded ({reason})"
        raise InputError(f"{NAME}: {fact}; is there an internet connection? {_REMEDY}") from error
    return digest.hexdigest()


def _documents(archive: Path) -> Iterator[tuple[str, str]]:
    """Each message with an id such as 'test/sci.space/61000'."""
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
                    raise InputError(f"{NAME}: the archive is larger than it should be. {_REMEDY}")
                subset = parts[-3].rpartition("-")[2]
                # Every byte means something in Latin-1, which is how scikit-learn reads these messages.
                yield f"{subset}/{parts[-2]}/{parts[-1]}", stream.read().decode("latin-1")
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise InputError(f"{NAME}: the archive at {archive} cannot be read; delete it. {_REMEDY}") from error
