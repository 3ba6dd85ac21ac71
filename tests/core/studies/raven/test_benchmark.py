"""Benchmarks in memory: topics and pairs keep to their side, and the app's models see the same pairs."""

import re

import numpy as np
import pytest

from core.corpora import UNKNOWN_AUTHOR, make_corpus
from core.errors import InputError, SettingError
from core.evaluation import NamedVectors, evaluate
from core.splits import PAIRINGS, topic_kfold
from core.studies.raven import benchmark_statistics, build_benchmark
from core.studies.raven.benchmark import SIDES, pair_id
from core.studies.raven.build import pair_similarity
from core.topics import RANDOM_SEEDS, hits_path, make_setup, topic_space
from tests.core.raven_runs import EACH, FOLDS, KEPT, SEEDS, small_benchmark, small_corpus, small_vectors


def test_the_setups():
    benchmark = small_benchmark()
    assert [setup.key for setup in benchmark.setups] == ["hits", "random-0", "random-1"]
    corpus = small_corpus()
    space = topic_space(small_vectors(), corpus.topic_codes, corpus.topic_names)
    chosen = hits_path(space.similarity).order[:KEPT]
    assert benchmark.setups[0].topics == tuple(sorted(space.names[topic] for topic in chosen))
    default = build_benchmark(corpus, NamedVectors(small_vectors()), m=KEPT, k=FOLDS)
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


@pytest.mark.parametrize("kind", PAIRINGS)
def test_models_run_in_the_app_are_asked_the_same_pairs(kind):
    corpus, vectors = small_corpus(), small_vectors()
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    benchmark = small_benchmark(kind)
    for setup, (sampler, drawn) in zip(
        benchmark.setups, [("hits", 0), *(("random", seed) for seed in SEEDS)], strict=True
    ):
        sampled = make_setup(corpus, vectors, space, sampler=sampler, m=KEPT, seed=drawn)
        folds = topic_kfold(sampled.corpus, k=FOLDS, seed=3)
        evaluation = evaluate(sampled.corpus, folds, task="verification", models=["topic_fit"], seed=3, pairing=kind)
        for fold, trial in zip(setup.folds, evaluation.questions, strict=True):
            asked = zip(trial.lead, trial.other, trial.truth, strict=True)
            written = zip(fold.test.first, fold.test.second, fold.test.same, strict=True)
            theirs = [(sampled.corpus.ids[one], sampled.corpus.ids[two], bool(same)) for one, two, same in asked]
            documents = benchmark.documents
            ours = [(documents.ids[one], documents.ids[two], bool(same)) for one, two, same in written]
            assert sorted(ours) == sorted(theirs)
            assert ours != theirs, "lead by lead, the order would tell the truth"


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
    make = {"vectors": NamedVectors(vectors, "test"), "m": KEPT, "k": FOLDS, "seed": 3, "random_seeds": SEEDS}
    tag = small_benchmark().tag
    assert build_benchmark(corpus, **make).tag == tag
    plain = topic_space(vectors, corpus.topic_codes, corpus.topic_names, similarity="plain")
    changes = (
        {"vectors": NamedVectors(vectors, "other")}, {"m": 5}, {"seed": 4}, {"random_seeds": (0, 2)}, {"pairs": "paper"},
        {"space": plain},
    )  # fmt: skip
    tags = [build_benchmark(corpus, **(make | change)).tag for change in changes]
    assert len({tag, *tags}) == 1 + len(changes)


def test_ids_are_opaque_and_every_part_of_where_a_pair_is_counts():
    ids = {
        pair_id(tag, setup, fold, side, number)
        for tag in ("0badf00d", "1badf00d")
        for setup in ("hits", "random-1", "random-11")
        for fold in (0, 1)
        for side in SIDES
        for number in (0, 1, 10, 11)
    }
    assert len(ids) == 2 * 3 * 2 * 2 * 4
    assert all(re.fullmatch("[01]badf00d-[0-9a-f]{20}", identity) for identity in ids)
    assert pair_id("0badf00d", "hits", 0, "test", 0) == "0badf00d-639a223442281d9d7dae"


