"""What the tests have done in other processes: functions of a module, as everything that goes to a worker must be."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from core.engine import each
from core.errors import InputError

REFUSAL = "row 3: empty 'topic'; fill it or drop the row."


def product(shared: np.ndarray, task: int) -> np.ndarray:
    """Linear algebra whose last digits depend on how it is cut into threads."""
    rng = np.random.default_rng(task)
    return np.linalg.pinv(rng.normal(size=(120, 40))) @ shared[:, :120].T


def squared(shared: Any, task: int) -> int:
    return task * task


def waits_for_the_second(folder: str, task: int) -> int:
    """The first task waits for the second one's file: in turn, they would never end."""
    (Path(folder) / str(task)).touch()
    if task == 0:
        wait_for(Path(folder, "1"))
    return task


def wait_for(file: Path, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not file.exists():
        if time.monotonic() > end:
            raise TimeoutError(file)
        time.sleep(0.02)


def refused_at_three(shared: Any, task: int) -> int:
    if task == 3:
        raise InputError(REFUSAL)
    return task


def broken(shared: Any, task: int) -> float:
    return task / 0


def unsendable(shared: Any = None, task: int = 0) -> Callable[[], int]:
    return lambda: task


def dies_once(folder: str, task: int) -> int:
    """A process that is killed at its first try of the second task, as if for want of memory."""
    mark = Path(folder) / f"tried-{task}"
    if task == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return task * 10


def always_dies(shared: Any, task: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def sleeps(folder: str, task: int = 0) -> None:
    """Leave one's number in the folder, and go on for longer than any test waits."""
    (Path(folder) / f"{task}.pid").write_text(str(os.getpid()))
    time.sleep(600)


def first_returns(folder: str, task: int) -> None:
    """Task 0 ends when task 1 has begun, which never does."""
    if task:
        sleeps(folder, task)
    wait_for(Path(folder, "1.pid"))


def first_returns_quickly(folder: str, task: int) -> None:
    """Every task but the first takes a while."""
    (Path(folder) / str(task)).touch()
    if task:
        time.sleep(1)


def killable(folder: str, task: int) -> int:
    """Say which process this is, where none has, and wait for a sign."""
    with suppress(FileExistsError), Path(folder, "running").open("x") as running:
        running.write(str(os.getpid()))
    wait_for(Path(folder, "go"))
    return task * 10


def sleeps_with_a_child(folder: str) -> None:
    """Work that has started a process of its own and holds 200 MB."""
    held = np.ones(25_000_000)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    (Path(folder) / "child.pid").write_text(str(child.pid))
    sleeps(folder, int(held[0]) - 1)


def fills_memory(step: int) -> None:
    held = []
    while True:
        held.append(bytearray(b"x" * step))
        time.sleep(0.02)


_kept: list[bytearray] = []


def keeps_memory(size: int) -> int:
    """Hold memory for as long as the process lives, as a library that compiles does; return the process."""
    _kept.append(bytearray(b"x" * size))
    return os.getpid()


def steps(total: int, progress: Callable[..., None] | None = None) -> int:
    for done in range(total + 1):
        if progress is not None:
            progress(done, total, f"step {done}", None)
    return total


def add(one: int, two: int = 0) -> int:
    return one + two


def refuse() -> None:
    raise InputError(REFUSAL)


def use_up_memory() -> None:
    raise MemoryError


def blas_threads(shared: Any = None, task: int = 0) -> list[int]:
    """Threads of every library of linear algebra, those that the task itself loads as well."""
    import scipy.linalg

    scipy.linalg.norm([1.0])
    return [found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"]


def spreads(shared: Any, task: int) -> list[int]:
    """A task that would itself spread tasks, and where they ran."""
    return [os.getpid(), *(number for _, number in each(own_number, [1, 2, 3], workers=2))]


def own_number(shared: Any, task: int) -> int:
    return os.getpid()


def starts_workers(folder: str) -> None:
    """For a process of its own: workers in the middle of their tasks, until somebody kills their starter."""
    for _ in each(sleeps, [1, 2], shared=folder, workers=2):
        pass
