"""Benchmarks in memory: topics and pairs keep to their side, and the app's models see the same pairs."""

import numpy as np
import pytest

from core.corpora import UNKNOWN_AUTHOR, make_corpus
from core.errors import InputError, SettingError
from core.evaluation import evaluate
from core.splits import topic_kfold
from core.studies.raven import benchmark_statistics, build_benchmark
from core.studies.raven.benchmark import SIDES, pair_id, pair_similarity
from core.topics import RANDOM_SEEDS, hits_path, make_setup, topic_space
from tests.core.raven_runs import EACH, FOLDS, KEPT, SEEDS, small_benchmark, small_corpus, small_vectors


def test_the_setups():
    benchmark = small_benchmark()
    assert [setup.key for setup in benchmark.setups] == ["hits", "random-0", "random-1"]
    corpus = small_corpus()
    space = topic_space(small_vectors(), corpus.topic_codes, corpus.topic_names)
    chosen = hits_path(space.similarity).order[:KEPT]
    assert benchmark.setups[0].topics == tuple(sorted(space.names[topic] for topic in chosen))
    default = build_benchmark(corpus, small_vectors(), encoder_key="", m=KEPT, k=FOLDS)
    assert [setup.seed for setup in default.setups] == [None, *RANDOM_SEEDS]


def test_no_topic_is_on_both_sides_and_every_topic_is_tested_once():
    for setup in small_benchmark().setups:
        assert len(setup.folds) == FOLDS
        tested = [topic for fold in setup.folds for topic in fold.test.topics]
        assert sorted(tested) == list(setup.topics) and len(tested) == KEPT
        for fold in setup.folds:
            assert not set(fold.train.topics) & set(fold.test.topics)
            assert set(fold.train.topics) | set(fold.test.topics) == set(setup.topics)


def test_pairs_stay_on_their_side_and_say_the_truth():
    benchmark = small_benchmark()
    documents = benchmark.documents
    for _, _, _, side in benchmark.sides():
        rows = set(side.documents.tolist())
        assert {documents.topics[row] for row in rows} == set(side.topics)
        assert set(side.first.tolist()) | set(side.second.tolist()) <= rows
        authors = documents.author_codes
        np.testing.assert_array_equal(side.same, authors[side.first] == authors[side.second])
        assert UNKNOWN_AUTHOR not in {documents.authors[row] for row in side.first}
        assert 0 < side.same.sum() < len(side)


def test_models_run_in_the_app_are_asked_the_same_pairs():
    corpus, vectors = small_corpus(), small_vectors()
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    benchmark = small_benchmark()
    for setup, (sampler, drawn) in zip(
        benchmark.setups, [("hits", 0), *(("random", seed) for seed in SEEDS)], strict=True
    ):
        sampled = make_setup(corpus, vectors, space, sampler=sampler, m=KEPT, seed=drawn)
        folds = topic_kfold(sampled.corpus, k=FOLDS, seed=3)
        evaluation = evaluate(sampled.corpus, folds, task="verification", models=["topic_fit"], seed=3)
        for fold, trial in zip(setup.folds, evaluation.questions, strict=True):
            ids = [[sampled.corpus.ids[row] for row in rows] for rows in (trial.lead, trial.other)]
            ours = [[benchmark.documents.ids[row] for row in rows] for rows in (fold.test.first, fold.test.second)]
            assert ours == ids
            np.testing.assert_array_equal(fold.test.same, trial.truth.astype(bool))


def test_similarity_is_the_cosine():
    vectors = np.array([[1, 0], [1, 1], [0, -2], [0, 0]], dtype=np.float32)
    first, second = np.array([0, 0, 1, 0]), np.array([1, 2, 2, 3])
    expected = [0.707107, 0.0, -0.707107, 0.0]
    assert pair_similarity(vectors, first, second).tolist() == expected


def test_statistics_are_means_over_folds():
    benchmark = small_benchmark()
    for found, setup in zip(benchmark_statistics(benchmark), benchmark.setups, strict=True):
        assert (found.topics, found.documents, found.key) == (KEPT, KEPT * EACH, setup.key)
        assert found.authors == 3, "nobody is not an author"
        for side in SIDES:
            pairs = [len(fold.side(side)) for fold in setup.folds]
            assert found.pairs[side] == sum(pairs)
            assert found.means[side]["pairs"] == np.mean(pairs)
            assert found.means[side]["topics"] == KEPT / FOLDS
            assert found.means[side]["documents"] == KEPT * EACH / FOLDS


def test_ids_name_the_benchmark():
    corpus, vectors = small_corpus(), small_vectors()
    make = {"encoder_key": "test", "m": KEPT, "k": FOLDS, "seed": 3, "random_seeds": SEEDS}
    tag = small_benchmark().tag
    assert build_benchmark(corpus, vectors, **make).tag == tag
    for change in ({"encoder_key": "other"}, {"m": 5}, {"seed": 4}, {"random_seeds": (0, 2)}):
        assert build_benchmark(corpus, vectors, **(make | change)).tag != tag
    assert pair_id(tag, "random-1", 0, "test", 17) == f"{tag}-random-1-f0-test-17"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"m": 1}, "m = 1; a benchmark needs 2 topics"),
        ({"m": 8}, "m = 8, but the corpus has 7 topics"),
        ({"k": 5}, "k = 5, but the corpus has 4 topics"),
        ({"k": 1}, "at least 2 folds"),
        ({"random_seeds": ()}, "one or more, and all different"),
        ({"random_seeds": (1, 1)}, "one or more, and all different"),
    ],
)
def test_settings_that_do_not_fit(change, words):
    make = {"encoder_key": "", "m": KEPT, "k": FOLDS} | change
    with pytest.raises(SettingError, match=words):
        build_benchmark(small_corpus(), small_vectors(), **make)


@pytest.mark.parametrize(
    ("texts", "authors", "kind", "words"),
    [
        (["a"] * 8, None, SettingError, "names no authors"),
        (["a"] * 8, ["one"] * 8, SettingError, r"HITS, fold 0 \(of 0 to 1\) cannot be paired: .* two authors"),
        (["a"] * 7 + ["\ud800"], ["x", "y"] * 4, InputError, "document 8: half of a surrogate pair"),
        (["a"] * 7 + ["\0"], ["x", "y"] * 4, InputError, "document 8: a NUL character"),
    ],
)
def test_corpora_that_make_no_benchmark(texts, authors, kind, words):
    corpus = make_corpus(texts, ["s", "s", "t", "t", "u", "u", "v", "v"], authors=authors)
    with pytest.raises(kind, match=words):
        build_benchmark(corpus, np.eye(8, dtype=np.float32), encoder_key="", m=2, k=2)
