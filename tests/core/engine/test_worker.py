"""The other side of the pipe, in this process: what comes in is carried out, and whatever happens a sentence goes out;
and memory that is refused: within the bound, not beyond it, and only for the call that it was set for."""

import io
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from core.engine import Call, Jobs, Limits
from core.engine.process import HEAD, Worker, answer, read_frame, unpacked
from core.engine.worker import NICE, _carry_out, bounded, messages
from core.errors import LeakscopeError
from tests.core.engine import tasks

MB = 1_000_000
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux bounds what a process maps")


def said(*calls: Call, spoil: Callable[[bytes], bytes] = bytes) -> list:
    """All that a worker answers to these calls."""
    stream = io.BytesIO()
    _carry_out(spoil(pickle.dumps((calls, False, None))), stream)
    stream.seek(0)
    return [unpacked(frame) for frame in iter(lambda: read_frame(stream), None)]


def test_every_call_is_answered_in_turn_and_then_it_is_done():
    *answers, last = said(Call(tasks.add, (2, 3)), Call(tasks.refuse), Call(tasks.add, (1,)))
    assert [(answer.kind, answer.content[0], str(answer.content[1])) for answer in answers] == [
        ("result", 0, "5"),
        ("refused", 1, tasks.REFUSAL),
        ("result", 2, "1"),
    ]
    assert (last.kind, last.content) == ("done", None)


@pytest.mark.parametrize(("calls", "spread"), [(1, False), (3, False), (3, True)])
def test_progress_rises_to_the_whole(calls, spread):
    seen = []
    work = [Call(tasks.steps, (4,)) for _ in range(calls)]
    list(messages(work, lambda *told: seen.append(told), spread=spread))
    done = [told[0] for told in seen]
    assert done == sorted(done)
    assert {told[1] for told in seen} == {seen[-1][1]}
    assert done[-1] == seen[-1][1]
    assert all(left is None or left >= 0 for *_, left in seen)


def test_nothing_is_computed_before_it_is_asked_for():
    found = messages([Call(tasks.add, (1,)), Call(tasks.broken, (None, 1))], lambda *told: None)
    assert next(found).content == (0, 1)
    found.close()


def test_progress_is_told_at_most_ten_times_a_second_and_always_at_the_end():
    answers = said(Call(tasks.steps, (5_000,)))
    told = [message.content[0] for message in answers if message.kind == "progress"]
    assert told[0] == 0 and told[-1] == 5_000
    assert len(told) < 500
    assert answers[-2].content == (0, 5_000)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (Call(tasks.broken, (None, 1)), "failed", "ZeroDivisionError"),
        (Call(tasks.use_up_memory), "failed", "memory allowed for this work is used up"),
        (Call(tasks.unsendable), "failed", "the result cannot be sent"),
    ],
)
def test_whatever_ends_the_work_is_the_last_message(call, kind, words):
    (message,) = said(call, Call(tasks.add, (1,)))
    assert message.kind == kind
    assert words in str(message.content)


def test_work_that_nobody_can_import_here_is_a_sentence_and_not_the_end_of_the_worker():
    (message,) = said(Call(tasks.refuse), spoil=lambda packed: packed.replace(b"refuse", b"refine"))
    assert message.kind == "failed"
    assert "the work cannot be read here" in message.content


def test_a_frame_that_was_cut_off_is_the_end():
    assert read_frame(io.BytesIO(b"")) is None
    assert read_frame(io.BytesIO(HEAD.pack(10) + b"short")) is None


@pytest.mark.parametrize(("asked", "level"), [("", NICE), ("3", 3), ("much", NICE)])
def test_a_worker_gives_way_to_whoever_serves_users(monkeypatch, asked, level):
    monkeypatch.setenv("LEAKSCOPE_NICE", asked)
    worker = Worker()
    try:
        assert answer(worker, Call(tasks.add, (2, 3))) == 5
        assert psutil.Process(worker.pid).nice() >= level
        group = Path(f"/proc/{worker.pid}/autogroup")
        if group.exists():
            assert group.read_text(encoding="ascii").split()[-1] == str(level)
    finally:
        worker.end()


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
    assert answer(worker, Call(hold, (100 * MB,)), memory=500 * MB) == 100 * MB
    with pytest.raises(LeakscopeError, match="memory allowed for this work is used up"):
        answer(worker, Call(hold, (600 * MB,)), memory=500 * MB)
    assert answer(worker, Call(hold, (600 * MB,))) == 600 * MB


@linux
def test_a_result_that_cannot_be_packed_for_want_of_memory_is_a_sentence(worker: Worker):
    with pytest.raises(LeakscopeError, match="memory allowed for this work is used up"):
        answer(worker, Call(give, (300 * MB,)), memory=500 * MB)
    assert len(answer(worker, Call(give, (MB,)), memory=500 * MB)) == MB


@linux
def test_a_strict_job_is_refused_memory_and_others_are_not(jobs: Jobs):
    strict = jobs.ask("a", {0: Call(hold, (600 * MB,))}, name="a", limits=Limits(memory=500 * MB, strict=True))
    free = jobs.ask("b", {0: Call(hold, (600 * MB,))}, name="b", limits=Limits())
    assert strict.ended.wait(60) and free.ended.wait(60)
    assert (strict.state, strict.problem) == ("failed", "The memory allowed for this work is used up.")
    assert free.results[0] == 600 * MB


def test_a_process_that_breaks_off_leaves_a_sentence_and_the_next_job_a_process(jobs: Jobs):
    limits = Limits(memory=500 * MB, strict=True)
    broken = jobs.ask("a", {0: Call(abort)}, name="a", limits=limits)
    assert broken.ended.wait(60)
    assert broken.problem == "Ended: it broke off, or needs more than the 0.5 GB of memory that are allowed."
    after = jobs.ask("b", {0: Call(hold, (MB,))}, name="b", limits=limits)
    assert after.ended.wait(60) and after.results[0] == MB


def test_strict_jobs_have_processes_of_their_own(jobs: Jobs):
    limits = Limits(memory=500 * MB, strict=True)
    numbers = []
    for key, given in (("a", limits), ("b", Limits()), ("c", limits)):
        job = jobs.ask(key, {0: Call(os.getpid)}, name=key, limits=given)
        assert job.ended.wait(60)
        numbers.append(job.results[0])
    assert numbers[0] != numbers[1]


def test_without_a_bound_nothing_changes():
    with bounded(None):
        assert hold(MB) == MB


def test_threads_of_a_server_that_read_at_once_leave_it_without_a_limit():
    """A class that opened the app together left the server with the limit of one of its readers for good."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    one_reads, both_read, one_left = (threading.Event() for _ in range(3))

    def first() -> None:
        with bounded(10**9, more=True):
            one_reads.set()
            both_read.wait(10)
        one_left.set()

    def second() -> None:
        one_reads.wait(10)
        with bounded(10**9, more=True):
            both_read.set()
            one_left.wait(10)

    readers = [threading.Thread(target=each) for each in (first, second)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(20)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
