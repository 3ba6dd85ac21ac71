"""What is known long before the last document is encoded: 20 Newsgroups with SBERT, stopped at a tenth.

    python -m bench.anytime [FILE]

Prints the verdict's level after at most a tenth of the documents beside the final one, and the share of pairs of topics
whose final similarity lies inside the interval shown at a tenth (at least .90). Vectors are kept: the first run takes
minutes, a second one reads them.
"""

import contextlib
import sys
import tempfile
from pathlib import Path

import numpy as np

from bench import exit_code, newsgroups, tiny
from core.corpora import Corpus, take
from core.corpora.readers import read_source, table_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.topics import CORRECTED, Bootstrap, Verdict, bootstrap_topics, check_labels, hits_path, judge, topic_space
from core.vectors import Vectors, VectorStore, embed, embedded_so_far, make_encoder

SHARE = 0.1
LEAST_INSIDE = 0.90
FOLDS = 6


class Stopped(Exception):
    """A tenth is done."""


def judged(corpus: Corpus, vectors: Vectors) -> tuple[Verdict, Bootstrap, np.ndarray]:
    """What Overview would say of these documents, its intervals, and the similarities."""
    codes, count = corpus.topic_codes, len(corpus.topic_names)
    space = topic_space(vectors.matrix, codes, corpus.topic_names, similarity=CORRECTED)
    bootstrap = bootstrap_topics(vectors.matrix, codes, count, kind=CORRECTED)
    labels = check_labels(vectors.matrix, codes, count, kind=CORRECTED)
    verdict = judge(space, hits_path(space.similarity), k=FOLDS, labels=labels, bootstrap=bootstrap)
    return verdict, bootstrap, space.similarity


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else newsgroups()
    if not file.is_file():
        print(f"skipped: {file} is not here")
        return 0
    encoder = make_encoder("sbert")
    if tiny():  # vectors that ship with the app: nothing is encoded
        corpus = bundled_corpus()
        whole = bundled_vectors(corpus, encoder)
        assert whole is not None
    else:
        table = read_source(file)
        corpus = table if isinstance(table, Corpus) else table_corpus(table, **dict(table.roles))
        whole = embed(corpus, encoder, store=VectorStore(), progress=say)
        print(file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        rows, vectors = first_tenth(corpus, encoder, whole, VectorStore(scratch))
    early, intervals, _ = judged(take(corpus, rows), vectors)
    final, _, similarity = judged(corpus, whole)
    pairs = np.triu_indices(len(similarity), 1)
    assert intervals.low is not None and intervals.high is not None
    inside = (intervals.low[pairs] <= similarity[pairs]) & (similarity[pairs] <= intervals.high[pairs])
    print(f"documents         {len(rows):,} of {len(corpus):,} ({len(rows) / len(corpus):.1%})")
    print(f"level             {early.level}, finally {final.level}")
    print(f"inside intervals  {inside.mean():.3f} of {len(inside)} pairs (at least {LEAST_INSIDE})")
    passed = early.level == final.level and inside.mean() >= LEAST_INSIDE
    return exit_code(exact=len(rows) <= SHARE * len(corpus), measured=passed)


def first_tenth(corpus: Corpus, encoder: object, whole: Vectors, store: VectorStore) -> tuple[np.ndarray, Vectors]:
    """What a store holds when the encoder has been stopped at a tenth; vectors are looked up, not computed twice."""
    known = dict(zip(corpus.texts, whole.matrix, strict=True))

    class Known(type(encoder)):  # type: ignore[misc]
        def batches(self, texts):  # type: ignore[no-untyped-def]
            for start in range(0, len(texts), 32):
                rows = np.arange(start, min(start + 32, len(texts)))
                yield rows, np.array([known[texts[row]] for row in rows])

    def stop(done: int, total: int, label: str, left: float | None) -> None:
        if done >= SHARE * total - 64:  # a batch may hold several copies of a text
            raise Stopped

    looked_up = Known()
    with contextlib.suppress(Stopped):
        embed(corpus, looked_up, store=store, progress=stop)
    return embedded_so_far(corpus, looked_up, store=store)


def say(done: int, total: int, label: str, left: float | None) -> None:
    """On one line, so that an hour of it stays readable."""
    print(
        f"\r{done:,} of {total:,} documents" + ("" if left is None else f", {left:,.0f} s left "),
        end="",
        file=sys.stderr,
    )


if __name__ == "__main__":
    sys.exit(main())
