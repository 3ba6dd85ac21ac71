"""One job: what it may use, how far it is, how it ended; and several calls carried out as one, each result kept as it comes."""

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import LeakscopeError
from ..progress import Pace, Progress
from .call import Call
from .each import each
from .process import Worker, WorkLost

State = Literal["waiting", "running", "done", "failed", "stopped"]
WHOLE = 1000  # steps of the bar a call


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may use: bytes of memory, with all it starts, and seconds.

    `strict`: for what comes from strangers. The operating system refuses more memory at once, and the job runs in a
    process that carries out nothing but such jobs.
    """

    memory: int | None = None
    seconds: float | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a job is, as its last report says."""

    done: int = 0
    total: int = 0
    label: str = ""
    seconds_left: float | None = None


@dataclass(eq=False)
class Job:
    """One piece of work; `owners` are those who have asked for it, `keep` is given every part as it comes.

    Without `keep`, parts are gathered in `parts`.
    """

    key: Hashable
    call: Call | None
    name: str
    limits: Limits = Limits()
    keep: Callable[[Any], None] | None = field(default=None, repr=False)
    owners: set[str] = field(default_factory=set)
    state: State = "waiting"
    reached: Reached = Reached()
    parts: list[Any] = field(default_factory=list)
    kept: int = 0
    result: Any = None
    problem: str = ""
    number: int = 0
    started: float | None = None
    seconds: float = 0.0
    peak: int = 0
    worker: Worker | None = field(default=None, repr=False)
    ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.ended.is_set()


def past_limits(limits: Limits, *, memory: int, seconds: float) -> str | None:
    """Why a job that uses so much is ended, as a sentence; None where it may go on."""
    if limits.memory is not None and memory > limits.memory:
        return f"Ended: it used {memory / 1e9:.1f} GB, and {limits.memory / 1e9:.1f} GB are allowed."
    if limits.seconds is not None and seconds > limits.seconds:
        return f"Ended: it took more than the {_spoken(limits.seconds)} that are allowed."
    return None


def _spoken(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:g} seconds"


def broken_off(problem: WorkLost, limits: Limits) -> str:
    """Libraries that are refused memory may end their process instead of saying so."""
    if not limits.strict or limits.memory is None:
        return str(problem)
    return f"Ended: it broke off, or needs more than the {limits.memory / 1e9:.1f} GB of memory that are allowed."


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call gave no result; `final` where asking again would give the same."""

    sentence: str
    final: bool = True


def carry_out(
    calls: Sequence[Call], *, spread: bool = False, progress: Progress | None = None
) -> Iterator[tuple[int, Any]]:
    """The index and the result of every call, as they are done: in turn, or spread over the cores, each on one."""
    if spread:
        pace = Pace()
        with closing(each(_result, calls)) as found:
            for done, (index, result) in enumerate(found, start=1):
                yield index, result
                if progress is not None:
                    progress(done, len(calls), "", pace.left(done, len(calls) - done))
    else:
        for index, call in enumerate(calls):
            yield index, _result(_share(progress, index, len(calls)), call)


def _share(progress: Progress | None, index: int, calls: int) -> Progress | None:
    """A call's own progress as its share of the whole."""
    if progress is None or calls == 1:
        return progress
    pace = Pace()

    def report(done: int, total: int, label: str, seconds_left: float | None) -> None:
        share = round(WHOLE * (index + min(done / max(total, 1), 1.0)))
        left = pace.left(share - WHOLE * index, WHOLE * calls - share) if share > WHOLE * index else None
        progress(share, WHOLE * calls, label, left)

    return report


def _result(progress: Progress | None, call: Call) -> Any:
    try:
        return call(progress)
    except LeakscopeError as problem:
        return Refusal(str(problem))
