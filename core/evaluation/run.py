"""The one loop: models × folds → answers, kept on disk, to be scored per fold and per test topic."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, Floats, Ints, record
from ..corpora import Corpus
from ..engine import cores, each, on_a_cluster, remember_pace
from ..errors import LeakscopeError
from ..models import UNANSWERED, Documents
from ..models.verification import OWN
from ..progress import Pace, Progress
from ..splits import Folds
from .keys import longest_first, made_models, pace_name, run_keys, run_units
from .store import Answers, ResultStore
from .tasks import TASKS, Questions, Task, Training

ROUNDING = 1e-6  # past 0 and 1


@record
class Run:
    """One model's answers to one fold's questions; empty, with a sentence, where it could not be run."""

    model: str
    fold: int
    answers: Floats
    notes: tuple[str, ...]
    problem: str | None = None


@record
class NamedVectors:
    """The corpus's vectors for models that compare them, a row a document, and the `key` that names what made them."""

    matrix: NDArray[np.floating]
    key: str = ""


@record
class Evaluation:
    """Every model's run on every fold, in the order models × folds; `fresh` of them were computed now.

    `pairing` and `calibration` name how pairs were drawn and answers made of scores where questions are pairs.
    """

    task: str
    models: tuple[str, ...]
    folds: Folds
    questions: tuple[Questions, ...]
    runs: tuple[Run, ...]
    fresh: int
    pairing: str = "matched"
    calibration: str = OWN

    def of(self, model: str) -> list[Run]:
        """Return one model's runs, a fold each."""
        return [run for run in self.runs if run.model == model]

    def answered(self, model: str | None = None) -> Iterator[tuple[Run, Questions, Bools]]:
        """Yield every run that could be made, of one model or of all, with its questions and which of its answers are right."""
        for run in self.runs:
            if run.problem is None and model in (None, run.model):
                questions = self.questions[run.fold]
                yield run, questions, TASKS[self.task].right(questions.truth, run.answers)


