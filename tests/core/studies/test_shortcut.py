"""The topic shortcut test: Avg and Diff by hand, and what is noise."""

import numpy as np
import pytest

from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.errors import SettingError
from core.evaluation import ResultStore, evaluate
from core.models import METRICS, verification_scores
from core.splits import topic_kfold
from core.studies import (
    SystemAnswers,
    TestPairs,
    answer_sheet,
    pairs_and_answers,
    read_system,
    shortcut_test,
)
from core.studies.raven import build_benchmark
from core.studies.shortcut import benchmark_pairs
from core.topics import RANDOM_SEEDS, make_setup, topic_space
from core.vectors import make_encoder
from tests.core.raven_runs import answers_file

SAME = np.array([True, False, True, False])
ALIKE = np.array([0.9, 0.8, 0.2, 0.1])


def pairs(folds: int = 2, seeds: int = 2) -> tuple[TestPairs, ...]:
    setups = [("hits", "hits"), *((f"random-{seed}", "random") for seed in range(seeds))]
    return tuple(TestPairs(key, group, fold, SAME, ALIKE) for key, group in setups for fold in range(folds))


def right(count: int) -> np.ndarray:
    """Answers of which this many of four are right, all of them given: c@1 = accuracy = count / 4."""
    truth = np.where(np.arange(4) < count, SAME, ~SAME)
    return np.where(truth, 0.9, 0.1)


def system(name: str, *counts: int) -> SystemAnswers:
    return SystemAnswers(name, tuple(right(count) for count in counts))


def test_avg_and_diff_by_hand():
    some, best = system("some", 2, 4, 4, 3, 3, 4), system("best", 4, 4, 4, 4, 4, 4)
    test = shortcut_test(pairs(), [some, best], metric="c@1")
    found = test.results[0]
    assert (found.hits, found.random) == (0.75, 0.875)
    assert (found.avg, found.diff, found.gap) == (0.8125, 0.125, -0.125)
    assert (test.results[1].avg, test.results[1].diff) == (1, 0)
    assert [result.rank_avg for result in test.results] == [2, 1]
    assert [result.rank_diff for result in test.results] == [2, 1]
    np.testing.assert_array_equal(test.scores[0], [0.5, 1, 1, 0.75, 0.75, 1])


def test_equal_systems_share_their_rank():
    systems = [system("a", 2, 4, 4, 3, 3, 4), system("b", 2, 4, 4, 3, 3, 4), system("c", 4, 4, 4, 4, 4, 4)]
    test = shortcut_test(pairs(), systems, metric="c@1")
    assert [result.rank_avg for result in test.results] == [2.5, 2.5, 1]


def test_every_metric_and_overall_by_default():
    one = SystemAnswers("one", tuple(np.array(answers) for answers in ([0.9, 0.2, 0.5, 0.6], [0.7, 0.4, 0.8, 0.1]) * 3))
    for metric in METRICS:
        expected = np.mean([verification_scores(SAME, answers).named()[metric] for answers in one.answers[:2]])
        found = shortcut_test(pairs(), [one], metric=metric).results[0]
        assert (found.hits, found.random) == (pytest.approx(expected), pytest.approx(expected))
    assert shortcut_test(pairs(), [one]).metric == "overall"


def test_a_clear_fall_stands_out_and_a_small_one_is_noise():
    where = pairs(folds=5, seeds=3)
    falls = system("falls", *[2, 1, 2, 2, 1], *[4, 3, 4, 4, 3] * 3)
    rises = system("rises", *[4, 3, 4, 4, 3], *[2, 1, 2, 2, 1] * 3)
    noise = system("noise", *[4, 2, 3, 1, 4], *[4, 2, 3, 2, 4] * 3)
    found = shortcut_test(where, [falls, rises, noise], metric="c@1").results
    assert [result.within_noise for result in found] == [False, False, True]
    assert found[0].p < 0.01 and found[0].gap_interval[1] < 0 < found[0].diff_interval[0]
    assert found[2].gap_interval[0] < 0 < found[2].gap_interval[1] and found[2].diff_interval[0] == 0
    assert "loses 0.500" in found[0].sentence and "gains 0.500" in found[1].sentence
    assert "within what folds vary by" in found[2].sentence
    for result in found:
        for name in ("hits", "random", "avg", "gap", "diff"):
            low, high = getattr(result, f"{name}_interval")
            assert low <= getattr(result, name) <= high


