"""Whose scores follow topic: rank correlations within each kind of pair, and accuracy by quartile by hand."""

import numpy as np
import pytest

from core.studies import SystemAnswers, TestPairs, topical_reliance


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
    leans, sound = found
    assert leans.rho == pytest.approx({"all": 1, "same": 1, "different": 1})
    assert sound.rho["all"] > 0.2, "same-author pairs are more alike"
    assert abs(sound.rho["same"]) < 0.15 and abs(sound.rho["different"]) < 0.15
    assert leans.accuracy["different"][0] == 1 > leans.accuracy["different"][3]
    np.testing.assert_array_equal(sound.accuracy["all"], np.ones(4))
    assert leans.answered["all"].sum() == 800
    assert np.ptp(leans.answered["all"]) <= 1, "quartiles hold equally many pairs"


def test_quartiles_by_hand():
    each = TestPairs("hits", "hits", 0, np.array([True, False] * 4), np.arange(8) / 10)
    one = SystemAnswers("one", (np.array([0.9, 0.9, 0.5, 0.1, 0.2, 0.5, 0.5, 0.5]),))
    found = topical_reliance([each], [one])[0]
    np.testing.assert_array_equal(found.answered["all"], [2, 1, 1, 0])
    np.testing.assert_array_equal(found.accuracy["all"], [0.5, 1, 0, np.nan])
    np.testing.assert_array_equal(found.accuracy["same"], [1, np.nan, 0, np.nan])
    silent = topical_reliance([each], [SystemAnswers("silent", (None,)), SystemAnswers("flat", (np.full(8, 0.7),))])
    assert all(np.isnan(each.rho["all"]) for each in silent)
