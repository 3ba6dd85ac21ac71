"""`categorize`: Yang and Liu's five classifiers on a multi-label corpus with a fixed split."""

import argparse

from ..corpora import read_labelled
from ..models.categorization import CATEGORIZERS
from ..statistics import Significance
from ..studies import Categorization, categorize
from .options import Answer, defined, progress, seed


def add_options(command: argparse.ArgumentParser) -> None:
    """The corpus and the models."""
    command.add_argument("file", metavar="FILE", help="columns text, topics (a list, or joined by | ; or ,) and split")
    command.add_argument(
        "--models", default=",".join(CATEGORIZERS), metavar="A,B", help=f"of {', '.join(CATEGORIZERS)}"
    )
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="(default: 0)")


def run(options: argparse.Namespace) -> Answer:
    """Micro and macro recall, precision and F1 of each model, and every pair tested."""
    models = [name.strip() for name in options.models.split(",") if name.strip()]
    return as_json(categorize(read_labelled(options.file), models=models, seed=options.seed, progress=_say))


def as_json(record: Categorization) -> Answer:
    """Every system's effectiveness, and every pair's tests."""
    systems = {
        name: {
            "miR": defined(system.effectiveness.micro_recall),
            "miP": defined(system.effectiveness.micro_precision),
            "miF1": defined(system.effectiveness.micro_f1),
            "maF1": defined(system.effectiveness.macro_f1),
            "error": system.effectiveness.error,
            "seconds": round(system.seconds, 2),
            "notes": list(system.notes),
        }
        for name, system in record.systems.items()
    }
    tests = [
        {"a": pair.a, "b": pair.b}
        | {name: _test(result, pair.adjusted[name]) for name, result in pair.tests.items()}
        | {"p": {name: _test(result) for name, result in record.measures[pair.a, pair.b].items()}}
        for pair in record.pairs
    ]
    return {
        "corpus": record.corpus,
        "training": record.training,
        "test": record.test,
        "categories": len(record.categories),
        "words": record.words,
        "systems": systems,
        "tests": tests,
        "notes": list(record.notes),
    }


def _test(result: Significance, adjusted: float | None = None) -> Answer:
    shown: Answer = {"statistic": result.statistic, "p": result.p, "n": result.n, "verdict": result.verdict}
    if adjusted is not None:
        shown["holm"] = adjusted
    if result.problem:
        shown["problem"] = result.problem
    return shown


def _say(done: int, total: int, model: str, seconds_left: float | None) -> None:
    progress(done, total, f"models {model}", None)
