"""The leakage curve: score against how similar training topics may be, with size, classes and test documents held equal.

For a test topic the other topics are sorted by similarity, nearest first. At level q the nearest topics that hold a share q
of the other documents are left out; the rest is allowed. Training holds equally many documents of every class at every
level, so that only the topics differ. The cost of leakage is the score at q = 0 minus the score at the last level.

Fewer topics are also less varied training. So the last level is planned a second time in reverse, with the least similar
topics left out, as a reference: if the order of topics did not matter, both would cost the same.
"""

import csv
import hashlib
import io
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import product
from math import isnan, nan
from pathlib import Path

import numpy as np

from ..arrays import Bools, Floats, Ints, Singles, digest, known_mean, largest, record, seeded, text_digest
from ..corpora import Corpus
from ..corpora.readers import File, decoded
from ..engine import cores, each, remember_pace, seconds_for
from ..errors import InputError, LeakscopeError, SettingError
from ..formats import counted
from ..models import Classifier, Documents, TermCounts, words
from ..models.attribution import CLASSIFIERS, FREQUENT, WordSvm
from ..progress import Pace, Progress
from ..statistics import MeanEffect, holm, mean_effect, t_interval
from ..topics import TopicSpace, check_documents, nearest_similarity
from .answers import first_ids
from .own_answers import known_class
from .run import PROCESS, SECONDS_A_UNIT, Estimate
from .store import Answers, ResultStore

LEVELS = (0.0, 0.1, 0.2, 0.35, 0.5)
DRAWS = 3
MOST_LABELS = 100  # classes: one-vs-rest solvers grow with them
SMALLEST_TOPIC = 10  # documents of a topic that is tested
FEWEST_TRAINING, FEWEST_LABELS, FEWEST_TESTED = (
    20,
    2,
    5,
)  # training documents, classes and test documents of a tested topic
MOST_ROWS = 50_000_000  # row numbers of a plan: 400 MB
VERSION = 1  # raised by a change of code that changes answers
SIGNIFICANT = 0.05
PACES = {
    "word_svm": 5e-6,
    "function_words": 3e-6,
    "max_ent": 1.3e-5,
    "char_svm": 6e-5,
}  # seconds a unit, until run here

CONTENT, FUNCTION, ALL = "content", "function", "all"
CONTROLS = (CONTENT, FUNCTION, ALL)
JUDGING = (CONTENT, ALL)  # the controls whose cost the verdict goes by


# --- The plan -----------------------------------------------------------------------------------------------------------


@record
class CurvePlan:
    """Training and test rows of every tested topic, level and draw, in an order that does not depend on the file."""

    levels: tuple[float, ...]  # shares of the other documents that are left out, nearest topics first
    draws: int
    seed: int
    labels: Ints  # the class of every document, −1 where it takes no part
    topics: Ints  # the tested topics
    test: tuple[Ints, ...]  # rows, per topic
    train: tuple[tuple[tuple[Ints, ...], ...], ...]  # rows, per topic, level and draw
    nearest: Floats  # similarity of the nearest allowed topic, topics × levels
    allowed: Ints  # how many topics training may come from, topics × levels
    left_out: Mapping[int, str]  # topic → incomparable, small, training, labels, test or sampled
    unknown: int  # documents without a class
    rare: int  # classes beyond the most frequent
    unmatched: int  # classes that no tested topic could match
    most_training: int | None  # documents that a training set is limited to, where more could be matched
    most_tested: int | None  # documents that a test topic is limited to, where one has more
    reference: "CurvePlan | None" = None  # first and last level with the least similar topics left out instead

    @property
    def parts(self) -> "tuple[CurvePlan, ...]":
        """Return the plan and, where there is one, its reference."""
        return (self,) if self.reference is None else (self, self.reference)

    @property
    def tested(self) -> Ints:
        """Return the number of test documents per topic."""
        return np.array([len(rows) for rows in self.test], dtype=np.int64)

    @property
    def trained(self) -> Ints:
        """Return the number of training documents per topic, the same at every level."""
        return np.array([len(levels[0][0]) for levels in self.train], dtype=np.int64)

    @property
    def classes(self) -> int:
        """Return how many classes are in training and test."""
        return len(np.unique(np.concatenate([self.labels[levels[0][0]] for levels in self.train])))

    @property
    def used(self) -> Ints:
        """Return the rows that any training or test set holds, the reference's too."""
        train = (rows for part in self.parts for topic in part.train for level in topic for rows in level)
        return np.unique(np.concatenate([*(rows for part in self.parts for rows in part.test), *train]))

    @property
    def digest(self) -> str:
        """Return what names this plan without its reference: the same rows of other documents are another plan's."""
        rows = [[topic, *(side.tolist() for level in train for side in level)] for topic, train in self._trained()]
        return digest([self.levels, self.draws, rows, [rows.tolist() for rows in self.test]])[:16]

    def _trained(self) -> Iterator[tuple[int, tuple[tuple[Ints, ...], ...]]]:
        return zip(self.topics.tolist(), self.train, strict=True)


def author_labels(corpus: Corpus) -> Ints:
    """Return every document's author as a code, −1 where it is unknown."""
    if corpus.author_codes is None:
        raise SettingError("The corpus has no authors. Choose an author column, or another label to predict.")
    return np.where(corpus.known_authors[corpus.author_codes], corpus.author_codes, -1)


