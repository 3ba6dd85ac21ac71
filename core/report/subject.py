"""What a report is about and made of: a corpus with what follows from it, and a section a page with its answer, figures, tables."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import plotly.graph_objects as go

from ..arrays import Ints, record
from ..corpora import Audit, Corpus, audit
from ..demo import bundled_layout
from ..errors import LeakscopeError
from ..evaluation import TASKS, Evaluation, NamedVectors, ResultStore, evaluate, missing_runs
from ..plots import style
from ..progress import Progress
from ..splits import Folds
from ..topics import (
    CORRECTED,
    LabelCheck,
    Layout,
    RandomBand,
    Resampled,
    Setup,
    TopicPath,
    TopicSpace,
    Verdict,
    check_labels,
    cluster_order,
    hits_path,
    judge,
    make_setup,
    map_layout,
    random_band,
    resample_topics,
    topic_space,
)
from ..vectors import Vectors

BAND, FEWER, MANY_TOPICS = 999, 40, 200  # random samples, fewer of them where there are many topics
MOST_ROWS = 40  # of a table on paper; the rest is counted


class MissingRuns(LeakscopeError):
    """Models would have to be run first, and that was not asked for."""


@record
class HeldRuns:
    """Models on folds as a page has them: samples of topics with their folds, and the choices of `evaluate`."""

    jobs: tuple[tuple[Setup, Folds], ...]
    choices: Mapping[str, Any]


class Subject:
    """A corpus with its vectors under one similarity of topics; `encoder` holds the settings of what made
    the vectors, `held` what others have computed already, by page.

    Models are run only where `compute` says so; otherwise their answers come from `results`, or a section says that it
    misses them.
    """

    def __init__(
        self,
        corpus: Corpus,
        vectors: Vectors,
        *,
        similarity: str = CORRECTED,
        encoder: Mapping[str, str] | None = None,
        results: ResultStore | None = None,
        held: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.corpus, self.vectors, self.kind = corpus, vectors, similarity
        self.encoder = encoder or {}
        self.results, self.held, self.progress = results, held or {}, progress
        self.compute = False
        self.cited: list[str] = []  # the works behind models whose answers are in the report

    @cached_property
    def audit(self) -> Audit:
        return audit(self.corpus)

    @cached_property
    def space(self) -> TopicSpace:
        corpus = self.corpus
        return topic_space(self.vectors.matrix, corpus.topic_codes, corpus.topic_names, similarity=self.kind)

    @cached_property
    def path(self) -> TopicPath:
        return hits_path(self.space.similarity)

    @cached_property
    def order(self) -> Ints:
        return cluster_order(self.space.similarity)

    @cached_property
    def band(self) -> RandomBand:
        samples = BAND if len(self.space) <= MANY_TOPICS else FEWER
        return random_band(self.space.similarity, self.path, samples=samples)

    @cached_property
    def resampled(self) -> Resampled:
        corpus = self.corpus
        return resample_topics(self.vectors.matrix, corpus.topic_codes, len(corpus.topic_names), kind=self.kind)

    @cached_property
    def labels(self) -> LabelCheck:
        corpus = self.corpus
        return check_labels(self.vectors.matrix, corpus.topic_codes, len(corpus.topic_names), kind=self.kind)

    @cached_property
    def layout(self) -> Layout:
        """The map that is at hand, else PCA, which costs nothing."""
        drawn: Layout | None = self.held.get("topic_map") or bundled_layout(self.corpus, self.vectors)
        return drawn or map_layout(self.vectors.matrix, self.corpus.topic_codes, self.space, method="pca")

    def verdict(self, k: int) -> Verdict:
        """What k folds of topics leak."""
        return judge(self.space, self.path, k=k, labels=self.labels, resampled=self.resampled, found=self.corpus.found)

    def setup(self, sampler: str, m: int | None, seed: int) -> Setup:
        """A sample of topics."""
        return make_setup(self.corpus, self.vectors.matrix, self.space, sampler=sampler, m=m, seed=seed)

    def models(self, task: str, *, by_choice: bool = False) -> dict[str, str]:
        """The models of a task by name and label; those that compare vectors only with the encoder they are made for, and
        those that must be named only with `by_choice`."""
        return {
            name: kind.label
            for name, kind in TASKS[task].models.items()
            if (not kind.encoders or self.vectors.name in kind.encoders) and (by_choice or not kind.by_choice)
        }

    def runs(self, page: str) -> HeldRuns | None:
        """The runs that a page of the app shows, where the report is made from there."""
        found: HeldRuns | None = self.held.get(f"{page} runs")
        return found

    def evaluation(self, setup: Setup, folds: Folds, **choices: Any) -> Evaluation:
        """Models on folds: kept answers where there are all, else computed if that was asked for."""
        key = self.vectors.encoder_key
        missing = missing_runs(setup.corpus, folds, vectors_key=key, results=self.results, **choices)
        if missing and not self.compute:
            raise MissingRuns("Its models have not been run yet with these settings")
        vectors = NamedVectors(setup.vectors, key)
        found = evaluate(setup.corpus, folds, vectors=vectors, results=self.results, progress=self.progress, **choices)
        self.cite(found.task, found.models)
        return found

    def cite(self, task: str, models: Iterable[str]) -> None:
        """Note the works that these models rest on."""
        self.cited += [TASKS[task].models[model].reference for model in models]


@record
class Drawing:
    """A figure under its title, and small print."""

    title: str
    figure: go.Figure
    caption: str = ""

    @property
    def alt(self) -> str:
        """What the figure shows in words."""
        return style.alt_of(self.figure)


@record
class ReportTable:
    """A table of words, a row a line; `left_out` rows are not in it, and `note` is small print."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0
    note: str = ""


@record
class Section:
    """One page's answer: the question, the sentence, what keeps one from making more of it, and what shows it.

    `settings` are those of the page alone, seeds among them.
    """

    page: str
    title: str
    answer: str
    cautions: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    drawings: tuple[Drawing, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()


def table(title: str, columns: Mapping[str, Sequence[Any]], *, most: int = MOST_ROWS, note: str = "") -> ReportTable:
    """A table from columns by name, cut to `most` rows."""
    rows = list(zip(*columns.values(), strict=True))
    shown = tuple(tuple(str(cell) for cell in row) for row in rows[:most])
    return ReportTable(title, tuple(columns), shown, len(rows) - len(shown), note)
