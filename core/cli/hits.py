"""`hits`: the HITS path."""

import argparse

from ..topics import checked_m, hits_path, make_sample, pair_summary, path_records, topic_space
from .options import Answer, add_corpus_options, add_encoder_options, corpus_of, vectors_of


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, and m."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--m", type=int, default=None, metavar="M", help="topics to keep (default: all)")


def run(options: argparse.Namespace) -> Answer:
    """The whole HITS path, and the first m topics of it."""
    corpus = corpus_of(options)
    vectors = vectors_of(corpus, options)
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    path = hits_path(space.similarity)
    m = checked_m(len(space) if options.m is None else options.m, len(space))
    sample = make_sample(space.similarity, path.order[:m])
    return {
        "topics": list(space.names),
        "path": path_records(space, path),
        "m": m,
        "selected": [space.names[topic] for topic in sample.selected],
        "similarity": pair_summary(space, sample),
        "notes": list(vectors.notes),
    }