def curve_plan(
    corpus: Corpus,
    space: TopicSpace,
    labels: Ints,
    *,
    levels: Sequence[float] = LEVELS,
    draws: int = DRAWS,
    seed: int = 0,
    most_topics: int | None = None,
    most_training: int | None = None,
    most_tested: int | None = None,
    most_labels: int = MOST_LABELS,
) -> CurvePlan:
    """Plan the curve of `labels`, a class code per document (−1: none), with at most `most_topics` tested topics.

    For every class the training set holds n documents at every level and draw, n being the smallest count over the allowed
    sets, scaled down where all would exceed `most_training`; of more than `most_tested` test documents this many are drawn. A draw gives every document one rank, and a level takes the
    first of those it allows, so that levels differ by topics and as little as possible by chance.
    """
    check_documents(corpus, space)
    levels = tuple(float(level) for level in levels)
    if levels[:1] != (0.0,) or len(levels) < 2 or list(levels) != sorted(set(levels)) or levels[-1] >= 1:
        raise SettingError(f"Levels {', '.join(f'{level:g}' for level in levels)}: start at 0 and rise to less than 1.")
    if (
        draws < 1
        or any(most is not None and most < 1 for most in (most_topics, most_training, most_tested))
        or most_labels < 2
    ):
        raise SettingError("Draws, topics and training documents must be 1 or more, and classes 2 or more.")
    if len(labels) != len(corpus):
        raise SettingError(f"{len(labels):,} labels for {len(corpus):,} documents; one each is needed.")
    taking_part, rare = frequent_labels(labels, space.comparable[corpus.topic_codes], most_labels)
    used = np.flatnonzero(taking_part >= 0)
    counts = label_counts(corpus, taking_part)
    if not corpus.has_authors and space.comparable.sum() >= 3 and (reason := not_learnable(corpus, counts)):
        raise SettingError(reason)
    order = rows_by_content(corpus, used)
    chance = seeded(seed, "topics tested").permutation(len(space))
    candidates = range(len(space)) if most_topics is None else np.argsort(chance).tolist()
    sides, left_out = dict[int, _AllowedTopics](), dict[int, str]()
    for topic in candidates:
        found = "sampled" if len(sides) == most_topics else _sides(space, counts, topic, levels, most_training)
        if isinstance(found, str):
            left_out[topic] = found
        else:
            sides[topic] = found
    if not sides:
        raise SettingError(_nothing_to_test(corpus, space, counts))
    if sum(side.matched.sum() for side in sides.values()) * (len(levels) + 2) * draws > MOST_ROWS:
        raise SettingError("The plan does not fit in memory. Test fewer topics, or limit the training documents.")
    ends = (levels[0], levels[-1])
    mirrored = {topic: _sides(space, counts, topic, ends, most_training, reverse=True) for topic in sorted(sides)}
    matched = np.any([side.matched > 0 for side in sides.values()], axis=0)
    asked = [counts[topic][side.matched > 0].sum() for topic, side in sides.items()]
    cut_tests = most_tested is not None and max(asked) > most_tested

    def planned(
        levels: tuple[float, ...], sides: Mapping[int, _AllowedTopics], reference: CurvePlan | None
    ) -> CurvePlan:
        topics = sorted(sides)
        parts = [(topic, sides[topic]) for topic in topics]
        return CurvePlan(
            levels=levels,
            draws=draws,
            seed=seed,
            labels=taking_part,
            topics=np.array(topics, dtype=np.int64),
            test=tuple(_test_rows(corpus, order, taking_part, *part, most_tested, seed) for part in parts),
            train=tuple(_training_rows(corpus, order, taking_part, *part, draws, seed) for part in parts),
            nearest=np.array([side.nearest for _, side in parts]),
            allowed=np.array([[len(topics) for topics in side.allowed] for _, side in parts], dtype=np.int64),
            left_out=dict(sorted(left_out.items())),
            unknown=int((labels < 0).sum()),
            rare=rare,
            unmatched=int((counts.any(axis=0) & ~matched).sum()),
            most_training=most_training if any(side.cut for side in sides.values()) else None,
            most_tested=most_tested if cut_tests else None,
            reference=reference,
        )

    known = {topic: side for topic, side in mirrored.items() if not isinstance(side, str)}
    return planned(levels, sides, planned(ends, known, None) if known else None)


@record
class _AllowedTopics:
    """Of a tested topic: the allowed topics and the nearest similarity per level, and the training documents per class."""

    allowed: tuple[Ints, ...]
    nearest: Floats
    matched: Ints
    cut: bool  # whether more training documents could be matched


def label_counts(corpus: Corpus, labels: Ints) -> Ints:
    """Return how many documents every topic has of every class, topics × classes; −1 is no class."""
    counts = np.zeros((len(corpus.topic_names), int(labels.max(initial=0)) + 1), dtype=np.int64)
    used = np.flatnonzero(labels >= 0)
    np.add.at(counts, (corpus.topic_codes[used], labels[used]), 1)
    return counts


def rows_by_content(corpus: Corpus, rows: Ints) -> Ints:
    """Return the rows in order of their texts, so that a seeded draw depends neither on the file's order nor on ids."""
    return np.array(sorted(rows.tolist(), key=lambda row: (corpus.texts[row], corpus.ids[row])), dtype=np.int64)


def frequent_labels(labels: Ints, comparable: Bools, most: int) -> tuple[Ints, int]:
    """Return the classes with most documents of comparable topics, others and topics set to −1; and how many classes that drops."""
    known = np.where(comparable, labels, -1)
    if not (known >= 0).any():
        raise SettingError("No document of a comparable topic has a class to predict. Choose another column.")
    sizes = np.bincount(known[known >= 0])
    kept = largest(sizes, most)
    return np.where(np.isin(known, kept), known, -1), max(0, int((sizes > 0).sum()) - most)


