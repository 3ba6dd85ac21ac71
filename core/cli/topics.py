"""Topics for texts that have none: found, named, written with the texts."""

import argparse

from ..topics import FORMATS, METHODS, documents_table, find_topics, with_found_topics
from .options import (
    Answer,
    add_corpus_options,
    add_encoder_options,
    corpus_of,
    seed,
    vectors_of,
)
from .screen import progress
from .target import checked_table, write_table


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus, with topics or without, its vectors, how topics are found, and where the texts with them go."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument(
        "--out", required=True, metavar="FILE", help=f"one of {', '.join(f'.{end}' for end in FORMATS)}"
    )
    about = f"one of {', '.join(METHODS)} (default: k-means)"
    command.add_argument("--method", default="k-means", choices=tuple(METHODS), help=about)
    about = "how many topics (default: as the silhouette says)"
    command.add_argument("--k", type=int, default=None, metavar="K", help=about)
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="starts and draws (default: 0)")


def run(options: argparse.Namespace) -> Answer:
    """Find topics for texts that have none, and say how firm they are; where topics are given, how far they agree."""
    checked_table(options.out)
    corpus = corpus_of(options, needed=())
    vectors = vectors_of(corpus, options)
    found = find_topics(
        corpus, vectors.matrix, method=options.method, k=options.k, seed=options.seed, progress=progress
    )
    write_table(options.out, documents_table(with_found_topics(corpus, found)))
    clusters = found.clusters
    return {
        "sentence": found.sentence,
        "level": found.level,
        "k": len(found.names),
        "topics": dict(zip(found.names, found.sizes.tolist(), strict=True)),
        "without_topic": found.without,
        "stability": clusters.stability,
        "agreement": found.agreement,
        "silhouette": clusters.silhouette,
        "silhouette_by_chance": clusters.by_chance,
        "tried": [{"k": k, "silhouette": value} for k, value in clusters.tried],
        "method": found.method,
        "notes": list(vectors.notes),
        "out": options.out,
    }
