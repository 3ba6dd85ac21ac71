"""Commands on a corpus alone: `audit`, what it holds, and `embed`, a file of its vectors."""

import argparse
from pathlib import Path

import numpy as np

from ..corpora import audit
from ..errors import SettingError
from ..files import written_whole
from .options import Answer, add_corpus_options, add_encoder_options, corpus_of, vectors_of


def run_audit(options: argparse.Namespace) -> Answer:
    """Count documents, topics and authors, and warn of what would mislead."""
    found = audit(corpus_of(options))
    counts: dict[str, dict[str, int]] = {name: {} for name in found.topic_names}
    table = found.counts.tocoo()
    for topic, author, number in zip(*table.coords, table.data, strict=True):
        counts[found.topic_names[topic]][found.author_names[author]] = int(number)
    return {
        "documents": found.documents,
        "topics": found.topics,
        "authors": found.authors,
        "counts": counts,
        "warnings": [finding.message for finding in found.warnings],
    }


def add_embed_options(command: argparse.ArgumentParser) -> None:
    """A corpus, an encoder, and where the vectors go."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=False)
    command.add_argument("--out", required=True, metavar="V.npy", help="where the vectors go")


def run_embed(options: argparse.Namespace) -> Answer:
    """Write the vectors of a corpus in document order."""
    vectors = vectors_of(corpus_of(options), options)
    target = Path(options.out)
    try:
        with written_whole(target) as partial, partial.open("xb") as stream:
            np.save(stream, vectors.matrix, allow_pickle=False)
    except OSError as problem:
        reason = problem.strerror or problem
        raise SettingError(f"{target}: cannot be written ({reason}); choose another --out.") from None
    return {
        "documents": len(vectors.matrix),
        "dimensions": vectors.matrix.shape[1],
        "encoded": vectors.encoded,
        "from_store": vectors.from_store,
        "notes": list(vectors.notes),
        "out": str(target),
    }
