"""The command line: `python -m core COMMAND …`, the same core as the pages, for scripts and clusters."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from .cli import COMMANDS, Answer
from .errors import LeakscopeError

SCREEN, WIDTH = 40, 160  # lines of an answer, and letters of each, unless all is asked for
MOST_ITEMS = 8  # under one heading
PROGRAM = "python -m core" if __package__ == "core" else "leakscope"


class _Parser(argparse.ArgumentParser):
    """argparse, but a wrong option is one line as any other bad input is, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{' '.join(message.split())}; see {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """Every command and option."""
    whole = _Parser(prog=PROGRAM, description="Leakscope on the command line.")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        about = command.run.__doc__
        one = commands.add_parser(name, help=about, description=about)
        one.set_defaults(run=command.run)
        command.add_options(one)
        one.add_argument("--json", action="store_true", help="print one JSON document")
        one.add_argument("--all", action="store_true", help="print more than a screen where there is more")
    return whole


def spoken(answer: Answer, *, all: bool = True) -> str:
    """An answer for people: its sentence, then a line a fact; at most a screen unless all of it is asked for."""
    facts = {key: value for key, value in answer.items() if key != "sentence"}
    sentence = [str(answer["sentence"])] if "sentence" in answer else []
    whole = [*sentence, *_lines(facts)]
    if all:
        return "\n".join(whole)
    short = [*sentence, *(_cut(line) for line in _lines(facts, most=MOST_ITEMS))]
    left = len(short) > SCREEN or short != whole
    return "\n".join([*short[: SCREEN - 1], "… --all prints all of it, --json as data."] if left else short)


def _lines(facts: Answer, indent: int = 0, most: int | None = None) -> list[str]:
    """A line a fact, and under a heading a line an item: the first `most` of them, and how many more there are."""
    lines, space = [], " " * indent
    for key, value in facts.items():
        if isinstance(value, dict):
            within = _lines(value, indent + 2, most)
        elif isinstance(value, list):
            within = [f"{space}  {_shown(item)}" for item in value]
        else:
            lines.append(f"{space}{key}: {_shown(value)}")
            continue
        if within:
            more = [f"{space}  … {len(within) - most:,} more"] if most is not None and len(within) > most else []
            lines += [f"{space}{key}:", *within[:most], *more]
    return lines


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key} {_shown(part)}" for key, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if value is None:
        return "undefined"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command: 0 on success; bad input is one line on stderr and 2."""
    options = parser().parse_args(arguments)
    try:
        answer = options.run(options)
    except LeakscopeError as problem:
        print(" ".join(str(problem).split()), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped; what was finished is kept.", file=sys.stderr)
        return 130
    # NaN is no JSON: a command that lets one through has a fault, and a reader must not be given it.
    print(json.dumps(answer, ensure_ascii=False, allow_nan=False) if options.json else spoken(answer, all=options.all))
    return 0


def run_program() -> NoReturn:
    """`main` as a program: what `python -m core` and the installed `leakscope` run."""
    try:
        sys.exit(main())
    except BrokenPipeError:
        # The reader (head, say) has seen enough; what is still buffered must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    run_program()
