"""`score`: PAN's metrics for other people's systems."""

import argparse

from ..studies import pan_scores, read_system_answers, read_truth, system_names
from .options import Answer, defined, progress


def add_options(command: argparse.ArgumentParser) -> None:
    """The truth, and a file of answers a system."""
    command.add_argument("truth", metavar="TRUTH", help='PAN jsonl: {"id": …, "same": true}, a line a problem')
    command.add_argument(
        "answers", metavar="ANSWERS", nargs="+", help="a system: PAN jsonl (id, value) or CSV (id, score)"
    )


def run(options: argparse.Namespace) -> Answer:
    """PAN's verification metrics of each file of answers."""
    names = system_names(options.answers)
    truth = read_truth(options.truth)
    systems: dict[str, dict[str, float | None]] = {}
    notes: list[str] = []
    for done, (name, file) in enumerate(zip(names, options.answers, strict=True), start=1):
        answers = read_system_answers([file], truth.ids)
        values, reasons = pan_scores(truth, answers)
        systems[name] = {metric: defined(value) for metric, value in values.items()}
        notes += [f"{name}: {sentence}" for sentence in (*answers.notes, *reasons)]
        progress(done, len(names), "systems", None)
    return {"systems": systems, "problems": len(truth), "notes": notes}
