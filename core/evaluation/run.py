"""The one loop: models × folds → answers, kept on disk. Before it: which runs are missing, what they cost, whether that fits."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeVar

import numpy as np
import psutil
from numpy.typing import NDArray

from ..arrays import Bools, Floats, Ints, digest, record
from ..corpora import Corpus, with_prolific_authors
from ..engine import cores, each, on_a_cluster, remember_pace, seconds_for
from ..errors import LeakscopeError, SettingError, unknown
from ..formats import listed
from ..models import UNANSWERED, Documents, Size
from ..models.verification import OWN, calibrated
from ..progress import Pace, Progress
from ..splits import PAIRINGS, Folds, make_folds
from .store import Answers, ResultStore
from .tasks import TASKS, Questions, Task, Training

Kept = TypeVar("Kept")


def make_models(task: str, models: Sequence[str], calibration: str = OWN) -> tuple[Task, list[Any]]:
    """Return the task, and its models of these names; where questions are pairs, with answers of this calibration."""
    if task not in TASKS:
        raise unknown("task", task, TASKS)
    chosen = TASKS[task]
    if not models:
        raise SettingError(f"No model is chosen; choose one of: {', '.join(chosen.models)}.")
    made = [chosen.make(name) for name in dict.fromkeys(models)]
    return chosen, [calibrated(model, calibration) for model in made] if chosen.asks_pairs else made


def run_keys(
    corpus: Corpus, folds: Folds, task: str, made: Sequence[Any], seed: int, pairing: str, vectors_key: str
) -> list[str]:
    """Return what determines the answers of every run, models × folds: both sides, task, model and settings, calibration,
    seed, pairing, vectors.

    Of a document a model can see text and author, and the id decides the order; its topic counts only where it decides
    the pairs. Where answers are authors' codes, which index the sorted names, the names count too.
    """
    if corpus.authors is None:
        raise SettingError("The corpus names no authors, and both tasks need them; choose an author column.")
    if pairing not in PAIRINGS:
        raise unknown("kind of pairs", pairing, PAIRINGS)
    chosen = TASKS[task]
    paired = PAIRINGS[pairing].key if chosen.asks_pairs else None
    sides = _side_digests(corpus, folds, by_topic=chosen.asks_pairs and PAIRINGS[pairing].by_topic)
    names = corpus.author_names if chosen.answers_are_authors else None
    keys = []
    for model, number in product(made, range(len(folds))):
        used = vectors_key if chosen.models[model.name].needs_vectors else None
        keys.append(digest([chosen.version, task, paired, model.key(), seed + number, *sides[number], names, used]))
    return keys


_documents_held: dict[Any, list[str]] = {}
_sides_held: dict[Any, list[tuple[str, str]]] = {}
_measures_held: dict[Any, list["_FoldMeasure"]] = {}
MOST_DOCUMENTS, MOST_FOLDS = 8, 512  # corpora and folds of which digests and sizes are held, the newest


def _computed_once(store: dict[Any, Kept], key: Any, most: int, compute: Callable[[], Kept]) -> Kept:
    """Return what is held of some content, computed the first time; a page asks again on every redraw."""
    found = store.get(key)
    if found is None:
        found = compute()
        while len(store) >= most:
            store.pop(next(iter(store), key), None)
        store[key] = found
    return found


def _document_digests(corpus: Corpus, *, by_topic: bool) -> list[str]:
    """Return a digest per document."""

    def compute() -> list[str]:
        nothing: list[str | None] = [None] * len(corpus)
        topics, authors = (corpus.topics if by_topic else nothing), (corpus.authors or nothing)
        return [digest(parts) for parts in zip(corpus.ids, authors, topics, corpus.texts, strict=True)]

    return _computed_once(_documents_held, (corpus.content_digest, by_topic), MOST_DOCUMENTS, compute)


def _side_digests(corpus: Corpus, folds: Folds, *, by_topic: bool) -> list[tuple[str, str]]:
    """Return digests of the documents of every fold's training and test side, in any order."""

    def compute() -> list[tuple[str, str]]:
        documents = _document_digests(corpus, by_topic=by_topic)
        of = [[digest(sorted(documents[row] for row in side)) for side in (fold.train, fold.test)] for fold in folds]
        return [(train, test) for train, test in of]

    return _computed_once(_sides_held, (corpus.content_digest, folds.fingerprint, by_topic), MOST_FOLDS, compute)


