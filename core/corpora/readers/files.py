"""A file before it is read: how large it may be, what its opening bytes say it is, and how its text is encoded."""

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import TextIO

from ...errors import InputError

# Limits, because a hosted app shares one machine among its users.
MOST_BYTES = 200_000_000  # one upload
MOST_BYTES_HERE = 1_000_000_000  # a path on the user's own machine
MOST_UNPACKED = 500_000_000  # what an archive or a Parquet file may grow to
MOST_FILES = 100_000
MOST_RATIO = 200  # unpacked : packed; text rarely passes 20
MOST_COLUMNS = 200
MOST_CELLS = 20_000_000
LONGEST_LINE = 16_000_000  # characters; two longest texts and their escapes fit


_AS_CSV = "open it and save it as CSV (UTF-8)"
_AS_TABLE = "save it as Parquet or CSV"
_UNPACK = "unpack it and give the file inside, or pack it as .zip"
_OTHER = "choose a file of texts"
_PICKLE = "a Python pickle, which is never opened because it can run code"
# The bytes that files of a kind open with (no opening begins another), what is refused about them and the remedy.
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
    "pdf": ((b"%PDF",), "a PDF document", "extract its text into a table first"),
    "office": ((b"\xd0\xcf\x11\xe0",), "an old Office document", _AS_CSV),
    "excel": ((), "an Excel workbook", _AS_CSV),
    "sqlite": ((b"SQLite format 3",), "an SQLite database", "export the table as CSV"),
    "arrow": ((b"ARROW1",), "an Arrow (Feather) file", _AS_TABLE),
    "numpy": ((b"\x93NUMPY",), "a NumPy array", "put the vectors in a Parquet column beside the texts"),
    "hdf5": ((b"\x89HDF",), "an HDF5 file", "save the table as Parquet or CSV"),
    "program": ((b"\x7fELF",), "a program", _OTHER),
    "pickle": ((b"\x80\x03", b"\x80\x04", b"\x80\x05"), _PICKLE, _AS_TABLE),
    "html": ((), "an HTML or XML page", "download the data file itself rather than the page that shows it"),
}
REFUSED = {kind: (fact, remedy) for kind, (_, fact, remedy) in _KINDS.items() if fact}
PACKED = ("zip", "gzip", "bzip2", "xz", "7z", "rar", "zstandard")
NO_TABLE = ("png", "jpeg", "gif", "pdf", "numpy", "program")

_AS_UTF8 = "save the file as UTF-8"
_CODECS = {"Windows-1252": "cp1252", "Latin-1": "latin-1"}
_PIECE = 1 << 20  # bytes decoded at a time
_MOST_MESS = 0.1  # charset-normalizer's share of improbable characters
_NEIGHBOURHOODS = 300  # stretches looked at when guessing; more change no answer


def size_of(count: int) -> str:
    """A number of bytes for people, in decimal units as file managers show them."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:,.0f} {unit}"
    return f"{count:,} bytes"


def signature(data: bytes) -> str | None:
    """The kind of a binary or mark-up file; None for what may be plain text."""
    for kind, (openings, _, _) in _KINDS.items():
        if data.startswith(openings):
            return kind
    head = data[:200].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return "html" if head.startswith((b"<!doctype", b"<html", b"<?xml", b"<head", b"<body")) else None


def suffix(name: str) -> str:
    """The end of a file name in lower case, without its dot."""
    return PurePosixPath(name.replace("\\", "/")).suffix.lower().removeprefix(".")


def short_lines(stream: TextIO, name: str, *, longest: int, remedy: str = "is this a table?") -> Iterator[str]:
    """The lines of a text with their ends; one that is longer than a table's can be is refused before it fills the memory."""
    number = 0
    while line := stream.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise InputError(f"{name}: line {number} has more than {longest:,} characters; {remedy}")
        yield line


