"""Commands that check a corpus, embed it, or write a synthetic one."""

import argparse

import numpy as np
import pandas as pd

from ..corpora import audit, dial_corpus
from ..questions import corpus, synthetic_written, vectors_written
from ..render import Answer
from .options import (
    add_corpus_options,
    add_encoder_options,
    corpus_of,
    seed,
    vectors_of,
)
from .target import checked_target, writing


def run_audit(options: argparse.Namespace) -> Answer:
    """Count documents, topics and authors, and list what to fix before evaluating."""
    found = corpus_of(options)
    return corpus.audit_answer(found, audit(found), command=True)


def add_embed_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, an encoder and the file to write."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=False)
    command.add_argument("--out", required=True, metavar="V.npy", help="the file to write")


def run_embed(options: argparse.Namespace) -> Answer:
    """Write the vectors of a corpus in document order."""
    target = checked_target(options.out)
    vectors = vectors_of(corpus_of(options), options)
    with writing(target) as partial, partial.open("xb") as stream:
        np.save(stream, vectors.matrix, allow_pickle=False)
    return vectors_written(vectors, str(target), options.file)


def add_dial_options(command: argparse.ArgumentParser) -> None:
    """Add the two dials and the file to write."""
    command.add_argument(
        "--shared", type=float, default=0.8, metavar="SHARE", help="share of words that sister topics have in common"
    )
    command.add_argument(
        "--loyal", type=float, default=0.8, metavar="SHARE", help="share of texts in the author's own family of topics"
    )
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="seed of words and texts (default: 0)")
    command.add_argument("--out", required=True, metavar="FILE.csv", help="the corpus to write")


def run_dial(options: argparse.Namespace) -> Answer:
    """Write a synthetic corpus: how much vocabulary sister topics share, and how far authors keep to one family."""
    target = checked_target(options.out)
    corpus = dial_corpus(shared=options.shared, loyal=options.loyal, seed=options.seed)
    table = pd.DataFrame({"id": corpus.ids, "text": corpus.texts, "topic": corpus.topics, "author": corpus.authors})
    with writing(target) as partial, partial.open("x", encoding="utf-8", newline="") as stream:
        table.to_csv(stream, index=False)
    return synthetic_written(corpus, options.out)
