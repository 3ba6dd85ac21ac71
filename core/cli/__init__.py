"""The command line's commands. To add one: its options and its answer in a file here, and a line in COMMANDS."""

from . import benchmark, corpus, design, evaluate, report, simulate, swap, systems, topics
from .options import Answer, Command, add_corpus_options
from .screen import SCREEN, WIDTH, complain, spoken

COMMANDS: dict[str, Command] = {
    "audit": Command(corpus.run_audit, add_corpus_options),
    "verdict": Command(corpus.run_verdict, corpus.add_verdict_options),
    "embed": Command(corpus.run_embed, corpus.add_embed_options),
    "hits": Command(corpus.run_hits, corpus.add_hits_options),
    "folds": Command(design.run_folds, design.add_folds_options),
    "topics": Command(topics.run, topics.add_options),
    "design": Command(design.run_design, design.add_design_options),
    "split": Command(design.run_split, design.add_split_options),
    "evaluate": Command(evaluate.run, evaluate.add_options),
    "dial": Command(swap.run_dial, swap.add_dial_options),
    "swap": Command(swap.run, swap.add_options),
    "score": Command(systems.run_score, systems.add_score_options),
    "compare": Command(systems.run_compare, systems.add_compare_options),
    "simulate": Command(simulate.run, simulate.add_options),
    "categorize": Command(systems.run_categorize, systems.add_categorize_options),
    "raven": Command(benchmark.run_raven, benchmark.add_raven_options),
    "shortcut": Command(benchmark.run_shortcut, benchmark.add_shortcut_options),
    "report": Command(report.run, report.add_options),
}
