"""Which runs there are: what determines a run's answers, which are still missing, and how much work each is."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from ..arrays import digest
from ..corpora import Corpus
from ..engine import seconds_for
from ..errors import SettingError, unknown
from ..models.verification import OWN, calibrated
from ..splits import PAIRINGS, Fold, Folds
from .store import Answers, ResultStore
from .tasks import TASKS, Task


def made_models(task: str, models: Sequence[str], calibration: str = OWN) -> tuple[Task, list[Any]]:
    """The task, and its models of these names; where questions are pairs, with answers of this calibration."""
    if task not in TASKS:
        raise unknown("task", task, TASKS)
    chosen = TASKS[task]
    if not models:
        raise SettingError(f"No model is chosen; choose one of: {', '.join(chosen.models)}.")
    made = [chosen.make(name) for name in dict.fromkeys(models)]
    return chosen, [calibrated(model, calibration) for model in made] if chosen.asks_pairs else made


def run_keys(
    corpus: Corpus, folds: Folds, task: str, made: Sequence[Any], seed: int, pairing: str, vectors_key: str
) -> list[str]:
    """Of every run, models × folds, what determines its answers: both sides, task, model and settings, calibration, seed,
    pairing, vectors.

    Of a document a model can see text and author, and the id decides the order; its topic counts only where it decides
    the pairs. Where answers are authors' codes, which index the sorted names, the names count too.
    """
    if corpus.authors is None:
        raise SettingError("The corpus names no authors, and both tasks need them; choose an author column.")
    if pairing not in PAIRINGS:
        raise unknown("kind of pairs", pairing, PAIRINGS)
    chosen = TASKS[task]
    paired = PAIRINGS[pairing].key if chosen.asks_pairs else None
    documents = _documents(corpus, by_topic=chosen.asks_pairs and PAIRINGS[pairing].by_topic)
    sides = [[digest(sorted(documents[row] for row in side)) for side in (fold.train, fold.test)] for fold in folds]
    names = corpus.author_names if chosen.answers_are_authors else None
    keys = []
    for model, number in product(made, range(len(folds))):
        used = vectors_key if chosen.models[model.name].needs_vectors else None
        keys.append(digest([chosen.version, task, paired, model.key(), seed + number, *sides[number], names, used]))
    return keys


_known: dict[tuple[str, bool], list[str]] = {}  # the last few corpora's digests
MOST_KNOWN = 8


def _documents(corpus: Corpus, *, by_topic: bool) -> list[str]:
    """A digest a document; kept for the next set of folds, for texts are long and a curve has many sets."""
    key = corpus.content_digest, by_topic
    found = _known.get(key)
    if found is None:
        nothing: list[str | None] = [None] * len(corpus)
        topics, authors = (corpus.topics if by_topic else nothing), (corpus.authors or nothing)
        found = [digest(parts) for parts in zip(corpus.ids, authors, topics, corpus.texts, strict=True)]
        while len(_known) >= MOST_KNOWN:
            _known.pop(next(iter(_known), key), None)
        _known[key] = found
    return found


def missing_keys(
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
) -> list[bool]:
    """Of every run, models × folds, whether `evaluate` would have to compute it; `vectors_key` names its vectors."""
    keys = run_keys(corpus, folds, task, made_models(task, models, calibration)[1], seed, pairing, vectors_key)
    return [results is None or results.get(key) is None for key in keys]


def cached_runs(
    corpus: Corpus, folds: Folds, *, results: ResultStore, task: str, models: Sequence[str], **choices: Any
) -> dict[str, Answers]:
    """The runs that are kept of what `evaluate` would be asked for with these choices, by key."""
    made = made_models(task, models, choices.pop("calibration", OWN))[1]
    keys = run_keys(corpus, folds, task, made, choices["seed"], choices["pairing"], choices["vectors_key"])
    found = {key: results.get(key) for key in keys}
    return {key: run for key, run in found.items() if run is not None}


def missing_runs(corpus: Corpus, folds: Folds, **choices: Any) -> int:
    """How many runs `evaluate` would have to compute now; the choices are those of `missing_keys`."""
    return sum(missing_keys(corpus, folds, **choices))


def pace_name(task: str, model: str) -> str:
    """Under which a model's pace is remembered."""
    return f"{task}:{model}"


def run_units(task: str, corpus: Corpus, fold: Fold) -> float:
    """What a run's time grows with: characters of both sides, once for every author that has to be told apart."""
    characters = sum(len(corpus.texts[row]) for side in (fold.train, fold.test) for row in side)
    if not TASKS[task].answers_are_authors or corpus.author_codes is None:
        return characters
    return characters * max(len(np.unique(corpus.author_codes[fold.train])), 1)


def longest_first(
    corpus: Corpus, task: str, folds: Folds, pairs: Sequence[tuple[Any, int]], missing: Sequence[int]
) -> list[int]:
    """Runs in the order in which they are started: a long one that came last would keep all cores but one waiting."""
    units = [run_units(task, corpus, fold) for fold in folds]
    paces = {name: seconds_for(pace_name(task, name), 1.0, otherwise=0.0) or 0.0 for name in TASKS[task].models}
    return sorted(missing, key=lambda index: -paces.get(pairs[index][0].name, 0.0) * units[pairs[index][1]])
