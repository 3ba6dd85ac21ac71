"""Commands on a benchmark: `raven` builds one of HITS and random setups, `shortcut` tests systems by their answers to it."""

import argparse
from functools import partial
from typing import Any

from ..corpora import Corpus
from ..errors import SettingError, unknown
from ..evaluation import NamedVectors
from ..formats import counted
from ..models import METRICS
from ..splits import PAIRINGS, check_deal
from ..studies import (
    NO_LABELS,
    Reliance,
    SystemResult,
    answer_sheet,
    read_systems,
    shortcut_test,
    system_names,
    topical_reliance,
)
from ..studies.raven import (
    SetupStatistics,
    benchmark_statistics,
    build_benchmark,
    check_setups,
    free_path,
    read_benchmark,
    workable_size,
    write_benchmark,
)
from ..topics import SAMPLERS, TopicSpace, check_labels, checked_m, unlike_samplers
from .options import (
    Answer,
    add_corpus_options,
    add_encoder_options,
    add_pairs_option,
    corpus_of,
    defined,
    seed,
    space_of,
    vectors_of,
)
from .screen import progress

MOST_FOLDS = 10
TEXTS = {"auto": None, "yes": True, "no": False}


def add_raven_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, the size of the setups, and where the benchmark goes."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    about = "topics in each setup (default: half of them, or as many more as every fold needs to be paired)"
    command.add_argument("--m", type=int, metavar="M", help=about)
    about = "folds in each setup (default: 10, or as many fewer as every fold needs to be paired)"
    command.add_argument("--k", type=int, metavar="K", help=about)
    command.add_argument("--out", required=True, metavar="DIR", help="a new or empty folder, or a new file NAME.zip")
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="draws folds and pairs (default: 0)")
    about = f"who chooses the unlike topics: {', '.join(unlike_samplers())} (default: hits)"
    command.add_argument("--sampler", default="hits", choices=unlike_samplers(), help=about)
    add_pairs_option(command)
    command.add_argument(
        "--train-texts",
        choices=tuple(TEXTS),
        default="auto",
        help="write training pairs with their texts (default: while they fit into 300 MB)",
    )


def run_raven(options: argparse.Namespace) -> Answer:
    """Build a RAVEN benchmark: a HITS setup and five random ones, with their folds and pairs."""
    # What can be refused is refused before vectors take minutes.
    free_path(options.out)
    corpus = corpus_of(options)
    if corpus.author_names is None:
        raise SettingError("The corpus names no authors, and verification pairs need them; name them with --author.")
    topics = len(corpus.topic_names)
    check_setups(options.m, topics)
    if options.m is not None:
        checked_m(options.m, topics)
    if options.k is not None:
        check_deal(options.k, options.m or topics - 1)
    vectors = vectors_of(corpus, options)
    space = space_of(corpus, vectors, options)
    m, k = _size(corpus, space, options)
    benchmark = build_benchmark(
        corpus,
        NamedVectors(vectors.matrix, vectors.encoder_key),
        m=m,
        k=k,
        seed=options.seed,
        pairs=options.pairs,
        space=space,
        sampler=options.sampler,
    )
    labels = check_labels(vectors.matrix, corpus.topic_codes, topics, kind=space.kind)
    written = write_benchmark(benchmark, options.out, train_texts=TEXTS[options.train_texts], progress=progress)
    notes = list(vectors.notes)
    if not written.train_texts:
        notes.append("Training pairs are written by document id only; README.md says how to fill in their texts.")
    return {
        "sentence": f"A benchmark of {m} topics in {k} folds, by {SAMPLERS[options.sampler].label} and in "
        f"{counted(len(benchmark.setups) - 1, 'random setup')}, is written.{'' if labels.meaningful else f' {NO_LABELS}'}",
        "m": m,
        "k": k,
        "manifest": written.manifest,
        "out": str(written.target),
        "files": written.files,
        "bytes": written.bytes,
        "pairs": options.pairs,
        "setups": {found.key: _statistics(found) for found in benchmark_statistics(benchmark)},
        "notes": notes,
    }


