"""`hits`: the HITS path."""

import argparse

from ..topics import checked_m, hits_path, make_sample, pair_summary, path_records, resample_topics, unplaced_records
from .options import Answer, add_corpus_options, add_encoder_options, corpus_of, space_of, vectors_of


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, and m."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--m", type=int, default=None, metavar="M", help="topics to keep (default: all)")


def run(options: argparse.Namespace) -> Answer:
    """The whole HITS path, the first m topics of it, and how often each would be kept with other documents."""
    corpus = corpus_of(options)
    vectors = vectors_of(corpus, options)
    space = space_of(corpus, vectors, options)
    path = hits_path(space.similarity)
    m = checked_m(len(space) if options.m is None else options.m, len(space))
    sample = make_sample(space.similarity, path.order[:m])
    resampled = resample_topics(vectors.matrix, corpus.topic_codes, len(space), kind=space.kind)
    shares = resampled.selected_share(m)
    return {
        "topics": list(space.names),
        "path": path_records(space, path),
        "m": m,
        "selected": [space.names[topic] for topic in sample.selected],
        "similarity": pair_summary(space, sample),
        "kind": space.kind,
        "kept_share": {space.names[topic]: float(shares[topic]) for topic in path.order},
        "unplaced": unplaced_records(space),
        "notes": list(vectors.notes),
    }
