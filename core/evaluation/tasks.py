"""The tasks: what a fold teaches every model and asks of it, and how the answers are scored."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Bools, Floats, Ints, record
from ..corpora import Corpus
from ..errors import LeakscopeError
from ..models import (
    METRICS,
    Documents,
    ModelKind,
    accuracy,
    answered_right,
    macro_f1,
    precision_recall,
    verification_scores,
)
from ..models.attribution import CLASSIFIERS, make_classifier
from ..models.verification import VERIFIERS, make_verifier
from ..splits import Fold, Pairs, held_out, make_pairs

HELD_OUT = 0.2  # share of the training documents kept for calibration
_NOTHING = np.empty(0, dtype=np.int64)


@record
class Questions:
    """What a fold asks of every model: pairs of test documents, or test documents one by one.

    `lead` is the document a question counts under (the first of a pair), `truth` the right answer (1 for one author;
    or the author's code), `problem` the sentence that says why a fold can ask nothing; `left_out` pairs could not be made.
    """

    lead: Ints
    other: Ints | None
    truth: Ints
    problem: str | None = None
    left_out: int = 0


@record
class Training:
    """What a fold teaches every model: pairs to fit and to calibrate on, or documents and their authors' codes."""

    pairs: tuple[Pairs, Pairs] | None = None
    rows: Ints | None = None
    authors: Ints | None = None
    notes: tuple[str, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One question that models answer."""

    models: dict[str, ModelKind[Any]]
    make: Callable[..., Any]  # a model, by name
    ask: Callable[[Corpus, Fold, int, str], Questions]  # corpus, fold, seed, name of the pairing → what is asked
    teach: Callable[[Corpus, Fold, int, str], Training]  # the same → what training gets
    # Model, documents, training, questions, seed → answers, and what fitting chose.
    answer: Callable[[Any, Documents, Training, Questions, int], tuple[Floats, tuple[str, ...]]]
    right: Callable[[Ints, Floats], Bools]  # true and given answers → which are right
    metrics: Callable[[Corpus], dict[str, str]]
    score: Callable[[Ints, Floats, Corpus], dict[str, float]]  # true and given answers → each metric
    default_metric: str
    asks_pairs: bool  # questions are pairs, and depend on the pairing
    answers_are_authors: bool  # an answer is an author's code, so it depends on the sorted names
    version: int  # raised by a change that alters answers: stored ones no longer match


def _ask_pairs(corpus: Corpus, fold: Fold, seed: int, pairing: str) -> Questions:
    try:
        pairs = make_pairs(corpus, fold.test, seed=seed, kind=pairing)
    except LeakscopeError as problem:
        return Questions(_NOTHING, _NOTHING, _NOTHING, f"The test side cannot be paired: {problem}")
    return Questions(pairs.first, pairs.second, pairs.same.astype(np.int64), left_out=pairs.left_out)


def _teach_pairs(corpus: Corpus, fold: Fold, seed: int, pairing: str) -> Training:
    try:
        pairs = make_pairs(corpus, fold.train, seed=seed, kind=pairing)
        fit, held = held_out(pairs, share=HELD_OUT, seed=seed)
    except LeakscopeError as problem:
        return Training(problem=f"The training side cannot be paired: {problem}")
    notes = (("", pairs.notes), (", pairs fitted on", fit.notes), (", pairs calibrated on", held.notes))
    said = (f"Training side{where}: {note}" for where, each in notes for note in each)
    return Training((fit, held), notes=tuple(said))


def _verify(
    model: Any, documents: Documents, training: Training, questions: Questions, seed: int
) -> tuple[Floats, tuple[str, ...]]:
    assert training.pairs is not None
    fit, held = training.pairs
    fitted = model.fit(documents, fit, held=held, seed=seed)
    return fitted.score(documents, questions.lead, questions.other), fitted.notes


def _ask_documents(corpus: Corpus, fold: Fold, seed: int, pairing: str) -> Questions:
    rows, authors = _known_authors(corpus, fold.test)
    word = corpus.class_word
    problem = None if len(rows) else f"None of the {len(fold.test):,} test texts has a known {word}."
    if problem is None and not np.isin(authors, _known_authors(corpus, fold.train)[1]).any():
        problem = (
            f"No {word} of the {len(rows):,} test texts is in training, so no answer could be right. Keep what occurs in "
            "several topics, or use ordinary k-fold."
        )
    return Questions(rows, None, authors, problem)


def _teach_documents(corpus: Corpus, fold: Fold, seed: int, pairing: str) -> Training:
    rows, authors = _known_authors(corpus, fold.train)
    without = len(fold.train) - len(rows)
    notes = (f"{without:,} training texts without a known {corpus.class_word} are left out.",) if without else ()
    return Training(None, rows, authors, notes)


def _attribute(
    model: Any, documents: Documents, training: Training, questions: Questions, seed: int
) -> tuple[Floats, tuple[str, ...]]:
    assert training.rows is not None
    fitted = model.fit(documents.part(training.rows), training.authors, seed=seed)
    return fitted.predict(documents.part(questions.lead)).astype(np.float64), fitted.notes


def _known_authors(corpus: Corpus, rows: Ints) -> tuple[Ints, Ints]:
    """Return the rows whose author is known, in order of id, and their authors; unknown authors are not one person."""
    assert corpus.author_codes is not None
    ordered = np.array(sorted(rows.tolist(), key=corpus.ids.__getitem__), dtype=np.int64)
    authors = corpus.author_codes[ordered]
    known = corpus.known_authors[authors]
    return ordered[known], authors[known]


def _first_of_two(corpus: Corpus) -> int | None:
    """Return the code of the first of two known authors, or None if there are fewer or more."""
    known = np.flatnonzero(corpus.known_authors)
    return int(known[0]) if len(known) == 2 else None


def _attribution_metrics(corpus: Corpus) -> dict[str, str]:
    """Return the metrics; with two known authors also precision, recall and F of the first by name."""
    of_two = {"precision": "precision", "recall": "recall", "f1": "F1"}
    return {"accuracy": "accuracy", "macro_f1": "macro F1"} | ({} if _first_of_two(corpus) is None else of_two)


def _attribution_scores(truth: Ints, answers: Floats, corpus: Corpus) -> dict[str, float]:
    predicted, first = answers.astype(np.int64), _first_of_two(corpus)
    values = {"accuracy": accuracy(truth, predicted), "macro_f1": macro_f1(truth, predicted)}
    if first is not None:
        found = precision_recall(truth, predicted, positive=first)
        values |= {"precision": found.precision, "recall": found.recall, "f1": found.f1}
    return values


TASKS: dict[str, Task] = {
    "verification": Task(
        models=VERIFIERS,
        make=make_verifier,
        ask=_ask_pairs,
        teach=_teach_pairs,
        answer=_verify,
        right=lambda truth, answers: answered_right(truth.astype(bool), answers),
        metrics=lambda corpus: {name: metric.label for name, metric in METRICS.items()},
        score=lambda truth, answers, corpus: verification_scores(truth.astype(bool), answers).named(),
        default_metric="c@1",
        asks_pairs=True,
        answers_are_authors=False,
        version=3,
    ),
    "attribution": Task(
        models=CLASSIFIERS,
        make=make_classifier,
        ask=_ask_documents,
        teach=_teach_documents,
        answer=_attribute,
        right=lambda truth, answers: np.asarray(truth == answers),
        metrics=_attribution_metrics,
        score=_attribution_scores,
        default_metric="accuracy",
        asks_pairs=False,
        answers_are_authors=True,
        version=2,
    ),
}


def tasks_of(corpus: Corpus) -> dict[str, str]:
    """Return the tasks that a corpus can be asked about: name → label. Pairs need authors; other labels are classes."""
    return {name: name for name in TASKS} if corpus.has_authors else {"attribution": "classification"}


def usual_models(task: str) -> list[str]:
    """Return the models that run if none is named: all but the slow ones."""
    return [name for name, kind in TASKS[task].models.items() if kind.installed and not kind.by_choice]