@dataclass(frozen=True, slots=True)
class Text:
    """A file that is text to its end, decoded as it is read: in one piece, one emoji would make it four times as large."""

    name: str
    data: bytes
    codec: str
    encoding: str  # as people call it

    def lines(self, remedy: str = "is this a table?", *, end: str = "\n") -> Iterator[str]:
        """The lines with their ends; not by splitlines, which also cuts at characters that may stand inside a cell."""
        stream = io.TextIOWrapper(io.BytesIO(self.data), encoding=self.codec, newline=end)
        return short_lines(stream, self.name, longest=LONGEST_LINE, remedy=remedy)

    def whole(self) -> str:
        """All of it at once."""
        return self.data.decode(self.codec)


def opened_text(data: bytes, name: str) -> Text:
    """A file as text in the encoding that its bytes fit; refused where one of them fits none."""
    if data.startswith(b"\xef\xbb\xbf"):
        text = Text(name, data, "utf-8-sig", "UTF-8 with BOM")
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = Text(name, data, "utf-16", "UTF-16")
    else:
        _refuse_nul(data.find(b"\0"), data, name)
        bad = _first_misfit(data, "utf-8", name)
        if bad is None:
            return Text(name, data, "utf-8", "UTF-8")
        _refuse_broken_utf8(data, bad, name)
        encoding = western_encoding(data, name)
        return Text(name, data, _CODECS[encoding], encoding)
    bad = _first_misfit(data, text.codec, name)
    if bad is not None:
        mark = f"byte {bad + 1:,} does not fit the file's own mark of {text.encoding.split(' ')[0]}"
        raise InputError(f"{name}: line {_line(data, bad)} is damaged: {mark}; {_AS_UTF8}.")
    return text


def decoded(data: bytes, name: str) -> tuple[str, str]:
    """The text of a file and the name of the encoding it was in."""
    text = opened_text(data, name)
    return text.whole(), text.encoding


def _first_misfit(data: bytes, codec: str, name: str) -> int | None:
    """The offset of the first byte that the codec does not know; NUL is refused, as it is no text's in any encoding."""
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
            _refuse_nul_in(lines + piece.count("\n", 0, nul) + 1, name)
        lines += piece.count("\n")
    return None


def western_encoding(data: bytes, name: str) -> str:
    """'Windows-1252' or 'Latin-1' where the bytes make plausible text as such; refused otherwise.

    Other one-byte encodings are not guessed: on short texts a wrong guess looks as good as a right one.
    """
    from charset_normalizer import from_bytes

    starts = [match.start() for match in islice(re.finditer(rb"[\x80-\xff]+", data), _NEIGHBOURHOODS)]
    sample = b"\n".join(data[max(0, start - 80) : start + 80] for start in starts)
    best = from_bytes(sample, threshold=_MOST_MESS, cp_isolation=["cp1252", "latin_1"]).best()
    if best is None:
        fact = f"line {_line(data, starts[0])} is neither UTF-8 nor Windows-1252, and any other guess could be wrong"
        raise InputError(f"{name}: {fact}; {_AS_UTF8}.")
    # Five bytes mean nothing in Windows-1252; Latin-1 gives every byte a meaning.
    return "Latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", data) else "Windows-1252"


def decoded_together(pieces: list[bytes], name: str) -> tuple[list[str], str]:
    """The texts of many small files, which share one encoding: alone each is too short to tell."""
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
    whole = [_western(data, encoding) if text is None else text for data, text in zip(pieces, texts, strict=True)]
    return whole, encoding


def _western(data: bytes, encoding: str) -> str:
    return data.decode(_CODECS[encoding])


def _refuse_nul(offset: int, data: bytes, name: str) -> None:
    if offset >= 0:
        _refuse_nul_in(_line(data, offset), name)


def _refuse_nul_in(line: int, name: str) -> None:
    fact = f"line {line} holds a NUL byte, which no text does"
    raise InputError(f"{name}: {fact}; if the file is UTF-16 without a mark, {_AS_UTF8}.")


def _refuse_broken_utf8(data: bytes, offset: int, name: str) -> None:
    readable = data.decode("utf-8", "ignore")
    good = len(readable) - len(readable.encode("ascii", "ignore"))
    bad = data.decode("utf-8", "replace").count("\ufffd")
    if good >= bad:
        fact = f"line {_line(data, offset)} holds a byte that is not UTF-8, though the rest of the file is"
        raise InputError(f"{name}: {fact}; mend that line, or {_AS_UTF8} again.")


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
