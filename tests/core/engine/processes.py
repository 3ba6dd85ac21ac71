"""Processes as the tests look at them: whether they are there, and waiting until they are not."""

import time
from collections.abc import Callable
from pathlib import Path

import psutil


def there(number: int) -> bool:
    """Whether a process runs; one that has ended and waits to be asked for does not."""
    try:
        return bool(psutil.Process(number).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True) if there(child.pid)}


def within(seconds: float, holds: Callable[[], object]) -> bool:
    """Whether it comes to hold in that time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def number_in(file: Path, seconds: float = 30) -> int:
    """The number of a process that writes it there."""
    assert within(seconds, lambda: file.exists() and file.read_text()), f"{file} was never written"
    return int(file.read_text())
