"""The one loop: models × folds → answers, kept on disk, to be scored per fold and per test topic."""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, Floats, Ints, digest, record
from ..corpora import Corpus
from ..errors import LeakscopeError, SettingError, unknown
from ..models import UNANSWERED, Documents
from ..progress import Pace, Progress
from ..splits import PAIRINGS, Folds
from .store import Answers, ResultStore
from .tasks import TASKS, Questions, Task, Training

VERSION = 2  # of what follows here: a change that alters answers raises it, and stored answers no longer match


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

    `pairing` names how pairs were drawn where questions are pairs.
    """

    task: str
    models: tuple[str, ...]
    folds: Folds
    questions: tuple[Questions, ...]
    runs: tuple[Run, ...]
    fresh: int
    pairing: str = "matched"

    def of(self, model: str) -> list[Run]:
        """One model's runs, a fold each."""
        return [run for run in self.runs if run.model == model]


def evaluate(
    corpus: Corpus,
    folds: Folds,
    *,
    task: str,
    models: Sequence[str],
    seed: int = 0,
    pairing: str = "matched",
    vectors: NamedVectors | None = None,
    results: ResultStore | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Fit every model on every fold's training side and ask it about the test side; both are paired by `pairing`.

    Answers already in `results` are not computed again, and each new one is kept before the next is begun.
    """
    chosen, made = _made(task, models)
    keys = _run_keys(corpus, folds, task, made, seed, pairing, "" if vectors is None else vectors.key)
    compares_vectors = any(chosen.models[model.name].needs_vectors for model in made)
    if results is not None and vectors is not None and not vectors.key and compares_vectors:
        raise ValueError("vectors without a key: answers kept for other vectors would be taken for theirs")
    known = [None if results is None else results.get(key) for key in keys]
    documents = Documents(corpus.texts, None if vectors is None else vectors.matrix)
    questions = tuple(chosen.ask(corpus, fold, seed + number, pairing) for number, fold in enumerate(folds))
    training = cache(lambda number: chosen.teach(corpus, folds.folds[number], seed + number, pairing))
    runs: list[Run] = []
    fresh, missing, pace = 0, known.count(None), Pace()
    for done, (model, number) in enumerate(product(made, range(len(folds)))):
        found = known[done]
        if found is None:
            if progress is not None:
                label = f"{chosen.models[model.name].label}, fold {number + 1} of {len(folds)}"
                progress(done, len(keys), label, pace.left(fresh, missing - fresh))
            found = _answers(chosen, model, documents, training(number), questions[number], seed + number)
            fresh += 1
            if results is not None:
                results.put(keys[done], found)
        runs.append(Run(model.name, number, found.answers, found.notes, found.problem))
    if results is not None and fresh:
        results.prune()
    if progress is not None:
        progress(len(keys), len(keys), "done", 0.0)
    return Evaluation(task, tuple(model.name for model in made), folds, questions, tuple(runs), fresh, pairing)


def missing_runs(
    corpus: Corpus,
    folds: Folds,
    *,
    task: str,
    models: Sequence[str],
    seed: int = 0,
    pairing: str = "matched",
    vectors_key: str = "",
    results: ResultStore | None = None,
) -> int:
    """How many runs `evaluate` would have to compute now; `vectors_key` is the key of the vectors it would be given."""
    keys = _run_keys(corpus, folds, task, _made(task, models)[1], seed, pairing, vectors_key)
    return sum(results is None or results.get(key) is None for key in keys)


def right_answers(evaluation: Evaluation, corpus: Corpus, model: str) -> tuple[Floats, Ints]:
    """1 where the model's answer is right and 0 elsewhere (no answer is not right), and the topic of each question;
    folds that could not be run are left out."""
    right, topics = [np.empty(0)], [np.empty(0, dtype=np.int64)]
    for run in evaluation.of(model):
        if run.problem is None:
            questions = evaluation.questions[run.fold]
            right.append(TASKS[evaluation.task].right(questions.truth, run.answers).astype(np.float64))
            topics.append(corpus.topic_codes[questions.lead])
    return np.concatenate(right), np.concatenate(topics)


def wrong_answers(evaluation: Evaluation, run: Run) -> Bools:
    """Which of a run's answers are given and not right: no answer is neither right nor wrong."""
    right = TASKS[evaluation.task].right(evaluation.questions[run.fold].truth, run.answers)
    return np.asarray(~right & (run.answers != UNANSWERED))


def _made(task: str, models: Sequence[str]) -> tuple[Task, list[Any]]:
    if task not in TASKS:
        raise unknown("task", task, TASKS)
    chosen = TASKS[task]
    if not models:
        raise SettingError(f"No model is chosen; choose one of: {', '.join(chosen.models)}.")
    return chosen, [chosen.make(name) for name in dict.fromkeys(models)]


def _answers(
    task: Task, model: Any, documents: Documents, training: Training, questions: Questions, seed: int
) -> Answers:
    """One model on one fold; a fold that cannot be run says why and leaves the others alone."""
    if problem := questions.problem or training.problem:
        return Answers(np.empty(0), (), problem)
    try:
        answers, notes = task.answer(model, documents, training, questions, seed)
    except LeakscopeError as error:
        return Answers(np.empty(0), (), str(error))
    return Answers(answers, (*training.notes, *notes))


def _run_keys(
    corpus: Corpus, folds: Folds, task: str, made: Sequence[Any], seed: int, pairing: str, vectors_key: str
) -> list[str]:
    """Of every run, models × folds, what determines its answers: both sides, task, model and settings, seed, pairing,
    vectors.

    Of a document a model can see text and author, and the id decides the order; its topic counts only where it decides
    the pairs. Where answers are authors' codes, which index the sorted names, the names count too.
    """
    if corpus.authors is None:
        raise SettingError("The corpus names no authors, and both tasks need them; choose an author column.")
    if pairing not in PAIRINGS:
        raise unknown("kind of pairs", pairing, PAIRINGS)
    chosen = TASKS[task]
    paired = pairing if chosen.asks_pairs else None
    topics = corpus.topics if paired and PAIRINGS[paired].by_topic else [None] * len(corpus)
    documents = [digest(parts) for parts in zip(corpus.ids, corpus.authors, topics, corpus.texts, strict=True)]
    sides = [[digest(sorted(documents[row] for row in side)) for side in (fold.train, fold.test)] for fold in folds]
    names = corpus.author_names if chosen.answers_are_authors else None
    keys = []
    for model, number in product(made, range(len(folds))):
        used = vectors_key if chosen.models[model.name].needs_vectors else None
        keys.append(digest([VERSION, task, paired, model.key(), seed + number, *sides[number], names, used]))
    return keys
