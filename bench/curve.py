"""The leakage curve: two cores against one, and all of it against its linear solvers.

The bundled corpus, five levels, three draws, the three controls and the character SVM; nothing is read from what ships with the
app. Time is processor time except for the two cores, so that other work on the machine matters little. The quick cost of
Overview is measured the same way, and on a million short documents, plan included; on two cores it takes half of its processor
seconds. `bench/curve_null.py` and
`bench/curve_power.py` count how often the curve is right.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from bench import exit_code, sized, tiny
from core.corpora import make_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.evaluation import author_labels, control_models, curve_plan, quick_cost, quick_plan, run_curve
from core.models.attribution import make_classifier
from core.topics import topic_space
from core.vectors import make_encoder

LEAST_RATIO, MOST_OVER_SOLVER = 1.7, 1.3
MOST_QUICK_OVER_SOLVER, MOST_QUICK = 2.0, 10.0  # processor seconds: 5 s on two cores
MANY, MOST_MANY = 1_000_000, 60.0  # documents, processor seconds


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="leakscope-bench-") as folder:
        os.environ["LEAKSCOPE_CACHE"] = folder
        corpus = bundled_corpus()
        vectors = bundled_vectors(corpus, make_encoder("sbert"))
        assert vectors is not None
        space, labels = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names), author_labels(corpus)
        plan = curve_plan(corpus, space, labels, draws=sized(3, 1), most_topics=sized(None, 2))
        models = control_models(corpus, plan.labels) | {"char_svm": make_classifier("char_svm")}
        models = dict(list(models.items())[: sized(None, 1)])
        os.environ["LEAKSCOPE_CORES"] = "1"
        ends = quick_plan(corpus, space, labels) if not tiny() else plan
        quick, quick_busy, quick_solver, _ = timed(lambda: quick_cost(corpus, ends))
        one, busy, solver, alone = timed(lambda: run_curve(corpus, plan, models).accuracy)
        many, many_busy = sized(MANY, 3_000), many_documents(sized(MANY, 3_000))
        os.environ["LEAKSCOPE_CORES"] = "2"
        two, _, _, together = timed(lambda: run_curve(corpus, plan, models).accuracy)
    equal = all(np.array_equal(one[name], two[name]) for name in models)
    ratio, over, quick_over = alone / together, busy / solver, quick_busy / quick_solver
    print(f"one core      {alone:.1f} s; two cores {together:.1f} s; ratio {ratio:.2f} (at least {LEAST_RATIO})")
    print(f"              answers {'equal' if equal else 'NOT EQUAL'}")
    print(f"solvers       {solver:.1f} of {busy:.1f} processor s; ratio {over:.2f} (at most {MOST_OVER_SOLVER})")
    print(f"quick cost    {quick_busy:.1f} processor s (at most {MOST_QUICK:.0f}), {quick_over:.2f} times its solvers")
    for name, curve in quick.models.items():
        low, high = 100 * curve.cost.low, 100 * curve.cost.high
        print(f"              {name} {100 * curve.cost.mean:+.1f} points ({low:+.1f} to {high:+.1f})")
    print(f"quick cost    {many_busy:.1f} processor s for {many:,} documents (at most {MOST_MANY:.0f})")
    fast = many_busy <= MOST_MANY and quick_over <= MOST_QUICK_OVER_SOLVER and quick_busy <= MOST_QUICK
    return exit_code(exact=equal, measured=ratio >= LEAST_RATIO and over <= MOST_OVER_SOLVER and fast)


def many_documents(count: int) -> float:
    """Return the processor seconds of the quick cost, plan included, on a synthetic corpus of this many documents."""
    rng, topics = np.random.default_rng(0), max(10, count // 1_000)
    topic, author = rng.integers(0, topics, count), (200 * rng.random(count) ** 2).astype(np.int64)
    words = np.array([f"w{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for n in range(5_000)])
    texts = [" ".join(words[rng.integers(0, len(words), 30)]) for _ in range(count)]
    corpus = make_corpus(texts, [f"topic {n}" for n in topic], authors=[f"author {n}" for n in author])
    points = rng.normal(size=(topics, 16))[topic] + rng.normal(size=(count, 16)) + 0.5
    space = topic_space(points, corpus.topic_codes, corpus.topic_names)
    start = time.process_time()
    quick_cost(corpus, quick_plan(corpus, space, author_labels(corpus)))
    return time.process_time() - start


def timed(work: Callable[[], Any]) -> tuple[Any, float, float, float]:
    """Return a result, its processor seconds here, those of them inside the linear solver, and the seconds that passed."""
    inside, fit = [0.0], LinearSVC.fit

    def watched(self: Any, *args: Any, **more: Any) -> Any:
        start = time.process_time()
        try:
            return fit(self, *args, **more)
        finally:
            inside[0] += time.process_time() - start

    LinearSVC.fit = watched
    try:
        start, busy = time.monotonic(), time.process_time()
        result = work()
        return result, time.process_time() - busy, max(inside[0], 1e-9), time.monotonic() - start
    finally:
        LinearSVC.fit = fit


if __name__ == "__main__":
    sys.exit(main())
