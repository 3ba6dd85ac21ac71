"""Commands on systems: `score` and `compare` other people's, `categorize` with ours."""

import argparse

from ..corpora import read_labelled
from ..errors import SettingError
from ..evaluation import pan_scores, read_comparison_table, read_system_answers, read_truth, system_names
from ..papers import categorize
from ..questions import categorization, scores, table
from ..render import Answer
from .questions import add_settings, given_settings
from .screen import progress


def add_score_options(command: argparse.ArgumentParser) -> None:
    """The truth, and a file of answers a system."""
    command.add_argument("truth", metavar="TRUTH", help='PAN jsonl: {"id": …, "same": true}, a line a problem')
    about = "a system: PAN jsonl (id, value) or CSV (id, score)"
    command.add_argument("answers", metavar="ANSWERS", nargs="+", help=about)


def run_score(options: argparse.Namespace) -> Answer:
    """Compute PAN's verification metrics for each file of answers."""
    names = system_names(options.answers)
    truth = read_truth(options.truth)
    systems: dict[str, dict[str, float]] = {}
    notes: list[str] = []
    for done, (name, file) in enumerate(zip(names, options.answers, strict=True), start=1):
        answers = read_system_answers([file], truth.ids)
        systems[name], reasons = pan_scores(truth, answers)
        notes += [f"{name}: {sentence}" for sentence in (*answers.notes, *reasons)]
        progress(done, len(names), "systems", None)
    return scores.answer_of_files(systems, problems=len(truth), notes=notes)


def add_compare_options(command: argparse.ArgumentParser) -> None:
    """Add the table and the two systems."""
    about = "a column per system; a row per category (scores) or per decision (0/1)"
    command.add_argument("file", metavar="FILE", help=about)
    add_settings(command, table.Settings)
    about = "column that holds how many documents a row stands for (default: documents or weights, where there is one)"
    command.add_argument("--weights", metavar="COLUMN", help=about)


def run_compare(options: argparse.Namespace) -> Answer:
    """Compare two systems in a table of results, with every test that fits it."""
    given = given_settings(table.Settings, options)
    for name in ("a", "b"):
        if name not in given:
            raise SettingError(f"compare needs --{name}: name a system's column.")
    table.Settings.check_early(given)
    results = read_comparison_table(options.file, weights=options.weights, only=(given["a"], given["b"]))
    return table.answer(results, table.Settings.resolve(results, given, command=True))


def add_categorize_options(command: argparse.ArgumentParser) -> None:
    """Add the corpus and the models."""
    command.add_argument("file", metavar="FILE", help="columns text, topics (a list, or joined by | ; or ,) and split")
    add_settings(command, categorization.Settings)


def run_categorize(options: argparse.Namespace) -> Answer:
    """Run Yang and Liu's text categorizers on a corpus with several topics per document and test every pair."""
    settings = categorization.Settings.resolve(None, given_settings(categorization.Settings, options), command=True)
    corpus = read_labelled(options.file)
    return categorization.answer(
        categorize(corpus, models=settings.models, seed=settings.seed, progress=_say), settings
    )


def _say(done: int, total: int, model: str, seconds_left: float | None) -> None:
    progress(done, total, f"models {model}", None)
