"""Calibration error: by its definition, near 0 for exact answers, and its size by chance said."""

from dataclasses import astuple

import numpy as np
import pytest

from core.evaluation import evaluate, fold_scores, missing_runs, reliability, reliability_of
from core.evaluation.store import ResultStore
from core.splits import topic_kfold
from tests.core.spies import corpus_of, rows_of


def test_the_error_is_its_definition():
    rng = np.random.default_rng(0)
    scores = rng.random(500)
    same = rng.random(500) < scores**2
    found = reliability_of(same, scores)
    expected, seen = 0.0, 0
    for number in range(10):
        inside = (scores >= number / 10) & (scores < (number + 1) / 10)
        expected += inside.sum() / 500 * abs(same[inside].mean() - scores[inside].mean())
        seen += inside.sum()
    assert seen == 500 and found.ece == pytest.approx(expected, abs=1e-12)


def test_bins_worked_by_hand():
    # .85 and .95 in two bins, .95 twice; one author wrote the first and one of the second.
    found = reliability_of([1, 1, 0, 0, 1], [0.85, 0.95, 0.95, 0.5, 1.0])
    assert [(each.low, each.high, each.count) for each in found.bins] == [(0.8, 0.9, 1), (0.9, 1.0, 3)]
    assert [each.mean for each in found.bins] == pytest.approx([0.85, 2.9 / 3])
    assert [each.share for each in found.bins] == pytest.approx([1, 2 / 3])
    assert found.ece == pytest.approx((0.15 + 0.9) / 4)
    assert (found.answered, found.unanswered) == (4, 1)
    z, n, p = 1.959963985, 3, 2 / 3  # Wilson's interval by hand
    middle, half = (
        (p + z * z / 2 / n) / (1 + z * z / n),
        z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / 4 / n / n),
    )
    assert (found.bins[1].share_low, found.bins[1].share_high) == pytest.approx((middle - half, middle + half))


def test_exact_answers_have_an_error_near_zero_and_few_pairs_raise_it():
    rng = np.random.default_rng(1)

    def exact(count):
        scores = rng.random(count)
        return reliability_of(rng.random(count) < scores, scores)

    many, few = exact(100_000), exact(60)
    assert many.ece < 0.01 and many.chance < 0.01
    assert few.chance > 0.08 and few.ece > 0.02  # six pairs a bin are off by chance alone
    scores = np.full(400, 0.7)
    found = reliability_of(rng.random(400) < scores, scores)
    assert found.chance == pytest.approx(np.sqrt(2 * 0.7 * 0.3 / (np.pi * 400)), rel=0.06)


@pytest.mark.parametrize("count", [50, 400])
def test_exact_answers_seem_off_once_in_twenty_times(count):
    rng = np.random.default_rng(2)
    above = 0
    for trial in range(200):
        scores = rng.beta(2, 2, count)
        found = reliability_of(rng.random(count) < scores, scores, seed=trial)
        above += found.ece > found.chance_high
    assert above / 200 <= 0.09


def test_the_side_is_which_way_answers_are_off():
    rng = np.random.default_rng(3)
    chance = rng.uniform(0.3, 0.7, 4_000)
    same = rng.random(4_000) < chance
    assert reliability_of(same, chance).ece <= reliability_of(same, chance).chance_high
    confidence, unsure = 0.5 + 2 * (chance - 0.5), 0.5 + 0.1 * (chance - 0.5)
    assert reliability_of(same, confidence).side == "too sure"
    assert reliability_of(same, unsure).side == "not sure"
    assert reliability_of(same, chance + 0.2).side == "one author"
    assert reliability_of(same, chance - 0.2).side == "two authors"
    assert reliability_of([1, 0], [0.5, 0.5]).answered == 0


def test_order_changes_nothing_and_nothing_is_nothing():
    rng = np.random.default_rng(4)
    scores, same = rng.random(90), rng.random(90) < 0.5
    order = rng.permutation(90)
    one, two = reliability_of(same, scores), reliability_of(same[order], scores[order])
    assert [astuple(each) for each in one.bins] == [pytest.approx(astuple(each)) for each in two.bins]
    none = reliability_of([], [])
    assert none.bins == () and np.isnan(none.ece) and none.answered == 0


def test_a_calibration_is_part_of_a_runs_key_and_the_own_one_is_not(tmp_path):
    corpus = corpus_of(rows_of())
    folds = topic_kfold(corpus, k=3, seed=0)
    choices = {"task": "verification", "models": ["char_ngram", "topic_fit"], "results": ResultStore(tmp_path)}
    own = evaluate(corpus, folds, **choices)
    assert own.fresh == 6 and own.calibration == "thresholds"
    assert evaluate(corpus, folds, calibration="thresholds", **choices).fresh == 0
    assert missing_runs(corpus, folds, calibration="platt", **choices) == 6
    platt = evaluate(corpus, folds, calibration="platt", **choices)
    assert platt.fresh == 6 and platt.calibration == "platt" and platt.models == own.models
    assert evaluate(corpus, folds, calibration="temperature", **choices).fresh == 6
    assert evaluate(corpus, folds, calibration="platt", **choices).fresh == 0
    assert "Platt's curve" in platt.runs[0].notes[-1] and "Thresholds" in own.runs[0].notes[-1]
    for model in platt.models:
        found = reliability(own, model)
        assert found.answered + found.unanswered == sum(score.questions for score in fold_scores(own, corpus)) / 2
    assert 0 <= reliability(platt, "char_ngram").ece <= 1


def test_attribution_has_no_calibration(tmp_path):
    corpus = corpus_of(rows_of())
    folds = topic_kfold(corpus, k=3, seed=0)
    choices = {"task": "attribution", "models": ["topic_fit"], "results": ResultStore(tmp_path)}
    evaluate(corpus, folds, **choices)
    assert missing_runs(corpus, folds, calibration="platt", **choices) == 0
