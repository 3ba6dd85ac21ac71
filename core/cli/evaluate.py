"""`evaluate`: models × folds → scores."""

import argparse
import sys

from ..corpora import Corpus
from ..demo import RESULTS
from ..errors import SettingError, unknown
from ..evaluation import (
    TASKS,
    Baselines,
    Evaluation,
    NamedVectors,
    ResultStore,
    Score,
    evaluate,
    fold_baselines,
    fold_scores,
    mean_baselines,
    metric_labels,
    skipped_folds,
    summarise,
)
from ..splits import make_folds
from ..statistics import WeightedSummary
from ..topics import SAMPLERS
from ..vectors import Vectors
from .options import (
    Answer,
    add_corpus_options,
    add_encoder_options,
    add_fold_options,
    add_pairs_option,
    check_fold_options,
    corpus_of,
    defined,
    encoded,
    progress,
    setup_of,
    vectors_of,
)


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus, the task, its models, the sample and the scheme."""
    add_corpus_options(command)
    command.add_argument("--task", required=True, metavar="TASK", help=f"one of {', '.join(TASKS)}")
    models = "; ".join(f"{name}: {', '.join(task.models)}" for name, task in TASKS.items())
    command.add_argument("--models", default=None, metavar="A,B", help=f"{models} (default: all of the task)")
    add_fold_options(command)
    add_pairs_option(command)
    add_encoder_options(command, vectors=True)


def run(options: argparse.Namespace) -> Answer:
    """Fit models on each fold's training side and score them on its test side."""
    models = _models(options)
    notes = list(check_fold_options(options))
    whole = corpus_of(options)
    if whole.author_names is None:  # said before vectors take minutes
        raise SettingError("The corpus names no authors, and both tasks need them; name their column with --author.")
    corpus, about = _sampled(whole, options)
    folds = make_folds(corpus, scheme=options.scheme, k=options.k, seed=options.seed)
    vectors = _compared_vectors(corpus, models, options)
    about += () if vectors is None else vectors.notes
    evaluation = evaluate(
        corpus,
        folds,
        task=options.task,
        models=models,
        seed=options.seed,
        pairing=options.pairs,
        vectors=None if vectors is None else NamedVectors(vectors.matrix, vectors.encoder_key),
        results=ResultStore(shipped=RESULTS),
        progress=_runs_done,
    )
    scores = fold_scores(evaluation, corpus)
    problems = _problems(evaluation, corpus)
    for problem in problems:
        print(problem, file=sys.stderr)
    summaries = {metric: summarise(scores, metric) for metric in metric_labels(evaluation, corpus)}
    return {
        "scores": [_record(score, corpus) for score in scores],
        "summary": {
            model: {metric: _summary(by_model[model]) for metric, by_model in summaries.items()}
            for model in evaluation.models
        },
        "baselines": _baselines(mean_baselines(evaluation, corpus))
        | {"folds": [_baselines(each) for each in fold_baselines(evaluation, corpus)]},
        "skipped": [
            {"fold": each.fold, "models": list(each.models), "reason": each.reason}
            for each in skipped_folds(evaluation)
        ],
        **({"pairs": evaluation.pairing} if TASKS[options.task].asks_pairs else {}),
        "notes": [*notes, *dict.fromkeys(about), *folds.notes, *problems],
    }


def _models(options: argparse.Namespace) -> list[str]:
    if options.task not in TASKS:
        raise unknown("task", options.task, TASKS)
    known = TASKS[options.task].models
    if options.models is None:
        return list(known)
    names = [name.strip() for name in options.models.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise unknown(f"{options.task} model", name, known)
    if not names:
        raise SettingError(f"--models names no model; choose from: {', '.join(known)}.")
    return names


def _sampled(corpus: Corpus, options: argparse.Namespace) -> tuple[Corpus, tuple[str, ...]]:
    """The documents to evaluate on, and the notes of the vectors that chose them; all documents need no vectors."""
    if SAMPLERS[options.sampler].path is None:
        return corpus, ()
    vectors = vectors_of(corpus, options)
    return setup_of(corpus, vectors, options).corpus, vectors.notes


def _compared_vectors(corpus: Corpus, models: list[str], options: argparse.Namespace) -> Vectors | None:
    """Those that a model compares, whatever encoder chose the topics; None where all models read the texts."""
    encoders = (TASKS[options.task].models[model].encoders for model in models)
    names = [named[0] for named in encoders if named]
    return encoded(corpus, names[0], options) if names else None


def _summary(found: WeightedSummary) -> Answer:
    return {"mean": defined(found.mean), "sd": defined(found.sd), "se": defined(found.se)}


def _record(score: Score, corpus: Corpus) -> Answer:
    values = {metric: defined(value) for metric, value in score.values.items()}
    counts = {"documents": score.documents, "questions": score.questions}
    topics = [corpus.topic_names[topic] for topic in score.topics]
    return {"model": score.model, "fold": score.fold, "topics": topics, **counts, **values}


def _baselines(found: Baselines) -> Answer:
    shares = ("majority", "seen_authors", "gap", "topic_oracle_auc")
    counts = {"questions": found.questions, "left_out": found.left_out}
    return {name: defined(getattr(found, name)) for name in shares} | counts


def _problems(evaluation: Evaluation, corpus: Corpus) -> list[str]:
    """A sentence for each fold that could not be run; an error where none could."""
    skipped, folds = skipped_folds(evaluation), evaluation.folds
    if all(run.problem is not None for run in evaluation.runs):
        raise SettingError(f"No fold could be run. {skipped[0].reason}")
    labels = TASKS[evaluation.task].models
    return [
        f"{', '.join(labels[model].label for model in each.models)}, fold {each.fold + 1} of {len(folds)} "
        f"({', '.join(corpus.topic_names[topic] for topic in folds.folds[each.fold].test_topics)}): {each.reason}"
        for each in skipped
    ]


def _runs_done(done: int, total: int, label: str, seconds_left: float | None) -> None:
    progress(done, total, "runs" if done == total else f"runs, now {label}", seconds_left)
