"""What models on folds will cost, before they are run: seconds at the pace measured here, memory from sizes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from ..corpora import Corpus
from ..engine import cores, seconds_for
from ..models import Size
from ..models.verification import OWN
from ..splits import Fold, Folds
from .keys import missing_keys, pace_name, run_units
from .store import ResultStore
from .tasks import TASKS

PROCESS = 400_000_000  # bytes of a process that has loaded what models need
SECONDS_A_UNIT = {"verification": 6e-6, "attribution": 1.5e-7}  # where no model has run here yet


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
    """What `evaluate` would still have to do with the same choices."""
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
