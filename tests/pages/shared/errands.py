"""Work for the tests of long work: quick, slow, refused; what was done is written to a file, whichever process did it."""

import os
import time
from pathlib import Path

from core.errors import LeakscopeError


def nothing(*, progress=None) -> None:
    """What is done at once."""


def shout(name: str, record: str, fails: str | None = None, *, progress=None) -> str:
    with Path(record).open("a", encoding="utf-8") as file:
        file.write(f"{name} {os.getpid()}\n")
    if progress is not None:
        progress(1, 2, "half", None)
    if name == fails:
        raise LeakscopeError(f"{name} *cannot* be had.")
    return name.upper()


def long(name: str, record: str, fails: str | None = None, *, progress=None) -> str:
    """A tenth of a second a hundred times."""
    shout(name, record, fails)
    for step in range(100):
        time.sleep(0.1)
        progress(step, 100, f"step {step}", 10 - step / 10)
    return name.upper()


def break_off(files: object, **more: object) -> None:
    """As a library in C does that a file has led astray."""
    os.abort()
