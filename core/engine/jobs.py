"""Jobs: work in another process that is queued, watched, bounded, stopped, and shared by all who ask for the same; its pace here."""

import itertools
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..files import cache_folder, written_whole
from .process import LARGEST_IDLE, LOST, Call, Message, Pool, Worker, WorkLost, cores
from .worker import messages

State = Literal["waiting", "running", "done", "failed", "stopped"]
WATCH = 0.2  # seconds between two looks at memory and time
LARGEST_STRICT = 400 * 1024**2  # bytes: a strict worker that holds more is ended, so that the next job finds room
RECENT = 200  # ended jobs that are remembered
ROOM = 3  # a worker that holds more than this part of a job's memory is ended: the next job needs the rest


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may use, with all it starts."""

    memory: int | None = None  # bytes
    seconds: float | None = None
    strict: bool = False  # for strangers' files: the system bounds memory, in a process that runs only such jobs


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a job is, as its last report says."""

    done: int = 0
    total: int = 0
    label: str = ""
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call gave no result."""

    sentence: str
    final: bool = True  # asking again would give the same
    stopped: bool = False  # somebody wanted so


@dataclass(eq=False)
class Job:
    """Calls that are carried out as one."""

    key: Hashable
    calls: Mapping[Any, Call[Any]]
    name: str
    limits: Limits = Limits()
    # Gets every key with its result or refusal.
    keep: Callable[[Any, Any], None] | None = field(default=None, repr=False)
    spread: bool = False
    owners: set[str] = field(default_factory=set)  # who has asked for it
    state: State = "waiting"
    reached: Reached = Reached()
    results: dict[Any, Any] = field(default_factory=dict)  # gathered where there is no `keep`
    kept: int = 0
    problem: str = ""
    number: int = 0
    started: float | None = None
    moving: float | None = None  # when its first step was done
    seconds: float = 0.0
    peak: int = 0
    worker: Worker | None = field(default=None, repr=False)
    ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def over(self) -> bool:
        """Return whether nothing more will come."""
        return self.ended.is_set()

    def taken(self) -> tuple[list[Any], list[Call[Any]]]:
        """Return its keys and its calls, and let go of them: the corpus in them need not wait here for the end."""
        calls, self.calls = self.calls, {}
        return list(calls), list(calls.values())


def over_limits(limits: Limits, *, memory: int, seconds: float) -> str | None:
    """Return why a job that uses this much is ended, as a sentence, or None if it may go on."""
    if limits.memory is not None and memory > limits.memory:
        return f"Ended: it used {memory / 1e9:.1f} GB, and {limits.memory / 1e9:.1f} GB are allowed."
    if limits.seconds is not None and seconds > limits.seconds:
        return f"Ended: it took more than the {_spoken(limits.seconds)} that are allowed."
    return None


def _spoken(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:g} seconds"


def broken_off(problem: WorkLost, limits: Limits) -> str:
    """Return why a process ended by itself: libraries that are refused memory may end it without an error."""
    if not limits.strict or limits.memory is None:
        return str(problem)
    return f"Ended: it broke off, or needs more than the {limits.memory / 1e9:.1f} GB of memory that are allowed."


class Jobs:
    """The queue: at most `at_once` jobs run, and as many that read files. The others wait, and owners take turns.

    `here` carries every job out in the process and thread of who asks, before `ask` returns: for tests, and where
    no process can be started.
    """

    def __init__(self, *, at_once: int | None = None, limits: Limits | None = None, here: bool = False) -> None:
        self.at_once = at_once or cores() + 1
        self.limits = limits or Limits()
        self._here = here
        self.largest_idle = min(LARGEST_IDLE, (self.limits.memory or ROOM * LARGEST_IDLE) // ROOM)
        self._pool = Pool(largest=self.largest_idle)
        self._strict = Pool(threads=1, idle=1, largest=LARGEST_STRICT)
        self._jobs: dict[Hashable, Job] = {}
        self._numbers = itertools.count(1)
        self._served: dict[str, float] = {}  # when a job of each owner last started
        self._lock = threading.RLock()
        self._watching = False
        self._threads: set[threading.Thread] = set()

    def ask(
        self,
        key: Hashable,
        calls: Mapping[Any, Call[Any]],
        *,
        name: str,
        owner: str = "",
        limits: Limits | None = None,
        keep: Callable[[Any, Any], None] | None = None,
        spread: bool = False,
    ) -> Job:
        """Return the job of this key: the one that waits or runs already, else a new one.

        `spread`: its calls go to all cores, each on one, instead of being carried out in turn.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.over:
                job = Job(key, calls, name, limits or self.limits, keep, spread, number=next(self._numbers))
                self._jobs.pop(key, None)
                self._jobs[key] = job
            job.owners.add(owner)
        if self._here and job.state == "waiting":
            self._carry_out_here(job)
        self._start_next()
        return job

    def find(self, key: Hashable) -> Job | None:
        """Return the last job of this key."""
        return self._jobs.get(key)

    def of(self, owner: str) -> list[Job]:
        """Return the owner's jobs whose end has not been shown, in the order they were asked for."""
        with self._lock:
            return [job for job in self._jobs.values() if owner in job.owners]

    def forget(self, job: Job, owner: str) -> None:
        """Forget a job whose end the owner has seen."""
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
        """Remove an owner who is gone, and stop what nobody else waits for."""
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
        """Return how many waiting jobs are to start before this one."""
        with self._lock:
            waiting = [each for each in self._jobs.values() if each.state == "waiting"]
            before = self._order([each for each in waiting if each.limits.strict == job.limits.strict])
            return before.index(job) if job in before else 0

    def _order(self, waiting: Sequence[Job]) -> list[Job]:
        """Sort waiting jobs: first one of everybody's, then a second, and so on; what runs counts.

        In a turn, whoever was served longest ago comes first, then who came first.
        """
        turns = Counter(owner for job in self._jobs.values() if job.state == "running" for owner in job.owners)
        places: dict[int, tuple[int, float, int]] = {}
        for job in sorted(waiting, key=lambda job: job.number):
            turn = min((turns[owner] for owner in job.owners), default=0)
            served = min((self._served.get(owner, 0.0) for owner in job.owners), default=0.0)
            places[job.number] = turn, served, job.number
            turns.update(job.owners)
        return sorted(waiting, key=lambda job: places[job.number])

    def _start_next(self) -> None:
        with self._lock:
            for strict in (True, False):  # reading a file takes seconds, and does not wait for hours of other work
                lane = [job for job in self._jobs.values() if job.limits.strict == strict]
                free = self.at_once - sum(job.state == "running" for job in lane)
                waiting = self._order([job for job in lane if job.state == "waiting"])
                for job in waiting[: max(0, free)]:
                    job.state, job.started = "running", time.monotonic()
                    if not strict:
                        self._note_served(job)
                    thread = threading.Thread(target=self._run, args=(job,), daemon=True, name="leakscope-job")
                    self._threads.add(thread)
                    thread.start()
            running = any(job.state == "running" for job in self._jobs.values())
            if running and not self._watching:
                self._watching = True
                threading.Thread(target=self._watch, daemon=True, name="leakscope-watch").start()

    def _note_served(self, job: Job) -> None:
        for owner in job.owners:
            self._served.pop(owner, None)
            self._served[owner] = job.started or 0.0
        while len(self._served) > RECENT:
            del self._served[next(iter(self._served))]

    def _run(self, job: Job) -> None:
        pool, limits = (self._strict if job.limits.strict else self._pool), job.limits
        worker = pool.take()
        job.worker = worker
        keys, calls = job.taken()
        whole = False  # whether the worker has said all it has to say: one that was killed may still look alive
        try:
            if not job.over:
                memory = limits.memory if limits.strict else None
                for message in worker.ask(calls, spread=job.spread, memory=memory):
                    self._hear(job, keys, message)
            whole = True
        except WorkLost as problem:
            self._finish(job, "failed", problem=broken_off(problem, limits))
        except Exception as problem:  # what cannot be sent to a process, say
            self._finish(job, "failed", problem=f"This work could not be started: {problem}")
        finally:
            job.worker = None
            self._finish(job, "failed", problem=LOST)
            if whole and job.state != "stopped":
                pool.give_back(worker)
            else:
                worker.end()
            self._threads.discard(threading.current_thread())
            self._start_next()

    def _carry_out_here(self, job: Job) -> None:
        job.state, job.started = "running", time.monotonic()
        keys, calls = job.taken()

        def progress(done: int, total: int, label: str, seconds_left: float | None) -> None:
            job.reached = Reached(done, total, label, seconds_left)

        for message in messages(calls, progress, spread=job.spread):
            self._hear(job, keys, message)

    def _hear(self, job: Job, keys: Sequence[Any], message: Message) -> None:
        match message.kind:
            case "progress":
                job.reached = Reached(*message.content)
                if job.moving is None and job.reached.done:
                    job.moving = time.monotonic()
            case "result" | "refused" as kind:
                index, result = message.content
                (job.keep or job.results.__setitem__)(
                    keys[index], Refusal(str(result)) if kind == "refused" else result
                )
                job.kept += 1
            case "done":
                self._finish(job, "done")
            case "failed":
                self._finish(job, "failed", problem=message.content)

    def _finish(self, job: Job, state: State, *, problem: str = "") -> bool:
        """End a job; only its first end counts."""
        with self._lock:
            if job.over:
                return False
            job.state, job.problem, job.calls = state, problem, {}
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
        """Watch memory and time of every job while anything runs."""
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
        problem = over_limits(limits, memory=used, seconds=time.monotonic() - job.started)
        if problem is not None:
            self._end(job, "failed", problem)


