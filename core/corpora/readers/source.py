"""Paths, bytes, uploads, folders and zip archives opened into named pieces of bytes; no archive's headers are trusted."""

import io
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, TypeAlias, cast

from ...errors import InputError
from .files import MOST_BYTES, MOST_FILES, MOST_RATIO, MOST_UNPACKED, PACKED, REFUSED, signature, size_of, suffix

_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, LookupError, OSError,
)  # fmt: skip
_ENTRY_MARK = b"PK\x01\x02"
_CHUNK = 1 << 20
_SMALL = 10_000_000  # below this a high ratio does no harm


@dataclass(frozen=True, slots=True)
class File:
    """A named piece of bytes; inside a bundle the name is its path, with '/' between folders."""

    name: str
    data: bytes


Given: TypeAlias = str | os.PathLike[str] | bytes | BinaryIO | File


@dataclass(frozen=True, slots=True)
class Expected:
    """What a file should hold, in the words of messages: what its rows are, and a remedy in place of the corpus's own."""

    rows: str = "documents"
    remedy: str | None = None

    def remedy_or(self, usual: str) -> str:
        """The remedy that fits this kind of file; `usual` fits a corpus."""
        return self.remedy or usual


CORPUS = Expected()


@dataclass(frozen=True, slots=True)
class Source:
    """One file, or several that belong together (`bundle`): a folder, a zip archive, two uploads."""

    name: str
    files: tuple[File, ...]
    bundle: bool
    expected: Expected = CORPUS
    most_unpacked: int = MOST_UNPACKED


def open_source(
    given: Given | Sequence[Given],
    *,
    name: str | None = None,
    most_bytes: int = MOST_BYTES,
    expected: Expected = CORPUS,
) -> Source:
    """Read paths, bytes or uploads into a Source, unpacking a zip archive and walking a folder.

    `name` is what the corpus is called; only bytes, which have no name of their own, are also recognised by it.
    """
    parts: list[Given] = list(given) if isinstance(given, list | tuple) else [cast(Given, given)]
    if not parts:
        raise InputError("No file was given; choose one.")
    if len(parts) > 1:
        files = tuple(_one_file(part, None, most_bytes, expected) for part in parts)
        total = sum(len(file.data) for file in files)
        if total > most_bytes:
            limit = size_of(most_bytes)
            raise InputError(f"The files hold {size_of(total)}; the limit is {limit}. Draw a sample first.")
        return Source(name or " + ".join(file.name for file in files), files, True, expected)
    part = parts[0]
    if isinstance(part, str | os.PathLike) and os.path.isdir(part):
        folder = Path(part)
        return Source(name or folder.resolve().name, tuple(_folder_files(folder, most_bytes)), True, expected)
    file = _one_file(part, name, most_bytes, expected)
    # A larger limit was asked for on the user's own machine; it holds for what is unpacked too.
    most_unpacked = max(MOST_UNPACKED, most_bytes)
    if signature(file.data) == "zip" and suffix(file.name) in ("", "zip"):
        files = unpacked(file, most_bytes=most_unpacked)
        return Source(name or file.name, files, True, expected, most_unpacked)
    return Source(name or file.name, (file,), False, expected, most_unpacked)


def _one_file(part: Given, name: str | None, most_bytes: int, expected: Expected) -> File:
    if isinstance(part, bytes):
        label, data = name or "the file", part
    elif isinstance(part, File):
        label, data = Path(part.name).name or "the file", part.data
    elif isinstance(part, str | os.PathLike):
        label = Path(part).name or str(part)
        data = _path_bytes(Path(part), label, most_bytes)
    else:
        label = Path(str(getattr(part, "name", None) or name or "the file")).name
        data = _upload_bytes(part, most_bytes)
    if len(data) > most_bytes:
        raise InputError(f"{label}: more than {size_of(most_bytes)}, the limit for one file. Draw a sample first.")
    if not data:
        remedy = expected.remedy_or("choose one with a row for each document")
        raise InputError(f"{label}: the file is empty; {remedy}.")
    return File(label, data)


def _path_bytes(path: Path, label: str, most_bytes: int) -> bytes:
    try:
        # A pipe or a device would block or never end.
        if not path.is_file():
            raise InputError(f"{label}: there is no such file at {path}; check the path.")
        with path.open("rb") as stream:
            return stream.read(most_bytes + 1)
    except (OSError, ValueError) as error:
        fact = f"the file cannot be read ({_reason(error)})"
        raise InputError(f"{label}: {fact}; check the path and its rights.") from error


def _upload_bytes(upload: BinaryIO, most_bytes: int) -> bytes:
    if not upload.seekable():
        return upload.read(most_bytes + 1)
    position = upload.tell()
    upload.seek(0)
    try:
        return upload.read(most_bytes + 1)
    finally:
        upload.seek(position)


