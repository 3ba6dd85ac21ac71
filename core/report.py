"""A report: the answers to several questions about one study, in order."""

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from . import __version__
from .corpora import Corpus, StepEffect
from .demo import bundled_network
from .engine import Call, each
from .errors import LeakscopeError, SettingError, unknown
from .papers.neville_2012 import network_profile
from .progress import Progress
from .questions import QUESTIONS, Settings, answered, groups, networks, words_of, works
from .render import Answer, Report, report_html
from .study import MissingRuns, Study, kept_only
from .topics import SIMILARITIES
from .vectors import ENCODERS, vectors_label

PAGES = {"overview": "verdict"}  # pages whose question has another name

LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "torch", "sentence-transformers", "umap-learn", "plotly")
FILTERS = {
    "min_documents_per_topic": "Minimum documents per topic",
    "max_documents_per_topic": "Maximum documents per topic",
    "min_documents_per_author": "Minimum documents per author",
    "max_authors": "Most frequent authors",
}
SIMILARITY = {
    "corrected": "The similarity of two topics is the mean cosine of documents of two topics, relative to that of documents within "
    "each (size-corrected similarity). It does not depend on topic sizes; 1 means that the two are one topic.",
    "given": "The similarity of every pair of topics was given.",
    "plain": "The similarity of two topics is the cosine of their centroids, as in Sawatphol et al. (2024). Centroids of few documents "
    "are noisy, which makes small topics look distinct.",
}
SEEDS = "Everything random has a fixed seed: the one among the settings, or 0."


def simulated_groups() -> Answer:
    """Return how often a test is wrong if errors come in groups, simulated now."""
    settings = groups.Settings.resolve(None)
    return groups.answer(_compute_all(groups.calls(settings)), settings)


def bundled_networks() -> Answer:
    """Return how often a test is wrong on the bundled network, resampled now."""
    network = bundled_network()
    settings = networks.Settings.resolve(network)
    parts = network.networks(settings.positive)
    profiles = dict(zip(network.parts, (network_profile(part, seed=0) for part in parts), strict=True))
    return networks.answer(network, profiles, _compute_all(networks.own_calls(parts, settings)), settings)


def _compute_all(calls: Mapping[Any, Call[Any]]) -> dict[Any, Any]:
    """Compute every call on all cores."""
    points = list(calls)
    return {points[index]: result for index, result in each(_carried_out, list(calls.values()))}


def _carried_out(shared: None, call: Call[Any]) -> Any:
    return call()


# Simulations are about no corpus, and in a report only where they are named.
ON_REQUEST: dict[str, Callable[[], Answer]] = {groups.NAME: simulated_groups, networks.NAME: bundled_networks}


def page_names() -> dict[str, str]:
    """Return what can be reported, by the name of its page, and the question that it asks."""
    pages = {question: page for page, question in PAGES.items()}
    return {pages.get(name, name): name for name in QUESTIONS}


def asked_by(
    study: Study, pages: Sequence[str], given: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, Settings | None]]:
    """Return the questions of these pages with their settings; settings that are not given take their defaults."""
    names = page_names()
    found: list[tuple[str, Settings | None]] = []
    for page in pages:
        if page not in names:
            raise unknown("page", page, names)
        known = {name: value for name, value in given.get(page, {}).items() if value is not None}
        found.append((names[page], QUESTIONS[names[page]].Settings.resolve(study, known) if known else None))
    return found


