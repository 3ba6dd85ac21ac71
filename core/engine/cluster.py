"""The same tasks on a Dask cluster, where LEAKSCOPE_DASK names its scheduler.

Whoever can reach a scheduler can run code on its workers; docs/scaling.md says how to keep it private.
"""

import asyncio
import logging
import pickle
import queue
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from platform import python_version
from typing import Any
from uuid import uuid4

from cachetools import LRUCache

from ..errors import LeakscopeError
from ..extras import how_to_install
from .process import WorkFailed, WorkLost, one_core, unpacked

CLUSTER = "LEAKSCOPE_DASK"
SECONDS = 8  # to reach the scheduler, and to wait for its first worker
HANDSHAKE = 10  # seconds in which whatever listens there must answer as a scheduler does
SILENT = 12  # seconds after which a machine that says nothing counts as gone; Dask allows no fewer
AHEAD = 3  # tasks a thread that lie ready on the cluster: enough that none waits, and not a million texts at once
LOOK = 5.0  # seconds between two looks at the cluster while no result comes
ALONE = 60  # seconds without any worker that end the work
LIBRARIES = ("numba", "numpy", "scikit-learn", "scipy", "torch")  # another version may give other digits

_held: LRUCache[str, tuple[Any, ...]] = LRUCache(2)  # in a worker: what the tasks of the last works share
_holding = threading.Lock()


def on_cluster(
    address: str, one: Callable[..., Any], function: Callable[..., Any], tasks: Sequence[Any], shared: Any
) -> Generator[tuple[int, Any]]:
    """Yield `one(function, shared, task)` for every task on the cluster's workers, as they are done.

    What is shared is the result of a task of its own, which the scheduler can have computed again: no worker is the
    only one that holds it.
    """
    work, packed = uuid4().hex, _packed((one, function, shared))
    with _client(address) as client:
        cluster = _Cluster(client, address)
        held = client.submit(_echo, packed, key=f"leakscope-shared-{work}")
        del packed
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        running: dict[str, tuple[int, Any]] = {}
        waiting = iter(enumerate(tasks))
        try:
            while True:
                for index, task in islice(waiting, max(0, AHEAD * cluster.threads() - len(running))):
                    future = client.submit(_run_packed, work, held, _packed((task, versions())), pure=False)
                    running[future.key] = index, future
                    future.add_done_callback(done.put)
                if not running:
                    return
                index, future = running.pop(cluster.next(done).key)
                yield index, cluster.result(future)
        finally:  # also where the caller stops asking, or a task fails: what has not begun never will
            if client.status == "running":
                with suppress(Exception):
                    client.cancel([held, *(future for _, future in running.values())], force=True)
                    client.run(_forget_held, work, on_error="ignore")


@cache
def versions() -> dict[str, str]:
    """Return the versions of everything that makes answers here, without a library's processor type."""
    found = {}
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):  # of an extra
            found[name] = version(name).partition("+")[0]
    ours = sys.modules[__name__.rsplit(".", 2)[0]].__version__  # imported, the whole package would import itself
    return {"Python": python_version(), "Leakscope": ours} | found


@contextmanager
def _client(address: str) -> Iterator[Any]:
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise LeakscopeError(
            f"{CLUSTER} names a cluster, and Dask is not installed here; "
            f"run: {how_to_install('cluster')}, or unset {CLUSTER}."
        ) from None
    for logger in (
        "distributed",
        "distributed.client",
    ):  # a lost connection becomes one sentence; they print a traceback
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    patience = {"distributed.comm.timeouts.connect": f"{SECONDS}s", "distributed.comm.timeouts.tcp": f"{SILENT}s"}
    large = {"distributed.admin.large-graph-warning-threshold": "1TB"}  # what is shared may be a corpus
    with dask.config.set(patience | large):
        _reach_cluster(address)
        connected: Any = Client  # typed in part only
        try:
            client = connected(address, timeout=SECONDS, set_as_default=False)
        except Exception as problem:  # gone since then
            raise _unreached(address, type(problem).__name__) from None
        try:
            yield client
        finally:
            with suppress(Exception):
                client.close(timeout=2)


