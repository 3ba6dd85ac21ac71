"""The command line's commands. To add one: a file here with `add_options` and `run`, and a line in COMMANDS."""

from . import audit, categorize, compare, embed, evaluate, folds, hits, raven, score, shortcut, simulate
from .options import Answer, Command

COMMANDS: dict[str, Command] = {
    "audit": Command(audit.run, audit.add_options),
    "embed": Command(embed.run, embed.add_options),
    "hits": Command(hits.run, hits.add_options),
    "folds": Command(folds.run, folds.add_options),
    "evaluate": Command(evaluate.run, evaluate.add_options),
    "score": Command(score.run, score.add_options),
    "compare": Command(compare.run, compare.add_options),
    "simulate": Command(simulate.run, simulate.add_options),
    "categorize": Command(categorize.run, categorize.add_options),
    "raven": Command(raven.run, raven.add_options),
    "shortcut": Command(shortcut.run, shortcut.add_options),
}
