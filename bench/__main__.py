"""Run every bench, or those named, and list the ones that failed.

    python -m bench [--tiny] [NAME …]

Each has its own process, so that time and memory are its own. With `--tiny` all run in this process on tiny input, in
seconds: a test does so, because a bench that nobody runs stops working unseen.
"""

import argparse
import contextlib
import importlib
import io
import os
import subprocess
import sys
import traceback

from bench import ROOT

NAMES = sorted(file.stem for file in (ROOT / "bench").glob("*.py") if not file.stem.startswith("_"))


def processor_seconds() -> float:
    """Return those of this process and of every process that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def run_tiny(name: str) -> bool:
    """Return whether a bench passes on tiny input, in this process; what it prints is shown only if it does not."""
    sys.argv = [f"bench.{name}"]
    printed, passed = io.StringIO(), False
    with contextlib.redirect_stdout(printed):
        try:
            passed = not importlib.import_module(f"bench.{name}").main()
        except Exception:
            traceback.print_exc(file=printed)
    if not passed:
        print(printed.getvalue())
    return passed


def run_alone(name: str) -> bool:
    """Return whether a bench passes in a process of its own."""
    return subprocess.run([sys.executable, "-m", f"bench.{name}"], cwd=ROOT).returncode == 0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(NAMES)}")
    options.add_argument("--tiny", action="store_true", help="on tiny input, whose times mean nothing")
    chosen = options.parse_args()
    if unknown := set(chosen.names) - set(NAMES):
        options.error(f"no bench is called {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    if chosen.tiny:
        os.environ["LEAKSCOPE_BENCH"] = "tiny"
    failed = []
    for name in chosen.names or NAMES:
        print(f"== {name}", flush=True)
        start = processor_seconds()
        if not (run_tiny if chosen.tiny else run_alone)(name):
            failed.append(name)
        print(f"-- {name}: {processor_seconds() - start:.0f} processor seconds", flush=True)
    print(f"FAILED: {', '.join(failed)}" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
