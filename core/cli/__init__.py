"""The command line's commands. To add one: its options and its answer in a file here, and a line in COMMANDS."""

from . import corpus, evaluate, folds, hits, raven, shortcut, systems, verdict
from .options import Answer, Command, add_corpus_options

COMMANDS: dict[str, Command] = {
    "audit": Command(corpus.run_audit, add_corpus_options),
    "verdict": Command(verdict.run, verdict.add_options),
    "embed": Command(corpus.run_embed, corpus.add_embed_options),
    "hits": Command(hits.run, hits.add_options),
    "folds": Command(folds.run, folds.add_options),
    "evaluate": Command(evaluate.run, evaluate.add_options),
    "score": Command(systems.run_score, systems.add_score_options),
    "compare": Command(systems.run_compare, systems.add_compare_options),
    "simulate": Command(systems.run_simulate, systems.add_simulate_options),
    "categorize": Command(systems.run_categorize, systems.add_categorize_options),
    "raven": Command(raven.run, raven.add_options),
    "shortcut": Command(shortcut.run, shortcut.add_options),
}
