"""Refuse models on folds that would take more memory than allowed, and name the options that fit."""

import argparse
from collections.abc import Sequence
from typing import Any

from ..corpora import Corpus, with_prolific_authors
from ..errors import LeakscopeError, SettingError
from ..evaluation import NoRoom, allowed_memory, estimate_runs, has_room, no_room
from ..splits import Folds


def room_or_refuse(corpus: Corpus, sides: Sequence[Folds], options: argparse.Namespace, **choices: Any) -> None:
    """Refuse models on folds that would take more memory than allowed; choices as `estimate_runs`."""
    cost = max((estimate_runs(corpus, folds, **choices) for folds in sides), key=lambda each: each.memory)
    found = no_room(corpus, cost, task=choices["task"], allowed=allowed_memory())
    if found is not None:
        instead = _instead(corpus, found, options, choices["task"], choices["models"])
        raise SettingError(f"{found.sentence}. {instead[0].upper()}{instead[1:]}.")


def _instead(corpus: Corpus, found: NoRoom, options: argparse.Namespace, task: str, models: Sequence[str]) -> str:
    """Return the options that would fit, those that cost least of the corpus first."""
    ways = []
    if found.light and has_room(corpus, task=task, models=found.light, allowed=found.allowed):
        ways.append(f"--models {','.join(found.light)}")
    authors: list[tuple[str, dict[str, int]]] = []
    if found.two_texts and options.author_documents < 2:
        authors.append(("--author-documents 2", {"at_least": 2}))
    if found.fewer_authors:
        authors.append((f"--most-authors {found.fewer_authors}", {"at_most": found.fewer_authors}))
    for words, kept in authors:
        topics = _topics_that_fit(corpus, found, task, models, **kept)
        if topics >= 2:
            # Fewer authors may leave fewer topics than folds.
            ways.append(f"{words} --k {topics}" if topics < options.k else words)
    if not ways:
        return "choose fewer --models or --most-authors, or use a machine with more memory"
    return f"add {' or '.join(ways)}"


def _topics_that_fit(corpus: Corpus, found: NoRoom, task: str, models: Sequence[str], **kept: int) -> int:
    """Return how many topics a corpus of fewer authors has; 0 where it does not fit either."""
    try:
        smaller = with_prolific_authors(corpus, **kept)
    except LeakscopeError:
        return 0
    return len(smaller.topic_names) if has_room(smaller, task=task, models=models, allowed=found.allowed) else 0
