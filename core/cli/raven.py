"""`raven`: a benchmark of HITS and random setups, on disk."""

import argparse

from ..errors import SettingError
from ..studies.raven import benchmark_statistics, build_benchmark, free_path, write_benchmark
from ..topics import checked_m
from .options import (
    Answer,
    add_corpus_options,
    add_encoder_options,
    add_pairs_option,
    corpus_of,
    progress,
    seed,
    space_of,
    vectors_of,
)

TEXTS = {"auto": None, "yes": True, "no": False}


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, the size of the setups, and where the benchmark goes."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--m", type=int, required=True, metavar="M", help="topics in each setup")
    command.add_argument("--k", type=int, default=10, metavar="K", help="folds in each setup (default: 10)")
    command.add_argument("--out", required=True, metavar="DIR", help="a new or empty folder, or a new file NAME.zip")
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="draws folds and pairs (default: 0)")
    add_pairs_option(command)
    command.add_argument(
        "--train-texts",
        choices=tuple(TEXTS),
        default="auto",
        help="write training pairs with their texts (default: while they fit into 300 MB)",
    )


def run(options: argparse.Namespace) -> Answer:
    """Build a RAVEN benchmark: a HITS setup and five random ones, with their folds and pairs."""
    # What can be refused is refused before vectors take minutes.
    free_path(options.out)
    corpus = corpus_of(options)
    if corpus.author_names is None:
        raise SettingError("The corpus names no authors, and verification pairs need them; name them with --author.")
    checked_m(options.m, len(corpus.topic_names))
    vectors = vectors_of(corpus, options)
    benchmark = build_benchmark(
        corpus,
        vectors.matrix,
        encoder_key=vectors.encoder_key,
        m=options.m,
        k=options.k,
        seed=options.seed,
        pairs=options.pairs,
        space=space_of(corpus, vectors, options),
    )
    written = write_benchmark(benchmark, options.out, train_texts=TEXTS[options.train_texts], progress=progress)
    notes = list(vectors.notes)
    if not written.train_texts:
        notes.append("Training pairs are written by document id only; README.md says how to fill in their texts.")
    return {
        "manifest": written.manifest,
        "out": str(written.target),
        "files": written.files,
        "bytes": written.bytes,
        "pairs": options.pairs,
        "setups": {
            found.key: {
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
            for found in benchmark_statistics(benchmark)
        },
        "notes": notes,
    }
