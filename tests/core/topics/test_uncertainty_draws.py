"""What a draw of documents is: brute force over all draws there are, the intervals round them, and their number."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from core.topics import check_labels, pair_similarities, resample_topics, topic_space, uncertainty
from tests.core.topics.similarities import in_the_plane


@pytest.fixture
def seen(monkeypatch) -> list[np.ndarray]:
    """The similarities of every draw, of which only quantiles are kept."""
    draws: list[np.ndarray] = []
    quantiles = uncertainty.known_quantiles

    def spy(found: np.ndarray, shares: Any) -> Any:
        draws.append(found)
        return quantiles(found, shares)

    monkeypatch.setattr(uncertainty, "known_quantiles", spy)
    return draws


def coherence(units: np.ndarray, rows: tuple[int, ...]) -> float:
    """The mean cosine of two different documents among those drawn, some of them more than once; NaN for none."""
    cosines = [units[one] @ units[two] for one, two in combinations(rows, 2) if one != two]
    return float(np.mean(cosines)) if cosines else np.nan


def test_every_draw_is_one_of_those_there_are_and_equal_documents_make_no_pair(seen):
    vectors = np.array(
        [[1.0, 0.2, 0.0], [1.0, 0.9, 0.1], [0.7, 0.0, 0.6], [0.1, 1.0, 0.4], [0.3, 0.8, 1.0], [0.6, 1.0, 0.1]]
    )
    units = normalize(vectors)
    possible = []
    for one, two in product(product(range(3), repeat=3), product(range(3, 6), repeat=3)):
        between = np.mean([units[i] @ units[j] for i in one for j in two])
        possible.append(np.clip(between / np.sqrt(coherence(units, one) * coherence(units, two)), -1, 1))
    known = np.unique([value for value in possible if not np.isnan(value)])
    resample_topics(vectors, np.repeat([0, 1], 3), 2, kind="corrected", draws=150)
    drawn = seen[0][:, 0, 1].astype(np.float64)
    unknown = np.isnan(drawn)
    assert np.abs(drawn[~unknown, None] - known).min(axis=1).max() < 1e-6
    assert len(np.unique(np.round(drawn[~unknown], 5))) > 30, "chance has many draws to choose from"
    # One document three times, in either topic: 1 − (8/9)².
    assert unknown.mean() == pytest.approx(17 / 81, abs=0.12)


def test_intervals_hold_the_middle_95_percent_of_the_draws(seen):
    vectors = np.random.default_rng(0).normal(size=(40, 5)) + 1.0
    found = resample_topics(vectors, np.repeat(np.arange(4), 10), 4, kind="corrected", draws=60)
    for ends, share in ((found.low, 0.025), (found.high, 0.975)):
        np.testing.assert_allclose(ends, np.quantile(seen[0], share, axis=0), rtol=1e-5)
    above = np.triu_indices(4, k=1)
    np.testing.assert_allclose(found.medians, [np.median(draw[above]) for draw in seen[0]], rtol=1e-5)
    np.testing.assert_allclose(found.paths_max[:, -1], [draw[above].max() for draw in seen[0]], rtol=1e-5)


def test_seed_0_unless_told():
    vectors, codes = np.random.default_rng(1).normal(size=(12, 4)) + 0.5, np.repeat([0, 1, 2], 4)
    for kind in ("plain", "corrected"):
        one, two = (resample_topics(vectors, codes, 3, kind=kind, draws=9, **seed) for seed in ({}, {"seed": 0}))
        np.testing.assert_array_equal(one.medians, two.medians)
        one, two = (check_labels(vectors, codes, 3, kind=kind, **seed) for seed in ({}, {"seed": 0}))
        np.testing.assert_array_equal(one.shuffled, two.shuffled)


@pytest.mark.parametrize(("topics", "draws"), [(4, 200), (300, 200), (301, 39)])
def test_fewer_draws_past_300_topics_and_an_interval_for_every_pair(topics, draws, monkeypatch):
    monkeypatch.setattr(uncertainty, "hits_path", _first_to_last)  # the path is not what is asked here
    vectors = np.random.default_rng(2).normal(size=(2 * topics, 3))
    found = resample_topics(vectors, np.repeat(np.arange(topics), 2), topics, kind="plain")
    assert found.steps.shape == found.paths_max.shape == (draws, topics) and len(found.medians) == draws
    assert found.low.shape == found.high.shape == (topics, topics) and (found.low <= found.high).all()


def test_past_300_topics_an_interval_is_the_range_of_the_same_draws(seen, monkeypatch):
    vectors = np.random.default_rng(5).normal(size=(31, 5)) + 0.8
    codes = np.repeat(
        [0, 1, 2, 3, 4, 5, 6], [4, 5, 6, 7, 2, 6, 1]
    )  # one that some draws cannot place, and one that none can
    multiplied, multiply = [], uncertainty.similarity_of_points
    monkeypatch.setattr(
        uncertainty, "similarity_of_points", lambda points: multiplied.append(points.dtype) or multiply(points)
    )
    few = resample_topics(vectors, codes, 7, kind="corrected", draws=39)
    assert set(multiplied) == {np.dtype(np.float64)}
    monkeypatch.setattr(uncertainty, "MOST_HELD", 6)
    many = resample_topics(vectors, codes, 7, kind="corrected")
    assert multiplied[-1] == np.float32, "half the memory and time, where there are many"
    np.testing.assert_allclose(many.low, np.fmin.reduce(seen[0]), atol=1e-6)
    np.testing.assert_allclose(many.high, np.fmax.reduce(seen[0]), atol=1e-6)
    assert np.isnan(many.low[6]).all() and np.isfinite(many.low[:6, :6]).all()
    np.testing.assert_array_equal(many.steps, few.steps)
    np.testing.assert_allclose(many.paths_max, few.paths_max, atol=1e-6)
    np.testing.assert_allclose(many.medians, few.medians, atol=1e-6)


def _first_to_last(similarity: np.ndarray) -> Any:
    from core.topics import TopicPath

    count = len(similarity)
    none = np.zeros(count)
    return TopicPath(np.arange(count), none, none, none, count)


def test_labels_are_checked_on_the_similarities_of_the_topics():
    vectors, codes = np.random.default_rng(3).normal(size=(30, 4)) + 0.5, np.repeat(np.arange(5), 6)
    for kind in ("plain", "corrected"):
        space = topic_space(vectors, codes, tuple("abcde"), similarity=kind)
        expected = np.median(pair_similarities(space.similarity))
        assert check_labels(vectors, codes, 5, kind=kind).median == pytest.approx(expected, abs=1e-6)


def test_a_shuffle_that_leaves_no_pair_is_as_alike_as_can_be():
    # Dealt otherwise, both topics hold two documents at a right angle, which have nothing in common.
    found = check_labels(in_the_plane(0, 0, 90, 90), np.array([0, 0, 1, 1]), 2, kind="corrected")
    assert found.median == pytest.approx(0, abs=1e-6)
    assert set(np.round(found.shuffled, 6)) == {0, 1}


@pytest.mark.parametrize(("topics", "every"), [(499, 1), (999, 1), (1_000, 2), (1_500, 3)])
def test_the_median_of_a_draw_is_of_at_least_500_rows(topics, every, monkeypatch):
    asked = []
    monkeypatch.setattr(uncertainty, "hits_path", _first_to_last)
    monkeypatch.setattr(
        uncertainty, "pair_similarities", lambda similarity, *, every: asked.append(every) or np.ones(1)
    )
    vectors = np.random.default_rng(4).normal(size=(2 * topics, 2))
    resample_topics(vectors, np.repeat(np.arange(topics), 2), topics, kind="plain", draws=1)
    assert asked == [every]


@pytest.mark.parametrize(("topics", "compared"), [(499, 499), (500, 500), (501, 500), (600, 500)])
def test_labels_are_checked_on_at_most_500_topics(topics, compared):
    vectors = np.random.default_rng(6).normal(size=(2 * topics, 2))
    assert check_labels(vectors, np.repeat(np.arange(topics), 2), topics, kind="plain", shuffles=1).compared == compared


def test_topics_of_two_documents_are_compared_before_those_of_one(monkeypatch):
    monkeypatch.setattr(uncertainty, "MOST_COMPARED", 20)
    sizes, compared = np.tile([1, 2, 3], 10), []
    draw = uncertainty._drawn_points

    def spy(units, codes, times, topics, kind):
        compared.append(np.bincount(codes, minlength=topics))
        return draw(units, codes, times, topics, kind)

    monkeypatch.setattr(uncertainty, "_drawn_points", spy)
    vectors = np.random.default_rng(7).normal(size=(sizes.sum(), 4)) + 1.0
    check_labels(vectors, np.repeat(np.arange(30), sizes), 30, kind="corrected", shuffles=1)
    assert all(sorted(each) == [2] * 10 + [3] * 10 for each in compared)
