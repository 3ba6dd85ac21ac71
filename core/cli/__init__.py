"""The command line's commands. To add one: its options and its answer in a file here, and a line in COMMANDS."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from .screen import complain

if TYPE_CHECKING:
    from .options import Command


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


COMMANDS: dict[str, ListedCommand] = {
    "app": ListedCommand("Open the dashboard in the browser.", "app", prints=False),
    "audit": ListedCommand(
        "Count documents, topics and authors, and list what to fix before evaluating.",
        "corpus",
        "run_audit",
        "add_corpus_options",
    ),
    "verdict": ListedQuestion(
        "Report whether random topic folds leak, and what similar topics add to accuracy.", "verdict"
    ),
    "check": ListedCommand(
        "Exit with code 1 where the verdict or the file's own split has what a build must not have.", "check"
    ),
    "curve": ListedCommand(
        "Score models while the most similar topics are left out of training, with everything else held equal.", "curve"
    ),
    "forecast": ListedCommand(
        "Forecast the accuracy on topics unlike those of the corpus, beside what a random split and topic k-fold "
        "promise.",
        "curve",
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
    "topics": ListedCommand("Find topics in texts that have none, and report how stable they are.", "topics"),
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
    "evaluate": ListedCommand("Fit models on each fold's training side and score them on its test side.", "evaluate"),
    "dial": ListedCommand(
        "Write a synthetic corpus: how much vocabulary sister topics share, and how far authors keep to one family.",
        "corpus",
        "run_dial",
        "add_dial_options",
    ),
    "swap": ListedCommand("Run `curve`, which replaces this command.", "curve", "run_swap"),
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
        "benchmark",
        "run_raven",
        "add_raven_options",
    ),
    "shortcut": ListedCommand(
        "Compare each system's score under HITS and on random topics: a lower score under HITS shows reliance on topic.",
        "benchmark",
        "run_shortcut",
        "add_shortcut_options",
    ),
    "report": ListedCommand(
        "Write verdict, settings, figures, tables, warnings and methods of a corpus into one HTML file.", "report"
    ),
}