def _statistics(found: SetupStatistics) -> Answer:
    return {
        "topics": found.topics,
        "documents": found.documents,
        "authors": found.authors,
        "pairs": sum(found.pairs.values()),
        "train_pairs": found.pairs["train"],
        "test_pairs": found.pairs["test"],
        "left_out": sum(found.left_out.values()),
        "gap": found.gap,
        "topic_oracle_auc": found.topic_oracle_auc,
    }


def _size(corpus: Corpus, space: TopicSpace, options: argparse.Namespace) -> tuple[int, int]:
    """m and k as they are given; what is not, such that the benchmark can be built."""
    if options.m is not None and options.k is not None:
        return options.m, options.k
    choices: dict[str, Any] = {"m": options.m, "k": options.k, "most_folds": MOST_FOLDS}
    size = partial(workable_size, corpus, space, seed=options.seed, sampler=options.sampler, **choices)
    found = size(pairs=options.pairs)
    if found is not None:
        return found
    fact = "Neither half of the topics nor more of them make folds whose every side has pairs"
    if options.m is not None or options.k is not None:
        fact = "With this m or k no benchmark can be built whose every side has pairs"
    other = [name for name in PAIRINGS if name != options.pairs and size(pairs=name) is not None]
    remedy = f"try --pairs {other[0]}" if other else "name another column with --author, or leave out --m and --k"
    raise SettingError(
        f"{fact}: same-author pairs need authors with two texts, and matched ones topics with two authors; {remedy}."
    )


def add_shortcut_options(command: argparse.ArgumentParser) -> None:
    """The benchmark, a file or folder of answers a system, and the metric."""
    command.add_argument("benchmark", metavar="DIR", help="a folder or zip archive that raven wrote")
    command.add_argument(
        "answers",
        metavar="ANSWERS",
        nargs="+",
        help="a system: a file, or a folder of files, of PAN jsonl (id, value) or CSV (id, score)",
    )
    command.add_argument("--metric", default="overall", metavar="NAME", help=f"one of {', '.join(METRICS)}")
    command.add_argument(
        "--control", metavar="NAME", help="the system made to lean on topic (default: the one called TopicFit, if any)"
    )
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="draws the bootstrap (default: 0)")


def run_shortcut(options: argparse.Namespace) -> Answer:
    """Each system's score under HITS and at random, their average, and their difference: its reliance on topic."""
    names = system_names(options.answers)
    if options.metric not in METRICS:
        raise unknown("metric", options.metric, METRICS)
    if options.control is not None and options.control not in names:
        raise unknown("system", options.control, names)
    sheet = answer_sheet(read_benchmark(options.benchmark))
    systems = []
    for system in read_systems(sheet, options.answers):
        systems.append(system)
        progress(len(systems), len(options.answers), "systems", None)
    test = shortcut_test(sheet.pairs, systems, metric=options.metric, control=options.control, seed=options.seed)
    reliance = topical_reliance(sheet.pairs, systems)
    notes = [f"{system.name}: {note}" for system in systems for note in system.notes]
    for result in test.results:
        if result.undefined_folds:
            notes.append(
                f"{result.name}: {METRICS[options.metric].label} is undefined in {result.undefined_folds} of "
                f"{len(sheet.pairs)} folds, which are left out."
            )
    notes += [result.sentence for result in test.results]
    return {
        "sentence": test.sentence,
        "power": test.power,
        "control": test.control,
        "margin": test.margin,
        "metric": options.metric,
        "placebo_rate": defined(test.placebo),
        "models": {result.name: _record(result, found) for result, found in zip(test.results, reliance, strict=True)},
        "notes": notes,
    }


def _record(result: SystemResult, found: Reliance) -> Answer:
    values = ("hits", "random", "avg", "diff", "rank_avg", "rank_diff", "gap", "p", "adjusted_p")
    return {name: defined(getattr(result, name)) for name in values} | {
        "reading": result.reading,
        "gap_interval": [defined(bound) for bound in result.gap_interval],
        "avg_interval": [defined(bound) for bound in result.avg_interval],
        "diff_interval": [defined(bound) for bound in result.diff_interval],
        "within_noise": result.within_noise,
        "similarity_rho": {kind: defined(value) for kind, value in found.rho.items()},
    }
