"""Would the tests notice? Changes one operator or constant at a time in the modules that carry formulas.

    python -m tests.mutants [--module topics/hits …] [--share 0.2] [--jobs 2]

A mutant is *killed* when a test of its package fails, *survives* when all pass. Survivors that change nothing a test could
see are listed with the reason in tests/mutants_survivors.toml and do not count. Ends with 1 below 95 % killed.
"""

import argparse
import hashlib
import importlib
import importlib.machinery
import importlib.util
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tests.mutation import ROOT, Mutant, mutants

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_threads] = "1"  # a process a core, and none of them may start threads before it is forked

SURVIVORS = ROOT / "tests" / "mutants_survivors.toml"
LEAST_KILLED = 0.95
MODULES = (
    "topics/hits",
    "topics/sampling",
    "topics/space",
    "topics/verdict",
    "splits/folds",
    "splits/leakage",
    "splits/pairs",
    "models/metrics",
    "statistics/power",
    "statistics/ranks",
    "statistics/signs",
    "statistics/t_tests",
    "statistics/wilcoxon",
)
SLOW = {"test_layout.py"}  # UMAP compiles for half a minute, and no formula here reaches it
HEAVY = ("hypothesis.extra.numpy", "pandas", "pytest", "scipy.optimize", "scipy.stats", "sklearn.feature_extraction.text",
         "sklearn.metrics", "sklearn.model_selection", "statsmodels.stats.api")  # fmt: skip
LEAST_PATIENCE, PATIENCE = 20.0, 5.0  # seconds; times what the unchanged module takes
MEMORY = 8 * 1024**3


def covering_tests(module: str) -> list[str]:
    """The tests of a module's package, the module's own before the others: most mutants die there."""
    package, name = module.split("/")
    own = f"test_{name}.py"
    files = [file for file in (ROOT / "tests" / "core" / package).glob("test_*.py") if file.name not in SLOW]
    return [str(file) for file in sorted(files, key=lambda file: (file.name != own, file.name))]


class Changed(importlib.machinery.SourceFileLoader):
    """Loads a module from a changed tree."""

    def __init__(self, mutant: Mutant) -> None:
        self.tree = mutant.tree()
        self.wanted = f"core.{mutant.module.replace('/', '.')}"
        super().__init__(self.wanted, str(ROOT / "core" / f"{mutant.module}.py"))

    def get_code(self, fullname: str) -> object:
        return compile(self.tree, self.path, "exec")

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> object:
        return (
            importlib.util.spec_from_file_location(fullname, self.path, loader=self)
            if fullname == self.wanted
            else None
        )


def run_tests(module: str, mutant: Mutant | None, scratch: Path) -> int:
    """In a process of its own: pytest's verdict on the mutant, or on the module as it is."""
    import hypothesis
    import pytest

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    tempfile.tempdir = str(scratch)
    if mutant is not None:
        sys.meta_path.insert(0, Changed(mutant))
    # The same examples every time, and no search for the smallest: that a test fails is all that is asked.
    phases = [phase for phase in hypothesis.Phase if phase not in (hypothesis.Phase.shrink, hypothesis.Phase.explain)]
    hypothesis.settings.register_profile("mutants", derandomize=True, database=None, deadline=None, phases=phases)
    hypothesis.settings.load_profile("mutants")
    options = ["-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is there before pytest, by `warm_up`
    return int(pytest.main([*options, *covering_tests(module)]))


def start(module: str, mutant: Mutant | None, folder: Path) -> int:
    """Fork a process for this mutant; its number is returned at once, its exit code says what pytest said."""
    scratch = Path(tempfile.mkdtemp(dir=folder))
    process = os.fork()
    if process:
        return process
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    code = 3
    try:
        code = run_tests(module, mutant, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(code)


def ended(running: dict[int, float]) -> tuple[int, bool]:
    """Wait for one of these processes, by number with its deadline; and whether all its tests passed."""
    while True:
        for process, deadline in running.items():
            if time.monotonic() > deadline:
                os.kill(process, signal.SIGKILL)
            done, status = os.waitpid(process, os.WNOHANG)
            if done:
                return process, status == 0
        time.sleep(0.02)


def survivors(module: str, chosen: Sequence[Mutant], *, jobs: int, folder: Path) -> list[Mutant]:
    """The mutants that no test of their package notices."""
    begun = time.monotonic()
    alone = start(module, None, folder)
    _, passed = ended({alone: begun + 600})
    if not passed:
        sys.exit(
            f"core/{module}.py: its tests fail as it stands; first mend `pytest {' '.join(covering_tests(module))}`."
        )
    patience = max(LEAST_PATIENCE, PATIENCE * (time.monotonic() - begun))
    waiting, running, deadlines, alive = list(reversed(chosen)), {}, {}, []
    while waiting or running:
        while waiting and len(running) < jobs:
            process = start(module, waiting[-1], folder)
            running[process], deadlines[process] = waiting.pop(), time.monotonic() + patience
        process, passed = ended(deadlines)
        if passed:
            alive.append(running[process])
        del running[process], deadlines[process]
    return sorted(alive, key=lambda mutant: mutant.line)


def drawn(found: Sequence[Mutant], share: float) -> list[Mutant]:
    """A share of the mutants, the same ones every time."""

    def number(mutant: Mutant) -> float:
        name = "\0".join((*mutant.key, str(mutant.line)))
        return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) / 2**32

    return [mutant for mutant in found if number(mutant) < share]


def warm_up() -> None:
    """Import once, before any fork, what every test would import anew; nothing of core, which is what changes."""
    for module in HEAVY:
        importlib.import_module(module)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", action="append", choices=MODULES, help="only this one; may be given again")
    parser.add_argument("--share", type=float, default=1.0, help="only this share of the mutants, always the same ones")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    options = parser.parse_args()
    listed = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", [])
    excused = {(entry["module"], entry["source"], entry["change"]): entry["reason"] for entry in listed}
    warm_up()
    counted = killed = 0
    for module in options.module or MODULES:
        begun, chosen = time.monotonic(), drawn(mutants(module), options.share)
        stale = {key for key in excused if key[0] == module} - {mutant.key for mutant in mutants(module)}
        with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
            alive = survivors(module, chosen, jobs=options.jobs, folder=Path(folder))
        named = [mutant for mutant in alive if mutant.key not in excused]
        total = len(chosen) - (len(alive) - len(named))
        counted, killed = counted + total, killed + total - len(named)
        print(f"{module}: {total - len(named)} of {total} killed, {len(alive) - len(named)} excused", end="")
        print(f" ({time.monotonic() - begun:.0f} s)", flush=True)
        for mutant in named:
            print(f"  {mutant}", flush=True)
        for _, source, change in sorted(stale):
            print(f"  excused but no longer there: {change}: {source}", flush=True)
    share = killed / counted if counted else 1.0
    print(f"{killed} of {counted} mutants killed: {share:.1%} (at least {LEAST_KILLED:.0%} wanted)")
    return 0 if share >= LEAST_KILLED else 1


if __name__ == "__main__":
    sys.exit(main())
