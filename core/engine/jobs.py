"""Jobs: work in another process that is queued, watched, bounded, stopped, and shared by all who ask for the same."""

import itertools
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from .call import Call, Message, messages
from .job import Job, Limits, Reached, State, broken_off, past_limits
from .process import Pool, WorkLost, cores

WATCH = 0.2  # seconds between two looks at memory and time
LARGEST_STRICT = 400 * 1024**2  # bytes: a strict worker that holds more is ended, so that the next job finds room
RECENT = 200  # ended jobs that are remembered


class Jobs:
    """The queue: at most `at_once` jobs run, the others wait in the order in which they came.

    `here` carries every job out in the process and thread of who asks, before `ask` returns: for tests, and where
    no process can be started.
    """

    def __init__(self, *, at_once: int | None = None, limits: Limits | None = None, here: bool = False) -> None:
        self.at_once = at_once or cores() + 1
        self.limits = limits or Limits()
        self._here = here
        self._pool = Pool()
        self._strict = Pool(threads=1, idle=1, largest=LARGEST_STRICT)
        self._jobs: dict[Hashable, Job] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()
        self._watching = False
        self._threads: set[threading.Thread] = set()

    def ask(
        self,
        key: Hashable,
        call: Call,
        *,
        name: str,
        owner: str = "",
        limits: Limits | None = None,
        keep: Callable[[Any], None] | None = None,
    ) -> Job:
        """The job of this key: the one that waits or runs already, else a new one."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.over:
                job = Job(key, call, name, limits or self.limits, keep, number=next(self._numbers))
                self._jobs.pop(key, None)
                self._jobs[key] = job
            job.owners.add(owner)
        if self._here and job.state == "waiting":
            self._carry_out_here(job)
        self._start_next()
        return job

    def find(self, key: Hashable) -> Job | None:
        """The last job of this key."""
        return self._jobs.get(key)

    def of(self, owner: str) -> list[Job]:
        """What this owner has asked for and has not been told the end of, in the order in which it came."""
        with self._lock:
            return [job for job in self._jobs.values() if owner in job.owners]

    def forget(self, job: Job, owner: str) -> None:
        """The owner has seen how it ended."""
        with self._lock:
            job.owners.discard(owner)
            if job.over and not job.owners and self._jobs.get(job.key) is job:
                del self._jobs[job.key]

    def stop(self, job: Job, owner: str | None = None) -> None:
        """End a job; where an owner is named, only if nobody else waits for it."""
        with self._lock:
            if owner is not None:
                job.owners.discard(owner)
                if job.owners:
                    return
        self._end(job, "stopped", "Stopped.")

    def leave(self, owner: str) -> None:
        """The owner is gone: what nobody else waits for is stopped."""
        for job in self.of(owner):
            self.stop(job, owner)
            self.forget(job, owner)

    def end(self) -> None:
        """Stop everything, and wait until it is gone."""
        for job in list(self._jobs.values()):
            self.stop(job)
        self._pool.end()
        self._strict.end()
        for thread in list(self._threads):
            thread.join(5)

    def ahead_of(self, job: Job) -> int:
        """How many jobs are to start before this one."""
        with self._lock:
            return sum(other.state == "waiting" and other.number < job.number for other in self._jobs.values())

    def _start_next(self) -> None:
        with self._lock:
            running = sum(job.state == "running" for job in self._jobs.values())
            for job in sorted(self._jobs.values(), key=lambda job: job.number):
                if running >= self.at_once:
                    break
                if job.state == "waiting":
                    job.state, job.started = "running", time.monotonic()
                    running += 1
                    thread = threading.Thread(target=self._run, args=(job,), daemon=True, name="leakscope-job")
                    self._threads.add(thread)
                    thread.start()
            if running and not self._watching:
                self._watching = True
                threading.Thread(target=self._watch, daemon=True, name="leakscope-watch").start()

    def _run(self, job: Job) -> None:
        pool, limits = (self._strict if job.limits.strict else self._pool), job.limits
        worker = pool.take()
        job.worker = worker
        call, job.call = job.call, None  # the corpus in it need not wait here for the end
        if call is not None and limits.strict:
            call = replace(call, memory=limits.memory)
        whole = False  # whether the worker has said all it has to say: one that was killed may still look alive
        try:
            if call is not None and not job.over:
                for message in worker.ask(call):
                    self._hear(job, message)
            whole = True
        except WorkLost as problem:
            self._finish(job, "failed", problem=broken_off(problem, limits))
        except Exception as problem:  # what cannot be sent to a process, say
            self._finish(job, "failed", problem=f"This work could not be started: {problem}")
        finally:
            job.worker = None
            self._finish(job, "failed", problem="The process that did this work has ended.")
            if whole and job.state != "stopped":
                pool.give_back(worker)
            else:
                worker.end()
            self._threads.discard(threading.current_thread())
            self._start_next()

    def _carry_out_here(self, job: Job) -> None:
        job.state, job.started = "running", time.monotonic()
        call, job.call = job.call, None
        assert call is not None

        def progress(done: int, total: int, label: str, seconds_left: float | None) -> None:
            job.reached = Reached(done, total, label, seconds_left)

        for message in messages(call, progress):
            self._hear(job, message)

    def _hear(self, job: Job, message: Message) -> None:
        match message.kind:
            case "progress":
                job.reached = Reached(*message.content)
            case "part":
                (job.keep or job.parts.append)(message.content)
                job.kept += 1
            case "done":
                self._finish(job, "done", result=message.content)
            case "refused":
                self._finish(job, "failed", problem=str(message.content))
            case "failed":
                line = message.content.strip().splitlines()[-1]
                self._finish(job, "failed", problem=f"This work failed ({line}).")

    def _finish(self, job: Job, state: State, *, result: Any = None, problem: str = "") -> bool:
        """The first end of a job is its end."""
        with self._lock:
            if job.over:
                return False
            job.state, job.result, job.problem, job.call = state, result, problem, None
            job.seconds = 0.0 if job.started is None else time.monotonic() - job.started
            job.ended.set()
            over = [each for each in self._jobs.values() if each.over]
            for old in over[: max(0, len(over) - RECENT)]:
                del self._jobs[old.key]
            return True

    def _end(self, job: Job, state: State, problem: str) -> None:
        if self._finish(job, state, problem=problem) and job.worker is not None:
            job.worker.end()
        self._start_next()

    def _watch(self) -> None:
        """While anything runs: no job past its memory or its time."""
        while True:
            with self._lock:
                running = [job for job in self._jobs.values() if job.state == "running"]
                if not running:
                    self._watching = False
                    return
            for job in running:
                self._check(job)
            time.sleep(WATCH)

    def _check(self, job: Job) -> None:
        worker, limits = job.worker, job.limits
        if worker is None or job.started is None:
            return
        used = worker.memory()
        job.peak = max(job.peak, used)
        problem = past_limits(limits, memory=used, seconds=time.monotonic() - job.started)
        if problem is not None:
            self._end(job, "failed", problem)
