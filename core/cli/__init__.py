"""The command line's commands. To add one: its options and its answer in a file here, and a line in COMMANDS."""

from ..questions import hits, verdict
from . import app, benchmark, corpus, curve, design, evaluate, report, simulate, systems, topics
from .options import Command, Reply, add_corpus_options
from .questions import question_command
from .screen import SCREEN, WIDTH, complain, spoken

COMMANDS: dict[str, Command] = {
    "app": Command(app.run, app.add_options, prints=False),
    "audit": Command(corpus.run_audit, add_corpus_options),
    "verdict": question_command(verdict),
    "curve": Command(curve.run, curve.add_options),
    "forecast": Command(curve.run_forecast, curve.add_forecast_options),
    "embed": Command(corpus.run_embed, corpus.add_embed_options),
    "hits": question_command(hits),
    "folds": Command(design.run_folds, design.add_folds_options),
    "topics": Command(topics.run, topics.add_options),
    "design": Command(design.run_design, design.add_design_options),
    "split": Command(design.run_split, design.add_split_options),
    "evaluate": Command(evaluate.run, evaluate.add_options),
    "dial": Command(corpus.run_dial, corpus.add_dial_options),
    "swap": Command(curve.run_swap, curve.add_options),
    "score": Command(systems.run_score, systems.add_score_options),
    "compare": Command(systems.run_compare, systems.add_compare_options),
    "simulate": Command(simulate.run, simulate.add_options),
    "categorize": Command(systems.run_categorize, systems.add_categorize_options),
    "raven": Command(benchmark.run_raven, benchmark.add_raven_options),
    "shortcut": Command(benchmark.run_shortcut, benchmark.add_shortcut_options),
    "report": Command(report.run, report.add_options),
}