def missing_keys(
    corpus: Corpus,
    folds: Folds,
    *,
    task: str,
    models: Sequence[str],
    seed: int = 0,
    pairing: str = "matched",
    calibration: str = OWN,
    vectors_key: str = "",
    results: ResultStore | None = None,
) -> list[bool]:
    """Return for every run, models × folds, whether `evaluate` must compute it; `vectors_key` names its vectors."""
    keys = run_keys(corpus, folds, task, make_models(task, models, calibration)[1], seed, pairing, vectors_key)
    return [results is None or results.get(key) is None for key in keys]


def cached_runs(
    corpus: Corpus, folds: Folds, *, results: ResultStore, task: str, models: Sequence[str], **choices: Any
) -> dict[str, Answers]:
    """Return the stored runs that `evaluate` would use with these choices, by key."""
    made = make_models(task, models, choices.pop("calibration", OWN))[1]
    keys = run_keys(corpus, folds, task, made, choices["seed"], choices["pairing"], choices["vectors_key"])
    found = {key: results.get(key) for key in keys}
    return {key: run for key, run in found.items() if run is not None}


def missing_runs(corpus: Corpus, folds: Folds, **choices: Any) -> int:
    """Return how many runs `evaluate` must compute; the choices are those of `missing_keys`."""
    return sum(missing_keys(corpus, folds, **choices))


def pace_name(task: str, model: str) -> str:
    """Return the name under which a model's pace is remembered."""
    return f"{task}:{model}"


@record
class _FoldMeasure:
    """What the time and the memory of a fold grow with."""

    training: Size
    characters: int  # of both sides


def _fold_measures(corpus: Corpus, folds: Folds) -> list[_FoldMeasure]:
    """Return what the time and the memory of every fold grow with."""

    def compute() -> list[_FoldMeasure]:
        lengths, codes = np.fromiter(map(len, corpus.texts), dtype=np.int64, count=len(corpus)), corpus.author_codes
        found = []
        for fold in folds:
            authors = 0 if codes is None else len(np.unique(codes[fold.train]))
            train, test = int(lengths[fold.train].sum()), int(lengths[fold.test].sum())
            found.append(_FoldMeasure(Size(len(fold.train), train, authors), train + test))
        return found

    return _computed_once(_measures_held, (corpus.content_digest, folds.fingerprint), MOST_FOLDS, compute)


def run_units(task: str, corpus: Corpus, folds: Folds) -> list[float]:
    """Return what the time of a run on each fold is proportional to: characters of both sides, times authors to separate."""
    by_authors = TASKS[task].answers_are_authors and corpus.author_codes is not None
    measured = _fold_measures(corpus, folds)
    return [each.characters * (max(each.training.authors, 1) if by_authors else 1) for each in measured]


