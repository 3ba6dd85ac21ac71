"""Commands that run models: `evaluate` on folds, `curve` (once `swap`) with similar topics left out, `forecast` for new ones."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from ..corpora import Corpus, with_prolific_authors
from ..demo import RESULTS
from ..errors import LeakscopeError, SettingError, unknown
from ..evaluation import (
    TASKS,
    Evaluation,
    NamedVectors,
    NoRoom,
    ResultStore,
    allowed_memory,
    answer_files,
    estimate_runs,
    evaluate,
    has_room,
    no_room,
    only_asked,
    plan_file,
    read_answer_files,
    read_fold_answers,
    skipped_folds,
    usual_models,
    with_own_answers,
)
from ..formats import listed, one_line
from ..models import setting_variable
from ..questions import RunSettings, accuracy, answered, forecast, in_words_of, plan_written, sentences_of, words_of
from ..questions import curve as question
from ..registry import Setting
from ..render import Answer
from ..splits import FOLD_SCHEMES, Folds, make_folds, most_texts
from ..topics import SAMPLERS, TopicSpace
from ..vectors import Vectors
from . import complain, progress
from .options import (
    add_corpus_options,
    add_encoder_options,
    checked_target,
    corpus_of,
    encoded,
    encoder_of,
    setup_of,
    vectors_of,
    writing,
)
from .questions import (
    add_fold_options,
    add_settings,
    check_fold_options,
    check_folds_of,
    constraints_of,
    given_settings,
    study_of,
)

NO_MODELS = "none"  # in place of --models: answers from files alone


def room_or_refuse(corpus: Corpus, sides: Sequence[Folds], options: argparse.Namespace, **choices: Any) -> None:
    """Refuse models on folds that would take more memory than allowed; choices as `estimate_runs`."""
    cost = max((estimate_runs(corpus, folds, **choices) for folds in sides), key=lambda each: each.memory)
    found = no_room(corpus, cost, task=choices["task"], allowed=allowed_memory())
    if found is not None:
        instead = _options_that_fit(corpus, found, options, choices["task"], choices["models"])
        raise SettingError(f"{found.sentence}. {instead[0].upper()}{instead[1:]}.")


def _options_that_fit(
    corpus: Corpus, found: NoRoom, options: argparse.Namespace, task: str, models: Sequence[str]
) -> str:
    """Return the options that would fit, those that cost least of the corpus first."""
    ways = []
    if found.light and has_room(corpus, task=task, models=found.light, allowed=found.allowed):
        ways.append(f"--models {','.join(found.light)}")
    authors: list[tuple[str, dict[str, int]]] = []
    if found.two_texts and options.author_documents < 2:
        authors.append(("--author-documents 2", {"at_least": 2}))
    if found.fewer_authors:
        authors.append((f"--most-authors {found.fewer_authors}", {"at_most": found.fewer_authors}))
    for words, kept in authors:
        topics = _topics_that_fit(corpus, found, task, models, **kept)
        if topics >= 2:
            # Fewer authors may leave fewer topics than folds.
            ways.append(f"{words} --k {topics}" if topics < options.k else words)
    if not ways:
        return "choose fewer --models or --most-authors, or use a machine with more memory"
    return f"add {' or '.join(ways)}"


def _topics_that_fit(corpus: Corpus, found: NoRoom, task: str, models: Sequence[str], **kept: int) -> int:
    """Return how many topics a corpus of fewer authors has; 0 where it does not fit either."""
    try:
        smaller = with_prolific_authors(corpus, **kept)
    except LeakscopeError:
        return 0
    return len(smaller.topic_names) if has_room(smaller, task=task, models=models, allowed=found.allowed) else 0


def add_evaluate_options(command: argparse.ArgumentParser) -> None:
    """Add the options for corpus, task, models, sample and scheme."""
    add_corpus_options(command)
    command.add_argument("--task", required=True, metavar="TASK", help=f"one of {', '.join(TASKS)}")
    models = "; ".join(f"{name}: {', '.join(task.models)}" for name, task in TASKS.items())
    slow = [name for task in TASKS.values() for name, kind in task.models.items() if kind.by_choice]
    about = f"(default: all of the task but {listed(slow)}, which run only where they are named)"
    command.add_argument("--models", default=None, metavar="A,B", help=f"{models} {about}; {NO_MODELS} with --answers")
    about = "answers of your own models to the folds that `folds --out` writes: id, fold, and prediction or a column per class"
    command.add_argument("--answers", nargs="+", default=(), metavar="FILE", help=about)
    for _, model, name, setting in _settings_of_models():
        about = f"{setting.about[0].lower()}{setting.about[1:].rstrip('.')}"
        choices = tuple(setting.choices) or None
        command.add_argument(_setting_flag(model, name), metavar=setting.label.upper(), choices=choices, help=about)
    add_fold_options(command)
    add_settings(command, RunSettings, only=("pairs", "calibration"), fill=True)
    add_encoder_options(command, vectors=True)


def run_evaluate(options: argparse.Namespace) -> Answer:
    """Fit models on each fold's training side and score them on its test side."""
    models = chosen_models(options)
    notes = [*check_fold_options(options), *_use_settings(options, models)]
    whole = corpus_of(options)
    _check_authors(whole)
    check_folds_of(options, whole)
    corpus, space, about = _sampled(whole, options)
    constraints = constraints_of(options, corpus)
    folds = make_folds(
        corpus, scheme=options.scheme, k=options.k, seed=options.seed, space=space, constraints=constraints
    )
    choices: dict[str, Any] = {"task": options.task, "models": models, "seed": options.seed, "pairing": options.pairs}
    choices |= {"calibration": options.calibration}
    own = read_fold_answers(answer_files(options.answers), {corpus.name: (corpus, folds)})
    if models:
        choices |= {"results": ResultStore(shipped=RESULTS)}
        room_or_refuse(corpus, [folds], options, **choices)
        vectors = compared_vectors(corpus, models, options)
        about += () if vectors is None else vectors.notes
        named = None if vectors is None else NamedVectors(vectors.matrix, vectors.encoder_key)
        evaluation = evaluate(corpus, folds, vectors=named, progress=runs_done, **choices)
    else:
        del choices["models"]
        evaluation = only_asked(corpus, folds, **choices)
    evaluation = with_own_answers(evaluation, corpus, own)
    problems = _problems(evaluation, corpus)
    for problem in problems:
        print(one_line(problem), file=sys.stderr)
    notes = [*notes, *dict.fromkeys(about), *sentences_of(folds.notes), *problems]
    return in_words_of(accuracy.evaluation_answer(evaluation, corpus, notes), corpus)


