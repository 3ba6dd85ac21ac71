"""Memory that a process may take: its own operating system says no, before its neighbours have to suffer."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import resource
except ImportError:  # Windows: there the starter's watch alone bounds it
    resource = None  # type: ignore[assignment]

_STATUS = Path("/proc/self/status")


@contextmanager
def bounded(most: int | None) -> Iterator[None]:
    """Within it this process holds at most about so many bytes in all; to want more is a MemoryError.

    What libraries have reserved and never touched (stacks, buffers) is not counted against it.
    """
    held = _held()
    if most is None or resource is None or held is None:
        yield
        return
    reserved, resident = held
    before = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = reserved + max(most - resident, 0)
    if before[1] != resource.RLIM_INFINITY:
        allowed = min(allowed, before[1])
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _held() -> tuple[int, int] | None:
    """Bytes of data that this process has reserved, and those in memory; None where that cannot be told."""
    try:
        lines = dict(line.split(":", 1) for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines())
        reserved, resident = (int(lines[name].split()[0]) * 1024 for name in ("VmData", "VmRSS"))
    except (OSError, ValueError, KeyError, IndexError):
        return None
    return reserved, resident
