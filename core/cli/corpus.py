"""Commands that check a corpus, embed it, find its topics, or write a synthetic one."""

import argparse
from dataclasses import replace

import numpy as np
import pandas as pd

from ..corpora import audit, dial_corpus
from ..errors import SettingError
from ..questions import answered, corpus, found_topics, in_words_of, synthetic_written, vectors_written
from ..render import Answer
from ..topics import FORMATS, METHODS, documents_table, with_found_topics
from ..vectors import ENCODERS, USUAL_ENCODER, instead_of
from .options import (
    add_corpus_options,
    add_encoder_options,
    checked_table,
    checked_target,
    corpus_of,
    vectors_of,
    write_table,
    writing,
)
from .questions import add_settings, given_settings, seed, study_of


def run_audit(options: argparse.Namespace) -> Answer:
    """Count documents, topics and authors, and list what to fix before evaluating."""
    found = corpus_of(options)
    counted = audit(found, window=ENCODERS[instead_of(USUAL_ENCODER)[0]].has_window)
    return in_words_of(corpus.audit_answer(found, counted, command=True), found)


def add_explain_options(command: argparse.ArgumentParser) -> None:
    """Add the code of a warning."""
    command.add_argument("code", metavar="CODE", help=f"one of {', '.join(sorted(corpus.WARNINGS))}")


def run_explain(options: argparse.Namespace) -> Answer:
    """Explain a warning by its code, with an example and what to do about it."""
    return corpus.explanation(options.code)


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
    """Write a synthetic corpus with two dials: words that sister topics share, and authors' loyalty to one family."""
    target = checked_target(options.out)
    corpus = dial_corpus(shared=options.shared, loyal=options.loyal, seed=options.seed)
    table = pd.DataFrame({"id": corpus.ids, "text": corpus.texts, "topic": corpus.topics, "author": corpus.authors})
    with writing(target) as partial, partial.open("x", encoding="utf-8", newline="") as stream:
        table.to_csv(stream, index=False)
    return synthetic_written(corpus, options.out)


def add_topics_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus with or without topics, its vectors, how topics are found, and the file to write."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument(
        "--out", required=True, metavar="FILE", help=f"one of {', '.join(f'.{end}' for end in FORMATS)}"
    )
    add_settings(command, found_topics.Settings)


def run_topics(options: argparse.Namespace) -> Answer:
    """Find topics in texts that have none, and report how stable they are."""
    checked_table(options.out)
    given = given_settings(found_topics.Settings, options)
    found_topics.Settings.check_early(given)
    method = METHODS[given.get("method", "k-means")]
    if given.get("k") and not method.takes_k:
        raise SettingError(f"{method.label} finds the number of topics itself; leave k out, or choose k-means.")
    study = study_of(options, needed=())
    answer = answered(study, found_topics, found_topics.Settings.resolve(study, given, command=True))
    write_table(options.out, documents_table(with_found_topics(study.corpus, answer.numbers)))
    data = answer.make_data
    return replace(answer, make_data=lambda: {**data(), "out": options.out})