def _check_authors(corpus: Corpus) -> None:
    """Refuse, before vectors and models take minutes, a corpus that neither task can be asked of."""
    if corpus.author_names is None:
        raise SettingError(
            "The corpus names no authors, and both tasks need them; name their column with --author, or another with --label."
        )
    if most_texts(corpus) < 2:
        word, column = corpus.class_word, "author" if corpus.has_authors else "label"
        raise SettingError(
            f"No {word} has two texts, and both tasks need some in training and some in test; name another column with --{column}."
        )


def chosen_models(options: argparse.Namespace) -> list[str]:
    """Return the models a command names, or all of its task; none where files of answers are enough."""
    options.task = RunSettings.controls()["task"].aliases.get(options.task, options.task)
    if options.task not in TASKS:
        raise unknown("task", options.task, TASKS)
    known, answers = TASKS[options.task].models, getattr(options, "answers", ())
    if answers and TASKS[options.task].asks_pairs:
        raise SettingError(
            "--answers are about documents. Use --task attribution, or `raven` and `shortcut` for pairs."
        )
    if answers and options.models == NO_MODELS:
        return []
    if options.models is None:
        return usual_models(options.task)
    names = [name.strip() for name in options.models.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise unknown(f"{options.task} model", name, known)
    if not names:
        raise SettingError(f"--models names no model; choose from: {', '.join(known)}.")
    return names


def _settings_of_models() -> list[tuple[str, str, str, Setting]]:
    """Return every setting of a model that users choose: its task, its model, its name and itself."""
    models = ((name, model, kind) for name, task in TASKS.items() for model, kind in task.models.items())
    return [(task, model, name, each) for task, model, kind in models for name, each in kind.settings.items()]


def _setting_flag(model: str, setting: str) -> str:
    return f"--{model}-{setting}".replace("_", "-")


def _use_settings(options: argparse.Namespace, models: list[str]) -> tuple[str, ...]:
    """Let models take the settings a command names, here and in every process that is started; report what has no effect."""
    notes = []
    for task, model, name, _ in _settings_of_models():
        value = getattr(options, f"{model}_{name}".replace("-", "_"))
        if value is None:
            continue
        if options.task == task and model in models:
            TASKS[task].make(model, **{name: value})  # what is of no use is refused before anything takes long
            os.environ[setting_variable(model, name)] = value
        else:
            label = TASKS[task].models[model].label
            notes.append(
                f"{label} is not among the models, so {_setting_flag(model, name)} has no effect; add --models {model}."
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
    """Return those that a model is made for, whatever encoder chose the topics, or those chosen; None if all read texts."""
    kinds = [TASKS[options.task].models[model] for model in models]
    names = [kind.encoders[0] for kind in kinds if kind.encoders]
    if names:
        return encoded(corpus, names[0], options)
    return vectors_of(corpus, options) if any(kind.needs_vectors for kind in kinds) else None


def _problems(evaluation: Evaluation, corpus: Corpus) -> list[str]:
    """Return a sentence for each fold that could not be run; an error where none could."""
    skipped, folds = skipped_folds(evaluation), evaluation.folds
    if all(run.problem is not None for run in evaluation.runs):
        raise SettingError(words_of(f"No fold could be run. {skipped[0].reason}", corpus))
    return [
        f"{', '.join(map(evaluation.label, each.models))}, fold {each.fold + 1} of {len(folds)} "
        f"({', '.join(corpus.topic_names[topic] for topic in folds.folds[each.fold].test_topics)}): "
        f"{words_of(each.reason, corpus)}"
        for each in skipped
    ]


def runs_done(done: int, total: int, label: str, seconds_left: float | None) -> None:
    """Report progress of model runs."""
    progress(done, total, "runs" if done == total else f"runs, now {label}", seconds_left)


def add_curve_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, the question's settings, and the plan as a file or answers to it."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    add_settings(command, question.Settings)
    files = command.add_mutually_exclusive_group()
    files.add_argument(
        "--plan",
        metavar="OUT",
        help="write training and test ids of every point, as CSV where OUT ends in .csv or as JSON lines, and stop",
    )
    files.add_argument("--answers", nargs="+", metavar="FILE", help="your own answers to the plan, drawn beside ours")


def run_curve(options: argparse.Namespace) -> Answer:
    target = None if options.plan is None else checked_target(options.plan)
    given = given_settings(question.Settings, options)
    question.Settings.check_early(given)
    study = study_of(options)
    settings = question.Settings.resolve(study, given, command=True)
    if target is None and not options.answers:
        return answered(study, question, settings)
    plan = study.curve_plan(*settings.plan)
    if target is None:
        own = read_answer_files(answer_files(options.answers), study.corpus, plan, study.corpus.author_names or ())
        return in_words_of(question.answer(study, settings, own), study.corpus)
    with writing(target) as partial:
        partial.write_bytes(plan_file(study.corpus, plan, "csv" if target.suffix.lower() == ".csv" else "jsonl"))
    sets = sum(len(part.topics) * len(part.levels) * part.draws for part in plan.parts)
    return plan_written(sets, len(plan.topics), plan.digest, options.plan)


run_curve.__doc__ = question.HELP


def run_swap(options: argparse.Namespace) -> Any:
    """Run `curve`, which replaces this command."""
    complain("swap is now called curve; running curve.")
    return run_curve(options)


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
    if options.target is not None and (options.vectors or options.similarity_matrix):
        raise SettingError("--target needs an encoder for the new texts. Leave out --vectors and --similarity-matrix.")
    study = study_of(options)
    settings = forecast.Settings.resolve(study, given, command=True)
    if options.target is None:
        return answered(study, forecast, settings)
    target = forecast.read_new_texts(options.target, text=options.text, topic=options.topic)
    similarity = forecast.measured_target(study, target, encoder_of(options), progress=progress)
    return in_words_of(forecast.answer(study, settings, similarity), study.corpus)


run_forecast.__doc__ = forecast.HELP
