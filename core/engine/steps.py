"""Several calls as one job: each result is kept as it comes, and one that is refused leaves the others alone."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from ..errors import LeakscopeError
from ..progress import Pace, Progress
from .call import Call
from .each import each

WHOLE = 1000  # steps of the bar a call


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
