"""How far long work is: one protocol for everything that takes a while."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Progress(Protocol):
    """Called between two steps; what is done by then is kept, and raising here ends the work without loss."""

    def __call__(self, done: int, total: int, label: str, seconds_left: float | None, /) -> None:
        """Report `done` of `total` steps, what is done now, and the seconds left where they are known."""
        ...


class Pace:
    """The seconds left, at the pace of the last half of the steps done: a slow start is forgotten, and one step is not all."""

    def __init__(self) -> None:
        self._marks = deque([(0, time.monotonic())])  # steps done and when that was reached, from the middle on

    def left(self, done: int, to_do: int) -> float | None:
        """Return the seconds for `to_do` more steps after `done` of them; None before the first."""
        if not done:
            return None
        now = time.monotonic()
        if done > self._marks[-1][0]:
            self._marks.append((done, now))
        while len(self._marks) > 1 and self._marks[1][0] <= done / 2:
            self._marks.popleft()
        if (
            self._marks[0][0] == 0 and len(self._marks) > 2
        ):  # what came before the first step is no pace: a model is loaded
            self._marks.popleft()
        steps, since = self._marks[0]
        return (now - since) / (done - steps) * to_do if done > steps else None  # fewer: it began once more


_listener: ContextVar[Progress | None] = ContextVar("_listener", default=None)


@contextmanager
def heard_by(listener: Progress | None) -> Iterator[None]:
    """Send what a step reports with `tell` to the listener, while in here."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def tell(done: int, total: int, label: str, seconds_left: float | None = None) -> None:
    """Report how far a step is inside itself to whoever listens, without passing `progress` on."""
    listener = _listener.get()
    if listener is not None:
        listener(done, total, label, seconds_left)
