"""A report and a project as files, each one call for a process of its own."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ..arrays import record
from ..corpora import Corpus, StepEffect
from ..errors import LeakscopeError
from ..evaluation import ResultStore, cached_runs
from ..progress import Progress
from ..splits import Folds
from ..topics import hits_path, topic_space
from ..vectors import Vectors
from .build import build_report
from .html import write_html
from .project import Choices, write_project
from .subject import Subject


@record
class Reported:
    """What a report is of: a corpus as it was used, its vectors, and the settings that hold for all pages."""

    corpus: Corpus
    vectors: Vectors
    similarity: str
    encoder: Mapping[str, str]
    filters: Mapping[str, int | None]
    cleaning: tuple[StepEffect, ...] = ()


def report_file(
    of: Reported,
    *,
    results: ResultStore,
    held: Mapping[str, Any],
    pages: Sequence[str],
    choices: Mapping[str, Mapping[str, Any]],
    when: datetime,
    progress: Progress | None = None,
) -> bytes:
    """The report of these pages from what is at hand: no model is run for it."""
    subject = Subject(
        of.corpus,
        of.vectors,
        similarity=of.similarity,
        encoder=of.encoder,
        results=results,
        held=held,
        progress=progress,
    )
    report = build_report(
        subject, pages=pages, choices=choices, filters=of.filters, cleaning=of.cleaning, compute=False
    )
    return write_html(report, when=when).encode("utf-8", "replace")


@record
class Used:
    """A corpus as pages saw it: cleaned and filtered, with its vectors where it has any, the similarity of its topics, and
    how many of them HITS kept where that was looked at."""

    corpus: Corpus
    vectors: Vectors | None
    similarity: str
    m: int | None = None


def project_file(
    loaded: Corpus,
    used: Used,
    choices: Choices,
    *,
    runs: Sequence[tuple[Corpus, Folds, Mapping[str, Any]]],
    results: ResultStore,
    found: Sequence[tuple[str, Any, Any]] = (),
    beside: Sequence[tuple[Corpus, Vectors]] = (),
) -> bytes:
    """The project of a corpus as it was loaded, with the vectors, the answers (from `results`) and what else was `found` of the
    corpus as it was used; and with the vectors of what it was set `beside`. Vectors that ship with the app stay there."""
    answers: dict[str, Any] = {}
    for corpus, folds, run in runs:
        answers |= cached_runs(corpus, folds, results=results, **run)
    own = [*([] if used.vectors is None else [(used.corpus, used.vectors)]), *beside]
    return write_project(
        loaded,
        choices,
        vectors=[each for each in own if not each[1].shipped],
        answers=answers,
        results=found,
        chosen=_chosen(used, runs),
    )


def _chosen(used: Used, runs: Sequence[tuple[Corpus, Folds, Mapping[str, Any]]]) -> dict[str, Any]:
    """Topics and folds by name, for whoever reads the file without Leakscope."""
    chosen: dict[str, Any] = {
        "folds": [
            {
                "scheme": folds.scheme,
                "task": choices.get("task"),
                "seed": choices.get("seed"),
                "test_topics": [[folds.topic_names[topic] for topic in fold.test_topics] for fold in folds],
            }
            for _, folds, choices in runs
        ]
    }
    if used.vectors is not None:
        codes, names = used.corpus.topic_codes, used.corpus.topic_names
        try:
            space = topic_space(used.vectors.matrix, codes, names, similarity=used.similarity)
        except LeakscopeError:  # more topics than a matrix of all pairs holds
            return chosen
        path = hits_path(space.similarity)
        chosen["hits"] = {"path": [space.names[topic] for topic in path.order[: path.placed]], "m": used.m}
    return chosen