def _sides(
    space: TopicSpace,
    counts: Ints,
    topic: int,
    levels: Sequence[float],
    most_training: int | None,
    *,
    reverse: bool = False,
) -> _AllowedTopics | str:
    """Find a tested topic's allowed topics and training counts, or why it is left out; `reverse` leaves out the least similar."""
    if not space.comparable[topic]:
        return "incomparable"
    if space.sizes[topic] < SMALLEST_TOPIC:
        return "small"
    similarity, sizes = space.similarity[topic], counts.sum(axis=1)
    others = np.flatnonzero(~np.isnan(similarity) & (sizes > 0) & (np.arange(len(space)) != topic))
    others = others[np.argsort(-similarity[others], kind="stable")][:: -1 if reverse else 1]
    before = np.concatenate([[0], np.cumsum(sizes[others])])  # documents in the first 0, 1, 2, … topics
    starts = [int(np.searchsorted(before, level * before[-1] - 1e-9)) for level in levels]
    if starts[-1] >= len(others):
        return "training"
    allowed = tuple(others[start:] for start in starts)
    # Fewer documents are allowed at every further level: the last has the smallest count of every class.
    matched = counts[allowed[-1]].sum(axis=0)
    cut = most_training is not None and bool(matched.sum() > most_training)
    if most_training is not None and cut:
        matched = matched * most_training // matched.sum()
    if matched.sum() < FEWEST_TRAINING:
        return "training"
    if (matched > 0).sum() < FEWEST_LABELS:
        return "labels"
    if counts[topic][matched > 0].sum() < FEWEST_TESTED:
        return "test"
    inside = [np.isin(np.arange(len(space)), topics) for topics in allowed]
    nearest = nearest_similarity(space, np.where(inside, similarity, np.nan))
    return _AllowedTopics(allowed, nearest, matched, cut)


def _test_rows(
    corpus: Corpus, order: Ints, labels: Ints, topic: int, sides: _AllowedTopics, most: int | None, seed: int
) -> Ints:
    rows = order[corpus.topic_codes[order] == topic]
    rows = np.asarray(rows[sides.matched[labels[rows]] > 0])
    if most is None or len(rows) <= most:
        return rows
    drawn = seeded(seed, f"{corpus.topic_names[topic]}\0test").permutation(len(rows))[:most]
    return np.asarray(rows[np.sort(drawn)])


def _training_rows(
    corpus: Corpus, order: Ints, labels: Ints, topic: int, sides: _AllowedTopics, draws: int, seed: int
) -> tuple[tuple[Ints, ...], ...]:
    """Return rows per level and draw: of every class the first documents of a seeded order that the level allows."""
    drawn = []
    for draw in range(draws):
        rank = seeded(seed, f"{corpus.topic_names[topic]}\0{draw}").permutation(len(order))
        by_label = rank[np.argsort(labels[order[rank]], kind="stable")]  # places in `order`, class by class
        drawn.append(
            [_first_allowed(corpus, order, by_label, labels, topics, sides.matched) for topics in sides.allowed]
        )
    return tuple(zip(*drawn, strict=True))


def _first_allowed(corpus: Corpus, order: Ints, by_label: Ints, labels: Ints, topics: Ints, matched: Ints) -> Ints:
    """Return each class's first `matched` documents of these topics, in the order of `order`."""
    allowed = np.zeros(len(corpus.topic_names), dtype=np.bool_)
    allowed[topics] = True
    places = by_label[allowed[corpus.topic_codes[order[by_label]]]]
    classes = labels[order[places]]
    starts = np.searchsorted(classes, np.arange(len(matched)))
    within = np.arange(len(places)) - starts[classes]
    return order[np.sort(places[within < matched[classes]])]


def not_learnable(corpus: Corpus, counts: Ints) -> str | None:
    """Return why nothing learned on some topics can be tested on others, and what would help; None where it can."""
    classes, word = int(counts.any(axis=0).sum()), corpus.class_word
    if classes < 2:
        return f"All documents have the same {word}, so there is nothing to predict. Choose another column."
    if not corpus.has_authors and ((counts > 0).sum(axis=1) < 2).all():
        return "Every topic has only one class, so nothing can be learned across topics. Choose another label or other topics."
    if ((counts > 0).sum(axis=0) < 2).all():
        return (
            f"None of the {classes:,} {'authors' if word == 'author' else 'classes'} occurs in two topics, so nothing can be matched. "
            "Add documents of theirs on other topics, or merge names that mean the same."
        )
    return None


def _nothing_to_test(corpus: Corpus, space: TopicSpace, counts: Ints) -> str:
    """Return why no topic can be tested, and what would help."""
    topics = int(space.comparable.sum())
    if topics >= 3 and (reason := not_learnable(corpus, counts)):
        return reason
    if topics < 3:
        return (
            f"Only {counted(topics, 'topic', 'has', 'have')} enough documents to compare. The leakage curve needs 3 or more; "
            "add topics, or documents to small ones."
        )
    if space.sizes[space.comparable].max() < SMALLEST_TOPIC:
        return f"No topic has {SMALLEST_TOPIC} documents. Add documents, or merge small topics."
    people = "authors" if corpus.class_word == "author" else "classes"
    return (
        f"No topic has {FEWEST_TESTED} test documents whose {people} have {FEWEST_TRAINING} documents on dissimilar topics. "
        "Add documents, or merge small topics."
    )


# --- Models and their answers -------------------------------------------------------------------------------------------


