"""Questions as commands: options from their settings, output from their answers."""

import argparse
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from ..corpora import Corpus
from ..errors import unknown
from ..formats import listed
from ..questions import HIGHEST_SEED, Control, RunSettings, Settings, answered, names_in
from ..render import Answer
from ..splits import FOLD_SCHEMES, Constraints, check_k, check_topics_per_fold, possible_balance
from ..study import Study
from ..topics import SAMPLERS, checked_m
from ..vectors import ENCODERS, Vectors, VectorStore
from . import progress
from .options import Command, add_corpus_options, add_encoder_options, corpus_of, results_of, vectors_of

TYPES: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "number": float,
    "share": float,
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


def add_settings(
    command: argparse._ActionsContainer,
    settings: type[Settings],
    *,
    only: Sequence[str] = (),
    but: Sequence[str] = (),
    fill: bool = False,
) -> None:
    """Add an option for every setting, or `only` for these, or for all `but` these; with `fill`, what is not given has its default, where that is fixed."""
    for name, control in settings.controls().items():
        flag = control.flag(name)
        if not flag or (only and name not in only) or name in but:
            continue
        about = _option_help(control)
        if control.kind == "switch" and control.default is True:
            about = f"leave out: {control.label}"
            command.add_argument(f"--no-{flag[2:]}", dest=name, action="store_false", default=None, help=about)
        elif control.kind == "switch":
            command.add_argument(flag, dest=name, action="store_true", default=None, help=about)
        elif control.repeated:
            about = f"{about} Can be repeated."
            command.add_argument(flag, dest=name, action="append", metavar="NAME", help=about)
        elif control.kind == "groups":
            command.add_argument(
                flag,
                dest=name,
                nargs=control.size or "+",
                action="append",
                metavar="TOPIC",
                help=f"{about}; can be repeated",
            )
        else:
            command.add_argument(
                flag,
                dest=name,
                type=_reader_of(name, control),
                default=_fixed(control) if fill else None,
                metavar=_metavar(name, control),
                help=about,
            )


def _reader_of(name: str, control: Control) -> Callable[[str], Any]:
    """Return what reads a value; names are today's."""
    if name == "seed":
        return seed
    return (lambda text: control.aliases.get(text, text)) if control.kind == "choice" else TYPES[control.kind]


def _fixed(control: Control) -> Any:
    """Return the default, where that does not depend on the corpus."""
    default = control.default if control.command_default is None else control.command_default
    return None if callable(default) else default


def seed(text: str) -> int:
    """Return a seed that every generator accepts; argparse names this function if it is bad."""
    number = int(text)
    if not 0 <= number <= HIGHEST_SEED:
        raise argparse.ArgumentTypeError(f"{number} is not a seed; choose one from 0 to {HIGHEST_SEED:,}")
    return number


def _metavar(name: str, control: Control) -> str:
    return {"integer": name.upper()[:1], "number": "X", "share": "SHARE", "several": "A,B"}.get(control.kind, "NAME")


def _option_help(control: Control) -> str:
    said = control.help or control.label
    known = control.known or control.choices
    if isinstance(known, dict) and control.kind in ("choice", "several"):
        said += f" One of {', '.join(known)}."
    default = _fixed(control)
    default = ",".join(default) if isinstance(default, tuple) else default
    shown = "" if default in (None, "", False) else f" (default: {default})"
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
        store=VectorStore(),
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


FOLD_SETTINGS = ("sampler", "m", "scheme", "k", "seed")
CONSTRAINTS = ("balance", "seen", "together", "apart")


def add_fold_options(command: argparse.ArgumentParser) -> None:
    """Add the sample of topics, the fold scheme, and the conditions of least-leakage folds."""
    add_settings(command, RunSettings, only=FOLD_SETTINGS, fill=True)
    add_settings(command, RunSettings, only=CONSTRAINTS)


def constraints_of(options: argparse.Namespace, corpus: Corpus) -> Constraints:
    """Return the constraints on folds that a command names."""
    usual = possible_balance(corpus.topic_sizes, options.k) if options.balance is None else options.balance
    groups = (tuple(map(tuple, found or ())) for found in (options.together, options.apart))
    return Constraints(usual, options.seen or 0.0, *groups)


def check_fold_options(options: argparse.Namespace) -> tuple[str, ...]:
    """Refuse names we do not have before anything takes long; report what has no effect."""
    if options.sampler not in SAMPLERS:
        raise unknown("sampler", options.sampler, SAMPLERS)
    if options.scheme not in FOLD_SCHEMES:
        raise unknown("fold scheme", options.scheme, FOLD_SCHEMES)
    if FOLD_SCHEMES[options.scheme].takes_k:
        check_k(options.k)
    RunSettings.check_early(given_settings(RunSettings, options))
    notes = []
    if not SAMPLERS[options.sampler].takes_m and options.m is not None:
        notes.append("Without a sampler all topics are kept, so --m has no effect; add --sampler hits or random.")
    named = [RunSettings.controls()[name].flag(name) for name in CONSTRAINTS if getattr(options, name) is not None]
    if named and not FOLD_SCHEMES[options.scheme].needs_space:
        notes.append(f"Only least-leakage folds keep to {listed(named)}; add --scheme least-leakage.")
    return tuple(notes)


def check_folds_of(options: argparse.Namespace, corpus: Corpus) -> None:
    """Refuse folds that the topics of a command's sample cannot make, before vectors take minutes."""
    topics = len(corpus.topic_names)
    if SAMPLERS[options.sampler].takes_m and options.m is not None:
        topics = checked_m(options.m, topics)
    if FOLD_SCHEMES[options.scheme].splits_topics and topics > 1:
        check_topics_per_fold(options.k, topics)
