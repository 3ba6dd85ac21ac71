"""`embed`: a corpus to a file of vectors."""

import argparse
from pathlib import Path

import numpy as np

from ..errors import SettingError
from ..files import written_whole
from .options import Answer, add_corpus_options, add_encoder_options, corpus_of, vectors_of


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus, an encoder, and where the vectors go."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=False)
    command.add_argument("--out", required=True, metavar="V.npy", help="where the vectors go")


def run(options: argparse.Namespace) -> Answer:
    """Write the vectors of a corpus in document order."""
    vectors = vectors_of(corpus_of(options), options)
    target = Path(options.out)
    try:
        with written_whole(target) as partial, partial.open("xb") as stream:
            np.save(stream, vectors.matrix, allow_pickle=False)
    except OSError as problem:
        raise SettingError(
            f"{target}: cannot be written ({problem.strerror or problem}); choose another --out."
        ) from None
    return {
        "documents": len(vectors.matrix),
        "dimensions": vectors.matrix.shape[1],
        "encoded": vectors.encoded,
        "from_store": vectors.from_store,
        "notes": list(vectors.notes),
        "out": str(target),
    }
