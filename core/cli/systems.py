"""Commands on systems: `score` and `compare` other people's, `categorize` with ours; a benchmark for them (`raven`, `shortcut`)."""

import argparse
from functools import partial
from typing import Any

from ..corpora import read_labelled
from ..errors import InputError, SettingError, unknown
from ..evaluation import NamedVectors, pan_scores, read_comparison_table, read_system_answers, read_truth, system_names
from ..papers import categorize
from ..papers.hits_2024 import (
    BenchmarkAnswers,
    answer_sheet,
    benchmark_statistics,
    build_benchmark,
    check_setups,
    free_path,
    read_benchmark,
    read_systems,
    workable_size,
    write_benchmark,
)
from ..questions import categorization, scores, shortcut, table, usual_topics
from ..render import Answer
from ..splits import PAIRINGS, check_topics_per_fold
from ..study import Study
from ..topics import NEEDS_DOCUMENTS, checked_m
from . import progress
from .options import (
    add_corpus_options,
    add_encoder_options,
    corpus_of,
    vectors_of,
)
from .questions import add_settings, given_settings, study_in


def add_score_options(command: argparse.ArgumentParser) -> None:
    """Add the options for the truth and a file of answers per system."""
    command.add_argument("truth", metavar="TRUTH", help='PAN jsonl: {"id": …, "same": true}, one problem per line')
    about = "a system: PAN jsonl (id, value) or CSV (id, score)"
    command.add_argument("answers", metavar="ANSWERS", nargs="+", help=about)


def run_score(options: argparse.Namespace) -> Answer:
    """Compute PAN's verification metrics for each file of answers."""
    names = system_names(options.answers)
    truth = read_truth(options.truth)
    systems: dict[str, dict[str, float]] = {}
    notes: list[str] = []
    for done, (name, file) in enumerate(zip(names, options.answers, strict=True), start=1):
        answers = read_system_answers([file], truth.ids)
        systems[name], reasons = pan_scores(truth, answers)
        notes += [f"{name}: {sentence}" for sentence in (*answers.notes, *reasons)]
        progress(done, len(names), "systems", None)
    return scores.answer_of_files(systems, problems=len(truth), notes=notes)


def add_compare_options(command: argparse.ArgumentParser) -> None:
    """Add the table and the two systems."""
    about = "a column per system; a row per category (scores) or per decision (0/1)"
    command.add_argument("file", metavar="FILE", help=about)
    add_settings(command, table.Settings)
    about = "column that holds how many documents a row stands for (default: documents or weights, where there is one)"
    command.add_argument("--weights", metavar="COLUMN", help=about)


def run_compare(options: argparse.Namespace) -> Answer:
    """Compare two systems in a table of results, with every test that fits it."""
    given = given_settings(table.Settings, options)
    for name in ("a", "b"):
        if name not in given:
            raise SettingError(f"compare needs --{name}: name a system's column.")
    table.Settings.check_early(given)
    results = read_comparison_table(options.file, weights=options.weights, only=(given["a"], given["b"]))
    return table.answer(results, table.Settings.resolve(results, given, command=True))


def add_categorize_options(command: argparse.ArgumentParser) -> None:
    """Add the corpus and the models."""
    command.add_argument("file", metavar="FILE", help="columns text, topics (a list, or joined by | ; or ,) and split")
    add_settings(command, categorization.Settings)


def run_categorize(options: argparse.Namespace) -> Answer:
    """Run Yang and Liu's text categorizers on a corpus with several topics per document and test every pair."""
    settings = categorization.Settings.resolve(None, given_settings(categorization.Settings, options), command=True)
    if options.file == "demo":
        raise InputError(
            "Each document of the demo has one topic. Give a file with a list of topics for each document."
        )
    corpus = read_labelled(options.file)
    return categorization.answer(
        categorize(corpus, models=settings.models, seed=settings.seed, progress=_model_progress), settings
    )


def _model_progress(done: int, total: int, model: str, seconds_left: float | None) -> None:
    progress(done, total, f"models {model}", None)


MOST_FOLDS = 10
TEXTS = {"auto": None, "yes": True, "no": False}


