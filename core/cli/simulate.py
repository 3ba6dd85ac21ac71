"""`simulate type1`: how often tests reject two equal classifiers."""

import argparse

from ..statistics.simulation import RESAMPLING, GroupSettings, type1_rates
from .options import Answer, defined, progress, seed

PAPER = GroupSettings()


def add_options(command: argparse.ArgumentParser) -> None:
    """What is simulated, under which scheme, how often."""
    command.add_argument("what", metavar="WHAT", choices=("type1",), help="type1: Type I error by simulated groups")
    command.add_argument("--scheme", required=True, metavar="NAME", help=f"one of {', '.join(RESAMPLING)}")
    command.add_argument("--labelled", type=float, required=True, metavar="P", help="share labelled, between 0 and 1")
    command.add_argument("--trials", type=int, default=1_000, metavar="N", help="(default: 1,000)")
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="(default: 0)")
    command.add_argument("--error", type=float, default=PAPER.error, metavar="P", help="error rate (default: 0.1)")
    command.add_argument(
        "--correlation", type=float, default=PAPER.correlation, metavar="C", help="error correlation (default: 0.9)"
    )
    command.add_argument("--instances", type=int, default=PAPER.instances, metavar="N", help="(default: 300)")
    command.add_argument("--groups", type=int, default=PAPER.groups, metavar="G", help="(default: 10)")


def run(options: argparse.Namespace) -> Answer:
    """Rejection rates of the paired and unpaired t-test and of Wilcoxon's between equally good classifiers."""
    found = type1_rates(
        options.scheme,
        labelled=options.labelled,
        trials=options.trials,
        seed=options.seed,
        settings=GroupSettings(options.error, options.correlation, options.instances, options.groups),
        progress=progress,
    )
    return {
        "rates": {name: defined(rate) for name, rate in found.rates.items()},
        "intervals": {name: list(interval) for name, interval in found.intervals.items()},
        "trials": found.trials,
        "error_correlation": defined(found.error_correlation),
        "notes": list(found.notes),
    }
