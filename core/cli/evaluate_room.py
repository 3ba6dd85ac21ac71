"""What does not fit into memory is refused before it runs, with the options that would fit."""

import argparse
from collections.abc import Sequence
from typing import Any

from ..corpora import Corpus, with_prolific_authors
from ..errors import LeakscopeError, SettingError
from ..evaluation import NoRoom, allowed_memory, estimate_runs, has_room, no_room
from ..splits import Folds


def room_or_refuse(corpus: Corpus, sides: Sequence[Folds], options: argparse.Namespace, **choices: Any) -> None:
    """Refuse models on folds that would take more memory than they may; choices as `estimate_runs`."""
    cost = max((estimate_runs(corpus, folds, **choices) for folds in sides), key=lambda each: each.memory)
    found = no_room(corpus, cost, task=choices["task"], allowed=allowed_memory())
    if found is not None:
        instead = _instead(corpus, found, options, choices["task"], choices["models"])
        raise SettingError(f"{found.sentence}; {instead}.")


def _instead(corpus: Corpus, found: NoRoom, options: argparse.Namespace, task: str, models: Sequence[str]) -> str:
    """The options that would fit, those that cost least of the corpus first."""
    ways = []
    if found.light and has_room(corpus, task=task, models=found.light, allowed=found.allowed):
        ways.append(f"--models {','.join(found.light)}")
    if found.two_texts and options.author_documents < 2 and _fits(corpus, found, task, models, at_least=2):
        ways.append("--author-documents 2")
    if found.fewer_authors and _fits(corpus, found, task, models, at_most=found.fewer_authors):
        ways.append(f"--most-authors {found.fewer_authors}")
    if not ways:
        return "name fewer --models, keep fewer --most-authors, or take a machine with more memory"
    return f"add {' or '.join(ways)}"


def _fits(corpus: Corpus, found: NoRoom, task: str, models: Sequence[str], **kept: int) -> bool:
    try:
        smaller = with_prolific_authors(corpus, **kept)
    except LeakscopeError:
        return False
    return has_room(smaller, task=task, models=models, allowed=found.allowed)
