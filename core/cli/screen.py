"""What people see on stderr: progress, and why not."""

import sys

from ..formats import one_line

COVERED = 79  # letters of a line of progress, which covers the one before it


_open_line = False  # whether a line of progress stands that the next one is to cover


def progress(done: int, total: int, what: str, seconds_left: float | None) -> None:
    """Show one line on stderr that the next one covers; nothing where nobody looks."""
    global _open_line
    if not sys.stderr.isatty():
        return
    left = "" if seconds_left is None or done == total else f", {seconds_left:.0f} s left"
    _open_line = done != total
    line = f"{done:,} of {total:,} {one_line(what)}{left}".ljust(COVERED)
    print(line, end="\r" if _open_line else "\n", file=sys.stderr, flush=True)


def complain(problem: str) -> None:
    """One clear line on stderr; of progress that was under way nothing is left in it."""
    global _open_line
    if _open_line:
        print(f"{' ' * COVERED}\r" if sys.stderr.isatty() else "\n", end="", file=sys.stderr)
        _open_line = False
    print(one_line(problem), file=sys.stderr)
