"""The one loop: models × folds → answers, kept on disk, to be scored per fold and per test topic."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints, record
from ..corpora import UNKNOWN, Corpus
from ..errors import LeakscopeError, SettingError, unknown
from ..models import Documents, Verifier
from ..models.attribution import CLASSIFIERS, Classifier, make_classifier
from ..models.verification import VERIFIERS, make_verifier
from ..progress import Pace, Progress
from ..splits import Fold, Folds, Pairs, held_out, make_pairs
from .store import Answers, ResultStore

TASKS: Mapping[str, Mapping[str, Any]] = {"verification": VERIFIERS, "attribution": CLASSIFIERS}
HELD_OUT = 0.2  # share of the training documents kept for calibration
VERSION = 1  # of what follows here: a change that alters answers raises it, and stored answers no longer match
_NOTHING = np.empty(0, dtype=np.int64)


@record
class Trial:
    """What a fold asks of every model: pairs of test documents, or test documents one by one.

    `lead` is the document a question counts under (the first of a pair), `truth` the right answer (1 for one author;
    or the author's code), `problem` the sentence that says why a fold can ask nothing.
    """

    lead: Ints
    other: Ints | None
    truth: Ints
    problem: str | None = None


@record
class Training:
    """What a fold teaches every model: pairs to fit and to calibrate on, or documents and their authors' codes."""

    pairs: tuple[Pairs, Pairs] | None = None
    rows: Ints | None = None
    authors: Ints | None = None
    notes: tuple[str, ...] = ()
    problem: str | None = None


@record
class Run:
    """One model's answers to one fold's trial; empty, with a sentence, where it could not be run."""

    model: str
    fold: int
    answers: Floats
    notes: tuple[str, ...]
    problem: str | None = None


@record
class Evaluation:
    """Every model's run on every fold, in the order models × folds; `fresh` of them were computed now."""

    task: str
    models: tuple[str, ...]
    folds: Folds
    trials: tuple[Trial, ...]
    runs: tuple[Run, ...]
    fresh: int

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
    vectors: NDArray[np.floating] | None = None,
    vectors_key: str = "",
    results: ResultStore | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Fit every model on every fold's training side and ask it about the test side; `vectors_key` names the vectors.

    Answers already in `results` are not computed again, and each new one is kept before the next is begun.
    """
    makers = _made(task, models)
    keys = _run_keys(corpus, folds, task, makers, seed, vectors_key)
    if results is not None and vectors is not None and not vectors_key and any(_uses_vectors(m, task) for m in makers):
        raise ValueError("vectors without a vectors_key: answers kept for other vectors would be taken for theirs")
    known = [None if results is None else results.get(key) for key in keys]
    documents = Documents(corpus.texts, vectors)
    trials = tuple(_trial(corpus, fold, task, seed + number) for number, fold in enumerate(folds))
    training = cache(lambda number: _training(corpus, folds.folds[number], task, seed + number))
    runs: list[Run] = []
    fresh, missing, pace = 0, known.count(None), Pace()
    for done, (model, number) in enumerate(product(makers, range(len(folds)))):
        found = known[done]
        if found is None:
            if progress is not None:
                label = f"{TASKS[task][model.name].label}, fold {number + 1} of {len(folds)}"
                progress(done, len(keys), label, pace.left(fresh, missing - fresh))
            found = _answers(model, documents, training(number), trials[number], seed + number)
            fresh += 1
            if results is not None:
                results.put(keys[done], found)
        runs.append(Run(model.name, number, found.answers, found.notes, found.problem))
    if results is not None and fresh:
        results.prune()
    if progress is not None:
        progress(len(keys), len(keys), "done", 0.0)
    return Evaluation(task, tuple(model.name for model in makers), folds, trials, tuple(runs), fresh)


def missing_runs(
    corpus: Corpus,
    folds: Folds,
    *,
    task: str,
    models: Sequence[str],
    seed: int = 0,
    vectors_key: str = "",
    results: ResultStore | None = None,
) -> int:
    """How many runs `evaluate` would have to compute now."""
    keys = _run_keys(corpus, folds, task, _made(task, models), seed, vectors_key)
    return sum(results is None or results.get(key) is None for key in keys)


def _made(task: str, models: Sequence[str]) -> list[Verifier | Classifier]:
    if task not in TASKS:
        raise unknown("task", task, TASKS)
    if not models:
        raise SettingError(f"No model is chosen; choose one of: {', '.join(TASKS[task])}.")
    make: Callable[[str], Verifier | Classifier] = make_verifier if task == "verification" else make_classifier
    return [make(name) for name in dict.fromkeys(models)]


def _trial(corpus: Corpus, fold: Fold, task: str, seed: int) -> Trial:
    if task == "attribution":
        rows, authors = _known_authors(corpus, fold.test)
        problem = None if len(rows) else f"None of the {len(fold.test):,} test texts names its author."
        return Trial(rows, None, authors, problem)
    try:
        pairs = make_pairs(corpus, fold.test, seed=seed)
    except LeakscopeError as problem:
        return Trial(_NOTHING, _NOTHING, _NOTHING, f"The test side cannot be paired: {problem}")
    return Trial(pairs.first, pairs.second, pairs.same.astype(np.int64))


def _training(corpus: Corpus, fold: Fold, task: str, seed: int) -> Training:
    if task == "attribution":
        rows, authors = _known_authors(corpus, fold.train)
        without = len(fold.train) - len(rows)
        notes = (f"{without:,} training texts without an author are left out.",) if without else ()
        return Training(None, rows, authors, notes)
    try:
        pairs = make_pairs(corpus, fold.train, seed=seed)
        fit, held = held_out(pairs, share=HELD_OUT, seed=seed)
    except LeakscopeError as problem:
        return Training(problem=f"The training side cannot be paired: {problem}")
    return Training((fit, held), notes=tuple(f"Training side: {note}" for note in (*pairs.notes, *fit.notes)))


def _answers(model: Any, documents: Documents, training: Training, trial: Trial, seed: int) -> Answers:
    """One model on one fold; a fold that cannot be run says why and leaves the others alone."""
    if problem := trial.problem or training.problem:
        return Answers(np.empty(0), (), problem)
    try:
        if training.pairs is not None:
            fit, held = training.pairs
            fitted = model.fit(documents, fit, held=held, seed=seed)
            answers = fitted.score(documents, trial.lead, trial.other)
        else:
            assert training.rows is not None
            fitted = model.fit(_part(documents, training.rows), training.authors, seed=seed)
            answers = fitted.predict(_part(documents, trial.lead)).astype(np.float64)
    except LeakscopeError as error:
        return Answers(np.empty(0), (), str(error))
    answers.setflags(write=False)
    return Answers(answers, (*training.notes, *fitted.notes))


def _known_authors(corpus: Corpus, rows: Ints) -> tuple[Ints, Ints]:
    """The rows whose author is known, in order of id, and their authors: whoever is unknown is not one person."""
    assert corpus.author_names is not None and corpus.author_codes is not None
    ordered = np.array(sorted(rows.tolist(), key=corpus.ids.__getitem__), dtype=np.int64)
    authors = corpus.author_codes[ordered]
    if UNKNOWN in corpus.author_names:
        known = authors != corpus.author_names.index(UNKNOWN)
        ordered, authors = ordered[known], authors[known]
    return ordered, authors


def _part(documents: Documents, rows: Ints) -> Documents:
    vectors = None if documents.vectors is None else documents.vectors[rows]
    return Documents(documents.texts_of(rows), vectors)


def _run_keys(corpus: Corpus, folds: Folds, task: str, makers: Sequence[Any], seed: int, vectors_key: str) -> list[str]:
    """Of every run, models × folds, what determines its answers: both sides, task, model and settings, seed, vectors.

    Of a document a model can see text and author, and the id decides its place; its topic is not part of that.
    Predicted authors are kept as places in the sorted names, so for attribution these count too.
    """
    if corpus.authors is None:
        raise SettingError("The corpus names no authors, and both tasks need them; choose an author column.")
    documents = [_digest(parts) for parts in zip(corpus.ids, corpus.authors, corpus.texts, strict=True)]
    sides = [[_digest(sorted(documents[row] for row in side)) for side in (fold.train, fold.test)] for fold in folds]
    names = corpus.author_names if task == "attribution" else None
    keys = []
    for model, number in product(makers, range(len(folds))):
        used = vectors_key if _uses_vectors(model, task) else None
        keys.append(_digest([VERSION, task, model.key(), seed + number, *sides[number], names, used]))
    return keys


def _uses_vectors(model: Any, task: str) -> bool:
    return bool(getattr(TASKS[task][model.name], "vectors", False))


def _digest(parts: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
