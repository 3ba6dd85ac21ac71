"""Which models on which folds: the one choice of a run that several questions share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import record
from ..corpora import with_prolific_authors
from ..errors import SettingError
from ..evaluation import FEW_AUTHORS, TASKS, Evaluation, need_authors, skipped_folds, tasks_of
from ..models.verification import CALIBRATIONS, OWN
from ..render import Caution
from ..splits import FOLD_SCHEMES, PAIRINGS, Folds, Leakage, Wishes, possible_balance
from ..study import SampleFolds, Study
from ..topics import POLICIES, SAMPLERS, Setup, topic_space
from .settings import Settings, choice, integer, number, seed, several

MOST_FOLDS = 20
USUAL_FOLDS = 6


def _schemes(study: Study, _: Mapping[str, Any]) -> dict[str, str]:
    """Return the fold schemes; the corpus's own split only where it has one."""
    own = study.corpus.splits is not None
    return {name: scheme.label for name, scheme in FOLD_SCHEMES.items() if own or not scheme.needs_split}


def _samples(_: Study, chosen: Mapping[str, Any]) -> bool:
    return SAMPLERS[chosen["sampler"]].takes_m


def _topics(study: Study, chosen: Mapping[str, Any]) -> int:
    """Return how many topics take part."""
    return chosen["m"] if _samples(study, chosen) else len(study.corpus.topic_names)


def _paired(_: Study, chosen: Mapping[str, Any]) -> bool:
    return TASKS[chosen["task"]].asks_pairs


def _authors(study: Study, _: Mapping[str, Any]) -> int:
    """Return how many authors the corpus has."""
    return int(study.corpus.known_authors.sum())


def model_help(study: Study, task: str) -> str:
    """Return a line on every model of a task."""
    kinds, known, usual = TASKS[task].models, study.models(task, by_choice=True), study.models(task)
    lines = "\n".join(f"- **{label}**: {kinds[name].about}" for name, label in known.items())
    slow = " and ".join(label for name, label in known.items() if name not in usual)
    return lines + (f"\n\n{slow} train for minutes per fold, so they run only when chosen." if slow else "")