def _reach_cluster(address: str) -> None:
    """Raise where no scheduler answers in time; Dask itself waits without end for the first words of what listens there."""
    problems: list[str] = []

    async def shake_hands() -> None:
        import distributed

        dask: Any = distributed  # typed in part only
        try:
            async with asyncio.timeout(HANDSHAKE - 1):
                secrets = dask.Security().get_connection_args("client")
                if address.startswith("tls://") and secrets.get("ssl_context") is None:
                    problems.append("no certificate is named here: docs/scaling.md says how")
                    return
                (await dask.comm.connect(address, timeout=SECONDS, **secrets)).abort()
        except TimeoutError:
            problems.append("no answer in time")
        except Exception as problem:  # addresses that are none end in errors of every kind, assertions among them
            problems.append(type(problem).__name__)

    # In a thread that can be left alone: looking up a name cannot be ended.
    trying = threading.Thread(target=lambda: asyncio.run(shake_hands()), name="leakscope-reach", daemon=True)
    trying.start()
    trying.join(HANDSHAKE)
    if trying.is_alive() or problems:
        raise _unreached(address, problems[0] if problems else "no answer in time")


def _unreached(address: str, why: str) -> LeakscopeError:
    return LeakscopeError(
        f"No Dask scheduler answers at {address} ({why}); "
        f"start it there, correct {CLUSTER}, or unset it to work on this machine alone."
    )


class _Cluster:
    """What is asked of a cluster while it works for us; a scheduler or workers that are gone become a sentence."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._threads, self._looked, self._last_worker = 0, -LOOK, time.monotonic()
        try:
            client.wait_for_workers(1, timeout=SECONDS)
        except TimeoutError:
            raise self._no_workers() from None
        except OSError:
            raise self._gone() from None

    def threads(self) -> int:
        """Return the threads of all workers, as last heard; at least one, for the worker that comes back."""
        if time.monotonic() - self._looked >= LOOK:
            self._look()
        return max(1, self._threads)

    def next(self, done: "queue.SimpleQueue[Any]") -> Any:
        """Return the next task that has ended, however it did."""
        while True:
            try:
                return done.get(timeout=LOOK)
            except queue.Empty:
                self._look()

    def result(self, future: Any) -> Any:
        """Return the result of a finished task, or raise what was refused there."""
        from distributed import KilledWorker

        while future.status != "error":
            if future.status == "cancelled":
                raise self._gone()
            try:
                return unpacked(future.result(timeout=LOOK))
            except TimeoutError:  # its worker went before it was fetched, and another computes it
                self._look()
            except Exception:
                if future.status == "finished":
                    raise self._gone() from None
        problem = future.exception(timeout=LOOK)
        if isinstance(problem, KilledWorker):
            problem = WorkLost(
                f"{problem.allowed_failures + 1} workers of the cluster at {self._address} ended at the same task, for "
                "want of memory perhaps; give them more, or fewer tasks at once."
            )
        elif not isinstance(problem, LeakscopeError):
            problem = WorkFailed(f"This work failed: {type(problem).__name__}: {problem}")
        raise problem

    def _look(self) -> None:
        try:
            self._threads = sum(self._client.nthreads().values())
        except Exception:
            raise self._gone() from None
        self._looked = time.monotonic()
        if self._threads:
            self._last_worker = self._looked
        elif self._looked - self._last_worker > ALONE:
            raise self._no_workers()

    def _gone(self) -> LeakscopeError:
        return LeakscopeError(
            f"The Dask scheduler at {self._address} stopped during the work. Start it and its workers again, then ask again. "
            "Answers already stored are not computed twice."
        )

    def _no_workers(self) -> LeakscopeError:
        return LeakscopeError(
            f"The Dask scheduler at {self._address} has no workers. Start some (docs/scaling.md) and ask again."
        )


def _packed(content: object) -> bytes:
    """Return pickled bytes, so that neither Dask nor its scheduler looks into texts for names of tasks."""
    try:
        return pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, TypeError, AttributeError) as problem:
        raise LeakscopeError(f"This cannot be sent to another machine: {problem}") from None


# From here on: in a worker.


def _echo(packed: bytes) -> bytes:
    return packed


def _run_packed(work: str, packed: bytes, asked: bytes) -> bytes:
    """Run one task, if every library has the asker's version."""
    task, wanted = unpacked(asked)
    for name, ours in versions().items():
        if wanted.get(name) != ours:
            raise LeakscopeError(
                f"A worker of the cluster has {name} {ours}, and the work was asked for with {wanted[name]}; "
                "install the same requirements on every machine and start its workers again."
            )
    with _holding:  # unpacked once a process
        if work not in _held:
            _held[work] = unpacked(packed)
        one, function, shared = _held[work]
    with one_core():
        return _packed(one(function, shared, task))


def _forget_held(work: str) -> None:
    with _holding:
        _held.pop(work, None)
