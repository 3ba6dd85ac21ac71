"""The command that finds topics in texts that have none, and writes the texts with them."""

import argparse
from dataclasses import replace

from ..errors import SettingError
from ..questions import answered, found_topics
from ..render import Answer
from ..topics import FORMATS, METHODS, documents_table, with_found_topics
from .options import add_corpus_options, add_encoder_options
from .questions import add_settings, given_settings, study_of
from .target import checked_table, write_table


def add_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus with or without topics, its vectors, how topics are found, and the file to write."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument(
        "--out", required=True, metavar="FILE", help=f"one of {', '.join(f'.{end}' for end in FORMATS)}"
    )
    add_settings(command, found_topics.Settings)


def run(options: argparse.Namespace) -> Answer:
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
