"""What every system is asked, fold by fold, and what each answers: from a benchmark, or from models run in the app."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import SettingError
from core.evaluate import TASKS, Evaluation
from core.raven import GROUPS, Benchmark, setup_key
from core.raven.build import pair_similarity
from core.setups import Setup

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    """One fold's test pairs: whether one author wrote both texts, and how alike the two are in topic."""

    setup: str
    group: str
    fold: int
    same: Bools
    similarity: Floats

    def __len__(self) -> int:
        return len(self.same)


@dataclass(frozen=True, eq=False, slots=True)
class System:
    """One system's scores for each fold asked, in that order; None where it could not be run, which the notes say."""

    name: str
    answers: tuple[Floats | None, ...]
    notes: tuple[str, ...] = ()


def asked_of(benchmark: Benchmark) -> tuple[Asked, ...]:
    """The test pairs of every fold of every setup of a benchmark."""
    return tuple(
        Asked(setup.key, setup.group, number, fold.test.same, fold.test.similarity)
        for setup in benchmark.setups
        for number, fold in enumerate(setup.folds)
    )


def from_evaluations(runs: Sequence[tuple[Setup, Evaluation]]) -> tuple[tuple[Asked, ...], tuple[System, ...]]:
    """The same from models run in the app: one verification of the same models on HITS and on each random setup."""
    models = list(dict.fromkeys(model for _, evaluation in runs for model in evaluation.models))
    asked: list[Asked] = []
    answers: dict[str, list[Floats | None]] = {model: [] for model in models}
    notes: dict[str, list[str]] = {model: [] for model in models}
    for setup, evaluation in runs:
        key = setup_key(setup.name)
        group = next((group for group in GROUPS if key.startswith(group)), None)
        if group is None:
            raise SettingError(
                f"'{setup.name}' is neither a HITS nor a random setup; the shortcut test compares those."
            )
        if evaluation.task != "verification" or set(evaluation.models) != set(models):
            raise SettingError("The shortcut test needs one verification of the same models on every setup.")
        for number, trial in enumerate(evaluation.trials):
            assert trial.other is not None
            similarity = pair_similarity(setup.vectors, trial.lead, trial.other)
            asked.append(Asked(key, group, number, trial.truth.astype(np.bool_), similarity))
        for model in models:
            for run in evaluation.of(model):
                answers[model].append(None if run.problem is not None else run.answers)
                if run.problem is not None:
                    notes[model].append(f"{key}, fold {run.fold}: {run.problem}")
    labels = TASKS["verification"]
    systems = tuple(System(labels[model].label, tuple(answers[model]), tuple(notes[model])) for model in models)
    return tuple(asked), systems
