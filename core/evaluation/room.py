"""Whether models on folds fit into the memory there is, and what would."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

import psutil

from ..corpora import Corpus
from ..engine import cores
from ..formats import listed
from ..models import Size
from .estimate import PROCESS, Estimate
from .tasks import TASKS

FEWER_AUTHORS = 200
HEAVY = 0.4  # of what is allowed: a model that takes more is one to leave out
SHARE = 0.6  # of the machine's memory, where nothing else is said
JOB_MEMORY = "LEAKSCOPE_JOB_MEMORY"  # megabytes


@dataclass(frozen=True, slots=True)
class NoRoom:
    """What does not fit: the bytes allowed, the models that need most and the others, and what would help: at most
    so many authors (None where there are no more), and only authors with two texts."""

    allowed: float
    heavy: tuple[str, ...]
    light: tuple[str, ...]
    sentence: str
    fewer_authors: int | None
    two_texts: bool


def allowed_memory() -> float:
    """Bytes that one piece of work may take: as LEAKSCOPE_JOB_MEMORY says, or six tenths of the machine's."""
    words = os.environ.get(JOB_MEMORY, "")
    given = int(words) if words.isascii() and words.isdigit() else 0
    return given * 1e6 or SHARE * psutil.virtual_memory().total


def no_room(corpus: Corpus, cost: Estimate, *, task: str, allowed: float) -> NoRoom | None:
    """Why runs that cost so much cannot be started, or None where they fit."""
    if cost.memory <= allowed:
        return None
    kinds, authors = TASKS[task].models, len(corpus.author_names or ())
    heavy = tuple(name for name, needed in cost.by_model.items() if needed > HEAVY * allowed)
    whose = listed([kinds[name].label for name in heavy]) if heavy else "these models"
    return NoRoom(
        allowed=allowed,
        heavy=heavy,
        light=tuple(name for name in cost.by_model if name not in heavy) if heavy else (),
        sentence=f"This would take about {cost.memory / 1e9:,.0f} GB, and a job may use {allowed / 1e9:.1f} GB here: "
        f"{whose} keep{'s' if len(heavy) == 1 else ''} weights for every word and each of {authors:,} authors",
        fewer_authors=FEWER_AUTHORS if authors > FEWER_AUTHORS else None,
        two_texts=not TASKS[task].asks_pairs,
    )


def has_room(corpus: Corpus, *, task: str, models: Sequence[str], allowed: float) -> bool:
    """Whether any folds of a corpus fit: reckoned as if all of it were a training side, on every core at once."""
    whole = Size(len(corpus), sum(map(len, corpus.texts)), len(corpus.author_names or ()))
    most = max(TASKS[task].models[model].memory(whole) for model in models)
    return cores() * (PROCESS + most) <= allowed