def test_matched_pairs_leave_topics_nothing_to_tell():
    for found in benchmark_statistics(small_benchmark()):
        assert (found.gap, found.topic_oracle_auc) == (0, 0.5)
    for found, setup in zip(
        benchmark_statistics(small_benchmark("paper")), small_benchmark("paper").setups, strict=True
    ):
        topics = small_benchmark("paper").documents.topic_codes
        one_topic = [topics[fold.test.first] == topics[fold.test.second] for fold in setup.folds]
        gaps = [
            here[fold.test.same].mean() - here[~fold.test.same].mean()
            for here, fold in zip(one_topic, setup.folds, strict=True)
        ]
        assert found.gap == pytest.approx(np.mean(gaps), abs=1e-6)
        assert found.topic_oracle_auc > 0.5


def test_pairs_that_could_not_be_made_are_counted():
    # Topic t is by one author: as the second text's topic it has nobody to set beside.
    authors = ["x", "y", "x", "y", "x", "y", *["x"] * 6, *"xyzxyz", *"xyzxyz"]
    topics = [*"ssssss", *"tttttt", *"uuuuuu", *"vvvvvv", "w"]  # w cannot be placed, and comes last
    corpus = make_corpus([str(row) for row in range(25)], topics, authors=[*authors, "x"])
    vectors = NamedVectors(np.eye(25, dtype=np.float32) + 0.1)
    benchmark = build_benchmark(corpus, vectors, m=4, k=2, random_seeds=(0,))
    for found, setup in zip(benchmark_statistics(benchmark), benchmark.setups, strict=True):
        assert found.left_out == {name: sum(fold.side(name).left_out for fold in setup.folds) for name in SIDES}
        assert found.left_out["test"] > 0 and found.gap == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"m": 1}, "m = 1; a benchmark needs 2 topics"),
        ({"m": 8}, "m = 8, but the corpus has 7 topics"),
        ({"k": 5}, "k = 5, but there are 4 topics to deal"),
        ({"k": 1}, "at least 2 folds"),
        ({"random_seeds": ()}, "one or more, and all different"),
        ({"random_seeds": (1, 1)}, "one or more, and all different"),
        ({"pairs": "machted"}, "Did you mean 'matched'"),
    ],
)
def test_settings_that_do_not_fit(change, words):
    make = {"m": KEPT, "k": FOLDS} | change
    with pytest.raises(SettingError, match=words):
        build_benchmark(small_corpus(), NamedVectors(small_vectors()), **make)


@pytest.mark.parametrize(
    ("texts", "authors", "kind", "words"),
    [
        (["a"] * 8, None, SettingError, "names no authors"),
        (
            ["a"] * 8,
            ["one"] * 8,
            SettingError,
            r"HITS, fold 0 \(of 0 to 1\), train side cannot be paired: .* two authors",
        ),
        (
            ["a"] * 8,
            ["x", "x", "y", "y"] * 2,
            SettingError,
            r"HITS, fold 0 \(of 0 to 1\), train side cannot be paired: .* fewer folds",
        ),
        (["a"] * 7 + ["\ud800"], ["x", "y"] * 4, InputError, "document 8: half of a surrogate pair"),
        (["a"] * 7 + ["\0"], ["x", "y"] * 4, InputError, "document 8: a NUL character"),
    ],
)
def test_corpora_that_make_no_benchmark(texts, authors, kind, words):
    corpus = make_corpus(texts, ["s", "s", "t", "t", "u", "u", "v", "v"], authors=authors)
    with pytest.raises(kind, match=words):
        build_benchmark(corpus, NamedVectors(np.eye(8, dtype=np.float32)), m=2, k=2)