def longest_first(
    corpus: Corpus, task: str, folds: Folds, pairs: Sequence[tuple[Any, int]], missing: Sequence[int]
) -> list[int]:
    """Return the runs, longest first: a long one at the end would keep all cores but one waiting."""
    units = run_units(task, corpus, folds)
    paces = {name: seconds_for(pace_name(task, name), 1.0, otherwise=0.0) or 0.0 for name in TASKS[task].models}
    return sorted(missing, key=lambda index: -paces.get(pairs[index][0].name, 0.0) * units[pairs[index][1]])


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
    """Every model's run on every fold."""

    task: str
    models: tuple[str, ...]
    folds: Folds
    questions: tuple[Questions, ...]
    runs: tuple[Run, ...]  # in the order models × folds
    fresh: int  # runs computed now
    pairing: str = "matched"  # how pairs were made
    calibration: str = OWN  # how scores became answers

    def label(self, model: str) -> str:
        """Return what a model is called; one whose answers come from a file by the file's name."""
        kinds = TASKS[self.task].models
        return kinds[model].label if model in kinds else model

    def of(self, model: str) -> list[Run]:
        """Return one model's runs, a fold each."""
        return [run for run in self.runs if run.model == model]

    def answered(self, model: str | None = None) -> Iterator[tuple[Run, Questions, Bools]]:
        """Yield every run that could be made, of one model or of all, with its questions and which of its answers are right."""
        for run in self.runs:
            if run.problem is None and model in (None, run.model):
                questions = self.questions[run.fold]
                yield run, questions, TASKS[self.task].right(questions.truth, run.answers)


def only_asked(
    corpus: Corpus, folds: Folds, *, task: str, seed: int = 0, pairing: str = "matched", calibration: str = OWN
) -> Evaluation:
    """Return what the folds ask, without a model."""
    ask = TASKS[task].ask
    questions = tuple(ask(corpus, fold, seed + number, pairing) for number, fold in enumerate(folds))
    return Evaluation(task, (), folds, questions, (), 0, pairing, calibration)


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
    chosen, made = make_models(task, models, calibration)
    keys = run_keys(corpus, folds, task, made, seed, pairing, "" if vectors is None else vectors.key)
    compares_vectors = any(chosen.models[model.name].needs_vectors for model in made)
    if results is not None and vectors is not None and not vectors.key and compares_vectors:
        raise ValueError("vectors without a key: answers kept for other vectors would be taken for theirs")
    documents = Documents(corpus.texts, None if vectors is None else vectors.matrix, corpus.author_names or ())
    questions = tuple(chosen.ask(corpus, fold, seed + number, pairing) for number, fold in enumerate(folds))
    pairs = list(product(made, range(len(folds))))
    codes = len(corpus.author_names or ()) if chosen.answers_are_authors else None
    known = [_stored_run(results, key, questions[number], codes) for key, (_, number) in zip(keys, pairs, strict=True)]
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


def _stored_run(results: ResultStore | None, key: str, questions: Questions, codes: int | None) -> Answers | None:
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
        """Report the runs done, and how far the one that last told is inside itself."""
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
    found = _task_answers(
        TASKS[work.task], model, work.documents, work.training(number), work.questions[number], work.seed + number
    )
    if found.problem is None:
        units = run_units(work.task, work.corpus, work.folds)[number]
        remember_pace(pace_name(work.task, model.name), units, time.monotonic() - start)
    if work.results is not None:
        work.results.put(key, found)
    return found


def right_answers(
    evaluation: Evaluation, corpus: Corpus, model: str, *, beside: str | None = None
) -> tuple[Floats, Ints]:
    """Return 1 where the model's answer is right and 0 elsewhere (no answer is not right), and the topic of each question;
    folds that this model, or the one `beside` it, could not be run on are left out."""
    right, topics = [np.empty(0)], [np.empty(0, dtype=np.int64)]
    left_out = set() if beside is None else {run.fold for run in evaluation.of(beside) if run.problem is not None}
    for run, questions, found in evaluation.answered(model):
        if run.fold not in left_out:
            right.append(found.astype(np.float64))
            topics.append(corpus.topic_codes[questions.lead])
    return np.concatenate(right), np.concatenate(topics)


def wrong_answers(evaluation: Evaluation, run: Run) -> Bools:
    """Return which of a run's answers are given and not right: no answer is neither right nor wrong."""
    right = TASKS[evaluation.task].right(evaluation.questions[run.fold].truth, run.answers)
    return np.asarray(~right & (run.answers != UNANSWERED))