def control_models(corpus: Corpus, labels: Ints) -> dict[str, Classifier]:
    """Make the controls: content words, function words and all words.

    Function words are the FREQUENT most frequent words of the documents with a class, at most half of their vocabulary;
    content words are all others. One list holds for every fit, so that no level moves words from one model to the other.
    """
    counts, terms = TermCounts(words).of([corpus.texts[row] for row in np.flatnonzero(labels >= 0)])
    top = largest(np.asarray(counts.sum(axis=0)).ravel(), min(FREQUENT, len(terms) // 2))
    chosen = tuple(terms[column] for column in top)
    return {CONTENT: WordSvm(without=chosen), FUNCTION: WordSvm(only=chosen), ALL: WordSvm()}


@record
class CurveRun:
    """Every model's answers to a plan."""

    plan: CurvePlan
    accuracy: Mapping[str, Floats]  # model → topics × levels × draws, NaN where it could not be run
    predicted: Mapping[str, tuple[Ints, ...]]  # model → per topic: levels × draws × test documents, empty where not run
    problems: Mapping[str, str]  # model → why some of its fits failed
    fresh: int  # fits that were computed now
    reference: Mapping[str, Floats]  # model → accuracy on the plan's reference; none where there is no reference


def run_curve(
    corpus: Corpus,
    plan: CurvePlan,
    models: Mapping[str, Classifier],
    *,
    vectors: Singles | None = None,
    results: ResultStore | None = None,
    progress: Progress | None = None,
) -> CurveRun:
    """Fit every model on every training set of the plan, on all cores; what is in `results` is not computed again."""
    used = np.zeros(len(corpus), dtype=np.bool_)
    used[plan.used] = True
    texts = [text if use else "" for text, use in zip(corpus.texts, used, strict=True)]  # workers need no others
    work = _CurveWork(Documents(texts, vectors, corpus.author_names or ()), plan, dict(models))
    tasks = _curve_tasks(plan, models)
    keys = _run_keys(corpus, plan, models, tasks)
    known = [_stored_curve(results, key, plan, task) for key, task in zip(keys, tasks, strict=True)]
    missing = sorted(
        (index for index, found in enumerate(known) if found is None),
        key=lambda index: -(seconds_for(_pace(models[tasks[index].model]), _work_units(plan, tasks[index])) or 0.0),
    )
    pace = Pace()
    with closing(each(_fit_levels, [tasks[index] for index in missing], shared=work)) as answered:
        for done, (place, found) in enumerate(answered, start=1):
            index = missing[place]
            known[index] = found
            if results is not None:
                results.put(keys[index], found)
            if progress is not None:
                left = pace.left(done, len(missing) - done)
                progress(len(tasks) - len(missing) + done, len(tasks), name_of(tasks[index].model), left)
    if results is not None and missing:
        results.prune()
    fresh = sum(len(_plan_part(plan, tasks[index]).levels) for index in missing)
    return _collected(plan, tuple(models), tasks, known, fresh)


def name_of(model: str) -> str:
    """Return what progress calls a model: a control, one of ours by its label, or one's own."""
    if model in (CONTENT, FUNCTION, ALL):
        return f"{model} words"
    return CLASSIFIERS[model].label if model in CLASSIFIERS else model


def curve_estimate(
    corpus: Corpus, plan: CurvePlan, models: Mapping[str, Classifier], *, results: ResultStore | None = None
) -> Estimate:
    """Estimate the fits that are not in `results`, and their time and memory."""
    tasks = _curve_tasks(plan, models)
    keys = _run_keys(corpus, plan, models, tasks)
    missing = [task for key, task in zip(keys, tasks, strict=True) if _stored_curve(results, key, plan, task) is None]
    units = [(task.model, _work_units(plan, task)) for task in missing]
    return fits_estimate(units, models, fits=sum(len(_plan_part(plan, task).levels) for task in missing))


def fits_estimate(units: Sequence[tuple[str, float]], models: Mapping[str, Classifier], *, fits: int) -> Estimate:
    """Estimate time and memory of tasks, each a model and what its time grows with; models never run here are named."""
    seconds, unmeasured = 0.0, dict[str, None]()
    for name, size in units:
        known = seconds_for(_pace(models[name]), size, otherwise=PACES.get(models[name].name))
        if known is None:
            unmeasured[name] = None
        seconds += SECONDS_A_UNIT["attribution"] * size if known is None else known
    at_once = min(cores(), max(len(units), 1))
    return Estimate(fits, seconds / at_once, at_once * PROCESS if units else 0.0, {}, tuple(unmeasured))


@record
class _CurveTask:
    """One model, one tested topic and one draw: a fit per level of the plan, or of its reference."""

    model: str
    part: int  # of the plan's parts
    topic: int
    draw: int


def _curve_tasks(plan: CurvePlan, models: Mapping[str, Classifier]) -> list[_CurveTask]:
    return [
        _CurveTask(name, number, topic, draw)
        for name, (number, part) in product(models, enumerate(plan.parts))
        for topic, draw in product(range(len(part.topics)), range(part.draws))
    ]


def _plan_part(plan: CurvePlan, task: _CurveTask) -> CurvePlan:
    return plan.parts[task.part]


@record
class _CurveWork:
    """What all fits share."""

    documents: Documents
    plan: CurvePlan
    models: dict[str, Classifier]


def _fit_levels(work: _CurveWork, task: _CurveTask) -> Answers:
    """Return a model's answers for one topic and draw, level after level; equal training sets are fitted once."""
    plan, model, start = _plan_part(work.plan, task), work.models[task.model], fit_clock()
    asked, answers, last = work.documents.part(plan.test[task.topic]), list[Floats](), np.empty(0, dtype=np.int64)
    try:
        for level in plan.train[task.topic]:
            rows = level[task.draw]
            if not answers or not np.array_equal(rows, last):
                fitted = model.fit(work.documents.part(rows), plan.labels[rows], seed=plan.seed)
                given = fitted.predict(asked).astype(np.float64)
            answers.append(given)
            last = rows
    except LeakscopeError as problem:
        return Answers(np.empty(0), (), str(problem))
    remember_pace(_pace(model), _work_units(work.plan, task), time.process_time() - start)
    return Answers(np.concatenate(answers), ())


def fit_clock() -> float:
    """Return the processor time, with the solvers loaded: a first fit of few documents would count their import as its pace."""
    import sklearn.svm  # noqa: F401

    return time.process_time()


def _pace(model: Classifier) -> str:
    return f"curve:{model.name}"


def _work_units(plan: CurvePlan, task: _CurveTask) -> float:
    """Return what a task's time is proportional to: training documents × classes × levels."""
    part = _plan_part(plan, task)
    rows = part.train[task.topic][0][0]
    return float(len(rows) * len(np.unique(plan.labels[rows])) * len(part.levels))


def _run_keys(
    corpus: Corpus, plan: CurvePlan, models: Mapping[str, Classifier], tasks: Sequence[_CurveTask]
) -> list[str]:
    """Return what determines each task's answers: the model, the seed, and text and class of every document."""
    named = named_rows(corpus, plan.labels, plan.used)
    sides = {
        (number, topic, draw): [named(part.test[topic]), *(named(level[draw]) for level in part.train[topic])]
        for number, part in enumerate(plan.parts)
        for topic, draw in product(range(len(part.topics)), range(part.draws))
    }
    settings = {name: model.key() for name, model in models.items()}
    return [
        digest(["curve", VERSION, settings[task.model], plan.seed, *sides[task.part, task.topic, task.draw]])
        for task in tasks
    ]


def named_rows(corpus: Corpus, labels: Ints, used: Ints) -> Callable[[Ints], str]:
    """Return a function that names a set of these rows by the text and class of every document, in order."""
    content = np.zeros((len(corpus), 32), dtype=np.uint8)
    for row in used.tolist():
        content[row] = np.frombuffer(text_digest(f"{labels[row]}\0{corpus.texts[row]}"), dtype=np.uint8)
    return lambda rows: hashlib.sha256(content[rows].tobytes()).hexdigest()


def _stored_curve(results: ResultStore | None, key: str, plan: CurvePlan, task: _CurveTask) -> Answers | None:
    """Return the stored answers of a key, or None if they cannot be answers to this."""
    found = None if results is None else results.get(key)
    if found is None or found.problem is not None:
        return found
    part = _plan_part(plan, task)
    return found if len(found.answers) == len(part.levels) * len(part.test[task.topic]) else None


def _collected(
    plan: CurvePlan, models: Sequence[str], tasks: Sequence[_CurveTask], known: Sequence[Answers | None], fresh: int
) -> CurveRun:
    predicted = {
        name: [np.full((len(plan.levels), plan.draws, len(rows)), -1, dtype=np.int64) for rows in plan.test]
        for name in models
    }
    accuracies = [
        {name: np.full((len(part.topics), len(part.levels), part.draws), nan) for name in models} for part in plan.parts
    ]
    problems: dict[str, str] = {}
    for task, found in zip(tasks, known, strict=True):
        assert found is not None
        if found.problem is not None:
            problems.setdefault(task.model, found.problem)
            continue
        part = _plan_part(plan, task)
        given = found.answers.astype(np.int64).reshape(len(part.levels), -1)
        right = given == plan.labels[part.test[task.topic]]
        accuracies[task.part][task.model][task.topic, :, task.draw] = right.mean(axis=1)
        if part is plan:
            predicted[task.model][task.topic][:, task.draw] = given
    answers = {name: tuple(each) for name, each in predicted.items()}
    return CurveRun(plan, accuracies[0], answers, problems, fresh, accuracies[1] if len(accuracies) > 1 else {})


# --- Summary ------------------------------------------------------------------------------------------------------------


@record
class ModelCurve:
    """One model along the curve; scores are shares of right answers."""

    scores: Floats  # per level, weighted by test documents
    low: Floats  # 95% band per level, without what differs between topics
    high: Floats
    by_topic: Floats  # topics × levels, mean over draws
    cost: MeanEffect  # score at the first level minus score at the last, per topic
    p: float  # that the cost and the effect of similarity are both 0 or apart in sign, after Holm's correction over the models
    above_chance: MeanEffect  # score at the first level minus that of always answering training's largest class
    dissimilar: MeanEffect | None = None  # cost of leaving out the least similar topics instead; None: not measured

    @property
    def similarity(self) -> MeanEffect:
        """Return what similarity adds: the cost minus that of leaving out the least similar topics, where it was measured."""
        return self.cost if self.dissimilar is None else mean_effect(self.cost.values - self.dissimilar.values)


@record
class CurveSample:
    """What a plan measures of a corpus that it cannot measure whole."""

    topics_not_tested: int
    classes: int
    rare: int  # classes beyond those with most documents
    most_training: int | None  # documents of a training set, where that is a limit
    most_tested: int | None  # documents of a test topic, where that is a limit


@record
class CurveSummary:
    """What a curve shows."""

    similarity: Floats  # nearest allowed topic's, mean over test topics, per level
    models: Mapping[str, ModelCurve]
    starts_at: float  # highest similarity per level at which the judging control is not above its last level; NaN: no effect is shown
    judged_by: str  # the control that decides: content words, or all words where those are at chance
    reading: str  # topic, more, variety, nothing, chance or unknown
    content_minus_function: MeanEffect  # difference of the two costs, per topic
    training_documents: float  # mean over test topics
    test_documents: int
    topics: int
    training_topics: Floats  # mean number of allowed topics, per level
    sample: CurveSample | None = None  # what the plan could measure; None where it left out nothing
    untestable: int = 0  # comparable topics with too few documents or classes to be tested

    @property
    def few_tested(self) -> bool:
        """Return whether less than half of the topics could be tested, so that the others may behave differently."""
        return self.topics < self.untestable


def summarise_curve(
    plan: CurvePlan, accuracy: Mapping[str, Floats], reference: Mapping[str, Floats] | None = None
) -> CurveSummary:
    """Summarise accuracies (topics × levels × draws) per model; the controls decide how to read the curve.

    `reference` are accuracies on the plan's reference. A cost is significant only if similarity adds to the score too: the
    p-value is the larger of both, and 1 where they differ in sign. Of answers that come without a reference it is that of the
    cost alone; where the plan has none, the controls have no p-value.
    """
    chance = _chance(plan)
    curves: dict[str, ModelCurve] = {}
    for name, values in accuracy.items():
        by_topic = known_mean(values, axis=2)
        cost = mean_effect(by_topic[:, 0] - by_topic[:, -1], seed=plan.seed)
        scores = _weighted(by_topic, plan.tested)
        half = _band(by_topic)
        above = mean_effect(by_topic[:, 0] - chance, seed=plan.seed)
        dissimilar = _dissimilar_cost(plan, (reference or {}).get(name))
        curves[name] = ModelCurve(scores, scores - half, scores + half, by_topic, cost, nan, above, dissimilar)
    known = {name for name in curves if plan.reference is not None or name not in CONTROLS}
    adjusted = holm([_both(curve.cost, curve.similarity) if name in known else None for name, curve in curves.items()])
    for name, p in zip(curves, adjusted, strict=True):
        curves[name] = replace(curves[name], p=nan if p is None else p)
    similarity = known_mean(plan.nearest, axis=0)
    judged_by = _judge(curves)
    both = curves.keys() >= {CONTENT, FUNCTION}
    gap = curves[CONTENT].cost.values - curves[FUNCTION].cost.values if both else np.empty(0)
    reading = _reading(curves, judged_by, mean_effect(gap, seed=plan.seed))
    return CurveSummary(
        similarity=similarity,
        models=curves,
        starts_at=_start(curves[judged_by].by_topic, similarity) if reading in ("topic", "more") else nan,
        judged_by=judged_by,
        reading=reading,
        content_minus_function=mean_effect(gap, seed=plan.seed),
        training_documents=float(plan.trained.mean()),
        test_documents=int(plan.tested.sum()),
        topics=len(plan.topics),
        training_topics=plan.allowed.mean(axis=0),
        sample=_curve_sample(plan),
        untestable=sum(why not in ("sampled", "incomparable") for why in plan.left_out.values()),
    )


def _curve_sample(plan: CurvePlan) -> CurveSample | None:
    untested = len(plan.left_out)
    found = CurveSample(untested, plan.classes, plan.rare, plan.most_training, plan.most_tested)
    return found if untested or plan.rare or plan.most_training or plan.most_tested else None


def _dissimilar_cost(plan: CurvePlan, accuracy: Floats | None) -> MeanEffect | None:
    """Return the cost on the reference per tested topic of the plan, NaN where it could not be matched; None without accuracies."""
    if plan.reference is None or accuracy is None:
        return None
    by_topic, values = known_mean(accuracy, axis=2), np.full(len(plan.topics), nan)
    values[np.searchsorted(plan.topics, plan.reference.topics)] = by_topic[:, 0] - by_topic[:, -1]
    return mean_effect(values, seed=plan.seed)


def _both(cost: MeanEffect, similarity: MeanEffect) -> float | None:
    """Return the p-value of an effect that both show (intersection–union test); None where one of them has none."""
    if isnan(cost.p) or isnan(similarity.p):
        return None
    return max(cost.p, similarity.p) if cost.mean * similarity.mean > 0 else 1.0


def _chance(plan: CurvePlan) -> Floats:
    """Return each topic's accuracy of always answering the largest training class."""
    found = []
    for test, train in zip(plan.test, plan.train, strict=True):
        largest_class = np.bincount(plan.labels[train[0][0]]).argmax()
        found.append(float((plan.labels[test] == largest_class).mean()))
    return np.array(found)


def _weighted(by_topic: Floats, weights: Ints) -> Floats:
    known = ~np.isnan(by_topic)
    total = (known * weights[:, None]).sum(axis=0)
    sums = (np.where(known, by_topic, 0.0) * weights[:, None]).sum(axis=0)
    return np.asarray(np.divide(sums, total, out=np.full(len(total), nan), where=total > 0))


def _band(by_topic: Floats) -> Floats:
    """Return half of the 95% interval per level without differences between topics (Cousineau 2005, corrected by Morey 2008)."""
    known = by_topic[~np.isnan(by_topic).any(axis=1)]
    topics, levels = known.shape
    if topics < 2:
        return np.full(levels, nan)
    centred = known - known.mean(axis=1, keepdims=True)
    squared = centred.var(axis=0, ddof=1) * levels / (levels - 1) / topics
    return np.array([t_interval(0.0, float(each), topics - 1)[1] for each in squared])


def _falls(curve: ModelCurve) -> bool:
    """Return whether the whole interval of the cost is above 0 and similarity is shown to be its cause, after Holm."""
    return curve.cost.low > 0 and curve.p <= SIGNIFICANT


def _above_chance(curve: ModelCurve) -> bool:
    """Return whether a model is shown to do better than guessing; equal in all topics, its lead has no interval."""
    lead = curve.above_chance
    return lead.low > 0 or (isnan(lead.low) and lead.mean > 0)


def _judge(curves: Mapping[str, ModelCurve]) -> str:
    """Return the control that decides: at chance content words cannot fall, so all words do."""
    if CONTENT in curves and (_above_chance(curves[CONTENT]) or _falls(curves[CONTENT])):
        return CONTENT
    return ALL if ALL in curves else CONTENT if CONTENT in curves else ""


def _reading(curves: Mapping[str, ModelCurve], judge: str, gap: MeanEffect) -> str:
    if not judge or isnan(curves[judge].cost.low):
        return "unknown"
    function = FUNCTION in curves and _falls(curves[FUNCTION])
    if _falls(curves[judge]):
        return "topic" if not function or gap.low > 0 else "more"
    if function:
        return "more"
    if not any(_above_chance(curves[name]) for name in JUDGING if name in curves):
        return "chance"  # what only guesses cannot fall
    found = curves[judge]
    varied = found.dissimilar is not None and found.dissimilar.mean > 0 and found.similarity.low <= 0
    return "variety" if found.cost.low > 0 and varied else "nothing"


def _start(by_topic: Floats, similarity: Floats) -> float:
    """Return the highest similarity below which no level's score is above the last level's by more than its 95% interval."""
    above = [mean_effect(by_topic[:, level] - by_topic[:, -1]).low > 0 for level in range(by_topic.shape[1] - 1)]
    if not above[0]:
        return nan
    return float(similarity[max(level for level, found in enumerate(above) if found) + 1])


# --- The quick cost -----------------------------------------------------------------------------------------------------

QUICK_LEVELS, QUICK_DRAWS = (0.0, 0.5), 1
QUICK_TOPICS, QUICK_LABELS = 24, 24  # at most this many topics are tested, and classes told apart
QUICK_TRAINING, QUICK_TESTED = 750, 200  # documents of a training set and of a test topic


def quick_plan(corpus: Corpus, space: TopicSpace, labels: Ints, *, seed: int = 0) -> CurvePlan:
    """Plan the cost alone: the two ends of the curve, one draw, and samples of topics, documents and classes."""
    return curve_plan(
        corpus,
        space,
        labels,
        levels=QUICK_LEVELS,
        draws=QUICK_DRAWS,
        seed=seed,
        most_topics=QUICK_TOPICS,
        most_training=QUICK_TRAINING,
        most_tested=QUICK_TESTED,
        most_labels=QUICK_LABELS,
    )


def quick_cost(
    corpus: Corpus,
    plan: CurvePlan,
    *,
    models: Mapping[str, Classifier] | None = None,
    results: ResultStore | None = None,
    progress: Progress | None = None,
) -> CurveSummary:
    """Compute what leakage costs content words and all words, for the verdict; `models` as `quick_models` makes them."""
    run = run_curve(corpus, plan, models or quick_models(corpus, plan), results=results, progress=progress)
    return summarise_curve(plan, run.accuracy, run.reference)


def quick_models(corpus: Corpus, plan: CurvePlan) -> dict[str, Classifier]:
    """Return the controls whose cost the verdict goes by."""
    used = np.full(len(corpus), -1, dtype=np.int64)
    used[plan.used] = plan.labels[plan.used]
    controls = control_models(corpus, used)
    return {name: controls[name] for name in JUDGING}


# --- The plan as a file, and answers from outside -----------------------------------------------------------------------


REFERENCE = "least similar"  # before the level of a training set of the reference


@record
class OwnCurve:
    """Accuracies of answers from a file, topics × levels × draws; of the reference only where it was answered too."""

    accuracy: Floats
    reference: Floats | None = None


def _training_sets(plan: CurvePlan) -> Iterator[tuple[CurvePlan, int, int, int]]:
    """Yield every training set of the plan and of its reference: the part, and the indices of topic, level and draw."""
    for part in plan.parts:
        for point in product(range(len(part.topics)), range(len(part.levels)), range(part.draws)):
            yield (part, *point)


def _level_written(plan: CurvePlan, part: CurvePlan, level: int) -> float | str:
    return part.levels[level] if part is plan else f"{REFERENCE} {part.levels[level]:g}"


def plan_file(corpus: Corpus, plan: CurvePlan, format: str) -> bytes:
    """Return the plan as JSON lines, or as CSV: a line per document of every training set and of its test documents."""
    if format != "csv":
        return "".join(f"{line}\n" for line in plan_lines(corpus, plan)).encode("utf-8", "replace")
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("topic", "level", "draw", "side", "id"))
    for part, topic, level, draw in _training_sets(plan):
        point = corpus.topic_names[part.topics[topic]], _level_written(plan, part, level), draw
        for side, rows in (("train", part.train[topic][level][draw]), ("test", part.test[topic])):
            table.writerows((*point, side, corpus.ids[row]) for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def plan_lines(corpus: Corpus, plan: CurvePlan) -> Iterator[str]:
    """Write the plan as JSON lines: a header, then ids and classes of one training set and its test documents a line."""
    header = {"plan": plan.digest, "levels": plan.levels, "draws": plan.draws, "seed": plan.seed, "corpus": corpus.name}
    yield json.dumps(header, ensure_ascii=False)
    for part, topic, level, draw in _training_sets(plan):
        line = {
            "topic": corpus.topic_names[part.topics[topic]],
            "level": _level_written(plan, part, level),
            "draw": draw,
            "train": [corpus.ids[row] for row in part.train[topic][level][draw]],
            "test": [corpus.ids[row] for row in part.test[topic]],
        }
        yield json.dumps(line, ensure_ascii=False)


def read_answer_files(
    files: Sequence[File], corpus: Corpus, plan: CurvePlan, label_names: Sequence[str]
) -> dict[str, OwnCurve]:
    """Read files of answers to the plan; return accuracies by the files' names without their endings."""
    return {Path(each.name).stem: read_answers(each.data, each.name, corpus, plan, label_names) for each in files}


def read_answers(data: bytes, name: str, corpus: Corpus, plan: CurvePlan, label_names: Sequence[str]) -> OwnCurve:
    """Read a file of answers to the plan; return their accuracies.

    JSON lines with topic, level, draw and `answers` (class names in the order of the plan's test ids), or a table with
    columns topic, level, draw, id and answer. Every question must be answered once; the reference may be left out.
    """
    text, _ = decoded(data, name)
    parts = plan.parts
    places = [{corpus.topic_names[topic]: place for place, topic in enumerate(part.topics.tolist())} for part in parts]
    classes = dict.fromkeys(label_names)
    answered: list[dict[tuple[int, int, int], dict[str, str]]] = [{} for _ in parts]
    expected = plan.digest  # computed once: it reads the whole plan
    for number, cells, given in _answer_rows(text, name, expected):
        where = f"{name}: line {number}"
        if cells.get("plan", expected) != expected:
            raise InputError(f"{where}: these answers are to another plan ({cells['plan']}). Export the plan again.")
        (part, level), draw = _level_number(cells, parts, where), _cell_number(cells.get("draw"), "draw", where)
        place = places[part].get(str(cells.get("topic")))
        if place is None or not 0 <= draw < plan.draws:
            raise InputError(
                f"{where}: the plan has no topic '{cells.get('topic')}' with draw {draw}. Export the plan again."
            )
        ids = [corpus.ids[row] for row in parts[part].test[place]]
        if isinstance(given, list):
            if len(given) != len(ids):
                raise InputError(f"{where}: {len(given):,} answers for {len(ids):,} test documents; give one each.")
            pairs = [(id, str(answer)) for id, answer in zip(ids, given, strict=True)]
        else:
            pairs = [(str(cells.get("id")), given)]
        question = answered[part].setdefault((place, level, int(draw)), {})
        for id, answer in pairs:
            if id in question:
                raise InputError(
                    f"{where}: document '{id}' is answered twice for this topic, level and draw. Keep one."
                )
            question[id] = known_class(answer.strip(), classes, where)
    first, *reference = (
        _answer_accuracy(given, name, corpus, plan, part, label_names)
        for given, part in zip(answered, parts, strict=True)
        if given or part is plan
    )
    return OwnCurve(first, *reference)


def _answer_rows(text: str, name: str, expected: str) -> Iterator[tuple[int, Mapping[str, object], list[object] | str]]:
    """Yield every row's number, its cells, and the answers of a JSON line or the one of a table's row."""
    if not text.lstrip().startswith("{"):
        table = csv.DictReader(io.StringIO(text, newline=""))
        columns = [str(column).strip().lower() for column in table.fieldnames or ()]
        answer = "answer" if "answer" in columns else "prediction"  # as in the answers to folds
        if missing := {"topic", "level", "draw", "id", answer} - set(columns):
            raise InputError(
                f"{name}: no column '{sorted(missing)[0]}'; the columns are topic, level, draw, id and prediction."
            )
        try:
            for row in table:
                cells = {str(key).strip().lower(): value for key, value in row.items()}
                yield table.line_num, cells, str(cells[answer])
        except csv.Error as problem:
            raise InputError(f"{name}: line {table.line_num} is not a row ({problem}). Write it again.") from None
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            cells = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(f"{name}: line {number} is not JSON; write one object per line.") from None
        if not isinstance(cells, dict):
            raise InputError(f"{name}: line {number} is not an object; write topic, level, draw and answers.")
        if "levels" in cells and "answers" not in cells:  # the plan's own header
            if cells.get("plan") != expected:
                raise InputError(
                    f"{name}: these answers are to another plan ({cells.get('plan')}). Export the plan again."
                )
            continue
        if not isinstance(cells.get("answers"), list):
            raise InputError(f"{name}: line {number} has no list 'answers', one class per test document.")
        yield number, cells, cells["answers"]


def _cell_number(cell: object, what: str, where: str) -> float:
    try:
        return float(str(cell))
    except ValueError:
        raise InputError(f"{where}: {what} '{cell}' is not a number.") from None


def _level_number(cells: Mapping[str, object], parts: Sequence[CurvePlan], where: str) -> tuple[int, int]:
    """Return the part of the plan that a line answers, and the index of its level."""
    said = str(cells.get("level")).strip()
    part = int(said.startswith(REFERENCE))
    value = _cell_number(said.removeprefix(REFERENCE), "level", where)
    near = [
        index
        for index, level in enumerate(parts[part].levels if part < len(parts) else ())
        if abs(level - value) <= 1e-6
    ]
    if not near:
        raise InputError(f"{where}: the plan has no level {said}. Export the plan again.")
    return part, near[0]


def _answer_accuracy(
    answered: Mapping[tuple[int, int, int], Mapping[str, str]],
    name: str,
    corpus: Corpus,
    plan: CurvePlan,
    part: CurvePlan,
    label_names: Sequence[str],
) -> Floats:
    found = np.full((len(part.topics), len(part.levels), part.draws), nan)
    questions = set(product(*(range(length) for length in found.shape)))

    def point(place: int, level: int, draw: int) -> str:
        share = _level_written(plan, part, level)
        share = f"{share:g}" if isinstance(share, float) else share
        return f"topic '{corpus.topic_names[part.topics[place]]}', level {share}, draw {draw}"

    if lacking := sorted(questions - answered.keys()):
        raise InputError(
            f"{name}: {len(lacking):,} of {len(questions):,} training sets of the plan have no answers, the first being "
            f"{point(*lacking[0])}. Add them."
        )
    for (place, level, draw), question in answered.items():
        rows = part.test[place]
        ids = [corpus.ids[row] for row in rows]
        asked = set(ids)
        if missing := [id for id in ids if id not in question]:
            raise InputError(
                f"{name}: {len(missing):,} of {counted(len(ids), 'test document')} "
                f"{'has' if len(missing) == 1 else 'have'} no answer for {point(place, level, draw)}: "
                f"{first_ids(missing, len(missing))}. Add them."
            )
        if extra := [id for id in question if id not in asked]:
            raise InputError(
                f"{name}: {counted(len(extra), 'answer', 'is', 'are')} about documents that are not tested for {point(place, level, draw)}: "
                f"{first_ids(extra, len(extra))}. Export the plan again, or delete them."
            )
        right = [question[id] == label_names[part.labels[row]] for id, row in zip(ids, rows, strict=True)]
        found[place, level, draw] = float(np.mean(right))
    return found
