"""`simulate type1`: how often tests reject two equal classifiers."""

import argparse

from ..statistics.simulation import SCHEMES, simulate_type1
from .options import Answer, progress, seed


def add_options(command: argparse.ArgumentParser) -> None:
    """What is simulated, under which scheme, how often."""
    command.add_argument("what", metavar="WHAT", choices=("type1",), help="type1: Type I error by simulated groups")
    command.add_argument("--scheme", required=True, metavar="NAME", help=f"one of {', '.join(SCHEMES)}")
    command.add_argument("--labelled", type=float, required=True, metavar="P", help="share labelled, between 0 and 1")
    command.add_argument("--trials", type=int, default=1_000, metavar="N", help="(default: 1,000)")
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="(default: 0)")
    command.add_argument("--error", type=float, default=None, metavar="P", help="error rate (default: 0.1)")
    command.add_argument(
        "--correlation", type=float, default=None, metavar="C", help="error correlation (default: 0.9)"
    )
    command.add_argument("--instances", type=int, default=None, metavar="N", help="(default: 300)")
    command.add_argument("--groups", type=int, default=None, metavar="G", help="(default: 10)")


def run(options: argparse.Namespace) -> Answer:
    """Rejection rates of the paired and unpaired t-test and of Wilcoxon's between equally good classifiers."""
    names = ("scheme", "labelled", "trials", "seed", "error", "correlation", "instances", "groups")
    chosen = {name: getattr(options, name) for name in names}
    return simulate_type1(chosen, progress=progress)
