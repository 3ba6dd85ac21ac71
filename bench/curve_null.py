"""The leakage curve where similarity means nothing: how often it still finds a cost.

Random levels: topics are left out in a random order instead of by similarity. Shuffled topics: every document gets the topic of
another, so that no topic has a subject. The corpora are four families of the dial at .4/.8, on which fewer topics are really
less varied training. A run rejects if the curve calls the cost of content words or of all words significant; at most .07 of the
runs may. Beside it, how often a t-test of the cost alone would, which is what the reference is for.
"""

import argparse
import os
import sys
from dataclasses import replace

import numpy as np

from bench import exit_code, sized
from core.corpora import Corpus, dial_corpus, make_corpus, take
from core.evaluation import CurveSummary, author_labels, quick_cost, quick_plan
from core.topics import TopicSpace, topic_space
from core.vectors import embed, make_encoder

RUNS, MOST_REJECTED = 300, 0.07
DOCUMENTS = 480  # four families of four topics
COMPONENTS = 20  # of LSA: enough for four families
CONTROLS = ("content", "all")
EVERY = 50  # runs between two lines of progress


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("runs", type=int, nargs="?", default=sized(RUNS, 1))
    options.add_argument("--only", choices=NULLS)
    asked = options.parse_args()
    os.environ["LEAKSCOPE_CORES"] = "1"  # small tasks: handing them over would take longer than doing them
    passed = [_rejects(name, asked.runs) <= MOST_REJECTED for name in NULLS if asked.only in (None, name)]
    return exit_code(measured=all(passed))


def random_levels(seed: int) -> tuple[Corpus, TopicSpace]:
    """Return a corpus with similarities drawn at random, symmetric as similarities are."""
    corpus, rng = small_dial(seed), np.random.default_rng(seed)
    points = rng.normal(size=(len(corpus), 3)) + 2 * np.eye(3)[corpus.topic_codes % 3]
    space = topic_space(points, corpus.topic_codes, corpus.topic_names)
    drawn = np.triu(rng.random(space.similarity.shape), 1)
    return corpus, replace(space, similarity=drawn + drawn.T)


def shuffled_topics(seed: int) -> tuple[Corpus, TopicSpace]:
    """Return a corpus in which every document has the topic of another."""
    made = small_dial(seed)
    topics = np.random.default_rng(seed).permutation(made.topics).tolist()
    corpus = make_corpus(made.texts, topics, authors=made.authors)
    return corpus, space_of(corpus)


NULLS = {"random levels": random_levels, "shuffled topics": shuffled_topics}


def small_dial(seed: int) -> Corpus:
    """Return four of the dial's families, so that a run takes about a second."""
    return take(dial_corpus(shared=0.4, loyal=0.8, seed=seed), np.arange(DOCUMENTS))


def space_of(corpus: Corpus) -> TopicSpace:
    return topic_space(
        embed(corpus, make_encoder("lsa", components=COMPONENTS)).matrix, corpus.topic_codes, corpus.topic_names
    )


def cost_of(corpus: Corpus, space: TopicSpace, seed: int) -> CurveSummary:
    return quick_cost(corpus, quick_plan(corpus, space, author_labels(corpus), seed=seed))


def rejected(found: CurveSummary) -> bool:
    """Return whether the answer would report a cost: an interval above 0 and a small p after Holm's correction."""
    return any(found.models[name].cost.low > 0 and found.models[name].p <= 0.05 for name in CONTROLS)


def _rejects(name: str, runs: int) -> float:
    found = list[CurveSummary]()
    for seed in range(runs):
        found.append(cost_of(*NULLS[name](seed), seed))
        if len(found) % EVERY == 0 or len(found) == runs:
            print(f"{name:<16} rejected {sum(map(rejected, found))} of {len(found)} runs", flush=True)
    for control in CONTROLS:
        curves = [each.models[control] for each in found]
        cost, similarity = ([getattr(curve, field) for curve in curves] for field in ("cost", "similarity"))
        alone, shown = (np.mean([effect.p <= 0.05 for effect in effects]) for effects in (cost, similarity))
        means = [100 * np.mean([effect.mean for effect in effects]) for effects in (cost, similarity)]
        print(
            f"  {control:<8} cost {means[0]:+.2f} points, p ≤ .05 in {alone:.3f}; "
            f"similarity {means[1]:+.2f} points, p ≤ .05 in {shown:.3f}",
            flush=True,
        )
    return sum(map(rejected, found)) / runs


if __name__ == "__main__":
    sys.exit(main())
