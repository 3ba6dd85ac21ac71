"""Intervals round scores: they hold their score, narrow with more questions, agree with statsmodels, and cover."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from core.evaluation import chance_level, evaluate, mean_baselines, topic_intervals, topic_scores
from core.evaluation.intervals import share_interval
from core.splits import topic_kfold
from tests.core.spies import corpus_of, rows_of


@pytest.mark.parametrize(("right", "asked"), [(0, 3), (3, 3), (7, 20), (50, 100)])
def test_wilson_is_statsmodels(right, asked):
    assert share_interval(right, 0, asked) == pytest.approx(proportion_confint(right, asked, method="wilson"))


@pytest.mark.parametrize("unanswered", [0, 4, 10])
def test_an_interval_holds_its_score_and_narrows(unanswered):
    widths = []
    for times in (1, 4, 16):
        right, left, asked = 8 * times, unanswered * times, 20 * times
        low, high = share_interval(right, left, asked)
        score = right / asked * (1 + left / asked)
        assert 0 <= low <= score <= high <= 1
        widths.append(high - low)
    assert widths[0] > widths[1] > widths[2]


def test_the_interval_covers_as_often_as_it_says():
    rng, shares, asked = np.random.default_rng(1), np.array([0.5, 0.2, 0.3]), 60
    true = shares[0] * (1 + shares[1])
    drawn = rng.multinomial(asked, shares, size=400)
    bounds = [share_interval(int(right), int(left), asked) for right, left, _ in drawn]
    assert 0.90 < np.mean([low <= true <= high for low, high in bounds]) < 0.99


@pytest.fixture(scope="module")
def run():
    corpus = corpus_of(rows_of(topics=5, authors=3, each=3))
    return corpus, evaluate(corpus, topic_kfold(corpus, k=3, seed=0), task="attribution", models=["topic_fit"])


def test_every_scored_topic_has_one_for_counts_and_none_otherwise(run):
    corpus, evaluation = run
    found = topic_intervals(evaluation, corpus, metric="accuracy")
    scores = {(score.model, score.fold, score.topics[0]): score for score in topic_scores(evaluation, corpus)}
    assert set(found) == {key for key, score in scores.items() if score.questions}
    assert all(low <= scores[key].values["accuracy"] <= high for key, (low, high) in found.items())
    assert topic_intervals(evaluation, corpus, metric="macro_f1") == {}


def test_without_reading_one_scores_the_majority(run):
    corpus, evaluation = run
    assert chance_level(evaluation, corpus, metric="accuracy") == mean_baselines(evaluation, corpus).majority
    assert np.isnan(chance_level(evaluation, corpus, metric="macro_f1"))
    assert chance_level(evaluation, corpus, metric="auc") == 0.5
