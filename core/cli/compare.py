"""`compare`: every test of two systems from a table."""

import argparse

from ..statistics import Significance, compare
from ..studies import read_comparison_table
from .options import Answer


def add_options(command: argparse.ArgumentParser) -> None:
    """The table and the two systems."""
    command.add_argument(
        "file", metavar="FILE", help="a column a system; a row a category (scores) or a decision (0/1)"
    )
    command.add_argument("--a", required=True, metavar="A", help="the first system's column")
    command.add_argument("--b", required=True, metavar="B", help="the second system's column")


def run(options: argparse.Namespace) -> Answer:
    """Every test that fits the table; where one cannot judge it, its p is null and its problem says why."""
    table = read_comparison_table(options.file)
    names = options.a, options.b
    tests = compare(table.values(options.a), table.values(options.b), kind=table.kind, names=names)
    return {
        "kind": table.kind,
        "rows": len(table),
        "tests": {name: _record(result) for name, result in tests.items()},
        "notes": list(table.notes),
    }


def _record(result: Significance) -> Answer:
    return {
        "statistic": result.statistic,
        "p": result.p,
        "n": result.n,
        "verdict": result.verdict,
        "effect": result.effect,
        "interval": None if result.interval is None else list(result.interval),
        "sides": result.sides,
        "reading": result.reading,
        "problem": result.problem or None,
    }
