"""`shortcut`: the topic shortcut test on a benchmark's answers."""

import argparse

from ..models import METRICS
from ..studies import Reliance, SystemResult, answer_sheet, read_systems, shortcut_test, topical_reliance
from ..studies.raven import read_benchmark
from .options import Answer, defined, progress, seed


def add_options(command: argparse.ArgumentParser) -> None:
    """The benchmark, a file or folder of answers a system, and the metric."""
    command.add_argument("benchmark", metavar="DIR", help="a folder or zip archive that raven wrote")
    command.add_argument(
        "answers",
        metavar="ANSWERS",
        nargs="+",
        help="a system: a file, or a folder of files, of PAN jsonl (id, value) or CSV (id, score)",
    )
    command.add_argument("--metric", default="overall", metavar="NAME", help=f"one of {', '.join(METRICS)}")
    command.add_argument(
        "--control", metavar="NAME", help="the system made to lean on topic (default: the one called TopicFit, if any)"
    )
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="draws the bootstrap (default: 0)")


def run(options: argparse.Namespace) -> Answer:
    """Each system's score under HITS and at random, their average, and their difference: its reliance on topic."""
    sheet = answer_sheet(read_benchmark(options.benchmark))
    systems = []
    for system in read_systems(sheet, options.answers):
        systems.append(system)
        progress(len(systems), len(options.answers), "systems", None)
    test = shortcut_test(sheet.pairs, systems, metric=options.metric, control=options.control, seed=options.seed)
    reliance = topical_reliance(sheet.pairs, systems)
    notes = [f"{system.name}: {note}" for system in systems for note in system.notes]
    for result in test.results:
        if result.undefined_folds:
            notes.append(
                f"{result.name}: {METRICS[options.metric].label} is undefined in {result.undefined_folds} of "
                f"{len(sheet.pairs)} folds, which are left out."
            )
    notes += [result.sentence for result in test.results]
    return {
        "sentence": test.sentence,
        "power": test.power,
        "control": test.control,
        "margin": test.margin,
        "metric": options.metric,
        "placebo_rate": defined(test.placebo),
        "models": {result.name: _record(result, found) for result, found in zip(test.results, reliance, strict=True)},
        "notes": notes,
    }


def _record(result: SystemResult, found: Reliance) -> Answer:
    values = ("hits", "random", "avg", "diff", "rank_avg", "rank_diff", "gap", "p", "adjusted_p")
    return {name: defined(getattr(result, name)) for name in values} | {
        "reading": result.reading,
        "gap_interval": [defined(bound) for bound in result.gap_interval],
        "avg_interval": [defined(bound) for bound in result.avg_interval],
        "diff_interval": [defined(bound) for bound in result.diff_interval],
        "within_noise": result.within_noise,
        "similarity_rho": {kind: defined(value) for kind, value in found.rho.items()},
    }
