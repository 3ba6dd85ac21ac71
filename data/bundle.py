"""Compute what ships beside the corpus: SBERT vectors in half precision, the map, and the models' answers.

`python -m data.bundle` does all three; `python -m data.bundle results` only the last.
"""

import sys
from tempfile import TemporaryDirectory

import numpy as np

from core.demo import MAP, RESULTS, VECTORS, bundled_corpus, bundled_vectors
from core.evaluation import TASKS, NamedVectors, ResultStore, Task, evaluate, usual_models, write_runs
from core.splits import PAIRINGS, make_folds
from core.topics import RANDOM_SEEDS, make_setup, map_layout, topic_space
from core.vectors import embed, make_encoder
from data.neural import known_answers

M, K = 12, 6  # what the pages open with: half the topics, six folds


def write_vectors_and_map() -> None:
    corpus = bundled_corpus()
    vectors = embed(corpus, make_encoder("sbert")).matrix.astype(np.float16)
    np.save(VECTORS, vectors, allow_pickle=False)
    space = topic_space(vectors.astype(np.float32), corpus.topic_codes, corpus.topic_names)
    layout = map_layout(vectors.astype(np.float32), corpus.topic_codes, space)
    np.save(MAP, np.vstack([layout.documents, layout.centroids]).astype(np.float32), allow_pickle=False)


def _pairings(task: Task) -> list[str]:
    """Every pairing, matched first, where questions are pairs; elsewhere it makes no difference."""
    return list(PAIRINGS) if task.asks_pairs else list(PAIRINGS)[:1]


def write_results() -> None:
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    setups = [("none", 0, "kfold"), ("none", 0, "topic-kfold"), ("hits", 0, "topic-kfold")]
    setups += [("random", seed, "topic-kfold") for seed in RANDOM_SEEDS]
    with TemporaryDirectory() as folder:
        store = ResultStore(folder)
        for sampler, seed, scheme in setups:
            setup = make_setup(corpus, vectors.matrix, space, sampler=sampler, m=M, seed=seed)
            folds = make_folds(setup.corpus, scheme=scheme, k=K, seed=0)
            for name, pairing in ((name, pairing) for name, task in TASKS.items() for pairing in _pairings(task)):
                print(setup.name, scheme, name, pairing, file=sys.stderr)
                evaluate(
                    setup.corpus,
                    folds,
                    task=name,
                    models=usual_models(name),
                    pairing=pairing,
                    vectors=NamedVectors(setup.vectors, vectors.encoder_key),
                    results=store,
                )
        # Those of the slow models take hours (data/neural.py): what ships of them stays.
        runs = known_answers(ResultStore(folder, shipped=RESULTS)) | store.runs()
    with RESULTS.open("wb") as target:
        write_runs(target, runs)
    print(f"{len(runs)} runs in {RESULTS.name}")


if __name__ == "__main__":
    if sys.argv[1:] != ["results"]:
        write_vectors_and_map()
    write_results()
