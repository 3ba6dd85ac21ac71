"""`evaluate`: models × folds → scores."""

import argparse
import os
import sys
from typing import Any

from ..corpora import Corpus
from ..demo import RESULTS
from ..errors import SettingError, unknown
from ..evaluation import TASKS, Evaluation, NamedVectors, ResultStore, evaluate, skipped_folds, usual_models
from ..formats import listed, one_line
from ..models import setting_variable
from ..models.verification import CALIBRATIONS, OWN
from ..questions import accuracy
from ..registry import Setting
from ..render import Answer
from ..splits import FOLD_SCHEMES, make_folds, most_texts
from ..topics import SAMPLERS, TopicSpace
from ..vectors import Vectors
from .options import (
    add_corpus_options,
    add_encoder_options,
    add_fold_options,
    add_pairs_option,
    check_fold_options,
    check_folds_of,
    corpus_of,
    encoded,
    setup_of,
    vectors_of,
    wishes_of,
)
from .room import room_or_refuse
from .screen import progress


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus, the task, its models, the sample and the scheme."""
    add_corpus_options(command)
    command.add_argument("--task", required=True, metavar="TASK", help=f"one of {', '.join(TASKS)}")
    models = "; ".join(f"{name}: {', '.join(task.models)}" for name, task in TASKS.items())
    slow = [name for task in TASKS.values() for name, kind in task.models.items() if kind.by_choice]
    about = f"(default: all of the task but {listed(slow)}, which run only where they are named)"
    command.add_argument("--models", default=None, metavar="A,B", help=f"{models} {about}")
    for _, model, name, setting in _settings():
        about = f"{setting.about[0].lower()}{setting.about[1:].rstrip('.')}"
        choices = tuple(setting.choices) or None
        command.add_argument(_option(model, name), metavar=setting.label.upper(), choices=choices, help=about)
    add_fold_options(command)
    add_pairs_option(command)
    about = f"how verifiers' scores become answers (default: {OWN}, p1/p2)"
    command.add_argument("--calibration", default=OWN, choices=tuple(CALIBRATIONS), help=about)
    add_encoder_options(command, vectors=True)


def run(options: argparse.Namespace) -> Answer:
    """Fit models on each fold's training side and score them on its test side."""
    models = chosen_models(options)
    notes = [*check_fold_options(options), *_use_settings(options, models)]
    whole = corpus_of(options)
    _check_authors(whole)
    check_folds_of(options, whole)
    corpus, space, about = _sampled(whole, options)
    wishes = wishes_of(options, corpus)
    folds = make_folds(corpus, scheme=options.scheme, k=options.k, seed=options.seed, space=space, wishes=wishes)
    choices: dict[str, Any] = {"task": options.task, "models": models, "seed": options.seed, "pairing": options.pairs}
    choices |= {"calibration": options.calibration, "results": ResultStore(shipped=RESULTS)}
    room_or_refuse(corpus, [folds], options, **choices)
    vectors = compared_vectors(corpus, models, options)
    about += () if vectors is None else vectors.notes
    evaluation = evaluate(
        corpus,
        folds,
        vectors=None if vectors is None else NamedVectors(vectors.matrix, vectors.encoder_key),
        progress=runs_done,
        **choices,
    )
    problems = _problems(evaluation, corpus)
    for problem in problems:
        print(one_line(problem), file=sys.stderr)
    notes = [*notes, *dict.fromkeys(about), *folds.notes, *problems]
    return accuracy.evaluation_answer(evaluation, corpus, notes)


def _check_authors(corpus: Corpus) -> None:
    """Refuse, before vectors and models take minutes, a corpus that neither task can be asked of."""
    if corpus.author_names is None:
        raise SettingError("The corpus names no authors, and both tasks need them; name their column with --author.")
    if most_texts(corpus) < 2:
        raise SettingError(
            "No author wrote two texts, and both tasks need authors with texts in training and in test; name another column "
            "with --author."
        )


def chosen_models(options: argparse.Namespace) -> list[str]:
    """Return the models a command names, or all of its task."""
    if options.task not in TASKS:
        raise unknown("task", options.task, TASKS)
    known = TASKS[options.task].models
    if options.models is None:
        return usual_models(options.task)
    names = [name.strip() for name in options.models.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise unknown(f"{options.task} model", name, known)
    if not names:
        raise SettingError(f"--models names no model; choose from: {', '.join(known)}.")
    return names


def _settings() -> list[tuple[str, str, str, Setting]]:
    """Return every setting of a model that users choose: its task, its model, its name and itself."""
    models = ((name, model, kind) for name, task in TASKS.items() for model, kind in task.models.items())
    return [(task, model, name, each) for task, model, kind in models for name, each in kind.settings.items()]


def _option(model: str, setting: str) -> str:
    return f"--{model}-{setting}".replace("_", "-")


def _use_settings(options: argparse.Namespace, models: list[str]) -> tuple[str, ...]:
    """Let models take the settings a command names, here and in every process that is started; report what has no effect."""
    notes = []
    for task, model, name, _ in _settings():
        value = getattr(options, f"{model}_{name}".replace("-", "_"))
        if value is None:
            continue
        if options.task == task and model in models:
            TASKS[task].make(model, **{name: value})  # what is of no use is refused before anything takes long
            os.environ[setting_variable(model, name)] = value
        else:
            label = TASKS[task].models[model].label
            notes.append(
                f"{label} is not among the models, so {_option(model, name)} has no effect; add --models {model}."
            )
    return tuple(notes)


def _sampled(corpus: Corpus, options: argparse.Namespace) -> tuple[Corpus, TopicSpace | None, tuple[str, ...]]:
    """Return the documents to evaluate on, their topics' similarities, and the notes of the vectors; where neither the sampler
    nor the scheme asks how similar topics are, no vectors are needed."""
    if not SAMPLERS[options.sampler].takes_m and not FOLD_SCHEMES[options.scheme].needs_space:
        return corpus, None, ()
    vectors = vectors_of(corpus, options)
    setup = setup_of(corpus, vectors, options)
    return setup.corpus, setup.space, vectors.notes


def compared_vectors(corpus: Corpus, models: list[str], options: argparse.Namespace) -> Vectors | None:
    """Return those that a model compares, whatever encoder chose the topics; None where all models read the texts."""
    encoders = (TASKS[options.task].models[model].encoders for model in models)
    names = [named[0] for named in encoders if named]
    return encoded(corpus, names[0], options) if names else None


def _problems(evaluation: Evaluation, corpus: Corpus) -> list[str]:
    """Return a sentence for each fold that could not be run; an error where none could."""
    skipped, folds = skipped_folds(evaluation), evaluation.folds
    if all(run.problem is not None for run in evaluation.runs):
        raise SettingError(f"No fold could be run. {skipped[0].reason}")
    labels = TASKS[evaluation.task].models
    return [
        f"{', '.join(labels[model].label for model in each.models)}, fold {each.fold + 1} of {len(folds)} "
        f"({', '.join(corpus.topic_names[topic] for topic in folds.folds[each.fold].test_topics)}): {each.reason}"
        for each in skipped
    ]


def runs_done(done: int, total: int, label: str, seconds_left: float | None) -> None:
    """Progress of runs of models."""
    progress(done, total, "runs" if done == total else f"runs, now {label}", seconds_left)
