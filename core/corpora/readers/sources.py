"""Files before they are read: paths, uploads, folders and zip archives as named bytes, their limits, kind and encoding."""

import codecs
import io
import os
import re
import stat
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, TextIO, TypeAlias, cast
from urllib.parse import urlsplit

from ...errors import InputError, in_short
from ...extras import require
from ...progress import tell

# Limits, because users of a hosted app share one machine.
MOST_BYTES = 200_000_000  # one upload
MOST_BYTES_HERE = 1_000_000_000  # a path on the user's own machine
MOST_UNPACKED = 500_000_000  # what an archive or a Parquet file may grow to
READ_MEMORY = 1_073_000_000  # of the process that reads a file
MOST_FILES = 100_000
MOST_RATIO = 200  # unpacked : packed; text rarely exceeds 20
MOST_COLUMNS = 200
MOST_CELLS = 20_000_000
LONGEST_LINE = 16_000_000  # characters; fits two texts of maximum length with their escapes

ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
WEB = ("https", "http")  # read by Python itself
SCHEMES = (*WEB, "hf", "s3", "file", "memory")
_PATIENCE = 60  # seconds without an answer

_AS_CSV = "Open it and save it as CSV (UTF-8)"
_AS_TABLE = "Save it as Parquet or CSV"
_UNPACK = "Unpack it and give the file inside, or pack it as .zip"
_OTHER = "Choose a file of texts"
_PICKLE = "a Python pickle, which is never opened because it can run code"
# First bytes of each kind of file (none is the start of another), what it is and what to do instead.
_KINDS: dict[str, tuple[tuple[bytes, ...], str, str]] = {
    "parquet": ((b"PAR1",), "", ""),
    "zip": ((b"PK\x03\x04", b"PK\x05\x06"), "", ""),
    "gzip": ((b"\x1f\x8b",), "a gzip archive", _UNPACK),
    "bzip2": ((b"BZh",), "a bzip2 archive", _UNPACK),
    "xz": ((b"\xfd7zXZ",), "an xz archive", _UNPACK),
    "7z": ((b"7z\xbc\xaf\x27\x1c",), "a 7-Zip archive", _UNPACK),
    "rar": ((b"Rar!",), "a RAR archive", _UNPACK),
    "zstandard": ((b"\x28\xb5\x2f\xfd",), "a Zstandard archive", _UNPACK),
    "png": ((b"\x89PNG",), "a PNG image", _OTHER),
    "jpeg": ((b"\xff\xd8\xff",), "a JPEG image", _OTHER),
    "gif": ((b"GIF8",), "a GIF image", _OTHER),
    "pdf": ((b"%PDF",), "a PDF document", "Extract its text into a table first"),
    "office": ((b"\xd0\xcf\x11\xe0",), "an old Office document", _AS_CSV),
    "excel": ((), "an Excel workbook", _AS_CSV),
    "sqlite": ((b"SQLite format 3",), "an SQLite database", "Export the table as CSV"),
    "arrow": ((b"ARROW1",), "an Arrow (Feather) file", _AS_TABLE),
    "numpy": ((b"\x93NUMPY",), "a NumPy array", "Put the vectors in a Parquet column beside the texts"),
    "hdf5": ((b"\x89HDF",), "an HDF5 file", _AS_TABLE),
    "program": ((b"\x7fELF",), "a program", _OTHER),
    "pickle": ((b"\x80\x03", b"\x80\x04", b"\x80\x05"), _PICKLE, _AS_TABLE),
    "html": ((), "an HTML or XML page", "Download the data file itself rather than the page that shows it"),
}
REFUSED = {kind: (fact, fix) for kind, (_, fact, fix) in _KINDS.items() if fact}
PACKED = ("zip", "gzip", "bzip2", "xz", "7z", "rar", "zstandard")
NO_TABLE = ("png", "jpeg", "gif", "pdf", "numpy", "program")

_AS_UTF8 = "Save the file as UTF-8"
_CODECS = {"Windows-1252": "cp1252", "Latin-1": "latin-1"}
_PIECE = 1 << 20  # bytes decoded at a time
_MOST_MESS = 0.1  # charset-normalizer's share of improbable characters
_NEIGHBOURHOODS = 300  # excerpts used for guessing; more change no answer
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, LookupError, OSError,
)  # fmt: skip
_ENTRY_MARK = b"PK\x01\x02"
_CHUNK = 1 << 20
_SMALL = 10_000_000  # below this a high ratio does no harm


