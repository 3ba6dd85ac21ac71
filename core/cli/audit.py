"""`audit`: what a corpus holds."""

import argparse

from ..corpora import audit
from .options import Answer, add_corpus_options, corpus_of


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus."""
    add_corpus_options(command)


def run(options: argparse.Namespace) -> Answer:
    """Count documents, topics and authors, and warn of what would mislead."""
    corpus = corpus_of(options)
    found = audit(corpus)
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
