"""20 Newsgroups in one click: scikit-learn's archive, fetched once with a progress bar, read without unpickling."""

import hashlib
import http.client
import os
import tarfile
import tempfile
import urllib.request
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from ...errors import InputError
from ...progress import Progress
from ..corpus import Corpus, make_corpus
from .folders import sender_of

NAME = "20 Newsgroups"
_REMEDY = "Try again, or upload the corpus as a file or as a zip of topic folders."
_MOST_BYTES = 100_000_000  # the archive has 14 MB
_MOST_UNPACKED = 500_000_000
_CHUNK = 1 << 16
_TIMEOUT = 20  # seconds without an answer


def load_newsgroups(*, progress: Progress | None = None, data_home: str | os.PathLike[str] | None = None) -> Corpus:
    """Both subsets, the author from the hashed From: line; headers, footers and quotes stripped by scikit-learn.

    The archive is kept in scikit-learn's data folder (or `data_home`), so the next call needs no internet.
    `progress` counts bytes, of 0 where the server does not say how many; it may raise to stop the download; nothing half-finished stays behind.
    """
    # Imported here because scikit-learn's datasets take a second that no other page needs.
    from sklearn.datasets import _twenty_newsgroups as origin

    archive = _archive(origin.ARCHIVE, data_home, progress)
    documents = sorted(_documents(archive), key=lambda document: document[0])
    texts, topics, authors = [], [], []
    for identity, raw in documents:
        texts.append(_stripped(raw, origin))
        topics.append(identity.split("/")[1])
        authors.append(sender_of(raw.partition("\n\n")[0]))
    return make_corpus(texts, topics, authors=authors, ids=[identity for identity, _ in documents], name=NAME)


def _archive(remote: Any, data_home: str | os.PathLike[str] | None, progress: Progress | None) -> Path:
    from sklearn.datasets import get_data_home

    try:
        folder = Path(get_data_home(None if data_home is None else str(data_home)))
        path = folder / str(remote.filename)
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == remote.checksum:
            return path
    except OSError as error:
        raise InputError(
            f"{NAME}: the folder for downloads cannot be used ({error.strerror or error}); "
            "set SCIKIT_LEARN_DATA to a folder that can be written."
        ) from error
    # A file of its own for each download, so two at once cannot mix; the rename puts it in place whole.
    handle, partial = tempfile.mkstemp(prefix=remote.filename + ".", suffix=".part", dir=folder)
    try:
        with os.fdopen(handle, "wb") as target:
            found = _download(remote.url, target, progress)
        if found != remote.checksum:
            raise InputError(f"{NAME}: the download arrived damaged (its checksum does not fit). {_REMEDY}")
        os.replace(partial, path)
    finally:
        Path(partial).unlink(missing_ok=True)
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
        raise InputError(
            f"{NAME}: the corpus could not be downloaded ({_reason(error)}); is there an internet connection? {_REMEDY}"
        ) from error
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
                if total > _MOST_UNPACKED:
                    raise InputError(f"{NAME}: the archive is larger than it should be. {_REMEDY}")
                subset = parts[-3].rpartition("-")[2]
                # Every byte means something in Latin-1, which is how scikit-learn reads these messages.
                yield f"{subset}/{parts[-2]}/{parts[-1]}", stream.read().decode("latin-1")
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise InputError(f"{NAME}: the archive at {archive} cannot be read; delete it. {_REMEDY}") from error


def _stripped(raw: str, origin: Any) -> str:
    text = origin.strip_newsgroup_header(raw)
    text = origin.strip_newsgroup_footer(text)
    text = origin.strip_newsgroup_quoting(text)
    # A few messages hold NUL, which ends a text in other programs.
    return str(text).replace("\0", " ").strip()


def _reason(error: Exception) -> str:
    return str(getattr(error, "reason", None) or error) or type(error).__name__
