"""Files of our own: the folder of caches, writing that leaves a whole file or none, and what killed writers left."""

import hashlib
import os
import re
import secrets
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from platformdirs import user_cache_dir

STALE = 7 * 24 * 3600  # seconds after which a leftover goes whose writer cannot be asked for: another machine's, say
_PARTIAL = re.compile(r"\..+\.([0-9a-f]{8})-(\d{1,10})-(\d{1,20})-[0-9a-f]{8}\.partial", re.DOTALL)
_ENDED = ("Z", "X", "x")  # a zombie writes no more, though its number is still taken


def cache_folder() -> Path:
    """Return LEAKSCOPE_CACHE, or the platform's cache folder."""
    return Path(os.environ.get("LEAKSCOPE_CACHE") or user_cache_dir("leakscope"))


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Yield a path beside `target` for a file or a folder, renamed to `target` at the end; nothing stays after an error.

    The name is new every time, so threads and processes may write the same target at once. It tells who is writing:
    what a killed process left in this folder is removed by the next one that writes here.
    """
    remove_leftovers(target.parent)
    writer = f"{_machine()}-{os.getpid()}-{_started(os.getpid()) or 0}"
    partial = target.with_name(f".{target.name}.{writer}-{secrets.token_hex(4)}.partial")
    try:
        yield partial
        partial.replace(target)
    finally:
        _remove(partial)


def remove_leftovers(folder: Path) -> int:
    """Remove what `written_whole` left in this folder when its process was killed; never what is being written."""
    removed = 0
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            written = _PARTIAL.fullmatch(entry.name)
            if written is not None and _abandoned(entry, *written.groups()):
                _remove(Path(entry.path))
                removed += 1
    return removed


def _abandoned(entry: os.DirEntry[str], machine: str, process: str, started: str) -> bool:
    with suppress(OSError):
        status = entry.stat(follow_symlinks=False)
        # Another user's processes may be hidden from us, and hidden is not ended.
        if machine == _machine() and status.st_uid == getattr(os, "geteuid", lambda: status.st_uid)():
            return _started(int(process)) != int(started)
        return time.time() - status.st_mtime > STALE
    return False


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


@cache
def _machine() -> str:
    """Return what makes a process's number mean something: this machine since it was started, and this container on it."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts += [Path("/proc/sys/kernel/random/boot_id").read_text(), os.readlink("/proc/self/ns/pid")]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _started(process: int) -> int | None:
    """Return when a living process began, in a unit that no change of the clock moves; None where there is none of that number."""
    try:
        state, *fields = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].decode().split()
        return None if state in _ENDED else int(fields[18])
    except (OSError, ValueError, IndexError):
        if Path("/proc/self/stat").exists():
            return None
    import psutil  # slower to import than all of the above, and needed only where there is no /proc

    try:
        found = psutil.Process(process)
        return None if found.status() == psutil.STATUS_ZOMBIE else int(found.create_time() * 100)
    except psutil.Error:
        return None
