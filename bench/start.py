"""How soon a command answers, in processor time against `import pandas`, which every one of them needs.

Each runs in a new process. On a quiet machine `import pandas` takes about 0.3 s, so the limits are those of the ratio:
`--help` at most 0.5 s, the import at most 0.5 s more than pandas, and the verdict on the bundled corpus at most 2.5 s.
"""

import os
import subprocess
import sys
import tempfile

from bench import ROOT, exit_code, sized

PANDAS = 0.3  # seconds on a quiet machine
LIMITS = {
    "import leakscope": (["-c", "import core"], (PANDAS + 0.5) / PANDAS),
    "leakscope --help": (["-m", "core", "--help"], 0.5 / PANDAS),
    "leakscope verdict demo": (["-m", "core", "verdict", "demo"], 2.5 / PANDAS),
}


def processor_time(arguments: list[str], cache: str) -> float:
    """Return the processor seconds of a new process."""
    environment = os.environ | {"LEAKSCOPE_CACHE": cache}
    before = os.times()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> int:
    passed, repeats = True, sized(5, 1)
    pandas = min(processor_time(["-c", "import pandas"], "") for _ in range(repeats))
    print(f"{'import pandas':24} {pandas:5.2f} s")
    for name, (arguments, limit) in LIMITS.items():
        times = []
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as cache:  # nothing is kept from run to run
                times.append(processor_time(arguments, cache))
        ratio = min(times) / pandas
        print(f"{name:24} {min(times):5.2f} s, {ratio:4.1f} times (at most {limit:.1f})")
        passed &= ratio <= limit
    print("ok" if passed else "FAILED")
    return exit_code(measured=passed)


if __name__ == "__main__":
    sys.exit(main())