NAME = "paces.json"
MOST_PACES = 500  # names; far more than there are models and encoders
SHORTEST = 0.05  # seconds of work that tell anything
NEWEST = 0.5  # weight of the last measurement against all before it

_lock = threading.Lock()


def remember_pace(name: str, units: float, seconds: float) -> None:
    """Note that `units` of this work took so long; work too short to be told from noise is not noted."""
    if units <= 0 or seconds < SHORTEST:
        return
    with _lock, suppress(OSError):
        paces = _read_paces(_paces_file())
        pace = seconds / units
        paces[name] = pace if name not in paces else NEWEST * pace + (1 - NEWEST) * paces[name]
        _paces_file().parent.mkdir(parents=True, exist_ok=True)
        with written_whole(_paces_file()) as partial:
            partial.write_text(json.dumps(dict(list(paces.items())[-MOST_PACES:])), encoding="utf-8")


def seconds_for(name: str, units: float, *, otherwise: float | None = None) -> float | None:
    """Return seconds for `units` of this work at the pace measured here; at `otherwise` seconds a unit where none was."""
    pace = _read_paces(_paces_file()).get(name, otherwise)
    return None if pace is None else pace * units


def _paces_file() -> Path:
    return cache_folder() / NAME


def _read_paces(file: Path) -> dict[str, float]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(name): float(pace) for name, pace in found.items() if isinstance(pace, int | float) and pace > 0}
