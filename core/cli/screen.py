"""What people see: an answer on one screen unless all is asked for, and on stderr progress, and why not."""

import sys
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from ..formats import first_few, one_line

SCREEN, WIDTH = 40, 160  # lines of an answer, and letters of each
MOST_ITEMS, MOST_ROWS = 12, 3  # under one heading, and lines of one item
MOST_WITHIN = 3  # names of a list that is itself a part of an item
SHORT = 40  # letters of a part that is not broken over two lines
ALL = "… --all prints all of it, --json as data."
COVERED = 79  # letters of a line of progress, which covers the one before it
UNBROKEN = "\N{NO-BREAK SPACE}"  # `wrap` breaks lines at no other blank than a plain one


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


def spoken(answer: Mapping[str, Any], *, all: bool = True) -> str:
    """Return the sentence first. Where more is to say than a screen holds, items give up lines before there are fewer of them."""
    sentence = [one_line(str(answer["sentence"]))] if "sentence" in answer else []
    facts = {key: value for key, value in answer.items() if key != "sentence"}
    whole = [*sentence, *_lines(facts, None, None)]
    if all:
        return "\n".join(whole)
    rooms = [(MOST_ITEMS, rows) for rows in range(MOST_ROWS, 0, -1)] + [(most, 1) for most in range(MOST_ITEMS, 0, -1)]
    for most, rows in rooms:
        short = [*sentence, *_lines(facts, most, rows)]
        if len(short) < SCREEN:
            break
    left = short != whole or len(short) > SCREEN
    return "\n".join([*short[: SCREEN - 1], ALL] if left else short)


def _lines(facts: Mapping[str, Any], most: int | None, rows: int | None) -> list[str]:
    """Return a line a fact; under a heading the first `most` items, each in at most `rows` lines, and how many more there are."""
    lines: list[str] = []
    for key, value in facts.items():
        if not isinstance(value, dict | list) or (_is_flat(value) and not _is_prose(value)):
            lines += _block(f"{one_line(key)}: ", value, rows, indent=0)
            continue
        items = (
            [(f"{one_line(name)}: ", each) for name, each in value.items()]
            if isinstance(value, dict)
            else [("", each) for each in value]
        )
        if items:
            lines.append(f"{one_line(key)}:")
        for name, each in items[:most]:
            lines += _block(name, each, rows, indent=2)
        if most is not None and len(items) > most:
            lines.append(f"  … {len(items) - most:,} more")
    return lines


def _block(name: str, value: Any, rows: int | None, *, indent: int) -> list[str]:
    """Return one item as `name: part; part` in lines of a screen's width; sentences are never cut, parts beyond `rows` lines counted."""
    within = None if rows is None else MOST_WITHIN
    if isinstance(value, dict):
        parts, between = _parts(value, within), "; "
    elif isinstance(value, list):
        parts, between = [_shown(each, within) for each in value], ", "
    else:
        parts, between, rows = [_shown(value, within)], "", None
    if not parts:
        return []

    def laid(shown: int) -> list[str]:
        more = [f"… {len(parts) - shown:,} more"] if shown < len(parts) else []
        text = between.join(map(_unbroken, [*parts[:shown], *more]))
        start, rest = " " * indent, " " * (indent + 2)
        lines = wrap(f"{name}{text}", WIDTH, initial_indent=start, subsequent_indent=rest, break_on_hyphens=False)
        return [line.replace(UNBROKEN, " ") for line in lines]

    if rows is None or len(laid(len(parts))) <= rows:
        return laid(len(parts))
    fitting = bisect_right(range(1, len(parts)), rows, key=lambda shown: len(laid(shown)))
    return laid(max(1, fitting))[:rows]


def _unbroken(part: str) -> str:
    return part.replace(" ", UNBROKEN) if len(part) <= SHORT else part


def _is_flat(value: dict[str, Any] | list[Any]) -> bool:
    """Return whether names or numbers alone are in it, which share lines."""
    return not any(isinstance(each, dict | list) for each in (value.values() if isinstance(value, dict) else value))


def _is_prose(value: dict[str, Any] | list[Any]) -> bool:
    """Return whether sentences are in it, each of which has a line of its own."""
    return any(
        isinstance(each, str) and len(each) > SHORT for each in (value.values() if isinstance(value, dict) else value)
    )


def _parts(record: dict[str, Any], most: int | None) -> list[str]:
    """Return a record's facts as `key = value`, plain ones before lists and records, which may be cut; what is empty is left out."""
    kept = [(key, value) for key, value in record.items() if not isinstance(value, dict | list) or value]
    kept.sort(key=lambda each: isinstance(each[1], dict | list))
    return [f"{one_line(key)} = {_shown(value, most)}" for key, value in kept]


def _shown(value: Any, most: int | None) -> str:
    """Return one value within a line: of a list the first `most`, a record between brackets."""
    if isinstance(value, dict):
        return f"({'; '.join(_parts(value, most))})"
    if isinstance(value, list):
        return _few([_shown(part, most) for part in value], most)
    if value is None:
        return "undefined"
    return f"{value:.4f}" if isinstance(value, float) else one_line(str(value))


def _few(names: Sequence[str], most: int | None) -> str:
    return ", ".join(names) if most is None or len(names) <= most else first_few(names, most)
