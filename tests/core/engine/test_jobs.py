"""Jobs: queued in order, shared by all who ask for the same, watched, bounded, and ended when they are told to end."""

import os
import signal
import time
from collections.abc import Iterator

import psutil
import pytest

from core.engine import Call, Jobs, Limits, Refusal
from core.engine.jobs import RECENT
from tests.core.engine import tasks
from tests.core.engine.processes import children, number_in, there, within

PATIENCE = 60  # seconds; a busy machine starts processes slowly


@pytest.fixture(scope="module")
def jobs() -> Iterator[Jobs]:
    """One queue for all, so that its workers are warm."""
    made = Jobs(at_once=1)
    yield made
    made.end()
    assert within(5, lambda: not made._threads)


@pytest.fixture
def here() -> Jobs:
    return Jobs(here=True)


def ended(job):
    assert job.ended.wait(PATIENCE), "the job never ended"
    return job


def test_a_job_gives_its_result_and_its_last_progress(jobs):
    job = ended(jobs.ask("steps", {0: Call(tasks.steps, (30,))}, name="Steps"))
    assert (job.state, job.results[0], job.problem) == ("done", 30, "")
    assert (job.reached.done, job.reached.total, job.reached.label) == (30, 30, "step 30")
    assert job.seconds > 0


def test_equal_keys_are_one_job_and_an_ended_one_is_asked_for_again(jobs, tmp_path):
    one = jobs.ask("same", {0: Call(tasks.sleeps, (str(tmp_path),))}, name="One", owner="a")
    two = jobs.ask("same", {0: Call(tasks.sleeps, (str(tmp_path),))}, name="Two", owner="b")
    assert one is two and one.owners == {"a", "b"}
    assert jobs.find("same") is one and jobs.of("a") == jobs.of("b") == [one]
    jobs.stop(one)
    assert jobs.ask("same", {0: Call(tasks.add, (1,))}, name="Again") is not one


def test_jobs_start_in_the_order_in_which_they_came(jobs, tmp_path):
    holding = jobs.ask("holding", {0: Call(tasks.sleeps, (str(tmp_path),))}, name="Holding")
    number_in(tmp_path / "0.pid", PATIENCE)
    waiting = [jobs.ask(("queue", number), {0: Call(tasks.add, (number,))}, name="Queued") for number in range(4)]
    assert [job.state for job in waiting] == ["waiting"] * 4
    assert [jobs.ahead_of(job) for job in waiting] == [0, 1, 2, 3]
    jobs.stop(waiting[1])
    jobs.stop(holding)
    assert [ended(job).state for job in waiting] == ["done", "stopped", "done", "done"]
    assert [job.results for job in waiting] == [{0: 0}, {}, {0: 2}, {0: 3}]
    starts = [waiting[number].started for number in (0, 2, 3)]
    assert starts == sorted(starts)
    assert waiting[1].started is None


def test_six_owners_take_turns_and_reading_waits_for_no_other_work(jobs, tmp_path):
    holding = jobs.ask("holding", {0: Call(tasks.sleeps, (str(tmp_path),))}, name="Holding", owner="0")
    number_in(tmp_path / "0.pid", PATIENCE)
    asked = {
        (owner, turn): jobs.ask((owner, turn), {0: Call(tasks.add, (1,))}, name="Queued", owner=owner)
        for owner in "012345"
        for turn in range(2)
    }
    first, second = ([(owner, turn) for owner in "12345"] for turn in range(2))
    assert sorted(asked, key=lambda each: jobs.ahead_of(asked[each]))[:5] == first
    read = jobs.ask("file", {0: Call(tasks.add, (2,))}, name="Reading", owner="5", limits=Limits(strict=True))
    assert ended(read).state == "done"
    assert not holding.over and all(job.state == "waiting" for job in asked.values())
    jobs.stop(holding)
    starts = {each: ended(job).started for each, job in asked.items()}
    assert sorted(starts, key=lambda each: starts[each]) == [*first, ("0", 0), *second, ("0", 1)]


