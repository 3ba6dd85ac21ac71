"""Memory that is refused: within the bound, not beyond it, and only for the call that it was set for."""

import os
import sys
from collections.abc import Iterator

import pytest

from core.engine import Call, Jobs, Limits
from core.engine.memory import bounded
from core.engine.process import Worker, answer
from core.errors import LeakscopeError

MB = 1_000_000
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux bounds what a process maps")


def hold(size: int) -> int:
    return len(bytearray(size))


def give(size: int) -> bytes:
    return bytes(size)


def abort() -> None:
    os.abort()


@pytest.fixture
def worker() -> Iterator[Worker]:
    started = Worker(threads=1)
    yield started
    started.end()


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs(limits=Limits())
    yield made
    made.end()


@linux
def test_a_call_is_refused_memory_and_the_next_one_is_not(worker: Worker):
    assert answer(worker, Call(hold, (100 * MB,), memory=500 * MB)) == 100 * MB
    with pytest.raises(LeakscopeError, match="memory allowed for this work is used up"):
        answer(worker, Call(hold, (600 * MB,), memory=500 * MB))
    assert answer(worker, Call(hold, (600 * MB,))) == 600 * MB


@linux
def test_a_result_that_cannot_be_packed_for_want_of_memory_is_a_sentence(worker: Worker):
    with pytest.raises(LeakscopeError, match="memory allowed for this work is used up"):
        answer(worker, Call(give, (300 * MB,), memory=500 * MB))
    assert len(answer(worker, Call(give, (MB,), memory=500 * MB))) == MB


@linux
def test_a_strict_job_is_refused_memory_and_others_are_not(jobs: Jobs):
    strict = jobs.ask("a", Call(hold, (600 * MB,)), name="a", limits=Limits(memory=500 * MB, strict=True))
    free = jobs.ask("b", Call(hold, (600 * MB,)), name="b", limits=Limits())
    assert strict.ended.wait(60) and free.ended.wait(60)
    assert (strict.state, strict.problem) == ("failed", "The memory allowed for this work is used up.")
    assert free.result == 600 * MB


def test_a_process_that_breaks_off_leaves_a_sentence_and_the_next_job_a_process(jobs: Jobs):
    limits = Limits(memory=500 * MB, strict=True)
    broken = jobs.ask("a", Call(abort), name="a", limits=limits)
    assert broken.ended.wait(60)
    assert broken.problem == "Ended: it broke off, or needs more than the 0.5 GB of memory that are allowed."
    after = jobs.ask("b", Call(hold, (MB,)), name="b", limits=limits)
    assert after.ended.wait(60) and after.result == MB


def test_strict_jobs_have_processes_of_their_own(jobs: Jobs):
    limits = Limits(memory=500 * MB, strict=True)
    numbers = []
    for key, given in (("a", limits), ("b", Limits()), ("c", limits)):
        job = jobs.ask(key, Call(os.getpid), name=key, limits=given)
        assert job.ended.wait(60)
        numbers.append(job.result)
    assert numbers[0] != numbers[1]


def test_without_a_bound_nothing_changes():
    with bounded(None):
        assert hold(MB) == MB
