"""Runs tests on mutants: collects them once, then forks a process a mutant that runs only those that reach it.

A mutant inside a function is put in place by giving the function its changed code, wherever it has been imported to. One
outside, such as a constant of the module, is seen only by those who import it again: its process imports core itself.
"""

import gc
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import ceil
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, TypeAlias

import hypothesis
import pytest

from tests.mutation import ROOT, Changed, Mutant, functions, path_of

Lines: TypeAlias = set[int]

SLOW = {"test_layout.py"}  # UMAP compiles for half a minute, and no formula here reaches it
# A mutant that computes this long, or that many times as long as its tests on the module as it is, runs for ever. Seconds
# of computing, not of waiting: a busy machine must not pass for a test that fails.
LEAST_PATIENCE, PATIENCE = 10.0, 5.0
LONGEST = 3_600.0
MEMORY = 8 * 1024**3
OPTIONS = ["-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider"]
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is there before pytest


def own_tests(module: str) -> list[Path]:
    """The files of tests named like the module, or like it and a part of it: most of its mutants die there."""
    package, name = module.split("/")
    folder = ROOT / "tests" / "core" / package
    return [folder / f"test_{name}.py", *sorted(folder.glob(f"test_{name}_*.py"))]


def other_tests(module: str) -> list[Path]:
    """The other files of tests of its package."""
    own = own_tests(module)
    return sorted(file for file in own[0].parent.glob("test_*.py") if file not in own and file.name not in SLOW)


def survivors(chosen: Sequence[Mutant], files: Sequence[Path], *, jobs: int) -> list[Mutant]:
    """The mutants of a module that no test in these files notices."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        inside = Collected(chosen, files, jobs=jobs, folder=folder)
        process = forked(inside.run, folder, LONGEST)
        if ended([process])[1] != 0:
            sys.exit(f"Tests fail on core as it stands; first fix `pytest {' '.join(inside.files)}`.")
        answer = json.loads(inside.answer.read_text(encoding="utf-8"))
        again = [(chosen[index], answer["patience"]) for index in answer["again"]]
        alive = {chosen[index] for index in answer["alive"]}
        alive |= set(unnoticed(again, lambda mutant: run_again(mutant, inside.files), jobs=jobs, folder=folder))
    return [mutant for mutant in chosen if mutant in alive]


def unnoticed(
    waiting: Sequence[tuple[Mutant, float]], work: Callable[[Mutant], int], *, jobs: int, folder: Path
) -> list[Mutant]:
    """Those among mutants, each with the seconds it may take, whose work ends with 0; `jobs` processes at a time."""
    left, running, alive = list(reversed(waiting)), {}, []
    while left or running:
        while left and len(running) < jobs:
            mutant, patience = left.pop()
            running[forked(partial(work, mutant), folder, patience)] = mutant
        process, status = ended(running)
        mutant = running.pop(process)
        if status == 0:
            alive.append(mutant)
    return alive


def forked(work: Callable[[], int], folder: Path, patience: float) -> int:
    """Start this work in a silent process of its own; its number is returned at once, its exit code is the work's.

    The system ends it after this many seconds of computing, or if it waits many times as long.
    """
    scratch = Path(tempfile.mkdtemp(dir=folder))
    process = os.fork()
    if process:
        return process
    code = 3
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (ceil(patience), resource.RLIM_INFINITY))
        signal.alarm(ceil(50 * patience))
        tempfile.tempdir = str(scratch)
        code = work()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(code)


def ended(running: Iterable[int]) -> tuple[int, int]:
    """Wait for one of these processes, and the status it ends with."""
    while True:
        for process in running:
            done, status = os.waitpid(process, os.WNOHANG)
            if done:
                return process, status
        time.sleep(0.005)


def prepare() -> None:
    """The same examples every time, and no search for the smallest: that a test fails is all that is asked."""
    phases = [phase for phase in hypothesis.Phase if phase not in (hypothesis.Phase.shrink, hypothesis.Phase.explain)]
    hypothesis.settings.register_profile("mutants", derandomize=True, database=None, deadline=None, phases=phases)
    hypothesis.settings.load_profile("mutants")


class Collected:
    """A pytest session that collects tests once and tries every mutant of a module in a fork."""

    def __init__(self, chosen: Sequence[Mutant], files: Sequence[Path], *, jobs: int, folder: Path) -> None:
        self.chosen, self.jobs, self.folder = chosen, jobs, folder
        self.answer = folder / "answer.json"
        self.path = str(path_of(chosen[0].module))
        self.files = [str(file) for file in files]
        self.imported: Lines = set()

    def run(self) -> int:
        prepare()
        with traced(self.path, self.imported):
            return int(pytest.main([*OPTIONS, *self.files], plugins=[self]))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Writes down the mutants alive, those that must be imported again, and the patience these deserve."""
        sys.settrace(None)
        timed = self.unchanged(session)
        live = functions_in_memory(self.path)
        original = functions(compile(Path(self.path).read_text(encoding="utf-8"), self.path, "exec"))
        waiting, again, tries = [], [], {}
        for index, mutant in enumerate(self.chosen):
            code = functions(mutant.code())
            new = [key for key in code if code[key] != original[key]]
            swaps = [(function, code[key]) for key in new for function in live.get(key, [])]
            place = set(mutant.statement)
            if not swaps or self.imported & place:
                again.append(index)
                continue
            reaching = sorted((test for test in timed if test.reached & place), key=self.cost)
            waiting.append((mutant, LEAST_PATIENCE + PATIENCE * sum(test.seconds for test in reaching)))
            tries[mutant] = swaps, [test.item for test in reaching]
        alive = unnoticed(waiting, lambda mutant: changed(session, *tries[mutant]), jobs=self.jobs, folder=self.folder)
        patience = LEAST_PATIENCE + PATIENCE * sum(test.seconds for test in timed)
        found = {"alive": [self.chosen.index(mutant) for mutant in alive], "again": again, "patience": patience}
        self.answer.write_text(json.dumps(found), encoding="utf-8")
        return True

    def cost(self, test: "Timed") -> tuple[int, float]:
        """Quick tests come first, but those of a file stay together for what they share."""
        return self.files.index(str(test.item.path)), test.seconds

    def unchanged(self, session: pytest.Session) -> list["Timed"]:
        """Every test on the module as it is: how long each takes, and which lines it reaches."""
        shares = [session.items[part :: self.jobs] for part in range(self.jobs)]
        noted = [self.folder / f"unchanged{part}.json" for part in range(self.jobs)]
        running = {
            forked(partial(self.note, session, share, file), self.folder, LONGEST)
            for share, file in zip(shares, noted, strict=True)
        }
        while running:
            process, status = ended(running)
            running.remove(process)
            if status != 0:
                pytest.exit("a test fails on the module as it is", returncode=1)
        return [
            Timed(item, seconds, set(lines))
            for share, file in zip(shares, noted, strict=True)
            for item, (seconds, lines) in zip(share, json.loads(file.read_text(encoding="utf-8")), strict=True)
        ]

    def note(self, session: pytest.Session, items: Sequence[pytest.Item], file: Path) -> int:
        found = []
        for item, following in pairwise([*items, None]):
            reached: Lines = set()
            begun = time.process_time()
            with traced(self.path, reached):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            found.append((time.process_time() - begun, sorted(reached)))
        file.write_text(json.dumps(found), encoding="utf-8")
        return int(session.testsfailed > 0)


