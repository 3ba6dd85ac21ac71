"""The command line: `leakscope COMMAND …`, in a checkout `python -m core COMMAND …`; without a command the dashboard."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from .cli import COMMANDS, complain, end_progress, next_command
from .errors import LeakscopeError
from .formats import one_line

ABOUT = "Check whether a cross-topic evaluation is really cross-topic. Without a command, the dashboard opens."
NONE = ""  # no command: the help lists them all
GATE = "check"  # the command whose exit code is its answer
DASHBOARD = "app"  # the command that runs where none is given
PROGRAM = "python -m core" if __package__ == "core" else "leakscope"


class _Parser(argparse.ArgumentParser):
    """argparse, but a wrong option is one line as any other bad input is, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{one_line(message)}; see {self.prog} --help\n")


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return every command with its options; with `only`, the options of that command alone, the others by name."""
    whole = _Parser(prog=PROGRAM, description=ABOUT)
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        one = commands.add_parser(name, help=command.about, description=command.about)
        if only not in (None, name):
            continue
        loaded = command.load()
        one.set_defaults(run=loaded.run)
        loaded.add_options(one)
        if not command.prints:
            continue
        one.add_argument("--json", action="store_true", help="print one JSON document")
        one.add_argument("--all", action="store_true", help="print all rows, tables and settings")
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command: 0 on success, 1 where a check fails; bad input is one line on stderr and 2."""
    given = sys.argv[1:] if arguments is None else arguments
    given = given or [DASHBOARD]
    options = parser(given[0] if given[0] in COMMANDS else NONE).parse_args(given)
    try:
        answer = options.run(options)
    except LeakscopeError as problem:
        complain(str(problem))
        return 2
    except KeyboardInterrupt:
        complain("Stopped; what was finished is kept.")
        return 130
    end_progress()
    if answer is None:
        return 0
    from .render import print_answer

    if options.json:
        # NaN is no JSON: a command that lets one through has a fault, and a reader must not be given it.
        print(json.dumps(answer.data, ensure_ascii=False, allow_nan=False))
    else:
        then = next_command(PROGRAM, options.command, vars(options).get("file"), given)
        print_answer(answer, all=options.all, then=then)
    return int(options.command == GATE and not answer.data["passed"])


def run_program() -> NoReturn:
    """Run `main` as a program, as `python -m core` and the installed `leakscope` do."""
    try:
        sys.exit(main())
    except BrokenPipeError:
        # The reader (head, say) has seen enough; what is still buffered must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    run_program()
