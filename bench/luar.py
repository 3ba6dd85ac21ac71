"""LUAR on one fold of the bundled corpus: an epoch above frozen layers against one through the whole network, at least 2.2 times
as fast; with `fold`, LUAR and O2D2 trained on it in under ten minutes each; with `scotus`, either under 4 GiB of memory."""

import resource
import sys
from time import perf_counter, process_time
from typing import Any

import numpy as np

from bench import REAL
from core.corpora import Corpus
from core.corpora.readers import read_corpus
from core.demo import bundled_corpus
from core.models import Documents
from core.models.verification import luar, luar_network, make_verifier
from core.models.verification.neural import authored, generator, one_thread
from core.splits import Pairs, held_out, make_folds, make_pairs
from core.vectors import LAYERS

LEAST_RATIO, LONGEST, MOST_MEMORY = 2.2, 600.0, 4 * 1024**3
STEPS = 4  # of an epoch: all take the same time


def one_fold(corpus: Corpus) -> tuple[Pairs, Pairs, Pairs]:
    """Pairs to fit, to calibrate on and to ask, of the first of six folds."""
    fold = make_folds(corpus, scheme="topic-kfold", k=6, seed=0).folds[0]
    fit, held = held_out(make_pairs(corpus, fold.train, seed=0), share=0.2, seed=0)
    return fit, held, make_pairs(corpus, fold.test, seed=0)


def seconds_a_step(corpus: Corpus, pairs: Pairs, trained: int) -> tuple[float, float]:
    """Processor seconds of a training step with so many trained layers, and of the frozen layers a text, which run once."""
    import torch

    texts, rng = authored(pairs, model="LUAR"), np.random.default_rng(0)
    weights = {
        name: value.requires_grad_(True) for name, value in luar_network.trainable(trained, generator(0)).items()
    }
    optimizer = torch.optim.AdamW(weights.values(), lr=1e-5)
    frozen, spent, read = 0.0, 0.0, 0
    for step, (rows, codes) in enumerate(luar.batches(texts, 16, rng)):
        start = process_time()
        states = [luar.frozen(corpus.texts[row], trained) for row in rows]
        frozen, read = frozen + process_time() - start, read + len(rows)
        start = process_time()
        loss = luar_network.contrastive_loss(luar_network.text_vectors(weights, states), torch.from_numpy(codes), 0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step:  # the first one allocates
            spent += process_time() - start
        if step == STEPS:
            break
    return spent / STEPS, frozen / read


def epochs() -> bool:
    corpus = bundled_corpus()
    fit = one_fold(corpus)[0]
    with one_thread():
        (upper, frozen), (whole, _) = (seconds_a_step(corpus, fit, trained) for trained in (2, LAYERS))
    print(f"a step: {upper:.2f} s above frozen layers, {whole:.2f} s through the whole network, of one processor")
    print(f"the frozen layers, once a text: {frozen * 1e3:.0f} ms")
    print(f"an epoch is {whole / upper:.1f} times as fast; at least {LEAST_RATIO} is asked for")
    return whole / upper >= LEAST_RATIO


def train(name: str, corpus: Corpus, **settings: Any) -> float:
    """Wall seconds to fit and to answer one fold."""
    fit, held, asked = one_fold(corpus)
    documents, start = Documents(corpus.texts), perf_counter()
    model = make_verifier(name, **settings).fit(documents, fit, held=held, seed=0)
    model.score(documents, asked.first, asked.second)
    took = perf_counter() - start
    print(f"{name}: {took:.0f} s for {len(fit.rows) + len(held.rows):,} training and {len(asked.rows):,} test texts")
    print("\n".join(f"    {note}" for note in model.notes))
    return took


def main(what: str = "epochs", *names: str) -> int:
    passed = True
    if what == "epochs":
        passed = epochs()
    elif what == "fold":
        passed = max(train(name, bundled_corpus()) for name in names or ("luar", "o2d2")) < LONGEST
    else:  # one epoch: memory does not grow with more
        for name in names or ("luar", "o2d2"):
            train(name, read_corpus(REAL / f"{what}.parquet"), epochs=1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(f"peak memory {peak / 1024**3:.2f} GiB; under {MOST_MEMORY / 1024**3:.0f} is asked for")
        passed = peak < MOST_MEMORY
    print("pass" if passed else "FAIL")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