def _task_answers(
    task: Task, model: Any, documents: Documents, training: Training, questions: Questions, seed: int
) -> Answers:
    if problem := questions.problem or training.problem:
        return Answers(np.empty(0), (), problem)
    try:
        answers, notes = task.answer(model, documents, training, questions, seed)
    except LeakscopeError as error:
        return Answers(np.empty(0), (), str(error))
    return Answers(answers, (*training.notes, *notes))


PROCESS = 400_000_000  # bytes of a process that has loaded what models need
SECONDS_A_UNIT = {"verification": 6e-6, "attribution": 1.5e-7}  # where no model has run here yet
FEWER_AUTHORS = 200
HEAVY = 0.4  # of what is allowed: a model that takes more is one to leave out
SHARE = 0.6  # of the machine's memory, where nothing else is given
JOB_MEMORY = "LEAKSCOPE_JOB_MEMORY"  # megabytes
FEW_AUTHORS, FEW_FOLDS, FEW_MODELS = 50, 3, 2
SAMPLED_FROM = 4  # topics at least
A_GUESS = 10.0  # times as long may take what has never run here


@dataclass(frozen=True, slots=True)
class Estimate:
    """What runs still to be computed cost."""

    runs: int  # to compute
    seconds: float
    memory: float  # bytes, together
    by_model: dict[str, float]  # bytes of each model
    unmeasured: tuple[str, ...] = ()  # models that never ran here, so `seconds` is a guess

    @property
    def most_seconds(self) -> float:
        """Return the seconds, with room for a wrong guess where a model has never run here."""
        return self.seconds * (A_GUESS if self.unmeasured else 1.0)


def estimate_runs(
    corpus: Corpus,
    folds: Folds,
    *,
    task: str,
    models: Sequence[str],
    seed: int = 0,
    pairing: str = "matched",
    calibration: str = OWN,
    vectors_key: str = "",
    results: ResultStore | None = None,
) -> Estimate:
    """Return what `evaluate` would still have to do with the same choices."""
    keys = missing_keys(
        corpus,
        folds,
        task=task,
        models=models,
        seed=seed,
        pairing=pairing,
        calibration=calibration,
        vectors_key=vectors_key,
        results=results,
    )
    seconds, memory, unmeasured = 0.0, dict.fromkeys(models, 0.0), dict[str, None]()
    units, sizes = run_units(task, corpus, folds), [each.training for each in _fold_measures(corpus, folds)]
    for missing, (model, fold) in zip(keys, product(dict.fromkeys(models), range(len(folds))), strict=True):
        if missing:
            known = seconds_for(pace_name(task, model), units[fold], otherwise=TASKS[task].models[model].pace)
            if known is None:
                unmeasured[model] = None
            seconds += SECONDS_A_UNIT[task] * units[fold] if known is None else known
            memory[model] = max(memory[model], TASKS[task].models[model].memory(sizes[fold]))
    runs = sum(keys)
    at_once = min(cores(), max(runs, 1))
    largest = sorted(memory.values(), reverse=True)[:1] * at_once
    together = at_once * PROCESS + sum(largest) if runs else 0.0
    return Estimate(runs, seconds / at_once, together, memory, tuple(unmeasured))


@dataclass(frozen=True, slots=True)
class NoRoom:
    """What does not fit into memory, and what would help."""

    allowed: float  # bytes
    heavy: tuple[str, ...]  # models that need most
    light: tuple[str, ...]  # the other models
    sentence: str
    fewer_authors: int | None  # at most this many would fit; None where there are no more
    two_texts: bool  # only authors with two texts would fit


def allowed_memory() -> float:
    """Return the bytes one job may take: LEAKSCOPE_JOB_MEMORY, or six tenths of the machine's memory."""
    words = os.environ.get(JOB_MEMORY, "")
    given = int(words) if words.isascii() and words.isdigit() else 0
    return given * 1e6 or SHARE * psutil.virtual_memory().total


