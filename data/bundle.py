"""Compute what ships beside the corpus: SBERT vectors in half precision, LSA vectors, the map, the models' answers, and the lesson's.

`python -m data.bundle` does all of it; `python -m data.bundle results` only the answers, `… lesson` only what the lesson shows
of them (with `… results FOLDER` or `… lesson FOLDER`, runs are kept there, and a stopped one goes on).
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from core.demo import LESSON, LSA_VECTORS, MAP, RESULTS, VECTORS, bundled_corpus, bundled_lesson, bundled_vectors
from core.evaluation import (
    TASKS,
    Answers,
    NamedVectors,
    ResultStore,
    Task,
    cached_runs,
    evaluate,
    usual_models,
    write_runs,
)
from core.lesson import gather_evidence, write_evidence
from core.questions import ask
from core.splits import PAIRINGS, Folds, make_folds
from core.study import Study
from core.topics import RANDOM_SEEDS, Setup, make_setup, map_layout, topic_space
from core.vectors import embed, make_encoder
from data.neural import known_answers

FORECAST = tuple(TASKS["attribution"].models)  # models whose forecast ships
M, K = 14, 6  # what the pages open with: the topics HITS suggests, six folds


def write_vectors_and_map() -> None:
    corpus = bundled_corpus()
    vectors = embed(corpus, make_encoder("sbert")).matrix.astype(np.float16)
    np.save(VECTORS, vectors, allow_pickle=False)
    np.save(LSA_VECTORS, embed(corpus, make_encoder("lsa"), notes=False).matrix, allow_pickle=False)
    space = topic_space(vectors.astype(np.float32), corpus.topic_codes, corpus.topic_names)
    layout = map_layout(vectors.astype(np.float32), corpus.topic_codes, space)
    np.save(MAP, np.vstack([layout.documents, layout.centroids]).astype(np.float32), allow_pickle=False)


def _pairings(task: Task) -> list[str]:
    """Every pairing, matched first, where questions are pairs; elsewhere it makes no difference."""
    return list(PAIRINGS) if task.asks_pairs else list(PAIRINGS)[:1]


def opened() -> Iterator[tuple[Setup, Folds, str, str]]:
    """What the pages open with: setups with their folds, a task and its pairs."""
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    setups = [("none", 0, "kfold"), ("none", 0, "topic-kfold"), ("hits", 0, "topic-kfold")]
    setups += [("random", seed, "topic-kfold") for seed in RANDOM_SEEDS]
    for sampler, seed, scheme in setups:
        setup = make_setup(corpus, vectors.matrix, space, sampler=sampler, m=M, seed=seed)
        folds = make_folds(setup.corpus, scheme=scheme, k=K, seed=0)
        for name, task in TASKS.items():
            for pairing in _pairings(task):
                yield setup, folds, name, pairing


class _Recorded(ResultStore):
    """A store that notes every answer asked of it or given to it."""

    def __init__(self, folder: str, *, shipped: Path) -> None:
        super().__init__(folder, shipped=shipped)
        self.noted: dict[str, Answers] = {}

    def get(self, key: str) -> Answers | None:
        """Return the answers kept under this key, and note them."""
        found = super().get(key)
        if found is not None:
            self.noted[key] = found
        return found

    def put(self, key: str, run: Answers) -> bool:
        """Keep answers under this key, and note them."""
        self.noted[key] = run
        return super().put(key, run)


def curve_answers(folder: str) -> dict[str, Answers]:
    """Return the answers behind the verdict, the leakage curve and the forecast as pages open with them, and of the models in FORECAST."""
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    store = _Recorded(folder, shipped=RESULTS)
    study = Study(corpus, vectors, results=store)
    ask(study, "verdict")
    ask(study, "curve")
    ask(study, "forecast", models=FORECAST)
    return store.noted


def write_results(folder: str | None = None) -> None:
    """The answers to all of it. What ships already under today's keys is not computed again: delete the file first where answers
    have changed and keys have not."""
    shipped = bundled_vectors(bundled_corpus(), make_encoder("sbert"))
    assert shipped is not None
    key = shipped.encoder_key  # in half precision: not the encoder's own
    with TemporaryDirectory() as made:
        store = ResultStore(folder or made, shipped=RESULTS)
        runs = known_answers(store)  # of the slow models, which take hours (data/neural.py): what ships of them stays
        for setup, folds, task, pairing in opened():
            print(setup.name, folds.scheme, task, pairing, file=sys.stderr)
            choices: dict[str, Any] = {"task": task, "models": usual_models(task), "seed": 0, "pairing": pairing}
            evaluate(setup.corpus, folds, vectors=NamedVectors(setup.vectors, key), results=store, **choices)
            runs |= cached_runs(setup.corpus, folds, results=store, vectors_key=key, **choices)
        runs |= curve_answers(folder or made)
    with RESULTS.open("wb") as target:
        write_runs(target, runs)
    print(f"{len(runs)} runs in {RESULTS.name}")


def write_lesson(folder: str | None = None) -> None:
    """What the lesson shows of models; answers that ship are not computed again."""
    corpus = bundled_corpus()
    with TemporaryDirectory() as made:
        store = ResultStore(folder or made, shipped=RESULTS)
        write_evidence(LESSON, gather_evidence(corpus, bundled_lesson().space, results=store), corpus.topic_names)


if __name__ == "__main__":
    what, *more = sys.argv[1:] or ["all"]
    if what == "all":
        write_vectors_and_map()
    if what in ("all", "results"):
        write_results(*more)
    if what in ("all", "lesson"):
        write_lesson(*more)