def size_of(count: int) -> str:
    """Return a number of bytes in decimal units, as file managers show them."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:,.0f} {unit}"
    return f"{count:,} bytes"


def signature(data: bytes) -> str | None:
    """Return the kind of a binary or markup file, or None for what may be plain text."""
    for kind, (openings, _, _) in _KINDS.items():
        if data.startswith(openings):
            return kind
    head = data[:200].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return "html" if head.startswith((b"<!doctype", b"<html", b"<?xml", b"<head", b"<body")) else None


def suffix(name: str) -> str:
    """Return the extension of a file name in lower case, without its dot."""
    return PurePosixPath(name.replace("\\", "/")).suffix.lower().removeprefix(".")


def short_lines(stream: TextIO, name: str, *, longest: int, fix: str = "Is this a table?") -> Iterator[str]:
    """Yield the lines of a text with their ends; refuse one that is too long before it fills the memory."""
    number = 0
    while line := stream.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise InputError(f"{name}: line {number} has more than {longest:,} characters. {fix}")
        yield line


@dataclass(frozen=True, slots=True)
class Text:
    """A text file, decoded as it is read: decoded at once, a single emoji would make it four times as large."""

    name: str
    data: bytes
    codec: str
    encoding: str  # as people call it

    def lines(self, fix: str = "Is this a table?", *, end: str = "\n") -> Iterator[str]:
        """Yield the lines with their ends; an `end` of "" means LF, CR LF or CR. Splitlines would also cut inside cells."""
        stream = io.TextIOWrapper(io.BytesIO(self.data), encoding=self.codec, newline=end)
        return short_lines(stream, self.name, longest=LONGEST_LINE, fix=fix)

    def whole(self) -> str:
        """Return the whole text."""
        return self.data.decode(self.codec)


def opened_text(data: bytes, name: str) -> Text:
    """Return a file as text in the encoding that fits its bytes; refuse it if none does."""
    if data.startswith(b"\xef\xbb\xbf"):
        text = Text(name, data, "utf-8-sig", "UTF-8 with BOM")
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = Text(name, data, "utf-16", "UTF-16")
    else:
        if (nul := data.find(b"\0")) >= 0:
            raise _nul(_line_number(data, nul), name)
        bad = _first_misfit(data, "utf-8", name)
        if bad is None:
            return Text(name, data, "utf-8", "UTF-8")
        _refuse_broken_utf8(data, bad, name)
        encoding = western_encoding(data, name)
        return Text(name, data, _CODECS[encoding], encoding)
    bad = _first_misfit(data, text.codec, name)
    if bad is not None:
        raise InputError(
            f"{name}: line {_line_number(data, bad)} is damaged: byte {bad + 1:,} is not {text.encoding.split(' ')[0]}, which the "
            f"file's first bytes promise. {_AS_UTF8}."
        )
    return text


def decoded(data: bytes, name: str) -> tuple[str, str]:
    """Return the text of a file and the name of its encoding."""
    text = opened_text(data, name)
    return text.whole(), text.encoding


def _first_misfit(data: bytes, codec: str, name: str) -> int | None:
    """Return the offset of the first byte that the codec cannot decode, or None; refuse NUL, which no text contains."""
    decoder = codecs.getincrementaldecoder(codec)()
    lines = 0
    for start in range(0, len(data), _PIECE):
        pending = len(decoder.getstate()[0])
        try:
            piece = decoder.decode(data[start : start + _PIECE], final=start + _PIECE >= len(data))
        except UnicodeDecodeError as error:
            return start - pending + error.start
        nul = piece.find("\0")
        if nul >= 0:
            raise _nul(lines + piece.count("\n", 0, nul) + 1, name)
        lines += piece.count("\n")
    return None


def western_encoding(data: bytes, name: str) -> str:
    """Return 'Windows-1252' or 'Latin-1' if the bytes make plausible text in it; refuse them otherwise.

    Other one-byte encodings are not guessed: on short texts a wrong guess looks as good as a right one.
    """
    from charset_normalizer import from_bytes

    starts = [match.start() for match in islice(re.finditer(rb"[\x80-\xff]+", data), _NEIGHBOURHOODS)]
    sample = b"\n".join(data[max(0, start - 80) : start + 80] for start in starts)
    best = from_bytes(sample, threshold=_MOST_MESS, cp_isolation=["cp1252", "latin_1"]).best()
    if best is None:
        raise InputError(f"{name}: line {_line_number(data, starts[0])} is neither UTF-8 nor Windows-1252. {_AS_UTF8}.")
    # Five bytes have no meaning in Windows-1252; in Latin-1 every byte has one.
    return "Latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", data) else "Windows-1252"


def decoded_together(pieces: list[bytes], name: str) -> tuple[list[str], str]:
    """Return the texts of many small files, which share one encoding: each alone is too short to tell."""
    texts: list[str | None] = []
    for data in pieces:
        try:
            texts.append(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8"))
        except UnicodeDecodeError:
            texts.append(None)
    others = [data for data, text in zip(pieces, texts, strict=True) if text is None]
    if not others:
        return [text for text in texts if text is not None], "UTF-8"
    encoding = western_encoding(b"\n".join(others), name)
    codec = _CODECS[encoding]
    return [data.decode(codec) if text is None else text for data, text in zip(pieces, texts, strict=True)], encoding


def _nul(line: int, name: str) -> InputError:
    return InputError(
        f"{name}: line {line} contains a NUL byte. The file may be UTF-16 without a byte order mark. {_AS_UTF8}."
    )


def _refuse_broken_utf8(data: bytes, offset: int, name: str) -> None:
    readable = data.decode("utf-8", "ignore")
    good = len(readable) - len(readable.encode("ascii", "ignore"))
    bad = data.decode("utf-8", "replace").count("\ufffd")
    if good >= bad:
        raise InputError(
            f"{name}: line {_line_number(data, offset)} has a byte that is not UTF-8, though the rest of the file is. Fix that line, "
            "or save the file as UTF-8 again."
        )


def _line_number(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


@dataclass(frozen=True, slots=True)
class File:
    """A file's name and bytes."""

    name: str  # inside a bundle its path, with '/' between folders
    data: bytes

    def stream(self) -> BinaryIO:
        """Return the bytes as an open file of this name."""
        opened = io.BytesIO(self.data)
        opened.name = self.name
        return opened


