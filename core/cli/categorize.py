"""`categorize`: Yang and Liu's five classifiers on a multi-label corpus with a fixed split."""

import argparse

from ..corpora import read_labelled
from ..models.categorization import CATEGORIZERS
from ..studies import as_json, categorize
from .options import Answer, progress, seed


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


def _say(done: int, total: int, model: str, seconds_left: float | None) -> None:
    progress(done, total, f"models {model}", None)
