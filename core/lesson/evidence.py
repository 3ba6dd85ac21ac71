"""What is true of the lesson's corpus: its topics as points, near twins, random splits, and how models do on every topic.

Running the models takes minutes, so their scores ship as data/lesson.json; `python -m data.bundle lesson` computes them again."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from ..arrays import Bools, Floats, Ints, record
from ..corpora import Corpus, dial_corpus
from ..errors import InputError, SettingError
from ..evaluation import (
    TASKS,
    ResultStore,
    author_labels,
    control_models,
    curve_plan,
    evaluate,
    fold_scores,
    mean_baselines,
    run_curve,
    summarise,
    summarise_curve,
    topic_scores,
)
from ..formats import choose, listed
from ..splits import Folds, fold_leakage, make_folds, topic_kfold
from ..topics import (
    Setup,
    TermWeights,
    TopicPath,
    TopicSpace,
    Verdict,
    make_setup,
    shared_terms,
    term_weights,
    topic_space,
)
from ..vectors import embed, make_encoder

FOLDS = 6  # into which the lesson splits topics, as the pages do at first
RANDOM_SPLITS = 300  # by which it shows what chance does
TASK, METRIC = "attribution", "accuracy"
MODELS = ("topic_fit", "max_ent", "char_svm")  # whose scores are shown topic by topic


@record
class Lesson:
    """A corpus as the lesson looks at it: `twins[i, j]` says whether topics i and j are near twins; `terms` weighs words."""

    corpus: Corpus
    space: TopicSpace
    path: TopicPath
    verdict: Verdict
    twins: Bools
    terms: TermWeights

    @property
    def names(self) -> tuple[str, ...]:
        return self.space.names

    def code(self, topic: str) -> int:
        """Return the number of a topic."""
        return self.names.index(topic)

    def similarity_of(self, one: str, other: str) -> float:
        """Return the similarity of two topics."""
        return float(self.space.similarity[self.code(one), self.code(other)])

    def by_similarity(self, topic: str) -> tuple[str, ...]:
        """List all other topics, the most similar first."""
        own = self.code(topic)
        order = np.argsort(-self.space.similarity[own], kind="stable")
        return tuple(self.names[other] for other in order.tolist() if other != own)

    def twins_of(self, topic: str) -> tuple[str, ...]:
        """List its near twins, the closest first."""
        return tuple(other for other in self.by_similarity(topic) if self.twins[self.code(topic), self.code(other)])

    def words(self, one: str, other: str) -> str:
        """List words that both topics use most, in a sentence."""
        return listed(shared_terms(self.terms, self.code(one), self.code(other), most=4).terms)

    @property
    def with_twins(self) -> int:
        """Count the topics that have a near twin."""
        return int(self.twins.any(axis=1).sum())


def make_lesson(corpus: Corpus, space: TopicSpace, path: TopicPath, verdict: Verdict) -> Lesson:
    """Return the corpus with its near twins, by the threshold of its verdict."""
    twins = np.asarray(space.similarity >= verdict.threshold)  # unknown is not
    np.fill_diagonal(twins, False)
    return Lesson(corpus, space, path, verdict, twins, term_weights(corpus))


def separated_chance(topics: int, *, k: int) -> float:
    """Return the probability that two given topics fall into different ones of k nearly equal folds.

    In a fold of f topics each has f − 1 companions among topics − 1: 1 − Σ f (f − 1) / (n (n − 1)).
    """
    if not 2 <= k <= topics:
        raise SettingError(f"k = {k} folds of {topics} topics; {choose('k', 2, topics)}.")
    small, larger = divmod(topics, k)
    together = larger * (small + 1) * small + (k - larger) * small * (small - 1)
    return 1 - together / (topics * (topics - 1))


@record
class RandomSplit:
    """Topics split into folds: the fold of each, and which of them are tested while a near twin is in training."""

    fold_of: Ints
    leaking: Bools


def random_split(lesson: Lesson, *, k: int = FOLDS, seed: int) -> RandomSplit:
    """Split the topics into k folds at random, as topic k-fold does."""
    return _split_of_folds(lesson, topic_kfold(lesson.corpus, k=k, seed=seed))


def _split_of_folds(lesson: Lesson, folds: Folds) -> RandomSplit:
    fold_of = np.empty(len(lesson.names), dtype=np.int64)
    for number, fold in enumerate(folds):
        fold_of[fold.test_topics] = number
    apart = fold_of[:, None] != fold_of[None, :]
    return RandomSplit(fold_of, np.asarray((lesson.twins & apart).any(axis=1)))


def leaking_counts(lesson: Lesson, *, k: int = FOLDS, seeds: Sequence[int] = range(RANDOM_SPLITS)) -> Ints:
    """Count for every random split how many topics are tested while a near twin is in training.

    Topics are split as topic k-fold does, without the documents, which would take most of the time.
    """
    count = len(lesson.names)
    found = []
    for seed in seeds:
        fold_of = np.empty(count, dtype=np.int64)
        for number, part in enumerate(np.array_split(np.random.default_rng(seed).permutation(count), k)):
            fold_of[part] = number
        found.append(int((lesson.twins & (fold_of[:, None] != fold_of[None, :])).any(axis=1).sum()))
    return np.array(found, dtype=np.int64)


def nearest_in_training(lesson: Lesson) -> Floats:
    """Return for every topic the similarity of its fold's nearest training topic, in the folds that pages open with."""
    folds = topic_kfold(lesson.corpus, k=FOLDS, seed=0)
    nearest = {each.topic: float(each.similarity[0]) for each in fold_leakage(folds, lesson.space).exposures}
    return np.array([nearest[topic] for topic in range(len(lesson.names))])