Given: TypeAlias = str | os.PathLike[str] | bytes | BinaryIO | File


@dataclass(frozen=True, slots=True)
class Expected:
    """What a file should hold, for messages."""

    rows: str = "documents"  # what its rows are
    fix: str | None = None  # what to do about any problem, in place of the advice for a corpus

    def fix_or(self, usual: str) -> str:
        """Return the advice for this kind of file as a sentence; `usual` is the one for a corpus."""
        fix = self.fix or usual
        return f"{fix[0].upper()}{fix[1:]}."


CORPUS = Expected()


@dataclass(frozen=True, slots=True)
class Source:
    """One or several opened files."""

    name: str
    files: tuple[File, ...]
    bundle: bool  # several that belong together: a folder, a zip archive, two uploads
    expected: Expected = CORPUS
    most_unpacked: int = MOST_UNPACKED
    wanted: frozenset[str] | None = None  # the columns to read, if they are known and the format allows it


def open_source(
    given: Given | Sequence[Given],
    *,
    name: str | None = None,
    most_bytes: int = MOST_BYTES,
    expected: Expected = CORPUS,
) -> Source:
    """Read paths, bytes or uploads into a Source, unpacking a zip archive and walking a folder.

    `name` is what the corpus is called; for bytes, which have no name, its extension also tells the format.
    """
    parts: list[Given] = list(given) if isinstance(given, list | tuple) else [cast(Given, given)]
    if not parts:
        raise InputError("No file was given. Choose one.")
    if len(parts) > 1:
        files = tuple(_one_file(part, None, most_bytes, expected) for part in parts)
        total = sum(len(file.data) for file in files)
        if total > most_bytes:
            limit = size_of(most_bytes)
            raise InputError(f"The files have {size_of(total)}; the limit is {limit}. Take a sample first.")
        return Source(name or " + ".join(file.name for file in files), files, True, expected)
    part = parts[0]
    if isinstance(part, str | os.PathLike) and os.path.isdir(part):
        folder = Path(part)
        return Source(name or folder.resolve().name, tuple(_folder_files(folder, most_bytes)), True, expected)
    file = _one_file(part, name, most_bytes, expected)
    # The larger limit of the user's own machine also applies to what is unpacked.
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
    elif isinstance(part, str) and (found := ADDRESS.match(part)):
        label = PurePosixPath(urlsplit(part).path).name or part
        data = _fetched_bytes(part, found[1].lower(), label, most_bytes)
    elif isinstance(part, str | os.PathLike):
        label = Path(part).name or str(part)
        data = _path_bytes(Path(part), label, most_bytes)
    else:
        label = Path(str(getattr(part, "name", None) or name or "the file")).name
        data = _upload_bytes(part, most_bytes)
    if len(data) > most_bytes:
        raise InputError(f"{label}: the file has more than {size_of(most_bytes)}, the limit. Take a sample first.")
    if not data:
        raise InputError(f"{label}: the file is empty. {expected.fix_or('choose one with a row for each document')}")
    return File(label, data)


