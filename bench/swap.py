"""The leak swap: two cores against one, a second run against the first, and how often the null interval covers 0.

Swaps of the bundled corpus, the three attribution models, three draws. Nothing is read from what ships with the app. Then
100 small corpora whose topic labels are shuffled: W' and Z come from one population, so the 95 % interval of the effect
must cover 0 in at least 90 of them. And 50 made corpora on which a random sample of topics stands in HITS's place: of
what it "loses" the waterfall must leave nothing for certain to topic, its interval covering 0 in at least 45.
"""

import os
import sys
import tempfile
import time

import numpy as np

from core.corpora import Corpus, dial_corpus, make_corpus, take
from core.demo import bundled_corpus, bundled_vectors
from core.evaluation import TASKS, ResultStore, SwapEffect, difference_sources, missing_runs, swap_effects
from core.splits import Swaps, folds_in_whole, make_swaps, topic_kfold
from core.topics import make_setup, topic_space
from core.vectors import embed, make_encoder

LEAST_RATIO, REPETITIONS, LEAST_COVERED = 1.7, 100, 90
PLACEBOS, LEAST_PLACEBOS = 50, 45
MODELS = list(TASKS["attribution"].models)


def main() -> int:
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    swaps = make_swaps(corpus, space)
    seconds, effects = {}, []
    with tempfile.TemporaryDirectory(prefix="leakscope-bench-") as folder:
        for cores in (1, 2):
            os.environ["LEAKSCOPE_CORES"] = str(cores)
            store = ResultStore(f"{folder}/{cores}")
            seconds[cores], found = timed(corpus, swaps, store)
            effects.append(found)
            runs = len(store.runs())
        sides, asked = (swaps.without, *swaps.with_twin), {"task": "attribution", "models": MODELS}
        missing = sum(missing_runs(corpus, folds, results=store, **asked) for folds in sides)
        again, found = timed(corpus, swaps, store)
        effects.append(found)
    equal = all(
        np.array_equal(effects[0][model].by_draw, other[model].by_draw, equal_nan=True)
        for other in effects[1:]
        for model in effects[0]
    )
    ratio = seconds[1] / seconds[2]
    print(f"runs          {runs} of {len(swaps.topics)} topics, once without and three times with their twin")
    print(f"one core      {seconds[1]:.1f} s; two cores {seconds[2]:.1f} s; ratio {ratio:.2f}")
    reads = f"{missing} of its runs are not in the store; {'equal' if equal else 'NOT EQUAL'}"
    print(f"second run    {again:.1f} s, {seconds[2] / again:.0f} times faster; {reads}")
    for model, effect in effects[0].items():
        print(f"{model:<14}{100 * effect.effect:+.1f} points ({100 * effect.low:+.1f} to {100 * effect.high:+.1f})")
    os.environ["LEAKSCOPE_CORES"] = "1"  # small tasks: handing them over would take longer than doing them
    covered = sum(covers(seed) for seed in range(REPETITIONS))
    print(f"shuffled      the interval covers 0 in {covered} of {REPETITIONS} corpora")
    placebos = sum(covers_placebo(seed) for seed in range(PLACEBOS))
    print(
        f"placebo       a random sample in HITS's place: topic's interval covers 0 in {placebos} of {PLACEBOS} corpora"
    )
    passed = placebos >= LEAST_PLACEBOS and ratio >= LEAST_RATIO and equal and not missing and covered >= LEAST_COVERED
    print(f"{'ok' if passed else 'FAILED'}: at least {LEAST_RATIO} times one core and {LEAST_COVERED} covered wanted")
    return 0 if passed else 1


def timed(corpus: Corpus, swaps: Swaps, store: ResultStore) -> tuple[float, dict[str, SwapEffect]]:
    start = time.monotonic()
    found = swap_effects(corpus, swaps, task="attribution", models=MODELS, results=store)
    return time.monotonic() - start, found


def covers(seed: int, model: str = "topic_fit") -> bool:
    """Whether the interval covers 0 on a corpus of authors with habits whose topics are drawn by lot.

    Twins are found in the texts themselves, by LSA: what is nearest by chance is nearest to the models too.
    """
    rng = np.random.default_rng(seed)
    authors = rng.integers(0, 6, 160)
    topics = rng.permutation(np.arange(160) % 10)
    words = rng.choice([a + b + c for a in "bdfgk" for b in "aeiou" for c in "lmnrst"], (6, 8))
    texts = [" ".join([*rng.choice(words[author], 3), *rng.choice(words.ravel(), 9)]) for author in authors]
    corpus = make_corpus(texts, [f"topic {topic}" for topic in topics], authors=[f"author {code}" for code in authors])
    vectors = embed(corpus, make_encoder("lsa")).matrix
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    found = swap_effects(corpus, make_swaps(corpus, space, draws=2, seed=seed), task="attribution", models=[model])
    return found[model].low <= 0 <= found[model].high


def covers_placebo(seed: int, model: str = "topic_fit", samples: int = 8) -> bool:
    """Whether the waterfall's interval of topic covers 0 where HITS is a random sample as the others are."""
    made = dial_corpus(shared=0.8, loyal=0.6, seed=seed)
    corpus = take(made, np.arange(0, len(made), 2))
    vectors = embed(corpus, make_encoder("lsa")).matrix
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    folds = []
    for number in range(samples + 1):
        part = make_setup(corpus, vectors, space, sampler="random", m=8, seed=number).corpus
        folds.append(folds_in_whole(corpus, part, topic_kfold(part, k=4, seed=0)))
    found = difference_sources(corpus, folds[0], folds[1:], task="attribution", models=[model])
    low, high = found[model].interval("topic")
    return low <= 0 <= high


if __name__ == "__main__":
    sys.exit(main())
