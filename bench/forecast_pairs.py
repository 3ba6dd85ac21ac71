"""Is topic k-fold's promise too high? How often the comparison by family reports it where it is, and where it is not.

At most .05 of the runs may report it where similarity means nothing (`bench/curve_null.py`: random levels, shuffled topics) and where
authors are spread evenly over topics (dial .8/0). At least .95 must where sister topics share authors and words (.4/.8 and .8/.8).
"""

import argparse
import os
import sys

import numpy as np

from bench import exit_code, sized
from bench.curve_null import NULLS
from core.corpora import Corpus, dial_corpus
from core.evaluation import author_labels, forecast, forecast_plan, run_forecast
from core.models.attribution import make_classifier
from core.statistics import MeanEffect
from core.topics import TopicSpace, topic_space
from core.vectors import embed, make_encoder

RUNS, MOST_WRONG, LEAST_FOUND = 100, 0.05, 0.95
MODEL = "word_svm"


def dial(shared: float, loyal: float, seed: int) -> tuple[Corpus, TopicSpace]:
    corpus = dial_corpus(shared=shared, loyal=loyal, seed=seed)
    vectors = embed(corpus, make_encoder("lsa")).matrix
    return corpus, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


CASES = {
    **{name: (make, False) for name, make in NULLS.items()},
    "dial .8/0": (lambda seed: dial(0.8, 0.0, seed), False),
    "dial .4/.8": (lambda seed: dial(0.4, 0.8, seed), True),
    "dial .8/.8": (lambda seed: dial(0.8, 0.8, seed), True),
}  # and whether topic k-fold promises too much


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("runs", type=int, nargs="?", default=sized(RUNS, 1))
    options.add_argument("--only", choices=CASES)
    asked, passed = options.parse_args(), True
    os.environ["LEAKSCOPE_CORES"] = "1"  # small tasks: handing them over would take longer than doing them
    for name, (make, too_high) in CASES.items():
        if asked.only not in (None, name):
            continue
        found = [excess for seed in range(asked.runs) if (excess := excess_of(*make(seed))) is not None]
        said = sum(each.low > 0 for each in found)
        mean, half = (
            100 * np.mean(values) if found else np.nan
            for values in ([each.mean for each in found], [(each.high - each.low) / 2 for each in found])
        )
        print(
            f"{name:<16} too high in {said} of {asked.runs} ({len(found)} compared); mean {mean:+.1f} points ±{half:.1f}",
            flush=True,
        )
        passed &= said >= LEAST_FOUND * asked.runs if too_high else said <= MOST_WRONG * asked.runs
    return exit_code(measured=passed)


def excess_of(corpus: Corpus, space: TopicSpace) -> MeanEffect | None:
    """Return how much more topic k-fold promises, by family."""
    plan = forecast_plan(corpus, space, author_labels(corpus))
    run = run_forecast(corpus, plan, {MODEL: make_classifier(MODEL)})
    return forecast(corpus, run).models[MODEL].excess


if __name__ == "__main__":
    sys.exit(main())
