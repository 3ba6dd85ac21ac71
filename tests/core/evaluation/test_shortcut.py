"""The topic shortcut test: Avg and Diff by hand, what is noise, and whose scores follow topic."""

import numpy as np
import pytest
from scipy.stats import t

from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.errors import SettingError
from core.evaluation import (
    NamedVectors,
    ResultStore,
    ShortcutTest,
    SystemAnswers,
    TestPairs,
    evaluate,
    pairs_and_answers,
    shortcut_test,
    topical_reliance,
)
from core.evaluation.shortcut import gap_interval, not_apart, reliance_of
from core.models import METRICS, verification_scores
from core.papers.hits_2024 import answer_sheet, build_benchmark, read_system
from core.papers.hits_2024.raven import benchmark_pairs
from core.splits import topic_kfold
from core.topics import RANDOM_SEEDS, make_setup, topic_space
from core.vectors import make_encoder
from tests.core.raven_runs import answers_file

SAME = np.array([True, False, True, False])
SIMILAR = np.array([0.9, 0.8, 0.2, 0.1])


def pairs(folds: int = 2, seeds: int = 2) -> tuple[TestPairs, ...]:
    setups = [("hits", "hits"), *((f"random-{seed}", "random") for seed in range(seeds))]
    return tuple(TestPairs(key, group, fold, SAME, SIMILAR) for key, group in setups for fold in range(folds))


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


def test_a_system_that_answers_one_fold_does_not_rank_first():
    # It is right in the one fold it answers and says .5 elsewhere: Overall was 1.000 by that fold alone.
    nothing = np.full(4, 0.5)
    sly = SystemAnswers("sly", (right(4), *[nothing] * 5))
    found = shortcut_test(pairs(), [sly, system("honest", *[3] * 6)]).results
    assert [each.rank_avg for each in found] == [2, 1] and found[0].avg < 0.5


def test_systems_are_ranked_on_the_folds_that_all_of_them_have():
    # Without its hard folds, "some" has the higher mean; on the folds that both have it does not.
    whole = system("whole", 4, 2, 4, 2, 4, 2)
    some = SystemAnswers("some", (right(3), None, right(3), None, right(3), None))
    test = shortcut_test(pairs(), [whole, some], metric="c@1")
    assert test.ranked_folds == 3 and [each.rank_avg for each in test.results] == [1, 2]
    assert test.results[0].avg == test.results[1].avg == 0.75 and test.results[1].undefined_folds == 3


def test_every_metric_and_overall_by_default():
    one = SystemAnswers("one", tuple(np.array(answers) for answers in ([0.9, 0.2, 0.5, 0.6], [0.7, 0.4, 0.8, 0.1]) * 3))
    for metric in METRICS:
        expected = np.mean([verification_scores(SAME, answers).named()[metric] for answers in one.answers[:2]])
        found = shortcut_test(pairs(), [one], metric=metric).results[0]
        assert (found.hits, found.random) == (pytest.approx(expected), pytest.approx(expected))
    assert shortcut_test(pairs(), [one]).metric == "overall"


# Right answers of four in five folds: under HITS, and in each of three random setups.
FALLS = ([2, 1, 2, 2, 1], [4, 3, 4, 4, 3])
RISES = FALLS[::-1]
NOISE = ([4, 2, 3, 1, 4], [4, 2, 3, 2, 4])
LEVEL = ([3, 3, 3, 3, 3], [3, 3, 3, 3, 3])


def played(**systems: tuple[list[int], list[int]]) -> tuple[tuple[TestPairs, ...], list[SystemAnswers]]:
    return pairs(folds=5, seeds=3), [system(name, *hits, *random * 3) for name, (hits, random) in systems.items()]


def read(control: str | None = None, **systems: tuple[list[int], list[int]]) -> ShortcutTest:
    return shortcut_test(*played(**systems), metric="c@1", control=control)


def test_a_clear_fall_stands_out_and_a_small_one_is_noise():
    found = read(falls=FALLS, rises=RISES, noise=NOISE).results
    assert [result.within_noise for result in found] == [False, False, True]
    assert found[0].p < 0.01 and found[0].gap_interval[1] < 0 < found[0].diff_interval[0]
    assert found[2].gap_interval[0] < 0 < found[2].gap_interval[1] and found[2].diff_interval[0] == 0
    assert found[0].adjusted_p == pytest.approx(3 * found[0].p), "Holm over the three systems"
    for result in found:
        for name in ("avg", "gap", "diff"):
            low, high = getattr(result, f"{name}_interval")
            assert low <= getattr(result, name) <= high


def test_the_control_speaks_first():
    test = read(TopicFit=FALLS, relies=FALLS, rises=RISES, noise=NOISE, level=LEVEL)
    assert (test.control, test.power, test.margin) == ("TopicFit", True, 0.02)
    assert [result.reading for result in test.results] == ["leans", "leans", "cannot tell", "cannot tell", "does not"]


