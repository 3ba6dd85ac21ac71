"""Answers of commands whose result is a file: what was written, and what to do with it."""

from collections.abc import Mapping
from typing import Any

from ..corpora import Corpus
from ..render import Answer
from ..vectors import Vectors


def vectors_written(vectors: Vectors, out: str, file: str) -> Answer:
    """Report a file of vectors, one per document."""
    rows, columns = vectors.matrix.shape
    return Answer(
        "embed",
        "Vectors",
        "neutral",
        f"Written: {rows:,} vectors of {columns} numbers, one a document in the file's order.",
        (f"{vectors.encoded:,} were computed now, {vectors.from_store:,} were stored before.", *vectors.notes[:2]),
        make_data=lambda: {
            "documents": rows,
            "dimensions": columns,
            "encoded": vectors.encoded,
            "from_store": vectors.from_store,
            "notes": list(vectors.notes),
            "out": out,
        },
        next_steps=(f"Use them: hits {file} --vectors {out}",),
    )


def synthetic_written(corpus: Corpus, out: str) -> Answer:
    """Report a synthetic corpus that was written."""
    data: Mapping[str, Any] = {
        "documents": len(corpus),
        "topics": len(corpus.topic_names),
        "authors": len(corpus.author_names or ()),
        "out": out,
    }
    return Answer(
        "dial",
        "A synthetic corpus",
        "neutral",
        f"{len(corpus):,} synthetic documents on {len(corpus.topic_names)} topics are in {out}.",
        make_data=lambda: data,
        next_steps=(f"See what similar topics add: curve {out} --encoder lsa",),
    )


def plan_written(training_sets: int, topics: int, digest: str, out: str) -> Answer:
    """Report the plan of a leakage curve, for models that run elsewhere."""
    return Answer(
        "curve",
        "A plan",
        "neutral",
        f"{training_sets:,} training sets for {topics:,} test topics are in {out}.",
        make_data=lambda: {"plan": digest, "out": out, "training_sets": training_sets},
        next_steps=("Run your model on each, then give its answers: curve FILE --answers ANSWERS",),
    )