def test_stop_ends_the_process_its_children_and_their_memory(jobs, tmp_path):
    job = jobs.ask("child", {0: Call(tasks.sleeps_with_a_child, (str(tmp_path),))}, name="With a child")
    own, child = number_in(tmp_path / "0.pid", PATIENCE), number_in(tmp_path / "child.pid")
    assert psutil.Process(own).memory_info().rss > 200e6
    assert {own, child} <= children()
    start = time.monotonic()
    jobs.stop(job)
    assert within(2, lambda: not there(own) and not there(child))
    assert time.monotonic() - start < 2
    assert (ended(job).state, job.problem, job.results) == ("stopped", "Stopped.", {})


def test_too_much_memory_ends_it_with_a_sentence(jobs):
    limits = Limits(memory=400_000_000)
    job = ended(jobs.ask("memory", {0: Call(tasks.fills_memory, (10_000_000,))}, name="Memory", limits=limits))
    assert job.state == "failed"
    assert job.problem.startswith("Ended: it used 0.") and job.problem.endswith("0.4 GB are allowed.")
    assert job.peak > limits.memory


@pytest.mark.parametrize(("memory", "same"), [(900_000_000, False), (3_000_000_000, True)])
def test_a_job_does_not_pay_for_what_the_one_before_left_in_its_worker(memory, same):
    queue = Jobs(at_once=1, limits=Limits(memory=memory))
    first = ended(queue.ask("first", {0: Call(tasks.keeps_memory, (350_000_000,))}, name="First"))
    assert within(PATIENCE, lambda: not queue._threads)  # its worker has been given back, or ended
    second = ended(queue.ask("second", {0: Call(tasks.keeps_memory, (1,))}, name="Second"))
    assert first.state == second.state == "done"
    assert (first.results[0] == second.results[0]) == same
    queue.end()


def test_too_much_time_ends_it_with_a_sentence(jobs, tmp_path):
    job = ended(jobs.ask("time", {0: Call(tasks.sleeps, (str(tmp_path),))}, name="Time", limits=Limits(seconds=0.5)))
    assert (job.state, job.problem) == ("failed", "Ended: it took more than the 0.5 seconds that are allowed.")
    minutes = Jobs(at_once=1)
    job = minutes.ask("long", {0: Call(tasks.sleeps, (str(tmp_path),))}, name="Long", limits=Limits(seconds=600))
    assert within(PATIENCE, lambda: job.worker is not None)
    job.started -= 601  # as if it had begun ten minutes ago
    assert ended(job).problem == "Ended: it took more than the 10 minutes that are allowed."
    minutes.end()


def test_results_are_kept_as_they_come_also_when_it_dies(jobs):
    kept = {}
    calls = {"one": Call(tasks.add, (1,)), "no": Call(tasks.refuse), "dies": Call(tasks.always_dies, (None, 0))}
    job = ended(jobs.ask("dies", calls, name="Dies", keep=kept.__setitem__))
    assert (job.state, job.problem) == (
        "failed",
        "The worker process ended, perhaps because memory ran out. Try again.",
    )
    assert kept == {"one": 1, "no": Refusal(tasks.REFUSAL)} and job.kept == 2 and job.results == {}
    assert ended(jobs.ask("dies again", calls, name="Dies")).results == kept