def make_report(
    study: Study,
    asked: Sequence[tuple[str, Settings | None]],
    *,
    more: Sequence[Answer] = (),
    cleaning: Iterable[StepEffect] = (),
    progress: Progress | None = None,
) -> Report:
    """Answer these questions, by default with their default settings; `more` are answers that are there already, taken as they are.

    A question that cannot be answered is left out, with the reason.
    """
    corpus = study.corpus
    if not corpus.has_topics or len(corpus.topic_names) < 2:
        raise SettingError(
            f"{corpus.name}: a report compares topics, and this corpus has fewer than two. Name or find topics first."
        )
    answers: list[Answer] = []
    left_out: list[tuple[str, str]] = []
    there = {answer.name: answer for answer in more}
    for number, (name, settings) in enumerate(asked):
        if name in there:
            answers.append(there.pop(name))
            continue
        module = QUESTIONS[name]
        if progress is not None:
            progress(number, len(asked), module.LABEL, None)
        try:
            settings = module.Settings.resolve(study) if settings is None else settings
            answers.append(answered(study, module, settings))
        except MissingRuns as problem:
            left_out.append((module.LABEL, f"{problem} Run them on its page, or name the page in --pages."))
        except LeakscopeError as problem:
            left_out.append((module.LABEL, str(problem)))
    answers += there.values()
    if not answers:
        raise SettingError(
            f"Nothing can be reported. {left_out[0][0]}: {left_out[0][1]}" if left_out else "No question is named."
        )
    kind = ENCODERS[study.vectors.name]
    cited = (*works("hits"), kind.reference, *(work for answer in answers for work in answer.references))
    return Report(
        corpus.name,
        _identity(corpus),
        _settings_of_study(study),
        tuple(effect.sentence for effect in cleaning),
        tuple(answers),
        {module.NAME: module.LABEL for module in (*QUESTIONS.values(), groups, networks)},
        tuple(left_out),
        (
            *_vectors_made(study),
            SIMILARITY[study.similarity],
            *dict.fromkeys(answer.methods for answer in answers if answer.methods),
            SEEDS,
        ),
        tuple(dict.fromkeys(filter(None, cited))),
        _versions(),
    )


def _vectors_made(study: Study) -> tuple[str, ...]:
    """Say how documents became vectors, where they did."""
    kind = ENCODERS[study.vectors.name]
    if study.vectors.similarity is not None:
        return study.vectors.notes
    return (f"Documents became vectors with {kind.label}: {kind.about} {' '.join(study.vectors.notes)}".strip(),)


def report_file(
    study: Study,
    asked: Sequence[tuple[str, Settings | None]],
    *,
    more: Sequence[Answer] = (),
    cleaning: Iterable[StepEffect] = (),
    when: datetime,
    progress: Progress | None = None,
) -> bytes:
    """Return the report as the bytes of an HTML file; no model is run for it."""
    study.work, study.progress = kept_only, progress
    found = make_report(study, asked, more=more, cleaning=cleaning, progress=progress)
    return report_html(found, when=when).encode("utf-8", "replace")


def _identity(corpus: Corpus) -> tuple[tuple[str, str], ...]:
    """Return what tells this corpus from every other."""
    authors = int(corpus.known_authors.sum())
    return (
        ("Name", corpus.name),
        ("Documents", f"{len(corpus):,}"),
        ("Topics", f"{len(corpus.topic_names):,}" + (" (found in the texts, not given)" if corpus.found else "")),
        (words_of("Authors", corpus), f"{authors:,}" if authors else "none"),
        ("Its own split", "none" if corpus.splits is None else "yes"),
        ("Fingerprint of the documents", corpus.content_digest),
    )


def _settings_of_study(study: Study) -> tuple[tuple[str, str], ...]:
    """Return the settings that hold for every answer."""
    kind = ENCODERS[study.vectors.name]
    named = [
        (kind.settings[key].label, kind.settings[key].choices.get(value, value))
        for key, value in study.encoder.items()
        if key in kind.settings
    ]
    limits = [
        (words_of(FILTERS[name], study.corpus), "all" if value is None else f"{value:,}")
        for name, value in study.filters.items()
        if name in FILTERS
    ]
    return (
        ("Encoder", vectors_label(study.vectors)),
        *named,
        ("Similarity of topics", SIMILARITIES.get(study.similarity, "your own")),
        *limits,
        ("Vectors", study.vectors.encoder_key),
    )


def _versions() -> tuple[tuple[str, str], ...]:
    """Return the versions of Leakscope, Python and the libraries that numbers may depend on."""
    found = [("Leakscope", __version__), ("Python", platform.python_version())]
    for name in LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(found)
