"""When does HITS change scores? Synthetic corpora with two dials, every sampler, model and task on them, and the shipped table."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

from ..arrays import Floats, record
from ..corpora import Corpus, dial_corpus
from ..errors import InputError, SettingError
from ..evaluation import TASKS, ResultStore, evaluate, fold_scores, mean_baselines, summarise
from ..splits import fold_leakage, topic_kfold
from ..topics import Setup, make_setup, topic_space
from ..vectors import embed, make_encoder

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
                f"shared may be {_listed(self.shared)}, loyal {_listed(self.loyal)}."
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


def _listed(values: Floats) -> str:
    return ", ".join(f"{value:g}" for value in values)
