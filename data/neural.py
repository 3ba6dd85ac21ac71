"""Compute the answers of LUAR and O2D2 that ship: hours on two cores, so apart from the bundle, setup by setup, and resumable.

`python -m data.neural FOLDER [SETUPS]` keeps every run in the folder and adds what is there to the shipped answers after each
setup: the topics HITS keeps, the random samples one by one, all topics. SETUPS says after how many to end.
"""

import sys
from collections.abc import Iterator

from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.evaluation import TASKS, Answers, ResultStore, cached_runs, evaluate, read_runs, write_runs
from core.splits import Folds, make_folds
from core.topics import RANDOM_SEEDS, Setup, make_setup, topic_space
from core.vectors import make_encoder

TASK, PAIRING = "verification", "matched"
M, K = 14, 6  # what the pages open with: the topics HITS suggests, six folds
SETUPS = [("hits", 0), *(("random", seed) for seed in RANDOM_SEEDS), ("none", 0)]


def by_choice() -> list[str]:
    """The models that are run only where they are named."""
    return [name for name, kind in TASKS[TASK].models.items() if kind.by_choice]


def opened_setups() -> Iterator[tuple[Setup, Folds]]:
    """What the pages open with, in the order in which answers are worth most."""
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    for sampler, seed in SETUPS:
        setup = make_setup(corpus, vectors.matrix, space, sampler=sampler, m=M, seed=seed)
        yield setup, make_folds(setup.corpus, scheme="topic-kfold", k=K, seed=0)


def known_answers(store: ResultStore) -> dict[str, Answers]:
    """Those of the models run by choice that the store holds, under the keys they have today."""
    found: dict[str, Answers] = {}
    for setup, folds in opened_setups():
        choices = {"task": TASK, "models": by_choice(), "seed": 0, "pairing": PAIRING, "vectors_key": ""}
        found |= cached_runs(setup.corpus, folds, results=store, **choices)
    return found


def main(folder: str, most: int = len(SETUPS)) -> None:
    store = ResultStore(folder)
    for setup, folds in list(opened_setups())[:most]:
        print(setup.name, file=sys.stderr)
        evaluate(setup.corpus, folds, task=TASK, models=by_choice(), pairing=PAIRING, results=store, progress=_say)
        ship(store)


def ship(store: ResultStore) -> None:
    """Add what the folder holds to the shipped answers, and leave the others as they are."""
    runs = read_runs(RESULTS) | known_answers(store)
    with RESULTS.open("wb") as target:
        write_runs(target, runs)
    print(f"{len(runs)} runs in {RESULTS.name}", file=sys.stderr)


def _say(done: int, total: int, label: str, seconds_left: float | None) -> None:
    left = "" if seconds_left is None else f", {seconds_left:.0f} s left"
    print(f"{done} of {total} runs: {label}{left}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    where, *more = sys.argv[1:]
    main(where, *map(int, more))