@dataclass(frozen=True, slots=True)
class Timed:
    """A test, the seconds it takes and the lines it reaches."""

    item: pytest.Item
    seconds: float
    reached: Lines


def functions_in_memory(path: str) -> dict[tuple[str, int], list[FunctionType]]:
    """The functions of this file, by qualified name and first line, wherever they are imported to."""
    found: dict[tuple[str, int], list[FunctionType]] = {}
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and (code := thing.__code__).co_filename == path:
            found.setdefault((code.co_qualname, code.co_firstlineno), []).append(thing)
    return found


def changed(session: pytest.Session, swaps: list[tuple[FunctionType, CodeType]], items: list[pytest.Item]) -> int:
    """These tests on a module whose functions have other code: 1 at the first that fails, 0 if none does."""
    for function, code in swaps:
        function.__code__ = code
    for item, following in pairwise([*items, None]):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return 1
    return 0


@contextmanager
def traced(path: str, lines: Lines) -> Iterator[None]:
    """Notes the lines that run inside functions of this file."""

    def each_line(frame: FrameType, event: str, _: Any) -> Any:
        lines.add(frame.f_lineno)
        return each_line

    def each_call(frame: FrameType, event: str, _: Any) -> Any:
        return each_line if frame.f_code.co_filename == path and frame.f_code.co_name != "<module>" else None

    sys.settrace(each_call)
    try:
        yield
    finally:
        sys.settrace(None)


def run_again(mutant: Mutant, files: Sequence[str]) -> int:
    """The tests on a module imported as the mutant."""
    prepare()
    sys.meta_path.insert(0, Changed(mutant))
    return int(pytest.main([*OPTIONS, *files]))