@pytest.mark.parametrize("shown", [NOISE, RISES, LEVEL])
def test_where_the_control_does_not_lose_a_loss_is_still_a_loss_and_no_loss_is_nothing(shown):
    test = read(TopicFit=shown, falls=FALLS, level=LEVEL)
    assert test.power is False
    assert [result.reading for result in test.results] == ["cannot tell", "leans", "cannot tell"]


def test_the_audits_proven_loss_is_reported_whatever_the_control_does():
    # "Cannot tell here" was said of a system that loses .231 (95% CI −.324 to −.138).
    for power in (False, None, True):
        assert reliance_of((-0.324, -0.138), power=power, margin=0.02) == "leans"
        assert (reliance_of((-0.01, 0.01), power=power, margin=0.02) == "does not") is bool(power)


def test_without_a_control_a_loss_is_a_loss_and_no_loss_is_nothing():
    test = read(falls=FALLS, level=LEVEL, noise=NOISE)
    assert (test.control, test.power) == (None, None)
    assert [result.reading for result in test.results] == ["leans", "cannot tell", "cannot tell"]


def test_the_control_is_named_or_known_by_its_name():
    for name in ("TopicFit", "topic_fit", "topic-fit", "topicfit"):
        test = shortcut_test(pairs(), [system("a", *[4] * 6), system(name, *[4] * 6)], metric="c@1")
        assert test.control == name
    assert shortcut_test(pairs(), [system("a", *[4] * 6)], metric="c@1").control is None
    test = read("rises", falls=FALLS, rises=RISES)
    assert (test.control, test.power) == ("rises", False)
    with pytest.raises(SettingError, match="Did you mean 'falls'"):
        read("fals", falls=FALLS, rises=RISES)


def test_readings_follow_the_interval_that_is_shown():
    for power in (True, None, False):
        assert reliance_of((-0.230, -0.095), power=power, margin=0.02) == "leans"
        assert reliance_of((-0.324, -0.138), power=power, margin=0.02) == "leans"
        assert reliance_of((-0.230, 0.001), power=power, margin=0.02) == "cannot tell"
        assert reliance_of((0.095, 0.230), power=power, margin=0.02) == "cannot tell"
        assert reliance_of((-0.02, 0.02), power=power, margin=0.02) == ("does not" if power else "cannot tell")
        assert reliance_of((-0.021, 0.01), power=power, margin=0.02) == "cannot tell"
        assert reliance_of((float("nan"),) * 2, power=power, margin=0.02) == "cannot tell"
    assert not not_apart((0.095, 0.230)) and not not_apart((-0.230, -0.095)) and not_apart((-0.1, 0.1))


def test_the_gap_is_as_uncertain_as_random_setups_differ():
    drawn = np.random.default_rng(0).normal(-0.1, 0.01, 2_000)
    folds = tuple(np.quantile(drawn, [0.025, 0.975]))
    assert gap_interval(0.5, 0.6, drawn, np.full(5, 0.6)) == pytest.approx(folds)
    samples = np.array([0.5, 0.55, 0.6, 0.65, 0.7])
    half = t.ppf(0.975, 4) * samples.std(ddof=1) * np.sqrt(1.2)
    assert gap_interval(0.5, 0.6, drawn, samples) == pytest.approx((-0.1 - half, -0.1 + half))
    assert np.isnan(gap_interval(0.5, 0.6, drawn, np.array([0.6]))).all(), "one setup shows no difference of setups"
    assert gap_interval(0.5, 0.6, drawn, np.array([0.2, 0.9])) == (-1, 1), "scores lie from 0 to 1"
    one = shortcut_test(pairs(seeds=1), [system("TopicFit", 1, 2, 4, 3)], metric="c@1")
    assert one.power is False and one.results[0].reading == "cannot tell" and np.isnan(one.placebo)


def test_hits_as_one_more_random_setup_is_rarely_read_as_reliance():
    """Six folds, five random setups that differ by chance (authors, sizes), HITS the same: few intervals miss 0."""
    rng = np.random.default_rng(0)
    missed = []
    for _ in range(2_000):
        folds = 0.6 + 0.03 * rng.normal(size=(6, 1)) + 0.05 * rng.normal(size=(6, 6))
        again = rng.integers(0, 6, size=(300, 6, 6))
        means = folds[np.arange(6)[:, None], again].mean(axis=2)
        drawn = means[:, 0] - means[:, 1:].mean(axis=1)
        missed.append(gap_interval(float(folds[0].mean()), float(folds[1:].mean()), drawn, folds[1:].mean(axis=1)))
    assert np.mean([not not_apart(interval) for interval in missed]) <= 0.06
    assert np.mean([interval[1] < 0 for interval in missed]) <= 0.04


