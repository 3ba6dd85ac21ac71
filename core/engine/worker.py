"""The other side: a process that carries out one call after another, in the memory it may take, until its starter goes away."""

import os
import pickle
import queue
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ..errors import LeakscopeError
from .call import OUT_OF_MEMORY, Call, Message, messages, read_frame, unpacked, write_frame

try:
    import resource
except ImportError:  # Windows: there the starter's watch alone bounds it
    resource = None  # type: ignore[assignment]

_STATUS = Path("/proc/self/status")
EVERY = 0.1  # seconds between two messages on progress
NICE = 15  # of 19: what a user sees comes first, unless LEAKSCOPE_NICE says otherwise
_GROUP = Path("/proc/self/autogroup")


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


def main() -> None:
    """Read calls from standard input, write messages to what was standard output; prints go to standard error."""
    _give_way()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, calls), daemon=True).start()
    while True:
        _carry_out(calls.get(), answers)


def _give_way() -> None:
    """Leave the processors to others who want them; a worker's worker is no lower than its starter.

    Linux shares them out by session first, and among the processes of one only then by their own niceness; a worker leads
    a session of its own.
    """
    asked = os.environ.get("LEAKSCOPE_NICE", "")
    level = int(asked) if asked.isdigit() else NICE
    if hasattr(os, "nice"):
        os.nice(max(0, level - os.nice(0)))
    with suppress(OSError):
        if _GROUP.exists():
            _GROUP.write_text(str(level), encoding="ascii")


def _listen(source: IO[bytes], calls: "queue.SimpleQueue[bytes]") -> None:
    """Hand over what comes; a starter that is gone, however it went, takes its workers with it."""
    while (packed := read_frame(source)) is not None:
        calls.put(packed)
        del packed  # a file sent here to be read must not be held until the next one comes
    os._exit(0)


def _carry_out(packed: bytes, answers: IO[bytes]) -> None:
    last = -EVERY

    def progress(done: int, total: int, label: str, seconds_left: float | None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= EVERY or done >= total:
            last = now
            write_frame(answers, Message("progress", (done, total, label, seconds_left)))

    try:
        call: Call = unpacked(packed)
    except Exception as problem:  # a function of the script that was started, say, which nobody can import
        write_frame(answers, Message("failed", f"The work cannot be read here: {problem}"))
        return
    del packed
    with bounded(call.memory):
        for message in messages(call, progress):
            _send(answers, message)


def _send(answers: IO[bytes], message: Message) -> None:
    try:
        write_frame(answers, message)
    except MemoryError:
        write_frame(answers, Message("refused", LeakscopeError(OUT_OF_MEMORY)))
    except (pickle.PicklingError, TypeError, AttributeError) as problem:
        if message.kind == "refused":
            write_frame(answers, Message("refused", LeakscopeError(str(message.content))))
        else:
            write_frame(answers, Message("failed", f"The result cannot be sent: {problem}"))
