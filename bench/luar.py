"""LUAR on one fold of the bundled corpus: an epoch above frozen layers against one through the whole network, at least 2.2 times
as fast; with `fold`, LUAR and O2D2 trained on it in under ten minutes each; with `scotus`, either under 4 GiB of memory."""

import resource
import sys
from time import perf_counter, process_time
from typing import Any

from bench import REAL, exit_code, sized
from core.corpora import Corpus
from core.corpora.readers import read_corpus
from core.demo import bundled_corpus
from core.models import Documents
from core.models.verification import make_verifier
from core.progress import heard_by
from core.splits import Pairs, held_out, make_folds, make_pairs
from core.vectors import LAYERS

LEAST_RATIO, LONGEST, MOST_MEMORY = 2.2, 600.0, 4 * 1024**3


def one_fold(corpus: Corpus, *, every: int = 1) -> tuple[Pairs, Pairs, Pairs]:
    """Pairs to fit, to calibrate on and to ask, of every this many documents of the first of six folds."""
    fold = make_folds(corpus, scheme="topic-kfold", k=6, seed=0).folds[0]
    fit, held = held_out(make_pairs(corpus, fold.train[::every], seed=0), share=0.2, seed=0)
    return fit, held, make_pairs(corpus, fold.test[::every], seed=0)


def seconds_an_epoch(corpus: Corpus, trained: int) -> tuple[float, float]:
    """Processor seconds of an epoch with this many trained layers, and of what comes before it: the frozen layers, once a text."""
    fit, held, _ = one_fold(corpus, every=sized(4, 32))
    times = [process_time()]
    with heard_by(lambda *_: times.append(process_time())):  # told as each epoch begins
        settings = {"trained_layers": trained, "epochs": 2, "patience": 2}
        make_verifier("luar", **settings).fit(Documents(corpus.texts), fit, held=held, seed=0)
    return times[2] - times[1], times[1] - times[0]


def epochs() -> bool:
    (upper, frozen), (whole, _) = (seconds_an_epoch(bundled_corpus(), trained) for trained in (2, LAYERS))
    print(f"an epoch on a quarter of a fold: {upper:.1f} s above frozen layers, which took {frozen:.1f} s once;")
    print(
        f"{whole:.1f} s through the whole network, {whole / upper:.1f} times as long; at least {LEAST_RATIO} is asked for"
    )
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
    return exit_code(measured=passed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