def evaluate(
    corpus: Corpus,
    folds: Folds,
    *,
    task: str,
    models: Sequence[str],
    seed: int = 0,
    pairing: str = "matched",
    calibration: str = OWN,
    vectors: NamedVectors | None = None,
    results: ResultStore | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Fit every model on every fold's training side and ask it about the test side; both are paired by `pairing`, and
    `calibration` makes answers of scores.

    Answers already in `results` are not computed again, and each new one is kept as soon as it is there. Runs go to
    all cores (LEAKSCOPE_CORES), or to a cluster.
    """
    chosen, made = made_models(task, models, calibration)
    keys = run_keys(corpus, folds, task, made, seed, pairing, "" if vectors is None else vectors.key)
    compares_vectors = any(chosen.models[model.name].needs_vectors for model in made)
    if results is not None and vectors is not None and not vectors.key and compares_vectors:
        raise ValueError("vectors without a key: answers kept for other vectors would be taken for theirs")
    documents = Documents(corpus.texts, None if vectors is None else vectors.matrix)
    questions = tuple(chosen.ask(corpus, fold, seed + number, pairing) for number, fold in enumerate(folds))
    pairs = list(product(made, range(len(folds))))
    codes = len(corpus.author_names or ()) if chosen.answers_are_authors else None
    known = [_known(results, key, questions[number], codes) for key, (_, number) in zip(keys, pairs, strict=True)]
    fresh = known.count(None)
    work = _Work(corpus, folds, task, seed, pairing, documents, questions, results)
    _complete(known, work, pairs, keys, progress)
    runs = [
        Run(model.name, number, found.answers, found.notes, found.problem)
        for (model, number), found in zip(pairs, known, strict=True)
        if found is not None
    ]
    names = tuple(model.name for model in made)
    return Evaluation(task, names, folds, questions, tuple(runs), fresh, pairing, calibration)


def _known(results: ResultStore | None, key: str, questions: Questions, codes: int | None) -> Answers | None:
    """Return the answers kept under a key, unless they cannot be answers here: others than questions in number, past the `codes` of
    authors, or no shares."""
    found = None if results is None else results.get(key)
    if found is None or found.problem is not None:
        return found
    given = found.answers
    if len(given) != len(questions.lead):
        return None
    highest = 1 if codes is None else codes - 1
    whole = codes is None or bool((given == np.floor(given)).all())
    return found if whole and bool(((given >= -ROUNDING) & (given <= highest + ROUNDING)).all()) else None


def _complete(
    known: list[Answers | None],
    work: "_Work",
    pairs: Sequence[tuple[Any, int]],
    keys: Sequence[str],
    progress: Progress | None,
) -> None:
    """Compute the runs that are not known, on all cores."""
    missing = [index for index, found in enumerate(known) if found is None]
    if cores() > 1 or on_a_cluster():
        missing = longest_first(work.corpus, work.task, work.folds, pairs, missing)
    fresh, pace = 0, Pace()

    def report(index: int | None = None, inside: tuple[int, int, str, float | None] | None = None) -> None:
        """Runs done, and of the one that last told how far it is inside itself, that."""
        if progress is not None and fresh < len(missing):
            model, number = pairs[missing[fresh if index is None else index]]
            label = f"{TASKS[work.task].models[model.name].label}, fold {number + 1} of {len(work.folds)}"
            left = pace.left(fresh, len(missing) - fresh)
            if inside is not None:
                label = f"{label}, {inside[2]}"
                left = inside[3] if left is None and len(missing) == 1 else left
            progress(len(keys) - len(missing) + fresh, len(keys), label, left)

    report()
    tasks = [(*pairs[index], keys[index]) for index in missing]
    with closing(each(_one_run, tasks, shared=work, told=report)) as answered:
        for index, found in answered:
            known[missing[index]] = found
            if work.results is not None and on_a_cluster() and work.results.get(keys[missing[index]]) is None:
                work.results.put(keys[missing[index]], found)  # a worker with another folder has kept it elsewhere
            fresh += 1
            report()
    if work.results is not None and fresh:
        work.results.prune()
    if progress is not None:
        progress(len(keys), len(keys), "done", 0.0)


@record
class _Work:
    """What all runs of an evaluation share; `taught` is filled as folds are come by."""

    corpus: Corpus
    folds: Folds
    task: str
    seed: int
    pairing: str
    documents: Documents
    questions: tuple[Questions, ...]
    results: ResultStore | None
    taught: dict[int, Training] = field(default_factory=dict)

    def training(self, number: int) -> Training:
        """Return what a fold teaches, made once."""
        if number not in self.taught:
            teach, fold = TASKS[self.task].teach, self.folds.folds[number]
            self.taught[number] = teach(self.corpus, fold, self.seed + number, self.pairing)
        return self.taught[number]


def _one_run(work: _Work, task: tuple[Any, int, str]) -> Answers:
    """Run one model on one fold and keep its answers; a fold that cannot be run says why and leaves the others alone."""
    model, number, key = task
    start = time.monotonic()
    found = _answers(
        TASKS[work.task], model, work.documents, work.training(number), work.questions[number], work.seed + number
    )
    if found.problem is None:
        units = run_units(work.task, work.corpus, work.folds.folds[number])
        remember_pace(pace_name(work.task, model.name), units, time.monotonic() - start)
    if work.results is not None:
        work.results.put(key, found)
    return found


def right_answers(evaluation: Evaluation, corpus: Corpus, model: str) -> tuple[Floats, Ints]:
    """1 where the model's answer is right and 0 elsewhere (no answer is not right), and the topic of each question;
    folds that could not be run are left out."""
    right, topics = [np.empty(0)], [np.empty(0, dtype=np.int64)]
    for _, questions, found in evaluation.answered(model):
        right.append(found.astype(np.float64))
        topics.append(corpus.topic_codes[questions.lead])
    return np.concatenate(right), np.concatenate(topics)


def wrong_answers(evaluation: Evaluation, run: Run) -> Bools:
    """Return which of a run's answers are given and not right: no answer is neither right nor wrong."""
    right = TASKS[evaluation.task].right(evaluation.questions[run.fold].truth, run.answers)
    return np.asarray(~right & (run.answers != UNANSWERED))


def _answers(
    task: Task, model: Any, documents: Documents, training: Training, questions: Questions, seed: int
) -> Answers:
    if problem := questions.problem or training.problem:
        return Answers(np.empty(0), (), problem)
    try:
        answers, notes = task.answer(model, documents, training, questions, seed)
    except LeakscopeError as error:
        return Answers(np.empty(0), (), str(error))
    return Answers(answers, (*training.notes, *notes))