def fetch_file(address: str, *, most_bytes: int = MOST_BYTES) -> File:
    """Return the file at an address, such as https://… or hf://datasets/…; a path on this machine is refused."""
    if not ADDRESS.match(address):
        raise InputError(
            f"'{address}' is not an address. Begin with one of {', '.join(f'{each}://' for each in SCHEMES)}."
        )
    return _one_file(address, None, most_bytes, CORPUS)


def _fetched_bytes(address: str, scheme: str, label: str, most_bytes: int) -> bytes:
    """Read a file on the web or in a store, in pieces; one that is too large ends as soon as that is known."""
    if os.environ.get("LEAKSCOPE_HOSTED", "") not in ("", "0"):
        raise InputError(f"{label}: a shared server fetches no addresses. Download the file and upload it.")
    if scheme not in SCHEMES:
        raise InputError(
            f"{label}: '{scheme}://' is not read. Use one of {', '.join(f'{each}://' for each in SCHEMES)}."
        )
    if scheme not in WEB:
        require("hub", f"An address with {scheme}://")
    try:
        with _opened_address(address, scheme) as (stream, size):
            if size is not None and size > most_bytes:
                raise InputError(f"{label}: {size_of(size)}; the limit is {size_of(most_bytes)}. Take a sample first.")
            data = io.BytesIO()
            while data.tell() <= most_bytes and (chunk := stream.read(_CHUNK)):
                data.write(chunk)
                if size:
                    tell(-(-min(data.tell(), size) // 1_000_000), -(-size // 1_000_000), f"MB of {label}")
            return data.getvalue()
    except InputError:
        raise
    except ImportError as error:
        raise InputError(f"{label}: {scheme}:// needs one more library ({error}).") from None
    except FileNotFoundError:
        raise InputError(f"{label}: there is nothing at {address}. Check the address.") from None
    except Exception as error:  # every store fails in its own ways
        raise InputError(f"{label}: cannot be fetched ({in_short(error)}). Check the address.") from None


@contextmanager
def _opened_address(address: str, scheme: str) -> Iterator[tuple[Any, int | None]]:
    """Open an address; yield it with its size where that is known."""
    if scheme in WEB:
        with urllib.request.urlopen(address, timeout=_PATIENCE) as answer:
            told = answer.headers.get("Content-Length", "")
            yield answer, int(told) if told.isdigit() else None
    else:
        import fsspec

        system, path = fsspec.url_to_fs(address)
        with system.open(path, "rb") as stream:
            yield stream, system.size(path)


def _path_bytes(path: Path, label: str, most_bytes: int) -> bytes:
    try:
        # A pipe or a device would block or never end.
        if not path.is_file():
            raise InputError(f"{label}: there is no file at {path}. Check the path.")
        with path.open("rb") as stream:
            return stream.read(most_bytes + 1)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{label}: the file cannot be read ({_reason(error)}). Check the path and its permissions."
        ) from error


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
            raise InputError(
                f"{folder.name}: the folder has more than {MOST_FILES:,} files, the limit. Take a sample first."
            )
        try:
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode):
                kind = "a link" if stat.S_ISLNK(mode) else "not a regular file"
                raise InputError(f"{folder.name}: '{label}' is {kind}. Put the document itself there, or delete it.")
            with path.open("rb") as stream:
                data = stream.read(most_bytes - total + 1)
        except OSError as error:
            raise InputError(
                f"{folder.name}: '{label}' cannot be read ({_reason(error)}). Check its permissions."
            ) from error
        total += len(data)
        if total > most_bytes:
            raise InputError(
                f"{folder.name}: the files have more than {size_of(most_bytes)}, the limit. Take a sample first."
            )
        yield File(label, data)


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder, followlinks=False):
        linked = [name for name in folders if os.path.islink(os.path.join(root, name))]
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in linked)
        for name in sorted(names + linked):
            if not name.startswith("."):  # such as .DS_Store
                yield Path(root, name)


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()


