"""Where a command writes: what cannot be written there is refused before anything takes long, and a file is written whole."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from ..errors import SettingError
from ..files import written_whole
from ..topics import FORMATS


def checked_target(target: str) -> Path:
    """Return the file to write; its folder must be there."""
    path = Path(target)
    if not path.parent.is_dir():
        raise SettingError(
            f"{path}: cannot be written, for there is no folder {path.parent}; make it, or choose another --out."
        )
    if path.is_dir():
        raise SettingError(f"{path}: cannot be written, for it is a folder; name a file in it with --out.")
    return path


def checked_table(target: str) -> Path:
    """Return the file of documents to write: its ending names one of FORMATS."""
    ending = Path(target).suffix
    if ending.removeprefix(".") not in FORMATS:
        endings = ", ".join(f".{end}" for end in FORMATS)
        raise SettingError(f"{target}: files ending in '{ending}' are not written; end it in one of {endings}.")
    return checked_target(target)


def write_table(target: str, table: pd.DataFrame) -> None:
    """Write documents in the format that the file's ending names."""
    write_file(target, FORMATS[checked_table(target).suffix.removeprefix(".")](table))


def write_file(target: str | Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with writing(Path(target)) as partial:
        partial.write_bytes(content)


@contextmanager
def writing(target: Path) -> Iterator[Path]:
    """The file to write to, which takes its place when it is whole; errors are reported as bad input."""
    try:
        with written_whole(target) as partial:
            yield partial
    except OSError as problem:
        reason = problem.strerror or problem
        raise SettingError(f"{target}: cannot be written ({reason}); choose another --out.") from None
