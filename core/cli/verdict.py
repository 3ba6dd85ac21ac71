"""`verdict`: does a split by topic leak?"""

import argparse

from ..errors import SettingError
from ..topics import check_labels, hits_path, judge, near_twins, resample_topics, unplaced_records
from .options import Answer, add_corpus_options, add_encoder_options, corpus_of, defined, space_of, vectors_of


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, and the folds the verdict is on."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--k", type=int, default=6, metavar="K", help="folds of topics (default: 6)")


def run(options: argparse.Namespace) -> Answer:
    """Whether topics dealt into folds leave near twins in training, and whether the labels mean anything at all."""
    corpus = corpus_of(options)
    if options.k < 2:
        raise SettingError(f"k = {options.k}; cross-validation needs at least 2 folds.")
    vectors = vectors_of(corpus, options)
    space = space_of(corpus, vectors, options)
    documents = vectors.matrix, corpus.topic_codes, len(space)
    found = judge(
        space,
        hits_path(space.similarity),
        k=options.k,
        labels=check_labels(*documents, kind=space.kind),
        resampled=resample_topics(*documents, kind=space.kind),
    )
    twins = near_twins(space, found.line)
    return {
        "sentence": found.sentence,
        "level": found.level,
        "cautions": list(found.cautions),
        "k": options.k,
        "typical": defined(found.typical),
        "line": found.line,
        "twin_pairs": found.twin_pairs,
        "twins": [[space.names[first], space.names[second], value] for first, second, value in twins],
        "leaking_topics": found.leaking_topics,
        "keep": found.keep,
        "keep_interval": None if found.keep_interval is None else list(found.keep_interval),
        "keep_documents": found.keep_documents,
        "documents": found.documents,
        "reliability": {name: defined(share) for name, share in zip(space.names, space.reliability, strict=True)},
        "unplaced": unplaced_records(space),
        "notes": list(vectors.notes),
    }
