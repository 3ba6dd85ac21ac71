"""How far long work is: one protocol for everything that takes a while."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Progress(Protocol):
    """Called between two steps; what is done by then is kept, and raising here ends the work without loss."""

    def __call__(self, done: int, total: int, label: str, seconds_left: float | None, /) -> None:
        """`done` of `total` steps, what is at hand now, and the seconds left where that can be told."""
        ...


class Pace:
    """The seconds left, from the time that the steps done since the start have taken."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def left(self, done: int, to_do: int) -> float | None:
        """Seconds for `to_do` more steps after `done` of them; None before the first."""
        return (time.monotonic() - self._start) / done * to_do if done else None


_listener: ContextVar[Progress | None] = ContextVar("_listener", default=None)


@contextmanager
def heard_by(listener: Progress | None) -> Iterator[None]:
    """While in here, what deep inside a step is told with `tell` goes to the listener."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def tell(done: int, total: int, label: str, seconds_left: float | None = None) -> None:
    """How far a step is inside itself, for whoever listens; contracts between the two need not pass a `progress` on."""
    listener = _listener.get()
    if listener is not None:
        listener(done, total, label, seconds_left)
