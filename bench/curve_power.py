"""The leakage curve on the dial: does it find the gain that is there, and none where there is none?

On .4/.8 and .8/.8 sister topics share words and authors, so content words must gain: the curve reports it in at least 95 of 100
seeds. On .4/0 and 0/0 authors are spread evenly over topics, so content words must stay within five points of 0.
"""

import argparse
import os
import sys

import numpy as np

from bench import exit_code, sized
from bench.curve_null import cost_of
from core.corpora import dial_corpus
from core.evaluation import ModelCurve
from core.topics import topic_space
from core.vectors import embed, make_encoder

SEEDS, LEAST_FOUND, WITHIN = 100, 0.95, 0.05
DIALS = {(0.4, 0.8): True, (0.8, 0.8): True, (0.4, 0.0): False, (0.0, 0.0): False}  # whether similar topics help


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("seeds", type=int, nargs="?", default=sized(SEEDS, 1))
    seeds, passed = options.parse_args().seeds, True
    os.environ["LEAKSCOPE_CORES"] = "1"  # small tasks: handing them over would take longer than doing them
    for (shared, loyal), helps in list(DIALS.items())[: sized(None, 1)]:
        curves = [content_words(shared, loyal, seed) for seed in range(seeds)]
        found = [
            curve.cost.low > 0 and curve.p <= 0.05 if helps else abs(curve.cost.mean) <= WITHIN for curve in curves
        ]
        cost, similarity = (
            100 * np.mean([getattr(curve, field).mean for curve in curves]) for field in ("cost", "similarity")
        )
        what = "reported" if helps else f"within {100 * WITHIN:.0f} points"
        above = sum(curve.cost.low > 0 for curve in curves)
        print(
            f"dial {shared:g}/{loyal:g}  {what} in {sum(found)} of {seeds}; interval above 0 in {above}; "
            f"cost {cost:+.1f} points, similarity {similarity:+.1f}",
            flush=True,
        )
        passed &= sum(found) >= (LEAST_FOUND if helps else 1.0) * seeds
    return exit_code(measured=passed)


def content_words(shared: float, loyal: float, seed: int) -> ModelCurve:
    """Return the quick cost of content words on one synthetic corpus."""
    corpus = dial_corpus(shared=shared, loyal=loyal, seed=seed)
    space = topic_space(embed(corpus, make_encoder("lsa")).matrix, corpus.topic_codes, corpus.topic_names)
    return cost_of(corpus, space, seed).models["content"]


if __name__ == "__main__":
    sys.exit(main())
