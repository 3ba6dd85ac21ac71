"""One function over many tasks: the same answers wherever they run, and nothing lost with a worker."""

import threading
from contextlib import closing

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from core.engine import WorkFailed, WorkLost, each
from core.engine.each import _Running
from core.errors import InputError
from tests.core.engine import tasks
from tests.core.engine.processes import children, number_in, there, within

SHARED = np.random.default_rng(0).normal(size=(40, 200))


@pytest.mark.parametrize("workers", [1, 2])
def test_every_task_is_answered_once(workers):
    found = list(each(tasks.squared, range(20), workers=workers))
    assert sorted(found) == [(task, task * task) for task in range(20)]


def test_answers_are_the_same_to_the_last_bit_on_one_worker_and_on_two():
    one = dict(each(tasks.product, range(6), shared=SHARED, workers=1))
    two = dict(each(tasks.product, range(6), shared=SHARED, workers=2))
    assert one.keys() == two.keys()
    assert all((one[task] == two[task]).all() for task in one)


def test_tasks_run_at_the_same_time(tmp_path):
    found = dict(each(tasks.waits_for_the_second, [0, 1], shared=str(tmp_path), workers=2))
    assert found == {0: 0, 1: 1}


def test_no_tasks_start_nothing():
    before = children()
    assert list(each(tasks.squared, [], workers=2)) == []
    assert children() <= before


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_task_refuses_is_raised_here(workers):
    with pytest.raises(InputError, match=tasks.REFUSAL):
        list(each(tasks.refused_at_three, range(6), workers=workers))


def test_a_task_that_breaks_says_where_and_is_not_tried_again():
    with pytest.raises(WorkFailed, match="ZeroDivisionError: division by zero"):
        list(each(tasks.broken, range(3), workers=2))


def test_a_result_that_cannot_be_sent_gives_a_sentence():
    with pytest.raises(WorkFailed, match="the result cannot be sent"):
        list(each(tasks.unsendable, range(2), workers=2))


def test_a_worker_killed_in_the_middle_is_replaced_and_nothing_is_lost(tmp_path):
    found = dict(each(tasks.dies_once, range(5), shared=str(tmp_path), workers=2))
    assert (tmp_path / "tried-1").exists()
    assert found == {task: task * 10 for task in range(5)}


def test_a_task_that_takes_every_worker_with_it_is_given_up():
    with pytest.raises(WorkLost, match="process ended"):
        list(each(tasks.always_dies, range(2), workers=2))


def test_closing_it_ends_the_processes(tmp_path):
    found = each(tasks.first_returns, range(4), shared=str(tmp_path), workers=2)
    with closing(found):
        assert next(found) == (0, None)
        running = number_in(tmp_path / "1.pid")
        assert running in children()
    assert within(2, lambda: not there(running))
    assert not (tmp_path / "3.pid").exists()


def test_a_worker_that_starts_while_all_are_ended_is_ended_as_well(tmp_path):
    before = children()
    running = _Running(tasks.sleeps, str(tmp_path))
    running.end(kill=True)
    with pytest.raises(WorkLost, match="ended before it began"):
        running.one(0, 1)
    assert within(2, lambda: children() <= before)
    assert not (tmp_path / "1.pid").exists()


def test_linear_algebra_has_one_thread_in_every_task_also_in_libraries_that_the_task_loads():
    for workers in (1, 2):
        for _, threads in each(tasks.blas_threads, range(3), workers=workers):
            assert threads and set(threads) == {1}


def test_two_threads_at_once_do_not_lift_each_others_limit():
    inside, leave, seen = threading.Event(), threading.Event(), []

    def waits(shared, task):
        inside.set()
        leave.wait(10)
        seen.append(tasks.blas_threads())

    with threadpool_limits(2, user_api="blas"):
        long = threading.Thread(target=lambda: list(each(waits, [0])))
        long.start()
        assert inside.wait(10)
        list(each(tasks.squared, [0, 1], workers=1))  # comes and goes meanwhile
        leave.set()
        long.join(10)
        assert seen and set(seen[0]) == {1}
        assert set(tasks.blas_threads()) == {2}
