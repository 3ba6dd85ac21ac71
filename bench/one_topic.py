"""Pairs that may be one topic cut in two: how often random pieces of one newsgroup are missed.

    python -m bench.one_topic [FILE]

Ten random pieces of sci.space beside eight other newsgroups, thirty corpora for every number of documents a topic, LSA
vectors, corrected similarity. Prints the share of pairs of pieces that are missed (at most .01), the share of corpora in
which any is, and the share of the other pairs that are taken for one topic all the same. About a minute of one core.
"""

import sys
from pathlib import Path

import numpy as np

from bench import exit_code, newsgroups, sized
from core.corpora import Corpus, take
from core.corpora.readers import read_corpus
from core.topics import CORRECTED, bootstrap_topics, may_be_one_topic, topic_space
from core.vectors import embed, make_encoder

CUT, OTHERS = "sci.space", 8
SHORTEST, LARGEST = 100, 200  # characters of a text; documents of each of the others that are encoded
MOST_MISSED = 0.01


def encoded(file: Path) -> tuple[np.ndarray, Corpus]:
    """The newsgroups with their vectors: all of the one that is cut, some of the others."""
    corpus = read_corpus(file)
    long, rng = np.array([len(text) > SHORTEST for text in corpus.texts]), np.random.default_rng(0)
    rows = [
        rng.permutation(np.flatnonzero(long & (corpus.topic_codes == code))) for code in range(len(corpus.topic_names))
    ]
    cut = cut_topic(corpus)
    part = take(corpus, np.concatenate([each if code == cut else each[:LARGEST] for code, each in enumerate(rows)]))
    return embed(part, make_encoder("lsa")).matrix, part


def cut_topic(corpus: Corpus) -> int:
    """Return the topic that is cut: sci.space, or the first of a corpus that has none."""
    return corpus.topic_names.index(CUT) if CUT in corpus.topic_names else 0


def missed(vectors: np.ndarray, corpus: Corpus, documents: int, seed: int) -> tuple[float, bool, float]:
    """Of one synthetic corpus: pairs of pieces that are told apart, whether there is one, and others that are not."""
    rng, cut, pieces = np.random.default_rng(seed), cut_topic(corpus), sized(10, 3)
    others = rng.choice(np.delete(np.arange(len(corpus.topic_names)), cut), OTHERS, replace=False)
    wanted = [(cut, pieces * documents), *((other, documents) for other in others)]
    rows = [rng.choice(np.flatnonzero(corpus.topic_codes == code), size, replace=False) for code, size in wanted]
    topics = pieces + OTHERS
    codes, chosen = np.repeat(np.arange(topics), documents), vectors[np.concatenate(rows)]
    space = topic_space(chosen, codes, tuple(f"topic {code:02}" for code in range(topics)))
    one = may_be_one_topic(space, bootstrap_topics(chosen, codes, topics, kind=CORRECTED, seed=seed))
    known = np.triu(~np.isnan(space.similarity), k=1)
    cut_up = np.zeros_like(known)
    cut_up[:pieces, :pieces] = True
    apart = ~one[known & cut_up]
    return float(apart.mean()), bool(apart.any()), float(one[known & ~cut_up].mean())


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else newsgroups()
    if not file.is_file():
        print(f"{file} is absent; name the 20 Newsgroups as Parquet.")
        return 0
    vectors, corpus = encoded(file)
    worst = 0.0
    for documents in sized((3, 4, 5, 10, 20, 40), (3,)):
        shares = np.mean([missed(vectors, corpus, documents, seed) for seed in range(sized(30, 1))], axis=0)
        worst = max(worst, shares[0])
        print(
            f"{documents:3} documents a topic: missed {shares[0]:.3f} of the pairs of pieces, in {shares[1]:.2f} of the corpora any; "
            f"{shares[2]:.2f} of the other pairs taken for one topic"
        )
    return exit_code(measured=worst <= MOST_MISSED)


if __name__ == "__main__":
    sys.exit(main())
