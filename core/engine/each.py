"""One function over many tasks, on all cores or on a cluster; the same answers wherever they run."""

import atexit
import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeVar

from threadpoolctl import OpenBLASController, threadpool_limits  # type: ignore[import-untyped]

from ..errors import LeakscopeError
from ..progress import Progress, heard_by
from .cluster import CLUSTER, on_cluster
from .process import Call, Pool, Worker, WorkLost, alone, answer, cores

Task = TypeVar("Task")
Result = TypeVar("Result")
# Called with a task's index and how far it is: done, total, label and seconds left.
Told = Callable[[int, tuple[int, int, str, float | None]], None]
LISTEN = 0.3  # seconds between two looks at how far tasks are inside themselves
TRIES = 2  # for a task whose worker was lost; one that takes its worker with it twice is at fault itself


def each(
    function: Callable[[Any, Task], Result],
    tasks: Sequence[Task],
    *,
    shared: Any = None,
    workers: int | None = None,
    told: Told | None = None,
) -> Generator[tuple[int, Result]]:
    """Yield `function(shared, task)` for every task, with the task's index, as they are done.

    What a task tells from inside itself (`progress.tell`) goes to `told`, in the thread of who asks; on a cluster it is not
    heard. `shared` goes to each worker once. With one worker, or one task, the work is done here. Linear algebra runs in one
    thread everywhere: how a sum is cut into threads changes its last digits. Closing it ends what still runs.
    """
    workers = 1 if alone() else min(workers or cores(), len(tasks))
    if len(tasks) > 1 and on_a_cluster():
        yield from on_cluster(os.environ[CLUSTER], _one, function, tasks, shared)
    elif workers > 1:
        yield from _on_processes(function, tasks, shared, workers, told)
    else:
        for index, task in enumerate(tasks):
            with heard_by(None if told is None else _of_task(told, index)):
                result = _one(function, shared, task)
            yield index, result


def _of_task(told: Told, index: int) -> Progress:
    def listen(done: int, total: int, label: str, seconds_left: float | None) -> None:
        told(index, (done, total, label, seconds_left))

    return listen


def on_a_cluster() -> bool:
    """Return whether tasks go to other machines from here."""
    return bool(os.environ.get(CLUSTER)) and not alone()


def _one(function: Callable[[Any, Task], Result], shared: Any, task: Task) -> Result:
    with one_thread:
        return function(shared, task)


class _OneThread:
    """While any thread of this process is in here, linear algebra runs in one thread.

    The limit belongs to the whole process: whoever leaves first must not lift it for the others.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                import_module("scipy.linalg")  # has its own library, which no earlier limit would reach
                _take_control()
                self._limits = threadpool_limits(1, user_api="blas")
            self._inside += 1

    def __exit__(self, *problem: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                _take_control()
                self._limits.restore_original_limits()
                _take_control()


def _take_control() -> None:
    """Set the limit first: from threadpoolctl 3.8 on, limits set by other threads are silently ignored."""
    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


one_thread = _OneThread()


@cache
def _pool() -> Pool:
    pool = Pool(threads=1, idle=cores())
    atexit.register(pool.end)
    return pool


_held: tuple[Callable[..., Any], Any] | None = None


def _hold(function: Callable[..., Any], shared: Any) -> None:
    """Store what all tasks share, in a worker."""
    global _held
    _held = function, shared


def _held_one(task: Any, progress: Progress | None = None) -> Any:
    assert _held is not None
    with heard_by(progress):
        return _one(*_held, task)


def _on_processes(
    function: Callable[[Any, Task], Result], tasks: Sequence[Task], shared: Any, workers: int, told: Told | None
) -> Iterator[tuple[int, Result]]:
    """Yield results from a thread per process, each handing over one task after another."""
    running = _Running(function, shared)
    executor = ThreadPoolExecutor(workers, thread_name_prefix="leakscope-each")
    waiting: set[Future[tuple[int, Result]]] = {
        executor.submit(running.one, index, task) for index, task in enumerate(tasks)
    }
    finished = False
    try:
        while waiting:
            ready, waiting = wait(waiting, None if told is None else LISTEN, return_when=FIRST_COMPLETED)
            if told is not None:
                for index in list(running.heard):
                    told(index, running.heard.pop(index))
            for future in ready:
                yield future.result()
        finished = True
    finally:  # also where the caller stops asking, or a task fails
        for future in waiting:
            future.cancel()
        running.end(kill=not finished)
        executor.shutdown()


class _Running:
    """The workers of one `each`, one a thread."""

    def __init__(self, function: Callable[..., Any], shared: Any) -> None:
        self._first = Call(_hold, (function, shared))
        self._own = threading.local()
        self._workers: set[Worker] = set()
        self.heard: dict[int, tuple[int, int, str, float | None]] = {}  # what each task told last
        self._lock = threading.Lock()
        self._ended = False

    def one(self, index: int, task: Any) -> tuple[int, Any]:
        for attempt in range(1, TRIES + 1):
            worker = self._worker()
            try:
                if worker is not getattr(self._own, "taught", None):
                    answer(worker, self._first)
                    self._own.taught = worker
                return index, answer(worker, Call(_held_one, (task,)), partial(self.heard.__setitem__, index))
            except WorkLost:
                self._drop(worker)
                if self._ended or attempt == TRIES:
                    raise
        raise AssertionError("unreachable")

    def _worker(self) -> Worker:
        """Return this thread's own worker, and start one if it has none."""
        worker: Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = _pool().take()
            with self._lock:
                self._workers.add(worker)
            if self._ended:  # while it was starting: nobody will end it but we
                self._drop(worker)
                raise WorkLost("This work was ended before it began.")
        return worker

    def _drop(self, worker: Worker) -> None:
        self._own.worker = None
        with self._lock:
            self._workers.discard(worker)
        worker.end()

    def end(self, *, kill: bool) -> None:
        self._ended = True
        with self._lock:
            workers = list(self._workers)
        for worker in workers:
            if not kill:
                with suppress(LeakscopeError):  # lost after its last task: no matter
                    answer(worker, Call(_hold, (None, None)))  # what was shared is given back
                    _pool().give_back(worker)
                    continue
            worker.end()
