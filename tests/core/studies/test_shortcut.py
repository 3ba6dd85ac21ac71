"""The topic shortcut test: Avg and Diff by hand, what is noise, and whose scores follow topic."""

import numpy as np
import pytest

from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.errors import SettingError
from core.evaluation import ResultStore, evaluate
from core.models import METRICS, verification_scores
from core.splits import topic_kfold
from core.studies import Asked, System, answer_sheet, from_evaluations, read_system, shortcut_test, topical_reliance
from core.studies.raven import build_benchmark
from core.studies.shortcut import asked_of
from core.topics import RANDOM_SEEDS, make_setup, topic_space
from core.vectors import make_encoder
from tests.core.raven_runs import answers_file

SAME = np.array([True, False, True, False])
ALIKE = np.array([0.9, 0.8, 0.2, 0.1])


def asked(folds: int = 2, seeds: int = 2) -> tuple[Asked, ...]:
    setups = [("hits", "hits"), *((f"random-{seed}", "random") for seed in range(seeds))]
    return tuple(Asked(key, group, fold, SAME, ALIKE) for key, group in setups for fold in range(folds))


def right(count: int) -> np.ndarray:
    """Answers of which this many of four are right, all of them given: c@1 = accuracy = count / 4."""
    truth = np.where(np.arange(4) < count, SAME, ~SAME)
    return np.where(truth, 0.9, 0.1)


def system(name: str, *counts: int) -> System:
    return System(name, tuple(right(count) for count in counts))


def test_avg_and_diff_by_hand():
    some, best = system("some", 2, 4, 4, 3, 3, 4), system("best", 4, 4, 4, 4, 4, 4)
    test = shortcut_test(asked(), [some, best], metric="c@1")
    found = test.readings[0]
    assert (found.hits, found.random) == (0.75, 0.875)
    assert (found.avg, found.diff, found.gap) == (0.8125, 0.125, -0.125)
    assert (test.readings[1].avg, test.readings[1].diff) == (1, 0)
    assert [reading.rank_avg for reading in test.readings] == [2, 1]
    assert [reading.rank_diff for reading in test.readings] == [2, 1]
    np.testing.assert_array_equal(test.scores[0], [0.5, 1, 1, 0.75, 0.75, 1])


def test_equal_systems_share_their_rank():
    systems = [system("a", 2, 4, 4, 3, 3, 4), system("b", 2, 4, 4, 3, 3, 4), system("c", 4, 4, 4, 4, 4, 4)]
    test = shortcut_test(asked(), systems, metric="c@1")
    assert [reading.rank_avg for reading in test.readings] == [2.5, 2.5, 1]


def test_every_metric_and_overall_by_default():
    one = System("one", tuple(np.array(answers) for answers in ([0.9, 0.2, 0.5, 0.6], [0.7, 0.4, 0.8, 0.1]) * 3))
    for metric in METRICS:
        expected = np.mean([verification_scores(SAME, answers).named()[metric] for answers in one.answers[:2]])
        found = shortcut_test(asked(), [one], metric=metric).readings[0]
        assert (found.hits, found.random) == (pytest.approx(expected), pytest.approx(expected))
    assert shortcut_test(asked(), [one]).metric == "overall"


def test_a_clear_fall_stands_out_and_a_small_one_is_noise():
    where = asked(folds=5, seeds=3)
    falls = system("falls", *[2, 1, 2, 2, 1], *[4, 3, 4, 4, 3] * 3)
    rises = system("rises", *[4, 3, 4, 4, 3], *[2, 1, 2, 2, 1] * 3)
    noise = system("noise", *[4, 2, 3, 1, 4], *[4, 2, 3, 2, 4] * 3)
    found = shortcut_test(where, [falls, rises, noise], metric="c@1").readings
    assert [reading.within_noise for reading in found] == [False, False, True]
    assert found[0].p < 0.01 and found[0].gap_interval[1] < 0 < found[0].diff_interval[0]
    assert found[2].gap_interval[0] < 0 < found[2].gap_interval[1] and found[2].diff_interval[0] == 0
    assert "loses 0.500" in found[0].sentence and "gains 0.500" in found[1].sentence
    assert "within what folds vary by" in found[2].sentence
    for reading in found:
        for name in ("hits", "random", "avg", "gap", "diff"):
            low, high = getattr(reading, f"{name}_interval")
            assert low <= getattr(reading, name) <= high


def test_the_bootstrap_is_seeded_and_stays_within_setups():
    where = asked(folds=5)
    one = system("one", 4, 3, 2, 1, 4, *[1] * 5, *[3] * 5)
    again = [shortcut_test(where, [one], metric="c@1", seed=seed, resamples=30).readings[0] for seed in (0, 0, 1)]
    assert again[0] == again[1] != again[2]
    assert again[0].random_interval == (0.5, 0.5), "each random setup keeps its number of folds"


