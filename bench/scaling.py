"""What every step takes as documents grow: processor seconds at each size, and the exponent of the growth between them.

Synthetic texts of 60 words by 50 authors in 100 topics, half of each text from its topic's words. One process of its own a size,
one thread of linear algebra. An exponent of 1 means that twice the documents take twice the time. A step that passes its
limit ends the row: the larger sizes of that step are not measured, and the table shows it. Then a million documents, in as
many topics and in 100,000. `--only` measures one of the two. The curve tests ten of the topics: its fits are as many as topics,
so all of them take as many times as long.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from bench import exit_code, sized
from core import questions
from core.corpora import Corpus, audit, make_corpus
from core.evaluation import TASKS, author_labels, control_models, curve_plan, run_curve
from core.study import Study
from core.vectors import embed, make_encoder

TOPICS, AUTHORS, WORDS, VOCABULARY = sized(100, 12), sized(50, 4), 60, 20_000
MOST = 300.0  # processor seconds of a step
# Documents, topics and steps; the others need more memory than 16 GB, or the matrix of all pairs of topics.
LARGE = (
    (sized(1_000_000, 1_200), TOPICS, ("audit", "hits", "verdict", "folds", "design")),
    (sized(1_000_000, 1_200), sized(100_000, 300), ("audit", "hits")),
)
TESTED = 10  # topics of the curve
STEPS_OF_HITS = sized(1_000, 50)  # among very many topics
STEPS = ("make", "audit", "embed", "hits", "verdict", "folds", "split", "evaluate", "curve", "design")
ONE_CORE = {"LEAKSCOPE_CORES": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def made_documents(documents: int, topic_count: int) -> Corpus:
    """Return a corpus whose topics have words of their own, and whose authors have habits."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(VOCABULARY)])
    topics, authors = rng.integers(0, topic_count, documents), rng.integers(0, AUTHORS, documents)
    common = (VOCABULARY * rng.random((documents, WORDS)) ** 4).astype(int)
    own = topics[:, None] * 150 + rng.integers(0, 150, (documents, WORDS))
    habit = authors[:, None] * 20 + rng.integers(0, 20, (documents, WORDS))
    drawn = rng.random((documents, WORDS))
    chosen = np.where(drawn < 0.5, own % VOCABULARY, np.where(drawn < 0.65, habit, common))
    texts = [" ".join(row) for row in words[chosen]]
    sides = np.where(rng.random(documents) < 0.2, "test", "train").tolist()
    topic_names, author_names = [f"topic {each:03}" for each in topics], [f"author {each:02}" for each in authors]
    return make_corpus(texts, topic_names, authors=author_names, splits=sides)


def steps(documents: int, topic_count: int) -> dict[str, Callable[[], object]]:
    """Return every step by its name; each uses what those before it have made."""
    made: dict[str, Study] = {}
    corpora: list[Corpus] = []

    def embedded() -> None:
        made["study"] = Study(corpora[0], embed(corpora[0], make_encoder("lsa")))

    def study() -> Study:
        return made["study"]

    def hits() -> object:
        if topic_count == TOPICS:
            return study().path
        return questions.hits.points_and_path(study(), STEPS_OF_HITS)

    def folds() -> object:
        sample = study().setup(sampler="none")
        found = study().folds(sample, scheme="topic-kfold", k=5)
        study().leakage(sample, found)
        return sample, found

    def evaluated() -> object:
        sample = study().setup(sampler="none")
        choices = {"task": "attribution", "models": ["max_ent"]}
        return study().evaluation(sample, study().folds(sample, scheme="topic-kfold", k=5), **choices)

    def curve() -> object:
        labels = author_labels(study().corpus)
        plan = curve_plan(study().corpus, study().space, labels, levels=(0.0, 0.5), draws=1, most_topics=TESTED)
        models = control_models(study().corpus, labels) | {"max_ent": TASKS["attribution"].make("max_ent")}
        return run_curve(study().corpus, plan, models)

    def designed() -> object:
        constraints = questions.design.Settings.resolve(study(), {"k": 5}).constraints
        return study().designed(k=5, constraints=constraints)

    return {
        "make": lambda: corpora.append(made_documents(documents, topic_count)),
        "audit": lambda: audit(corpora[0]),
        "embed": embedded,
        "hits": hits,
        "verdict": lambda: study().judged(5),
        "folds": folds,
        "split": lambda: study().split_audit(),
        "evaluate": evaluated,
        "curve": curve,
        "design": designed,
    }


def measure(documents: int, topic_count: int, wanted: Sequence[str]) -> None:
    """Print the processor seconds and highest memory of each step, a line of JSON each, as they end."""
    for name, step in steps(documents, topic_count).items():
        if name in ("make", "embed", *wanted):
            start = time.process_time()
            step()
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            print(json.dumps([name, time.process_time() - start, memory]), flush=True)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", type=int, nargs="+", default=sized([12_500, 50_000, 200_000], [600, 900]))
    options.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    options.add_argument("--only", choices=("sizes", "million"))
    options.add_argument("--one", type=int, nargs=2, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.one:
        measure(*chosen.one, chosen.steps)
        return 0
    found: dict[str, dict[int, float]] = {name: {} for name in STEPS if name in chosen.steps}
    wanted = list(found)
    for size in chosen.sizes if chosen.only != "million" else ():
        for name, seconds in measured(size, TOPICS, wanted):
            if name in found:
                found[name][size] = seconds
        wanted = [name for name in wanted if found[name].get(size, MOST) * 4 < MOST] or ["make"]
    if chosen.only != "million":
        print_table(found, chosen.sizes)
    whole = all(list(measured(*column)) for column in LARGE if chosen.only != "sizes")
    print(f"\nLoad of the machine at the end: {os.getloadavg()[0]:.1f}")
    return exit_code(exact=whole and (chosen.only == "million" or all(found.values())))


def measured(documents: int, topic_count: int, wanted: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield the processor seconds of each step in a process of its own, and print them with its memory."""
    command = [sys.executable, "-m", "bench.scaling", "--one", str(documents), str(topic_count), "--steps", *wanted]
    done = subprocess.run(command, env=os.environ | ONE_CORE, stdout=subprocess.PIPE, text=True, check=True)
    for name, seconds, memory in map(json.loads, done.stdout.splitlines()):
        sizes = f"{documents:9,} documents, {topic_count:7,} topics"
        print(f"{sizes}, {name:9} {seconds:8.2f} s, {memory / 1e9:.1f} GB in all", flush=True)
        yield name, seconds


def print_table(found: Mapping[str, Mapping[int, float]], sizes: Sequence[int]) -> None:
    """Print the seconds of every step and size, and the exponent between its smallest and its largest."""
    print(f"\n| step | {' | '.join(f'{size:,}' for size in sizes)} | exponent |")
    print("|---" * (len(sizes) + 2) + "|")
    for name, times in found.items():
        cells = [f"{times[size]:.1f} s" if size in times else "not measured" for size in sizes]
        known = [(size, max(seconds, 1e-3)) for size, seconds in times.items()]
        (low, quick), (high, slow) = (known[0], known[-1]) if len(known) > 1 else ((1, 1.0), (2, float("nan")))
        print(f"| {name} | {' | '.join(cells)} | {np.log(slow / quick) / np.log(high / low):.2f} |")


if __name__ == "__main__":
    sys.exit(main())