@dataclass(frozen=True)
class RunSettings(Settings):
    """Which models run on which folds."""

    task: str = choice(
        "Task",
        lambda study, _: tasks_of(study.corpus),
        default="attribution",
        aliases={"classification": "attribution"},
        help="What models are asked.",
    )
    scheme: str = choice("Folds", _schemes, default="topic-kfold", help="How documents are split into folds.")
    sampler: str = choice(
        "Topics",
        lambda *_: {name: sampler.label for name, sampler in SAMPLERS.items()},
        default="none",
        aliases={"least-maximum": "minimax"},
        more=True,
        help="Which topics take part.",
    )
    m: int = integer(
        "Topics kept (m)",
        low=2,
        high=lambda study, _: max(2, len(study.corpus.topic_names)),
        default=lambda study, _: max(2, len(study.corpus.topic_names) // 2),
        asked=_samples,
        more=True,
        help="How many topics the sampler keeps.",
    )
    policy: str = choice(
        "Topics left out",
        {name: name for name in POLICIES},
        default="cutting",
        asked=_samples,
        more=True,
        help="What happens to the topics the sampler leaves out.",
    )
    threshold: float = number(
        "Merge from similarity",
        low=0.0,
        high=1.0,
        default=0.6,
        asked=lambda study, chosen: _samples(study, chosen) and POLICIES[chosen["policy"]].takes_threshold,
        more=True,
        help="The similarity from which hybrid merges a topic.",
    )
    k: int = integer(
        "Number of folds (k)",
        low=2,
        high=lambda study, chosen: max(2, min(MOST_FOLDS, _topics(study, chosen))),
        default=USUAL_FOLDS,
        command_default=10,
        asked=lambda _, chosen: FOLD_SCHEMES[chosen["scheme"]].takes_k,
        help="Folds of nearly equal size.",
    )
    models: tuple[str, ...] = several(
        "Models",
        lambda study, chosen: study.models(chosen["task"], by_choice=True),
        default=lambda study, chosen: tuple(study.models(chosen["task"])),
        key="{question}_models_{task}",
        more=True,
        help="Which models run; all usual ones by default.",
    )
    pairs: str = choice(
        "Pairs",
        {name: pairing.label for name, pairing in PAIRINGS.items()},
        default="matched",
        asked=_paired,
        more=True,
        help="How verification pairs are made.",
    )
    calibration: str = choice(
        "Calibration",
        {name: way.label for name, way in CALIBRATIONS.items()},
        default=OWN,
        asked=_paired,
        more=True,
        help="How scores become answers.",
    )
    authors: int = integer(
        "Most frequent authors",
        low=0,
        high=_authors,
        default=0,
        asked=lambda study, _: _authors(study, _) > FEW_AUTHORS,
        option="",
        more=True,
        help="This run uses only their texts; 0 uses all.",
    )
    seed: int = seed("Seed of the sample, the folds and the pairs.")
    metric: str = choice(
        "Metric",
        lambda study, chosen: TASKS[chosen["task"]].metrics(study.corpus),
        default=lambda _, chosen: TASKS[chosen["task"]].default_metric,
        key="{question}_metric_{task}",
        help="What scores are shown.",
    )
    wishes: Wishes | None = None  # what least-leakage folds must keep to; None: the usual balance


@record
class ModelRun:
    """Models on folds with what the run was made of."""

    settings: RunSettings
    setup: Setup
    folds: Folds
    leakage: Leakage
    evaluation: Evaluation
    models: Mapping[str, str]  # those that were run, by name and label
    metric_label: str

    @property
    def metric(self) -> str:
        return self.settings.metric


def sample_and_folds(study: Study, settings: RunSettings) -> SampleFolds:
    """Return the sample of topics and its folds."""
    m = settings.m if SAMPLERS[settings.sampler].takes_m else None
    setup = study.setup(settings.sampler, m, settings.seed, policy=settings.policy, threshold=settings.threshold)
    if settings.authors:
        setup = study.once(
            "authors of a setup",
            setup.corpus.fingerprint,
            settings.authors,
            compute=lambda: _of_frequent_authors(setup, settings.authors),
        )
    wishes = settings.wishes
    if wishes is None and FOLD_SCHEMES[settings.scheme].needs_space:
        wishes = Wishes(possible_balance(setup.corpus.topic_sizes, settings.k))
    folds = study.folds(setup, scheme=settings.scheme, k=settings.k, seed=settings.seed, wishes=wishes)
    return setup, folds


def _of_frequent_authors(setup: Setup, most: int) -> Setup:
    """Return the same sample with the texts of its most frequent authors."""
    corpus = with_prolific_authors(setup.corpus, at_most=most)
    row_of = {id: row for row, id in enumerate(setup.corpus.ids)}
    rows = np.array([row_of[id] for id in corpus.ids])
    space = topic_space(setup.vectors[rows], corpus.topic_codes, corpus.topic_names, similarity=setup.space.kind)
    return Setup(setup.name, setup.sampler, setup.seed, corpus, setup.vectors[rows], space)


def choices_of(settings: RunSettings) -> dict[str, Any]:
    """Return the settings as `evaluate` takes them."""
    return {
        "task": settings.task,
        "models": list(settings.models),
        "seed": settings.seed,
        "pairing": settings.pairs,
        "calibration": settings.calibration,
    }


def run(study: Study, settings: RunSettings) -> ModelRun:
    """Return the models on the folds; raise `Pending` where they have to run first."""
    need_authors(study.corpus)
    setup, folds = sample_and_folds(study, settings)
    evaluation = study.evaluation(setup, folds, **choices_of(settings))
    if all(each.problem is not None for each in evaluation.runs):
        raise SettingError(f"No fold could be run: {evaluation.runs[0].problem}")
    labels = study.models(settings.task, by_choice=True)
    metrics = TASKS[settings.task].metrics(setup.corpus)
    metric = settings.metric if settings.metric in metrics else TASKS[settings.task].default_metric
    return ModelRun(
        settings.but(metric=metric),
        setup,
        folds,
        study.leakage(setup, folds),
        evaluation,
        {name: labels[name] for name in evaluation.models},
        metrics[metric],
    )


def skipped_cautions(evaluation: Evaluation, *, where: str = "") -> tuple[Caution, ...]:
    """Say which folds could not be run, for which models, and why."""
    labels, folds = TASKS[evaluation.task].models, len(evaluation.folds)
    together: dict[tuple[tuple[str, ...], str], list[int]] = {}
    for each in skipped_folds(evaluation):
        together.setdefault((each.models, each.reason), []).append(each.fold + 1)
    found = []
    for (models, reason), numbers in together.items():
        which = f"{'Fold' if len(numbers) == 1 else 'Folds'} {', '.join(map(str, numbers))} of {folds}"
        whose = (
            "" if len(models) == len(evaluation.models) else f" for {', '.join(labels[name].label for name in models)}"
        )
        place = f"{where}: " if where else ""
        found.append(Caution("folds-skipped", f"{place}{which} could not be run{whose}. {reason}"))
    return tuple(found)


def references_of(evaluations: Sequence[Evaluation]) -> tuple[str, ...]:
    """Return the works behind the models that were run."""
    cited = (TASKS[each.task].models[model].reference for each in evaluations for model in each.models)
    return tuple(dict.fromkeys(filter(None, cited)))
