"""What a sample of topics keeps and loses: documents, authors, topics."""

from dataclasses import dataclass

import numpy as np

from core.corpus import Corpus
from core.sampling import Sample, sampled_documents


@dataclass(frozen=True, slots=True)
class Kept:
    """Counts after sampling; authors are None where the corpus has none. `per_topic` has a row a topic."""

    documents: int
    documents_lost: int
    authors: int | None
    authors_lost: int | None
    per_topic: list[dict[str, str | int]]


def kept_and_lost(corpus: Corpus, sample: Sample) -> Kept:
    """Count what stays of a corpus under a sample; an author is lost when no document of theirs stays."""
    rows, _ = sampled_documents(corpus, sample)
    authors = lost = None
    if corpus.author_names is not None and corpus.author_codes is not None:
        authors = len(np.unique(corpus.author_codes[rows]))
        lost = len(corpus.author_names) - authors
    step = {int(topic): place for place, topic in enumerate(sample.selected, start=1)}
    per_topic: list[dict[str, str | int]] = []
    for topic, (name, size) in enumerate(zip(corpus.topic_names, corpus.topic_sizes, strict=True)):
        home = int(sample.home[topic])
        fate = f"kept, step {step[topic]}" if home == topic else "dropped" if home < 0 else "merged"
        into = corpus.topic_names[home] if home >= 0 and home != topic else ""
        per_topic.append({"topic": name, "documents": int(size), "fate": fate, "merged into": into})
    return Kept(len(rows), len(corpus) - len(rows), authors, lost, per_topic)
