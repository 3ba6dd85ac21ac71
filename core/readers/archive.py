"""A zip archive unpacked in memory, trusting nothing that its headers claim."""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.errors import InputError
from core.readers.limits import MOST_FILES, MOST_RATIO, size_of
from core.readers.signatures import PACKED, REFUSED, signature

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    LookupError,
    OSError,
)
_ENTRY_MARK = b"PK\x01\x02"
_CHUNK = 1 << 20
_SMALL = 10_000_000  # below this a high ratio does no harm


@dataclass(frozen=True, slots=True)
class File:
    """A named piece of bytes; inside a bundle the name is its path, with '/' between folders."""

    name: str
    data: bytes


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
    kept: dict[str, zipfile.ZipInfo] = {}
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
        if entry.filename in kept:
            raise InputError(f"{shown} is there twice; keep one of them.")
        kept[entry.filename] = entry
    return list(kept.values())


def _read_all(
    opened: zipfile.ZipFile, entries: list[zipfile.ZipInfo], archive: File, most_bytes: int
) -> Iterator[File]:
    total = 0
    for entry in entries:
        chunks = []
        with opened.open(entry) as stream:
            while chunk := stream.read(_CHUNK):
                total += len(chunk)
                if total > most_bytes:
                    raise InputError(
                        f"{archive.name}: unpacks to more than {size_of(most_bytes)}, the limit. Draw a sample first."
                    )
                if total > _SMALL and total > MOST_RATIO * len(archive.data):
                    raise InputError(
                        f"{archive.name}: unpacks to more than {MOST_RATIO} times its size, "
                        "as no collection of texts does; give the files unpacked."
                    )
                chunks.append(chunk)
        data = b"".join(chunks)
        if signature(data) in PACKED:
            raise InputError(
                f"{archive.name}: '{entry.filename[:200]}' is an archive inside the archive; unpack it first."
            )
        yield File(entry.filename, data)
