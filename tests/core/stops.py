"""A progress callback that has had enough: ending work between two steps must lose nothing."""

from collections.abc import Callable


class Enough(Exception):
    """What a page, a closed browser or Ctrl-C raises inside long work."""


def stop_when(enough: Callable[[], bool]) -> Callable[..., None]:
    """A callback that ends the work at the first step at which `enough()` holds."""

    def progress(done: int, total: int, label: str, seconds_left: float | None) -> None:
        if enough():
            raise Enough

    return progress
