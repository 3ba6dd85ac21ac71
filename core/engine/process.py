"""Worker processes as seen from their starter: what goes through their pipes, how they are started, measured and ended.

Frames of pickled messages on the pipes of a child that we started ourselves: nothing that came from a user's file is
ever unpickled.
"""

import inspect
import json
import os
import pickle
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, Any, Generic, Literal, TypeVar

import psutil

from ..errors import LeakscopeError

HEAD = struct.Struct(">Q")
OUT_OF_MEMORY = "The memory allowed for this work is used up."
LOST = "The worker process ended, perhaps because memory ran out. Try again."
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
CORES = "LEAKSCOPE_CORES"
START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {package}.worker import main; main()"
# Arrow's own pool takes a gigabyte at its start, out of which no limit on the process could refuse anything.
PLAIN_MEMORY = {"ARROW_DEFAULT_MEMORY_POOL": "system"}
IDLE = 2  # workers that wait for the next work: what they have imported and compiled is there already
LARGEST_IDLE = 1024**3  # bytes: a worker that holds more gives them back by ending

Result = TypeVar("Result")
MessageKind = Literal["progress", "result", "refused", "failed", "done"]


@dataclass(frozen=True, slots=True)
class Call(Generic[Result]):
    """A function of a module with its arguments; `progress=` is passed to it where it takes it."""

    function: Callable[..., Result]
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, progress: Callable[..., None] | None = None) -> Result:
        """Compute the result here."""
        keywords = dict(self.keywords)
        if "progress" in inspect.signature(self.function).parameters:
            keywords["progress"] = progress
        return self.function(*self.arguments, **keywords)


@dataclass(frozen=True, slots=True)
class Message:
    """One frame from a worker.

    "progress": done, total, label and seconds left. "result" and "refused": a call's index, and its result or the
    LeakscopeError that it raised. "failed": why the work ended early, in a sentence. "done": every call is answered.
    """

    kind: MessageKind
    content: Any = None


class WorkLost(LeakscopeError):
    """A worker ended in the middle of its work."""


class WorkFailed(LeakscopeError):
    """The work itself broke off, with an error that is nobody's input: doing it again would break off again."""


def write_frame(stream: IO[bytes], content: object) -> None:
    """Write one object, with its length before it."""
    packed = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(HEAD.pack(len(packed)))
    stream.write(packed)
    stream.flush()


def unpacked(packed: bytes) -> Any:
    """Return what a frame from our own process holds."""
    return pickle.loads(packed)  # noqa: S301 (from a child that we started, on a pipe whose other end it alone holds)


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Return the next object, still packed; None where the other side has closed."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    length = HEAD.unpack(head)[0]
    packed = stream.read(length)
    return packed if len(packed) == length else None


_here = threading.local()


@contextmanager
def one_core() -> Iterator[None]:
    """Keep a task on one core while this thread carries it out."""
    _here.alone = True
    try:
        yield
    finally:
        _here.alone = False


def alone() -> bool:
    """Return whether this thread has one core and nobody to give tasks to."""
    return getattr(_here, "alone", False)


def cores() -> int:
    """Return how many processors this process may use; LEAKSCOPE_CORES overrides it."""
    if alone():
        return 1
    asked = os.environ.get(CORES, "")
    if asked.isdigit() and int(asked):
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Worker:
    """A process that carries out calls one at a time.

    `threads` bounds what numerical libraries start in it, and its own share of cores for work of many tasks. It is
    the leader of a session of its own, so that Ctrl-C in a terminal does not reach it before its starter.
    """

    def __init__(self, *, threads: int | None = None) -> None:
        environment = os.environ | {"PYTHONUNBUFFERED": "1", **PLAIN_MEMORY}
        if threads is not None:
            environment |= dict.fromkeys((*THREADS, CORES), str(threads))
        code = START.format(package=__package__)
        paths = json.dumps([os.path.abspath(path) for path in sys.path])
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", code, paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        self._writing = threading.Lock()

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, calls: Sequence[Call[Any]], *, spread: bool = False, memory: int | None = None) -> Iterator[Message]:
        """Yield every message while the calls are carried out; raise WorkLost where the process ends before.

        `spread`: over all cores instead of in turn. `memory`: bytes that the process may hold in all meanwhile.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            with self._writing:
                write_frame(self._process.stdin, (calls, spread, memory))
            while (packed := read_frame(self._process.stdout)) is not None:
                message: Message = unpacked(packed)
                yield message
                if message.kind in ("done", "failed"):
                    return
        except (OSError, ValueError) as problem:
            raise WorkLost(LOST) from problem
        raise WorkLost(LOST)

    def alive(self) -> bool:
        """Return whether the process is still there."""
        return self._process.poll() is None

    def memory(self) -> int:
        """Return the bytes in use by the process and everything it started."""
        return sum(_resident(process) for process in self._family())

    def end(self) -> None:
        """End the process and everything it started, at once."""
        family = self._family()
        for process in family:
            with suppress(psutil.Error):
                process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError, ValueError):
                    stream.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        end = time.monotonic() + 2
        while any(map(_running, family)) and time.monotonic() < end:
            time.sleep(0.01)

    def _family(self) -> list[psutil.Process]:
        try:
            own = psutil.Process(self.pid)
            return [*own.children(recursive=True), own]
        except psutil.Error:
            return []


def _running(process: psutil.Process) -> bool:
    """Return whether a process runs; a zombie does not, and a container may never reap it."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


class Pool:
    """Workers that are warm: what was used goes back, what has grown too large is ended."""

    def __init__(self, *, threads: int | None = None, idle: int = IDLE, largest: int = LARGEST_IDLE) -> None:
        self._threads, self._most_idle, self._largest = threads, idle, largest
        self._idle: list[Worker] = []
        self._ended = False
        self._lock = threading.Lock()

    def take(self) -> Worker:
        """Return a waiting worker, or a new one."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.alive():
                    return worker
                worker.end()  # what is left of it: its pipes
        return Worker(threads=self._threads)

    def give_back(self, worker: Worker) -> None:
        """Keep it for the next work, unless enough are waiting or it holds too much."""
        if worker.alive() and worker.memory() < self._largest:
            with self._lock:
                if not self._ended and len(self._idle) < self._most_idle:
                    self._idle.append(worker)
                    return
        worker.end()

    def end(self) -> None:
        """End every waiting worker, and those that come back later."""
        with self._lock:
            waiting, self._idle, self._ended = self._idle, [], True
        for worker in waiting:
            worker.end()


def answer(
    worker: Worker,
    call: Call[Result],
    on_progress: Callable[[tuple[int, int, str, float | None]], None] | None = None,
    *,
    memory: int | None = None,
) -> Result:
    """Return the result of one call; raise what it refused."""
    found: list[Result] = []
    refused: LeakscopeError | None = None
    for message in worker.ask([call], memory=memory):
        match message.kind:
            case "result":
                found.append(message.content[1])
            case "refused":
                refused = message.content[1]
            case "failed":
                raise WorkFailed(message.content)
            case "progress" if on_progress is not None:
                on_progress(message.content)
    if refused is not None:
        raise refused
    return found[0]