def test_the_bootstrap_is_seeded_and_stays_within_setups():
    where = pairs(folds=5)
    one = system("one", 4, 3, 2, 1, 4, *[1] * 5, *[3] * 5)
    again = [shortcut_test(where, [one], metric="c@1", seed=seed, resamples=30).results[0] for seed in (0, 0, 1)]
    assert again[0] == again[1] != again[2]
    assert again[0].random_interval == (0.5, 0.5), "each random setup keeps its number of folds"


def test_undefined_folds_are_left_out_and_counted():
    one = SystemAnswers("one", (None, right(4), right(2), None, right(2), right(2)))
    found = shortcut_test(pairs(), [one], metric="c@1").results[0]
    assert (found.hits, found.random, found.undefined_folds) == (1, 0.5, 2)
    nothing = SystemAnswers("nothing", (None, None, *one.answers[2:]))
    lost, other = shortcut_test(pairs(), [nothing, one], metric="c@1").results
    assert np.isnan(lost.avg) and np.isnan(lost.rank_avg) and lost.within_noise and other.rank_avg == 1
    assert "nothing can be compared" in lost.sentence


@pytest.mark.parametrize(
    ("where", "systems", "metric", "words"),
    [
        (pairs(), [system("a", 1, 1, 1, 1, 1, 1)], "overal", "Did you mean 'overall'"),
        (pairs(seeds=0), [system("a", 1, 1)], "c@1", "no random setup"),
        (pairs()[2:], [system("a", 1, 1, 1, 1)], "c@1", "no HITS setup"),
        (pairs(), [], "c@1", "No system is given"),
        (pairs(), [system("a", 1)], "c@1", "a: answers for 1 folds where 6 are asked"),
    ],
)
def test_what_cannot_be_tested(where, systems, metric, words):
    with pytest.raises(SettingError, match=words):
        shortcut_test(where, systems, metric=metric)


def test_models_run_in_the_app_and_their_answers_as_files_are_one(tmp_path):
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    runs = []
    for sampler, drawn in [("hits", 0), *(("random", seed) for seed in RANDOM_SEEDS)]:
        setup = make_setup(corpus, vectors.matrix, space, sampler=sampler, m=12, seed=drawn)
        folds = topic_kfold(setup.corpus, k=6, seed=0)
        models = ["char_ngram", "topic_fit"]
        store = ResultStore(tmp_path, shipped=RESULTS)
        runs.append((setup, evaluate(setup.corpus, folds, task="verification", models=models, results=store)))
    where, systems = pairs_and_answers(runs)
    benchmark = build_benchmark(corpus, vectors.matrix, encoder_key=vectors.encoder_key, m=12, k=6)
    for ours, theirs in zip(where, benchmark_pairs(benchmark), strict=True):
        assert (ours.setup, ours.group, ours.fold) == (theirs.setup, theirs.group, theirs.fold)
        np.testing.assert_array_equal(ours.same, theirs.same)
        np.testing.assert_array_equal(ours.similarity, theirs.similarity)
    sheet = answer_sheet(benchmark)
    again = []
    for one in systems:
        scores = np.concatenate(one.answers).tolist()
        file = answers_file(tmp_path / f"{one.name}.jsonl", sheet, scores.__getitem__)
        again.append(read_system(sheet, [file], name=one.name))
    assert [one.name for one in systems] == ["CharNGram", "TopicFit"]
    assert shortcut_test(where, systems).results == shortcut_test(sheet.pairs, again).results
    with pytest.raises(SettingError, match="neither a HITS nor a random setup"):
        all_topics = make_setup(corpus, vectors.matrix, space, sampler="none")
        pairs_and_answers([(all_topics, runs[0][1])])
    with pytest.raises(SettingError, match="the same models on every setup"):
        setup, evaluation = runs[0]
        fewer = evaluate(setup.corpus, evaluation.folds, task="verification", models=["topic_fit"], results=store)
        pairs_and_answers([(setup, fewer), *runs[1:]])