@pytest.mark.parametrize("where", ["jobs", "here"])
@pytest.mark.parametrize("spread", [False, True])
def test_every_call_is_answered_and_a_refused_one_leaves_the_others_alone(request, where, spread, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CORES", "2")
    calls = {"a": Call(tasks.add, (1,)), "b": Call(tasks.refuse), "c": Call(tasks.add, (2,), {"two": 3})}
    job = ended(request.getfixturevalue(where).ask(("all", spread), calls, name="All", spread=spread))
    assert (job.state, job.results) == ("done", {"a": 1, "b": Refusal(tasks.REFUSAL), "c": 5})


def test_a_killed_worker_fails_its_job_and_not_the_next(jobs, tmp_path):
    job = jobs.ask("killed", {0: Call(tasks.sleeps, (str(tmp_path),))}, name="Killed")
    after = jobs.ask("after", {0: Call(tasks.add, (5,))}, name="After")
    os.kill(number_in(tmp_path / "0.pid", PATIENCE), signal.SIGKILL)
    assert (ended(job).state, ended(after).results[0]) == ("failed", 5)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (Call(tasks.broken, (None, 1)), "This work failed (ZeroDivisionError: division by zero)."),
        (Call(tasks.use_up_memory), "The memory allowed for this work is used up."),
    ],
)
@pytest.mark.parametrize("where", ["jobs", "here"])
def test_what_goes_wrong_is_a_sentence(request, where, call, problem):
    job = ended(request.getfixturevalue(where).ask(("wrong", problem), {0: call}, name="Wrong"))
    assert (job.state, job.problem) == ("failed", problem)


def test_what_cannot_be_sent_is_a_sentence(jobs):
    there_and_back = ended(jobs.ask("result", {0: Call(tasks.unsendable)}, name="Result"))
    assert there_and_back.problem.startswith("This work failed (the result cannot be sent")
    two = ended(jobs.ask("two", {0: Call(tasks.unsendable), 1: Call(tasks.add, (7,))}, name="Two"))
    assert (two.state, two.results) == ("failed", {}), "what cannot be sent ends the work"
    never_there = ended(jobs.ask("call", {0: Call(lambda: 1)}, name="Call"))
    assert never_there.problem.startswith("This work could not be started")
    assert ended(jobs.ask("next", {0: Call(tasks.add, (1,))}, name="Next")).results[0] == 1


def test_an_owner_who_leaves_stops_what_nobody_else_waits_for(jobs, tmp_path):
    shared = jobs.ask("shared", {0: Call(tasks.sleeps, (str(tmp_path),))}, name="Shared", owner="gone")
    jobs.ask("shared", {0: Call(tasks.sleeps, (str(tmp_path),))}, name="Shared", owner="stays")
    own = jobs.ask("own", {0: Call(tasks.add, (1,))}, name="Own", owner="gone")
    jobs.leave("gone")
    assert jobs.of("gone") == []
    assert own.state == "stopped" and jobs.find("own") is None
    assert not shared.over and shared.owners == {"stays"}
    jobs.stop(shared, "somebody else")
    assert not shared.over
    jobs.stop(shared, "stays")
    assert shared.state == "stopped"


def test_what_its_owners_have_seen_is_forgotten(here):
    job = here.ask("seen", {0: Call(tasks.add, (1,))}, name="Seen", owner="a")
    here.ask("other", {0: Call(tasks.add, (1,))}, name="Other", owner="b")
    here.forget(job, "a")
    assert here.find("seen") is None and here.find("other") is not None


def test_no_more_than_the_last_ended_jobs_are_remembered(here):
    for number in range(RECENT + 10):
        here.ask(number, {0: Call(tasks.add, (number,))}, name="Many")
    assert sum(here.find(number) is not None for number in range(RECENT + 10)) == RECENT
    assert here.find(RECENT + 9).results[0] == RECENT + 9


def test_here_gives_the_same_as_a_process(jobs, here):
    for queue in (jobs, here):
        job = ended(queue.ask("both", {0: Call(tasks.steps, (3,))}, name="Both"))
        assert (job.state, job.results[0], job.reached.done) == ("done", 3, 3)


def test_ending_the_queue_ends_everything(tmp_path):
    before = children()
    jobs = Jobs(at_once=2)
    started = [jobs.ask(number, {0: Call(tasks.sleeps, (str(tmp_path), number))}, name="Long") for number in range(3)]
    running = [number_in(tmp_path / f"{number}.pid", PATIENCE) for number in range(2)]
    jobs.end()
    assert [job.state for job in started] == ["stopped"] * 3
    assert within(2, lambda: not any(map(there, running)))
    assert within(2, lambda: children() <= before)