def _folder_files(folder: Path, most_bytes: int) -> Iterator[File]:
    total = 0
    for count, path in enumerate(_walk(folder), start=1):
        # A name that is not UTF-8 arrives as characters that cannot be written again.
        label = os.fsencode(path.relative_to(folder).as_posix()).decode("utf-8", "backslashreplace")
        if count > MOST_FILES:
            raise InputError(f"{folder.name}: more than {MOST_FILES:,} files; draw a sample first.")
        try:
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode):
                kind = "a link" if stat.S_ISLNK(mode) else "no regular file"
                raise InputError(f"{folder.name}: '{label}' is {kind}; put the document itself there, or remove it.")
            with path.open("rb") as stream:
                data = stream.read(most_bytes - total + 1)
        except OSError as error:
            fact = f"'{label}' cannot be read ({_reason(error)})"
            raise InputError(f"{folder.name}: {fact}; check its rights.") from error
        total += len(data)
        if total > most_bytes:
            raise InputError(f"{folder.name}: more than {size_of(most_bytes)} of files; draw a sample first.")
        yield File(label, data)


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder, followlinks=False):
        linked = [name for name in folders if os.path.islink(os.path.join(root, name))]
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in linked)
        for name in sorted(names + linked):
            if not name.startswith("."):  # .DS_Store and its like are no documents
                yield Path(root, name)


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()


def unpacked(archive: File, *, most_bytes: int) -> tuple[File, ...]:
    """The documents of a zip archive, sorted by name; hidden files are passed over."""
    # Every entry carries this mark, so counting it bounds the list before zipfile builds it.
    if archive.data.count(_ENTRY_MARK) > MOST_FILES:
        raise InputError(f"{archive.name}: more than {MOST_FILES:,} entries in the archive; draw a sample first.")
    try:
        with zipfile.ZipFile(io.BytesIO(archive.data)) as opened:
            entries = opened.infolist()
            _refuse_office(archive.name, entries)
            files = tuple(_read_all(opened, _checked(archive.name, entries), archive, most_bytes))
    except _DAMAGE as error:
        raise InputError(f"{archive.name}: the zip archive is damaged ({error}); pack it again.") from error
    if not files:
        raise InputError(f"{archive.name}: the archive holds no files; pack a table or a folder for each topic.")
    return tuple(sorted(files, key=lambda file: file.name))


def _refuse_office(name: str, entries: list[zipfile.ZipInfo]) -> None:
    names = {entry.filename for entry in entries}
    if "[Content_Types].xml" in names:
        fact, remedy = REFUSED["excel"] if any(entry.startswith("xl/") for entry in names) else REFUSED["office"]
        raise InputError(f"{name}: this is {fact.replace('old ', '')}; {remedy}.")


def _checked(name: str, entries: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        path = PurePosixPath(entry.filename)
        shown = f"{name}: the entry '{entry.filename[:200]}'"
        raw = entry.orig_filename.replace("\\", "/")
        if raw.startswith("/") or ".." in raw.split("/") or ":" in raw.split("/")[0] or "\0" in raw:
            raise InputError(f"{shown} points outside the archive; pack it again with relative paths.")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise InputError(f"{shown} is a link or a device; pack the document itself.")
        if entry.is_dir() or path.name.startswith(".") or "__MACOSX" in path.parts:
            continue
        if entry.flag_bits & 0x1:
            raise InputError(f"{shown} is encrypted; pack it again without a password.")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(f"{shown} uses an unusual compression; pack it again as an ordinary zip.")
        if entry.filename in found:
            raise InputError(f"{shown} is there twice; keep one of them.")
        found[entry.filename] = entry
    return list(found.values())


def _read_all(opened: zipfile.ZipFile, entries: list[zipfile.ZipInfo], archive: File, most: int) -> Iterator[File]:
    total, limit = 0, size_of(most)
    for entry in entries:
        data = io.BytesIO()  # not a list of pieces: joining them would take the room twice
        with opened.open(entry) as stream:
            while chunk := stream.read(_CHUNK):
                total += len(chunk)
                if total > most:
                    raise InputError(f"{archive.name}: unpacks to more than {limit}, the limit. Draw a sample first.")
                if total > _SMALL and total > MOST_RATIO * len(archive.data):
                    fact = f"unpacks to more than {MOST_RATIO} times its size, as no collection of texts does"
                    raise InputError(f"{archive.name}: {fact}; give the files unpacked.")
                data.write(chunk)
        if signature(data.getvalue()) in PACKED:
            fact = f"'{entry.filename[:200]}' is an archive inside the archive"
            raise InputError(f"{archive.name}: {fact}; unpack it first.")
        yield File(entry.filename, data.getvalue())
