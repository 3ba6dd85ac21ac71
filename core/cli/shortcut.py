"""`shortcut`: the topic shortcut test on a benchmark's answers."""

import argparse

from ..models import METRICS
from ..studies import Reading, Reliance, answer_sheet, read_systems, shortcut_test, topical_reliance
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
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="draws the bootstrap (default: 0)")


def run(options: argparse.Namespace) -> Answer:
    """Each system's score under HITS and at random, their average, and their difference: its reliance on topic."""
    sheet = answer_sheet(read_benchmark(options.benchmark))
    systems = []
    for system in read_systems(sheet, options.answers):
        systems.append(system)
        progress(len(systems), len(options.answers), "systems", None)
    test = shortcut_test(sheet.asked, systems, metric=options.metric, seed=options.seed)
    reliance = topical_reliance(sheet.asked, systems)
    notes = [f"{system.name}: {note}" for system in systems for note in system.notes]
    for reading in test.readings:
        if reading.undefined_folds:
            notes.append(
                f"{reading.name}: {METRICS[options.metric].label} is undefined in {reading.undefined_folds} of "
                f"{len(sheet.asked)} folds, which are left out."
            )
    notes += [reading.sentence for reading in test.readings]
    return {
        "metric": options.metric,
        "models": {
            reading.name: _record(reading, found)
            for reading, found in zip(test.readings, reliance.systems, strict=True)
        },
        "notes": notes,
    }


def _record(reading: Reading, found: Reliance) -> Answer:
    values = ("hits", "random", "avg", "diff", "rank_avg", "rank_diff", "p")
    return {name: defined(getattr(reading, name)) for name in values} | {
        "avg_interval": [defined(bound) for bound in reading.avg_interval],
        "diff_interval": [defined(bound) for bound in reading.diff_interval],
        "within_noise": reading.within_noise,
        "similarity_rho": {kind: defined(value) for kind, value in found.rho.items()},
    }