def wins_needed(topics: int) -> int | None:
    """Return on how many of `topics` topics one model must be ahead for the exact two-sided sign test to call it better; None
    where not even all of them are enough."""
    return next((wins for wins in range((topics + 1) // 2, topics + 1) if sign_p(wins, topics) <= 0.05), None)


def chances_of_wins(topics: int) -> Floats:
    """Return the probability of 0, 1, … wins on `topics` topics if both models were equally good."""
    from scipy.stats import binom

    return np.asarray(binom.pmf(np.arange(topics + 1), topics, 0.5))


def sign_p(wins: int, topics: int) -> float:
    """Return the exact two-sided p of that many wins on `topics` topics if both models were equally good."""
    from scipy.stats import binomtest

    return float(binomtest(wins, topics).pvalue)


@record
class HeldOut:
    """One model on topics held out: right answers and questions, a number a topic; and its accuracy in ordinary folds."""

    right: Ints
    asked: Ints
    ordinary: float

    @property
    def accuracy(self) -> Floats:
        """Return the accuracy by topic."""
        return np.asarray(self.right / self.asked)

    @property
    def overall(self) -> float:
        """Return the accuracy over all questions."""
        return float(self.right.sum() / self.asked.sum())


@record
class CurveScores:
    """Accuracy while the most similar topics leave training, in equal training sets."""

    similarity: (
        Floats  # of the nearest training topic, mean over test topics; the first is with every topic in training
    )
    scores: dict[str, Floats]  # by control: content words, function words, all words


@record
class Evidence:
    """How models do on the lesson's corpus."""

    held_out: dict[str, HeldOut]  # by model
    curve: CurveScores


def held_out_scores(corpus: Corpus, *, models: Sequence[str], results: ResultStore | None) -> dict[str, HeldOut]:
    """Test every topic once in folds by topic, and all documents once in ordinary folds."""
    by_topic, ordinary = (
        evaluate(
            corpus, make_folds(corpus, scheme=scheme, k=FOLDS, seed=0), task=TASK, models=list(models), results=results
        )
        for scheme in ("topic-kfold", "kfold")
    )
    means = summarise(fold_scores(ordinary, corpus), METRIC)
    found = {}
    for model in models:
        scores = {score.topics[0]: score for score in topic_scores(by_topic, corpus) if score.model == model}
        ordered = [scores[topic] for topic in range(len(corpus.topic_names))]
        asked = np.array([score.questions for score in ordered], dtype=np.int64)
        right = np.array([round(score.values[METRIC] * score.questions) for score in ordered], dtype=np.int64)
        found[model] = HeldOut(right, asked, float(means[model].mean))
    return found


def right_beside_twins(lesson: Lesson, found: HeldOut) -> tuple[float, float]:
    """Return the share of right answers on test topics with a near twin in training, and on the others."""
    twin = nearest_in_training(lesson) >= lesson.verdict.threshold
    beside, alone = (float(found.right[these].sum() / found.asked[these].sum()) for these in (twin, ~twin))
    return beside, alone


def curve_scores(corpus: Corpus, space: TopicSpace, *, results: ResultStore | None) -> CurveScores:
    """Run the three controls along the leakage curve."""
    plan = curve_plan(corpus, space, author_labels(corpus))
    run = run_curve(corpus, plan, control_models(corpus, plan.labels), results=results)
    found = summarise_curve(plan, run.accuracy)
    return CurveScores(found.similarity, {name: each.scores for name, each in found.models.items()})


def gather_evidence(corpus: Corpus, space: TopicSpace, *, results: ResultStore | None = None) -> Evidence:
    """Compute all of it, or take answers from the store."""
    held_out = held_out_scores(corpus, models=MODELS, results=results)
    return Evidence(held_out, curve_scores(corpus, space, results=results))


def write_evidence(file: Path, evidence: Evidence, names: Sequence[str]) -> None:
    """Write as JSON, topics by name."""
    held_out = {
        model: {
            "ordinary": round(each.ordinary, 6),
            "topics": {
                name: [int(right), int(asked)] for name, right, asked in zip(names, each.right, each.asked, strict=True)
            },
        }
        for model, each in evidence.held_out.items()
    }
    along = {name: np.round(values, 6).tolist() for name, values in evidence.curve.scores.items()}
    curve = {"similarity": np.round(evidence.curve.similarity, 6).tolist(), "scores": along}
    text = json.dumps({"curve": curve, "held_out": held_out}, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def read_evidence(file: Path, names: Sequence[str]) -> Evidence:
    """Read what `write_evidence` wrote for topics of these names."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        held_out = {model: _held_out_record(each, names) for model, each in found["held_out"].items()}
        along = {name: np.array(values, dtype=np.float64) for name, values in found["curve"]["scores"].items()}
        return Evidence(held_out, CurveScores(np.array(found["curve"]["similarity"], dtype=np.float64), along))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise InputError(f"{file.name}: {problem}; restore it with `python -m data.bundle lesson`.") from None


def _held_out_record(found: Mapping[str, Any], names: Sequence[str]) -> HeldOut:
    right, asked = np.array([found["topics"][name] for name in names], dtype=np.int64).T
    return HeldOut(right.copy(), asked.copy(), float(found["ordinary"]))


M, K = 8, 4  # of the dial's 32 topics, and folds
SAMPLES = 3  # random samples of topics a corpus
GRID_SAMPLERS = ("hits", "minimax", "random")
GRID_KINDS = (("attribution", ""), ("verification", "matched"), ("verification", "paper"))
GRID_MODELS = {"attribution": ("max_ent", "char_svm", "topic_fit"), "verification": ("char_ngram", "ppm", "topic_fit")}
GRID_METRICS = {"attribution": ("accuracy",), "verification": ("auc", "c@1")}
SETUP = ("max_similarity", "mean_similarity", "seen_authors")  # of folds, whatever the model; and the gap of pairs
COLUMNS = (
    "shared",
    "loyal",
    "task",
    "pairs",
    "model",
    "metric",
    "sampler",
    "mean",
    "sd",
    "change",
    "change_sd",
    "corpora",
)
_NUMBERS = ("shared", "loyal", "mean", "sd", "change", "change_sd")

CellKey = tuple[str, str, str, str, str]  # task, pairs, model, metric, sampler


@record
class DialRow:
    """One number of the grid: its mean and spread over the corpora of a cell, and `change`, the mean of its difference to
    random topics in the same corpus, with that spread.

    `task` is "verification", "attribution" or, for what depends on no model (similarity of training and test topics, share of
    test documents by authors in training, gap of the pairs), "folds"; `pairs` is "" but for verification and the gap.
    """

    shared: float
    loyal: float
    task: str
    pairs: str
    model: str
    metric: str
    sampler: str
    mean: float
    sd: float
    change: float
    change_sd: float
    corpora: int

    @property
    def key(self) -> CellKey:
        return self.task, self.pairs, self.model, self.metric, self.sampler


@record
class DialGrid:
    """All numbers, and the values of both dials at which they were computed."""

    rows: tuple[DialRow, ...]
    shared: Floats
    loyal: Floats
    _at: dict[tuple[float, float, CellKey], DialRow]

    def row(
        self, shared: float, loyal: float, *, task: str, model: str, metric: str, sampler: str = "hits", pairs: str = ""
    ) -> DialRow:
        """Return the number computed at these dials."""
        try:
            return self._at[shared, loyal, (task, pairs, model, metric, sampler)]
        except KeyError:
            raise SettingError(
                f"The grid has no {metric} of {model or task} under {sampler} at shared {shared:g}, loyal {loyal:g}; "
                f"shared may be {_number_list(self.shared)}, loyal {_number_list(self.loyal)}."
            ) from None


def dial_scores(
    corpus: Corpus, *, results: ResultStore | None = None, models: Mapping[str, Sequence[str]] = GRID_MODELS
) -> dict[CellKey, float]:
    """Score every sampler, task, kind of pairs and model on one synthetic corpus: m = 8 of 32 topics in k = 4 folds, similarity
    by LSA.

    Of random topics the mean over three samples. `models` by task; a task without any is left out.
    """
    vectors = embed(corpus, make_encoder("lsa")).matrix
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    found: dict[CellKey, list[float]] = {}
    for sampler in GRID_SAMPLERS:
        for seed in range(SAMPLES if sampler == "random" else 1):
            setup = make_setup(corpus, vectors, space, sampler=sampler, m=M, seed=seed)
            for (task, pairs, model, metric), value in _setup_scores(setup, results, models):
                found.setdefault((task, pairs, model, metric, sampler), []).append(value)
    return {key: fmean(values) for key, values in found.items()}


def _setup_scores(
    setup: Setup, results: ResultStore | None, models: Mapping[str, Sequence[str]]
) -> Iterator[tuple[tuple[str, str, str, str], float]]:
    corpus, folds = setup.corpus, topic_kfold(setup.corpus, k=K, seed=0)
    leakage, authors = fold_leakage(folds, setup.space), corpus.author_codes
    assert authors is not None
    seen = sum(int(np.isin(authors[fold.test], authors[fold.train]).sum()) for fold in folds) / len(corpus)
    for metric, value in zip(SETUP, (leakage.average_max, leakage.average_mean, seen), strict=True):
        yield ("folds", "", "", metric), float(value)
    for task, pairs in (kind for kind in GRID_KINDS if kind[0] in models):
        made = evaluate(corpus, folds, task=task, models=models[task], pairing=pairs or "matched", results=results)
        scores = fold_scores(made, corpus)
        for metric in GRID_METRICS[task]:
            for model, summary in summarise(scores, metric).items():
                yield (task, pairs, model, metric), summary.mean
        if TASKS[task].asks_pairs:
            yield ("folds", pairs, "", "gap"), mean_baselines(made, corpus).gap


def cell_scores(results: ResultStore | None, dials: tuple[float, float, int]) -> dict[CellKey, float]:
    """Score the synthetic corpus with these dials (shared, loyal) and this seed."""
    shared, loyal, seed = dials
    return dial_scores(dial_corpus(shared=shared, loyal=loyal, seed=seed), results=results)


def grid_rows(cells: Mapping[tuple[float, float], Sequence[Mapping[CellKey, float]]]) -> list[DialRow]:
    """Return the grid's rows from the scores of every cell's corpora."""
    rows = []
    for (shared, loyal), corpora in sorted(cells.items()):
        for key in corpora[0]:
            values = [scores[key] for scores in corpora]
            changes = [scores[key] - scores[(*key[:4], "random")] for scores in corpora]
            mean, sd, change, change_sd = (
                round(of(numbers), 4) for numbers in (values, changes) for of in (fmean, stdev)
            )
            rows.append(DialRow(shared, loyal, *key, mean, sd, change, change_sd, len(corpora)))
    return rows


def write_dial_grid(file: Path, rows: Sequence[DialRow]) -> None:
    """Write the rows as a table, in the order given."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows([getattr(row, name) for name in COLUMNS] for row in rows)


def read_dial_grid(file: Path) -> DialGrid:
    """Read the table that ships with the app."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            rows = tuple(_read_row(each) for each in csv.DictReader(stream))
    except (OSError, KeyError, TypeError, ValueError) as problem:
        raise InputError(f"{file.name}: {problem}; restore it with `python -m data.dial_grid`.") from None
    shared, loyal = (np.unique([getattr(row, name) for row in rows]) for name in ("shared", "loyal"))
    return DialGrid(rows, shared, loyal, {(row.shared, row.loyal, row.key): row for row in rows})


def _read_row(cells: Mapping[str, str]) -> DialRow:
    values = {name: float(cells[name]) if name in _NUMBERS else cells[name] for name in COLUMNS if name != "corpora"}
    return DialRow(**values, corpora=int(cells["corpora"]))  # type: ignore[arg-type]


def _number_list(values: Floats) -> str:
    return ", ".join(f"{value:g}" for value in values)
