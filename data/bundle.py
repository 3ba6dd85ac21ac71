"""Compute what ships beside the corpus: SBERT vectors in half precision, the map, the models' answers, and the lesson's.

`python -m data.bundle` does all of it; `python -m data.bundle results` only the answers, `… lesson` only what the lesson shows
of them (with `… lesson FOLDER`, runs are kept there, and a stopped one goes on).
"""

import sys
from tempfile import TemporaryDirectory

import numpy as np

from core.demo import LESSON, MAP, RESULTS, VECTORS, bundled_corpus, bundled_vectors
from core.evaluation import TASKS, NamedVectors, ResultStore, Task, evaluate, usual_models, write_runs
from core.splits import PAIRINGS, make_folds
from core.studies.lesson import gather_evidence, write_evidence
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


def write_lesson(folder: str | None = None) -> None:
    """What the lesson shows of models; answers that ship are not computed again."""
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    with TemporaryDirectory() as made:
        store = ResultStore(folder or made, shipped=RESULTS)
        write_evidence(LESSON, gather_evidence(corpus, space, results=store), corpus.topic_names)


if __name__ == "__main__":
    what, *more = sys.argv[1:] or ["all"]
    if what == "all":
        write_vectors_and_map()
    if what in ("all", "results"):
        write_results()
    if what in ("all", "lesson"):
        write_lesson(*more)
