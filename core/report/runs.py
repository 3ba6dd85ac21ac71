"""Which models on which folds: chosen as on the pages, with the pages' defaults, and run or read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..arrays import record
from ..errors import SettingError, unknown
from ..evaluation import TASKS, Evaluation, metric_labels, need_authors, skipped_folds
from ..splits import FOLD_SCHEMES, PAIRINGS, Folds, Leakage, fold_leakage, make_folds
from ..topics import RANDOM_SEEDS, SAMPLERS, Setup
from .subject import ReportTable, Subject, table

MOST_FOLDS = 20


@record
class RunOfModels:
    """A run with its models' labels, the metric in hand and its name, and what the page's settings are."""

    setup: Setup
    folds: Folds
    leakage: Leakage
    evaluation: Evaluation
    models: Mapping[str, str]
    metric: str
    metric_label: str
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RunChoices:
    """Which run: as the controls of the pages name it, with their defaults; no `models` are all usual ones."""

    task: str = "attribution"
    scheme: str = "topic-kfold"
    k: int | None = None
    sampler: str = "none"
    m: int | None = None
    models: Sequence[str] = ()
    pairs: str = "matched"
    seed: int = 0
    metric: str | None = None
    calibration: str | None = None


def run_of(subject: Subject, page: str, choices: RunChoices) -> RunOfModels:
    """The run that a page shows, or the one that is chosen."""
    need_authors(subject.corpus)
    held = subject.runs(page)
    if held is None:
        setup, folds = _folds_of(subject, choices)
        asked = _asked(subject, choices)
    else:
        ((setup, folds),), asked = held.jobs, dict(held.choices)
    task, labels = asked["task"], models_of(subject, asked["task"], asked["models"])
    evaluation = subject.evaluation(setup, folds, **asked)
    if all(run.problem is not None for run in evaluation.runs):
        raise SettingError(f"No fold could be run: {evaluation.runs[0].problem}")
    metrics = metric_labels(evaluation, setup.corpus)
    metric = choices.metric or TASKS[task].default_metric
    if metric not in metrics:
        raise unknown("metric", metric, metrics)
    settings = (
        ("Task", task),
        ("Models", ", ".join(labels.values())),
        ("Folds", f"{FOLD_SCHEMES[folds.scheme].label}, {len(folds)}"),
        ("Topics", f"{setup.name}, {len(setup.corpus.topic_names)}"),
        *_pair_settings(asked),
        ("Metric", metrics[metric]),
        ("Seed", str(asked["seed"])),
    )
    leakage = fold_leakage(folds, setup.space)
    return RunOfModels(setup, folds, leakage, evaluation, labels, metric, metrics[metric], settings)


def _asked(subject: Subject, choices: RunChoices) -> dict[str, Any]:
    """What `evaluate` takes."""
    models = list(models_of(subject, choices.task, choices.models))
    asked: dict[str, Any] = {"task": choices.task, "models": models, "seed": choices.seed, "pairing": "matched"}
    if TASKS[choices.task].asks_pairs:
        asked |= {"pairing": choices.pairs} | ({"calibration": choices.calibration} if choices.calibration else {})
    return asked


def _pair_settings(asked: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    if not TASKS[asked["task"]].asks_pairs:
        return ()
    calibration = (("Calibration", str(asked["calibration"])),) if "calibration" in asked else ()
    return (("Pairs", PAIRINGS[asked["pairing"]].label), *calibration)


def _folds_of(subject: Subject, choices: RunChoices) -> tuple[Setup, Folds]:
    """A sample of topics and its folds, with the defaults of the pages."""
    scheme, sampler, seed = choices.scheme, choices.sampler, choices.seed
    if scheme not in FOLD_SCHEMES:
        raise unknown("fold scheme", scheme, FOLD_SCHEMES)
    if sampler not in SAMPLERS:
        raise unknown("sampler", sampler, SAMPLERS)
    topics = len(subject.corpus.topic_names)
    m = (choices.m or max(2, topics // 2)) if SAMPLERS[sampler].takes_m else None
    setup = subject.setup(sampler, m, seed)
    k = min(m or topics, MOST_FOLDS, choices.k or 6) if FOLD_SCHEMES[scheme].takes_k else 2
    return setup, make_folds(setup.corpus, scheme=scheme, k=k, seed=seed, space=setup.space)


def models_of(subject: Subject, task: str, wanted: Sequence[str]) -> dict[str, str]:
    """The models by name and label: those named, or all that can be used."""
    if task not in TASKS:
        raise unknown("task", task, TASKS)
    known = subject.models(task, by_choice=True)
    for name in wanted:
        if name not in known:
            raise unknown("model", name, known)
    return {name: known[name] for name in known if name in wanted} or subject.models(task)


def sampled_runs(
    subject: Subject, page: str, *, m: int, k: int, samples: int = len(RANDOM_SEEDS), **choices: Any
) -> list[tuple[Setup, Evaluation]]:
    """The same models on the topics HITS keeps and on so many random samples of as many; or what a page shows."""
    held = subject.runs(page)
    if held is not None:
        return [(setup, subject.evaluation(setup, folds, **held.choices)) for setup, folds in held.jobs]
    setups = [subject.setup("hits", m, 0), *(subject.setup("random", m, seed) for seed in range(samples))]
    found = []
    for setup in setups:
        folds = make_folds(setup.corpus, scheme="topic-kfold", k=k, seed=0, space=setup.space)
        found.append((setup, subject.evaluation(setup, folds, seed=0, **choices)))
    return found


def skipped(evaluations: Mapping[str, Evaluation]) -> tuple[ReportTable, ...]:
    """The folds that could not be run, with the reason: they are in no mean."""
    rows = [(name, evaluation, each) for name, evaluation in evaluations.items() for each in skipped_folds(evaluation)]
    if not rows:
        return ()
    columns = {
        "setup": [name for name, _, _ in rows],
        "fold": [f"{each.fold + 1} of {len(evaluation.folds)}" for _, evaluation, each in rows],
        "models": [
            ", ".join(TASKS[evaluation.task].models[model].label for model in each.models)
            for _, evaluation, each in rows
        ],
        "reason": [each.reason for _, _, each in rows],
    }
    return (table("Folds that could not be run, and are in no mean", columns, most=20),)
