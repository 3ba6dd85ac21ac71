"""Before models are run on folds: what a corpus must have, what they will cost, whether that fits, and the quickest run there is."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import psutil

from ..corpora import Corpus, with_prolific_authors
from ..engine import cores, seconds_for
from ..errors import LeakscopeError, SettingError
from ..formats import listed
from ..models import Size
from ..models.verification import OWN
from ..splits import Fold, Folds, make_folds
from .keys import missing_keys, pace_name, run_units
from .store import ResultStore
from .tasks import TASKS

PROCESS = 400_000_000  # bytes of a process that has loaded what models need
SECONDS_A_UNIT = {"verification": 6e-6, "attribution": 1.5e-7}  # where no model has run here yet
FEWER_AUTHORS = 200
HEAVY = 0.4  # of what is allowed: a model that takes more is one to leave out
SHARE = 0.6  # of the machine's memory, where nothing else is said
JOB_MEMORY = "LEAKSCOPE_JOB_MEMORY"  # megabytes
FEW_AUTHORS, FEW_FOLDS, FEW_MODELS = 50, 3, 2
SAMPLED_FROM = 4  # topics at least


@dataclass(frozen=True, slots=True)
class Estimate:
    """Runs still to be computed, about how long and how much memory they take together, and each model's memory.

    `unmeasured` are the models that have never run here: their part of `seconds` is a guess, as good as useless.
    """

    runs: int
    seconds: float
    memory: float
    by_model: dict[str, float]
    unmeasured: tuple[str, ...] = ()


def estimate_runs(
    corpus: Corpus,
    folds: Folds,
    *,
    task: str,
    models: Sequence[str],
    seed: int = 0,
    pairing: str = "matched",
    calibration: str = OWN,
    vectors_key: str = "",
    results: ResultStore | None = None,
) -> Estimate:
    """Return what `evaluate` would still have to do with the same choices."""
    keys = missing_keys(
        corpus,
        folds,
        task=task,
        models=models,
        seed=seed,
        pairing=pairing,
        calibration=calibration,
        vectors_key=vectors_key,
        results=results,
    )
    seconds, memory, unmeasured = 0.0, dict.fromkeys(models, 0.0), dict[str, None]()
    units, sizes = [run_units(task, corpus, fold) for fold in folds], [_size(corpus, fold) for fold in folds]
    for missing, (model, fold) in zip(keys, product(dict.fromkeys(models), range(len(folds))), strict=True):
        if missing:
            known = seconds_for(pace_name(task, model), units[fold], otherwise=TASKS[task].models[model].pace)
            if known is None:
                unmeasured[model] = None
            seconds += SECONDS_A_UNIT[task] * units[fold] if known is None else known
            memory[model] = max(memory[model], TASKS[task].models[model].memory(sizes[fold]))
    runs = sum(keys)
    at_once = min(cores(), max(runs, 1))
    largest = sorted(memory.values(), reverse=True)[:1] * at_once
    together = at_once * PROCESS + sum(largest) if runs else 0.0
    return Estimate(runs, seconds / at_once, together, memory, tuple(unmeasured))


def _size(corpus: Corpus, fold: Fold) -> Size:
    codes = corpus.author_codes
    authors = 0 if codes is None else len(set(codes[fold.train].tolist()))
    return Size(len(fold.train), sum(len(corpus.texts[row]) for row in fold.train), authors)


@dataclass(frozen=True, slots=True)
class NoRoom:
    """What does not fit: the bytes allowed, the models that need most and the others, and what would help: at most
    this many authors (None where there are no more), and only authors with two texts."""

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
    """Return why runs that cost so much cannot be started, or None where they fit."""
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
    """Return whether any folds of a corpus fit: reckoned as if all of it were a training side, on every core at once."""
    whole = Size(len(corpus), sum(map(len, corpus.texts)), len(corpus.author_names or ()))
    most = max(TASKS[task].models[model].memory(whole) for model in models)
    return cores() * (PROCESS + most) <= allowed


@dataclass(frozen=True, slots=True)
class Proposal:
    """Models and folds to begin with, how many authors to keep (None: all), and what that costs."""

    models: tuple[str, ...]
    k: int
    authors: int | None
    estimate: Estimate


def quickest_run(corpus: Corpus, *, task: str, models: Sequence[str], **choices: Any) -> Proposal | None:
    """Return the cheapest of these models on topic folds; None where the corpus is too small for any. Choices as `estimate_runs`."""
    named = len(corpus.author_names or ())
    few = FEW_AUTHORS if named > FEW_AUTHORS else None
    try:
        kept = with_prolific_authors(corpus, at_least=1, at_most=few)
        k = min(FEW_FOLDS, len(kept.topic_names))
        folds = make_folds(kept, scheme="topic-kfold", k=k, seed=choices.get("seed", 0))
    except LeakscopeError:
        return None
    costs = {model: estimate_runs(kept, folds, models=[model], task=task, **choices) for model in models}
    if any(cost.unmeasured for cost in costs.values()):  # a guess of seconds ranks nothing
        cheapest = sorted(models, key=lambda model: TASKS[task].models[model].slow)[:FEW_MODELS]
    else:
        cheapest = sorted(models, key=lambda model: costs[model].seconds)[:FEW_MODELS]
    chosen = tuple(model for model in models if model in cheapest)
    return Proposal(chosen, k, few, estimate_runs(kept, folds, models=chosen, task=task, **choices))


def need_authors(corpus: Corpus) -> None:
    """Refuse what needs two authors, or classes, where there are not two."""
    names = corpus.author_names
    if names is None or len(names) < 2:
        known = "no authors" if names is None else f"only one {corpus.class_word}"
        raise SettingError(f"This corpus has {known}. Models need two or more, or another label to predict.")


def need_topics(corpus: Corpus) -> int:
    """Return the number of topics, where there are enough to sample from."""
    if len(corpus.topic_names) < SAMPLED_FROM:
        raise SettingError("Sampling needs four topics or more; this corpus has fewer.")
    return len(corpus.topic_names)
