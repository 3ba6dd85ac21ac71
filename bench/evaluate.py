"""CharNGram over ten topic folds: a vector once a document against a vector for every text of every pair.

Pair by pair is timed on a sample of each fold's pairs and extrapolated to all of them. Both sides use the same fitted
model, so the ratio is of scoring alone (processor seconds), and the scores must be the same. Takes half a minute.
"""

import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import exit_code, newsgroups, sized
from core.corpora import Corpus, make_corpus
from core.errors import SettingError
from core.evaluation import HELD_OUT
from core.models import Documents
from core.models.verification import apply_thresholds, make_verifier
from core.splits import held_out, make_pairs, topic_kfold

POSTS, CHARACTERS, TOPICS = (
    6,
    200,
    2,
)  # at least this many posts an author, of this many characters, in this many topics
LEAST_RATIO = 1.5


@dataclass
class Counted:
    """A fitted model's way to vectors, and how many it has made."""

    vectors: Any
    made: int = 0

    def __call__(self, documents: Documents, rows: NDArray[np.int64]) -> Any:
        self.made += len(rows)
        return self.vectors(documents, rows)


def regular_authors(file: Path) -> Corpus | None:
    """20 Newsgroups by those who write often and on more than one topic; None where the file is absent."""
    if not file.exists():
        return None
    import pandas as pd

    frame = pd.read_parquet(file)
    frame = frame[frame["text"].str.len() >= CHARACTERS]
    by_author = frame.groupby("author")["topic"]
    often = (by_author.transform("size") >= POSTS) & (by_author.transform("nunique") >= TOPICS)
    frame = frame[often & (frame["author"].str.strip() != "")]
    columns = {name: [str(value) for value in frame[name]] for name in ("text", "topic", "author", "id")}
    return make_corpus(
        columns["text"], columns["topic"], authors=columns["author"], ids=columns["id"], name="20 Newsgroups, regulars"
    )


def main() -> int:
    corpus, folds, most = regular_authors(newsgroups()), sized(10, 2), sized(60, 5)
    if corpus is None:
        print("skipped: ../shared/data/20newsgroups.parquet is not here")
        return 0
    documents = Documents(corpus.texts)
    rng = np.random.default_rng(0)
    ours = theirs = fitting = furthest = 0.0
    pairs_scored = pairs_sampled = texts = made = unpaired = 0
    for fold in topic_kfold(corpus, k=folds, seed=0):
        try:
            asked = make_pairs(corpus, fold.test, seed=0)
        except SettingError as problem:
            unpaired += 1
            print(f"a fold is left out: {problem}")
            continue
        start = time.process_time()
        fit, held = held_out(make_pairs(corpus, fold.train, seed=0), share=HELD_OUT, seed=0)
        fitted = make_verifier("char_ngram").fit(documents, fit, held=held, seed=0)
        fitting += time.process_time() - start
        counted = Counted(fitted.vectors)
        start = time.process_time()
        scores = replace(fitted, vectors=counted).score(documents, asked.first, asked.second)
        ours += time.process_time() - start
        made += counted.made
        sample = np.sort(rng.choice(len(asked), min(most, len(asked)), replace=False))
        start = time.process_time()
        again = np.array([one_pair(fitted, corpus, int(asked.first[i]), int(asked.second[i])) for i in sample])
        theirs += (time.process_time() - start) * len(asked) / len(sample)
        furthest = max(furthest, float(np.abs(again - scores[sample]).max()))
        pairs_scored, pairs_sampled, texts = (
            pairs_scored + len(asked),
            pairs_sampled + len(sample),
            texts + len(asked.rows),
        )
    ratio = theirs / ours
    print(
        f"documents     {len(corpus):,} by {len(corpus.author_names or ()):,} authors on {len(corpus.topic_names)} topics"
    )
    print(f"scored        {pairs_scored:,} pairs of {texts:,} test documents in {folds - unpaired} folds")
    print(f"fitting       {fitting:.2f} s, the same for both")
    print(f"pair by pair  {theirs:.2f} s and {2 * pairs_scored:,} vectors, extrapolated from {pairs_sampled:,} pairs")
    print(f"ours          {ours:.2f} s and {made:,} vectors, one a document")
    print(f"ratio         {ratio:.1f} in time, {2 * pairs_scored / made:.1f} in vectors")
    print(f"scores        apart by at most {furthest:.1e}")
    equal = made == texts and furthest <= 1e-12
    passed = ratio >= LEAST_RATIO and equal
    print(f"{'ok' if passed else 'FAILED'}: at least {LEAST_RATIO} times wanted, a vector a document, equal to 1e-12")
    return exit_code(exact=equal, measured=passed)


def one_pair(fitted: Any, corpus: Corpus, first: int, second: int) -> float:
    """A pair's score as its formula reads: both texts to vectors, their cosine, the thresholds."""
    vectorizer = fitted.vectors.vectorizer
    one, two = (vectorizer.transform([corpus.texts[row]]).toarray().ravel() for row in (first, second))
    cosine: NDArray[np.float64] = np.array([min(max(float(one @ two), 0.0), 1.0)])
    return float(apply_thresholds(cosine, fitted.thresholds)[0])


if __name__ == "__main__":
    sys.exit(main())
