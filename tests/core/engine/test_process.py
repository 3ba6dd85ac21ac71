"""Worker processes: asked one call after another, ended with all they started, and never left behind."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.engine import Call, WorkFailed, WorkLost, cores
from core.engine.process import Pool, Worker, alone, answer, one_core, read_frame, unpacked, write_frame
from core.errors import InputError
from tests.conftest import ROOT
from tests.core.engine import tasks
from tests.core.engine.processes import number_in, there, within


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker(threads=1)
    yield made
    made.end()


def test_calls_are_answered_one_after_another_by_the_same_process(worker):
    numbers = {answer(worker, Call(tasks.own_number, (None, 0))) for _ in range(3)}
    assert numbers == {worker.pid}
    assert answer(worker, Call(tasks.add, (2,), {"two": 3})) == 5


def test_progress_arrives_to_its_last_step(worker):
    seen = []
    assert answer(worker, Call(tasks.steps, (40,)), seen.append) == 40
    assert seen[-1] == (40, 40, "step 40", None)


def test_refusals_are_raised_here_and_the_worker_goes_on(worker):
    with pytest.raises(InputError, match=tasks.REFUSAL):
        answer(worker, Call(tasks.refuse))
    with pytest.raises(WorkFailed, match="ZeroDivisionError"):
        answer(worker, Call(tasks.broken, (None, 1)))
    with pytest.raises(WorkFailed, match="cannot be sent"):
        answer(worker, Call(tasks.unsendable))
    assert answer(worker, Call(tasks.add, (1,))) == 1


def test_a_worker_has_the_threads_it_was_given(worker):
    assert set(answer(worker, Call(tasks.blas_threads))) == {1}


def test_a_worker_that_ends_in_the_middle_is_lost_and_one_that_is_gone_as_well():
    worker = Worker()
    with pytest.raises(WorkLost, match="process ended"):
        answer(worker, Call(tasks.always_dies, (None, 0)))
    assert within(2, lambda: not worker.alive())
    with pytest.raises(WorkLost, match="process ended"):
        answer(worker, Call(tasks.add, (1,)))
    worker.end()


def test_a_pool_gives_the_same_worker_again_unless_it_is_gone_or_grown():
    pool = Pool(idle=1, largest=10**12)
    first = pool.take()
    pool.give_back(first)
    assert pool.take() is first
    os.kill(first.pid, signal.SIGKILL)
    assert within(2, lambda: not first.alive())
    pool.give_back(first)
    second = pool.take()
    assert second is not first
    pool.end()
    pool.give_back(second)  # comes back too late
    assert not there(second.pid)
    small = Pool(idle=1, largest=1)
    third = small.take()
    small.give_back(third)
    assert not there(third.pid)


def test_a_starter_that_is_killed_leaves_no_worker_behind(tmp_path):
    code = f"from tests.core.engine.tasks import starts_workers; starts_workers({str(tmp_path)!r})"
    starter = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    try:
        workers = [number_in(tmp_path / f"{task}.pid", 60) for task in (1, 2)]
        assert all(map(there, workers))
    finally:
        starter.kill()
        starter.wait(10)
    assert within(2, lambda: not any(map(there, workers)))


def test_cores_are_those_asked_for_and_one_in_a_task_of_a_cluster(monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CORES", "7")
    assert cores() == 7
    with one_core():
        assert cores() == 1 and alone()
    assert cores() == 7 and not alone()
    for senseless in ("", "0", "-2", "many"):
        monkeypatch.setenv("LEAKSCOPE_CORES", senseless)
        assert cores() >= 1


@given(
    some.lists(
        some.one_of(some.text(), some.binary(), some.integers(), some.lists(some.floats(allow_nan=False))), max_size=5
    )
)
def test_frames_come_out_in_order_and_equal(contents):
    stream = io.BytesIO()
    for content in contents:
        write_frame(stream, content)
    stream.seek(0)
    assert [unpacked(frame) for frame in iter(lambda: read_frame(stream), None)] == contents


def test_a_call_passes_progress_only_to_what_takes_it():
    seen = []
    assert Call(tasks.steps, (2,))(lambda *told: seen.append(told)) == 2
    assert [told[0] for told in seen] == [0, 1, 2]
    assert Call(tasks.add, (1,), {"two": 1})(seen.append) == 2
