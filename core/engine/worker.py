"""The other side: a process that carries out calls, in the memory it may take, until its starter goes away."""

import os
import pickle
import queue
import sys
import threading
import time
import traceback
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ..errors import LeakscopeError
from ..progress import Pace, Progress
from .each import each
from .process import OUT_OF_MEMORY, Call, Message, MessageKind, read_frame, unpacked, write_frame

try:
    import resource
except ImportError:  # Windows: there the starter's watch alone bounds it
    resource = None  # type: ignore[assignment]

_STATUS = Path("/proc/self/status")
EVERY = 0.1  # seconds between two messages on progress
MOST_STAGES = 20  # names of stages that are told at once, whatever was told just before
NICE = 15  # of 19: what a user sees comes first, unless LEAKSCOPE_NICE says otherwise
_GROUP = Path("/proc/self/autogroup")
WHOLE = 1000  # steps of the bar a call, where calls are carried out in turn


def messages(calls: Sequence[Call[Any]], progress: Progress, *, spread: bool = False) -> Generator[Message]:
    """Carry the calls out, in turn or spread over the cores, and yield all there is to say; nothing is raised."""
    pace, several = Pace(), len(calls) > 1
    try:
        if spread and several:
            with closing(each(_tried, calls)) as found:
                for done, (index, (kind, result)) in enumerate(found, start=1):
                    yield Message(kind, (index, result))
                    progress(done, len(calls), "", pace.left(done, len(calls) - done))
        else:
            for index, call in enumerate(calls):
                told = _share_of_progress(progress, pace, index, len(calls)) if several else progress
                kind, result = _tried(told, call)
                yield Message(kind, (index, result))
        yield Message("done")
    except LeakscopeError as problem:  # of who carries it out, not of a call
        yield Message("failed", str(problem))
    except MemoryError:
        yield Message("failed", OUT_OF_MEMORY)
    except Exception:
        yield Message("failed", _failure(traceback.format_exc(limit=-6)))


def _tried(progress: Progress | None, call: Call[Any]) -> tuple[MessageKind, Any]:
    """Return the result of a call, or the error by which it refuses its input: the other calls go on."""
    try:
        return "result", call(progress)
    except LeakscopeError as problem:
        return "refused", problem


def _failure(text: str) -> str:
    return f"This work failed ({text.strip().splitlines()[-1]})."


def _share_of_progress(progress: Progress, pace: Pace, index: int, calls: int) -> Progress:
    """Return a listener that hears a call's own progress as its share of the whole."""

    def report(done: int, total: int, label: str, seconds_left: float | None) -> None:
        share = round(WHOLE * (index + min(done / max(total, 1), 1.0)))
        progress(share, WHOLE * calls, label, pace.left(share, WHOLE * calls - share))

    return report


@contextmanager
def bounded(most: int | None, *, more: bool = False) -> Iterator[None]:
    """Limit the memory of this process to about `most` bytes in all, or to `most` `more` than it holds now.

    To want more is a MemoryError. What libraries have reserved and never touched (stacks, buffers) does not count.
    """
    held = _held()
    # The limit holds for the whole process. Beside other threads, as in a server, it would refuse them memory, and the last
    # of two that leave would put back the limit that the other had set.
    shared = threading.current_thread() is not threading.main_thread()
    if most is None or resource is None or held is None or shared:
        yield
        return
    reserved, resident = held
    before = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = reserved + max(most if more else most - resident, 0)
    if before[1] != resource.RLIM_INFINITY:
        allowed = min(allowed, before[1])
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _held() -> tuple[int, int] | None:
    """Return the bytes this process has reserved, and those in memory, or None if unknown."""
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
    last, stages = -EVERY, set[str]()

    def progress(done: int, total: int, label: str, seconds_left: float | None) -> None:
        nonlocal last
        now, new = time.monotonic(), len(stages) < MOST_STAGES and label not in stages
        if now - last >= EVERY or done >= total or new:  # a new stage may last for a minute
            last = now
            stages.add(label)
            write_frame(answers, Message("progress", (done, total, label, seconds_left)))

    try:
        calls, spread, memory = unpacked(packed)
    except Exception as problem:  # a function of the script that was started, say, which nobody can import
        write_frame(answers, Message("failed", _failure(f"the work cannot be read here: {problem}")))
        return
    del packed
    with bounded(memory), closing(messages(calls, progress, spread=spread)) as said:
        for message in said:
            if not _sent(answers, message):
                return


def _sent(answers: IO[bytes], message: Message) -> bool:
    """Send a message, or why it cannot be sent: that ends the work, and nothing may follow it."""
    try:
        write_frame(answers, message)
        return True
    except MemoryError:
        write_frame(answers, Message("failed", OUT_OF_MEMORY))
    except (pickle.PicklingError, TypeError, AttributeError) as problem:
        if message.kind == "refused":
            index, refused = message.content
            write_frame(answers, Message("refused", (index, LeakscopeError(str(refused)))))
            return True
        write_frame(answers, Message("failed", _failure(f"the result cannot be sent: {problem}")))
    return False
