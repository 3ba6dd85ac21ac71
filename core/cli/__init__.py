"""The command line's commands. To add one: its options and its answer in a file here, and a line in COMMANDS."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from ..formats import one_line

if TYPE_CHECKING:
    from .options import Command

COVERED = 79  # letters of a line of progress, which covers the one before it
_open_line = False  # whether a line of progress stands that the next one is to cover


def progress(done: int, total: int, what: str, seconds_left: float | None) -> None:
    """Show one line on stderr that the next one covers; nothing where nobody looks."""
    global _open_line
    if not sys.stderr.isatty():
        return
    left = "" if seconds_left is None or done == total else f", {seconds_left:.0f} s left"
    _open_line = True
    print(
        f"{done:,} of {total:,} {one_line(what)}{left}"[:COVERED].ljust(COVERED), end="\r", file=sys.stderr, flush=True
    )


def end_progress() -> None:
    """Clear the line of progress: what comes next is an answer or a problem."""
    global _open_line
    if _open_line:
        print(f"{' ' * COVERED}\r", end="", file=sys.stderr, flush=True)
        _open_line = False


def complain(problem: str) -> None:
    """Print one clear line on stderr, and clear the line of progress."""
    end_progress()
    print(one_line(problem), file=sys.stderr)


@dataclass(frozen=True, slots=True)
class ListedCommand:
    """A command as the help lists it. Its module, which takes longest to import, is loaded where it runs."""

    about: str  # the docstring of what runs
    module: str
    run: str = "run"
    options: str = "add_options"
    prints: bool = True  # an answer, which --json and --all shape

    def load(self) -> "Command":
        """Return what runs, and its options."""
        from .options import Command

        module = import_module(f".{self.module}", __name__)
        return Command(getattr(module, self.run), getattr(module, self.options))


@dataclass(frozen=True, slots=True)
class ListedQuestion(ListedCommand):
    """A command that asks a question of core/questions about a file."""

    def load(self) -> "Command":
        """Return the question as a command."""
        from .questions import question_command

        return question_command(import_module(f"..questions.{self.module}", __name__))


# What to try after a command, on the same corpus.
NEXT = {
    "audit": "verdict FILE",
    "verdict": "design FILE",
    "curve": "forecast FILE",
    "forecast": "design FILE",
    "hits": "design FILE",
    "folds": "design FILE",
    "design": "design FILE --out split.csv --as split",
    "split": "split FILE --fix --out fixed.csv",
    "evaluate": "curve FILE",
}
# Options that name a corpus and its vectors, which the next command needs too.
SHARED = frozenset(
    f"--{name}"
    for name in (
        "text", "author", "topic", "id", "split", "label", "min-documents", "max-documents", "author-documents",
        "most-authors", "encoder", "window", "model", "vectors", "similarity",
    )
)  # fmt: skip


def next_command(program: str, name: str, file: str | None, given: Sequence[str]) -> str:
    """Return the command to try next, on the same corpus and vectors; none where it is what was just run."""
    command, *more = NEXT.get(name, "").split() or [""]
    if not command or file is None or (command == name and set(more) & set(given)):
        return ""
    kept: list[str] = []
    words = iter(given)
    for word in words:
        if word.split("=")[0] in SHARED:
            kept += [word] if "=" in word else [word, next(words, "")]
    return f"{program} {shlex.join([command, *(file if word == 'FILE' else word for word in more), *kept])}"


COMMANDS: dict[str, ListedCommand] = {
    "app": ListedCommand("Open the dashboard in the browser.", "app", prints=False),
    "audit": ListedCommand(
        "Count documents, topics and authors, and list what to fix before evaluating.",
        "corpus",
        "run_audit",
        "add_corpus_options",
    ),
    "explain": ListedCommand(
        "Explain a warning by its code, with an example and what to do about it.",
        "corpus",
        "run_explain",
        "add_explain_options",
    ),
    "verdict": ListedQuestion(
        "Report whether random topic folds leak, and what similar topics add to accuracy.", "verdict"
    ),
    "check": ListedCommand(
        "Exit with code 1 if the corpus or its own split leaks.",
        "design",
        "run_check",
        "add_check_options",
    ),
    "curve": ListedCommand(
        "Score models while the most similar topics are left out of training, with everything else held equal.",
        "evaluate",
        "run_curve",
        "add_curve_options",
    ),
    "forecast": ListedCommand(
        "Forecast the accuracy on topics unlike those of the corpus, beside what a random split and topic k-fold "
        "promise.",
        "evaluate",
        "run_forecast",
        "add_forecast_options",
    ),
    "embed": ListedCommand(
        "Write the vectors of a corpus in document order.", "corpus", "run_embed", "add_embed_options"
    ),
    "hits": ListedQuestion(
        "List the topics HITS keeps, the whole path, and how often bootstrap samples keep each topic.", "hits"
    ),
    "folds": ListedCommand(
        "Make folds over topics and report how similar the training and test topics of each are.",
        "design",
        "run_folds",
        "add_folds_options",
    ),
    "topics": ListedCommand(
        "Find topics in texts that have none, and report how stable they are.",
        "corpus",
        "run_topics",
        "add_topics_options",
    ),
    "design": ListedCommand(
        "Compare random, HITS, minimax, grouping and least-leakage splits and recommend one.",
        "design",
        "run_design",
        "add_design_options",
    ),
    "split": ListedCommand(
        "Check the corpus's own train/test split and, with --fix, find the smallest change that fixes it.",
        "design",
        "run_split",
        "add_split_options",
    ),
    "evaluate": ListedCommand(
        "Fit models on each fold's training side and score them on its test side.",
        "evaluate",
        "run_evaluate",
        "add_evaluate_options",
    ),
    "dial": ListedCommand(
        "Write a synthetic corpus with two dials: words that sister topics share, and authors' loyalty to one family.",
        "corpus",
        "run_dial",
        "add_dial_options",
    ),
    "swap": ListedCommand("Run `curve`, which replaces this command.", "evaluate", "run_swap", "add_curve_options"),
    "score": ListedCommand(
        "Compute PAN's verification metrics for each file of answers.", "systems", "run_score", "add_score_options"
    ),
    "compare": ListedCommand(
        "Compare two systems in a table of results, with every test that fits it.",
        "systems",
        "run_compare",
        "add_compare_options",
    ),
    "simulate": ListedCommand("Count how often tests call equally good classifiers different.", "simulate"),
    "categorize": ListedCommand(
        "Run Yang and Liu's text categorizers on a corpus with several topics per document and test every pair.",
        "systems",
        "run_categorize",
        "add_categorize_options",
    ),
    "raven": ListedCommand(
        "Build a RAVEN benchmark: a HITS sample and five random ones, with their folds and pairs.",
        "systems",
        "run_raven",
        "add_raven_options",
    ),
    "shortcut": ListedCommand(
        "Compare each system's score under HITS and on random topics: a lower score under HITS shows reliance on topic.",
        "systems",
        "run_shortcut",
        "add_shortcut_options",
    ),
    "report": ListedCommand(
        "Write verdict, settings, figures, tables, warnings and methods of a corpus into one HTML file.", "report"
    ),
}
