"""Processes as the tests look at them: whether they are there, and waiting until they are not."""

import subprocess
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


def listened_to(number: int) -> set[tuple[str, int]]:
    """Hosts and ports on which a process and its children wait for others."""
    own = psutil.Process(number)
    found = [each for process in (own, *own.children(recursive=True)) for each in process.net_connections("inet")]
    return {(each.laddr.ip, each.laddr.port) for each in found if each.status == psutil.CONN_LISTEN}


def end_with_children(process: subprocess.Popen) -> None:
    """End a process of ours and all that it has started."""
    for child in psutil.Process(process.pid).children(recursive=True):
        child.kill()
    process.kill()
    process.wait(10)
