"""The matrix of exposure: training topics alone are filled, and what is put together is their mean."""

import numpy as np
import pytest

from core.evaluation import ExposedTopic, exposure_matrix
from core.splits import Fold, Folds
from core.topics import topic_space

TOPICS = 12


@pytest.fixture(scope="module")
def made():
    names = tuple(f"t{number:02}" for number in range(TOPICS))
    vectors = np.random.default_rng(0).random((3 * TOPICS, 6)).astype(np.float32)
    space = topic_space(vectors, np.repeat(np.arange(TOPICS), 3), names, similarity="plain")
    topics, nothing = np.arange(TOPICS), np.empty(0, dtype=int)
    halves = [(topics[6:], topics[:6]), (topics[:6], topics[6:])]
    folds = Folds("given", names, tuple(Fold(nothing, nothing, train, test) for train, test in halves))
    rows = [ExposedTopic(int(topic >= 6), topic, 3, (0,), (0.5,), 0.5, {}) for topic in range(TOPICS)]
    return space, folds, rows


def test_a_cell_is_the_similarity_of_a_test_topic_and_a_training_topic(made):
    space, folds, rows = made
    order = np.random.default_rng(1).permutation(TOPICS)
    found = exposure_matrix(space, folds, rows, order)
    for i, (topic,) in enumerate(found.rows):
        for j, (other,) in enumerate(found.columns):
            if other in folds.folds[rows[i].fold].train_topics:
                assert found.values[i, j] == space.similarity[topic, other]
            else:
                assert np.isnan(found.values[i, j])


@pytest.mark.parametrize("most", [1, 5, 12])
def test_what_is_put_together_is_every_topic_once_and_a_cell_their_mean(made, most):
    space, folds, rows = made
    whole = exposure_matrix(space, folds, rows, np.arange(TOPICS)).values
    found = exposure_matrix(space, folds, rows, np.arange(TOPICS), most=most)
    assert found.values.shape == (most, most) and all(found.rows) and all(found.columns)
    assert [topic for group in found.columns for topic in group] == list(range(TOPICS))
    for i, group in enumerate(found.rows):
        for j, others in enumerate(found.columns):
            part = whole[np.ix_(group, others)]
            expected = np.nan if np.isnan(part).all() else np.nanmean(part)
            assert found.values[i, j] == pytest.approx(expected, nan_ok=True)