def add_raven_options(command: argparse.ArgumentParser) -> None:
    """Add the options of a corpus, its vectors, the size of the samples, and where the benchmark goes."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    add_settings(command, shortcut.RavenSettings)
    command.add_argument("--out", required=True, metavar="DIR", help="a new or empty folder, or a new file NAME.zip")


def run_raven(options: argparse.Namespace) -> Answer:
    """Build a RAVEN benchmark: a HITS sample and five random ones, with their folds and pairs."""
    # What can be refused is refused before vectors take minutes.
    free_path(options.out)
    settings = shortcut.RavenSettings.resolve(None, given_settings(shortcut.RavenSettings, options))
    corpus = corpus_of(options)
    if corpus.author_names is None:
        raise SettingError("The corpus names no authors, and verification pairs need them; name them with --author.")
    topics = len(corpus.topic_names)
    check_setups(settings.m, topics)
    if settings.m is not None:
        checked_m(settings.m, topics)
    if settings.k is not None:
        check_topics_per_fold(settings.k, settings.m or topics - 1)
    vectors = vectors_of(corpus, options)
    if vectors.similarity is not None:
        raise SettingError(NEEDS_DOCUMENTS.format("A benchmark"))
    study = study_in(corpus, vectors, options)
    m, k = _m_and_k(study, settings)
    benchmark = build_benchmark(
        corpus,
        NamedVectors(vectors.matrix, vectors.encoder_key),
        m=m,
        k=k,
        seed=settings.seed,
        pairs=settings.pairs,
        space=study.space,
        sampler=settings.sampler,
    )
    written = write_benchmark(benchmark, options.out, train_texts=TEXTS[settings.train_texts], progress=progress)
    notes = list(vectors.notes)
    if not written.train_texts:
        notes.append("Training pairs are written by document id only; README.md says how to fill in their texts.")
    files = {"manifest": written.manifest, "out": str(written.target), "files": written.files, "bytes": written.bytes}
    return shortcut.benchmark_answer(benchmark, meaningful=study.labels.meaningful, notes=notes, written=lambda: files)


def _m_and_k(study: Study, settings: shortcut.RavenSettings) -> tuple[int, int]:
    """Return m and k as given; what is missing is chosen so that the benchmark can be built."""
    if settings.m is not None and settings.k is not None:
        return settings.m, settings.k
    choices: dict[str, Any] = {
        "k": settings.k,
        "most_folds": MOST_FOLDS,
        "seed": settings.seed,
        "sampler": settings.sampler,
    }
    size = partial(workable_size, study.corpus, study.space, m=settings.m, **choices)
    found = size(pairs=settings.pairs, m=usual_topics(study)) if settings.m is None else None
    if found := found or size(pairs=settings.pairs):
        return found
    fact = "Neither half of the topics nor more of them make folds whose every side has pairs"
    if settings.m is not None or settings.k is not None:
        fact = "With this m or k no benchmark can be built whose every side has pairs"
    other = [name for name in PAIRINGS if name != settings.pairs and size(pairs=name) is not None]
    fix = f"try --pairs {other[0]}" if other else "name another column with --author, or leave out --m and --k"
    raise SettingError(
        f"{fact}: same-author pairs need authors with two texts, and matched ones topics with two authors; {fix}."
    )


def add_shortcut_options(command: argparse.ArgumentParser) -> None:
    """Add the benchmark, a file or folder of answers per system, and the metric."""
    command.add_argument("benchmark", metavar="DIR", help="a folder or zip archive that raven wrote")
    command.add_argument(
        "answers",
        metavar="ANSWERS",
        nargs="+",
        help="a system: a file, or a folder of files, of PAN jsonl (id, value) or CSV (id, score)",
    )
    add_settings(command, shortcut.AnswersSettings)


def run_shortcut(options: argparse.Namespace) -> Answer:
    """Compare each system's score under HITS and on random topics: a lower score under HITS shows reliance on topic."""
    settings = shortcut.AnswersSettings.resolve(None, given_settings(shortcut.AnswersSettings, options))
    names = system_names(options.answers)
    if settings.control is not None and settings.control not in names:
        raise unknown("system", settings.control, names)
    benchmark = read_benchmark(options.benchmark)
    sheet = answer_sheet(benchmark)
    systems = []
    for system in read_systems(sheet, options.answers):
        systems.append(system)
        progress(len(systems), len(options.answers), "systems", None)
    pairing, statistics = benchmark.settings.pairs, benchmark_statistics(benchmark)
    found = BenchmarkAnswers(sheet.pairs, tuple(systems), statistics, pairing)
    return shortcut.answer_of_files(found, metric=settings.metric, control=settings.control, seed=settings.seed)