def no_room(corpus: Corpus, cost: Estimate, *, task: str, allowed: float) -> NoRoom | None:
    """Return why runs that cost so much cannot be started, or None where they fit."""
    if cost.memory <= allowed:
        return None
    kinds, authors = TASKS[task].models, len(corpus.author_names or ())
    heavy = tuple(name for name, needed in cost.by_model.items() if needed > HEAVY * allowed)
    whose = listed([kinds[name].label for name in heavy]) if heavy else "these models"
    people = "authors" if corpus.class_word == "author" else "classes"
    return NoRoom(
        allowed=allowed,
        heavy=heavy,
        light=tuple(name for name in cost.by_model if name not in heavy) if heavy else (),
        sentence=f"This would take about {cost.memory / 1e9:,.0f} GB, and a job may use {allowed / 1e9:.1f} GB here: "
        f"{whose} keep{'s' if len(heavy) == 1 else ''} weights for every word and each of {authors:,} {people}",
        fewer_authors=FEWER_AUTHORS if authors > FEWER_AUTHORS else None,
        two_texts=not TASKS[task].asks_pairs,
    )


def has_room(corpus: Corpus, *, task: str, models: Sequence[str], allowed: float) -> bool:
    """Return whether any folds of a corpus fit: reckoned as if all of it were a training side, on every core at once."""
    whole = Size(len(corpus), sum(map(len, corpus.texts)), len(corpus.author_names or ()))
    most = max(TASKS[task].models[model].memory(whole) for model in models)
    return cores() * (PROCESS + most) <= allowed


@dataclass(frozen=True, slots=True)
class Proposal:
    """Models and folds to begin with, how many authors to keep (None: all), and what that costs."""

    models: tuple[str, ...]
    k: int
    authors: int | None
    estimate: Estimate


def quickest_run(corpus: Corpus, *, task: str, models: Sequence[str], **choices: Any) -> Proposal | None:
    """Return the cheapest of these models on topic folds; None where the corpus is too small for any. Choices as `estimate_runs`."""
    named = len(corpus.author_names or ())
    few = FEW_AUTHORS if named > FEW_AUTHORS else None
    try:
        kept = with_prolific_authors(corpus, at_least=1, at_most=few)
        k = min(FEW_FOLDS, len(kept.topic_names))
        folds = make_folds(kept, scheme="topic-kfold", k=k, seed=choices.get("seed", 0))
    except LeakscopeError:
        return None
    costs = {model: estimate_runs(kept, folds, models=[model], task=task, **choices) for model in models}
    chosen = cheapest_models(costs, task)
    return Proposal(chosen, k, few, estimate_runs(kept, folds, models=chosen, task=task, **choices))


def cheapest_models(costs: Mapping[str, Estimate], task: str) -> tuple[str, ...]:
    """Return the two models that cost least, in the order given."""
    if any(cost.unmeasured for cost in costs.values()):  # a guess of seconds ranks nothing
        cheapest = sorted(costs, key=lambda model: TASKS[task].models[model].slow)[:FEW_MODELS]
    else:
        cheapest = sorted(costs, key=lambda model: costs[model].seconds)[:FEW_MODELS]
    return tuple(model for model in costs if model in cheapest)


def need_authors(corpus: Corpus) -> None:
    """Refuse what needs two authors, or classes, where there are not two."""
    names = corpus.author_names
    if names is None or len(names) < 2:
        known = "no authors" if names is None else f"only one {corpus.class_word}"
        raise SettingError(f"This corpus has {known}. Models need two or more, or another label to predict.")


def need_topics(corpus: Corpus) -> int:
    """Return the number of topics, where there are enough to sample from."""
    if len(corpus.topic_names) < SAMPLED_FROM:
        raise SettingError("Sampling needs four topics or more; this corpus has fewer.")
    return len(corpus.topic_names)
