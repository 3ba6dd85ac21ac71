"""Would the tests notice? Changes one operator or constant at a time in the modules that carry formulas.

    python -m tests.mutants [--module topics/hits …] [--share 0.2] [--jobs 2] [--excused]

A mutant is *killed* when a test of its package fails, *survives* when all pass: first those of the module's own file, then
for the few that are left the others. Survivors that change nothing a test could see are listed with the reason in
tests/mutants_survivors.toml; they do not count, and are run only with --excused, for they take all tests there are: then
each that a test does notice is named, for its reason no longer holds. Ends with 1 below 95% killed.
"""

import argparse
import hashlib
import importlib
import os
import sys
import time
import tomllib
from collections.abc import Sequence

from tests.mutant_runs import other_tests, own_tests, survivors
from tests.mutation import ROOT, Mutant, mutants

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_threads] = "1"  # a process a core, and none of them may start threads before it is forked

SURVIVORS = ROOT / "tests" / "mutants_survivors.toml"
LEAST_KILLED = 0.95
MODULES = (
    "topics/hits",
    "topics/space",
    "topics/sampling",
    "topics/bootstrap",
    "topics/verdict",
    "splits/folds",
    "splits/pairs",
    "models/metrics",
    "statistics/compare",
    "statistics/power",
    "statistics/ranks",
    "statistics/sign_tests",
    "statistics/t_tests",
)
HEAVY = ("hypothesis.extra.numpy", "pandas", "pytest", "scipy.optimize", "scipy.stats", "sklearn.feature_extraction.text",
         "sklearn.metrics", "sklearn.model_selection", "statsmodels.stats.api")  # fmt: skip


def drawn(found: Sequence[Mutant], share: float) -> list[Mutant]:
    """A share of the mutants, the same ones every time."""

    def number(mutant: Mutant) -> float:
        name = "\0".join((*mutant.key, str(mutant.line)))
        return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) / 2**32

    return [mutant for mutant in found if number(mutant) < share]


def unnoticed_by_any(module: str, chosen: Sequence[Mutant], *, jobs: int) -> list[Mutant]:
    """Those that neither the module's own tests notice nor the others of its package."""
    for files in (own_tests(module), other_tests(module)):
        if chosen:
            chosen = survivors(chosen, files, jobs=jobs)
    return list(chosen)


def warm_up() -> None:
    """Import once, before any fork, what every test would import again; nothing of core, which is what changes."""
    for module in HEAVY:
        importlib.import_module(module)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", action="append", choices=MODULES, help="only this one; may be given again")
    parser.add_argument("--share", type=float, default=1.0, help="only this share of the mutants, always the same ones")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--excused", action="store_true", help="run the listed survivors too, and name those that die")
    options = parser.parse_args()
    listed = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", [])
    excused = {(entry["module"], entry["source"], entry["change"]) for entry in listed}
    warm_up()
    counted = killed = 0
    for module in options.module or MODULES:
        begun, chosen = time.monotonic(), drawn(mutants(module), options.share)
        spared = [mutant for mutant in chosen if mutant.key in excused]
        judged = [mutant for mutant in chosen if mutant.key not in excused]
        alive = unnoticed_by_any(module, judged, jobs=options.jobs)
        counted, killed = counted + len(judged), killed + len(judged) - len(alive)
        print(f"{module}: {len(judged) - len(alive)} of {len(judged)} killed, {len(spared)} excused", end="")
        print(f" ({time.monotonic() - begun:.0f} s)", flush=True)
        for mutant in alive:
            print(f"  {mutant}", flush=True)
        if options.excused:
            left = unnoticed_by_any(module, spared, jobs=options.jobs)
            for mutant in spared:
                if mutant not in left:
                    print(f"  excused, but killed: {mutant}", flush=True)
    share = killed / counted if counted else 1.0
    print(f"{killed} of {counted} mutants killed: {share:.1%} (at least {LEAST_KILLED:.0%} wanted)")
    return 0 if share >= LEAST_KILLED else 1


if __name__ == "__main__":
    sys.exit(main())
