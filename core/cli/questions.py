"""Questions as commands: options from their settings, output from their answers."""

import argparse
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..corpora import Corpus
from ..questions import Control, Settings, answered, names_in
from ..render import Answer
from ..study import Study
from ..vectors import ENCODERS, Vectors
from . import progress
from .options import Command, add_corpus_options, add_encoder_options, corpus_of, results_of, vectors_of

TYPES: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "number": float,
    "choice": str,
    "several": names_in,
    "text": str,
}


def question_command(module: ModuleType) -> Command:
    """Return the command that answers a question about a file."""

    def add_options(command: argparse.ArgumentParser) -> None:
        add_corpus_options(command)
        add_encoder_options(command, vectors=True)
        add_settings(command, module.Settings)

    def run(options: argparse.Namespace) -> Answer:
        given = given_settings(module.Settings, options)
        module.Settings.check_early(given)
        study = study_of(options)
        return answered(study, module, module.Settings.resolve(study, given, command=True))

    run.__doc__ = module.HELP
    return Command(run, add_options)


def add_settings(command: argparse.ArgumentParser, settings: type[Settings]) -> None:
    """Add an option for every setting."""
    for name, control in settings.controls().items():
        flag = control.flag(name)
        if not flag:
            continue
        about = _about(control)
        if control.kind == "switch" and control.default is True:
            about = f"leave out: {control.label}"
            command.add_argument(f"--no-{flag[2:]}", dest=name, action="store_false", default=None, help=about)
        elif control.kind == "switch":
            command.add_argument(flag, dest=name, action="store_true", default=None, help=about)
        else:
            command.add_argument(
                flag, dest=name, type=TYPES[control.kind], default=None, metavar=_metavar(name, control), help=about
            )


def _metavar(name: str, control: Control) -> str:
    return {"integer": name.upper()[:1], "number": "X", "several": "A,B"}.get(control.kind, "NAME")


def _about(control: Control) -> str:
    default = control.default if control.command_default is None else control.command_default
    said = control.help or control.label
    if isinstance(control.choices, dict) and control.kind in ("choice", "several"):
        said += f" One of {', '.join(control.choices)}."
    default = ",".join(default) if isinstance(default, tuple) else default
    shown = "" if callable(default) or default in (None, "", False) else f" (default: {default})"
    return (said + shown).replace("%", "%%")


def given_settings(settings: type[Settings], options: argparse.Namespace) -> dict[str, Any]:
    """Return what the command line says of the settings."""
    found = {name: getattr(options, name, None) for name in settings.controls()}
    return {name: value for name, value in found.items() if value is not None}


def study_of(options: argparse.Namespace, *, needed: tuple[str, ...] = ("topic",)) -> Study:
    """Return the study of the corpus and encoder that a command names."""
    corpus = corpus_of(options, needed=needed)
    return study_in(corpus, vectors_of(corpus, options), options)


def study_in(corpus: Corpus, vectors: Vectors, options: argparse.Namespace) -> Study:
    """Return the study of a corpus and vectors that a command has read."""
    return Study(
        corpus,
        vectors,
        similarity=options.similarity,
        encoder=encoder_settings(vectors.name, options),
        results=results_of(),
        filters={
            "min_documents_per_topic": options.min_documents,
            "max_documents_per_topic": options.max_documents,
            "min_documents_per_author": options.author_documents,
            "max_authors": options.most_authors,
        },
        progress=progress,
    )


def encoder_settings(name: str, options: argparse.Namespace) -> dict[str, str]:
    """Return the settings of the encoder that made the vectors."""
    return {key: getattr(options, key) for key in ENCODERS[name].settings if name == options.encoder}
