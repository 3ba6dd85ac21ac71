"""The leakage curve: two cores against one, all of it against its linear solvers, and how often it is right.

The bundled corpus, five levels, three draws, the three controls and the character SVM; nothing is read from what ships with
the app. Then the quick cost in seconds; 300 synthetic corpora with shuffled topics, on which content words or all words may
cost something (p ≤ .05 each) in at most .07; and 100 seeds of four dials, on which content words must gain from similar
topics (.4/.8 and .8/.8: interval above 0 in 95) or must not (.4/0 and 0/0: within 5 points).
`--only NAME` runs one of speed, null, power.
"""

import argparse
import os
import sys
import tempfile
import time
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from bench import tiny
from core.corpora import Corpus, dial_corpus, make_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.evaluation import CurveSummary, author_labels, control_models, curve_plan, quick_cost, quick_plan, run_curve
from core.models.attribution import make_classifier
from core.topics import TopicSpace, topic_space
from core.vectors import embed, make_encoder

LEAST_RATIO, MOST_OVER_SOLVER, MOST_QUICK = 1.7, 1.3, 5.0
NULLS, MOST_REJECTED = 300, 0.07
SEEDS, LEAST_FOUND, WITHIN = 100, 0.95, 0.05
DIALS = {(0.4, 0.8): True, (0.8, 0.8): True, (0.4, 0.0): False, (0.0, 0.0): False}  # whether similar topics help


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", choices=("speed", "null", "power"))
    options.add_argument("--seeds", type=int, help="runs of the null and of each dial")
    asked = options.parse_args()
    parts = {"speed": speed, "null": null, "power": power}
    with tempfile.TemporaryDirectory(prefix="leakscope-bench-") as folder:
        os.environ["LEAKSCOPE_CACHE"] = folder
        passed = [part(asked.seeds) for name, part in parts.items() if asked.only in (None, name)]
    print("ok" if all(passed) or tiny() else "FAILED")
    return 0 if all(passed) or tiny() else 1


def speed(seeds: int | None) -> bool:
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    space, labels = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names), author_labels(corpus)
    plan = curve_plan(corpus, space, labels, draws=1 if tiny() else 3, most_topics=2 if tiny() else None)
    models = control_models(corpus, plan.labels) | {"char_svm": make_classifier("char_svm")}
    seconds, found = {}, []
    os.environ["LEAKSCOPE_CORES"] = "1"
    solver, busy = solver_seconds(), time.process_time()
    for cores in (1, 2):
        os.environ["LEAKSCOPE_CORES"] = str(cores)
        start = time.monotonic()
        found.append(run_curve(corpus, plan, models).accuracy)
        seconds[cores] = time.monotonic() - start
        if cores == 1:
            busy = time.process_time() - busy
    equal = all(np.array_equal(found[0][name], found[1][name]) for name in models)
    ratio, over = seconds[1] / seconds[2], busy / solver[0]
    print(
        f"one core      {seconds[1]:.1f} s; two cores {seconds[2]:.1f} s; ratio {ratio:.2f}; {'equal' if equal else 'NOT EQUAL'}"
    )
    print(f"solvers       {solver[0]:.1f} of {busy:.1f} processor seconds; ratio {over:.2f}")
    if tiny():
        return equal
    start = time.monotonic()
    quick = quick_cost(corpus, quick_plan(corpus, space, labels))
    took = time.monotonic() - start
    print(f"quick cost    {took:.1f} s; {said(quick)}")
    return equal and ratio >= LEAST_RATIO and over <= MOST_OVER_SOLVER and took <= MOST_QUICK


def solver_seconds() -> list[float]:
    """Processor seconds spent inside the linear solver of this process from now on."""
    spent, fit = [0.0], LinearSVC.fit

    def timed(self: Any, *args: Any, **more: Any) -> Any:
        start = time.process_time()
        try:
            return fit(self, *args, **more)
        finally:
            spent[0] += time.process_time() - start

    LinearSVC.fit = timed
    return spent


def null(seeds: int | None) -> bool:
    """Shuffled topics: whatever similarity orders them by, every training set is a random one."""
    os.environ["LEAKSCOPE_CORES"] = "1"  # small tasks: handing them over would take longer than doing them
    runs, rejected = 1 if tiny() else seeds or NULLS, {"content": 0, "all": 0}
    for seed in range(runs):
        made = dial_corpus(shared=0.4, loyal=0.8, seed=seed)
        shuffled = np.random.default_rng(seed).permutation(made.topics).tolist()
        corpus = make_corpus(made.texts, shuffled, authors=made.authors)
        found = cost_of(corpus, space_by_lsa(corpus), seed)
        for name in rejected:
            rejected[name] += found.models[name].cost.p <= 0.05
    print(f"null          rejected of {runs}: {', '.join(f'{name} {count}' for name, count in rejected.items())}")
    return max(rejected.values()) <= MOST_REJECTED * runs


def power(seeds: int | None) -> bool:
    os.environ["LEAKSCOPE_CORES"] = "1"
    runs, passed = 1 if tiny() else seeds or SEEDS, True
    for (shared, loyal), helps in list(DIALS.items())[: 1 if tiny() else None]:
        found, means = 0, []
        for seed in range(runs):
            corpus = dial_corpus(shared=shared, loyal=loyal, seed=seed)
            cost = cost_of(corpus, space_by_lsa(corpus), seed).models["content"].cost
            means.append(cost.mean)
            found += cost.low > 0 if helps else abs(cost.mean) <= WITHIN
        passed &= found >= (LEAST_FOUND if helps else 1.0) * runs
        what = "above 0" if helps else f"within {100 * WITHIN:.0f} points"
        print(
            f"dial {shared:g}/{loyal:g}{'':<5} {what} in {found} of {runs}; mean {100 * np.mean(means):+.1f} points",
            flush=True,
        )
    return passed


def space_by_lsa(corpus: Corpus) -> TopicSpace:
    return topic_space(embed(corpus, make_encoder("lsa")).matrix, corpus.topic_codes, corpus.topic_names)


def cost_of(corpus: Corpus, space: TopicSpace, seed: int) -> CurveSummary:
    return quick_cost(corpus, quick_plan(corpus, space, author_labels(corpus), seed=seed))


def said(found: CurveSummary) -> str:
    costs = {name: curve.cost for name, curve in found.models.items()}
    return ", ".join(
        f"{name} {100 * cost.mean:+.1f} ({100 * cost.low:+.1f} to {100 * cost.high:+.1f})"
        for name, cost in costs.items()
    )


if __name__ == "__main__":
    sys.exit(main())