def unpacked(archive: File, *, most_bytes: int) -> tuple[File, ...]:
    """Return the files of a zip archive, sorted by name, without hidden ones."""
    # Every entry starts with this mark, so counting it bounds the list before zipfile builds it.
    if archive.data.count(_ENTRY_MARK) > MOST_FILES:
        raise InputError(
            f"{archive.name}: the archive has more than {MOST_FILES:,} entries, the limit. Take a sample first."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(archive.data)) as opened:
            entries = opened.infolist()
            _refuse_office(archive.name, entries)
            files = tuple(_read_all(opened, _checked_files(archive.name, entries), archive, most_bytes))
    except _DAMAGE as error:
        raise InputError(f"{archive.name}: the zip archive is damaged ({in_short(error)}). Pack it again.") from error
    if not files:
        raise InputError(f"{archive.name}: the archive has no files. Pack a table, or a folder for each topic.")
    return tuple(sorted(files, key=lambda file: file.name))


def _refuse_office(name: str, entries: list[zipfile.ZipInfo]) -> None:
    names = {entry.filename for entry in entries}
    if "[Content_Types].xml" in names:
        fact, fix = REFUSED["excel"] if any(entry.startswith("xl/") for entry in names) else REFUSED["office"]
        raise InputError(f"{name}: this is {fact.replace('old ', '')}. {fix}.")


def _checked_files(name: str, entries: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        path = PurePosixPath(entry.filename)
        shown = f"{name}: the entry '{entry.filename[:200]}'"
        raw = entry.orig_filename.replace("\\", "/")
        if raw.startswith("/") or ".." in raw.split("/") or ":" in raw.split("/")[0] or "\0" in raw:
            raise InputError(f"{shown} points outside the archive. Pack it again with relative paths.")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise InputError(f"{shown} is a link or a device. Pack the document itself.")
        if entry.is_dir() or path.name.startswith(".") or "__MACOSX" in path.parts:
            continue
        if entry.flag_bits & 0x1:
            raise InputError(f"{shown} is encrypted. Pack it again without a password.")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(f"{shown} uses an unusual compression. Pack it again as an ordinary zip.")
        if entry.filename in found:
            raise InputError(f"{shown} is there twice. Keep one of them.")
        found[entry.filename] = entry
    return list(found.values())


def _read_all(opened: zipfile.ZipFile, entries: list[zipfile.ZipInfo], archive: File, most: int) -> Iterator[File]:
    total, limit = 0, size_of(most)
    for entry in entries:
        data = io.BytesIO()  # not a list of pieces: joining them would take the memory twice
        with opened.open(entry) as stream:
            while chunk := stream.read(_CHUNK):
                total += len(chunk)
                if total > most:
                    raise InputError(f"{archive.name}: unpacks to more than {limit}, the limit. Take a sample first.")
                if total > _SMALL and total > MOST_RATIO * len(archive.data):
                    raise InputError(
                        f"{archive.name}: unpacks to more than {MOST_RATIO} times its size, which texts never do. Give the "
                        "files unpacked."
                    )
                data.write(chunk)
        if signature(data.getvalue()) in PACKED:
            raise InputError(
                f"{archive.name}: '{entry.filename[:200]}' is an archive inside the archive. Unpack it first."
            )
        yield File(entry.filename, data.getvalue())
