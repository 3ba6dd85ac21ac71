"""What a file is, from its first bytes, and what to do with a kind we do not read."""

from pathlib import PurePosixPath

# Opening bytes → kind. The order matters only where one opening begins another.
_OPENINGS: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "parquet"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!", "rar"),
    (b"\x28\xb5\x2f\xfd", "zstandard"),
    (b"\x89PNG", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"%PDF", "pdf"),
    (b"\xd0\xcf\x11\xe0", "office"),
    (b"SQLite format 3", "sqlite"),
    (b"ARROW1", "arrow"),
    (b"\x93NUMPY", "numpy"),
    (b"\x89HDF", "hdf5"),
    (b"\x7fELF", "program"),
    (b"\x80\x03", "pickle"),
    (b"\x80\x04", "pickle"),
    (b"\x80\x05", "pickle"),
)

_AS_CSV = "open it and save it as CSV (UTF-8)"
_UNPACK = "unpack it and give the file inside, or pack it as .zip"
REFUSED: dict[str, tuple[str, str]] = {
    "gzip": ("a gzip archive", _UNPACK),
    "bzip2": ("a bzip2 archive", _UNPACK),
    "xz": ("an xz archive", _UNPACK),
    "7z": ("a 7-Zip archive", _UNPACK),
    "rar": ("a RAR archive", _UNPACK),
    "zstandard": ("a Zstandard archive", _UNPACK),
    "png": ("a PNG image", "choose a file of texts"),
    "jpeg": ("a JPEG image", "choose a file of texts"),
    "gif": ("a GIF image", "choose a file of texts"),
    "pdf": ("a PDF document", "extract its text into a table first"),
    "office": ("an old Office document", _AS_CSV),
    "excel": ("an Excel workbook", _AS_CSV),
    "sqlite": ("an SQLite database", "export the table as CSV"),
    "arrow": ("an Arrow (Feather) file", "save it as Parquet or CSV"),
    "numpy": ("a NumPy array", "put the vectors in a Parquet column beside the texts"),
    "hdf5": ("an HDF5 file", "save the table as Parquet or CSV"),
    "program": ("a program", "choose a file of texts"),
    "pickle": ("a Python pickle, which is never opened because it can run code", "save it as Parquet or CSV"),
    "html": ("an HTML or XML page", "download the data file itself rather than the page that shows it"),
}
PACKED = ("zip", "gzip", "bzip2", "xz", "7z", "rar", "zstandard")


def signature(data: bytes) -> str | None:
    """The kind of a binary or mark-up file; None for what may be plain text."""
    for opening, kind in _OPENINGS:
        if data.startswith(opening):
            return kind
    head = data[:200].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return "html" if head.startswith((b"<!doctype", b"<html", b"<?xml", b"<head", b"<body")) else None


def suffix(name: str) -> str:
    """The end of a file name in lower case, without its dot."""
    return PurePosixPath(name.replace("\\", "/")).suffix.lower().removeprefix(".")