def test_the_placebo_rate_of_the_t_test_is_told():
    test = read(level=LEVEL, noise=NOISE)
    assert test.placebo == 0, "the three random setups are one"
    where = pairs(folds=5, seeds=3)
    apart = system("apart", *[2, 2, 3, 2, 2], *[0, 1, 0, 1, 0], *[2, 2, 3, 2, 3], *[4, 3, 4, 4, 4])
    assert shortcut_test(where, [apart], metric="c@1").placebo == pytest.approx(2 / 3)


def test_the_bootstrap_is_seeded_and_stays_within_setups():
    where = pairs(folds=5)
    one = system("one", 4, 3, 2, 1, 4, *[1] * 5, *[3] * 5)
    again = [shortcut_test(where, [one], metric="c@1", seed=seed, resamples=30).results[0] for seed in (0, 0, 1)]
    assert again[0] == again[1] != again[2]
    two = system("two", *[2] * 5, *[1] * 5, *[3] * 5)
    low, high = shortcut_test(where, [two], metric="c@1", resamples=30).results[0].avg_interval
    assert low == high, "each random setup keeps its number of folds"


def test_undefined_folds_are_left_out_and_counted():
    one = SystemAnswers("one", (None, right(4), right(2), None, right(2), right(2)))
    found = shortcut_test(pairs(), [one], metric="c@1").results[0]
    assert (found.hits, found.random, found.undefined_folds) == (1, 0.5, 2)
    nothing = SystemAnswers("nothing", (None, None, *one.answers[2:]))
    lost, other = shortcut_test(pairs(), [nothing, one], metric="c@1").results
    assert (
        np.isnan(lost.avg)
        and np.isnan(lost.rank_avg)
        and lost.within_noise
        and lost.reading == "cannot tell"
        and other.rank_avg == 1
    )


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
    benchmark = build_benchmark(corpus, NamedVectors(vectors.matrix, vectors.encoder_key), m=12, k=6)
    orders = []  # a benchmark's pairs are shuffled: the same pairs, found again by their similarity
    for ours, theirs in zip(where, benchmark_pairs(benchmark), strict=True):
        assert (ours.setup, ours.group, ours.fold) == (theirs.setup, theirs.group, theirs.fold)
        here, there = (np.lexsort((each.similarity, each.same)) for each in (ours, theirs))
        np.testing.assert_array_equal(ours.same[here], theirs.same[there])
        np.testing.assert_array_equal(ours.similarity[here], theirs.similarity[there])
        orders.append(here[np.argsort(there)])
    sheet = answer_sheet(benchmark)
    again = []
    for one in systems:
        scores = np.concatenate([answers[order] for answers, order in zip(one.answers, orders, strict=True)]).tolist()
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


def made_pairs(rng: np.random.Generator, group: str = "hits") -> TestPairs:
    same = rng.random(400) < 0.5
    return TestPairs(group, group, 0, same, np.round(0.3 * same + rng.random(400), 6))


def test_scores_that_follow_topic_are_found_within_each_kind():
    rng = np.random.default_rng(0)
    folds = [made_pairs(rng), made_pairs(rng, "random")]
    topic = SystemAnswers("topic", tuple(each.similarity / 1.3 for each in folds))
    style = SystemAnswers(
        "style", tuple(np.clip(0.3 + 0.4 * each.same + 0.2 * rng.random(400), 0, 1) for each in folds)
    )
    found = topical_reliance(folds, [topic, style])
    relies, sound = found
    assert relies.rho == pytest.approx({"all": 1, "same": 1, "different": 1})
    assert sound.rho["all"] > 0.2, "same-author pairs are more similar"
    assert abs(sound.rho["same"]) < 0.15 and abs(sound.rho["different"]) < 0.15
    assert relies.accuracy["different"][0] == 1 > relies.accuracy["different"][3]
    np.testing.assert_array_equal(sound.accuracy["all"], np.ones(4))
    assert relies.answered["all"].sum() == 800
    assert np.ptp(relies.answered["all"]) <= 1, "quartiles hold equally many pairs"


def test_quartiles_by_hand():
    each = TestPairs("hits", "hits", 0, np.array([True, False] * 4), np.arange(8) / 10)
    one = SystemAnswers("one", (np.array([0.9, 0.9, 0.5, 0.1, 0.2, 0.5, 0.5, 0.5]),))
    found = topical_reliance([each], [one])[0]
    np.testing.assert_array_equal(found.answered["all"], [2, 1, 1, 0])
    np.testing.assert_array_equal(found.accuracy["all"], [0.5, 1, 0, np.nan])
    np.testing.assert_array_equal(found.accuracy["same"], [1, np.nan, 0, np.nan])
    silent = topical_reliance([each], [SystemAnswers("silent", (None,)), SystemAnswers("flat", (np.full(8, 0.7),))])
    assert all(np.isnan(each.rho["all"]) for each in silent)
