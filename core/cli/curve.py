"""`curve`: what similar topics in training add to accuracy (`swap` is its older name); `forecast`: what to expect on new ones."""

import argparse
from pathlib import Path
from typing import Any

from ..corpora.readers import File
from ..errors import InputError, SettingError
from ..evaluation import plan_lines, read_answer_files
from ..questions import answered, forecast, plan_written
from ..questions import curve as question
from ..render import Answer
from .options import add_corpus_options, add_encoder_options, encoder_of
from .questions import add_settings, given_settings, study_of
from .screen import complain, progress
from .target import checked_target, writing


def add_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, the question's settings, and the plan as a file or answers to it."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    add_settings(command, question.Settings)
    files = command.add_mutually_exclusive_group()
    files.add_argument(
        "--plan", metavar="OUT", help="write training and test ids of every point as JSON lines, and stop"
    )
    files.add_argument("--answers", nargs="+", metavar="FILE", help="your own answers to the plan, drawn beside ours")


def run(options: argparse.Namespace) -> Answer:
    target = None if options.plan is None else checked_target(options.plan)
    given = given_settings(question.Settings, options)
    question.Settings.check_early(given)
    study = study_of(options)
    settings = question.Settings.resolve(study, given, command=True)
    if target is None and not options.answers:
        return answered(study, question, settings)
    plan = study.curve_plan(settings.shares, settings.draws, settings.seed)
    if target is None:
        files = [File(Path(file).name, _content(file)) for file in options.answers]
        return question.answer(
            study, settings, read_answer_files(files, study.corpus, plan, study.corpus.author_names or ())
        )
    with writing(target) as partial, partial.open("x", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for line in plan_lines(study.corpus, plan))
    sets = len(plan.topics) * len(plan.levels) * plan.draws
    return plan_written(sets, len(plan.topics), plan.digest, options.plan)


run.__doc__ = question.HELP


def run_swap(options: argparse.Namespace) -> Any:
    """Run `curve`, which replaces this command."""
    complain("swap is now called curve; running curve.")
    return run(options)


def add_forecast_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, the question's settings, and a file of new texts."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    add_settings(command, forecast.Settings)
    about = "new texts, with a topic column or without (default: topics unlike those of FILE)"
    command.add_argument("--target", metavar="NEW.csv", help=about)


def run_forecast(options: argparse.Namespace) -> Answer:
    given = given_settings(forecast.Settings, options)
    forecast.Settings.check_early(given)
    if options.target is not None and options.vectors is not None:
        raise SettingError("--target needs an encoder for the new texts. Leave out --vectors.")
    study = study_of(options)
    settings = forecast.Settings.resolve(study, given, command=True)
    if options.target is None:
        return answered(study, forecast, settings)
    target = forecast.read_new_texts(options.target, text=options.text, topic=options.topic)
    similarity = forecast.measured_target(study, target, encoder_of(options), progress=progress)
    return forecast.answer(study, settings, similarity)


run_forecast.__doc__ = forecast.HELP


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as problem:
        raise InputError(f"{file}: cannot be read ({problem.strerror or problem}).") from None