def test_undefined_folds_are_left_out_and_counted():
    one = System("one", (None, right(4), right(2), None, right(2), right(2)))
    found = shortcut_test(asked(), [one], metric="c@1").readings[0]
    assert (found.hits, found.random, found.undefined_folds) == (1, 0.5, 2)
    nothing = System("nothing", (None, None, *one.answers[2:]))
    lost, other = shortcut_test(asked(), [nothing, one], metric="c@1").readings
    assert np.isnan(lost.avg) and np.isnan(lost.rank_avg) and lost.within_noise and other.rank_avg == 1
    assert "nothing can be compared" in lost.sentence


@pytest.mark.parametrize(
    ("where", "systems", "metric", "words"),
    [
        (asked(), [system("a", 1, 1, 1, 1, 1, 1)], "overal", "Did you mean 'overall'"),
        (asked(seeds=0), [system("a", 1, 1)], "c@1", "no random setup"),
        (asked()[2:], [system("a", 1, 1, 1, 1)], "c@1", "no HITS setup"),
        (asked(), [], "c@1", "No system is given"),
        (asked(), [system("a", 1)], "c@1", "a: answers for 1 folds where 6 are asked"),
    ],
)
def test_what_cannot_be_tested(where, systems, metric, words):
    with pytest.raises(SettingError, match=words):
        shortcut_test(where, systems, metric=metric)


def made_asked(rng: np.random.Generator, group: str = "hits") -> Asked:
    same = rng.random(400) < 0.5
    return Asked(group, group, 0, same, np.round(0.3 * same + rng.random(400), 6))


def test_scores_that_follow_topic_are_found_within_each_kind():
    rng = np.random.default_rng(0)
    folds = [made_asked(rng), made_asked(rng, "random")]
    topic = System("topic", tuple(each.similarity / 1.3 for each in folds))
    style = System("style", tuple(np.clip(0.3 + 0.4 * each.same + 0.2 * rng.random(400), 0, 1) for each in folds))
    found = topical_reliance(folds, [topic, style])
    leans, sound = found.systems
    assert leans.rho == pytest.approx({"all": 1, "same": 1, "different": 1})
    assert sound.rho["all"] > 0.2, "same-author pairs are more alike"
    assert abs(sound.rho["same"]) < 0.15 and abs(sound.rho["different"]) < 0.15
    assert leans.accuracy["different"][0] == 1 > leans.accuracy["different"][3]
    np.testing.assert_array_equal(sound.accuracy["all"], np.ones(4))
    assert leans.answered["all"].sum() == 800
    assert np.ptp(leans.answered["all"]) <= 1, "quartiles hold equally many pairs"
    one = topical_reliance(folds, [topic], group="random")
    assert len(one.systems[0].folds["all"]) == 1 and one.systems[0].answered["all"].sum() == 400


def test_quartiles_by_hand():
    each = Asked("hits", "hits", 0, np.array([True, False] * 4), np.arange(8) / 10)
    one = System("one", (np.array([0.9, 0.9, 0.5, 0.1, 0.2, 0.5, 0.5, 0.5]),))
    found = topical_reliance([each], [one]).systems[0]
    np.testing.assert_array_equal(found.answered["all"], [2, 1, 1, 0])
    np.testing.assert_array_equal(found.accuracy["all"], [0.5, 1, 0, np.nan])
    np.testing.assert_array_equal(found.accuracy["same"], [1, np.nan, 0, np.nan])
    silent = topical_reliance([each], [System("silent", (None,)), System("flat", (np.full(8, 0.7),))]).systems
    assert all(np.isnan(each.rho["all"]) for each in silent)


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
    where, systems = from_evaluations(runs)
    benchmark = build_benchmark(corpus, vectors.matrix, encoder_key=vectors.encoder_key, m=12, k=6)
    for ours, theirs in zip(where, asked_of(benchmark), strict=True):
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
    assert shortcut_test(where, systems).readings == shortcut_test(sheet.asked, again).readings
    with pytest.raises(SettingError, match="neither a HITS nor a random setup"):
        all_topics = make_setup(corpus, vectors.matrix, space, sampler="none")
        from_evaluations([(all_topics, runs[0][1])])
    with pytest.raises(SettingError, match="the same models on every setup"):
        setup, evaluation = runs[0]
        fewer = evaluate(setup.corpus, evaluation.folds, task="verification", models=["topic_fit"], results=store)
        from_evaluations([(setup, fewer), *runs[1:]])
